"""How strong the bots of a line-up are: the figures, a table to read and a file to keep."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from agents.arena import Estimate, Result, play_mirrored
from jo_env import __version__
from jo_env.bots import BatchBot, Bot, make_bot
from jo_env.errors import SettingsError
from jo_env.fields import Json
from jo_env.rng import stream
from jo_env.rooms import load_room

DEALS_AT_ONCE = 64  # a fixed number, so that the deals do not depend on who plays them


@dataclass
class EvaluateConfig:
    """Who plays what; every number of an evaluation but its figures."""

    lineup: tuple[str, ...] = ("planner", "greedy", "greedy", "greedy")  # bots as in jo_env/bots.py
    game: str = "jo"
    seats: int | None = None  # more than the line-up has: its last bot takes the rest
    settings: dict[str, Any] = field(default_factory=dict)  # of the game, as its environment takes them
    num_deals: int = 500  # each is played once for every rotation of the seats
    seed: int = 7
    processes: int = 1  # that share the deals; the figures are the same
    out: str = "runs/evaluation.json"

    def check(self) -> None:
        """Raise `SettingsError` for what cannot be played, before anything is."""
        if not self.lineup:
            raise SettingsError("lineup=[]: give one bot a seat, as in lineup=[planner,greedy]")
        if self.seats is not None and self.seats < len(self.lineup):
            raise SettingsError(f"seats={self.seats}: the lineup has {len(self.lineup)} bots")
        if self.num_deals < 2:
            raise SettingsError(f"num_deals={self.num_deals}: give 2 or more, an interval needs that many")
        if self.processes < 1:
            raise SettingsError(f"processes={self.processes}: give 1 or more")
        if not 0 <= self.seed < 2**63:
            raise SettingsError(f"seed={self.seed}: give a whole number from 0 on, below 2**63")
        if Path(self.out).is_dir():
            raise SettingsError(f"out={self.out}: is a folder; give the name of a file")
        if "seats" in self.settings:
            raise SettingsError(f"settings.seats={self.settings['seats']}: give `seats` itself")
        try:
            load_room(self.game).new_games(1, seats=len(self.names()), **self.settings)
        except TypeError as error:
            raise SettingsError(f"settings={dict(self.settings)}: {error}") from None

    def names(self) -> list[str]:
        """One bot a seat, the last one of the line-up repeated."""
        seats = self.seats or len(self.lineup)
        return [*self.lineup, *[self.lineup[-1]] * (seats - len(self.lineup))]


def evaluate(config: EvaluateConfig, report: Callable[[int], None] = lambda num_deals: None) -> Json:
    """Play the deals and return the figures, JSON-ready; `report` hears how many deals are done.

    Raises `SettingsError`, `BotError`, and `IllegalActionError` for a bot that breaks the rules.
    """
    config.check()
    lineup = make_lineup(config)
    results = []
    for result in _played(config, lineup):
        results.append(result)
        report(min(DEALS_AT_ONCE * len(results), config.num_deals))
    points = np.concatenate([result.points for result in results])
    num_decisions = sum(result.num_decisions for result in results)
    return summary(config, Result(points, num_decisions, results[0].point_worth))


def make_lineup(config: EvaluateConfig) -> list[Bot | BatchBot]:
    """A bot for every seat; those of one name are one bot."""
    bots = {name: make_bot(name, config.game) for name in config.names()}
    return [bots[name] for name in config.names()]


def _played(config: EvaluateConfig, lineup: list[Bot | BatchBot]) -> Iterator[Result]:
    """The deals, some at a time, in order."""
    starts = range(0, config.num_deals, DEALS_AT_ONCE)
    if config.processes == 1 or len(starts) == 1:
        for first in starts:
            yield play_deals(config, lineup, first)
        return
    with ProcessPoolExecutor(
        config.processes, get_context("spawn"), initializer=_sit_down, initargs=(config,)
    ) as pool:
        try:
            yield from pool.map(_play_deals_here, starts)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


_here: tuple[EvaluateConfig, list[Bot | BatchBot]]  # in a process that plays a share of the deals


def _sit_down(config: EvaluateConfig) -> None:
    global _here
    _here = config, make_lineup(config)


def _play_deals_here(first: int) -> Result:
    return play_deals(*_here, first)


def play_deals(config: EvaluateConfig, lineup: list[Bot | BatchBot], first: int) -> Result:
    """The deals from number `first` on that are played at once."""
    num_deals = min(DEALS_AT_ONCE, config.num_deals - first)
    seed = int(stream(np.uint64(config.seed), first))
    return play_mirrored(load_room(config.game), lineup, num_deals, seed, **config.settings)


def summary(config: EvaluateConfig, result: Result) -> Json:
    """The figures of a result, each with the half-width of its 95 % interval, clustered by deal."""
    figures = {
        "win_rate": result.win_share(),
        "mean_points": result.mean_points(),
        "mean_rank": result.mean_rank(),
    }
    by_hand = [Estimate.over_deals(hand.mean(1)) for hand in np.moveaxis(result.points, 2, 0)]
    settings = {
        key: value for key, value in asdict(config).items() if key not in ("lineup", "processes", "out")
    }
    return {
        "lineup": config.names(),
        **settings,
        "seats": len(config.names()),
        "versions": {"jo_env": __version__, "observation": load_room(config.game).OBSERVATION_VERSION},
        "num_decisions": result.num_decisions,
        "results": [
            {
                "bot": name,
                **{key: _figure(estimate, i) for key, estimate in figures.items()},
                "points_by_hand": [_figure(estimate, i) for estimate in by_hand],
            }
            for i, name in enumerate(config.names())
        ],
    }


def _figure(estimate: Estimate, place: int) -> Json:
    return {
        "mean": round(float(estimate.mean[place]), 6),
        "margin": round(float(estimate.margin[place]), 6),
    }


def dump(report: Json) -> str:
    """The report as the text of a file; the same figures always give the same text."""
    return json.dumps(report, indent=1) + "\n"


def table(report: Json) -> Table:
    """The report as a table for the terminal."""
    settings = ", ".join(f"{name} {value}" for name, value in report["settings"].items())
    what = f"games with {settings}" if settings else "games"
    made = Table(
        title=f"{report['game']}: {report['num_deals']} deals x {report['seats']} rotations, {what}, "
        f"seed {report['seed']}",
        caption=f"± is the half-width of a 95 % interval, by deal; chance wins {1 / report['seats']:.1%}",
        title_justify="left",
        caption_justify="left",
    )
    made.add_column("bot", overflow="fold")
    for head in ("games won", "points a hand", "rank"):
        made.add_column(head, justify="right")
    for row in report["results"]:
        won, points, rank = (row[key] for key in ("win_rate", "mean_points", "mean_rank"))
        made.add_row(
            row["bot"],
            f"{won['mean']:.1%} ± {won['margin']:.1%}",
            f"{points['mean']:.1f} ± {points['margin']:.1f}",
            f"{rank['mean']:.2f} ± {rank['margin']:.2f}",
        )
    return made
