"""Worlds: games that could lie behind a view, for players that think by playing on."""

import numpy as np

from jo_env.jit import jit
from jo_env.rng import stream
from jo_env.rummy_bo.bits import ONE, bit, lowest, popcount
from jo_env.rummy_bo.rules import write_fits
from jo_env.rummy_bo.state import MAX_SEATS
from jo_env.rummy_bo.view import HAND, IN_RUNS, IN_SETS, KNOWN, PILE, TAKEN, THROWN, UNSEEN, absolute_seat
from jo_env.shuffling import shuffle


@jit
def deal_world(view, seed, game):
    """Write into `game` a table at which the seat asked sees exactly `view`; the rest is dealt by `seed`.

    What everyone knows to be in a hand lies there, a stock that was turned over before all eyes is as it is,
    and every unseen card is equally likely in any other place. Whatever the record held before, only the hand
    in the view is left to play: the game is over when it is, with its points in `points[0]`.
    """
    game.seed = seed
    game.rng = stream(seed, 0)
    n = view.num_seats
    game.phase = view.phase
    game.acting = view.seat
    game.turn = absolute_seat(view.seat, view.turn, n)
    game.num_seats = n
    game.turns = view.turns
    game.max_turns = view.max_turns
    game.last_lay = view.last_lay
    game.laid_off = view.laid_off
    game.is_stock_known = view.is_stock_known
    game.taken = view.cards[TAKEN]
    game.pile = view.cards[PILE]
    game.in_sets, game.in_runs = view.cards[IN_SETS], view.cards[IN_RUNS]
    game.num_groups = view.num_groups
    for g in range(view.num_groups):
        game.groups[g] = view.groups[g]
    game.discard_size = view.discard_size
    for i in range(view.discard_size):
        game.discard[i] = view.discard[i]
    game.num_news = 0
    game.num_finished = 0
    game.num_hands = 1
    game.has_shoe[:] = 0
    game.points[:] = 0
    unseen = np.zeros(len(game.stock), np.int8)
    size = 0
    left = view.cards[UNSEEN]
    while left:
        unseen[size] = lowest(left)
        left &= left - ONE
        size += 1
    shuffle(game, unseen, size)
    for relative in range(MAX_SEATS):
        seat = absolute_seat(view.seat, relative, n)
        game.known[seat] = view.cards[KNOWN + relative]
        game.thrown[seat] = view.cards[THROWN + relative]
        game.hand_size[seat] = view.seats[relative].hand_size
        game.has_melded[seat] = view.seats[relative].has_melded
        game.scores[seat] = view.scores[relative]
        if view.seats[relative].is_dealer:
            game.dealer = seat
        game.held[seat] = view.cards[HAND] if relative == 0 else game.known[seat]
        if relative > 0:
            for _ in range(game.hand_size[seat] - popcount(game.known[seat])):
                size -= 1
                game.held[seat] |= bit(unseen[size])
    game.stock_size = view.stock_size
    for i in range(view.stock_size):
        game.stock[i] = view.stock[i] if view.is_stock_known else unseen[i]
    write_fits(game)
