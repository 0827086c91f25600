"""Hands played to learn from: now and then a seat draws among its candidates, and we note what it brought."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from agents.candidates import MOST_MOVES
from agents.files import save_arrays
from agents.iteration.advantages import Advantages
from jo_env.jit import jit
from jo_env.rng import stream

MOST_PENDING = 192  # rows of one table's hand that wait for its end
PER_MILLE = 1000
ONE_IN_WIDE = 4  # explored decisions draw among all candidates, however far behind
LEARNER, GREEDY = 0, 1  # players by number: after greedy come a game's other heuristics, then past selves


@dataclass
class Rows:
    """Explored decisions, one a row."""

    traits: np.ndarray  # int8[N, MOST_MOVES, traits]
    table: np.ndarray  # int8[N, critic inputs] what the critic sees
    num_moves: np.ndarray  # int8[N] candidates, 2 or more
    chosen: np.ndarray  # int8[N] which of them was drawn
    planned: np.ndarray  # int8[N] which of them the policy would have played
    takes_first: np.ndarray  # int8[N] 1 where the first candidate takes what is on offer
    kinds: np.ndarray  # int8[N] of decision, as in traits.py
    seats: np.ndarray  # int8[N] at the table
    rewards: np.ndarray  # float32[N] what the seat received for the hand
    has_later: np.ndarray  # int8[N] 1 where the hand went on for `lookahead` more turns of the seat
    later: np.ndarray  # int8[N, standing] how it stood then

    @classmethod
    def empty(cls, game: ModuleType, size: int) -> "Rows":
        """`game` is the iteration of a game, agents.<game>.iteration."""
        return cls(
            traits=np.zeros((size, MOST_MOVES, game.NUM_TRAITS), np.int8),
            table=np.zeros((size, len(game.CRITIC_SCALE)), np.int8),
            num_moves=np.zeros(size, np.int8),
            chosen=np.zeros(size, np.int8),
            planned=np.zeros(size, np.int8),
            takes_first=np.zeros(size, np.int8),
            kinds=np.zeros(size, np.int8),
            seats=np.zeros(size, np.int8),
            rewards=np.zeros(size, np.float32),
            has_later=np.zeros(size, np.int8),
            later=np.zeros((size, game.STANDING_SIZE), np.int8),
        )

    def save(self, path: Path) -> None:
        save_arrays(path, {field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> "Rows":
        with np.load(path) as file:
            return cls(**{field.name: file[field.name] for field in fields(cls)})


def explore(
    game: ModuleType,
    advantages: Advantages,
    size: int,
    seed: int,
    share: float,
    within: float,
    lookahead: int,
    opponents: Mapping[str, float],
    past: Sequence[Advantages] = (),
    num_games: int = 96,
    **settings: Any,
) -> Rows:
    """Play until `size` decisions have been explored and their hands have ended.

    `game` is the iteration of a game, agents.<game>.iteration. At tables of all its seat counts sit planners
    with these advantages, or one of them among `opponents` (a name of `PLAYERS`: its share of the tables), of
    which "past" is any of `past` in each seat. Of their decisions with several candidates a `share` is
    explored: drawn among those at most `within` points behind the best, or, now and then, among all. How the
    hand stands `lookahead` turns later is kept as well. `settings` are those of the game. The
    same seed gives the same rows.
    """
    room = game.room
    rng = np.random.default_rng(seed)
    seats = [game.SEATS[i % len(game.SEATS)] for i in range(num_games)]
    games = np.concatenate([room.new_games(1, seats=n, **settings) for n in seats])
    players = np.zeros((num_games, room.MAX_SEATS), np.int8)
    first_past = GREEDY + game.PLAYERS.index("past")
    for i, met in enumerate(_deal_out(game, opponents, num_games)):
        game.vary(games[i], rng)
        if met != LEARNER:
            is_past = met == first_past
            players[i] = met + rng.integers(len(past), size=room.MAX_SEATS) if is_past else met
            players[i, rng.integers(seats[i])] = LEARNER
    seeds = np.array([stream(np.uint64(seed), i) for i in range(num_games)], np.uint64)
    room.start(games, seeds, np.full(num_games, room.NOBODY))
    rows = Rows.empty(game, size)
    game.explore_tables(
        games,
        np.array([stream(np.uint64(seed), num_games + i) for i in range(num_games)], np.uint64),
        players,
        round(PER_MILLE * share),
        within / 10,
        lookahead,
        advantages,
        advantages.is_zero(),
        Advantages(*(np.stack(arrays) for arrays in zip(*(past or [advantages]), strict=True))),
        tuple(getattr(rows, field.name) for field in fields(rows)),
    )
    return rows


def _deal_out(game: ModuleType, opponents: Mapping[str, float], num_games: int) -> list[int]:
    """The players that the learner meets at each table, by number, every size of table alike."""
    by_size = -(-num_games // len(game.SEATS))
    met = [LEARNER] * by_size
    start = 0.0
    for name, share in sorted(opponents.items()):
        first, last = round(start * by_size), round((start + share) * by_size)
        met[first:last] = [GREEDY + game.PLAYERS.index(name)] * (last - first)
        start += share
    return [met[i // len(game.SEATS)] for i in range(num_games)]


@jit
def note_row(rows, size, desk, n, drawn, best, takes_first, kind, num_seats):
    """Write row `size` of an explored decision: which of the `n` candidates on the desk was drawn."""
    traits, _, num_moves, chosen, planned, takes, kinds, seats, _, _, _ = rows
    traits[size, :n] = desk.traits[:n]
    num_moves[size], chosen[size], planned[size] = n, drawn, best
    takes[size], kinds[size], seats[size] = takes_first, kind, num_seats


@jit
def wait_for_end(pending, place, row, seat):
    """Keep a row of this seat until its hand ends."""
    pending[place, 0] = row
    pending[place, 1] = seat
    pending[place, 2] = 0


@jit
def pay_out(pending, received, rewards):
    """Write what their seats received for the hand to the rows that waited for its end."""
    for k in range(len(pending)):
        rewards[pending[k, 0]] = received[pending[k, 1]]


@jit
def count_turn(pending, seat, lookahead):
    """One more turn for each of the pending rows (row, seat, turns since) of this seat.

    Whether one of them is `lookahead` turns old now.
    """
    is_due = False
    for k in range(len(pending)):
        if pending[k, 1] == seat:
            pending[k, 2] += 1
            is_due |= pending[k, 2] == lookahead
    return is_due


@jit
def note_standing(pending, seat, lookahead, standing, later, has_later):
    """Write how the hand stands to the rows of this seat that are `lookahead` turns old."""
    for k in range(len(pending)):
        if pending[k, 1] == seat and pending[k, 2] == lookahead:
            later[pending[k, 0]] = standing
            has_later[pending[k, 0]] = 1


@jit
def mark_opponents(players, game, row):
    """The last two places of a row: whether the learner meets greedy, or another that is frozen."""
    met = players[(game.acting + 1) % game.num_seats]
    row[-2] = met == GREEDY
    row[-1] = met > GREEDY


@jit
def write_table(row, behind, places, summary, table):
    """What the critic sees: all of the features that is not about single faces, and the hidden summary.

    The last two places, whom the seat meets, are left to the caller.
    """
    n = len(places)
    for j in range(n):
        table[j] = row[places[j]]
    for j in range(len(summary)):
        table[n + j] = behind[summary[j]]
