"""`planner-search`: tries the planner's best moves in worlds dealt at random, planners playing on.

A flat Monte-Carlo player. A world is a table that could lie behind the view, where the others have built
for their goal (hands.py); every move is tried in the same worlds, with the same luck. There planners, who
see only their own seat's view, play the hand to its end, and what the seat receives for it is the move's
worth in that world. The planner's own move is played unless another is ahead of it by `LEAD` standard
errors of their difference over the worlds.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from agents.candidates import MOST_MOVES
from agents.jo.heuristics.candidates import list_moves
from agents.jo.heuristics.hands import build_hands
from agents.jo.heuristics.odds import ODDS
from agents.jo.heuristics.planner import default_weights, plan
from jo_env.bots import BatchBot
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.actions import NUM_ACTIONS
from jo_env.jo.engine import add_points_reward
from jo_env.jo.legal import legal_actions
from jo_env.jo.rules import apply_action
from jo_env.jo.state import GAME, MAX_SEATS, NO_LIMIT
from jo_env.jo.view import VIEW, look
from jo_env.jo.worlds import deal_world
from jo_env.rng import stream

WORLDS_AT_ONCE = 16  # between two looks at who leads
LEAD = 2.0  # standard errors
MOST_TURNS = 200  # played on in a world


class PlannerSearch(BatchBot):
    """Tries the planner's best moves in up to `worlds` worlds (2 or more)."""

    def __init__(self, worlds: int = 64, weights: np.ndarray | None = None, threads: int = 1) -> None:
        self.worlds = worlds
        self.weights = default_weights() if weights is None else weights
        self.threads = threads

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(views), np.int32)

        def search(first: int, end: int) -> None:
            rows = slice(first, end)
            _choose(views[rows], masks[rows], seeds[rows], self.weights, self.worlds, actions[rows])

        ends = np.linspace(0, len(views), self.threads + 1).astype(int)
        if self.threads == 1:
            search(0, len(views))
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(search, ends[:-1], ends[1:]))
        return actions


@jit
def _choose(views, masks, seeds, weights, num_worlds, actions):
    scratch = np.zeros(1, ODDS)
    games = np.zeros(2, GAME)
    seen = np.zeros(1, VIEW)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    moves = np.zeros(MOST_MOVES, np.int64)
    behind, values = np.zeros(MOST_MOVES), np.zeros(NUM_FACES)
    worths = np.zeros((MOST_MOVES, num_worlds))
    for i in range(len(views)):
        w = weights[views[i].num_seats - 2]
        num_moves = list_moves(views[i], masks[i], w, scratch[0], values, moves, behind)
        best = 0
        if num_moves > 1:
            best = compare(
                views[i], seeds[i], weights, moves, num_moves, worths, games, seen[0], mask, scratch[0]
            )
        actions[i] = moves[best]


@jit
def compare(view, seed, weights, moves, num_moves, worths, games, seen, mask, odds):
    """The place of the move to play, after worths.shape[1] worlds or as soon as it is clear."""
    num_worlds = worths.shape[1]
    nearer = np.zeros(NUM_FACES, np.int8)
    is_open = np.ones(num_moves, np.bool_)
    num_dealt, num_open = 0, num_moves
    while num_open > 1 and num_dealt < num_worlds:
        end = min(num_dealt + WORLDS_AT_ONCE, num_worlds)
        try_worlds(
            view, seed, weights, moves, is_open, worths, num_dealt, end, games, seen, mask, odds, nearer
        )
        num_dealt = end
        num_open = drop_trailing(worths, num_dealt, is_open)
    return choose_move(worths, num_dealt, is_open)


@jit
def try_worlds(view, seed, weights, moves, is_open, worths, first, end, games, seen, mask, odds, nearer):
    """Write what the open moves are worth in the worlds `first` to `end` into worths float64[moves, worlds].

    `games` (two), `seen`, `mask`, `odds` and `nearer` are there to work in.
    """
    limit = view.turns + MOST_TURNS
    for k in range(first, end):
        deal_world(view, stream(seed, k), games[0])
        build_hands(view, games[0], nearer)
        if games[0].max_turns == NO_LIMIT or games[0].max_turns > limit:
            games[0].max_turns = limit
        for m in range(len(is_open)):
            if is_open[m]:
                games[1] = games[0]
                worths[m, k] = play_on(games[1], moves[m], view.seat, weights, odds, seen, mask)


@jit
def drop_trailing(worths, num_worlds, is_open):
    """Close moves that trail the leader by `LEAD` standard errors; returns how many are still in question.

    The first move is never closed, so that any other must beat it, but is out of question when it trails.
    """
    leader = find_leader(worths, num_worlds, is_open)
    num_open = 1
    for m in range(len(is_open)):
        if m != leader and is_open[m]:
            if not is_ahead(worths[leader], worths[m], num_worlds):
                num_open += 1
            elif m > 0:
                is_open[m] = False
    return num_open


@jit
def find_leader(worths, num_worlds, is_open):
    """The open move that is worth most over the worlds so far."""
    leader, best_sum = 0, -np.inf
    for m in range(len(is_open)):
        if is_open[m] and worths[m, :num_worlds].sum() > best_sum:
            leader, best_sum = m, worths[m, :num_worlds].sum()
    return leader


@jit
def choose_move(worths, num_worlds, is_open):
    """The leader if it is ahead of the first move by `LEAD` standard errors, else the first move."""
    leader = find_leader(worths, num_worlds, is_open)
    return leader if leader > 0 and is_ahead(worths[leader], worths[0], num_worlds) else 0


@jit
def is_ahead(worths, others, num_worlds):
    """Whether the mean difference over the worlds is at least `LEAD` of its standard errors."""
    mean = 0.0
    for w in range(num_worlds):
        mean += (worths[w] - others[w]) / num_worlds
    squares = 0.0
    for w in range(num_worlds):
        squares += (worths[w] - others[w] - mean) ** 2
    return mean >= LEAD * np.sqrt(squares / (num_worlds - 1) / num_worlds)


@jit
def play_on(game, action, seat, weights, odds, seen, mask):
    """What `seat` receives for the hand when it plays `action` and planners play on from there."""
    values = np.zeros(NUM_FACES)
    w = weights[game.num_seats - 2]
    while not apply_action(game, action):
        look(game, game.acting, seen)
        legal_actions(seen, mask)
        action = plan(seen, mask, w, odds, values)
    rewards = np.zeros(MAX_SEATS)
    add_points_reward(game, rewards)
    return rewards[seat]
