"""The one decorator for compiled code.

Set ``NUMBA_DISABLE_JIT=1`` to run everything as plain Python (debugger, coverage), and
``NUMBA_BOUNDSCHECK=1`` to have every array access checked.
"""

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable)

if numba.config.DISABLE_JIT:
    # Uncompiled, NumPy warns where the 64-bit products of the generator wrap. They are meant to.
    np.seterr(over="ignore")


@functools.cache
def _cache_folder(package_folder: Path) -> str:
    """A cache folder named after the sources: numba itself misses edits in called files."""
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    for folder in sorted({Path(__file__).parent, package_folder}):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return str(root / "jo_env" / digest.hexdigest()[:16])


def jit(function: F) -> F:
    """Compile `function`, releasing the GIL, with an on-disk cache that notices every edit."""
    module_depth = function.__module__.count(".")
    package_folder = Path(function.__code__.co_filename).resolve().parents[max(module_depth - 1, 0)]
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _cache_folder(package_folder)
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore
    finally:
        numba.config.CACHE_DIR = before
