"""Hands played to learn from: now and then a seat draws among its candidates, and we note what it brought."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from agents.candidates import MOST_MOVES
from agents.files import save_arrays
from agents.jo.features import LAYOUT, NUM_LAYS
from agents.jo.heuristics.greedy import grab
from agents.jo.heuristics.planner import default_weights, plan
from agents.jo.heuristics.styles import STYLES, styled_weights
from agents.jo.hidden import HIDDEN_SIZE, SUMMARY, look_behind_copy
from agents.jo.iteration.improved import DESK, Advantages, judge_moves, list_candidates
from agents.jo.iteration.standing import STANDING_SIZE, write_standing
from agents.jo.iteration.traits import NUM_TRAITS, kind_of
from jo_env import jo
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.actions import BUY, TAKE_DISCARD
from jo_env.jo.engine import add_points_reward
from jo_env.jo.legal import legal_actions
from jo_env.jo.rules import apply_action, start_game
from jo_env.jo.state import GAME, MAX_SEATS, NOBODY, Phase
from jo_env.jo.view import VIEW, look
from jo_env.rng import advance, bounded, mix, stream

TABLE_PLACES = LAYOUT.other_places[:-NUM_LAYS]  # what the critic sees of the features
NUM_CRITIC_INPUTS = len(TABLE_PLACES) + len(SUMMARY) + 2
MOST_PENDING = 192  # rows of one table's hand that wait for its end
PER_MILLE = 1000
ONE_IN_WIDE = 4  # explored decisions draw among all candidates, however far behind
# Players by number: the learner, then the heuristic ones in this order, then its past selves.
OTHERS = ("greedy", "planner", *STYLES)
LEARNER, GREEDY, PLANNER, PAST = 0, 1, 2, 1 + len(OTHERS)
PLAYERS = (*OTHERS, "past")  # whom the learner may meet
SEATS = (2, 3, 4, 4)  # at the tables, in turn: more seats, more to learn from


@dataclass
class Rows:
    """Explored decisions, one a row."""

    traits: np.ndarray  # int8[N, MOST_MOVES, NUM_TRAITS]
    table: np.ndarray  # int8[N, NUM_CRITIC_INPUTS] what the critic sees
    num_moves: np.ndarray  # int8[N] candidates, 2 or more
    chosen: np.ndarray  # int8[N] which of them was drawn
    planned: np.ndarray  # int8[N] which of them the policy would have played
    takes_first: np.ndarray  # int8[N] 1 where the first candidate is to take or buy the top
    kinds: np.ndarray  # int8[N] of decision, as in traits.py
    seats: np.ndarray  # int8[N] at the table
    rewards: np.ndarray  # float32[N] what the seat received for the hand
    has_later: np.ndarray  # int8[N] 1 where the hand went on for `lookahead` more turns of the seat
    later: np.ndarray  # int8[N, STANDING_SIZE] how it stood then

    @classmethod
    def empty(cls, size: int) -> "Rows":
        return cls(
            traits=np.zeros((size, MOST_MOVES, NUM_TRAITS), np.int8),
            table=np.zeros((size, NUM_CRITIC_INPUTS), np.int8),
            num_moves=np.zeros(size, np.int8),
            chosen=np.zeros(size, np.int8),
            planned=np.zeros(size, np.int8),
            takes_first=np.zeros(size, np.int8),
            kinds=np.zeros(size, np.int8),
            seats=np.zeros(size, np.int8),
            rewards=np.zeros(size, np.float32),
            has_later=np.zeros(size, np.int8),
            later=np.zeros((size, STANDING_SIZE), np.int8),
        )

    def save(self, path: Path) -> None:
        save_arrays(path, {field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> "Rows":
        with np.load(path) as file:
            return cls(**{field.name: file[field.name] for field in fields(cls)})


def explore(
    advantages: Advantages,
    size: int,
    seed: int,
    share: float,
    within: float,
    lookahead: int,
    opponents: Mapping[str, float],
    past: Sequence[Advantages] = (),
    num_games: int = 96,
) -> Rows:
    """Play until `size` decisions have been explored and their hands have ended.

    At tables of 2, 3 and 4 seats sit planners with these advantages, or one of them among `opponents` (a name
    of `PLAYERS`: its share of the tables), of which "past" is any of `past` in each seat. Of their decisions
    with several candidates a `share` is explored: drawn among those at most `within` points behind the best,
    or, now and then, among all. How the hand stands `lookahead` turns later is kept as well. The same seed
    gives the same rows.
    """
    rng = np.random.default_rng(seed)
    seats = [SEATS[i % len(SEATS)] for i in range(num_games)]
    games = np.concatenate([jo.new_games(1, seats=n, max_turns=100) for n in seats])
    players = np.zeros((num_games, MAX_SEATS), np.int8)
    for i, met in enumerate(_deal_out(opponents, num_games)):
        games[i]["rounds"] = rng.permutation(games[i]["rounds"])
        if met != LEARNER:
            players[i] = met + rng.integers(len(past), size=MAX_SEATS) if met == PAST else met
            players[i, rng.integers(seats[i])] = LEARNER
    seeds = np.array([stream(np.uint64(seed), i) for i in range(num_games)], np.uint64)
    jo.start(games, seeds, np.full(num_games, NOBODY))
    rows = Rows.empty(size)
    views = np.zeros(1, VIEW)
    _explore(
        games,
        np.array([stream(np.uint64(seed), num_games + i) for i in range(num_games)], np.uint64),
        players,
        round(PER_MILLE * share),
        within / 10,
        lookahead,
        np.stack([default_weights(), *[styled_weights(style) for style in STYLES]]),
        advantages,
        advantages.is_zero(),
        Advantages(*(np.stack(arrays) for arrays in zip(*(past or [advantages]), strict=True))),
        tuple(getattr(rows, field.name) for field in fields(rows)),
        views,
        views.view(np.int8).reshape(-1),
        np.zeros(1, DESK),
        np.zeros(1, GAME),
    )
    return rows


def _deal_out(opponents: Mapping[str, float], num_games: int) -> list[int]:
    """The players that the learner meets at each table, by number, every size of table alike."""
    by_size = -(-num_games // len(SEATS))
    met = [LEARNER] * by_size
    start = 0.0
    for name, share in sorted(opponents.items()):
        first, last = round(start * by_size), round((start + share) * by_size)
        met[first:last] = [GREEDY + PLAYERS.index(name)] * (last - first)
        start += share
    return [met[i // len(SEATS)] for i in range(num_games)]


@jit
def _explore(
    games,
    lucks,
    players,
    per_mille,
    within,
    lookahead,
    all_weights,
    advantages,
    is_zero,
    past,
    rows,
    views,
    view_bytes,
    desks,
    copies,
):
    traits, tables, num_moves, chosen, planned, takes_first, kinds, seats, rewards, has_later, later = rows
    seen, standing = np.zeros(1, VIEW), np.zeros(STANDING_SIZE, np.int8)
    view, desk = views[0], desks[0]
    hidden = np.zeros((2, advantages.w1.shape[2]), np.float32)
    behind = np.zeros(HIDDEN_SIZE, np.int8)
    mask = np.zeros(jo.NUM_ACTIONS, np.int8)
    nearer = np.zeros(NUM_FACES, np.int8)
    received = np.zeros(MAX_SEATS)
    pending = np.zeros((len(games), MOST_PENDING, 3), np.int64)  # (row, seat, its turns since)
    num_pending = np.zeros(len(games), np.int64)
    size, waiting = 0, 0
    while size < len(chosen) or waiting > 0:
        for i in range(len(games)):
            game = games[i]
            look(game, game.acting, view)
            legal_actions(view, mask)
            player = players[i, game.acting]
            if game.phase == Phase.DRAW and player == LEARNER:
                count_turn(pending[i, : num_pending[i]], game.acting)
                if is_due(pending[i, : num_pending[i]], game.acting, lookahead):
                    w = all_weights[0, game.num_seats - 2]
                    write_standing(game, game.acting, seen[0], w, desk.scratch.odds, standing)
                    mark_opponents(players[i], game, standing)
                    for k in range(num_pending[i]):
                        if pending[i, k, 1] == game.acting and pending[i, k, 2] == lookahead:
                            later[pending[i, k, 0]] = standing
                            has_later[pending[i, k, 0]] = 1
            explores = False
            if player == GREEDY:
                action = grab(view, mask, nearer)
            elif PLANNER <= player < PAST:
                w = all_weights[player - PLANNER, game.num_seats - 2]
                action = plan(view, mask, w, desk.scratch.odds, desk.scratch.worths)
            else:
                w = all_weights[0, game.num_seats - 2]
                n = list_candidates(view, mask, w, desk)
                if n > 1 and player >= PAST:
                    judge_moves(view, view_bytes, w, n, pick(past, player - PAST), desk, hidden)
                elif n > 1:
                    if size < len(chosen) and num_pending[i] < MOST_PENDING:
                        lucks[i] = advance(lucks[i])
                        explores = bounded(lucks[i], PER_MILLE) < per_mille
                    if explores or not is_zero:
                        judge_moves(view, view_bytes, w, n, advantages, desk, hidden)
                    if explores:
                        lucks[i] = advance(lucks[i])
                        if bounded(lucks[i], ONE_IN_WIDE) > 0:
                            n = keep_close(desk, n, within)
                            explores = n > 1
                best = np.argmax(desk.worths[:n])
                action = desk.moves[best]
            if explores:
                lucks[i] = advance(lucks[i])
                drawn = bounded(lucks[i], n)
                action = desk.moves[drawn]
                copies[0] = game
                look_behind_copy(copies[0], behind)
                write_table(desk.row, behind, tables[size])
                mark_opponents(players[i], game, tables[size])
                traits[size, :n] = desk.traits[:n]
                num_moves[size], chosen[size], planned[size] = n, drawn, best
                takes_first[size] = desk.moves[0] in (BUY, TAKE_DISCARD)
                kinds[size], seats[size] = kind_of(view), game.num_seats
                pending[i, num_pending[i], 0] = size
                pending[i, num_pending[i], 1] = game.acting
                pending[i, num_pending[i], 2] = 0
                num_pending[i] += 1
                size += 1
                waiting += 1
            if apply_action(game, action):
                received[:] = 0
                add_points_reward(game, received)
                for k in range(num_pending[i]):
                    rewards[pending[i, k, 0]] = received[pending[i, k, 1]]
                waiting -= num_pending[i]
                num_pending[i] = 0
                if game.phase == Phase.OVER:
                    start_game(game, mix(game.seed), NOBODY)


@jit
def count_turn(pending, seat):
    """One more turn for each of the pending rows (row, seat, turns since) of this seat."""
    for k in range(len(pending)):
        if pending[k, 1] == seat:
            pending[k, 2] += 1


@jit
def is_due(pending, seat, lookahead):
    """Whether a pending row of this seat is so many turns old."""
    for k in range(len(pending)):
        if pending[k, 1] == seat and pending[k, 2] == lookahead:
            return True
    return False


@jit
def mark_opponents(players, game, row):
    """The last two places of a row: whether the learner meets greedy, or another that is frozen."""
    met = players[(game.acting + 1) % game.num_seats]
    row[-2] = met == GREEDY
    row[-1] = met > GREEDY


@jit
def pick(past, number):
    """One of many advantages that are stacked."""
    return Advantages(
        past.w1[number],
        past.b1[number],
        past.w2[number],
        past.b2[number],
        past.w3[number],
        past.linear[number],
    )


@jit
def keep_close(desk, n, within):
    """Move candidates at most `within` (tens of points) behind to the front; returns how many there are."""
    least = desk.worths[:n].max() - within
    kept = 0
    for k in range(n):
        if desk.worths[k] >= least:
            if kept < k:
                desk.moves[kept] = desk.moves[k]
                desk.worths[kept] = desk.worths[k]
                desk.traits[kept] = desk.traits[k]
            kept += 1
    return kept


@jit
def write_table(row, behind, table):
    """What the critic sees: all of the features that is not about single faces, and the hidden summary.

    The last two places, whom the seat meets, are left to the caller.
    """
    n = len(TABLE_PLACES)
    for j in range(n):
        table[j] = row[TABLE_PLACES[j]]
    for j in range(len(SUMMARY)):
        table[n + j] = behind[SUMMARY[j]]
