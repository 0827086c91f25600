"""Actions as moves in JSON and back, and as text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, UnknownCardError, parse_face
from jo_env.errors import IllegalActionError, TableError
from jo_env.fields import Json, read_int
from jo_env.refusals import refusal
from jo_env.rummy_bo.actions import (
    DISCARD,
    DRAW_STOCK,
    LAY_FACES,
    LAY_OFF,
    LAY_OFF_HIGH,
    LAY_RUN,
    LAY_SIZES,
    TAKE_DISCARD,
    TAKE_TWO,
    TURN_OVER,
)
from jo_env.rummy_bo.groups import HIGH_END, LOW_END, NO_GROUP, ON_SET, group_for
from jo_env.rummy_bo.notation import PHASES, end_json, group_faces, parse_group, smallest_lay
from jo_env.rummy_bo.state import Phase

DRAWS = {
    DRAW_STOCK: "draw_stock",
    TAKE_TWO: "take_two",
    TAKE_DISCARD: "take_discard",
    TURN_OVER: "turn_over",
}
_DRAW_ACTIONS = {name: action for action, name in DRAWS.items()}


# The moves after which the seat that made them goes on, knowing nothing that it did not know before.
QUIET_MOVES = ("lay", "lay_off")


def is_part(action: int) -> bool:
    """Whether an action may be only a part of its move: none is."""
    return False


def is_midway(games: np.ndarray) -> np.ndarray:
    """Whether the seat asked in each of GAME[N] has begun a move that it must make whole: never, bool[N]."""
    return np.zeros(len(games), bool)


def action_move(game: np.record, action: int) -> Json:
    """One action of the seat asked as a move."""
    if action in DRAWS:
        return {"type": DRAWS[action]}
    if action < LAY_OFF:
        cards = [FACE_NAMES[face] for face in LAY_FACES[action, : LAY_SIZES[action]].tolist()]
        return {"type": "lay", "kind": "run" if action >= LAY_RUN else "set", "cards": cards}
    if action < DISCARD:
        place, face = divmod(action - LAY_OFF, NUM_FACES)
        index = int(group_for(game["groups"], int(game["num_groups"]), place, face))
        move = {"type": "lay_off", "group": None if index == NO_GROUP else index, "card": FACE_NAMES[face]}
        return move | end_json(place)
    return {"type": "discard", "card": FACE_NAMES[action - DISCARD]}


def actions_move(game: np.record, actions: Sequence[int]) -> Json:
    """The move that a seat's actions spell: one action, or a run's lay and the lay-offs at its high end."""
    move = action_move(game, actions[0])
    for action in actions[1:]:
        move["cards"].append(FACE_NAMES[(action - LAY_OFF) % NUM_FACES])
    return move


def move_actions(game: np.record, move: Json) -> list[int]:
    """The actions that a move spells, for the seat asked; raises `IllegalActionError` if it spells none.

    A run of more than three cards becomes its lay and the lay-offs that lengthen it. Whether the actions
    are legal is for the mask to say.
    """
    if not isinstance(move, dict):
        raise IllegalActionError(f"{move!r} is no move; give an object with a type")
    kind = move.get("type")
    try:
        if isinstance(kind, str) and kind in _DRAW_ACTIONS:
            return [_DRAW_ACTIONS[kind]]
        if kind == "discard":
            return [DISCARD + parse_face(move.get("card", ""))]
        if kind == "lay_off":
            return [_lay_off_action(game, move)]
        if kind == "lay":
            group = parse_group({"kind": move.get("kind"), "cards": move.get("cards")}, "cards")
            longer = group_faces(group)[3:] if group.is_run else []
            return [smallest_lay(group)] + [LAY_OFF_HIGH + face for face in longer]
    except (UnknownCardError, TableError) as error:
        raise IllegalActionError(f"move {kind}: {error}") from None
    raise IllegalActionError(
        f"move type {kind!r}; give one of {', '.join(_DRAW_ACTIONS)}, lay, lay_off, discard"
    )


def _lay_off_action(game: np.record, move: Json) -> int:
    num_groups = int(game["num_groups"])
    if num_groups == 0:
        raise TableError(f"group: {move.get('group')!r}, but no group lies on the table")
    index = read_int(move, "group", 0, num_groups - 1)
    face = parse_face(move.get("card", ""))
    end = move.get("end")
    if end not in (None, "low", "high"):
        raise TableError(f"end: {end!r}; give 'low' or 'high', on a run only")
    # The high end first: the thirteenth card of a run, which fits both, goes there.
    places = {None: (ON_SET, HIGH_END, LOW_END), "low": (LOW_END,), "high": (HIGH_END,)}[end]
    for place in places:
        if group_for(game["groups"], num_groups, place, face) == index:
            return LAY_OFF + NUM_FACES * place + face
    raise TableError(
        f"card: {move['card']} does not fit on group {index}{f' at its {end} end' if end else ''}"
    )


def describe_illegal(game: np.record, action: Any, mask: np.ndarray) -> str:
    """Why an action is refused, and what would be legal now."""
    if game["phase"] == Phase.OVER:
        return "the game is over; no action is legal"
    place = f"hand {int(game['num_finished']) + 1}, turn {int(game['turns'])}, phase {PHASES[game['phase']]}"
    return refusal(int(game["acting"]), action, mask, lambda legal: action_text(game, legal), place)


def action_text(game: np.record, action: int) -> str:
    """An action of the seat asked in words, as `lay off 7H on group 1`."""
    move = action_move(game, action)
    match move["type"]:
        case "lay":
            return f"lay {' '.join(move['cards'])}"
        case "lay_off":
            where = f"group {move['group']}" if move["group"] is not None else "a group"
            end = f" at its {move['end']} end" if "end" in move else ""
            return f"lay off {move['card']} on {where}{end}"
        case "discard":
            return f"discard {move['card']}"
        case kind:
            return kind.replace("_", " ")
