"""Bots: whoever holds a seat and sees its view, and nothing else.

A bot is any object with ``act(view: dict) -> dict``, a view in and a move out. The bots of this
project also have ``choose``, the same decision for a batch of VIEW records at a time, and get their
``act`` from it. Wherever a bot is taken, it may be given as an object or as one of these texts:

- a name from `BOTS`, which has them by game;
- ``policy:PATH`` for a checkpoint or an exported bundle;
- ``package.module:Class`` or ``path/to/file.py:Class`` for one of your own.
"""

import importlib
import importlib.util
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from jo_env.errors import IllegalActionError, TableError
from jo_env.masks import NO_ACTION, first_illegal, only_actions
from jo_env.records import opaque, taken
from jo_env.rng import mix, streams
from jo_env.rooms import observed, room_of_view

BOTS = {
    "jo": {
        "random": "agents.random:Random",
        "greedy": "agents.jo.heuristics:Greedy",
        "planner": "agents.jo.heuristics:Planner",
        "planner-buyer": "agents.jo.heuristics:Buyer",
        "planner-thrifty": "agents.jo.heuristics:Thrifty",
        "planner-dumper": "agents.jo.heuristics:Dumper",
        "planner-hoarder": "agents.jo.heuristics:Hoarder",
        "planner-search": "agents.jo.heuristics:PlannerSearch",
        "planner-improved": "agents.jo.iteration:PlannerImproved",
    },
    "rummy_bo": {
        "random": "agents.random:Random",
        "greedy": "agents.rummy_bo.heuristics:Greedy",
        "planner": "agents.rummy_bo.heuristics:Planner",
        "planner-improved": "agents.rummy_bo.iteration:PlannerImproved",
    },
}
POLICY = "agents.policy_bot:PolicyBot"


class BotError(ValueError):
    """A text that names no bot, or an object that is none."""


@runtime_checkable
class Bot(Protocol):
    """A view in, a move out: the JSON forms of docs/protocol.md."""

    def act(self, view: dict[str, Any]) -> dict[str, Any]: ...


class BatchBot:
    """A bot that decides for many views at a time; `act` is a batch of one.

    A decision is a function of (view, mask, seed) alone, so play does not depend on the batch. `room` is that
    of the one game it plays; None plays any.
    """

    room: ModuleType | None = None
    seed: int = 0

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Legal actions int32[N] for views VIEW[N], masks int8[N, num_actions], seeds uint64[N]."""
        raise NotImplementedError

    def act(self, view: dict[str, Any]) -> dict[str, Any]:
        """The move for a JSON view; of a move of several actions they are chosen one after another.

        Raises `TableError` for a view in which the seat has nothing to decide.
        """
        return self.move_for(view, self.seed)

    def move_for(self, view: dict[str, Any], seed: int) -> dict[str, Any]:
        """`act` with a seed of the caller's."""
        room = self.room or room_of_view(view)
        games, _ = room.game_from_view(view)
        return self.moves(room, games, np.array([seed], np.uint64))[0]

    def moves(
        self,
        room: ModuleType,
        games: np.ndarray,
        seeds: np.ndarray,
        barred: Sequence[Iterable[int]] = (),
    ) -> list[dict[str, Any]]:
        """The moves of the seats asked in GAME[N] of a room, with seeds uint64[N].

        No move begins with one of the actions that `barred` has for its table. The actions of moves that
        have several are played in `games`. Raises `TableError` for a game that is over and
        `IllegalActionError` for a bot that breaks the rules, as it must where every legal action is barred.
        """
        if (games["acting"] == room.NOBODY).any():
            raise TableError("phase: over; a bot is asked while the game goes on")
        views, masks = observed(room, games)
        for mask, actions in zip(masks, barred, strict=False):
            mask[list(actions)] = 0
        rows = views.view(np.uint8).reshape(len(views), -1)
        lucks = streams(seeds, np.array([zlib.crc32(row.data) for row in rows], np.uint64))
        chosen: list[list[int]] = [[] for _ in games]
        places, tables = np.arange(len(games)), games  # those whose moves are not yet whole
        while len(places):
            actions = self._decide(views, masks, lucks)
            refuse_illegal(self, room, tables, actions, masks)
            for place, action in zip(places.tolist(), actions.tolist(), strict=True):
                chosen[place].append(action)
            begun = np.flatnonzero([room.is_part(action) for action in actions.tolist()])
            if len(begun) == 0:
                break
            tables = taken(tables, begun)
            room.step(tables, actions[begun].astype(np.int32), np.zeros(len(begun), np.int8))
            opaque(games)[places[begun]] = opaque(tables)
            midway = np.flatnonzero(room.is_midway(tables))
            tables, places = taken(tables, midway), places[begun][midway]
            lucks = np.array([mix(luck) for luck in lucks[begun][midway]], np.uint64)
            views, masks = observed(room, tables)
        return [room.actions_move(game, actions) for game, actions in zip(games, chosen, strict=True)]

    def _decide(self, views: np.ndarray, masks: np.ndarray, lucks: np.ndarray) -> np.ndarray:
        """`choose` where there is a choice: after the first lay of a go-down there seldom is."""
        actions = only_actions(masks)
        rows = np.flatnonzero(actions == NO_ACTION)
        if len(rows) == len(actions):
            return chosen_actions(self, views, masks, lucks)
        if len(rows):
            actions[rows] = chosen_actions(self, taken(views, rows), masks[rows], lucks[rows])
        return actions


def is_batched(bot: Any) -> TypeGuard[BatchBot]:
    """Whether a bot decides for many views at a time, which is whether it has the method `choose`."""
    return callable(getattr(bot, "choose", None))


def chosen_actions(bot: BatchBot, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """What `bot.choose` answers, integers [N]; raises `IllegalActionError` if it is anything else.

    Whether the actions are legal is for `refuse_illegal` to say.
    """
    actions = np.asarray(bot.choose(views, masks, seeds))
    if actions.shape != (len(views),) or actions.dtype.kind not in "iu":
        raise IllegalActionError(
            f"{type(bot).__name__}: choose() gave {actions.dtype}{list(actions.shape)}; give integers, "
            f"one for each of the {len(views)} views"
        )
    return actions


def refuse_illegal(
    bot: Any, room: ModuleType, games: np.ndarray, actions: np.ndarray, masks: np.ndarray, rows: Any = None
) -> None:
    """Raise `IllegalActionError` for the first action of a bot that its mask does not allow.

    The bot was asked in GAME[N], or in those at `rows` (not copied); actions are integers [N], masks
    int8[N, num_actions].
    """
    i = first_illegal(masks, actions.astype(np.int64))
    if i < len(actions):
        game = games[i if rows is None else rows[i]]
        problem = room.describe_illegal(game, int(actions[i]), masks[i])
        raise illegal_move(bot, int(game["acting"]), problem)


def illegal_move(bot: Any, seat: int, problem: Any) -> IllegalActionError:
    """The error that names the bot and its seat beside what was wrong with its move."""
    name = type(bot).__name__
    text = str(problem).removeprefix(f"{name}: ").removeprefix(f"player_{seat}: ")
    where = "" if text.startswith(f"player_{seat} ") else f"player_{seat}: "
    return IllegalActionError(f"{name}: {where}{text}")


def make_bot(bot: Any, game: str = "jo") -> Bot:
    """The bot that a text names at tables of a game, or the object itself if it is one.

    Raises `BotError`, also for a bot that plays another game.
    """
    made = _make(bot, BOTS[game])
    room = getattr(made, "room", None)
    if room is not None and room.GAME_NAME != game:
        raise BotError(f"{bot!r} plays {room.GAME_NAME}, not {game}")
    return made


def _make(bot: Any, names: dict[str, str]) -> Bot:
    if not isinstance(bot, str):
        if isinstance(bot, Bot) and not isinstance(bot, type):
            return bot
        raise BotError(f"{bot!r} is no bot: give an object with an act(view) method, or a text")
    text = names.get(bot, bot)
    place, _, name = text.rpartition(":")
    if not place or not name:
        raise BotError(
            f"{bot!r} is no bot; give {', '.join(names)}, policy:PATH, package.module:Class or file.py:Class"
        )
    if bot.startswith("policy:"):
        return _load(POLICY)(bot.removeprefix("policy:"))
    load = _load(text)
    try:
        made = load()
    except Exception as error:
        raise BotError(
            f"{bot!r} cannot be made: {type(error).__name__}: {error}; give a class that is called "
            "without arguments"
        ) from error
    if isinstance(made, type) or not isinstance(made, Bot):
        raise BotError(f"{bot!r} is no bot: it has no act(view) method")
    return made


def _load(text: str) -> Any:
    """What a text `package.module:name` or `file.py:name` names; the file is anybody's, and may fail."""
    place, _, name = text.rpartition(":")
    try:
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(place).stem, place)
            if spec is None or spec.loader is None or not Path(place).is_file():
                raise ImportError(f"there is no file {place}")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
        return getattr(module, name)
    except Exception as error:
        raise BotError(
            f"{text!r} cannot be loaded: {type(error).__name__}: {error}; give package.module:Class or "
            "file.py:Class"
        ) from error
