"""The service behind every way in: a request in, an answer out, always and legally.

The model decides; where it fails or is too slow the heuristic does, and where that fails the first legal
move is played. A move is a function of (bundle, view, level, seed) alone as long as the model answers.
"""

import contextlib
import ctypes
import logging
import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from agents.serving.guard import PATIENCE, Clock, GuardError
from agents.serving.models import Model, load_model
from agents.serving.requests import ERRORS, MAX_DEADLINE_MS, Request, RequestError, read_request, request_id
from jo_env.bots import BatchBot, make_bot
from jo_env.errors import IllegalActionError
from jo_env.fields import Json
from jo_env.records import joined, taken
from jo_env.rng import stream
from jo_env.rooms import observed

log = logging.getLogger(__name__)
RESERVE = 0.01  # seconds kept for the heuristic and the answer, or half of the deadline where that is less
MAX_MESSAGE = 400  # characters; messages may quote what they were given
_THINKING = 1 << 32  # the stream of luck for pauses; those for moves are numbered by 32 bits


class FirstLegal(BatchBot):
    """The first legal action."""

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        return masks.argmax(1).astype(np.int32)


class Service:
    """Answers requests; may be called from many threads.

    The newest model and the one before it are kept: a request may name either by its id. `clock` counts
    seconds.
    """

    def __init__(
        self, model: Model, heuristic: BatchBot | None = None, clock: Clock = time.monotonic
    ) -> None:
        self.models: tuple[Model, ...] = (model,)
        self.heuristic: Any = heuristic or make_bot("planner", model.game.room.GAME_NAME)
        self.clock = clock

    @property
    def model(self) -> Model:
        """The one that answers unless a request names another."""
        return self.models[0]

    @property
    def game(self) -> ModuleType:
        """What is played; every model of a service plays the same."""
        return self.model.game

    def replace(self, model: Model) -> None:
        """From now on this model answers; what is being answered is answered by the one before."""
        self.models = (model, *(other for other in self.models if other.id != model.id))[:2]

    def hello(self) -> Json:
        """What a client may want to know before its first request."""
        return {
            "protocol": self.game.room.PROTOCOL,
            "game": self.game.room.GAME_NAME,
            "model": self.model.id,
            "models": [model.id for model in self.models],
            "levels": list(self.model.levels),
            "errors": ERRORS,
        }

    def answer(self, data: Any) -> Json:
        """The answer to a request in its JSON form; an error has `error` in the place of a move."""
        return self.answer_all([data])[0]

    def answer_all(self, batch: Sequence[Any], arrived: Sequence[float] | None = None) -> list[Json]:
        """The answers to many requests, each as it would be alone; what they share is time.

        Deadlines count from when the requests arrived by the service's clock, else from now.
        """
        models = self.models
        arrived = arrived or [self.clock()] * len(batch)
        answers: list[Json] = [{}] * len(batch)
        asked: dict[int, Request] = {}
        for i, (data, when) in enumerate(zip(batch, arrived, strict=True)):
            try:
                request = read_request(data, models)
                request.deadline = when + request.deadline_ms / 1000
                if request.rejected:
                    request.barred = first_actions(request.room, request.games[0], request.rejected)
                    if request.barred >= legal_actions(request.room, request.games):
                        raise RequestError("no_move", ERRORS["no_move"], "rejected")
                asked[i] = request
            except RequestError as error:
                answers[i] = error_answer(request_id(data), error.code, str(error), error.field)
            except Exception:
                log.exception("a request could not be read")
                answers[i] = error_answer(request_id(data), "internal", ERRORS["internal"])
        for (i, request), (move, source) in zip(
            asked.items(), self._choose(list(asked.values())), strict=True
        ):
            try:
                answers[i] = self._finish(request, move, source)
            except Exception:
                log.exception("an answer could not be given")
                answers[i] = error_answer(request.id, "internal", ERRORS["internal"])
        return answers

    def _finish(self, request: Request, move: Json, source: str) -> Json:
        """The answer with this move, and with the moves after it where a plan is asked for."""
        games = request.games
        luck = np.uint64(stream(np.uint64(request.seed), _THINKING + zlib.crc32(games.tobytes())))
        answer: Json = {
            "id": request.id,
            "move": move,
            "think_ms": request.model.game.think_ms(games, move["type"], luck),
            "source": source,
            "model": request.model.id,
            "degraded": source != "model",
        }
        if request.plan:
            moves = [move]
            request.barred = set()
            # Cards to be seen end the plan, and so does the end of the turn or of the hand.
            while move["type"] in request.room.QUIET_MOVES and not play(request.room, games, move):
                move, source = self._choose([request])[0]
                moves.append(move)
                answer["degraded"] |= source != "model"
            answer["plan"] = moves
        return answer

    def _choose(self, requests: list[Request]) -> list[tuple[Json, str]]:
        """A legal move for every request and its source; the tables are left as they are."""
        chosen: dict[int, tuple[Json, str]] = {}
        groups: dict[tuple[int, str, int], list[int]] = {}
        for i, request in enumerate(requests):
            if request.model.id is not None and self._budget(request) > 0:
                # One who has little time is not to take it from those who have more.
                groups.setdefault((id(request.model), request.level, request.deadline_ms), []).append(i)
        # Who has the least time is answered first.
        for _, places in sorted(groups.items(), key=lambda group: group[0][2]):
            moves = self._ask_model([requests[i] for i in places])
            chosen |= {i: (move, "model") for i, move in zip(places, moves, strict=False)}
        return [chosen.get(i) or self._stand_in(request) for i, request in enumerate(requests)]

    def _budget(self, request: Request) -> float:
        """Seconds that the model may take."""
        return request.deadline - min(RESERVE, request.deadline_ms / 2000) - self.clock()

    def _ask_model(self, group: list[Request]) -> list[Json]:
        """The model's moves for requests that have model, level and deadline in common; none if it fails."""
        model, level = group[0].model, group[0].level
        try:
            budget = min(map(self._budget, group))
            return model.guard.call(lambda: legal_moves(model.levels[level], group), budget)
        except GuardError as error:
            log.warning("the model gave no move: %s", error)
            return []

    def _stand_in(self, request: Request) -> tuple[Json, str]:
        """A move for a request that the model did not answer."""
        if self.clock() < request.deadline:
            bot = request.model.levels[request.level] if request.model.id is None else self.heuristic
            try:
                return legal_moves(bot, [request])[0], "heuristic"
            except Exception as error:
                log.warning("the heuristic gave no move: %s", error)
        return legal_moves(FirstLegal(), [request])[0], "first_legal"


def first_actions(room: ModuleType, game: np.record, moves: Iterable[Json]) -> set[int]:
    """The actions with which these moves begin; moves that are none at this table are left out."""
    actions = set()
    for move in moves:
        try:
            actions.add(room.move_actions(game, move)[0])
        except IllegalActionError:
            continue
    return actions


def legal_actions(room: ModuleType, games: np.ndarray) -> set[int]:
    _, masks = observed(room, games)
    return set(masks[0].nonzero()[0].tolist())


def legal_moves(bot: BatchBot, requests: Sequence[Request]) -> list[Json]:
    """A bot's moves, each action of them played by the rules; raises `IllegalActionError` otherwise."""
    room = requests[0].room
    games = joined([request.games for request in requests])
    seeds = np.array([request.seed for request in requests], np.uint64)
    return bot.moves(room, games, seeds, [request.barred for request in requests])


def play(room: ModuleType, games: np.ndarray, move: Json) -> bool:
    """Play a move in GAME[1]; whether it ended the hand. Raises `IllegalActionError`."""
    ended = np.zeros(1, np.int8)
    actions = room.move_actions(games[0], move)
    for action in actions:
        _, masks = observed(room, games)
        if not masks[0, action]:
            raise IllegalActionError(room.describe_illegal(games[0], action, masks[0]))
        room.step(games, np.array([action], np.int32), ended)
    return bool(ended[0])


def error_answer(given: str | int | None, code: str, message: str, field: str | None = None) -> Json:
    return {"id": given, "error": {"code": code, "message": message[:MAX_MESSAGE], "field": field}}


def load_service(bundle: Path | str | None, patience: float = PATIENCE, game: str = "jo") -> Service:
    """The service of a bundle, or of a game's planner alone; raises `BundleError`. See `load_model`."""
    service = Service(load_model(bundle, patience, game))
    warm_up(service)
    give_back_memory()
    return service


def give_back_memory() -> None:
    """Hand to the system what loading has used and freed, a tenth of the process; glibc would keep it."""
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another system's library
        ctypes.CDLL(None).malloc_trim(0)


def warm_up(service: Service) -> None:
    """Have all compiled code at hand before the first request: every phase of a hand, played by every bot."""
    room = service.game.room
    games = room.new_games(1)
    room.start(games, np.zeros(1, np.uint64), np.zeros(1, np.int64))
    seeds = np.zeros(1, np.uint64)
    phases: set[int] = set()
    while not (room.DECIDING <= phases):
        phase = int(games["phase"][0])
        if phase not in phases:
            phases.add(phase)
            for bot in (*service.model.levels.values(), service.heuristic):
                bot.moves(room, taken(games, np.arange(1)), seeds)
            view = room.view_json(games[0], int(games["acting"][0]), [])
            service.answer({"id": 0, "view": view, "deadline_ms": MAX_DEADLINE_MS})
        play(room, games, FirstLegal().moves(room, taken(games, np.arange(1)), seeds)[0])
