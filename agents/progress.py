"""What a person watches while a run trains: a line on the terminal, and TensorBoard."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from torch.utils.tensorboard import SummaryWriter


class Progress:
    """The leading rank's progress bar and TensorBoard log; the other ranks show nothing."""

    def __init__(self, config: Any) -> None:
        self.leads = int(os.environ.get("RANK", 0)) == 0
        if not self.leads:
            return
        self.folder = Path(config.folder) / config.name
        self.writer: SummaryWriter | None = None  # made with the first update: a refused run leaves nothing
        self.console = Console(file=sys.stdout)
        self.bar = Bar(
            TextColumn("{task.fields[stage]:>6}"),
            BarColumn(12),
            TextColumn("{task.percentage:3.0f}%  {task.fields[figures]}"),
            console=self.console,
            auto_refresh=False,
        )
        self.task = self.bar.add_task("", total=1.0, stage="", figures="")
        self.last_line = 0.0

    def note(self, text: str) -> None:
        """Tell the person something."""
        if self.leads:
            self.console.print(text, highlight=False, soft_wrap=True)

    def update(self, trainer: Any, stage: str, metrics: dict[str, float]) -> None:
        """Show and log one update."""
        if not self.leads:
            return
        self.writer = self.writer or SummaryWriter(self.folder / "tensorboard")
        for name, value in metrics.items():
            self.writer.add_scalar(name, value, trainer.decisions)
        strengths = {name: value for name, value in metrics.items() if name.endswith("win_share")}
        if strengths:
            shown = []
            for name, value in strengths.items():
                bot, seats = name.split("/")[1].removesuffix("_win_share").rsplit("_", 1)
                shown.append(f"{value:.0%} against {bot} at {seats} seats")
            self.note(f"update {trainer.update}: won " + ", ".join(shown))
        speed = metrics["speed/decisions_per_second"]
        left = trainer.seconds * (1 / max(trainer.progress, 1e-9) - 1)
        if stage == "clone":
            detail = f"agrees {metrics['clone/agreement']:.1%}, {metrics['clone/regret']:.4f} points off"
        else:
            detail = f"explained {metrics['loss/explained_variance']:.2f}"
        figures = (
            f"{trainer.decisions / 1e6:.1f} M decisions  {speed / 1e3:.1f} k/s  "
            f"{left / 60:.0f} min left  {detail}"
        )
        self.bar.update(self.task, completed=trainer.progress, stage=stage, figures=figures)
        if self.console.is_terminal:
            self.bar.start()
            self.bar.refresh()
        elif time.monotonic() - self.last_line > 15:
            self.last_line = time.monotonic()
            self.note(f"{stage:>6} {trainer.progress:4.0%}  {figures}")

    def close(self) -> None:
        """Leave the terminal and the log as they should be, however the run ended."""
        if self.leads:
            if self.bar.live.is_started:
                self.bar.stop()
            if self.writer:
                self.writer.close()
