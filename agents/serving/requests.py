"""A request for a move: its form, its limits, and the errors it may get (docs/serving.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NoReturn

from agents.serving.models import Model
from jo_env.checks import is_int
from jo_env.errors import TableError
from jo_env.fields import Json

ERRORS = {
    "bad_json": "the line or body is not JSON",
    "too_large": "the line or body is longer than allowed",
    "unauthorized": "the token is missing or wrong: Authorization: Bearer TOKEN",
    "bad_batch": "a batch is an object with `requests`, a list of 1 to 64 requests",
    "bad_request": "the request is not of the form described; `field` names what is wrong",
    "bad_view": "the view contradicts itself or asks the wrong seat; `field` names what is wrong",
    "game_over": "the game of the view is over: there is nothing to decide",
    "not_found": "there is no such route",
    "bad_method": "the route is not asked by this method",
    "timeout": "the body did not arrive in time",
    "unknown_model": "no bundle of that id is loaded any more: the last two are",
    "busy": "too many requests are waiting; the request may be sent again",
    "no_move": "every legal move is among those rejected",
    "internal": "a fault of the service; the request may be sent again",
}
FIELDS = ("id", "view", "level", "seed", "deadline_ms", "rejected", "plan", "model")
MAX_ID, MAX_REJECTED, MAX_DEADLINE_MS = 200, 100, 60_000
MAX_BATCH = 64
DEFAULT_DEADLINE_MS = 1000


class RequestError(ValueError):
    """A request that gets an error instead of a move; `code` is one of `ERRORS`."""

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.field = field


@dataclass(slots=True)
class Request:
    """What seat `view["seat"]` does at the table GAME[1], answered within `deadline_ms`."""

    id: str | int
    games: Any
    model: Model
    level: str
    seed: int
    deadline_ms: int
    rejected: list[Json]
    plan: bool
    deadline: float = 0.0  # by the service's clock
    barred: set[int] = field(default_factory=set)  # actions with which no move may begin

    @property
    def room(self) -> ModuleType:
        return self.model.game.room


def request_id(data: Any) -> str | int | None:
    """The id to answer with, as far as one can be read."""
    given: Any = data.get("id") if isinstance(data, dict) else None
    if isinstance(given, str):
        return given if len(given) <= MAX_ID else None
    return given if is_int(given) and abs(given) < 2**63 else None


def read_request(data: Any, models: Sequence[Model]) -> Request:
    """A request from its JSON form, to one of the models loaded, the first unless it names another.

    Raises `RequestError`.
    """
    if not isinstance(data, dict):
        raise RequestError("bad_request", "a request is a JSON object")
    for key in data:
        if key not in FIELDS:
            _refuse(str(key)[:MAX_ID], f"not a field; give {', '.join(FIELDS)}")
    given = request_id(data)
    if given is None:
        _refuse("id", f"give a text of at most {MAX_ID} characters, or a whole number of 64 bits")
    pinned = data.get("model")
    model = next((one for one in models if pinned is None or one.id == pinned), None)
    if model is None:
        raise RequestError("unknown_model", ERRORS["unknown_model"], "model")
    levels = tuple(model.levels)
    level = data.get("level", levels[-1])
    if level not in levels:
        _refuse("level", f"give one of {', '.join(levels)}")
    seed = data.get("seed", 0)
    if not is_int(seed) or not 0 <= seed < 2**64:
        _refuse("seed", "give a whole number from 0 to 2**64 - 1")
    deadline_ms = data.get("deadline_ms", DEFAULT_DEADLINE_MS)
    if not is_int(deadline_ms) or not 1 <= deadline_ms <= MAX_DEADLINE_MS:
        _refuse("deadline_ms", f"give a whole number from 1 to {MAX_DEADLINE_MS}")
    rejected = data.get("rejected", [])
    if not isinstance(rejected, list) or len(rejected) > MAX_REJECTED:
        _refuse("rejected", f"give a list of at most {MAX_REJECTED} moves")
    plan = data.get("plan", False)
    if not isinstance(plan, bool):
        _refuse("plan", "give true or false")
    if "view" not in data:
        _refuse("view", "is missing")
    try:
        games, _ = model.game.room.game_from_view(data["view"])
    except TableError as error:
        field = str(error).partition(": ")[0]
        raise RequestError("bad_view", str(error), field if " " not in field else None) from None
    if games["acting"][0] == model.game.room.NOBODY:
        raise RequestError("game_over", ERRORS["game_over"], "phase")
    return Request(given, games, model, level, seed, deadline_ms, rejected, plan)


def _refuse(field: str, message: str) -> NoReturn:
    raise RequestError("bad_request", f"{field}: {message}", field)
