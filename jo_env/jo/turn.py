"""Whether a turn can be begun and finished.

A move is legal only if the seat can still finish its turn (decision). Only the face just taken may not
be discarded, so a seat is stranded when it holds nothing but copies of that face and cannot lay all of
them off.
"""

from jo_env.jit import jit
from jo_env.jo.groups import room_on_table


@jit
def can_draw(stock_size, discard_size):
    """The stock has a card, or the pile has cards below its top to make a new stock of."""
    return stock_size > 0 or discard_size >= 2


@jit
def can_take(hand, publics, mover, top):
    """Taking `top` leaves a card to discard, or only copies of it that can all be laid off."""
    copies = hand[top] + 1
    if publics[mover].hand_size + 1 > copies:
        return True
    return publics[mover].down == 1 and copies <= room_on_table(publics, top)
