"""Seats round the table: counted from 0 to the left, or from whoever looks."""

from jo_env.jit import jit


@jit
def left_of(game, seat):
    """The next higher seat number, modulo the seats."""
    return seat + 1 if seat + 1 < game.num_seats else 0


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
