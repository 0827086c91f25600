"""From the game record to JSON: snapshots, views, and the events of the last action."""

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES
from jo_env.jo.actions import (
    NUM_PLACES,
)
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.notation import GAME_NAME, PHASES, PROTOCOL, Json, end_json, group_json, hand_texts
from jo_env.jo.state import (
    MAX_BUYS,
    NO_FACE,
    NO_LIMIT,
    NOBODY,
    Event,
    Phase,
)


def snapshot(game: np.record, events: list[Json]) -> Json:
    """The whole table, hidden cards and luck included, as JSON-ready data."""
    n = int(game.num_seats)
    upcoming = range(int(game.num_finished) + 1, int(game.num_rounds))
    shoes = [
        [FACE_NAMES[face] for face in game.shoes[i][: game.decks * NUM_FACES]] if game.has_shoe[i] else None
        for i in upcoming
    ]
    while shoes and shoes[-1] is None:
        shoes.pop()
    return {
        "game": GAME_NAME,
        **_public_json(game),
        "acting": None if game.acting == NOBODY else int(game.acting),
        "hands": [hand_texts(game.own[s].hand) for s in range(n)],
        "stock": [FACE_NAMES[face] for face in game.stock[: game.stock_size]],
        "points": [[int(p) for p in game.points[i][:n]] for i in range(game.num_finished)],
        "events": list(events),
        "shoes": shoes,
        "rng": {"seed": hex(game.seed), "state": hex(game.rng)},
    }


def view_json(game: np.record, seat: int, events: list[Json]) -> Json:
    """What `seat` may know, as a game server sends it to a bot."""
    n = int(game.num_seats)
    return {
        "protocol": PROTOCOL,
        "game": GAME_NAME,
        "seat": int(seat),
        **_public_json(game),
        "hand": hand_texts(game.own[seat].hand),
        "hand_sizes": [int(game.public[s].hand_size) for s in range(n)],
        "stock_size": int(game.stock_size),
        "scores": [int(game.scores[s]) for s in range(n)],
        "events": list(events),
    }


def _public_json(game: np.record) -> Json:
    """What a snapshot and a view have in common."""
    n = int(game.num_seats)
    is_over = game.phase == Phase.OVER
    return {
        "seats": n,
        "dealer": int(game.dealer),
        "rounds": [int(r) for r in game.rounds[: game.num_rounds]],
        "round": int(game.rounds[game.num_finished - is_over]),
        "turns": int(game.turns),
        "turn": int(game.turn),
        "phase": PHASES[game.phase],
        "down": [bool(game.public[s].down) for s in range(n)],
        "buys_used": [MAX_BUYS - int(game.public[s].buys_left) for s in range(n)],
        "groups": [
            [group_json(group) for group in game.public[s].groups if group.length > 0] for s in range(n)
        ],
        "discard": [FACE_NAMES[face] for face in game.discard[: game.discard_size]],
        "requests": [int(s) for s in game.requests[: game.num_requests]],
        "taken": None if game.taken == NO_FACE else FACE_NAMES[game.taken],
        "discarded_by": None if game.discarded_by == NOBODY else int(game.discarded_by),
        "rules": {
            "decks": int(game.decks),
            "max_turns": None if game.max_turns == NO_LIMIT else int(game.max_turns),
        },
    }


def news(game: np.record) -> list[Json]:
    """The events of the last action, as everyone saw them."""
    return [_event_json(game, *row) for row in game["news"][: game["num_news"]].tolist()]


def _event_json(game: np.record, event: int, seat: int, face: int, target: int, owner: int) -> Json:
    match event:
        case Event.REQUEST:
            return {"event": "request", "seat": seat}
        case Event.PASS:
            return {"event": "pass", "seat": seat}
        case Event.DRAW if face == NO_FACE:
            return {"event": "draw", "seat": seat, "from": "stock"}
        case Event.DRAW:
            return {"event": "draw", "seat": seat, "from": "discard", "card": FACE_NAMES[face]}
        case Event.BUY:
            return {"event": "buy", "seat": seat, "card": FACE_NAMES[face]}
        case Event.GO_DOWN:
            groups = [group_json(group) for group in game.public[seat].groups if group.length > 0]
            return {"event": "go_down", "seat": seat, "groups": groups}
        case Event.LAY_OFF:
            slot, place = divmod(target, NUM_PLACES)
            data = {"event": "lay_off", "seat": seat, "owner": owner, "group": slot % MAX_GROUPS}
            return data | {"card": FACE_NAMES[face]} | end_json(place)
        case Event.DISCARD:
            return {"event": "discard", "seat": seat, "card": FACE_NAMES[face]}
        case _:
            return {"event": "recycle"}
