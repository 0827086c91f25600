"""The batched environment: many games at a time, dealt anew within the step that ends them."""

import copy
import pickle

import numpy as np
import pytest
from games import JO, at_all_seats, both
from gymnasium.vector import AutoresetMode
from players import pick

from jo_env.cards import FACE_NAMES
from jo_env.errors import IllegalActionError, SettingsError, TableError


def picks(observations):
    return np.array([pick(*row) for row in zip(*observations.values(), strict=True)])


def play(envs, num_steps, observations):
    """Play `pick` in every game; all that was returned, as bytes."""
    story = []
    for _ in range(num_steps):
        observations, rewards, terminations, truncations, infos = envs.step(picks(observations))
        story.append([a.tobytes() for a in (*observations.values(), rewards, terminations, infos["seat"])])
        assert not truncations.any()
    return story


@both
def test_shapes_and_spaces(game):
    envs = game.vector(5, seats=3)
    observations, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert observations["observation"].shape == (5, game.room.OBSERVATION_SIZE)
    observations, rewards, terminations, truncations, infos = envs.step(picks(observations))
    assert envs.observation_space.contains(observations)
    assert observations["action_mask"].shape == (5, game.room.NUM_ACTIONS)
    assert (rewards.dtype, rewards.shape) == (np.float32, (5, 3))
    assert terminations.shape == truncations.shape == infos["hand_ended"].shape == (5,)
    assert terminations.dtype == truncations.dtype == infos["hand_ended"].dtype == bool
    assert (infos["seat"] == envs.games["acting"]).all()


def test_autoreset_step_by_step():
    """A hand of one turn: buy windows, a draw, a discard; with the discard the next game is dealt."""
    envs = JO.vector(2, seats=2, **JO.one_turn)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    _, infos = envs.reset(seed=3)
    aecs = [JO.module.env(seats=2, **JO.one_turn) for _ in range(2)]
    for i, aec in enumerate(aecs):
        aec.reset(seed=3 + i)
    # The dealer is asked to buy and passes, the other seat draws and throws a card.
    for phase in ("buy", "draw", "play"):
        assert [aec.unwrapped.snapshot()["phase"] for aec in aecs] == [phase] * 2
        actions = np.array([aec.last()[0]["action_mask"].argmax() for aec in aecs])
        observations, rewards, terminations, _, infos = envs.step(actions)
        for aec, action in zip(aecs, actions, strict=True):
            aec.step(action)
        assert terminations.tolist() == infos["hand_ended"].tolist() == [phase == "play"] * 2
    # Rewards are of the game that ended; observation, mask and seat are of the one that begins.
    for i, aec in enumerate(aecs):
        assert rewards[i].tolist() == list(aec.rewards.values())
        assert rewards[i].any()
        aec.reset()
        assert aec.agent_selection == f"player_{infos['seat'][i]}"
        seen = aec.last()[0]
        assert all((observations[key][i] == seen[key]).all() for key in seen)
    _, rewards, terminations, _, infos = envs.step(picks(observations))
    assert not rewards.any()
    assert not terminations.any()
    assert not infos["hand_ended"].any()


@pytest.mark.parametrize("reward", ["points", "win"])
@both
def test_rewards_sum_to_zero(game, reward):
    envs = game.vector(8, seats=3, reward=reward, **game.short)
    observations, _ = envs.reset(seed=0)
    num_paid = 0
    for _ in range(400):
        observations, rewards, terminations, _, infos = envs.step(picks(observations))
        # In a dead hand of Rummy Bo all seats lose: only there do points not sum to zero.
        zero = np.abs(rewards.sum(1)) < 1e-6
        assert zero.all() or (game is not JO and reward == "points" and (rewards[~zero] <= 0).all())
        paid = rewards.any(1)
        assert (paid == (infos["hand_ended"] if reward == "points" else terminations)).all()
        num_paid += paid.sum()
    assert num_paid > 10


@both
def test_no_games_before_the_first_reset(game):
    with pytest.raises(TableError, match=r"no games have begun; call reset\(\) first"):
        game.vector(2, seats=2).step(np.zeros(2, np.int64))


@both
def test_illegal_actions_name_the_game_and_change_nothing(game):
    envs = game.vector(3, seats=4)
    observations, _ = envs.reset(seed=2)
    before = envs.games.tobytes()
    actions = picks(observations)
    num_actions = game.room.NUM_ACTIONS
    for wrong in (int(np.flatnonzero(observations["action_mask"][2] == 0)[-1]), -1, num_actions, 2**40):
        bad = actions.copy()
        bad[2] = wrong
        with pytest.raises(IllegalActionError, match=f"game 2: .*{wrong}"):
            envs.step(bad)
    for bad in (actions[:2], actions.astype(float), actions[:, None], None, [True] * 3):
        with pytest.raises(IllegalActionError, match="give integers, one for each of the 3 games"):
            envs.step(bad)
    assert envs.games.tobytes() == before
    envs.step(actions.tolist())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 2.0}, "num_envs=2.0"),
        ({"num_threads": 0}, "num_threads=0"),
        ({"seats": 1}, "seats=1"),
        ({"reward": ""}, "reward=''"),
    ],
)
@both
def test_bad_settings(game, settings, words):
    with pytest.raises(SettingsError, match=words):
        game.vector(**({"num_envs": 2} | settings))


@both
def test_seeds(game):
    envs = game.vector(3)
    counted, _ = envs.reset(seed=40)
    listed, _ = envs.reset(seed=[40, 41, 42])
    assert (counted["observation"] == listed["observation"]).all()
    for seed in (40, np.array([40, 41, 42])):
        given, _ = envs.reset(seed)
        assert (given["observation"] == listed["observation"]).all()
    with pytest.raises(SettingsError, match="2 seeds for 3 games"):
        envs.reset(seed=[1, 2])
    for seed in (-1, 1.5, [1, 2, -1], np.array(40), np.zeros(3)):
        with pytest.raises(SettingsError, match="seed="):
            envs.reset(seed)


@both
def test_there_are_no_options(game):
    envs = game.vector(2)
    envs.reset(1, options={})
    before = envs.games.tobytes()
    for options, words in (
        ({"dealer": 1}, "options: 'dealer' is unknown; there are no options"),
        ("x", "='x'"),
    ):
        with pytest.raises(SettingsError, match=words):
            envs.reset(seed=2, options=options)
    assert envs.games.tobytes() == before


@both
def test_an_unseeded_reset_deals_the_next_games(game):
    envs, aec = game.vector(2), game.module.env()
    observations, _ = envs.reset(seed=7)
    play(envs, 10, observations)
    observations, _ = envs.reset()
    aec.reset(seed=8)
    aec.reset()
    assert (observations["observation"][1] == aec.last()[0]["observation"]).all()
    first, _ = game.vector(1).reset()
    other, _ = game.vector(1).reset()
    assert (first["observation"] != other["observation"]).any()


@pytest.mark.parametrize("settings", [{"num_threads": 3}, {"copy": False}], ids=str)
@both
def test_threads_and_windows_play_the_same(game, settings):
    plain, other = (
        game.vector(7, **game.short),
        game.vector(7, **game.short, **settings),
    )
    story = play(plain, 150, plain.reset(seed=5)[0])
    assert play(other, 150, other.reset(seed=5)[0]) == story
    other.close()


@both
def test_copies_are_the_callers_to_keep_and_windows_are_not(game):
    for is_copy in (True, False):
        envs = game.vector(2, copy=is_copy)
        observations, _ = envs.reset(seed=0)
        before = copy.deepcopy(observations)
        envs.step(picks(observations))
        assert (observations["observation"] == before["observation"]).all() == is_copy
        assert np.shares_memory(observations["action_mask"], envs.masks) != is_copy


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))], ids=["deepcopy", "pickle"]
)
@both
def test_a_copy_plays_on_by_itself(game, copied):
    envs = game.vector(3, num_threads=2)
    observations, _ = envs.reset(seed=1)
    play(envs, 20, observations)
    other = copied(envs)
    seen = {"observation": envs._observations.copy(), "action_mask": envs.masks.copy()}
    assert play(other, 40, seen) == play(envs, 40, seen)


@at_all_seats
def test_hidden_hands_are_those_of_the_other_seats(game, seats):
    envs = game.vector(6, seats=seats)
    observations, infos = envs.reset(seed=9)
    for _ in range(60):
        observations, _, _, _, infos = envs.step(picks(observations))
    hidden = envs.hidden_hands()
    assert (hidden.dtype, hidden.shape) == (np.int8, (6, game.room.MAX_SEATS - 1, 52))
    for i, seat in enumerate(infos["seat"]):
        hands = game.room.snapshot(envs.games[i], [])["hands"]
        for r in range(1, seats):
            cards = [FACE_NAMES[face] for face in range(52) for _ in range(hidden[i, r - 1, face])]
            assert cards == hands[(seat + r) % seats]
        assert not hidden[i, seats - 1 :].any()
