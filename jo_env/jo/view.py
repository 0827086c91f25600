"""What one seat may know: the `VIEW` record, and `look`, the only code that reads a game for a player.

A view begins with small signed bytes, which are the observation as they stand: blocks copied from the
game, seats counted from the observer. After them come exact numbers for legal.py and the bots. Masks,
observations, bots and the JSON view all start here, so that no player can see more.
"""

import numpy as np

from jo_env.bits import mark_faces
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.bits import pack_faces
from jo_env.jo.runs import solve_pair
from jo_env.jo.solver import solve_cards
from jo_env.jo.state import MAX_SEATS, NO_FACE, PUBLIC, TABLE
from jo_env.records import layout, record
from jo_env.seats import relative_seat

OBSERVATION_VERSION = 1

OWN_VIEW = record(
    ("hand", np.int8, NUM_FACES),  # copies of each face held
    ("nearer", np.int8, NUM_FACES),  # 1 where one more copy brings the goal nearer
    ("missing", np.int8),  # cards still missing to the goal
)
_OBSERVATION = [
    ("own", OWN_VIEW),
    ("unseen", np.int8, NUM_FACES),  # copies whose place the seat does not know
    ("top_is_nearer", np.int8),  # 1 where the top discard brings the goal nearer
    ("seats", PUBLIC, MAX_SEATS),  # the observer first, then leftwards
    ("table", TABLE),
]
OBSERVATION_SIZE = record(*_OBSERVATION).itemsize
VIEW = record(
    *_OBSERVATION,
    ("padding", np.int8, -OBSERVATION_SIZE % 8),
    ("scores", np.int32, MAX_SEATS),  # points before this hand, the observer first
    ("seat", np.int32),  # the observer's
    ("num_seats", np.int32),
    ("phase", np.int32),
    ("turn", np.int32),  # relative seat on turn
    ("top", np.int32),  # faces, or NO_FACE
    ("taken", np.int32),
    ("stock_size", np.int32),
    ("discard_size", np.int32),
    ("turns", np.int32),
    ("max_turns", np.int32),
    ("groups_laid", np.int32),  # by the seat on turn, in a go-down not yet whole
    ("last_lay", np.int32),
    ("p1", np.uint64),  # the observer's hand as the solver reads it
    ("p2", np.uint64),
    ("p3", np.uint64),
    ("ranks", np.uint64),
    ("pair_used", np.uint64),
    ("pair_lacks", np.uint64),
    ("more_padding", np.int8, 32),
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
    own = game.own[seat]
    known = game.public[seat].known
    for face in range(NUM_FACES):
        view.own.hand[face] = own.hand[face]
        view.unseen[face] = game.hidden[face] - own.hand[face] + known[face]
    if own.changed_suits:
        solve_goal(game, seat)
    view.own.missing = own.missing
    mark_faces(pack_faces(own.lacks), view.own.nearer)
    view.seat = seat
    view.num_seats = game.num_seats
    view.phase = game.phase
    view.turn = relative_seat(seat, game.turn, game.num_seats)
    view.top = game.discard[game.discard_size - 1] if game.discard_size > 0 else NO_FACE
    view.top_is_nearer = view.own.nearer[view.top] if view.top != NO_FACE else 0
    view.taken = game.taken
    view.stock_size = game.stock_size
    view.discard_size = game.discard_size
    view.turns = game.turns
    view.max_turns = game.max_turns
    view.groups_laid = game.groups_laid
    view.last_lay = game.last_lay
    view.p1, view.p2, view.p3, view.ranks = own.p1, own.p2, own.p3, own.ranks
    view.pair_used, view.pair_lacks = own.pair_used, own.pair_lacks


@jit
def solve_goal(game, seat):
    """Bring what the solver says of a hand up to date; a seat that is down has no goal left."""
    own = game.own[seat]
    changed = int(own.changed_suits)
    own.changed_suits = 0
    if game.public[seat].down:
        own.missing = 0
        own.pair_used, own.pair_lacks, own.lacks = 0, 0, 0
        return
    threes, fours = game.table.threes, game.table.fours
    if seat == game.turn:
        laid_threes = min(game.groups_laid, threes)
        fours -= game.groups_laid - laid_threes
        threes -= laid_threes
    if fours > 1:
        while changed:
            bit = changed & -changed
            changed ^= bit
            suit = (bit >> 1) - (bit >> 3)
            own.pair_used, own.pair_lacks = solve_pair(own.p1, own.p2, suit, own.pair_used, own.pair_lacks)
    else:
        own.pair_used, own.pair_lacks = 0, 0
    own.missing, own.lacks = solve_cards(
        own.p1, own.p2, own.p3, own.ranks, own.pair_used, own.pair_lacks, threes, fours
    )


def observation_layout() -> list[tuple[str, int, int]]:
    """The observation as a table: (block, offset, size) in order, from the record itself."""
    return layout(record(*_OBSERVATION))
