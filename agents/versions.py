"""What a policy was made for: every checkpoint and bundle carries it, and plays with nothing else."""

import hashlib
import json
from typing import Any

from agents.features import NUM_FEATURES, layout_hash
from jo_env import jo
from jo_env.cards import FACE_NAMES
from jo_env.jo.actions import DISCARD, LAY_FACES, LAY_OFF, LAY_SIZES, NUM_ACTIONS, NUM_PLACES
from jo_env.jo.goals import CARDS_DEALT, FOURS, THREES
from jo_env.jo.notation import PROTOCOL
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.state import MAX_BUYS


def versions() -> dict[str, Any]:
    """What a policy must have been made for to be played here, as it stands in the files."""
    return {
        "game": jo.GAME_NAME,
        "env_version": jo.ENV_VERSION,  # of rules and actions
        "protocol": PROTOCOL,
        "observation_version": jo.OBSERVATION_VERSION,
        "num_features": NUM_FEATURES,
        "feature_layout": layout_hash(),
        "num_actions": NUM_ACTIONS,
        "action_table": sha256(json.dumps(action_table()).encode()),
    }


_PAGES = {"feature_layout": "docs/observation.md", "action_table": "docs/actions.md"}


def mismatch(found: dict[str, Any]) -> str | None:
    """What a header says that is not so here, in words, or None if a policy of that header can be played."""
    for key, ours in versions().items():
        theirs = found.get(key)
        if theirs != ours:
            why = f" ({_PAGES[key]} has changed)" if key in _PAGES else ""
            return f"{key} is {_short(theirs)}, this version plays {_short(ours)}{why}; make it anew"
    return None


def _short(value: Any) -> str:
    """A value as text, a checksum by its beginning."""
    return f"{value[:12]!r}..." if isinstance(value, str) and len(value) > 24 else repr(value)


def action_table() -> list[str]:
    """Every action as text, whatever the table: what an index means, for the checksum of the table."""
    simple = ["pass", "buy", "draw_stock", "take_discard"]
    lays = [
        "lay " + " ".join(FACE_NAMES[face] for face in LAY_FACES[action][: LAY_SIZES[action]])
        for action in range(len(simple), LAY_OFF)
    ]
    lay_offs = [f"lay_off {i // NUM_PLACES} {i % NUM_PLACES}" for i in range(DISCARD - LAY_OFF)]
    return [*simple, *lays, *lay_offs, *(f"discard {name}" for name in FACE_NAMES)]


def rules() -> dict[str, Any]:
    """The rules that a policy was trained under, as far as they are numbers."""
    return {
        "goals": [[int(threes), int(fours)] for threes, fours in zip(THREES, FOURS, strict=True)],
        "cards_dealt": [int(count) for count in CARDS_DEALT],
        "points": dict(zip(FACE_NAMES, (int(points) for points in FACE_POINTS), strict=True)),
        "buys": MAX_BUYS,
        "decks": 2,
    }


def rules_hash() -> str:
    return sha256(json.dumps(rules(), sort_keys=True).encode())


def sha256(data: bytes) -> str:
    """A checksum as the files write it."""
    return hashlib.sha256(data).hexdigest()
