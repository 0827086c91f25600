"""Actions as moves in JSON and back, and as text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, UnknownCardError, parse_face
from jo_env.checks import is_action
from jo_env.errors import IllegalActionError, TableError
from jo_env.fields import Json, read_int
from jo_env.rummy_bo.actions import (
    ADD_ABOVE,
    ADD_BELOW,
    ADD_TO_SET,
    DISCARD,
    DRAW_STOCK,
    LAY_SET,
    NUM_ACTIONS,
    TAKE_DISCARD,
    TAKE_TWO,
    TURN_OVER,
)
from jo_env.rummy_bo.groups import find_group, fits_on
from jo_env.rummy_bo.notation import PHASES, lay_of, parse_group
from jo_env.rummy_bo.state import Phase
from jo_env.rummy_bo.writing import end_json, lay_json

DRAWS = {DRAW_STOCK: "draw_stock", TAKE_TWO: "take_two", TAKE_DISCARD: "take_discard", TURN_OVER: "turn_over"}
_DRAWS = {name: action for action, name in DRAWS.items()}
# The moves after which the seat that made them goes on, knowing nothing that it did not know before.
QUIET_MOVES = ("lay", "lay_off")


def is_part(action: int) -> bool:
    """Whether an action may be only a part of its move: none is."""
    return False


def is_midway(games: np.ndarray) -> np.ndarray:
    """Whether the seat asked in each of GAME[N] has begun a move that it must make whole, bool[N]."""
    return np.zeros(len(games), bool)


def action_move(game: np.record, action: int) -> Json:
    """One action of the seat asked as a move."""
    if action in DRAWS:
        return {"type": DRAWS[action]}
    if action < ADD_TO_SET:
        return {"type": "lay", **lay_json(action)}
    if action < DISCARD:
        g = int(find_group(game.groups, game.num_groups, action))
        card = FACE_NAMES[(action - ADD_TO_SET) % NUM_FACES]
        return {"type": "lay_off", "group": g if g >= 0 else None, "card": card} | end_json(action)
    return {"type": "discard", "card": FACE_NAMES[action - DISCARD]}


def actions_move(game: np.record, actions: Sequence[int]) -> Json:
    """The move that a seat's actions spell: one action."""
    (action,) = actions
    return action_move(game, action)


def move_actions(game: np.record, move: Json) -> list[int]:
    """The actions that a move spells, for the seat asked; raises `IllegalActionError` if it spells none.

    A longer run is the run of its three lowest cards and the lay-offs of the others at its high end. Whether
    the actions are legal is for the mask to say.
    """
    if not isinstance(move, dict):
        raise IllegalActionError(f"{move!r} is no move; give an object with a type")
    kind = move.get("type")
    try:
        if isinstance(kind, str) and kind in _DRAWS:
            return [_DRAWS[kind]]
        if kind == "discard":
            return [DISCARD + parse_face(move.get("card", ""))]
        if kind == "lay_off":
            return [_lay_off_action(game, move)]
        if kind == "lay":
            faces = parse_group(move, "group")
            longer = faces[3:] if move["kind"] == "run" else []
            return [lay_of(move["kind"], faces), *(ADD_ABOVE + face for face in longer)]
    except (UnknownCardError, TableError) as error:
        raise IllegalActionError(f"move {kind}: {error}") from None
    raise IllegalActionError(f"move type {kind!r}; give one of {', '.join(_DRAWS)}, lay, lay_off, discard")


def _lay_off_action(game: np.record, move: Json) -> int:
    index = read_int(move, "group", 0, int(game.num_groups) - 1)
    face = parse_face(move.get("card", ""))
    end = move.get("end")
    if end not in (None, "low", "high"):
        raise TableError(f"end: {end!r}; give 'low' or 'high', on a run only")
    blocks = {None: (ADD_TO_SET, ADD_BELOW, ADD_ABOVE), "low": (ADD_BELOW,), "high": (ADD_ABOVE,)}
    places = [
        block
        for block, fit in zip((ADD_TO_SET, ADD_BELOW, ADD_ABOVE), fits_on(game.groups[index]), strict=True)
        if block in blocks[end] and int(fit) >> face & 1
    ]
    if len(places) != 1:
        problem = "fits at both ends; name the end" if places else "does not fit there"
        raise TableError(f"{move['card']} on group {index} {problem}")
    return places[0] + face


def describe_illegal(game: np.record, action: Any, mask: np.ndarray) -> str:
    """Why an action is refused, and what would be legal now."""
    if game.phase == Phase.OVER:
        return "the game is over; no action is legal"
    legal = np.flatnonzero(mask)
    where = f"hand {int(game.num_finished) + 1}, turn {int(game.turns)}, phase {PHASES[game.phase]}"
    shown = ", ".join(f"{a} {action_text(game, int(a))}" for a in legal[:8])
    more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
    if not is_action(action) or not 0 <= action < NUM_ACTIONS:
        return f"{action!r} is no action; give an integer from 0 to {NUM_ACTIONS - 1}"
    what = f"{action} ({action_text(game, int(action))})"
    return f"player_{int(game.acting)} may not play {what}; legal now: {shown}{more} ({where})"


def action_text(game: np.record, action: int) -> str:
    """An action of the seat asked in words, as `lay off 7H above a run`."""
    if action < LAY_SET:
        return DRAWS[action].replace("_", " ")
    if action < ADD_TO_SET:
        return f"lay {' '.join(lay_json(action)['cards'])}"
    card = FACE_NAMES[(action - ADD_TO_SET) % NUM_FACES]
    if action < DISCARD:
        where = "on a set" if action < ADD_BELOW else "below a run" if action < ADD_ABOVE else "above a run"
        return f"lay off {card} {where}"
    return f"discard {card}"
