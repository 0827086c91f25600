"""What the environments of one game share: the records of a batch of one, and the checks.

An environment names its game's room (`from jo_env import jo`) as the class attribute `room`; nothing in
this folder knows which game it plays.
"""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium import logger, spaces

from jo_env.checks import is_action, is_int
from jo_env.errors import IllegalActionError, SettingsError, TableError

REWARDS = ("points", "win")
RENDER_MODES = ["human", "ansi", "rgb_array"]
METADATA: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}


def make_observation_space(room: ModuleType) -> spaces.Dict:
    """`observation` int8[OBSERVATION_SIZE] and `action_mask` int8[NUM_ACTIONS]."""
    return spaces.Dict(
        observation=spaces.Box(-128, 127, (room.OBSERVATION_SIZE,), np.int8),
        action_mask=spaces.Box(0, 1, (room.NUM_ACTIONS,), np.int8),
    )


def check_reward(reward: str) -> str:
    """`reward` itself, if it is one of `REWARDS`; raises `SettingsError`."""
    if reward not in REWARDS:
        raise SettingsError(f"reward={reward!r}; give one of {', '.join(map(repr, REWARDS))}")
    return reward


def check_seed(seed: Any) -> int:
    """The seed as an int; raises `SettingsError` if it does not fit the 64 bits of a game record."""
    if not is_int(seed) or not 0 <= seed < 2**64:
        raise SettingsError(f"seed={seed!r}; give a whole number from 0 to 2**64 - 1")
    return int(seed)


def random_seed() -> int:
    """A 64-bit seed from the operating system."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def write_rewards(
    room: ModuleType, reward: str, games: np.ndarray, hand_ended: np.ndarray, out: np.ndarray
) -> None:
    """Write what every seat earned by its last action into `out`, float32[N, seats]."""
    writer = room.points_rewards if reward == "points" else room.win_rewards
    writer(games, hand_ended, out)


def read_options(options: Any, known: Sequence[str] = ()) -> dict[str, Any]:
    """The options of a reset as a dictionary; raises `SettingsError` for any that are not known.

    The key `options` is let pass: PettingZoo's `api_test` resets every environment with it.
    """
    if options is None:
        return {}
    names = f"options are {', '.join(known)}" if known else "there are no options"
    if not isinstance(options, Mapping):
        raise SettingsError(f"options={options!r}; give a dictionary or None; {names}")
    for name in options:
        if name not in (*known, "options"):
            raise SettingsError(f"options: {name!r} is unknown; {names}")
    return dict(options)


class Table:
    """One game: `games` GAME[1], `views` VIEW[1] and `masks` int8[1, NUM_ACTIONS] of the seat asked.

    `events` is the public history of the current hand. Base of the environments for a single game.
    """

    room: ModuleType

    def __init__(self, reward: str, render_mode: str | None, settings: dict[str, Any]) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise SettingsError(f"render_mode={render_mode!r}; give {', '.join(RENDER_MODES)} or None")
        self.reward = check_reward(reward)
        self.render_mode = render_mode
        self._blank = self.room.new_games(1, **settings)
        self.games = self._blank.copy()
        self.views = np.zeros(1, self.room.VIEW)
        self.masks = np.zeros((1, self.room.NUM_ACTIONS), np.int8)
        self.num_seats = int(self._blank["num_seats"][0])
        self.events: list[dict[str, Any]] = []
        self._has_game = False
        self._actions = np.zeros(1, np.int32)
        self._hand_ended = np.zeros(1, np.int8)
        self._rewards = np.zeros((1, self.num_seats), np.float32)
        self._attach()

    def _attach(self) -> None:
        """Windows into the arrays above: far quicker to read than the attributes of a record."""
        self._acting = self.games["acting"]
        self._observation = self.views.view(np.int8)[: self.room.OBSERVATION_SIZE]
        self._mask = self.masks[0]

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A copied or unpickled window is an array of its own, so it is opened anew.
        self.__dict__.update(state)
        self._attach()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or none has begun."""
        return bool(self._acting[0] == self.room.NOBODY)

    def _next_seed(self) -> int:
        """The seed of the game that follows on this one, as `deal_anew` has it."""
        return int(self.room.next_seed(self.games["seed"][0])) if self._has_game else random_seed()

    def _deal(self, seed: int, options: dict[str, Any] | None) -> None:
        """Begin a game; `dealer` and `shoes` are read from the options, and bad ones change nothing."""
        options = read_options(options, ("dealer", "shoes"))
        dealer = options.get("dealer")
        if dealer is not None and (not is_int(dealer) or not 0 <= dealer < self.num_seats):
            raise SettingsError(f"dealer={dealer!r}; give a seat from 0 to {self.num_seats - 1}")
        games = self._blank.copy()
        self.room.set_shoes(games[0], options.get("shoes"))
        dealers = np.array([self.room.NOBODY if dealer is None else dealer])
        self.room.start(games, np.array([seed], np.uint64), dealers)
        self._lay_out(games, [])

    def _lay_out(self, games: np.ndarray, events: list[dict[str, Any]]) -> None:
        self.games[:] = games
        self.events = events
        self._has_game = True
        self.room.observe(self.games, self.views, self.masks)

    def _check(self, action: Any) -> None:
        """Raise `IllegalActionError` unless the seat asked may play `action`."""
        if is_action(action) and 0 <= action < len(self._mask) and self._mask[action]:
            return
        if self.is_over:
            raise IllegalActionError(f"{action!r} cannot be played: the game is over; call reset()")
        raise IllegalActionError(self.room.describe_illegal(self.games[0], action, self._mask))

    def _play(self, action: int) -> bool:
        """Play a legal action; True if it ended the hand, and then `_rewards` says who earned what."""
        self._actions[0] = action
        self.room.step(self.games, self._actions, self._hand_ended)
        hand_ended = bool(self._hand_ended[0])
        if hand_ended:
            write_rewards(self.room, self.reward, self.games, self._hand_ended, self._rewards)
        if hand_ended and not self.is_over:
            self.events = []
        else:
            self.events += self.room.news(self.games[0])
        self.room.observe(self.games, self.views, self.masks)
        return hand_ended

    def _observe(self, seat: int) -> dict[str, np.ndarray]:
        """What a seat sees, in arrays of its own; the mask is empty unless it is the seat asked."""
        if seat == self._acting[0]:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        view = np.zeros(1, self.room.VIEW)
        self.room.look(self.games[0], seat, view[0])
        observation = view.view(np.int8)[: self.room.OBSERVATION_SIZE]
        return {"observation": observation, "action_mask": np.zeros(len(self._mask), np.int8)}

    def _need_game(self) -> None:
        if not self._has_game:
            raise TableError("no game has begun; call reset() first")

    def render(self) -> Any:
        """The table as a spectator sees it, all hands open.

        `ansi` returns text, `human` prints it, `rgb_array` returns a picture uint8[height, width, 3].
        """
        if self.render_mode is None:
            logger.warn(f"render() without a render mode; make the environment with one of {RENDER_MODES}")
            return None
        if self.render_mode == "rgb_array":
            return self.room.table_image(self.games[0], self.events)
        text = self.room.table_text(self.games[0], self.events)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
