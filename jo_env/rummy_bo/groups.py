"""Groups on the table: what fits them, and how they grow."""

from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit
from jo_env.rummy_bo.actions import ADD_ABOVE, ADD_BELOW, ADD_TO_SET, LAY_CARDS, LAY_RUN, NUM_STARTS
from jo_env.rummy_bo.bits import NONE, above, below, bit, in_ranks, lowest
from jo_env.rummy_bo.state import MAX_RUN


@jit
def write_group(group, action):
    """The group that a lay action lays."""
    group.cards = LAY_CARDS[action]
    group.is_set = action < LAY_RUN
    group.is_new = 1
    if group.is_set:
        group.low = lowest(group.cards)
        group.length = 3 + ((action - 4) % 5 == 4)
    else:
        suit, start = (action - LAY_RUN) // NUM_STARTS, (action - LAY_RUN) % NUM_STARTS
        group.low = NUM_RANKS * suit + start
        group.length = 3


@jit
def fits_on(group):
    """The cards that may be added to a group in this turn: (to a set, below a run, above a run).

    A group laid in this very turn was laid as what it is: a set at its size, a run from its lowest card. The
    last card of a suit goes to the high end. So every play has one spelling.
    """
    if group.is_set:
        if group.length == 4 or group.is_new:
            return NONE, NONE, NONE
        return in_ranks(bit(group.low % NUM_RANKS)) & ~group.cards, NONE, NONE
    if group.length == MAX_RUN:
        return NONE, NONE, NONE
    after = above(bit(high_of(group)))
    if group.is_new or group.length == MAX_RUN - 1:
        return NONE, NONE, after
    return NONE, below(bit(group.low)), after


@jit
def high_of(group):
    """The highest face of a run."""
    suit, rank = group.low // NUM_RANKS, group.low % NUM_RANKS
    return NUM_RANKS * suit + (rank + group.length - 1) % NUM_RANKS


@jit
def find_group(groups, num_groups, action):
    """The place of the group that a lay-off action adds to."""
    for g in range(num_groups):
        to_set, to_low, to_high = fits_on(groups[g])
        if action < ADD_BELOW:
            fit = to_set & bit(action - ADD_TO_SET)
        elif action < ADD_ABOVE:
            fit = to_low & bit(action - ADD_BELOW)
        else:
            fit = to_high & bit(action - ADD_ABOVE)
        if fit:
            return g
    return -1


@jit
def grow_group(group, action):
    """Add the card of a lay-off action to a group."""
    face = (action - ADD_TO_SET) % NUM_FACES
    group.cards |= bit(face)
    group.length += 1
    if ADD_BELOW <= action < ADD_ABOVE:
        group.low = face


@jit
def fits_on_table(groups, num_groups):
    """The cards that may be added in this turn: (to sets, below runs, above runs)."""
    sets, lows, highs = NONE, NONE, NONE
    for g in range(num_groups):
        to_set, to_low, to_high = fits_on(groups[g])
        sets, lows, highs = sets | to_set, lows | to_low, highs | to_high
    return sets, lows, highs


@jit
def can_clear(groups, num_groups, cards):
    """Whether these cards, at most two, can all be laid off, one after the other."""
    if cards == NONE:
        return True
    left = cards
    while left:
        face = lowest(left)
        left &= ~bit(face)
        for block in (ADD_TO_SET, ADD_BELOW, ADD_ABOVE):
            g = find_group(groups, num_groups, block + face)
            if g >= 0:
                rest = cards & ~bit(face)
                if rest == NONE:
                    return True
                grown = groups.copy()
                grow_group(grown[g], block + face)
                sets, lows, highs = fits_on_table(grown, num_groups)
                if rest & (sets | lows | highs):
                    return True
    return False
