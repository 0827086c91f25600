"""Explore, fit, measure, and again: a resumable run in one folder."""

import json
import math
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from agents.arena import play_mirrored
from agents.config import ConfigError, check_opponents, check_ranges
from agents.files import write_atomically
from agents.games import load_iteration
from agents.iteration.advantages import Advantages
from agents.iteration.explore import Rows, explore
from agents.iteration.fit import Fit, FitConfig
from jo_env.bots import make_bot
from jo_env.errors import SettingsError


@dataclass
class IterateConfig:
    """Numbers of a run; the same ones give the same advantages."""

    name: str = "iterate"
    game: str = "jo"
    settings: dict[str, Any] = field(default_factory=lambda: {"max_turns": 100})  # of the game
    folder: str = "runs"
    seed: int = 1
    workers: int = 2  # processes that explore, one a core
    iterations: int = 3
    files: int = 40  # of explored decisions, for every iteration; the last one is measured on
    rows: int = 250_000  # decisions in a file
    share: float = 0.5  # of the learner's decisions with several candidates that are explored
    within: float = 3.0  # points behind the best: the candidates that are mostly drawn among
    lookahead: int = 4  # turns of the seat after which a move is judged by how the hand stands
    opponents: dict[str, float] = field(  # share of the tables at which one learner meets them
        default_factory=lambda: {"greedy": 0.4, "planner": 0.3, "buyer": 0.05, "hoarder": 0.05}
    )
    averaged: int = 2  # newest advantages of which the mean is what is measured and shipped
    start_from: str | None = None  # advantages that explore first; none: the planner's own judgement
    measured: tuple[str, ...] = ("greedy", "planner")  # bots to play against; "start": whoever explored first
    deals: int = 1000  # against each of them after every iteration, each from every seat
    evaluate_seed: int = 2_000_000
    fit: FitConfig = field(default_factory=FitConfig)

    def check(self) -> None:
        """Raise `ConfigError` for a number out of its range or an unknown opponent."""
        check_ranges(self, _RANGES)
        check_opponents(self.opponents)
        try:
            players = load_iteration(self.game).PLAYERS
        except SettingsError as error:
            raise ConfigError(str(error)) from None
        for name, share in self.opponents.items():
            if share and name not in players:
                raise ConfigError(f"opponents.{name}: choose from {', '.join(players)}")
        if self.opponents.get("past") and not self.start_from:
            raise ConfigError(
                f"opponents.past={self.opponents['past']}: give start_from, the first past self"
            )


_RANGES: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "workers": (1, 1024),
    "iterations": (1, 999),
    "averaged": (1, 99),
    "files": (2, 9999),  # one to fit and one to measure on
    "rows": (1, 2**24),
    "share": (0.001, 1),
    "within": (0, math.inf),
    "lookahead": (1, 9999),
    "opponents": (0, 1),
    "deals": (2, math.inf),
    "evaluate_seed": (0, 2**53),
    "fit.hidden": (1, 2**16),
    "fit.critic": (1, 2**16),
    "fit.lr": (0, 1),
    "fit.critic_lr": (0, 1),
    "fit.batch_size": (1, 2**24),
}
# What a run that goes on may have changed: how far it goes and how it is measured.
_MAY_CHANGE = ("name", "folder", "workers", "iterations", "averaged", "measured", "deals", "evaluate_seed")


def iterate(config: IterateConfig, tell: Callable[[str], None]) -> None:
    """Run all iterations that are not done yet; `tell` hears of each step.

    `advantages-K.npz` is what iteration K learned, `advantages.npz` the mean of the newest ones, and
    `figures.jsonl` has a line for each iteration. Rows are thrown away once they are fitted. Raises
    `ConfigError` for a number out of its range, or where the folder holds a run with other numbers.
    """
    config.check()
    check_start(config)
    folder = Path(config.folder) / config.name
    keep_config(config, folder / "config.json")
    for iteration in range(1, config.iterations + 1):
        result = advantages_path(folder, iteration)
        if not result.exists():
            paths = explore_files(config, folder, iteration, tell)
            figures = fit_files(config, folder, iteration, paths, tell)
            newest = past_selves(config, folder, iteration + 1)[-config.averaged :]
            Advantages.mean([load(config, path) for path in newest]).save(folder / "advantages.npz")
            figures |= measure(config, folder / "advantages.npz")
            with (folder / "figures.jsonl").open("a") as log:
                log.write(json.dumps({"iteration": iteration, **figures}) + "\n")
            tell(f"iteration {iteration}: {describe(figures)}")
            for path in paths:
                path.unlink()


def check_start(config: IterateConfig) -> None:
    """Raise `ConfigError` for a start that the fit cannot go on from; hours would be lost by then."""
    if config.start_from:
        try:
            hidden = load(config, Path(config.start_from)).b1.shape[1]
        except (OSError, KeyError, ValueError) as error:
            raise ConfigError(f"start_from={config.start_from}: holds no advantages ({error})") from error
        if hidden != config.fit.hidden:
            raise ConfigError(
                f"fit.hidden={config.fit.hidden}: start_from={config.start_from} has {hidden} units a layer; "
                f"give fit.hidden={hidden}"
            )


def executor(workers: int) -> Executor:
    """Processes for the work; one worker is this process itself."""
    return _Here() if workers == 1 else ProcessPoolExecutor(workers, get_context("spawn"))


class _Here(Executor):
    """Does what is submitted at once."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        done: Future = Future()
        done.set_result(work(*args, **kwargs))
        return done


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
    past = past_selves(config, folder, iteration)
    with executor(config.workers) as pool:
        jobs = [
            pool.submit(explore_file, config, path, past, stream_seed(config.seed, iteration, i))
            for i, path in enumerate(paths)
            if not path.exists()
        ]
        for done, job in enumerate(jobs, start=config.files - len(jobs) + 1):
            job.result()
            tell(f"iteration {iteration}: {done} of {config.files} files explored")
    return paths


def past_selves(config: IterateConfig, folder: Path, iteration: int) -> list[Path]:
    """The advantages made before an iteration; the last ones explore in it."""
    start = [Path(config.start_from)] if config.start_from else []
    return start + [advantages_path(folder, k) for k in range(1, iteration)]


def load(config: IterateConfig, path: Path) -> Advantages:
    """Raises `ValueError` for a file of other traits than those of the run's game."""
    return Advantages.load(path, *load_iteration(config.game).PlannerImproved.shape)


def load_last(config: IterateConfig, paths: list[Path]) -> Advantages:
    """The advantages in the last of these files; without one, the planner's own judgement."""
    shape = load_iteration(config.game).PlannerImproved.shape
    return load(config, paths[-1]) if paths else Advantages.zero(*shape)


def stream_seed(seed: int, iteration: int, number: int) -> int:
    """The seed of a file: no two of a run are alike."""
    return (seed * 1000 + iteration) * 10_000 + number


def explore_file(config: IterateConfig, path: Path, past: list[Path], seed: int) -> None:
    """In a process of its own: explore with the newest advantages and keep the rows."""
    rows = explore(
        load_iteration(config.game),
        load_last(config, past),
        config.rows,
        seed,
        config.share,
        config.within,
        config.lookahead,
        {name: share for name, share in config.opponents.items() if share},
        [load(config, path) for path in past],
        **config.settings,
    )
    rows.save(path)


def fit_files(
    config: IterateConfig, folder: Path, iteration: int, paths: list[Path], tell: Callable[[str], None]
) -> dict[str, float]:
    """Fit all files but the last, measure on that one, and save what was learned."""
    torch.set_num_threads(config.workers)
    past = past_selves(config, folder, iteration)
    start = load(config, past[-1]) if past else None
    game, total = load_iteration(config.game), config.rows * (len(paths) - 1)
    fit = Fit(game, config.fit, total, stream_seed(config.seed, iteration, 0), start)
    for learn in (fit.learn_values, fit.learn):
        for i, path in enumerate(paths[:-1], start=1):
            errors = learn(Rows.load(path))
            tell(f"iteration {iteration}: {i} of {len(paths) - 1} files fitted, {describe(errors)}")
    figures = fit.measure(Rows.load(paths[-1]))
    fit.net.export().save(advantages_path(folder, iteration))
    return figures


def measure(config: IterateConfig, path: Path) -> dict[str, float]:
    """Games won and points a hand ahead with each opponent in all other seats, with 95 % margins."""
    figures = {}
    with executor(config.workers) as pool:
        jobs = {
            f"{opponent}_{seats}": pool.submit(measure_against, config, path, opponent, seats)
            for opponent in config.measured
            for seats in sorted(set(load_iteration(config.game).SEATS), reverse=True)
        }
        for name, job in jobs.items():
            for figure, (mean, margin) in job.result().items():
                figures[f"{figure}_{name}"], figures[f"{figure}_{name}_margin"] = mean, margin
    return figures


def measure_against(
    config: IterateConfig, path: Path, opponent: str, seats: int
) -> dict[str, tuple[float, float]]:
    """In a process of its own: (mean, margin) of each figure."""
    game = load_iteration(config.game)
    start = load_last(config, past_selves(config, path.parent, 1))
    other = game.PlannerImproved(start) if opponent == "start" else make_bot(opponent, config.game)
    bots = [game.PlannerImproved(load(config, path)), *[other] * (seats - 1)]
    result = play_mirrored(game.room, bots, config.deals, config.evaluate_seed, **config.settings)
    estimates = {"won": result.win_share(), "ahead": result.points_ahead()}
    return {name: (float(one.mean[0]), float(one.margin[0])) for name, one in estimates.items()}


def describe(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
