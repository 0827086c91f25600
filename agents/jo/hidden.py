"""What only the critic sees, and only in training: the other hands, and what the stock will bring.

Which cards come next is luck that no choice can change, so a critic may know it: the advantages stay
unbiased, and much of their noise goes.
"""

import numpy as np

from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.bits import count_face
from jo_env.jo.rules import hand_points
from jo_env.jo.state import GAME, MAX_SEATS, Phase
from jo_env.jo.view import solve_goal
from jo_env.seats import absolute_seat, relative_seat

HAND_SIZE = NUM_FACES + 2  # the copies of each face held, the cards missing to the goal, points in tens
NUM_DRAWS = 6  # of each seat, looked ahead: cards missing after each, and 1 where it completes the goal
DRAWS = (MAX_SEATS - 1) * HAND_SIZE  # where they begin
HIDDEN_SIZE = DRAWS + MAX_SEATS * NUM_DRAWS * 2
# Of all that, what is not about single cards: whom how much separates from the goal, now and soon. And what
# brings each of these numbers near one.
SUMMARY = np.array(
    [HAND_SIZE * r + NUM_FACES + i for r in range(MAX_SEATS - 1) for i in range(2)]
    + list(range(DRAWS, HIDDEN_SIZE))
)
SUMMARY_SCALE = np.array(
    [1 / 4, 1 / 10] * (MAX_SEATS - 1) + ([1 / 4] * NUM_DRAWS + [1] * NUM_DRAWS) * MAX_SEATS
)


def look_behind(games: np.ndarray, hidden: np.ndarray) -> None:
    """Write what the seat asked does not see into `hidden`, int8[N, HIDDEN_SIZE].

    First the other seats' hands, leftwards from it; then for every seat, itself first, what the next
    cards of the stock bring it if all seats draw from there and keep everything.
    """
    _look_behind(games, np.zeros(1, GAME), hidden)


@jit
def _look_behind(games, scratch, hidden):
    for i in range(len(games)):
        scratch[0] = games[i]
        look_behind_copy(scratch[0], hidden[i])


@jit
def look_behind_copy(game, hidden):
    """One row of `look_behind`; `game` is a copy, as cards are drawn from it."""
    hidden[:] = 0
    for r in range(game.num_seats):
        seat = absolute_seat(game.acting, r, game.num_seats)
        solve_goal(game, seat)
        own = game.own[seat]
        if r > 0:
            row = hidden[HAND_SIZE * (r - 1) : HAND_SIZE * r]
            row[:NUM_FACES] = own.hand
            row[NUM_FACES] = own.missing
            row[NUM_FACES + 1] = hand_points(own.hand) // 10
        if not game.public[seat].down:
            start = DRAWS + 2 * NUM_DRAWS * r
            draw_ahead(game, seat, hidden[start : start + 2 * NUM_DRAWS])


@jit
def draw_ahead(game, seat, row):
    """Give a seat its next cards of the stock; what it misses after each goes into int8[2 * NUM_DRAWS]."""
    turns_before = relative_seat(game.turn, seat, game.num_seats)
    if game.phase == Phase.PLAY:  # the seat on turn has drawn
        turns_before = (turns_before - 1) % game.num_seats
    own = game.own[seat]
    for k in range(NUM_DRAWS):
        place = game.stock_size - 1 - turns_before - k * game.num_seats
        if place >= 0:
            face = game.stock[place]
            own.hand[face] += 1
            count_face(own, face)
            solve_goal(game, seat)
        row[k] = own.missing
        row[NUM_DRAWS + k] = own.missing == 0
