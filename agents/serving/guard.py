"""Work that may fail, hang or be slow, behind a circuit breaker that closes by itself.

The work runs on a thread of its own, so that the caller can stop waiting for it. The breaker opens when
work raises, or has run for longer than `patience` seconds, and nobody waits longer: who comes next may have
less time. Then none is tried until `cooldown` seconds
have passed and the thread is free again; the next piece is the trial, and its success closes the breaker.
"""

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

Clock = Callable[[], float]


PATIENCE = 1.0  # seconds


class GuardError(Exception):
    """The work gave no result: it failed, took too long, or was not tried."""


class Guard:
    """Runs work with a time limit; may be called from many threads. `clock` counts seconds."""

    def __init__(
        self, patience: float = PATIENCE, cooldown: float = 5.0, clock: Clock = time.monotonic
    ) -> None:
        self.patience = patience
        self.cooldown = cooldown
        self.clock = clock
        self._work: SimpleQueue[tuple[Callable[[], Any], SimpleQueue]] = SimpleQueue()
        self._lock = threading.Lock()
        self._busy_since: float | None = None  # when the thread began what it is at
        self._retry_at: float | None = None  # while the breaker is open
        threading.Thread(target=self._run, daemon=True, name="guarded work").start()

    @property
    def is_open(self) -> bool:
        """Whether the last work failed and none has succeeded since."""
        return self._retry_at is not None

    def call(self, work: Callable[[], Any], timeout: float) -> Any:
        """The result of `work()`, within `timeout` and `patience` seconds; raises `GuardError` otherwise."""
        with self._lock:
            self._open_if_stuck()
            if self._retry_at is not None:
                if self.clock() < self._retry_at or self._busy_since is not None:
                    raise GuardError("not tried: the breaker is open")
                self._retry_at = self.clock() + self.cooldown  # one trial; others wait for its outcome
        reply: SimpleQueue[tuple[Any, Exception | None]] = SimpleQueue()
        self._work.put((work, reply))
        try:
            result, error = reply.get(timeout=max(min(timeout, self.patience), 0.0))
        except Empty:
            with self._lock:
                if timeout >= self.patience:
                    self._retry_at = self.clock() + self.cooldown
                self._open_if_stuck()
            raise GuardError(f"no result after {min(timeout, self.patience):.3g} s") from None
        with self._lock:
            self._retry_at = None if error is None else self.clock() + self.cooldown
        if error is not None:
            raise GuardError(f"{type(error).__name__}: {error}") from error
        return result

    def _open_if_stuck(self) -> None:
        if self._busy_since is not None and self.clock() - self._busy_since > self.patience:
            self._retry_at = self.clock() + self.cooldown

    def _run(self) -> None:
        while True:
            work, reply = self._work.get()
            result, failure = None, None
            self._busy_since = self.clock()
            try:
                result = work()
            except Exception as error:
                failure = error
            self._busy_since = None
            reply.put((result, failure))
