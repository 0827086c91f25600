"""What the others may hold: hands dealt at random, then improved as players improve theirs.

Of the hands that could lie behind a view, those dealt at random are much too poor: after eight turns planners
at four seats lack 1.8 cards to the goal, such hands 3.4. So every other seat draws from the stock and
puts back what helps it least, as often as it has had turns and a little more, for what it took and bought.
"""

import numpy as np

from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.bits import count_face
from jo_env.jo.solver import solve_changed
from jo_env.jo.view import solve_goal
from jo_env.rng import advance, bounded
from jo_env.seats import absolute_seat

DRAWS_A_TURN = 1.3  # with which hands lack as many cards as planners' do, at 2 and at 4 seats


@jit
def build_hands(view, game, nearer):
    """Improve the hands of a world dealt by `deal_world` from this view; `nearer` int8[52] is scratch."""
    for r in range(1, view.num_seats):
        if not view.seats[r].down:
            num_draws = int(DRAWS_A_TURN * (view.turns // view.num_seats))
            for _ in range(num_draws if game.stock_size > 0 else 0):
                improve(game, absolute_seat(view.seat, r, view.num_seats), view.seats[r].known, nearer)


@jit
def improve(game, seat, known, nearer):
    """A card from anywhere in the stock for the one that helps least; what is known of the hand stays."""
    game.rng = advance(game.rng)
    place = bounded(game.rng, game.stock_size)
    own = game.own[seat]
    own.hand[game.stock[place]] += 1
    count_face(own, game.stock[place])
    solve_goal(game, seat)
    worst, most = -1, -np.inf
    for face in range(NUM_FACES):
        if own.hand[face] > known[face]:
            own.hand[face] -= 1
            missing = solve_changed(own, own.hand, face, game.table.threes, game.table.fours, nearer)
            own.hand[face] += 1
            game.rng = advance(game.rng)
            # Fewest cards missing, then most faces that help, then by chance.
            worth = nearer.sum() - 100 * missing + bounded(game.rng, 100) / 100
            if worth > most:
                worst, most = face, worth
    own.hand[worst] -= 1
    count_face(own, worst)
    game.stock[place] = worst
