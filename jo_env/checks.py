"""What may stand for a whole number where a user hands one in."""

from typing import Any

import numpy as np

_INTEGERS = (int, np.integer)  # made once: a view may hold hundreds of numbers


def is_int(value: Any) -> bool:
    """Whether a value is a whole number, NumPy's included, and no bool."""
    return type(value) is int or (isinstance(value, _INTEGERS) and not isinstance(value, bool))


def is_action(value: Any) -> bool:
    """Whether a value may stand for an action: a whole number, or an integer array without dimensions."""
    return is_int(value) or (isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu")
