"""The batched environment: many games at a time, dealt anew within the step that ends them."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from players import pick

from jo_env import JoVectorEnv, jo, jo_v0
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


def test_shapes_and_spaces():
    envs = JoVectorEnv(5, seats=3)
    observations, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert observations["observation"].shape == (5, jo.OBSERVATION_SIZE)
    observations, rewards, terminations, truncations, infos = envs.step(picks(observations))
    assert envs.observation_space.contains(observations)
    assert observations["action_mask"].shape == (5, jo.NUM_ACTIONS)
    assert (rewards.dtype, rewards.shape) == (np.float32, (5, 3))
    assert terminations.shape == truncations.shape == infos["hand_ended"].shape == (5,)
    assert terminations.dtype == truncations.dtype == infos["hand_ended"].dtype == bool
    assert (infos["seat"] == envs.games["acting"]).all()


def test_autoreset_step_by_step():
    """A hand of one turn: buy windows, a draw, a discard; with the discard the next game is dealt."""
    envs = JoVectorEnv(2, seats=2, rounds=(1,), max_turns=1)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    _, infos = envs.reset(seed=3)
    aecs = [jo_v0.env(seats=2, rounds=(1,), max_turns=1) for _ in range(2)]
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
def test_rewards_sum_to_zero(reward):
    envs = JoVectorEnv(8, seats=3, rounds=(1, 2), max_turns=30, reward=reward)
    observations, _ = envs.reset(seed=0)
    num_paid = 0
    for _ in range(400):
        observations, rewards, terminations, _, infos = envs.step(picks(observations))
        assert np.abs(rewards.sum(1)).max() < 1e-6
        paid = rewards.any(1)
        assert (paid == (infos["hand_ended"] if reward == "points" else terminations)).all()
        num_paid += paid.sum()
    assert num_paid > 10


def test_no_games_before_the_first_reset():
    with pytest.raises(TableError, match=r"no games have begun; call reset\(\) first"):
        JoVectorEnv(2, seats=2).step(np.zeros(2, np.int64))


def test_illegal_actions_name_the_game_and_change_nothing():
    envs = JoVectorEnv(3, seats=4)
    observations, _ = envs.reset(seed=2)
    before = envs.games.tobytes()
    actions = picks(observations)
    for wrong in (actions[2] + 390, -1, 432, 2**40):
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
def test_bad_settings(settings, words):
    with pytest.raises(SettingsError, match=words):
        JoVectorEnv(**({"num_envs": 2} | settings))


def test_seeds():
    envs = JoVectorEnv(3)
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


def test_there_are_no_options():
    envs = JoVectorEnv(2)
    envs.reset(1, options={})
    before = envs.games.tobytes()
    for options, words in (
        ({"dealer": 1}, "options: 'dealer' is unknown; there are no options"),
        ("x", "='x'"),
    ):
        with pytest.raises(SettingsError, match=words):
            envs.reset(seed=2, options=options)
    assert envs.games.tobytes() == before


def test_an_unseeded_reset_deals_the_next_games():
    envs, aec = JoVectorEnv(2), jo_v0.env()
    observations, _ = envs.reset(seed=7)
    play(envs, 10, observations)
    observations, _ = envs.reset()
    aec.reset(seed=8)
    aec.reset()
    assert (observations["observation"][1] == aec.last()[0]["observation"]).all()
    first, _ = JoVectorEnv(1).reset()
    other, _ = JoVectorEnv(1).reset()
    assert (first["observation"] != other["observation"]).any()


@pytest.mark.parametrize("settings", [{"num_threads": 3}, {"copy": False}], ids=str)
def test_threads_and_windows_play_the_same(settings):
    plain, other = (
        JoVectorEnv(7, rounds=(2,), max_turns=20),
        JoVectorEnv(7, rounds=(2,), max_turns=20, **settings),
    )
    story = play(plain, 150, plain.reset(seed=5)[0])
    assert play(other, 150, other.reset(seed=5)[0]) == story
    other.close()


def test_copies_are_the_callers_to_keep_and_windows_are_not():
    for is_copy in (True, False):
        envs = JoVectorEnv(2, copy=is_copy)
        observations, _ = envs.reset(seed=0)
        before = copy.deepcopy(observations)
        envs.step(picks(observations))
        assert (observations["observation"] == before["observation"]).all() == is_copy
        assert np.shares_memory(observations["action_mask"], envs.masks) != is_copy


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))], ids=["deepcopy", "pickle"]
)
def test_a_copy_plays_on_by_itself(copied):
    envs = JoVectorEnv(3, num_threads=2)
    observations, _ = envs.reset(seed=1)
    play(envs, 20, observations)
    other = copied(envs)
    seen = {"observation": envs._observations.copy(), "action_mask": envs.masks.copy()}
    assert play(other, 40, seen) == play(envs, 40, seen)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hidden_hands_are_those_of_the_other_seats(seats):
    envs = JoVectorEnv(6, seats=seats)
    observations, infos = envs.reset(seed=9)
    for _ in range(60):
        observations, _, _, _, infos = envs.step(picks(observations))
    hidden = envs.hidden_hands()
    assert (hidden.dtype, hidden.shape) == (np.int8, (6, 3, 52))
    for i, seat in enumerate(infos["seat"]):
        for r in range(1, seats):
            assert (hidden[i, r - 1] == envs.games[i].own[(seat + r) % seats].hand).all()
        assert not hidden[i, seats - 1 :].any()
