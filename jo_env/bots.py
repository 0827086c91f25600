"""Bots: whoever holds a seat and sees its view, and nothing else.

A bot is any object with ``act(view: dict) -> dict``, a view in and a move out. The bots of this
project also have ``choose``, the same decision for a batch of VIEW records at a time, and get their
``act`` from it. Wherever a bot is taken, it may be given as an object or as one of these texts:

- a name from `BOTS`;
- ``policy:PATH`` for a checkpoint or an exported bundle;
- ``package.module:Class`` or ``path/to/file.py:Class`` for one of your own.
"""

import importlib
import importlib.util
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from jo_env import jo
from jo_env.errors import IllegalActionError, TableError
from jo_env.records import taken
from jo_env.rng import mix, stream

BOTS = {
    "random": "agents.heuristics:Random",
    "greedy": "agents.heuristics:Greedy",
    "planner": "agents.heuristics:Planner",
    "planner-buyer": "agents.heuristics:Buyer",
    "planner-thrifty": "agents.heuristics:Thrifty",
    "planner-dumper": "agents.heuristics:Dumper",
    "planner-hoarder": "agents.heuristics:Hoarder",
    "planner-search": "agents.heuristics:PlannerSearch",
    "planner-improved": "agents.iteration:PlannerImproved",
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

    A decision is a function of (view, mask, seed) alone, so play does not depend on the batch.
    """

    seed: int = 0

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Legal actions int32[N] for views VIEW[N], masks int8[N, num_actions], seeds uint64[N]."""
        raise NotImplementedError

    def act(self, view: dict[str, Any]) -> dict[str, Any]:
        """The move for a JSON view; a go-down's lay actions are chosen one after another.

        Raises `TableError` for a view in which the seat has nothing to decide.
        """
        return self.move_for(view, self.seed)

    def move_for(self, view: dict[str, Any], seed: int) -> dict[str, Any]:
        """`act` with a seed of the caller's."""
        games, _ = jo.game_from_view(view)
        return self.moves(games, np.array([seed], np.uint64))[0]

    def moves(
        self, games: np.ndarray, seeds: np.ndarray, barred: Sequence[Iterable[int]] = ()
    ) -> list[dict[str, Any]]:
        """The moves of the seats asked in GAME[N], with seeds uint64[N].

        No move begins with one of the actions that `barred` has for its table. The lay actions of go-downs
        are played in `games`. Raises `TableError` for a game that is over and `IllegalActionError` for a bot
        that breaks the rules, as it must where every legal action is barred.
        """
        if (games["acting"] == jo.NOBODY).any():
            raise TableError("phase: over; a bot is asked while the game goes on")
        views = np.zeros(len(games), jo.VIEW)
        masks = np.zeros((len(games), jo.NUM_ACTIONS), np.int8)
        jo.observe(games, views, masks)
        for mask, actions in zip(masks, barred, strict=False):
            mask[list(actions)] = 0
        lucks = np.array(
            [stream(seed, zlib.crc32(view.tobytes())) for seed, view in zip(seeds, views, strict=True)],
            np.uint64,
        )
        chosen: list[list[int]] = [[] for _ in games]
        rows = np.arange(len(games))
        while len(rows):
            actions = chosen_actions(self, taken(views, rows), masks[rows], lucks[rows])
            refuse_illegal(self, games, rows, actions, masks[rows])
            for row, action in zip(rows, actions.tolist(), strict=True):
                chosen[row].append(action)
            is_lay = [jo.is_lay(action) for action in actions.tolist()]
            rows = rows[is_lay]
            if len(rows) == 0:
                break
            tables = taken(games, rows)
            jo.step(tables, actions[is_lay].astype(np.int32), np.zeros(len(rows), np.int8))
            games[rows] = tables
            rows = rows[tables["groups_laid"] > 0]
            seen, legal = taken(views, rows), masks[rows]
            jo.observe(taken(games, rows), seen, legal)
            views[rows], masks[rows] = seen, legal
            lucks[rows] = [mix(luck) for luck in lucks[rows]]
        return [jo.actions_move(game, actions) for game, actions in zip(games, chosen, strict=True)]


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


def refuse_illegal(bot: Any, games: np.ndarray, rows: Any, actions: np.ndarray, masks: np.ndarray) -> None:
    """Raise `IllegalActionError` for the first action of a bot that its mask does not allow.

    The bot was asked in `games[rows]` (not copied); actions are integers [N], masks int8[N, num_actions].
    """
    is_known = (actions >= 0) & (actions < masks.shape[1])
    is_legal = is_known & (masks[np.arange(len(actions)), np.where(is_known, actions, 0)] == 1)
    if not is_legal.all():
        i = is_legal.argmin()
        game = games[rows[i]]
        problem = jo.describe_illegal(game, int(actions[i]), masks[i])
        raise illegal_move(bot, int(game["acting"]), problem)


def illegal_move(bot: Any, seat: int, problem: Any) -> IllegalActionError:
    """The error that names the bot and its seat beside what was wrong with its move."""
    name = type(bot).__name__
    text = str(problem).removeprefix(f"{name}: ").removeprefix(f"player_{seat}: ")
    where = "" if text.startswith(f"player_{seat} ") else f"player_{seat}: "
    return IllegalActionError(f"{name}: {where}{text}")


def make_bot(bot: Any) -> Bot:
    """The bot that a text names, or the object itself if it is one; raises `BotError`."""
    if not isinstance(bot, str):
        if isinstance(bot, Bot) and not isinstance(bot, type):
            return bot
        raise BotError(f"{bot!r} is no bot: give an object with an act(view) method, or a text")
    text = BOTS.get(bot, bot)
    place, _, name = text.rpartition(":")
    if not place or not name:
        raise BotError(
            f"{bot!r} is no bot; give {', '.join(BOTS)}, policy:PATH, package.module:Class or file.py:Class"
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
