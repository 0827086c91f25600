"""The service behind every way in: a request in, an answer out, always and legally.

The model decides; where it fails or is too slow the heuristic does, and where that fails the first legal
move is played. A move is a function of (bundle, view, level, seed) alone as long as the model answers.
"""

import logging
import time
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from agents.serving.guard import Clock, Guard, GuardError
from agents.serving.pace import think_ms
from agents.serving.requests import ERRORS, Request, RequestError, read_request, request_id
from jo_env import jo
from jo_env.bots import BatchBot
from jo_env.errors import IllegalActionError
from jo_env.jo.notation import PROTOCOL, Json
from jo_env.rng import stream

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

    `levels` are the model's bots from weakest to strongest, the last being the default; all belong to the
    bundle `model_id`. Where there is no model (`model_id` None) they are heuristics, and every answer is
    degraded. `clock` counts seconds.
    """

    def __init__(
        self,
        levels: Mapping[str, BatchBot],
        heuristic: BatchBot,
        model_id: str | None = None,
        guard: Guard | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.levels = levels
        self.heuristic = heuristic
        self.model_id = model_id
        self.clock = clock
        self.guard = guard or Guard(clock=clock)

    def hello(self) -> Json:
        """What a client may want to know before its first request."""
        return {
            "protocol": PROTOCOL,
            "game": jo.GAME_NAME,
            "model": self.model_id,
            "levels": list(self.levels),
            "errors": ERRORS,
        }

    def answer(self, data: Any) -> Json:
        """The answer to a request in its JSON form; an error has `error` in the place of a move."""
        started = self.clock()
        try:
            return self._decide(read_request(data, tuple(self.levels)), started)
        except RequestError as error:
            return error_answer(request_id(data), error.code, str(error), error.field)
        except Exception:
            log.exception("a request failed")
            return error_answer(request_id(data), "internal", ERRORS["internal"])

    def _decide(self, request: Request, started: float) -> Json:
        deadline = started + request.deadline_ms / 1000
        games = request.games
        barred = first_actions(games[0], request.rejected)
        if barred >= legal_actions(games):
            raise RequestError("no_move", ERRORS["no_move"], "rejected")
        move, source = self._choose(games, request, barred, deadline)
        luck = np.uint64(stream(np.uint64(request.seed), _THINKING + zlib.crc32(games.tobytes())))
        answer: Json = {
            "id": request.id,
            "move": move,
            "think_ms": think_ms(games, move["type"], luck),
            "source": source,
            "model": self.model_id,
            "degraded": source != "model",
        }
        if request.plan:
            moves = [move]
            # Cards to be seen end the plan, and so does the end of the turn or of the hand.
            while move["type"] in ("go_down", "lay_off") and not play(games, move):
                move, source = self._choose(games, request, (), deadline)
                moves.append(move)
                answer["degraded"] |= source != "model"
            answer["plan"] = moves
        return answer

    def _choose(
        self, games: np.ndarray, request: Request, barred: Iterable[int], deadline: float
    ) -> tuple[Json, str]:
        """A legal move and its source; `games` is left as it is."""
        bot, before, seed = self.levels[request.level], games.copy(), request.seed
        budget = deadline - min(RESERVE, request.deadline_ms / 2000) - self.clock()
        if self.model_id is not None and budget > 0:
            try:
                return self.guard.call(lambda: legal_move(bot, before, seed, barred), budget), "model"
            except GuardError as error:
                log.warning("the model gave no move: %s", error)
        if self.clock() < deadline:
            try:
                heuristic = bot if self.model_id is None else self.heuristic
                return legal_move(heuristic, games, seed, barred), "heuristic"
            except Exception as error:
                log.warning("the heuristic gave no move: %s", error)
        return FirstLegal().move(games.copy(), seed, barred), "first_legal"


def first_actions(game: np.record, moves: Iterable[Json]) -> set[int]:
    """The actions with which these moves begin; moves that are none at this table are left out."""
    actions = set()
    for move in moves:
        try:
            actions.add(jo.move_actions(game, move)[0])
        except IllegalActionError:
            continue
    return actions


def legal_actions(games: np.ndarray) -> set[int]:
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    jo.observe(games, views, masks)
    return set(masks[0].nonzero()[0].tolist())


def legal_move(bot: BatchBot, games: np.ndarray, seed: int, barred: Iterable[int]) -> Json:
    """A bot's move, if the rules allow all of it; raises `IllegalActionError` otherwise."""
    move = bot.move(games.copy(), seed, barred)
    play(games.copy(), move)
    return move


def play(games: np.ndarray, move: Json) -> bool:
    """Play a move in GAME[1]; whether it ended the hand. Raises `IllegalActionError`."""
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    ended = np.zeros(1, np.int8)
    actions = jo.move_actions(games[0], move)
    for action in actions:
        jo.observe(games, views, masks)
        if not masks[0, action]:
            raise IllegalActionError(jo.describe_illegal(games[0], action, masks[0]))
        jo.step(games, np.array([action], np.int32), ended)
    return bool(ended[0])


def error_answer(given: str | int | None, code: str, message: str, field: str | None = None) -> Json:
    return {"id": given, "error": {"code": code, "message": message[:MAX_MESSAGE], "field": field}}
