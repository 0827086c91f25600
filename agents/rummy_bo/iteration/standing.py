"""How a hand stands, as an onlooker sees it who knows every hand and what the stock holds, not its order."""

from agents.iteration.advantages import YES, clip
from agents.rummy_bo.heuristics.hands import near_cards, stranded
from jo_env.bits import popcount
from jo_env.jit import jit
from jo_env.rummy_bo.bits import NONE, ONE, card
from jo_env.rummy_bo.payment import least_count
from jo_env.rummy_bo.state import MAX_SEATS
from jo_env.rummy_bo.view import look
from jo_env.seats import absolute_seat

PER_SEAT, PER_TABLE = 10, 9
STANDING_SIZE = MAX_SEATS * PER_SEAT + PER_TABLE


@jit
def write_standing(game, observer, view, out):
    """Write int8[STANDING_SIZE]: the seats leftwards from the observer, then the table.

    `view` is there to work in. The last two places, whom the observer meets, are left to the caller.
    """
    n = game.num_seats
    stock = NONE
    for i in range(game.stock_size):
        stock |= card(game.stock[i])
    out[:] = 0
    for r in range(n):
        look(game, absolute_seat(observer, r, n), view)
        own, seat = view.seats[0], out[PER_SEAT * r : PER_SEAT * (r + 1)]
        loose = stranded(view, view.cards)
        seat[0] = YES
        seat[1] = YES * own.has_melded
        seat[2] = clip(5 * own.hand_size)
        seat[3] = clip(view.least_count)
        seat[4] = clip(12 * popcount(loose))
        seat[5] = YES * (popcount(loose) <= 1)
        seat[6] = YES * (popcount(loose) == 2)
        seat[7] = YES * (popcount(loose) == 3)
        outs, gain = 0, 0
        useful = near_cards(view.loose) & stock
        while useful != NONE:
            bit = useful & (~useful + ONE)
            useful &= useful - ONE
            count, _ = least_count(view.cards | bit)
            if count < view.least_count:
                outs += 1
                gain += view.least_count - count
        seat[8] = clip(127 * outs / max(game.stock_size, 1))
        seat[9] = clip(10 * gain / max(game.stock_size, 1))
    table = out[MAX_SEATS * PER_SEAT :]
    table[0] = YES * (n == 3)
    table[1] = YES * (n == 4)
    table[2] = YES * (n == 5)
    table[3] = YES * (n == 6)
    table[4] = YES * game.turned_over
    table[5] = clip(3 * game.stock_size)
    table[6] = clip(3 * (game.turns // n))
