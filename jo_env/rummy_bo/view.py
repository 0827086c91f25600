"""What one seat may know: the `VIEW` record, and `look`, the only code that reads a game for a player.

A view begins with small signed bytes, which are the observation as they stand, seats counted from the
observer: blocks of one byte a face, then numbers. After them come the same blocks as sets of cards (bits.py)
and exact numbers, for legal.py and the bots. Masks, observations, bots and the JSON view all start here, so
that no player can see more.
"""

import numpy as np

from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.records import record
from jo_env.rummy_bo.bits import ALL_FACES, NONE, bit, mark_faces
from jo_env.rummy_bo.state import GROUP, MAX_GROUPS, MAX_SEATS, Phase

OBSERVATION_VERSION = 1

# The blocks with a byte for every face.
TABLE_BLOCKS = (
    "hand",
    "unseen",  # their place is not known to the observer
    "pile",
    "top",  # of the pile
    "second",  # the card below it
    "offered",  # what a seat that takes from the pile gets
    "taken",  # from the pile in this turn
    "in_sets",  # on the table
    "in_runs",
    "fit_sets",  # cards that may be laid off in this turn on sets
    "fit_below",  # at the low end of runs
    "fit_above",  # at their high end
    "next",  # on top of the stock, where its order is known
    "after_next",
)
SEAT_BLOCKS = ("known", "thrown")
HAND, UNSEEN, PILE, TOP, SECOND, OFFERED, TAKEN = range(7)
IN_SETS, IN_RUNS, FIT_SETS, FIT_BELOW, FIT_ABOVE, NEXT, AFTER_NEXT, KNOWN = range(7, 15)
THROWN = KNOWN + MAX_SEATS
NUM_BLOCKS = THROWN + MAX_SEATS

SEAT = record(
    ("is_seated", np.int8),
    ("hand_size", np.int8),
    ("has_melded", np.int8),  # laid or laid off in an earlier turn
    ("is_on_turn", np.int8),
    ("is_dealer", np.int8),
    ("score_tens", np.int8),  # points before this hand: tens, from -127 to 127,
    ("score_units", np.int8),  # and units, from 0 to 9
)
TABLE = record(
    ("num_seats", np.int8, MAX_SEATS - 1),  # 2 to 6, marked 1
    ("phase", np.int8, 2),  # draw or play, marked 1
    ("stock_size", np.int8),
    ("is_stock_known", np.int8),
    ("pile_size", np.int8),
    ("turns_tens", np.int8),  # turns finished in this hand: tens (up to 127), and units
    ("turns_units", np.int8),
    ("hands_left", np.int8),  # after this one
    ("num_groups", np.int8),
    ("has_laid", np.int8),  # in this turn
    ("laid_off", np.int8),  # cards, in this turn
)
_OBSERVATION = [
    ("faces", np.uint32, (NUM_BLOCKS, NUM_FACES // 4)),  # the blocks, a byte a face, written four at a time
    ("seats", SEAT, MAX_SEATS),
    ("table", TABLE),
]
OBSERVATION_SIZE = record(*_OBSERVATION).itemsize
VIEW = record(
    *_OBSERVATION,
    ("padding", np.int8, -OBSERVATION_SIZE % 8),
    ("cards", np.uint64, NUM_BLOCKS),  # what `faces` says, as sets
    ("scores", np.int32, MAX_SEATS),  # points before this hand, the observer first
    ("seat", np.int32),  # the observer's
    ("num_seats", np.int32),
    ("phase", np.int32),
    ("turn", np.int32),  # relative seat on turn
    ("turns", np.int32),
    ("max_turns", np.int32),
    ("stock_size", np.int32),
    ("discard_size", np.int32),
    ("is_stock_known", np.int32),
    ("last_lay", np.int32),
    ("laid_off", np.int32),
    ("num_groups", np.int32),
    ("groups", GROUP, MAX_GROUPS),
    ("discard", np.int8, NUM_FACES),  # top last
    ("stock", np.int8, NUM_FACES),  # top last, where its order is known
)


@jit
def absolute_seat(observer, relative, num_seats):
    """The seat that is `relative` to the left of the observer; empty seats keep their place behind."""
    if relative >= num_seats:
        return relative
    seat = observer + relative
    return seat if seat < num_seats else seat - num_seats


@jit
def relative_seat(observer, seat, num_seats):
    """How far to the left of the observer a seat is: `absolute_seat` the other way round."""
    if seat >= num_seats:
        return seat
    relative = seat - observer
    return relative if relative >= 0 else relative + num_seats


@jit
def show(view, block, cards):
    """Bring a block up to date; most stay as they were from one look to the next."""
    if view.cards[block] != cards:
        view.cards[block] = cards
        mark_faces(cards, view.faces[block])


@jit
def look(game, seat, view):
    """Write what `seat` may know into `view`, which is zeroed or was written before."""
    n = game.num_seats
    top, second = NONE, NONE
    if game.discard_size > 0:
        top = bit(game.discard[game.discard_size - 1])
    if game.discard_size > 1:
        second = bit(game.discard[game.discard_size - 2])
    others = NONE
    for relative in range(MAX_SEATS):
        absolute = absolute_seat(seat, relative, n)
        known = game.known[absolute]
        show(view, KNOWN + relative, known)
        show(view, THROWN + relative, game.thrown[absolute])
        if relative > 0:
            others |= known
        look_at_seat(game, absolute, view.seats[relative])
        view.scores[relative] = game.scores[absolute]
    held = game.held[seat]
    on_table = game.in_sets | game.in_runs
    ahead, after_next, in_stock = NONE, NONE, NONE
    if game.is_stock_known:
        for i in range(game.stock_size):
            view.stock[i] = game.stock[i]
            in_stock |= bit(game.stock[i])
        if game.stock_size > 0:
            ahead = bit(game.stock[game.stock_size - 1])
        if game.stock_size > 1:
            after_next = bit(game.stock[game.stock_size - 2])
    show(view, HAND, held)
    show(view, UNSEEN, ALL_FACES & ~(held | game.pile | on_table | others | in_stock))
    show(view, PILE, game.pile)
    show(view, TOP, top)
    show(view, SECOND, second)
    show(view, OFFERED, top | second if game.stock_size > 0 else top)
    show(view, TAKEN, game.taken)
    show(view, IN_SETS, game.in_sets)
    show(view, IN_RUNS, game.in_runs)
    show(view, FIT_SETS, game.fit_sets)
    show(view, FIT_BELOW, game.fit_below)
    show(view, FIT_ABOVE, game.fit_above)
    show(view, NEXT, ahead)
    show(view, AFTER_NEXT, after_next)
    look_at_table(game, view.table)
    view.seat = seat
    view.num_seats = n
    view.phase = game.phase
    view.turn = relative_seat(seat, game.turn, n)
    view.turns = game.turns
    view.max_turns = game.max_turns
    view.stock_size = game.stock_size
    view.discard_size = game.discard_size
    view.is_stock_known = game.is_stock_known
    view.last_lay = game.last_lay
    view.laid_off = game.laid_off
    view.num_groups = game.num_groups
    for g in range(game.num_groups):
        view.groups[g] = game.groups[g]
    for i in range(game.discard_size):
        view.discard[i] = game.discard[i]


@jit
def look_at_seat(game, seat, shown):
    """What everyone knows of a seat, in small numbers."""
    is_seated = seat < game.num_seats
    tens = game.scores[seat] // 10
    shown.is_seated = is_seated
    shown.hand_size = game.hand_size[seat]
    shown.has_melded = game.has_melded[seat]
    shown.is_on_turn = is_seated and seat == game.turn
    shown.is_dealer = is_seated and seat == game.dealer
    shown.score_tens = min(max(tens, -127), 127)
    shown.score_units = game.scores[seat] - 10 * tens


@jit
def look_at_table(game, shown):
    for i in range(len(shown.num_seats)):
        shown.num_seats[i] = i + 2 == game.num_seats
    shown.phase[0] = game.phase == Phase.DRAW
    shown.phase[1] = game.phase == Phase.PLAY
    shown.stock_size = game.stock_size
    shown.is_stock_known = game.is_stock_known
    shown.pile_size = game.discard_size
    tens = game.turns // 10
    shown.turns_tens = min(tens, 127)
    shown.turns_units = game.turns - 10 * tens
    shown.hands_left = max(game.num_hands - 1 - game.num_finished, 0)
    shown.num_groups = game.num_groups
    shown.has_laid = game.last_lay > 0
    shown.laid_off = game.laid_off


def observation_layout() -> list[tuple[str, int, int]]:
    """The observation as a table: (block, offset, size) in order."""
    names = [f"table.{name}" for name in TABLE_BLOCKS]
    names += [f"seats[{i}].{name}" for name in SEAT_BLOCKS for i in range(MAX_SEATS)]
    rows = [(name, NUM_FACES * i, NUM_FACES) for i, name in enumerate(names)]
    offset = NUM_BLOCKS * NUM_FACES
    for prefix, kind in [*((f"seats[{i}]", SEAT) for i in range(MAX_SEATS)), ("table", TABLE)]:
        for name, (field, start, *_) in (kind.fields or {}).items():
            rows.append((f"{prefix}.{name}", offset + start, field.itemsize))
        offset += kind.itemsize
    return rows
