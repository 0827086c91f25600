"""The terminal game: what a person sees and may type, and whole games from scripted input."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents import jo as jo_agents
from agents.export import sample_views
from agents.jo import words
from agents.jo.words import event_text, hand_titles, legal_moves, table_text
from agents.terminal import FOLDED_SHOWN, Person, Quit, find_moves, play_game, score_sheet, with_suits
from jo_env import jo
from jo_env.bots import make_bot
from jo_env.errors import IllegalActionError
from jo_env.jo.actions import LAY_OFF, LAY_THREE

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "play.py"


def cards(text):
    return text.split()


def three(text):
    return {"kind": "three", "cards": cards(text)}


def four(text):
    return {"kind": "four", "cards": cards(text)}


# Round 1, two threes: three kings and a spare one, three fours, and two odd cards; the seat has drawn.
TWO_THREES = {
    "game": "jo",
    "seats": 3,
    "seat": 1,
    "dealer": 0,
    "round": 1,
    "turn": 1,
    "turns": 9,
    "phase": "play",
    "hand": cards("KC KD KH KS 4C 4D 4H 2S 9H TH JH"),
    "hand_sizes": [10, 11, 4],
    "down": [False, False, True],
    "buys_used": [0, 1, 0],
    "groups": [
        [],
        [],
        [three("7C 7D 7S"), three("AC AC AD")],
    ],
    "discard": ["9C", "3S"],
    "stock_size": 71,
    "requests": [],
    "taken": None,
    "discarded_by": 0,
    "scores": [35, 0, 12],
}
DOWN = TWO_THREES | {
    "hand": ["7H", "AS", "6D"],
    "hand_sizes": [10, 3, 4],
    "down": [False, True, True],
    "groups": [
        [],
        [three("KC KD KH"), three("4C 4D 4H")],
        TWO_THREES["groups"][2],
    ],
    "stock_size": 73,
}
RUNS = DOWN | {
    "round": 3,
    "groups": [
        [],
        [four("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"), four("2D 3D 4D 5D")],
        [four("3H 4H 5H 6H"), four("7C 8C 9C TC")],
    ],
    "stock_size": 61,
}


class Script:
    """A person's keyboard and screen."""

    def __init__(self, *lines):
        self.lines = list(lines)
        self.shown = []

    def person(self):
        return Person(words, self.ask, self.shown.append)

    def ask(self, prompt):
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    @property
    def text(self):
        return "\n".join(self.shown)


# --- what is shown --------------------------------------------------------------------------------


def test_table():
    assert table_text(TWO_THREES).splitlines() == [
        "Round 1: 2 threes    turn 10, you to play    stock 71",
        "  player 0    35 points  10 cards  3 buys left, dealer",
        "  you          0 points  11 cards  2 buys left",
        "  player 2    12 points  4 cards   down",
        "            on the table: 7C 7D 7S",
        "            on the table: AC AC AD",
        "  pile: 9C [3S]",
        "  your hand: KC 4C   KD 4D   KH 4H 9H TH JH   KS 2S",
        "    by rank: 2S 4C 4D 4H 9H TH JH KC KD KH KS",
    ]


def test_cards_get_suits_and_colours():
    assert with_suits("discard TH, 9C", in_color=False) == "discard T♥, 9♣"
    assert with_suits("discard TH, 9C", in_color=True) == "discard \033[91mT♥\033[0m, 9♣"
    assert with_suits("ACE of THE 10H", in_color=False) == "ACE of THE 10H"


def test_events():
    group = three("KC KD KS")
    told = [
        ({"event": "request", "seat": 2}, "player 2 asked to buy the top discard"),
        ({"event": "pass", "seat": 2}, "player 2 passed"),
        ({"event": "draw", "seat": 1, "from": "stock"}, "you drew from the stock"),
        ({"event": "draw", "seat": 0, "from": "discard", "card": "7S"}, "player 0 took 7S"),
        ({"event": "buy", "seat": 1, "card": "7S"}, "you bought 7S"),
        ({"event": "go_down", "seat": 2, "groups": [group, group]}, "player 2 went down: KC KD KS, KC KD KS"),
        ({"event": "discard", "seat": 0, "card": "2D"}, "player 0 threw 2D"),
        ({"event": "recycle"}, "the pile was shuffled into a new stock"),
    ]
    for owner, whose in ((0, "player 0's"), (1, "your"), (2, "its own")):
        event = {"event": "lay_off", "seat": 2, "owner": owner, "group": 0, "card": "7H"}
        told.append((event, f"player 2 laid off 7H on {whose} group"))
    for event, text in told:
        assert event_text(event, 1) == text


def test_score_sheet():
    names, points = ["you", "1 planner"], [[10, 0], [5, 15]]
    titles = hand_titles({"rounds": [1, 5]})
    assert score_sheet(names, titles, points, -1).splitlines() == [
        "hand                                you  1 planner",
        "1  2 threes                          10          0",
        "5  2 threes and 1 four                5         15",
        "--------------------------------------------------",
        "total                                15         15",
        "won by you and 1 planner",
    ]
    assert "won by" not in score_sheet(names, titles, points[:1], -1)
    assert score_sheet(names, titles, points[:1] * 2, 1).endswith("won by you")


# --- moves ----------------------------------------------------------------------------------------


def test_go_downs_are_whole_and_the_cheapest_comes_first():
    texts = [text for text, _ in legal_moves(TWO_THREES)]
    # Four ways to choose three kings; each leaves the fourth, 2 9 10 and 10.
    assert texts[:4] == [
        f"go down 4C 4D 4H, {kings} (41 points left in hand)"
        for kings in ("KC KD KH", "KC KD KS", "KC KH KS", "KD KH KS")
    ]
    assert texts[4:] == [f"discard {card}" for card in cards("4C KC 4D KD 4H 9H TH JH KH 2S KS")]
    cheaper = TWO_THREES | {"hand": cards("KC KD KH 4C 4D 4H 4S 2S 2C 2D JH")}
    left = [text.split("(")[1] for text, _ in legal_moves(cheaper) if "(" in text]
    assert left[0] == "20 points left in hand)" and left == sorted(left, key=lambda t: int(t.split()[0]))


def test_lay_offs_name_their_group():
    assert [text for text, _ in legal_moves(DOWN)] == [
        "lay off 7H on player 2's 7C 7D 7S",
        "lay off AS on player 2's AC AC AD",
        "discard 6D",
        "discard 7H",
        "discard AS",
    ]
    assert [text for text, _ in legal_moves(RUNS)][:4] == [
        "lay off AS before your 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS",
        "lay off AS after your 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS",
        "lay off 6D after your 2D 3D 4D 5D",
        "lay off 7H after player 2's 3H 4H 5H 6H",
    ]


def test_every_move_listed_is_legal_and_none_is_missing():
    for view in sample_views(jo_agents, per_kind=3, num_games=1):
        moves = legal_moves(view)
        assert len({text for text, _ in moves}) == len(moves)
        spelled = set()
        for _, move in moves:
            games, _ = jo.game_from_view(view)
            views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
            actions = jo.move_actions(games[0], move)
            for action in actions:
                jo.observe(games, views, masks)
                assert masks[0, action]
                jo.step(games, np.array([action], np.int32), np.zeros(1, np.int8))
            assert games[0].groups_laid == 0
            spelled.add(actions[0])
        games, _ = jo.game_from_view(view)
        jo.observe(games, views, masks)
        assert spelled == set(np.flatnonzero(masks[0]))
        if masks[0, LAY_THREE:LAY_OFF].any():
            assert moves[0][1]["type"] == "go_down"


def test_words_that_find_a_move():
    moves = legal_moves(TWO_THREES)
    assert find_moves(moves, "3") == [2]
    assert find_moves(moves, "discard kd") == find_moves(moves, "Discard K♦") == find_moves(moves, "8") == [7]
    assert find_moves(moves, "go down") == [0, 1, 2, 3]
    assert find_moves(moves, "go down 4C 4D 4H, KC KH KS") == [2]
    for nothing in ("0", "16", "-1", "discard", "discard AC", "take 3S", "2♣ please"):
        assert len(find_moves(moves, nothing)) != 1
    runs = legal_moves(RUNS)
    assert find_moves(runs, "lay off AS") == [0, 1]
    assert find_moves(runs, "lay off as after") == [1]


# --- the person -----------------------------------------------------------------------------------


def test_bad_input_is_asked_again():
    script = Script("", "fold", "99", "discard", "go down", "help", "all", "table", "  DISCARD   2s ")
    assert script.person().act(TWO_THREES) == {"type": "discard", "card": "2S"}
    assert "'fold' is not one of your moves; give a number from 1 to 15, or help" in script.shown
    assert "'99' is not one of your moves; give a number from 1 to 15, or help" in script.shown
    assert "'discard' may mean 5, 6, 7, 8, 9, 10, 11, 12, 13 ...; give a number" in script.shown
    assert "'go down' may mean 1, 2, 3, 4; give a number" in script.shown
    assert "lowest total wins" in script.text
    assert script.text.count("Round 1: 2 threes") == 2
    assert script.text.count(" 15 discard KS") == 3


def test_many_go_downs_are_cut_short():
    script = Script("all", "7")
    move = script.person().act(TWO_THREES | {"hand": cards("KC KC KD KH KS 4C 4C 4D 4H 4S 2S")})
    # Three of five kings, two of them alike: 7 ways; likewise the fours.
    assert f"     ... and {49 - FOLDED_SHOWN} more ways to go down: all" in script.shown
    assert "  50 discard 4C" in script.shown
    ways = [line for line in script.shown if "go down" in line and "more ways" not in line]
    assert len(ways) == FOLDED_SHOWN + 49
    assert ways[FOLDED_SHOWN + 6].split(" (")[0].endswith(", ".join(
        " ".join(group["cards"]) for group in move["groups"]
    ))  # fmt: skip


@pytest.mark.parametrize("line", ["quit", "Q"])
def test_quit(line):
    for script in (Script(line), Script()):
        with pytest.raises(Quit):
            script.person().act(TWO_THREES)


def test_the_person_hears_which_cards_came():
    script = Script("1", "discard 2S", "1", "1")
    person = script.person()
    before = TWO_THREES | {"phase": "draw", "hand": TWO_THREES["hand"][:-1], "hand_sizes": [10, 10, 4]}
    before |= {"stock_size": 72}
    assert person.act(before) == {"type": "draw_stock"}
    person.act(TWO_THREES)
    assert [line for line in script.shown if line.startswith("you got")] == ["you got JH"]
    after = [card for card in TWO_THREES["hand"] if card != "2S"]
    person.act(before | {"hand": after, "discard": ["9C", "3S", "2S"], "stock_size": 71})
    person.act(before | {"round": 2, "groups": [[], [], []], "down": [False] * 3, "stock_size": 78})
    assert script.text.count("you got") == 1


# --- games ----------------------------------------------------------------------------------------


def test_a_scripted_person_plays_a_whole_round():
    script = Script(*["nonsense", "1"] * 500)
    bots = [script.person(), make_bot("greedy"), make_bot("greedy")]
    told, ends = [], []
    for events, game, ended in play_game(jo, bots, seed=5, rounds=(1,)):
        told += events
        if ended:
            ends.append(game.points[0, :3].tolist())
    (points,) = ends
    assert min(points) == 0 and max(points) > 0
    num_moves = script.text.count("Round 1: 2 threes")
    assert num_moves > 10 and script.text.count("'nonsense' is not one of your moves") == num_moves
    assert {event["event"] for event in told} >= {"pass", "draw", "discard", "go_down"}
    assert all(event["groups"] for event in told if event["event"] == "go_down")


def test_games_are_the_same_from_the_same_seed():
    bots = [make_bot("greedy"), make_bot("random")]
    games = [
        [(events, ended) for events, _, ended in play_game(jo, bots, seed, rounds=(2, 7), max_turns=40)]
        for seed in (3, 3, 4)
    ]
    assert games[0] == games[1] != games[2]
    assert sum(ended for _, ended in games[0]) == 2


def test_a_bot_that_breaks_the_rules_is_named():
    class Cheat:
        def act(self, view):
            return {"type": "discard", "card": "AC"}

    with pytest.raises(IllegalActionError, match=r"Cheat: player_\d may not play"):
        list(play_game(jo, [Cheat(), Cheat()], seed=1))

    class Mumbler:
        def act(self, view):
            return {"type": "fold"}

    with pytest.raises(IllegalActionError, match=r"Mumbler: player_\d: move type 'fold'; give one of"):
        list(play_game(jo, [Mumbler(), Mumbler()], seed=1))


def run(*args, lines=""):
    return subprocess.run(
        [sys.executable, SCRIPT, *args],
        input=lines,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )


def test_script_with_piped_input():
    lines = "rubbish\n" + "1\n" * 500
    done = run("--seats", "2", "--opponents", "greedy", "--rounds", "2", "--seed", "4", lines=lines)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Jo, seed 4: player 0 is you, player 1 is greedy\n")
    assert "'rubbish' is not one of your moves" in done.stdout
    assert "your move> 1\n" in done.stdout
    assert "\033" not in done.stdout and "♥" in done.stdout
    assert "2  1 three and 1 four" in done.stdout.split("Round 2: ")[-1]
    assert "won by " in done.stdout
    assert done.stderr == ""


def run_here(monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *args])
    runpy.run_path(str(SCRIPT), run_name="__main__")


def test_script_ends_with_its_input(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", Script().ask)
    run_here(monkeypatch, "--opponents", "greedy", "--seed", "1")
    assert capsys.readouterr().out.endswith("\nThe game ends here.\n")


class Impatient:
    """A bot during whose first decision the person presses Ctrl-C."""

    def act(self, view):
        raise KeyboardInterrupt


def test_script_ends_with_ctrl_c(monkeypatch, capsys):
    bot = f"{__file__}:Impatient"
    run_here(monkeypatch, "--watch", bot, "--opponents", bot, "--seed", "1")
    assert capsys.readouterr().out.endswith("\nThe game ends here.\n")


def test_script_lets_bots_play(monkeypatch, capsys):
    bots = ["--watch", "greedy", "--opponents", "random", "greedy"]
    run_here(monkeypatch, *bots, "--rounds", "1", "5", "--seed", "2")
    out = capsys.readouterr().out
    assert "player 0 is greedy, player 1 is random, player 2 is greedy, player 3 is greedy" in out
    assert [line.split(":")[0] for line in out.splitlines() if line.startswith("Round")] == [
        "Round 1",
        "Round 5",
    ]
    rows = [line.split()[-4:] for line in out.splitlines() if line[:3] in ("1  ", "5  ")]
    total = next(line for line in out.splitlines() if line.startswith("total"))
    assert total.split()[1:] == [str(sum(int(row[i]) for row in rows)) for i in range(4)]


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (["--opponents", "nobody"], "BotError: 'nobody' is no bot"),
        (["--seats", "5"], "SettingsError: seats=5"),
        (["--seats", "1"], "SettingsError: seats=1"),
        (["--seats", "0"], "SettingsError: seats=0"),
        (["--seats", "-3"], "SettingsError: seats=-3"),
        (["--seats", "2", "--opponents", "greedy", "greedy"], "SettingsError: 2 opponents are too many"),
        (["--rounds", "9"], "SettingsError: rounds="),
        (["--seed", "-1"], "SettingsError: seed=-1"),
        (["--watch", "policy:nowhere"], "BotError: policy:nowhere is neither"),
    ],
)
def test_script_names_bad_input_in_one_line(monkeypatch, args, problem):
    with pytest.raises(SystemExit) as caught:
        run_here(monkeypatch, *args)
    message = str(caught.value)
    assert message.startswith(problem) and "\n" not in message
