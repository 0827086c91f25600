"""From the game record to JSON: snapshots, views, and the events of the last action."""

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES
from jo_env.fields import Json
from jo_env.jo.actions import (
    NUM_PLACES,
)
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.notation import GAME_NAME, PHASES, PROTOCOL, end_json, groups_json, hand_texts
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
    n = int(game["num_seats"])
    upcoming = range(int(game["num_finished"]) + 1, int(game["num_rounds"]))
    num_cards = int(game["decks"]) * NUM_FACES
    shoes = [_names(game["shoes"][i][:num_cards]) if game["has_shoe"][i] else None for i in upcoming]
    while shoes and shoes[-1] is None:
        shoes.pop()
    acting = int(game["acting"])
    return {
        "game": GAME_NAME,
        **_public_json(game),
        "acting": None if acting == NOBODY else acting,
        "hands": [hand_texts(hand) for hand in game["own"]["hand"][:n]],
        "stock": _names(game["stock"][: game["stock_size"]]),
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
        "hand": hand_texts(game["own"]["hand"][seat]),
        "hand_sizes": game["public"]["hand_size"][:n].tolist(),
        "stock_size": int(game["stock_size"]),
        "scores": game["scores"][:n].tolist(),
        "events": list(events),
    }


def _public_json(game: np.record) -> Json:
    """What a snapshot and a view have in common."""
    n, phase, max_turns, taken, discarded_by = (
        int(game[name]) for name in ("num_seats", "phase", "max_turns", "taken", "discarded_by")
    )
    rounds = game["rounds"][: game["num_rounds"]].tolist()
    public = game["public"][:n]
    return {
        "seats": n,
        "dealer": int(game["dealer"]),
        "rounds": rounds,
        "round": rounds[int(game["num_finished"]) - (phase == Phase.OVER)],
        "turns": int(game["turns"]),
        "turn": int(game["turn"]),
        "phase": PHASES[phase],
        "down": public["down"].astype(bool).tolist(),
        "buys_used": (MAX_BUYS - public["buys_left"]).tolist(),
        "groups": groups_json(public["groups"]),
        "discard": _names(game["discard"][: game["discard_size"]]),
        "requests": game["requests"][: game["num_requests"]].tolist(),
        "taken": None if taken == NO_FACE else FACE_NAMES[taken],
        "discarded_by": None if discarded_by == NOBODY else discarded_by,
        "rules": {
            "decks": int(game["decks"]),
            "max_turns": None if max_turns == NO_LIMIT else max_turns,
        },
    }


def _names(faces: np.ndarray) -> list[str]:
    return [FACE_NAMES[face] for face in faces.tolist()]


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
            (groups,) = groups_json(game.public[seat].groups[None])
            return {"event": "go_down", "seat": seat, "groups": groups}
        case Event.LAY_OFF:
            slot, place = divmod(target, NUM_PLACES)
            data = {"event": "lay_off", "seat": seat, "owner": owner, "group": slot % MAX_GROUPS}
            return data | {"card": FACE_NAMES[face]} | end_json(place)
        case Event.DISCARD:
            return {"event": "discard", "seat": seat, "card": FACE_NAMES[face]}
        case _:
            return {"event": "recycle"}
