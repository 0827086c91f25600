"""Actions as moves in JSON and back, and as text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_SUITS, UnknownCardError, parse_face
from jo_env.errors import IllegalActionError, TableError
from jo_env.fields import Json, read_field, read_int
from jo_env.jo.actions import (
    BUY,
    DISCARD,
    DRAW_STOCK,
    HIGH_END,
    LAY_FACES,
    LAY_FOUR,
    LAY_OFF,
    LAY_SIZES,
    LAY_THREE,
    LOW_END,
    NUM_PLACES,
    NUM_STARTS,
    PASS,
    TAKE_DISCARD,
)
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.groups import face_wanted
from jo_env.jo.notation import PHASES, end_json, parse_group, smallest_lay
from jo_env.jo.state import (
    NO_FACE,
    Phase,
)
from jo_env.refusals import refusal

# The moves after which the seat that made them goes on, knowing nothing that it did not know before.
QUIET_MOVES = ("go_down", "lay_off")


def is_part(action: int) -> bool:
    """Whether an action may be only a part of its move, as the lay actions of a go-down are."""
    return LAY_THREE <= action < LAY_OFF


def is_midway(games: np.ndarray) -> np.ndarray:
    """Whether the seat asked in each of GAME[N] has begun a move that it must make whole, bool[N]."""
    return games["groups_laid"] > 0


def action_move(game: np.record, action: int) -> Json:
    """One action of the seat asked as a move; a lay action as the part of a go-down it is."""
    simple = {PASS: "pass", BUY: "buy", DRAW_STOCK: "draw_stock", TAKE_DISCARD: "take_discard"}
    if action in simple:
        return {"type": simple[action]}
    if action < LAY_OFF:
        cards = [FACE_NAMES[face] for face in LAY_FACES[action, : LAY_SIZES[action]].tolist()]
        return {
            "type": "go_down",
            "groups": [{"kind": "three" if action < LAY_FOUR else "four", "cards": cards}],
        }
    if action < DISCARD:
        slot, place = divmod(action - LAY_OFF, NUM_PLACES)
        owner = int((game.acting + slot // MAX_GROUPS) % game.num_seats)
        face = int(face_wanted(game.public[owner].groups[slot % MAX_GROUPS], place))
        move = {"type": "lay_off", "owner": owner, "group": slot % MAX_GROUPS}
        return move | {"card": FACE_NAMES[face] if face != NO_FACE else None} | end_json(place)
    return {"type": "discard", "card": FACE_NAMES[action - DISCARD]}


def actions_move(game: np.record, actions: Sequence[int]) -> Json:
    """The move that a seat's actions spell: one action, or the lay actions of a whole go-down."""
    moves = [action_move(game, action) for action in actions]
    if moves[0]["type"] != "go_down":
        return moves[0]
    return {"type": "go_down", "groups": [group for move in moves for group in move["groups"]]}


def move_actions(game: np.record, move: Json) -> list[int]:
    """The actions that a move spells, for the seat asked; raises `IllegalActionError` if it spells none.

    A go-down becomes its lay actions in canonical order, larger groups with their lay-offs after it.
    Whether the actions are legal is for the mask to say.
    """
    if not isinstance(move, dict):
        raise IllegalActionError(f"{move!r} is no move; give an object with a type")
    simple = {"pass": PASS, "buy": BUY, "draw_stock": DRAW_STOCK, "take_discard": TAKE_DISCARD}
    kind = move.get("type")
    try:
        if isinstance(kind, str) and kind in simple:
            return [simple[kind]]
        if kind == "discard":
            return [DISCARD + parse_face(move.get("card", ""))]
        if kind == "lay_off":
            return [_lay_off_action(game, move)]
        if kind == "go_down":
            return _go_down_actions(move)
    except (UnknownCardError, TableError) as error:
        raise IllegalActionError(f"move {kind}: {error}") from None
    raise IllegalActionError(
        f"move type {kind!r}; give one of {', '.join(simple)}, go_down, lay_off, discard"
    )


def _lay_off_action(game: np.record, move: Json) -> int:
    n = int(game.num_seats)
    owner = read_int(move, "owner", 0, n - 1)
    index = read_int(move, "group", 0, MAX_GROUPS - 1)
    face = parse_face(move.get("card", ""))
    group = game.public[owner].groups[index]
    end = move.get("end")
    if end not in (None, "low", "high"):
        raise TableError(f"end: {end!r}; give 'low' or 'high', on a run only")
    ends = range(NUM_PLACES) if end is None else [LOW_END if end == "low" else HIGH_END]
    places = [place for place in ends if face_wanted(group, place) == face]
    if len(places) != 1:
        problem = "fits at both ends; name the end" if places else "does not fit there"
        raise TableError(f"{move['card']} on group {index} of seat {owner} {problem}")
    slot = MAX_GROUPS * ((owner - int(game.acting)) % n) + index
    return LAY_OFF + NUM_PLACES * slot + places[0]


def _go_down_actions(move: Json) -> list[int]:
    groups = read_field(move, "groups", list)
    if not groups or len(groups) > MAX_GROUPS:
        raise TableError(f"groups: {len(groups)} given; give the whole goal")
    parsed = [parse_group(group, f"groups[{i}]") for i, group in enumerate(groups)]
    parsed.sort(key=smallest_lay)
    lays = [smallest_lay(group) for group in parsed]
    lay_offs: list[int] = []
    for index, (group, lay) in enumerate(zip(parsed, lays, strict=True)):
        base = LAY_OFF + NUM_PLACES * index
        if group.is_three:
            suits = [suit for suit in range(NUM_SUITS) for _ in range(group.suits[suit])]
            lay_offs += [base + suit for suit in suits[3:]]
        else:
            start = (lay - LAY_FOUR) % NUM_STARTS
            lay_offs += [base + LOW_END] * (start - int(group.low))
            lay_offs += [base + HIGH_END] * (int(group.low) + int(group.length) - start - 4)
    return lays + lay_offs


def describe_illegal(game: np.record, action: Any, mask: np.ndarray) -> str:
    """Why an action is refused, and what would be legal now."""
    if game.phase == Phase.OVER:
        return "the game is over; no action is legal"
    where = f"round {int(game.rounds[game.num_finished])}, turn {int(game.turns)}, phase {PHASES[game.phase]}"
    return refusal(int(game.acting), action, mask, lambda legal: action_text(game, legal), where)


def action_text(game: np.record, action: int) -> str:
    """An action of the seat asked in words, as `lay off 7H on player_0's group 1`."""
    move = action_move(game, action)
    match move["type"]:
        case "go_down":
            return f"lay {' '.join(move['groups'][0]['cards'])}"
        case "lay_off":
            card = move["card"] or "a card"
            return f"lay off {card} on player_{move['owner']}'s group {move['group']}"
        case "discard":
            return f"discard {move['card']}"
        case kind:
            return kind.replace("_", " ")
