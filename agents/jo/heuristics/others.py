"""What the other seats may want, and what the table may come to take."""

from jo_env.cards import NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.groups import face_after, face_before, suit_of


@jit
def use_to(view, odds, r, face, for_known, where_unwanted):
    """How likely seat `r`, which is not down, collects this face: by what it could hold, took and threw.

    `odds` holds the outs. A card beside a known one counts `for_known` more; a face that the seat threw
    or declined has its use multiplied by `where_unwanted`.
    """
    seat = view.seats[r]
    rank, suit = face % NUM_RANKS, face // NUM_RANKS
    threes, fours = view.table.threes, view.table.fours
    use = 0.0
    if threes > 0:
        known = 0
        for s in range(NUM_SUITS):
            known += seat.known[NUM_RANKS * s + rank]
        use += threes * (odds.rank_outs[rank] / 8 + for_known * known)
    if fours > 0:
        near, known = 0.0, 0
        for step in range(-3, 4):
            other = rank + step
            if step == 0 or other < 0 or other > NUM_RANKS:
                continue
            beside = NUM_RANKS * suit + (other if other < NUM_RANKS else 0)
            near += odds.outs[beside]
            known += seat.known[beside]
        use += fours * (near / 12 + for_known * known)
    if seat.declined[face] + seat.thrown[face] > 0:
        use *= where_unwanted
    return use / (threes + fours)


@jit
def copies_between(view, face):
    """Unseen copies of the card that is wanted between this one and the end of a run on the table."""
    copies = 0
    for r in range(view.num_seats):
        for i in range(MAX_GROUPS):
            group = view.seats[r].groups[i]
            if not group.is_four:
                continue
            suit = suit_of(group)
            between = face_before(suit, group.low, group.length)
            if between >= 0 and face_before(suit, group.low - 1, group.length + 1) == face:
                copies += view.unseen[between]
            between = face_after(suit, group.low, group.length)
            if between >= 0 and face_after(suit, group.low, group.length + 1) == face:
                copies += view.unseen[between]
    return copies
