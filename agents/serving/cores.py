"""One process, one core."""

import os
import tempfile
from pathlib import Path
from typing import IO

_claim: IO | None = None  # open, and so locked, until the process ends


def stay_on_one_core() -> int | None:
    """Keep this process on a core that no other computer seats are on; None where there is none left.

    Its threads hand every request to and fro, which takes as long as a decision itself where a sleeping core
    must be woken each time. Only on Linux.
    """
    global _claim
    try:
        import fcntl

        cores = sorted(os.sched_getaffinity(0))
    except (ImportError, AttributeError):
        return None
    if len(cores) == 1:
        return cores[0]
    for core in cores:
        try:
            claim = (Path(tempfile.gettempdir()) / f"jo-seats-core-{core}").open("w")
        except OSError:  # another user's
            continue
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            claim.close()
            continue
        os.sched_setaffinity(0, {core})
        _claim = claim
        return core
    return None
