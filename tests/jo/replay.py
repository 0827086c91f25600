"""Prints a digest of fixed games: run in other processes, where the engine is built in other ways.

python replay.py NUM_GAMES NUM_STEPS
"""

import hashlib
import sys

import numpy as np
from playing import Play

from jo_env import jo


def digest(num_games: int, num_steps: int) -> str:
    """A hash of what 2, 3 and 4 seats see, may do and do, of what is told, and of the tables at the end."""
    result = hashlib.sha256()
    rewards = np.zeros((num_games, 4), np.float32)
    for seats in (2, 3, 4):
        play = Play(num_games, seats=seats, seed=seats, max_turns=40, rounds=(2, 4, 7))
        for _ in range(num_steps):
            for array in (play.views, play.masks, play.choose()):
                result.update(array.tobytes())
            play.step()
            result.update(repr([jo.news(game) for game in play.games]).encode())
            for reward in (jo.points_rewards, jo.win_rewards):
                reward(play.games, play.hand_ended, rewards)
                result.update(rewards.tobytes())
            jo.deal_anew(play.games)
            play.observe()
        result.update(repr([jo.snapshot(game, []) for game in play.games]).encode())
    return result.hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1]), int(sys.argv[2])))
