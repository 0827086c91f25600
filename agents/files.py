"""Results appear whole or not at all."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Call `write(temporary path)`, then move the file or folder it made to `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        if temporary.is_file():
            temporary.chmod(0o644)  # safetensors lets nobody else read
        os.replace(temporary, path)
    except BaseException:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)
        raise


def save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays by name as one .npz file."""

    def write(temporary: Path) -> None:
        with temporary.open("wb") as file:  # savez would put another ending to the name
            np.savez(file, **arrays)  # type: ignore[arg-type]  # of its stub

    write_atomically(path, write)
