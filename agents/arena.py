"""Matches between bots: many tables at once, the same deals with every rotation of the seats.

A job is one game: a seed (which fixes the dealer and every hand's shoe, however the hands go) and
who sits where. Bots with `choose` decide for all their seats at once; any other bot gets the JSON
view of one table at a time. A bot's luck follows from the evaluation seed, the job and the number of
decisions made in its game, so the result does not depend on how many tables are played at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from jo_env.bots import BatchBot, Bot, chosen_actions, illegal_move, is_batched, refuse_illegal
from jo_env.errors import IllegalActionError, SettingsError
from jo_env.jit import jit
from jo_env.rng import stream

_DEALS, _LUCK = 1, 2  # streams of an evaluation seed


@dataclass(frozen=True)
class Estimate:
    """A mean for each bot of a line-up, with the half-width of its 95 % interval."""

    mean: np.ndarray  # float64[bots]
    margin: np.ndarray  # float64[bots]

    @classmethod
    def over_deals(cls, values: np.ndarray) -> "Estimate":
        """From one value for each deal and bot, float64[num_deals, bots]; the deals are independent."""
        num_deals = len(values)
        spread = values.std(0, ddof=1) if num_deals > 1 else np.full(values.shape[1], np.inf)
        return cls(values.mean(0), 1.96 * spread / np.sqrt(num_deals))


@dataclass(frozen=True)
class Result:
    """What the bots of a line-up scored, by their place in the line-up."""

    points: np.ndarray  # int32[num_deals, rotations, hands, bots], a hand's points
    num_decisions: int
    point_worth: int  # 1 where the highest total wins, -1 where the lowest does

    @property
    def worths(self) -> np.ndarray:
        """What the final totals are worth, int32[num_deals, rotations, bots]: the highest wins."""
        return self.point_worth * self.points.sum(2)

    def win_share(self) -> Estimate:
        """Games won; equal totals share the win."""
        worths = self.worths
        won = worths == worths.max(2, keepdims=True)
        return Estimate.over_deals((won / won.sum(2, keepdims=True)).mean(1))

    def mean_points(self) -> Estimate:
        """Points a hand."""
        return Estimate.over_deals(self.points.mean((1, 2)))

    def points_ahead(self) -> Estimate:
        """Points a hand by which each bot does better than the mean of the others at its table."""
        others = (self.points.sum(3, keepdims=True) - self.points) / (self.points.shape[3] - 1)
        return Estimate.over_deals(self.point_worth * (self.points - others).mean((1, 2)))

    def mean_rank(self) -> Estimate:
        """Place in the game from 1 (best); equal totals share the mean of their places."""
        worths = self.worths
        better = (worths[..., None, :] > worths[..., :, None]).sum(-1)
        equal = (worths[..., None, :] == worths[..., :, None]).sum(-1)
        return Estimate.over_deals((1 + better + (equal - 1) / 2).mean(1))


def play_mirrored(
    room: ModuleType,
    lineup: Sequence[Bot | BatchBot],
    num_deals: int,
    seed: int,
    batch: int = 1024,
    **settings: Any,
) -> Result:
    """Play each of `num_deals` games once for every rotation of `lineup` (one bot a seat) over the seats.

    `settings` are those of the room's `new_games`.
    """
    seats = len(lineup)
    places = np.arange(seats)
    # In rotation r the bot at place b of the line-up has seat b + r.
    rotations = (places[None, :] - places[:, None]) % seats
    seating = np.tile(rotations, (num_deals, 1))
    deals = np.repeat(np.arange(num_deals), seats)
    points, num_decisions = play_games(room, lineup, deals, seating, seed, batch, **settings)
    by_bot = np.empty_like(points)
    np.put_along_axis(by_bot, seating[:, None, :], points, 2)
    return Result(by_bot.reshape(num_deals, seats, -1, seats), num_decisions, room.POINT_WORTH)


def play_games(
    room: ModuleType,
    bots: Sequence[Bot | BatchBot],
    deals: np.ndarray,
    seating: np.ndarray,
    seed: int,
    batch: int = 1024,
    **settings: Any,
) -> tuple[np.ndarray, int]:
    """Play game `deals[j]` of an evaluation seed with `bots[seating[j, s]]` in seat s, for every job j.

    Returns the points int32[jobs, hands, seats] and the number of decisions made. Raises
    `IllegalActionError` when a bot makes a move that is not legal.
    """
    num_jobs, seats = seating.shape
    if num_jobs == 0 or batch < 1:
        raise SettingsError(f"{num_jobs} games in batches of {batch}; give at least one of each")
    num_tables = min(batch, num_jobs)
    games = room.new_games(num_tables, seats=seats, **settings)
    return _Hall(room, bots, deals, seating, seed, num_tables).play(games)


class _Hall:
    """Tables that play one job after another until none is left."""

    def __init__(self, room: ModuleType, bots, deals, seating, seed: int, num_tables: int) -> None:
        self.room = room
        self.bots = bots
        self.seating = seating
        self.is_batched = [is_batched(bot) for bot in bots]
        self.keeps_events = not all(self.is_batched)
        self.seed = np.uint64(seed)
        self.seeds = np.zeros(len(deals), np.uint64)
        write_seeds(self.seed, _DEALS, np.asarray(deals, np.int64), self.seeds)
        self.num_started = 0
        self.jobs = np.zeros(num_tables, np.int64)
        self.num_decisions = np.zeros(num_tables, np.int64)  # in the game at each table
        self.events: list[list[dict]] = [[] for _ in range(num_tables)]
        self.queues: list[list[int]] = [[] for _ in range(num_tables)]  # the rest of a JSON move

    def play(self, games: np.ndarray) -> tuple[np.ndarray, int]:
        room, num_jobs = self.room, len(self.seating)
        points = np.zeros((num_jobs, *room.points_of(games).shape[1:]), np.int32)
        total = 0
        games = self._start(games, np.arange(len(games)))
        while len(games):
            views = np.zeros(len(games), room.VIEW)
            masks = np.zeros((len(games), room.NUM_ACTIONS), np.int8)
            actions = np.zeros(len(games), np.int32)
            lucks = np.zeros(len(games), np.uint64)
            ended = np.zeros(len(games), np.int8)
            is_over = np.zeros(len(games), bool)
            while not is_over.any():
                room.observe(games, views, masks)
                write_lucks(self.seed, self.jobs, self.num_decisions, lucks)
                self._choose(games, views, masks, lucks, actions)
                room.step(games, actions, ended)
                self.num_decisions += 1
                total += len(games)
                if self.keeps_events:
                    self._keep_events(games, ended)
                if ended.any():
                    is_over = games["phase"] == room.Phase.OVER
            tables = np.flatnonzero(is_over)
            points[self.jobs[tables]] = room.points_of(games[tables])
            games = self._start(games, tables)
        return points, total

    def _start(self, games: np.ndarray, tables: np.ndarray) -> np.ndarray:
        """Begin the next jobs at these tables; tables without one are taken away."""
        num_new = min(len(tables), len(self.seating) - self.num_started)
        tables, spare = tables[:num_new], tables[num_new:]
        self.jobs[tables] = np.arange(self.num_started, self.num_started + num_new)
        self.num_decisions[tables] = 0
        self.num_started += num_new
        fresh = games[tables]
        self.room.start(fresh, self.seeds[self.jobs[tables]], np.full(num_new, self.room.NOBODY))
        games[tables] = fresh
        for table in tables:
            self.events[table] = []
        if len(spare) == 0:
            return games
        keep = np.setdiff1d(np.arange(len(games)), spare)
        self.jobs, self.num_decisions = self.jobs[keep], self.num_decisions[keep]
        self.events = [self.events[table] for table in keep]
        self.queues = [self.queues[table] for table in keep]
        return games[keep]

    def _choose(self, games, views, masks, lucks, actions) -> None:
        """Let every bot decide at the tables where it is asked."""
        asked = self.seating[self.jobs, games["acting"]]
        for i, bot in enumerate(self.bots):
            tables = np.flatnonzero(asked == i)
            if len(tables) == 0:
                continue
            if self.is_batched[i]:
                chosen = chosen_actions(bot, views[tables], masks[tables], lucks[tables])
            else:
                chosen = np.array([self._act(bot, games[table], table) for table in tables.tolist()])
            refuse_illegal(bot, self.room, games, chosen, masks[tables], tables)
            actions[tables] = chosen

    def _act(self, bot: Any, game: np.record, table: int) -> int:
        """The next action of a bot that speaks JSON; a move may spell several."""
        queue = self.queues[table]
        if not queue:
            seat = int(game.acting)
            try:
                move = bot.act(self.room.view_json(game, seat, self.events[table]))
                queue.extend(self.room.move_actions(game, move))
            except IllegalActionError as error:
                raise illegal_move(bot, seat, error) from error
        return queue.pop(0)

    def _keep_events(self, games: np.ndarray, ended: np.ndarray) -> None:
        for table in range(len(games)):
            if ended[table]:
                self.events[table] = []
                self.queues[table] = []
            else:
                self.events[table] += self.room.news(games[table])


@jit
def write_seeds(seed, purpose, numbers, seeds):
    """The seeds (uint64[N]) of the streams with these numbers (int64[N])."""
    for i in range(len(numbers)):
        seeds[i] = stream(stream(seed, purpose), numbers[i])


@jit
def write_lucks(seed, jobs, num_decisions, lucks):
    """A bot's luck for every table's next decision."""
    for i in range(len(jobs)):
        lucks[i] = stream(stream(stream(seed, _LUCK), jobs[i]), num_decisions[i])
