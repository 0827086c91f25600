"""Records: rows of data whose fields are attributes, the same in compiled and in plain code."""

import numpy as np

CACHE_LINE = 64  # bytes


def record(*fields) -> np.dtype:
    """A record type whose fields are attributes, compiled or not."""
    return np.dtype((np.record, np.dtype(list(fields))))


def zeroed(count: int, dtype: np.dtype) -> np.ndarray:
    """So many records of zeros, the first at the beginning of a cache line."""
    memory = np.zeros(count * dtype.itemsize + CACHE_LINE, np.int8)
    start = -memory.__array_interface__["data"][0] % CACHE_LINE
    return np.ndarray(count, dtype, memory, start)
