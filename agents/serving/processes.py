"""What a process of the service is to the others: on a core of its own, and gone with its parent."""

import os
import signal
import socket
import sys

# What scripts/serve.py tells the processes of the HTTP server, in their environment.
BUNDLE, GAME, TOKEN, WORKERS = "JO_BUNDLE", "JO_GAME", "JO_TOKEN", "JO_WORKERS"
MOST_WAITING, LOG_REQUESTS, PATIENCE = "JO_MOST_WAITING", "JO_LOG_REQUESTS", "JO_PATIENCE"

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h
_claim: socket.socket | None = None  # open, and so its name taken, until the process ends


def stay_on_one_core() -> int | None:
    """Keep this process on a core that no other computer seats are on; None where there is none left.

    Its threads hand every request to and fro, which takes as long as a decision itself where a sleeping core
    must be woken each time. Only on Linux.
    """
    global _claim
    if sys.platform != "linux":
        return None
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) == 1:
        return cores[0]
    for core in cores:
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0jo-seats-core-{core}")  # a name without a file
        except OSError:
            claim.close()
            continue
        os.sched_setaffinity(0, {core})
        _claim = claim
        return core
    return None


class SharedPort(socket.socket):
    """A port that every process handed it listens to with a socket of its own.

    Linux then spreads connections over them; of one socket the first process to wake takes all.
    """

    def __init__(self, host: str, port: int) -> None:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        super().__init__(found[0][0], socket.SOCK_STREAM)
        self.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.bind(found[0][4])

    def __reduce__(self) -> tuple[type["SharedPort"], tuple[str, int]]:
        return SharedPort, self.getsockname()[:2]


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
