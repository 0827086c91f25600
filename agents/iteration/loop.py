"""Explore, fit, measure, and again: a resumable run in one folder."""

import json
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path

import torch

from agents.arena import play_mirrored
from agents.config import ConfigError, check_ranges
from agents.files import write_atomically
from agents.heuristics import Planner
from agents.iteration.explore import Rows, explore
from agents.iteration.fit import Fit, FitConfig
from agents.iteration.improved import Advantages, PlannerImproved


@dataclass
class IterateConfig:
    """Numbers of a run; the same ones give the same advantages."""

    name: str = "iterate"
    folder: str = "runs"
    seed: int = 1
    workers: int = 2  # processes that explore, one a core
    iterations: int = 3
    files: int = 40  # of explored decisions, for every iteration; the last one is measured on
    rows: int = 250_000  # decisions in a file
    share: float = 0.15  # of decisions with several candidates that are explored
    deals: int = 1000  # against planners after every iteration, each from every seat
    evaluate_seed: int = 2_000_000
    fit: FitConfig = field(default_factory=FitConfig)

    def check(self) -> None:
        """Raise `ConfigError` for a number out of its range."""
        check_ranges(self, _RANGES)


_RANGES: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "workers": (1, 1024),
    "iterations": (1, 999),
    "files": (2, 9999),  # one to fit and one to measure on
    "rows": (1, 2**24),
    "share": (0.001, 1),
    "deals": (2, math.inf),
    "evaluate_seed": (0, 2**53),
    "fit.hidden": (1, 2**16),
    "fit.critic": (1, 2**16),
    "fit.lr": (0, 1),
    "fit.critic_lr": (0, 1),
    "fit.batch_size": (1, 2**24),
}
# What a run that goes on may have changed: how far it goes and how it is measured.
_MAY_CHANGE = ("name", "folder", "workers", "iterations", "deals", "evaluate_seed")


def iterate(config: IterateConfig, tell: Callable[[str], None]) -> None:
    """Run all iterations that are not done yet; `tell` hears of each step.

    `advantages-K.npz` is what iteration K learned, `figures.jsonl` has a line for each. Rows are
    thrown away once they are fitted. Raises `ConfigError` for a number out of its range, or where the folder
    holds a run with other numbers.
    """
    config.check()
    folder = Path(config.folder) / config.name
    keep_config(config, folder / "config.json")
    for iteration in range(1, config.iterations + 1):
        result = advantages_path(folder, iteration)
        if not result.exists():
            paths = explore_files(config, folder, iteration, tell)
            figures = fit_files(config, folder, iteration, paths, tell)
            figures |= measure(config, Advantages.load(result))
            with (folder / "figures.jsonl").open("a") as log:
                log.write(json.dumps({"iteration": iteration, **figures}) + "\n")
            tell(f"iteration {iteration}: {describe(figures)}")
            for path in paths:
                path.unlink()


def keep_config(config: IterateConfig, path: Path) -> None:
    """Write the numbers that a run must keep, or compare them with those it began with."""
    numbers = {name: value for name, value in asdict(config).items() if name not in _MAY_CHANGE}
    if not path.exists():
        write_atomically(path, lambda temporary: temporary.write_text(json.dumps(numbers, indent=1)))
    for name, began in json.loads(path.read_text()).items():
        if numbers[name] != began:
            raise ConfigError(
                f"{name}={numbers[name]}: {path.parent} began with {began}; give that or another name"
            )


def advantages_path(folder: Path, iteration: int) -> Path:
    return folder / f"advantages-{iteration}.npz"


def explore_files(
    config: IterateConfig, folder: Path, iteration: int, tell: Callable[[str], None]
) -> list[Path]:
    """Files of explored decisions, those that exist and those still missing."""
    paths = [folder / f"rows-{iteration}-{i:03d}.npz" for i in range(config.files)]
    start = advantages_path(folder, iteration - 1) if iteration > 1 else None
    with ProcessPoolExecutor(config.workers, get_context("spawn")) as pool:
        jobs = [
            pool.submit(
                explore_file, path, start, config.rows, stream_seed(config.seed, iteration, i), config.share
            )
            for i, path in enumerate(paths)
            if not path.exists()
        ]
        for done, job in enumerate(jobs, start=config.files - len(jobs) + 1):
            job.result()
            tell(f"iteration {iteration}: {done} of {config.files} files explored")
    return paths


def stream_seed(seed: int, iteration: int, number: int) -> int:
    """The seed of a file: no two of a run are alike."""
    return (seed * 1000 + iteration) * 10_000 + number


def explore_file(path: Path, start: Path | None, size: int, seed: int, share: float) -> None:
    """In a process of its own: explore with the advantages of `start` and keep the rows."""
    advantages = Advantages.zero() if start is None else Advantages.load(start)
    explore(advantages, size, seed, share).save(path)


def fit_files(
    config: IterateConfig, folder: Path, iteration: int, paths: list[Path], tell: Callable[[str], None]
) -> dict[str, float]:
    """Fit all files but the last, measure on that one, and save what was learned."""
    torch.set_num_threads(config.workers)
    before = folder / f"fit-{iteration - 1}.pt"
    start = torch.load(before) if before.exists() else None
    fit = Fit(config.fit, config.rows * (len(paths) - 1), stream_seed(config.seed, iteration, 0), start)
    for i, path in enumerate(paths[:-1], start=1):
        errors = fit.learn(Rows.load(path))
        tell(f"iteration {iteration}: {i} of {len(paths) - 1} files fitted, {describe(errors)}")
    figures = fit.measure(Rows.load(paths[-1]))
    write_atomically(folder / f"fit-{iteration}.pt", lambda temporary: torch.save(fit.state(), temporary))
    fit.net.export().save(advantages_path(folder, iteration))
    return figures


def measure(config: IterateConfig, advantages: Advantages) -> dict[str, float]:
    """Games won and points a hand ahead of planners in all other seats, with 95 % margins."""
    figures = {}
    for seats in (2, 3, 4):
        bots = [PlannerImproved(advantages), *[Planner()] * (seats - 1)]
        result = play_mirrored(bots, config.deals, config.evaluate_seed)
        for name, estimate in (("won", result.win_share()), ("ahead", result.points_ahead())):
            figures[f"{name}_{seats}"] = float(estimate.mean[0])
            figures[f"{name}_{seats}_margin"] = float(estimate.margin[0])
    return figures


def describe(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
