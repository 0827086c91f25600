"""`planner-search`: tries the planner's best moves in worlds dealt at random, planners playing on.

A flat Monte-Carlo player. A world is a table that could lie behind the view, where the others have built
for their goal (hands.py); every move is tried in the same worlds, with the same luck. There planners, who
see only their own seat's view, play the hand to its end, and what the seat receives for it is the move's
worth in that world. The planner's own move is played unless another is ahead of it by `LEAD` standard
errors of their difference over the worlds.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from agents.heuristics.candidates import MOST_MOVES, list_moves
from agents.heuristics.hands import build_hands
from agents.heuristics.odds import ODDS
from agents.heuristics.planner import default_weights, plan
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
    """The place of the move to play; moves that trail the leader by `LEAD` standard errors drop out.

    worths float64[moves, worlds] takes what each move is worth in each world; `games` (two), `seen`, `mask`
    and `odds` are there to work in.
    """
    num_worlds = worths.shape[1]
    nearer = np.zeros(NUM_FACES, np.int8)
    is_open = np.ones(num_moves, np.bool_)  # the planner's move stays open to the end
    num_dealt, leader, num_rivals = 0, 0, 1
    while num_rivals > 0 and num_dealt < num_worlds:
        for _ in range(min(WORLDS_AT_ONCE, num_worlds - num_dealt)):
            deal_world(view, stream(seed, num_dealt), games[0])
            build_hands(view, games[0], nearer)
            limit = view.turns + MOST_TURNS
            if games[0].max_turns == NO_LIMIT or games[0].max_turns > limit:
                games[0].max_turns = limit
            for m in range(num_moves):
                if is_open[m]:
                    games[1] = games[0]
                    worths[m, num_dealt] = play_on(games[1], moves[m], view.seat, weights, odds, seen, mask)
            num_dealt += 1
        best_sum = -np.inf
        for m in range(num_moves):
            if is_open[m] and worths[m, :num_dealt].sum() > best_sum:
                best_sum = worths[m, :num_dealt].sum()
                leader = m
        num_rivals = 0
        for m in range(num_moves):
            if m != leader and is_open[m]:
                if not is_ahead(worths[leader], worths[m], num_dealt):
                    num_rivals += 1
                elif m > 0:
                    is_open[m] = False
    return leader if leader == 0 or is_ahead(worths[leader], worths[0], num_dealt) else 0


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
