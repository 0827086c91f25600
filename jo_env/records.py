"""Records: rows of data whose fields are attributes, the same in compiled and in plain code."""

from collections.abc import Sequence

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


def opaque(records: np.ndarray) -> np.ndarray:
    """The same records as so many bytes each, which NumPy copies at once and not field by field."""
    return records.view(f"V{records.itemsize}")


def taken(records: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A copy of the records at these rows."""
    picked = opaque(records)[rows]
    return np.ndarray(picked.shape, records.dtype, picked)  # `view` would look at every field


def joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """A copy of the records of several arrays of one type."""
    together = np.concatenate([opaque(records) for records in arrays])
    return np.ndarray(together.shape, arrays[0].dtype, together)


def layout(dtype: np.dtype) -> list[tuple[str, int, int]]:
    """A record of records as a table: (field, offset, size) in order."""
    rows: list[tuple[str, int, int]] = []

    def walk(name: str, dtype: np.dtype, offset: int) -> None:
        if dtype.subdtype and dtype.subdtype[0].names:
            base, (count,) = dtype.subdtype
            for i in range(count):
                walk(f"{name}[{i}]", base, offset + i * base.itemsize)
        elif dtype.names:
            for field, (kind, start, *_) in (dtype.fields or {}).items():
                walk(f"{name}.{field}" if name else field, kind, offset + start)
        else:
            rows.append((name, offset, dtype.itemsize))

    walk("", dtype, 0)
    return rows
