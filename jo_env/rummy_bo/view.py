"""What one seat may know: the `VIEW` record, and `look`, the only code that reads a game for a player.

A view begins with small signed bytes, which are the observation as they stand: blocks copied from the
game, seats counted from the observer. After them come exact numbers for legal.py and the bots. Masks,
observations, bots and the JSON view all start here, so that no player can see more.
"""

import numpy as np

from jo_env.bits import mark_faces
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.records import layout, record
from jo_env.rummy_bo.payment import least_count
from jo_env.rummy_bo.state import GROUP, MAX_GROUPS, MAX_SEATS, NO_FACE, PUBLIC, TABLE
from jo_env.seats import relative_seat

OBSERVATION_VERSION = 1

OWN_VIEW = record(
    ("hand", np.int8, NUM_FACES),  # the cards held marked 1
    ("loose", np.int8, NUM_FACES),  # those that no group takes, in the partition that pays least
    ("least_count_tens", np.int8),  # their points: tens, and units
    ("least_count_units", np.int8),
)
_OBSERVATION = [
    ("own", OWN_VIEW),
    ("unseen", np.int8, NUM_FACES),  # cards whose place the seat does not know
    ("seats", PUBLIC, MAX_SEATS),  # the observer first, then leftwards
    ("table", TABLE),
]
OBSERVATION_SIZE = record(*_OBSERVATION).itemsize
VIEW = record(
    *_OBSERVATION,
    ("padding", np.int8, -OBSERVATION_SIZE % 8),
    ("cards", np.uint64),  # the hand
    ("loose", np.uint64),
    ("hidden", np.uint64),  # the unseen cards
    ("taken", np.uint64),
    ("fits_set", np.uint64),
    ("fits_low", np.uint64),
    ("fits_high", np.uint64),
    ("groups", GROUP, MAX_GROUPS),  # in the order in which they were laid
    ("discard", np.int8, NUM_FACES),  # top last; NO_FACE beyond its size
    ("stock", np.int8, NUM_FACES),  # likewise, once it is in sight
    ("scores", np.int32, MAX_SEATS),  # points before this hand, the observer first
    ("seat", np.int32),  # the observer's
    ("num_seats", np.int32),
    ("phase", np.int32),
    ("turn", np.int32),  # relative seat on turn
    ("stock_size", np.int32),
    ("discard_size", np.int32),
    ("turned_over", np.int32),
    ("turns", np.int32),
    ("max_turns", np.int32),
    ("num_groups", np.int32),
    ("laid", np.int32),
    ("laid_off", np.int32),
    ("first_lay", np.int32),  # the lowest lay action still open in this turn
    ("least_count", np.int32),
    ("more_padding", np.int8, 56),
)


@jit
def look(game, seat, view):
    """Write what `seat` may know into `view`."""
    # The copies first, from places known at once: so they wait for memory all together.
    view.table = game.table
    for absolute in range(MAX_SEATS):
        r = relative_seat(seat, absolute, game.num_seats)
        view.seats[r] = game.public[absolute]
        view.scores[r] = game.scores[absolute]
    for i in range(MAX_GROUPS):
        view.groups[i] = game.groups[i]
    for i in range(NUM_FACES):
        view.discard[i] = game.discard[i]
    for i in range(NUM_FACES):
        view.stock[i] = game.stock[i] if game.turned_over else NO_FACE
    own = game.own[seat]
    if own.has_changed:
        own.least_count, own.loose = least_count(own.cards)
        own.has_changed = 0
    tens = own.least_count // 10
    view.own.least_count_tens = tens
    view.own.least_count_units = own.least_count - 10 * tens
    view.cards = own.cards
    view.loose = own.loose
    view.hidden = game.hidden & ~own.cards
    view.least_count = own.least_count
    mark_faces(view.cards, view.own.hand)
    mark_faces(view.loose, view.own.loose)
    mark_faces(view.hidden, view.unseen)
    view.taken = game.taken
    view.fits_set = game.fits_set
    view.fits_low = game.fits_low
    view.fits_high = game.fits_high
    view.seat = seat
    view.num_seats = game.num_seats
    view.phase = game.phase
    view.turn = relative_seat(seat, game.turn, game.num_seats)
    view.stock_size = game.stock_size
    view.discard_size = game.discard_size
    view.turned_over = game.turned_over
    view.turns = game.turns
    view.max_turns = game.max_turns
    view.num_groups = game.num_groups
    view.laid = game.laid
    view.laid_off = game.laid_off
    view.first_lay = game.first_lay


def observation_layout() -> list[tuple[str, int, int]]:
    """The observation as a table: (block, offset, size) in order, from the record itself."""
    return layout(record(*_OBSERVATION))
