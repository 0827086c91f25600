"""The Gymnasium environment: one seat learns, bots hold the others."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from jo_env.bots import BatchBot, Bot, chosen_actions, illegal_move, is_batched, make_bot
from jo_env.checks import is_int
from jo_env.envs.table import Table, check_seed, make_observation_space
from jo_env.errors import IllegalActionError, SettingsError


class SampledAction(np.int64):
    """An action that stands for any random one. Where it is not legal, `SeatEnv.step` draws another.

    Gymnasium's checker samples before it resets, and so cannot know what will be legal.
    """


class LegalActions(spaces.Discrete):
    """All actions, of which `sample()` draws one that is legal now, unless it is told how to."""

    def __init__(self, masks: np.ndarray) -> None:
        super().__init__(masks.shape[1])
        self.masks = masks

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is None and probability is None:
            return SampledAction(super().sample(self.masks[0]))
        return super().sample(mask, probability)


class SeatEnv(Table, gymnasium.Env):
    """A game from one seat's side; a step ends where that seat is asked again, or with the game.

    `opponents` is a bot for all other seats or a list of one for each, from the learner's left: names,
    `policy:PATH`, `module:Class` or objects (jo_env/bots.py). `seat` is the learner's, drawn anew in
    each game if None. The reward of a step is all that the seat earned since its last decision. The
    luck of the bots, like the seat, comes from `np_random`, so a seed fixes the whole game.
    """

    def __init__(
        self,
        opponents: Any = "planner",
        seat: int | None = None,
        reward: str = "points",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(reward, render_mode, settings)
        if seat is not None and (not is_int(seat) or not 0 <= seat < self.num_seats):
            raise SettingsError(f"seat={seat!r}; give a seat from 0 to {self.num_seats - 1}, or None")
        num_bots = self.num_seats - 1
        bots = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * num_bots
        if len(bots) != num_bots:
            raise SettingsError(f"opponents: {len(bots)} bots for {num_bots} seats; give one or as many")
        self._bots = [make_bot(bot, self.room.GAME_NAME) for bot in bots]
        self._fixed_seat = seat
        self.observation_space = make_observation_space(self.room)
        self.action_space = LegalActions(self.masks)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a game, with the options of the AEC environment: `dealer` and `shoes`.

        Raises `SettingsError` or `UnknownCardError` and changes nothing if they make no game.
        """
        self._deal(self._next_seed() if seed is None else check_seed(seed), options)
        super().reset(seed=seed)
        seat = self.np_random.integers(self.num_seats) if self._fixed_seat is None else self._fixed_seat
        self.seat = int(seat)
        self._play_bots()
        return self._answer()

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Play an action; raises `IllegalActionError` and changes nothing if it is illegal."""
        self._need_game()
        if isinstance(action, SampledAction) and not self._mask[action] and not self.is_over:
            legal = np.flatnonzero(self._mask)
            action = legal[action % len(legal)]
        self._check(action)
        reward = self._play_for_reward(int(action)) + self._play_bots()
        observation, info = self._answer()
        return observation, reward, self.is_over, False, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal now, bool[NUM_ACTIONS]: what mask-aware learners ask for."""
        return self._mask.astype(bool)

    def _answer(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        self._show()
        observation = self._observe(self.seat)
        return observation, {"action_mask": observation["action_mask"].copy()}

    def _play_for_reward(self, action: int) -> float:
        """Play a legal action of any seat; what the learner earned by it."""
        return float(self._rewards[0, self.seat]) if self._play(action) else 0.0

    def _play_bots(self) -> float:
        """Let the bots play until the learner is asked, or the game is over; what it earned meanwhile."""
        reward = 0.0
        while not self.is_over and self._acting[0] != self.seat:
            acting = int(self._acting[0])
            bot = self._bots[(acting - self.seat - 1) % self.num_seats]
            try:
                for action in self._ask(bot):
                    self._check(action)
                    reward += self._play_for_reward(action)
            except IllegalActionError as error:
                raise illegal_move(bot, acting, error) from error
        return reward

    def _ask(self, bot: Bot | BatchBot) -> list[int]:
        """The actions that a bot decides on for the seat asked; a JSON move may spell several."""
        if is_batched(bot):
            luck = self.np_random.integers(2**64, size=1, dtype=np.uint64)
            return chosen_actions(bot, self.views, self.masks, luck).tolist()
        move = bot.act(self.room.view_json(self.games[0], int(self._acting[0]), self.events))
        return self.room.move_actions(self.games[0], move)
