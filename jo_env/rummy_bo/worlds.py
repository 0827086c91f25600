"""Worlds: games that could lie behind a view, for players that think by playing on."""

import numpy as np

from jo_env.bits import popcount
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.rng import shuffle, stream
from jo_env.rummy_bo.bits import NONE, card
from jo_env.rummy_bo.state import MAX_GROUPS, MAX_SEATS, NO_FACE
from jo_env.seats import absolute_seat


@jit
def deal_world(view, seed, game):
    """Write into `game` a table at which the seat asked sees exactly `view`; the rest is dealt by `seed`.

    What the seat saw others take lies in their hands, its own cards, the pile and the table are as they
    are, and so is a stock in sight; every unseen card is equally likely in any other hand or in the stock.
    Whatever the record held before, only the hand in the view is left to play: the game is over when it
    is, with its points in `points[0]`.
    """
    game.seed = seed
    game.rng = stream(seed, 0)
    copy_table(view, game)
    deal_unseen(view, game)


@jit
def copy_table(view, game):
    """What the view shows, from seats counted from the observer to seats of the table."""
    n = view.num_seats
    game.phase = view.phase
    game.acting = view.seat
    game.turn = absolute_seat(view.seat, view.turn, n)
    game.num_seats = n
    game.stock_size = view.stock_size
    game.discard_size = view.discard_size
    game.turned_over = view.turned_over
    game.turns = view.turns
    game.max_turns = view.max_turns
    game.num_groups = view.num_groups
    game.laid = view.laid
    game.laid_off = view.laid_off
    game.first_lay = view.first_lay
    game.num_news = 0
    game.taken = view.taken
    game.fits_set = view.fits_set
    game.fits_low = view.fits_low
    game.fits_high = view.fits_high
    game.table = view.table
    for i in range(MAX_GROUPS):
        game.groups[i] = view.groups[i]
    for i in range(NUM_FACES):
        game.discard[i] = view.discard[i]
        game.stock[i] = view.stock[i]
    game.num_finished = 0
    game.num_hands = 1
    game.has_shoe[:] = 0
    game.points[:] = 0
    for r in range(MAX_SEATS):
        seat = absolute_seat(view.seat, r, n)
        game.public[seat] = view.seats[r]
        game.scores[seat] = view.scores[r]
        if view.seats[r].is_dealer:
            game.dealer = seat


@jit
def deal_unseen(view, game):
    """Shuffle the unseen cards; the other hands are filled up with them, and what is left is the stock."""
    unseen = np.zeros(NUM_FACES, np.int8)
    size = 0
    for face in range(NUM_FACES):
        if view.unseen[face]:
            unseen[size] = face
            size += 1
    shuffle(game, unseen, size)
    # The others see of the observer's hand only what it took; the rest is hidden to them.
    game.hidden = view.hidden | view.cards
    for r in range(MAX_SEATS):
        seat = absolute_seat(view.seat, r, view.num_seats)
        known = NONE
        for face in range(NUM_FACES):
            if view.seats[r].known[face]:
                known |= card(face)
        cards = view.cards if r == 0 else known
        for _ in range(view.seats[r].hand_size - popcount(cards)):
            size -= 1
            cards |= card(unseen[size])
        game.hidden &= ~known
        own = game.own[seat]
        own.cards = cards
        own.loose, own.least_count, own.has_changed = NONE, 0, 1
    if not view.turned_over:
        for i in range(NUM_FACES):
            game.stock[i] = unseen[i] if i < size else NO_FACE
