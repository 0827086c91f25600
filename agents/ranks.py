"""The processes of a training run: started by torchrun, speaking through torch.distributed."""

import os
import signal
from collections.abc import Callable

import torch
import torch.distributed as dist
from rich.console import Console
from torch import Tensor
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

MOST_RESTARTS = 3


class Ranks:
    """The processes of a run; alone when not started by torchrun."""

    def __init__(self) -> None:
        self.size = int(os.environ.get("WORLD_SIZE", 1))
        self.index = int(os.environ.get("RANK", 0))
        if self.size > 1 and not dist.is_initialized():
            # Means of a few numbers and of small gradients: gloo does them from any device.
            dist.init_process_group("gloo")

    @property
    def leads(self) -> bool:
        return self.index == 0

    def mean(self, values: Tensor) -> Tensor:
        """The mean of a tensor over all ranks."""
        if self.size > 1:
            values = values.clone()
            dist.all_reduce(values)
            values /= self.size
        return values

    def any(self, flag: bool) -> bool:
        """Whether the flag is set on any rank."""
        return float(self.mean(torch.tensor(float(flag)))) > 0

    def agree(self, error: Exception | None) -> None:
        """Raise on every rank what went wrong on any, so that none waits for another that is gone."""
        errors: list[Exception | None] = [error]
        if self.size > 1:
            errors *= self.size
            dist.all_gather_object(errors, error)
        for found in errors:
            if found is not None:
                raise found

    def wait(self) -> None:
        if self.size > 1:
            dist.barrier()

    def leader_first(self, work: Callable[[], None]) -> None:
        """Do some work on the leading rank, and then on the others."""
        error = None
        if self.leads:
            try:
                work()
            except Exception as found:
                error = found
        self.agree(error)
        if not self.leads:
            work()


def run_ranks(count: int, command: list[str]) -> int:
    """Run a script as `count` processes of this machine under torchrun; returns the exit status.

    Where a process is killed, all begin again, from the last state that was saved.
    """
    restarts = 0
    while True:
        try:
            torchrun(["--standalone", f"--nproc-per-node={count}", *command])
            return 0
        except SignalException:
            Console().show_cursor()  # a rank that took too long is killed, and leaves it hidden
            return 130
        except ChildFailedError as error:
            if restarts == MOST_RESTARTS or not was_killed(error):
                return 1
            Console().print("a rank was killed; all begin again from the last state saved")
            command = [*command, "resume=true"]
            restarts += 1


def was_killed(error: ChildFailedError) -> bool:
    """Whether a process was ended from outside; one that ends itself would only do so again."""
    return any(failure.exitcode == -signal.SIGKILL for failure in error.failures.values())
