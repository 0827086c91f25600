"""The PettingZoo environment: its contract, its rewards, snapshots, options and mistakes."""

import copy
import json
import pickle

import numpy as np
import pettingzoo
import pytest
from games import JO, RUMMY_BO, at_all_seats, both, hand_rewards, win_rewards
from pettingzoo.test import api_test, render_test, seed_test
from players import pick, play, play_until

from jo_env import jo, rummy_bo
from jo_env.cards import FACE_NAMES
from jo_env.errors import IllegalActionError, SettingsError, TableError, UnknownCardError
from jo_env.jo.bits import count_hand
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.state import Phase


def make(game, seed=0, **settings):
    env = game.module.env(**settings)
    env.reset(seed=seed)
    return env


# --- PettingZoo's own kit -------------------------------------------------------------------------


@pytest.fixture
def api_kit(monkeypatch):
    """The kit keeps lists, by name, of environments whose observations are dictionaries with a mask."""
    import importlib

    kit = importlib.import_module("pettingzoo.test.api_test")
    for name in ("env_obs_dicts", "env_obs_space"):
        monkeypatch.setattr(kit, name, [*getattr(kit, name), "jo_v0", "rummy_bo_v0"])
    return kit


@at_all_seats
def test_api(api_kit, game, seats):
    api_test(game.module.env(seats=seats), num_cycles=200)


@both
def test_api_to_the_end_of_a_game(api_kit, monkeypatch, game):
    # After the end no action is legal, so the masks that the kit then sees are all zero.
    monkeypatch.setattr(api_kit, "env_all_zeros_obs", [*api_kit.env_all_zeros_obs, "jo_v0", "rummy_bo_v0"])
    api_test(game.module.env(seats=3, **game.short | {"max_turns": 6}), num_cycles=200)


@at_all_seats
def test_seed(game, seats):
    seed_test(lambda: game.module.env(seats=seats), num_cycles=100)


@both
def test_render(game):
    render_test(lambda render_mode: game.module.env(render_mode=render_mode))


@both
def test_registered(game):
    env = pettingzoo.make("aec", game.room.ENV_VERSION, seats=3)
    assert env.max_num_agents == 3
    assert str(env.unwrapped) == game.room.ENV_VERSION == f"{game}_v0"


# --- play -----------------------------------------------------------------------------------------


@both
def test_only_the_seat_asked_has_a_mask(game):
    env = make(game, seats=4)
    for _ in range(200):
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.any() == (agent == env.agent_selection)
            assert env.observation_space(agent).contains(env.observe(agent))
        play(env, 1)


@both
def test_every_agent_observes_from_its_own_seat(game):
    env = make(game, seats=3)
    play(env, 40)
    hands = env.unwrapped.snapshot()["hands"]
    for hand, agent in zip(hands, env.agents, strict=True):
        observation = env.observe(agent)["observation"]
        assert hand == [FACE_NAMES[face] for face in range(52) for _ in range(observation[face])]
        assert observation.min() >= 0


@both
def test_observations_are_the_callers_to_keep(game):
    env = make(game)
    first = env.observe(env.agent_selection)
    before = copy.deepcopy(first)
    play(env, 30)
    assert all((first[key] == before[key]).all() for key in first)


@at_all_seats
@pytest.mark.parametrize("reward", ["points", "win"])
def test_rewards_fall_when_they_should(game, seats, reward):
    env = make(game, seats=seats, reward=reward, **game.short | {"max_turns": 60})
    num_ends = 0
    for _ in range(6000):
        finished = 0 if env.unwrapped.is_over else int(env.unwrapped.games[0].num_finished)
        play(env, 1)
        record = env.unwrapped.games[0]
        rewards = np.array([env.rewards[agent] for agent in env.agents])
        has_ended = int(record.num_finished) != finished
        if reward == "win":
            has_ended = all(env.terminations.values())
        if not has_ended:
            assert not rewards.any()
            continue
        num_ends += 1
        if reward == "points":
            assert np.allclose(rewards, hand_rewards(game, record.points[finished][:seats]))
        else:
            assert np.allclose(rewards, win_rewards(game, record.scores[:seats]))
            assert abs(rewards.sum()) < 1e-6
        if num_ends == 3:
            return
    raise AssertionError("too few hands ended")


def test_a_dead_hand_scores_every_hand_and_ends_the_game():
    env = make(JO, seats=3, rounds=(4,), max_turns=2)
    while env.unwrapped.games[0].turns < 1 or env.unwrapped.games[0].phase != Phase.PLAY:
        play(env, 1)
    env.step(pick(*env.last()[0].values()))
    assert all(env.terminations.values())
    game = env.unwrapped.games[0]
    for seat in range(3):
        assert game.scores[seat] == (game.own[seat].hand * FACE_POINTS).sum() > 0
    assert not env.last()[0]["action_mask"].any()
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(380)
    for _ in range(3):
        env.step(None)
    assert env.agents == []


@both
def test_unseeded_resets_follow_on(game):
    one, other = make(game, seed=5), make(game, seed=5)
    for _ in range(3):
        assert one.unwrapped.snapshot() == other.unwrapped.snapshot()
        play(one, 50)  # how far a game was played does not change the next one
        one.reset()
        other.reset()
    assert make(game, seed=6).unwrapped.snapshot() != make(game, seed=5).unwrapped.snapshot()


@both
def test_first_reset_without_a_seed_is_drawn_anew(game):
    hands = set()
    for _ in range(3):
        env = game.module.env()
        env.reset()
        hands.add(str(env.unwrapped.snapshot()["hands"]))
    assert len(hands) == 3


# --- options --------------------------------------------------------------------------------------


def shoe(*first: str, decks: int = 2) -> list[str]:
    """All the cards of the packs, with some first."""
    rest = list(FACE_NAMES) * decks
    for card in first:
        rest.remove(card)
    return [*first, *rest]


def test_dealer_and_shoes():
    env = JO.module.env(seats=2, rounds=(1, 2, 3))
    cards = shoe(*["AC", "2C"] * 2, "AD", "2D")
    env.reset(seed=3, options={"dealer": 0, "shoes": [cards, None, cards]})
    snapshot = env.unwrapped.snapshot()
    # One card at a time from the dealer's left; twenty cards are dealt, then one is turned up.
    assert snapshot["dealer"] == 0
    assert snapshot["turn"] == 1
    assert snapshot["hands"][1] == sorted(cards[0:20:2], key=FACE_NAMES.index)
    assert snapshot["hands"][0] == sorted(cards[1:20:2], key=FACE_NAMES.index)
    assert snapshot["discard"] == [cards[20]]
    assert snapshot["stock"][::-1] == cards[21:]
    assert snapshot["shoes"] == [None, cards]
    play_until(env, lambda game: game.num_finished == 1)
    assert env.unwrapped.snapshot()["dealer"] == 1
    env.reset()  # shoes are for one game
    assert env.unwrapped.snapshot()["shoes"] == []


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"dealer": 4}, SettingsError, "dealer=4; give a seat from 0 to 3"),
        ({"dealer": "0"}, SettingsError, "dealer='0'"),
        ({"dealer": True}, SettingsError, "dealer=True"),
        ({"shoes": [["7S"]]}, SettingsError, "shoe must hold each card 2 times"),
        ({"shoes": [shoe(decks=3)]}, SettingsError, "3 times"),
        ({"shoes": [["H7", *shoe()[1:]]]}, UnknownCardError, "'H7' is not a card"),
        ({"shoes": 5}, SettingsError, "shoes: 5; give a list"),
        ({"shoes": ["AC"]}, SettingsError, "give a list of shoes, each a list of cards or None"),
        ({"shoes": [shoe()] * 8}, SettingsError, "8 given for 7 rounds"),
        ({"delear": 1}, SettingsError, "'delear' is unknown; options are dealer, shoes"),
        ({"dealer": 1, 2: 3}, SettingsError, "2 is unknown"),
        ("x", SettingsError, "options='x'; give a dictionary or None; options are dealer, shoes"),
        ("", SettingsError, "options=''"),
        ([], SettingsError, r"options=\[\]"),
    ],
)
def test_bad_options_change_nothing(options, error, words):
    env = make(JO)
    play(env, 25)
    before = env.unwrapped.snapshot(), env.last()[0]["action_mask"].tolist()
    with pytest.raises(error, match=words):
        env.reset(seed=1, options=options)
    assert (env.unwrapped.snapshot(), env.last()[0]["action_mask"].tolist()) == before


def test_shoes_of_rummy_bo():
    env = RUMMY_BO.module.env(seats=5, hands=3)
    cards = list(FACE_NAMES[::-1])
    env.reset(seed=3, options={"dealer": 0, "shoes": [cards, None, cards]})
    snapshot = env.unwrapped.snapshot()
    assert snapshot["dealer"] == 0 and snapshot["shoes"] == [None, cards]
    assert snapshot["hands"][1] == sorted(cards[0:30:5], key=FACE_NAMES.index)
    assert snapshot["discard"] == [cards[30]] and snapshot["stock"][::-1] == cards[31:]
    for shoes, words in (([cards[1:]], "each card once"), ([cards] * 4, "4 given for 3 hands")):
        with pytest.raises(SettingsError, match=words):
            env.reset(options={"shoes": shoes})
    assert env.unwrapped.snapshot() == snapshot


@both
@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_bad_seeds(game, seed):
    env = make(game)
    before = env.unwrapped.snapshot()
    with pytest.raises(SettingsError, match="seed="):
        env.reset(seed=seed)
    assert env.unwrapped.snapshot() == before


@pytest.mark.parametrize(
    ("game", "settings", "words"),
    [
        (JO, {"seats": 5}, "seats=5"),
        (JO, {"decks": 1}, "decks=1"),
        (JO, {"rounds": (8,)}, "rounds="),
        (JO, {"max_turns": 0}, "max_turns=0"),
        (JO, {"reward": "score"}, "reward='score'; give one of 'points', 'win'"),
        (JO, {"render_mode": "svg"}, "render_mode='svg'"),
        (RUMMY_BO, {"seats": 7}, "seats=7"),
        (RUMMY_BO, {"hands": 0}, "hands=0"),
        (RUMMY_BO, {"max_turns": 0}, "max_turns=0"),
        (RUMMY_BO, {"reward": "score"}, "reward='score'"),
        (RUMMY_BO, {"render_mode": "svg"}, "render_mode='svg'"),
    ],
)
def test_bad_settings(game, settings, words):
    with pytest.raises(SettingsError, match=words):
        game.module.env(**settings)


# --- illegal actions ------------------------------------------------------------------------------


@at_all_seats
def test_illegal_actions_raise_and_change_nothing(game, seats):
    env = make(game, seats=seats)
    end = game.room.NUM_ACTIONS
    for _ in range(60):
        before = env.unwrapped.snapshot(), env.agent_selection
        mask = env.last()[0]["action_mask"]
        illegal = [*np.flatnonzero(mask == 0)[::37], -1, end, 10**12, None, 2.0, "2", True, [2]]
        illegal += [np.array(x) for x in (-1, end, 2.0, True, [2])]
        for action in illegal:
            with pytest.raises(IllegalActionError):
                env.step(action)
        assert (env.unwrapped.snapshot(), env.agent_selection) == before
        assert (env.last()[0]["action_mask"] == mask).all()
        play(env, 1)


def test_an_illegal_action_is_explained():
    env = JO.module.env()
    env.reset(seed=1, options={"dealer": 0})
    with pytest.raises(
        IllegalActionError, match=r"player_2 may not play 2 \(draw stock\); legal now: 0 pass, 1 buy"
    ):
        env.step(2)
    with pytest.raises(IllegalActionError, match="None is no action; give an integer from 0 to 431"):
        env.step(None)
    env = RUMMY_BO.module.env()
    env.reset(seed=1, options={"dealer": 0})
    with pytest.raises(
        IllegalActionError, match=r"player_1 may not play 2 \(take discard\); legal now: 0 draw stock"
    ):
        env.step(2)


@both
def test_numpy_integers_are_actions(game):
    for kind in (np.int8, np.int64, np.uint16, np.array):
        env = make(game)
        env.step(kind(env.last()[0]["action_mask"].argmax()))
        assert len(env.unwrapped.events) == 1


# --- snapshots and copies -------------------------------------------------------------------------

POSITIONS = {
    "buy": lambda game: game.phase == Phase.BUY and game.turns > 3,
    "requests": lambda game: game.phase == Phase.BUY and game.num_requests > 0,
    "draw": lambda game: game.phase == Phase.DRAW and game.turns > 5,
    "taken": lambda game: game.phase == Phase.PLAY and game.taken >= 0,
    "go-down begun": lambda game: game.groups_laid == 1,
    "down": lambda game: game.phase == Phase.PLAY and game.public["down"].sum() >= 2,
    "second hand": lambda game: game.num_finished == 1 and game.turns > 2,
    "recycled": lambda game: game.turns > 60 and game.discard_size < 10,
    "over": lambda game: game.phase == Phase.OVER,
}


BO_POSITIONS = {
    "draw": lambda game: game.phase == rummy_bo.Phase.DRAW and game.turns > 5,
    "taken": lambda game: game.phase == rummy_bo.Phase.PLAY and game.taken > 0,
    "laid": lambda game: game.laid > 0 and game.laid_off == 0,
    "laid off": lambda game: game.laid > 0 and game.laid_off > 0,
    "melded": lambda game: game.public["has_melded"].sum() >= 2,
    "turned over": lambda game: game.turned_over and game.stock_size > 1,
    "second hand": lambda game: game.num_finished == 1 and game.turns > 2,
    "over": lambda game: game.phase == rummy_bo.Phase.OVER,
}
BOTH_POSITIONS = [(JO, name) for name in POSITIONS] + [(RUMMY_BO, name) for name in BO_POSITIONS]


@pytest.mark.parametrize(("game", "position"), BOTH_POSITIONS, ids=str)
def test_snapshot_brings_a_table_back_exactly(game, position):
    settings = {"rounds": (2, 1, 6)} if game is JO else {"hands": 3}
    reached = (POSITIONS if game is JO else BO_POSITIONS)[position]
    env = play_until(make(game, seed=11, **settings), reached)
    snapshot = json.loads(json.dumps(env.unwrapped.snapshot()))
    copied = make(game, seed=99, **settings)
    play(copied, 7)
    copied.unwrapped.restore(snapshot)
    assert copied.unwrapped.snapshot() == snapshot
    assert copied.agents == env.agents
    assert copied.agent_selection == env.agent_selection
    assert copied.terminations == env.terminations
    for agent in env.agents:
        assert copied.unwrapped.view(agent) == env.unwrapped.view(agent)
        seen, expected = copied.observe(agent), env.observe(agent)
        assert all((seen[key] == expected[key]).all() for key in expected)
    if position != "over":
        # What was earned before the snapshot was paid out then; from here on the two are one.
        env.unwrapped._cumulative_rewards = dict.fromkeys(env.agents, 0.0)
        assert play(copied, 1500) == play(env, 1500)


@both
def test_restore_before_the_first_reset(game):
    snapshot = play_until(make(game, seats=2), lambda record: record.taken > 0).unwrapped.snapshot()
    env = game.module.raw_env(seats=2)
    env.restore(snapshot)
    assert env.snapshot() == snapshot
    env.step(int(env.last()[0]["action_mask"].argmax()))


def test_settings_of_a_snapshot_hold_until_the_next_reset():
    env = make(JO, seats=2, rounds=(1, 2), decks=2)
    env.unwrapped.restore(make(JO, seats=2, rounds=(7,), decks=3).unwrapped.snapshot())
    assert env.unwrapped.snapshot()["rules"]["decks"] == 3
    env.reset(seed=0)
    assert env.unwrapped.snapshot() == make(JO, seats=2, rounds=(1, 2)).unwrapped.snapshot()


GAME_OF = {str(game): game for game in (JO, RUMMY_BO)}


def broken(**changes):
    return lambda snapshot: snapshot | changes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (broken(seats=3), "."),
        (broken(game="whist"), "game: 'whist'; this is '(jo|rummy_bo)'"),
        (broken(stock=[]), "with 2 packs each card must be there 2 times|is nowhere; the table holds one"),
        (broken(acting=7), "acting: 7"),
        (lambda snapshot: None, "None is no table"),
        (
            lambda snapshot: make(GAME_OF[snapshot["game"]], seats=3).unwrapped.snapshot(),
            "3 in the snapshot, but this environment has 4",
        ),
    ],
)
@both
def test_a_bad_snapshot_changes_nothing(game, change, words):
    env = make(game)
    play(env, 31)
    before = env.unwrapped.snapshot(), env.agent_selection
    with pytest.raises(TableError, match=words):
        env.unwrapped.restore(change(env.unwrapped.snapshot()))
    assert (env.unwrapped.snapshot(), env.agent_selection) == before


@both
def test_no_table_before_the_first_reset(game):
    env = game.module.raw_env()
    with pytest.raises(TableError, match=r"no game has begun; call reset\(\) first"):
        env.snapshot()
    for call in (lambda: env.view("player_0"), lambda: env.observe("player_0"), lambda: env.step(0)):
        with pytest.raises(TableError, match="no game has begun"):
            call()


def test_unknown_agent():
    env = make(JO, seats=2)
    with pytest.raises(SettingsError, match="'player_2' is no agent here; give one of player_0, player_1"):
        env.observe("player_2")


def test_events_are_those_of_the_current_hand():
    env = make(JO, seats=2, rounds=(1, 1), max_turns=3)
    env.step(env.last()[0]["action_mask"].argmax())
    assert env.unwrapped.snapshot()["events"] == [
        {"event": "pass", "seat": int(env.unwrapped.games[0].dealer)}
    ]
    play_until(env, lambda game: game.num_finished == 1)
    assert env.unwrapped.snapshot()["events"] == []
    play_until(env, lambda game: game.phase == Phase.OVER)
    events = env.unwrapped.snapshot()["events"]
    assert [event["event"] for event in events].count("discard") == 3


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
@both
def test_a_copy_plays_on_by_itself(game, copied):
    env = play_until(make(game, seed=4), lambda record: record.taken > 0)
    other = copied(env)
    story = play(other, 300)
    before = env.unwrapped.snapshot()
    assert play(env, 300) == story
    assert env.unwrapped.snapshot() != before
    assert other.unwrapped.games is not env.unwrapped.games


# --- what a seat may know -------------------------------------------------------------------------


def redeal(games: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same table with the cards that the seat asked cannot see dealt anew."""
    games = games.copy()
    game = games[0]
    others = [seat for seat in range(game.num_seats) if seat != game.acting]
    unknown = {seat: game.own[seat].hand - game.public[seat].known for seat in others}
    pool = [face for seat in others for face in np.repeat(np.arange(52), unknown[seat])]
    pool = rng.permutation([*pool, *game.stock[: game.stock_size]])
    for seat in others:
        size = unknown[seat].sum()
        game.own[seat].hand[:] = game.public[seat].known + np.bincount(pool[:size], minlength=52)
        count_hand(game.own[seat])
        pool = pool[size:]
    game.stock[: len(pool)] = pool
    return games


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hidden_cards_leave_view_mask_and_observation_as_they_were(seats):
    rng = np.random.default_rng(seats)
    env = make(JO, seed=seats, seats=seats, rounds=(2, 5))
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    for _ in range(500):
        games = redeal(env.unwrapped.games, rng)
        jo.observe(games, views, masks)
        assert views.tobytes() == env.unwrapped.views.tobytes()
        assert (masks == env.unwrapped.masks).all()
        seat, events = int(games[0].acting), env.unwrapped.events
        assert jo.view_json(games[0], seat, events) == env.unwrapped.view(env.agent_selection)
        play(env, 1)
