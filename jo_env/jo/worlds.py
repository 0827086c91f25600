"""Worlds: games that could lie behind a view, for players that think by playing on."""

from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.bits import count_hand
from jo_env.jo.state import MAX_SEATS, NOBODY
from jo_env.rng import shuffle, stream
from jo_env.seats import absolute_seat


@jit
def deal_world(view, seed, game):
    """Write into `game` a table at which the seat asked sees exactly `view`; the rest is dealt by `seed`.

    What the seat saw others take or buy lies in their hands, its own cards and the table are as they are,
    and every unseen card is equally likely in any other place: the other hands, the stock, the order of the
    pile below its top card. Whatever the record held before, only the hand in the view is left to play:
    the game is over when it is, with its points in `points[0]`.
    """
    game.seed = seed
    game.rng = stream(seed, 0)
    copy_table(view, game)
    deal_unseen(view, game)
    deal_pile(view, game)


@jit
def copy_table(view, game):
    """What the view shows, from seats counted from the observer to seats of the table."""
    n = view.num_seats
    game.phase = view.phase
    game.acting = view.seat
    game.turn = absolute_seat(view.seat, view.turn, n)
    game.num_seats = n
    game.taken = view.taken
    game.discarded_by = NOBODY
    game.turns = view.turns
    game.max_turns = view.max_turns
    game.groups_laid = view.groups_laid
    game.last_lay = view.last_lay
    game.num_news = 0
    game.table = view.table
    game.decks = view.table.decks
    game.num_finished = 0
    game.num_rounds = 1
    for i in range(len(view.table.current_round)):
        if view.table.current_round[i]:
            game.rounds[0] = i + 1
    game.has_shoe[:] = 0
    game.points[:] = 0
    for r in range(MAX_SEATS):
        seat = absolute_seat(view.seat, r, n)
        game.public[seat] = view.seats[r]
        game.scores[seat] = view.scores[r]
        if view.seats[r].is_dealer:
            game.dealer = seat
        if view.seats[r].threw_top:
            game.discarded_by = seat
    game.num_requests = 0
    for i in range(1, n):
        seat = absolute_seat(game.turn, i, n)  # asked from the left round
        if game.public[seat].has_requested:
            game.requests[game.num_requests] = seat
            game.num_requests += 1


@jit
def deal_unseen(view, game):
    """Shuffle the unseen cards; the other hands are filled up with them, and what is left is the stock."""
    size = 0
    for face in range(NUM_FACES):
        game.hidden[face] = view.unseen[face] + view.own.hand[face] - view.seats[0].known[face]
        for _ in range(view.unseen[face]):
            game.stock[size] = face
            size += 1
    shuffle(game, game.stock, size)
    for r in range(MAX_SEATS):
        seat = absolute_seat(view.seat, r, view.num_seats)
        hand = game.own[seat].hand
        left = view.seats[r].hand_size
        for face in range(NUM_FACES):
            hand[face] = view.own.hand[face] if r == 0 else view.seats[r].known[face]
            left -= hand[face]
        for _ in range(left):
            size -= 1
            hand[game.stock[size]] += 1
        count_hand(game.own[seat])
    game.stock_size = size


@jit
def deal_pile(view, game):
    """The pile in any order, but for its top card."""
    size = 0
    for face in range(NUM_FACES):
        for _ in range(view.table.pile[face] - (face == view.top)):
            game.discard[size] = face
            size += 1
    shuffle(game, game.discard, size)
    if view.discard_size > 0:
        game.discard[size] = view.top
    game.discard_size = view.discard_size
