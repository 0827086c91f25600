"""What a policy was made for: every checkpoint and bundle carries it, and plays with nothing else."""

import hashlib
import json
from types import ModuleType
from typing import Any

from agents.games import load_game
from jo_env.errors import SettingsError


def versions(game: ModuleType) -> dict[str, Any]:
    """What a policy must have been made for to play a game here, as it stands in the files."""
    room = game.room
    return {
        "game": room.GAME_NAME,
        "env_version": room.ENV_VERSION,  # of rules and actions
        "protocol": room.PROTOCOL,
        "observation_version": room.OBSERVATION_VERSION,
        "num_features": game.LAYOUT.num_features,
        "feature_layout": game.LAYOUT.hash,
        "num_actions": room.NUM_ACTIONS,
        "action_table": sha256(json.dumps(room.action_table()).encode()),
    }


_PAGES = {"feature_layout": "docs/observation.md", "action_table": "docs/actions.md"}


def mismatch(found: dict[str, Any]) -> str | None:
    """What a header says that is not so here, in words, or None if a policy of that header can be played."""
    try:
        game = load_game(found.get("game"))
    except SettingsError as error:
        return str(error)
    for key, ours in versions(game).items():
        theirs = found.get(key)
        if theirs != ours:
            why = f" ({_PAGES[key]} has changed)" if key in _PAGES else ""
            return f"{key} is {_short(theirs)}, this version plays {_short(ours)}{why}; make it anew"
    return None


def _short(value: Any) -> str:
    """A value as text, a checksum by its beginning."""
    return f"{value[:12]!r}..." if isinstance(value, str) and len(value) > 24 else repr(value)


def rules_hash(game: ModuleType) -> str:
    return sha256(json.dumps(game.room.rules(), sort_keys=True).encode())


def sha256(data: bytes) -> str:
    """A checksum as the files write it."""
    return hashlib.sha256(data).hexdigest()
