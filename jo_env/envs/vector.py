"""Many games at a time, one decision in each per step, for training."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from jo_env.checks import is_int
from jo_env.envs.table import (
    check_reward,
    check_seed,
    make_observation_space,
    random_seed,
    read_options,
    write_rewards,
)
from jo_env.errors import IllegalActionError, SettingsError, TableError
from jo_env.jit import jit
from jo_env.records import zeroed

METADATA: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}


@jit
def first_illegal(masks, actions, checked):
    """The first game whose action its mask forbids, or -1; legal actions are copied into `checked`."""
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
            return i
        checked[i] = action
    return -1


class TableVectorEnv(VectorEnv):
    """`num_envs` games; a step takes one action per game, of the seat asked in it.

    Public arrays, one row per game: `games` GAME[N], `views` VIEW[N] and `masks` int8[N, NUM_ACTIONS]
    of the seat asked. A game that ends is dealt anew within the same step, so observation, mask and
    seat are then those of the next game, while rewards and termination are those of the finished one.

    Game i of a batch reset with seed s plays what the AEC environment plays from `reset(seed=s + i)`
    and, after its end, from `reset()`.

    With `copy=False` the observations and masks handed out are windows into those arrays, which the
    next step overwrites. `num_threads` shares the games out among threads; play is the same.
    """

    room: ModuleType
    metadata = METADATA

    def __init__(
        self,
        num_envs: int,
        reward: str = "points",
        copy: bool = True,
        num_threads: int = 1,
        **settings: Any,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("num_threads", num_threads)):
            if not is_int(value) or value < 1:
                raise SettingsError(f"{name}={value!r}; give a whole number from 1 on")
        self.reward = check_reward(reward)
        self.copy = copy
        self.num_envs = int(num_envs)
        self.num_threads = min(num_threads, num_envs)
        self.games = self.room.new_games(num_envs, **settings)
        self.views = zeroed(num_envs, self.room.VIEW)
        self.masks = np.zeros((num_envs, self.room.NUM_ACTIONS), np.int8)
        self.num_seats = int(self.games["num_seats"][0])
        self._actions = np.zeros(num_envs, np.int32)
        self._hand_ended = np.zeros(num_envs, np.int8)
        self._has_games = False
        self.single_observation_space = make_observation_space(self.room)
        self.single_action_space = spaces.Discrete(self.room.NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._attach()

    def _attach(self) -> None:
        """Windows into the arrays above, and the threads."""
        self._acting = self.games["acting"]
        rows = self.views.view(np.int8).reshape(self.num_envs, -1)
        self._observations = rows[:, : self.room.OBSERVATION_SIZE]
        bounds = np.linspace(0, self.num_envs, self.num_threads + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(self.num_threads) if self.num_threads > 1 else None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()

    def _run(self, function: Callable, *arrays: np.ndarray) -> None:
        """Call a function of the engine on all games, in as many parts as there are threads."""
        if self._pool is None:
            function(*arrays)
        else:
            calls = [self._pool.submit(function, *(a[part] for a in arrays)) for part in self._parts]
            for call in calls:
                call.result()

    def reset(
        self, seed: int | Sequence[int] | None = None, *, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Begin every game: game i from seed + i, from its own if a list is given, or the next ones.

        There are no options. Raises `SettingsError` for seeds that are none, and for any option.
        """
        read_options(options)
        if seed is None and self._has_games:
            self.games["phase"] = self.room.Phase.OVER
            self._run(self.room.deal_anew, self.games)
        else:
            self._run(self.room.start, self.games, self._seeds(seed), self._no_dealers())
        self._has_games = True
        self._hand_ended[:] = 0
        return self._look()

    def _seeds(self, seed: Any) -> np.ndarray:
        is_list = isinstance(seed, Sequence) or (isinstance(seed, np.ndarray) and seed.ndim > 0)
        if not is_list:
            first = random_seed() if seed is None else check_seed(seed)
            return np.uint64(first) + np.arange(self.num_envs, dtype=np.uint64)
        if len(seed) != self.num_envs:
            raise SettingsError(f"seed: {len(seed)} seeds for {self.num_envs} games")
        return np.array([check_seed(s) for s in seed], np.uint64)

    def _no_dealers(self) -> np.ndarray:
        return np.full(self.num_envs, self.room.NOBODY)

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Play `actions`, integers [N]. Raises `IllegalActionError` and changes nothing if one is illegal.

        Returns observations {"observation": int8[N, OBSERVATION_SIZE], "action_mask": int8[N,
        NUM_ACTIONS]}, rewards float32[N, seats], terminations bool[N], truncations bool[N] (always
        False) and infos {"seat": int32[N], the seats asked now; "hand_ended": bool[N]}.
        """
        if not self._has_games:
            raise TableError("no games have begun; call reset() first")
        self._check(actions)
        self._run(self.room.step, self.games, self._actions, self._hand_ended)
        rewards = np.zeros((self.num_envs, self.num_seats), np.float32)
        terminations = self._acting == self.room.NOBODY
        if self._hand_ended.any():
            write_rewards(self.room, self.reward, self.games, self._hand_ended, rewards)
            self._run(self.room.deal_anew, self.games)
        observations, infos = self._look()
        return observations, rewards, terminations, np.zeros(self.num_envs, bool), infos

    def _check(self, actions: Any) -> None:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions: {given.dtype}{list(given.shape)}; give integers, one for each of the "
                f"{self.num_envs} games"
            )
        i = first_illegal(self.masks, given.astype(np.int64), self._actions)
        if i >= 0:
            what = self.room.describe_illegal(self.games[i], int(given[i]), self.masks[i])
            raise IllegalActionError(f"game {i}: {what}")

    def _look(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        self._run(self.room.observe, self.games, self.views, self.masks)
        observations = {"observation": self._observations, "action_mask": self.masks}
        if self.copy:
            observations = {name: array.copy() for name, array in observations.items()}
        return observations, {"seat": self._acting.copy(), "hand_ended": self._hand_ended.astype(bool)}

    def hidden_hands(self) -> np.ndarray:
        """The other seats' hands, copies of each face int8[N, MAX_SEATS - 1, 52], leftwards.

        Counted from the seat asked, empty seats last and zero. No player may see this: it is for a
        critic in training.
        """
        hands = np.zeros((self.num_envs, self.room.MAX_SEATS - 1, 52), np.int8)
        self._run(self.room.hidden_hands, self.games, hands)
        return hands

    def close_extras(self, **kwargs: Any) -> None:
        if self._pool is not None:
            self._pool.shutdown()
