"""One game from one seed: the same alone, in a batch, against bots, threaded and uncompiled."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from games import GAMES, at_all_seats, both
from players import PickBot, pick

NUM_DECISIONS = 500


def aec_story(game, seats, seed, num_decisions=NUM_DECISIONS):
    """(seat, observation, mask, action, rewards that followed), over several games."""
    env = game.module.env(seats=seats, **game.short)
    env.reset(seed=seed)
    story = []
    for _ in range(num_decisions):
        observation, _, is_over, _, _ = env.last()
        if is_over:
            env.reset()
            observation = env.last()[0]
        seat = int(env.agent_selection.removeprefix("player_"))
        seen, mask = observation["observation"], observation["action_mask"]
        action = pick(seen, mask)
        env.step(action)
        story.append((seat, seen.tobytes(), mask.tobytes(), action, tuple(env.rewards.values())))
    return story


def vector_stories(game, num_envs, seats, seed, **settings):
    envs = game.vector(num_envs, seats=seats, **game.short, **settings)
    observations, infos = envs.reset(seed=seed)
    stories = [[] for _ in range(num_envs)]
    for _ in range(NUM_DECISIONS):
        seen = [(o.copy(), m.copy()) for o, m in zip(*observations.values(), strict=True)]
        seats_asked = infos["seat"]
        actions = np.array([pick(*row) for row in seen])
        observations, rewards, _, _, infos = envs.step(actions)
        for i, story in enumerate(stories):
            row = [array.tobytes() for array in seen[i]]
            story.append((int(seats_asked[i]), *row, int(actions[i]), tuple(rewards[i].tolist())))
    return stories


def digest(story):
    return hashlib.sha256(repr(story).encode()).hexdigest()


@at_all_seats
def test_a_game_is_the_same_alone_and_in_any_batch(game, seats):
    alone = [aec_story(game, seats, seed) for seed in (20, 21, 22, 23, 24)]
    assert vector_stories(game, 1, seats, 20) == alone[:1]
    assert vector_stories(game, 5, seats, 20) == alone
    assert vector_stories(game, 3, seats, 22, num_threads=2, copy=False) == alone[2:]


@pytest.mark.parametrize("seats", [2, 4])
@both
def test_a_learner_against_bots_plays_the_same_game(game, seats):
    """With the same player in every seat, the learner sees what its seat sees in the AEC game."""
    env = gymnasium.make(game.name, seats=seats, opponents=PickBot(), seat=1, **game.short)
    observation, info = env.reset(seed=30)
    expected = aec_story(game, seats, 30, num_decisions=300)
    own, earned = [], 0.0
    for seat, seen, mask, action, rewards in expected:
        if seat == 1:
            own.append([seen, mask, action, earned])
            earned = 0.0
        earned += rewards[1]
    reward = 0.0
    for seen, mask, action, paid in own:
        assert observation["observation"].tobytes() == seen
        assert info["action_mask"].tobytes() == mask
        assert reward == pytest.approx(paid)
        observation, reward, is_over, _, info = env.step(action)
        if is_over:
            observation, info = env.reset()


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_uncompiled_code_plays_the_same_game(number):
    root = Path(__file__).parents[2]
    code = f"from test_agreement import *; print(digest(aec_story(GAMES[{number}], 3, 40, 120)))"
    expected = digest(aec_story(GAMES[number], 3, 40, 120))
    path = os.pathsep.join([str(root), str(root / "tests" / "envs")])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == expected, run.stderr
