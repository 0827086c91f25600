"""What a process of the service is to the others: on a core of its own, and gone with its parent."""

import os
import signal
import tempfile
from pathlib import Path
from typing import IO

# What scripts/serve.py tells the processes of the HTTP server, in their environment.
BUNDLE, GAME, TOKEN, WORKERS = "JO_BUNDLE", "JO_GAME", "JO_TOKEN", "JO_WORKERS"
MOST_WAITING, LOG_REQUESTS, PATIENCE = "JO_MOST_WAITING", "JO_LOG_REQUESTS", "JO_PATIENCE"

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h
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


def end_with_parent() -> None:
    """Stop as by SIGTERM when the process that started this one is gone, however it went. Only on Linux."""
    parent = os.getppid()
    try:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:  # it went meanwhile
        os.kill(os.getpid(), signal.SIGTERM)
