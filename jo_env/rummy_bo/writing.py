"""From the game record to JSON: snapshots, views, and the events of the last action."""

import numpy as np

from jo_env.cards import FACE_NAMES
from jo_env.fields import Json
from jo_env.rummy_bo.actions import ADD_ABOVE, ADD_BELOW, LAY_CARDS, LAY_RUN
from jo_env.rummy_bo.notation import GAME_NAME, PHASES, PROTOCOL, card_names, group_json
from jo_env.rummy_bo.state import GROUP, NO_FACE, NO_LIMIT, NOBODY, Event, Phase


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
        "hands": [card_names(held) for held in game["held"][:n]],
        "stock": _names(game["stock"][: game["stock_size"]]),
        "stock_known": bool(game["is_stock_known"]),
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
        "hand": card_names(game["held"][seat]),
        "hand_sizes": game["hand_size"][:n].tolist(),
        "stock_size": int(game["stock_size"]),
        "stock": _names(game["stock"][: game["stock_size"]]) if game["is_stock_known"] else None,
        "scores": game["scores"][:n].tolist(),
        "events": list(events),
    }


def _public_json(game: np.record) -> Json:
    """What a snapshot and a view have in common."""
    n, phase, max_turns = (int(game[name]) for name in ("num_seats", "phase", "max_turns"))
    groups = game["groups"][: game["num_groups"]]
    return {
        "seats": n,
        "dealer": int(game["dealer"]),
        "num_hands": int(game["num_hands"]),
        "hand_number": int(game["num_finished"]) + (phase != Phase.OVER),
        "turns": int(game["turns"]),
        "turn": int(game["turn"]),
        "phase": PHASES[phase],
        "melded": game["has_melded"][:n].astype(bool).tolist(),
        "groups": [group_json(group) for group in groups],
        "laid": int(groups["is_new"].sum()),
        "laid_off": int(game["laid_off"]),
        "discard": _names(game["discard"][: game["discard_size"]]),
        "taken": card_names(game["taken"]),
        "rules": {"max_turns": None if max_turns == NO_LIMIT else max_turns},
    }


def _names(faces: np.ndarray) -> list[str]:
    return [FACE_NAMES[face] for face in faces.tolist()]


def news(game: np.record) -> list[Json]:
    """The events of the last action, as everyone saw them."""
    return [_event_json(*game["news"][:5].tolist())] if game["num_news"] else []


def _event_json(event: int, seat: int, first: int, second: int, action: int) -> Json:
    cards = [FACE_NAMES[face] for face in (first, second) if face != NO_FACE]
    match event:
        case Event.DRAW:
            data: Json = {"event": "draw", "seat": seat, "from": "stock"}
            return data | {"cards": cards} if cards else data
        case Event.TAKE:
            return {"event": "draw", "seat": seat, "from": "discard", "cards": cards}
        case Event.TURN_OVER:
            return {"event": "turn_over", "seat": seat, "card": cards[0]}
        case Event.LAY:
            return {"event": "lay", "seat": seat, **lay_json(action)}
        case Event.LAY_OFF:
            data = {"event": "lay_off", "seat": seat, "group": second, "card": FACE_NAMES[first]}
            return data | end_json(action)
        case _:
            return {"event": "discard", "seat": seat, "card": cards[0]}


def lay_json(action: int) -> Json:
    """The group that a lay action lays."""
    group = np.zeros(1, GROUP)[0]
    if action < LAY_RUN:
        group.is_set, group.cards = 1, LAY_CARDS[action]
    else:
        group.low, group.length = action - LAY_RUN, 3  # the runs are numbered by their lowest face
    return group_json(group)


def end_json(action: int) -> Json:
    """At which end of a run a lay-off action adds; nothing for a set."""
    if action < ADD_BELOW:
        return {}
    return {"end": "low" if action < ADD_ABOVE else "high"}
