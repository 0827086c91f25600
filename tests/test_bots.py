"""Bots by name, from files and as objects: what is one, and what is said of all else."""

import pytest

from jo_env import jo, jo_v0
from jo_env.bots import BatchBot, BotError, make_bot
from jo_env.errors import TableError

GOOD = """
class Good:
    def act(self, view):
        return {"type": "pass"}

class Needy(Good):
    def __init__(self, path):
        pass

class Broken(Good):
    def __init__(self):
        {}["weights"]

class Mute:
    pass

NUMBER = 7
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "bots.py").write_text(GOOD)
    (tmp_path / "garbled.py").write_text("class Good\n")
    (tmp_path / "failing.py").write_text("1 / 0\n")
    (tmp_path / "named_here.py").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def test_a_bot_of_ones_own(folder):
    for text in ("bots.py:Good", "./bots.py:Good", "named_here:Good"):
        assert make_bot(text).act({}) == {"type": "pass"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (":", "':' is no bot; give random, greedy, .*, policy:PATH, package.module:Class or file.py:Class"),
        ("bots.py:", "'bots.py:' is no bot; give"),
        (":Good", "':Good' is no bot; give"),
        ("", "'' is no bot; give"),
        ("bots.py:Bad", "'bots.py:Bad' cannot be loaded: AttributeError: .*; give package.module:Class or"),
        ("gone.py:Good", "'gone.py:Good' cannot be loaded: ImportError: there is no file gone.py"),
        ("nowhere.at.all:Good", "cannot be loaded: ModuleNotFoundError"),
        ("..relative:Good", "'..relative:Good' cannot be loaded"),
        ("garbled.py:Good", "'garbled.py:Good' cannot be loaded: SyntaxError"),
        ("garbled:Good", "'garbled:Good' cannot be loaded: SyntaxError"),
        ("failing.py:Good", "'failing.py:Good' cannot be loaded: ZeroDivisionError"),
        ("bots.py:Needy", "'bots.py:Needy' cannot be made: TypeError: .*'path'; give a class that is called"),
        ("bots.py:Broken", "'bots.py:Broken' cannot be made: KeyError: 'weights'"),
        ("bots.py:NUMBER", "'bots.py:NUMBER' cannot be made: TypeError"),
        ("bots.py:Mute", r"'bots.py:Mute' is no bot: it has no act\(view\) method"),
        ("policy:", "'policy:' is no bot; give"),
    ],
)
def test_a_text_that_names_no_bot(folder, text, words):
    with pytest.raises(BotError, match=words):
        make_bot(text)


def test_an_object_that_is_none():
    class Bot:
        def act(self, view):
            return {}

    assert isinstance(make_bot(Bot()), Bot)
    for thing in (None, 7, [Bot()], Bot):
        with pytest.raises(BotError, match="is no bot: give an object with an act"):
            make_bot(thing)


class First(BatchBot):
    """The first legal action."""

    def choose(self, views, masks, seeds):
        return masks.argmax(1)


def test_a_seat_with_nothing_to_decide_is_told_so():
    env = jo_v0.env(seats=2, rounds=(1,), max_turns=1)
    env.reset(seed=3, options={"dealer": 0})
    words = {
        "buy": "seat: seat 1 cannot be asked to buy here",
        "draw": "seat: seat 0 has nothing to decide in phase draw; seat 1 is on turn",
        "play": "seat: seat 0 has nothing to decide in phase play; seat 1 is on turn",
    }
    for phase, error in words.items():
        asked = env.agent_selection
        (other,) = set(env.agents) - {asked}
        assert env.unwrapped.view(asked)["phase"] == phase
        with pytest.raises(TableError, match=error):
            First().act(env.unwrapped.view(other))
        (action,) = jo.move_actions(env.unwrapped.games[0], First().act(env.unwrapped.view(asked)))
        env.step(action)
    for agent in env.possible_agents:
        with pytest.raises(TableError, match="phase: over; a bot is asked while the game goes on"):
            First().act(env.unwrapped.view(agent))


def test_a_bot_is_not_asked_where_there_is_no_choice():
    class Never(BatchBot):
        def choose(self, views, masks, seeds):
            raise AssertionError("asked")

    table = {
        "game": "jo", "seats": 2, "seat": 0, "dealer": 1, "round": 1, "turn": 0, "phase": "play",
        "hand": ["9C", "9C"], "hand_sizes": [2, 10], "down": [False, False], "buys_used": [0, 0],
        "groups": [[], []], "discard": ["AH"], "stock_size": 91, "requests": [], "taken": None,
        "discarded_by": None, "scores": [0, 0],
    }  # fmt: skip
    assert Never().act(table) == {"type": "discard", "card": "9C"}
