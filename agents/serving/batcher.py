"""What arrives while a batch is being answered becomes the next batch."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agents.serving.requests import MAX_BATCH
from jo_env.fields import Json


class BusyError(Exception):
    """As many requests as may are waiting already."""


class Batcher:
    """Answers requests from an event loop, up to `MAX_BATCH` at a time, on one thread beside it.

    `answer_all` gets the requests and when they arrived by `clock`; at most `most_waiting` may wait.
    """

    def __init__(
        self,
        answer_all: Callable[[Sequence[Any], Sequence[float]], list[Json]],
        clock: Callable[[], float],
        most_waiting: int = 256,
        observe: Callable[[int], None] = lambda size: None,
    ) -> None:
        self.answer_all = answer_all
        self.clock = clock
        self.most_waiting = most_waiting
        self.observe = observe  # is told the size of every batch
        self._waiting: list[tuple[Any, float, asyncio.Future[Json]]] = []
        self._worker: asyncio.Task | None = None
        self._thread = ThreadPoolExecutor(1, "answers")

    async def answer(self, requests: Sequence[Any]) -> list[Json]:
        """The answers to one or more requests; raises `BusyError`, and then none is answered."""
        if len(self._waiting) + len(requests) > self.most_waiting:
            raise BusyError
        loop = asyncio.get_running_loop()
        now = self.clock()
        futures = [loop.create_future() for _ in requests]
        self._waiting += [(data, now, future) for data, future in zip(requests, futures, strict=True)]
        if self._worker is None or self._worker.done():
            self._worker = loop.create_task(self._work())
        return [await future for future in futures]

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            requests, arrived, futures = zip(*batch, strict=True)
            self.observe(len(batch))
            try:
                answers = await loop.run_in_executor(self._thread, self.answer_all, requests, arrived)
            except Exception as error:
                for future in futures:
                    if not future.done():
                        future.set_exception(error)
                continue
            for future, answer in zip(futures, answers, strict=True):
                if not future.done():  # its client may be gone
                    future.set_result(answer)
