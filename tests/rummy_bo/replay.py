"""Prints a digest of fixed games: run in other processes, where the engine is built in other ways.

python -m rummy_bo.replay NUM_GAMES NUM_STEPS
"""

import hashlib
import sys

import numpy as np

from jo_env import rummy_bo
from rummy_bo.playing import Play


def digest(num_games: int, num_steps: int) -> str:
    """A hash of what 2, 4 and 6 seats see, may do and do, of what is told, and of the tables at the end."""
    result = hashlib.sha256()
    for seats in (2, 4, 6):
        rewards = np.zeros((num_games, seats), np.float32)
        play = Play(num_games, seats=seats, seed=seats, max_turns=40, hands=3)
        for _ in range(num_steps):
            for array in (play.views, play.masks, play.choose()):
                result.update(array.tobytes())
            play.step()
            result.update(repr([rummy_bo.news(game) for game in play.games]).encode())
            for reward in (rummy_bo.points_rewards, rummy_bo.win_rewards):
                reward(play.games, play.hand_ended, rewards)
                result.update(rewards.tobytes())
            rummy_bo.deal_anew(play.games)
            play.observe()
        result.update(repr([rummy_bo.snapshot(game, []) for game in play.games]).encode())
    return result.hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1]), int(sys.argv[2])))
