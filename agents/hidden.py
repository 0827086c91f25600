"""What only the critic sees, and only in training: the other seats' hands and how far they are."""

from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.rules import hand_points
from jo_env.jo.state import MAX_SEATS
from jo_env.jo.view import absolute_seat, solve_goal

SEAT_SIZE = NUM_FACES + 2  # the copies of each face held, the cards missing to the goal, points in tens
HIDDEN_SIZE = (MAX_SEATS - 1) * SEAT_SIZE


@jit
def look_behind(games, hidden):
    """Write what the seat asked does not see, seat by seat leftwards from it, into int8[N, HIDDEN_SIZE]."""
    hidden[:] = 0
    for i in range(len(games)):
        game = games[i]
        for r in range(1, game.num_seats):
            seat = absolute_seat(game.acting, r, game.num_seats)
            solve_goal(game, seat)
            row = hidden[i, SEAT_SIZE * (r - 1) : SEAT_SIZE * r]
            own = game.own[seat]
            row[:NUM_FACES] = own.hand
            row[NUM_FACES] = own.missing
            row[NUM_FACES + 1] = hand_points(own.hand) // 10
