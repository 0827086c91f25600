"""Simple players for the tests of the environments."""

import zlib
from typing import Any

import numpy as np
from games import GAMES

from jo_env.bots import BatchBot

FIRST_LAY, NUM_DISCARDS = 4, 52  # in both games four ways to begin, then lays, and the discards last


def pick(observation: np.ndarray, mask: np.ndarray) -> int:
    """Lay and lay off whenever possible, else a legal action that follows from what is seen."""
    legal = np.flatnonzero(mask)
    lays = legal[(legal >= FIRST_LAY) & (legal < len(mask) - NUM_DISCARDS)]
    return int(lays[0] if len(lays) else legal[zlib.crc32(observation.tobytes()) % len(legal)])


class PickBot(BatchBot):
    """`pick` as a bot for many views at a time."""

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        (size,) = (game.room.OBSERVATION_SIZE for game in GAMES if game.room.VIEW == views.dtype)
        seen = views.view(np.int8).reshape(len(views), -1)[:, :size]
        return np.array([pick(*rows) for rows in zip(seen, masks, strict=True)], np.int32)


class JsonPickBot:
    """The same bot behind the JSON protocol and nothing else."""

    def __init__(self) -> None:
        self._bot = PickBot()

    def act(self, view: dict[str, Any]) -> dict[str, Any]:
        return self._bot.act(view)


class LuckyBot(BatchBot):
    """A random legal action, from the seeds alone."""

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        rows = zip(masks, seeds, strict=True)
        return np.array([np.random.default_rng(s).choice(np.flatnonzero(m)) for m, s in rows], np.int32)


def play(env: Any, num_decisions: int) -> list[tuple]:
    """Play `pick` for every agent, on into further games; everything that was seen and done."""
    story = []
    for _ in range(num_decisions):
        observation, reward, is_over, _, _ = env.last()
        if is_over:
            while env.agents:
                env.step(None)
            env.reset()
            observation, reward, _, _, _ = env.last()
        action = pick(observation["observation"], observation["action_mask"])
        seen = observation["observation"].tobytes(), observation["action_mask"].tobytes()
        story.append((env.agent_selection, *seen, reward, action))
        env.step(action)
    return story


def play_until(env: Any, is_reached: Any, limit: int = 5000) -> Any:
    """Play `pick` until a condition on the game record holds; returns the environment."""
    for _ in range(limit):
        if is_reached(env.unwrapped.games[0]):
            return env
        play(env, 1)
    raise AssertionError("the position was not reached")
