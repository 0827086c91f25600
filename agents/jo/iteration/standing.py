"""How a hand stands, as an onlooker sees it who knows every hand and what the stock holds, not its order."""

import numpy as np

from agents.iteration.advantages import YES, clip
from agents.jo.heuristics.odds import chance, survey
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.rules import hand_points
from jo_env.jo.state import MAX_SEATS
from jo_env.jo.view import look
from jo_env.seats import absolute_seat

PER_SEAT, PER_TABLE = 10, 8
STANDING_SIZE = MAX_SEATS * PER_SEAT + PER_TABLE


@jit
def write_standing(game, observer, view, w, odds, out):
    """Write int8[STANDING_SIZE]: the seats leftwards from the observer, then the table.

    `w` are the planner's weights for the seats; `view` and `odds` are there to work in. The last two places,
    whom the observer meets, are left to the caller.
    """
    n = game.num_seats
    stock = np.zeros(NUM_FACES, np.int64)
    for i in range(game.stock_size):
        stock[game.stock[i]] += 1
    out[:] = 0
    for r in range(n):
        look(game, absolute_seat(observer, r, n), view)
        own, seat = view.seats[0], out[PER_SEAT * r : PER_SEAT * (r + 1)]
        seat[0] = YES
        seat[1] = YES * own.down
        seat[2] = clip(4 * own.hand_size)
        seat[3] = clip(hand_points(view.own.hand) / 2)
        seat[4] = clip(7 * own.buys_left)
        if not own.down:
            outs = 0
            for face in range(NUM_FACES):
                outs += stock[face] * view.own.nearer[face]
            survey(view, w, odds)
            seat[5] = clip(10 * view.own.missing)
            seat[6] = YES * (view.own.missing == 0)
            seat[7] = YES * (view.own.missing == 1)
            seat[8] = clip(127 * outs / max(game.stock_size, 1))
            seat[9] = clip(127 * chance(odds, -1))
    table = out[MAX_SEATS * PER_SEAT :]
    table[0] = YES * (n == 3)
    table[1] = YES * (n == 4)
    table[2] = 10 * view.table.threes
    table[3] = 10 * view.table.fours
    table[4] = clip(3 * (view.turns // n))
    table[5] = clip(view.stock_size)
