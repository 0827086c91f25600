"""What only the critic sees, and only in training: the other hands, and what the stock will bring.

Which cards come next is luck that no choice can change, so a critic may know it: the advantages stay
unbiased, and much of their noise goes.
"""

import numpy as np

from jo_env.bits import popcount
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.rummy_bo.bits import ONE, card
from jo_env.rummy_bo.payment import least_count
from jo_env.rummy_bo.state import MAX_SEATS, Phase
from jo_env.seats import absolute_seat, relative_seat

HAND_SIZE = NUM_FACES + 2  # the cards held, what they pay in fives, how many are loose
NUM_TURNS = 4  # of each seat, looked ahead: how many cards are loose after each
DRAWS = (MAX_SEATS - 1) * HAND_SIZE  # where they begin
HIDDEN_SIZE = DRAWS + MAX_SEATS * NUM_TURNS
# Of all that, what is not about single cards, and what brings each near one.
SUMMARY = np.array(
    [HAND_SIZE * r + NUM_FACES + i for r in range(MAX_SEATS - 1) for i in range(2)]
    + list(range(DRAWS, HIDDEN_SIZE))
)
SUMMARY_SCALE = np.array([1 / 10, 1 / 4] * (MAX_SEATS - 1) + [1 / 4] * MAX_SEATS * NUM_TURNS)


@jit
def look_behind(games, hidden):
    """Write what the seat asked does not see into `hidden`, int8[N, HIDDEN_SIZE].

    First the other seats' hands, leftwards from it; then for every seat, itself first, how many of its cards
    would be loose after its next turns if all seats drew two from the stock and kept everything.
    """
    for i in range(len(games)):
        look_behind_one(games[i], hidden[i])


@jit
def look_behind_one(game, hidden):
    hidden[:] = 0
    for r in range(game.num_seats):
        seat = absolute_seat(game.acting, r, game.num_seats)
        cards = game.own[seat].cards
        if r > 0:
            row = hidden[HAND_SIZE * (r - 1) : HAND_SIZE * r]
            for face in range(NUM_FACES):
                row[face] = cards >> np.uint64(face) & ONE
            points, loose = least_count(cards)
            row[NUM_FACES] = min(points // 5, 127)
            row[NUM_FACES + 1] = popcount(loose)
        turns_before = relative_seat(game.turn, seat, game.num_seats)
        if game.phase == Phase.PLAY:  # the seat on turn has drawn
            turns_before = (turns_before - 1) % game.num_seats
        for k in range(NUM_TURNS):
            first = game.stock_size - 1 - 2 * (turns_before + k * game.num_seats)
            for place in (first, first - 1):
                if place >= 0:
                    cards |= card(game.stock[place])
            _, loose = least_count(cards)
            hidden[DRAWS + NUM_TURNS * r + k] = popcount(loose)
