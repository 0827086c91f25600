"""From the game record to JSON: snapshots, views, and the events of the last action."""

import numpy as np

from jo_env.cards import FACE_NAMES
from jo_env.fields import Json
from jo_env.rummy_bo.actions import LAY_FACES, LAY_RUN, LAY_SIZES
from jo_env.rummy_bo.notation import (
    GAME_NAME,
    PHASES,
    PROTOCOL,
    card_texts,
    end_json,
    group_json,
    plain_groups,
)
from jo_env.rummy_bo.state import NO_FACE, NO_LIMIT, NOBODY, Event, Phase


def snapshot(game: np.record, events: list[Json]) -> Json:
    """The whole table, hidden cards and luck included, as JSON-ready data."""
    n = int(game["num_seats"])
    upcoming = range(int(game["num_finished"]) + 1, int(game["num_hands"]))
    shoes = [_names(game["shoes"][i]) if game["has_shoe"][i] else None for i in upcoming]
    while shoes and shoes[-1] is None:
        shoes.pop()
    acting = int(game["acting"])
    return {
        "game": GAME_NAME,
        **_public_json(game),
        "acting": None if acting == NOBODY else acting,
        "hands": [card_texts(cards) for cards in game["own"]["cards"][:n].tolist()],
        "stock": _names(game["stock"][: game["stock_size"]]),
        "turned_over": bool(game["turned_over"]),
        "points": game["points"][: game["num_finished"], :n].tolist(),
        "events": list(events),
        "shoes": shoes,
        "rng": {"seed": hex(game["seed"]), "state": hex(game["rng"])},
    }


def view_json(game: np.record, seat: int, events: list[Json]) -> Json:
    """What `seat` may know, as a game server sends it to a bot."""
    n = int(game["num_seats"])
    return {
        "protocol": PROTOCOL,
        "game": GAME_NAME,
        "seat": int(seat),
        **_public_json(game),
        "hand": card_texts(int(game["own"]["cards"][seat])),
        "hand_sizes": game["public"]["hand_size"][:n].tolist(),
        "stock_size": int(game["stock_size"]),
        "stock": _names(game["stock"][: game["stock_size"]]) if game["turned_over"] else None,
        "scores": game["scores"][:n].tolist(),
        "events": list(events),
    }


def _public_json(game: np.record) -> Json:
    """What a snapshot and a view have in common."""
    n, phase, max_turns = (int(game[name]) for name in ("num_seats", "phase", "max_turns"))
    return {
        "seats": n,
        "dealer": int(game["dealer"]),
        "num_hands": int(game["num_hands"]),
        "hand_number": int(game["num_finished"]) + (phase != Phase.OVER),
        "turns": int(game["turns"]),
        "turn": int(game["turn"]),
        "phase": PHASES[phase],
        "melded": game["public"]["has_melded"][:n].astype(bool).tolist(),
        "groups": [group_json(group) for group in plain_groups(game["groups"][: game["num_groups"]])],
        "laid": int(game["laid"]),
        "laid_off": int(game["laid_off"]),
        "discard": _names(game["discard"][: game["discard_size"]]),
        "taken": card_texts(int(game["taken"])),
        "rules": {"max_turns": None if max_turns == NO_LIMIT else max_turns},
    }


def _names(faces: np.ndarray) -> list[str]:
    return [FACE_NAMES[face] for face in faces.tolist()]


def news(game: np.record) -> list[Json]:
    """The events of the last action, as everyone saw them."""
    return [_event_json(*row) for row in game["news"][: game["num_news"]].tolist()]


def _event_json(event: int, seat: int, what: int, second: int, third: int) -> Json:
    match event:
        case Event.DRAW:
            drawn = [FACE_NAMES[face] for face in (second, third) if face != NO_FACE]
            data = {"event": "draw", "seat": seat, "from": "stock", "count": what}
            return data | ({"cards": drawn} if drawn else {})
        case Event.TAKE:
            taken = [FACE_NAMES[face] for face in (second, third) if face != NO_FACE]
            return {"event": "draw", "seat": seat, "from": "discard", "cards": taken}
        case Event.TURN_OVER:
            return {"event": "turn_over", "seat": seat}
        case Event.LAY:
            cards = _names(LAY_FACES[what, : LAY_SIZES[what]])
            return {"event": "lay", "seat": seat, "kind": "run" if what >= LAY_RUN else "set", "cards": cards}
        case Event.LAY_OFF:
            data = {"event": "lay_off", "seat": seat, "group": second, "card": FACE_NAMES[what]}
            return data | end_json(third)
        case _:
            return {"event": "discard", "seat": seat, "card": FACE_NAMES[what]}
