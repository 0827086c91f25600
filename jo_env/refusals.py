"""Why an action is refused, in words."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jo_env.checks import is_action


def refusal(seat: int, action: Any, mask: np.ndarray, text: Callable[[int], str], where: str) -> str:
    """Why a seat may not play an action, and what would be legal now; `text` puts an action in words."""
    if not is_action(action) or not 0 <= action < len(mask):
        return f"{action!r} is no action; give an integer from 0 to {len(mask) - 1}"
    legal = np.flatnonzero(mask).tolist()
    shown = ", ".join(f"{a} {text(a)}" for a in legal[:8])
    more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
    what = f"{action} ({text(int(action))})"
    return f"player_{seat} may not play {what}; legal now: {shown}{more} ({where})"
