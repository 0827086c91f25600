"""The rules of Rummy Bo, as movements of cards in one game record.

A basic rummy for 2 to 6 seats with one pack. A turn: draw two cards, from the stock or from the pile; lay
down matched sets and add to any on the table; discard one. The hand ends when a seat has no card left, and
the others pay it what they hold in no matched set; double if it went *rummy*, all in one turn.
docs/rummy_bo/rules.md is the page for people, with our decisions marked; the same marks stand here as
"(decision)".

Every function takes one game record and assumes that the action is legal (legal.py says which are).
"""

from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.rng import bounded, stream
from jo_env.rummy_bo.actions import (
    ADD_TO_SET,
    DISCARD,
    DRAW_STOCK,
    LAY_CARDS,
    LAY_RUN,
    TAKE_DISCARD,
    TAKE_TWO,
)
from jo_env.rummy_bo.bits import NONE, bit
from jo_env.rummy_bo.groups import find_group, fits_on_table, grow_group, write_group
from jo_env.rummy_bo.payment import least_count
from jo_env.rummy_bo.state import NO_FACE, NO_LAY, NO_LIMIT, NOBODY, Event, Phase
from jo_env.shuffling import shuffle

# --- the deal -------------------------------------------------------------------------------------


@jit
def start_game(game, seed, dealer):
    """Begin a game: `dealer` NOBODY draws the first dealer from the seed.

    The record must hold its settings (num_seats, num_hands, max_turns) and any shoes.
    """
    game.seed = seed
    game.dealer = dealer if dealer != NOBODY else bounded(stream(seed, 0), game.num_seats)
    game.num_finished = 0
    game.points[:] = 0
    game.scores[:] = 0
    game.num_news = 0
    deal(game)


@jit
def cards_dealt(num_seats):
    """Two seats get 10 cards each, three or four 7, five or six 6."""
    if num_seats == 2:
        return 10
    return 7 if num_seats <= 4 else 6


@jit
def deal(game):
    """Shuffle, deal one card at a time from the dealer's left, turn one up, open the first turn."""
    clear_hand(game)
    shoe = game.shoes[game.num_finished]
    # Every hand has its own stream, so that its shoe does not depend on how the hands before it went.
    game.rng = stream(game.seed, 1 + game.num_finished)
    if not game.has_shoe[game.num_finished]:
        for i in range(NUM_FACES):
            shoe[i] = i
        shuffle(game, shoe, NUM_FACES)
    dealt = cards_dealt(game.num_seats)
    first = left_of(game, game.dealer)
    seat, top = first, 0
    for _ in range(dealt * game.num_seats):
        game.held[seat] |= bit(shoe[top])
        seat = left_of(game, seat)
        top += 1
    for seat in range(game.num_seats):
        game.hand_size[seat] = dealt
    game.stock_size = NUM_FACES - top
    for i in range(game.stock_size):
        game.stock[i] = shoe[NUM_FACES - 1 - i]
    push_discard(game, draw_top(game))
    begin_turn(game, first)


@jit
def clear_hand(game):
    """Sweep the table for a new hand."""
    for seat in range(len(game.held)):
        game.held[seat] = NONE
        game.known[seat] = NONE
        game.thrown[seat] = NONE
        game.hand_size[seat] = 0
        game.has_melded[seat] = 0
    game.pile, game.in_sets, game.in_runs = NONE, NONE, NONE
    game.discard_size = 0
    game.num_groups = 0
    game.is_stock_known = 0
    game.turns = 0


# --- the turn -------------------------------------------------------------------------------------


@jit
def apply_action(game, action):
    """Play a legal action of the seat asked; True if it ended the hand."""
    game.num_news = 1
    seat = game.turn
    if action < LAY_CARDS.size:
        if action > TAKE_DISCARD + 1:
            apply_lay(game, seat, action)
        else:
            apply_draw(game, seat, action)
            return False
    elif action < DISCARD:
        apply_lay_off(game, seat, action)
    else:
        return apply_discard(game, seat, action - DISCARD)
    if game.hand_size[seat] == 0:
        # Going out by a lay or a lay-off: no final discard is owed (decision).
        end_hand(game, seat)
        return True
    return False


@jit
def begin_turn(game, seat):
    """The turn passes, and with it what held for one turn only."""
    game.turn = seat
    game.acting = seat
    game.phase = Phase.DRAW
    game.taken = NONE
    game.last_lay = NO_LAY
    game.laid_off = 0
    for g in range(game.num_groups):
        game.groups[g].is_new = 0
    write_fits(game)


@jit
def write_fits(game):
    game.fit_sets, game.fit_below, game.fit_above = fits_on_table(game.groups, game.num_groups)


@jit
def apply_draw(game, seat, action):
    """Two cards from the stock or the pile; the last of the stock alone (decision).

    At an empty stock the top discard, or the pile turned over as the new stock and one card of it.
    """
    first, second = NO_FACE, NO_FACE
    if action == DRAW_STOCK:
        first = gain_from_stock(game, seat)
        if game.stock_size > 0:
            second = gain_from_stock(game, seat)
        if not game.is_stock_known:
            first, second = NO_FACE, NO_FACE
        tell(game, Event.DRAW, seat, first, second, 0)
    elif action in (TAKE_TWO, TAKE_DISCARD):
        first = take_top(game, seat)
        if action == TAKE_TWO:
            second = take_top(game, seat)
        tell(game, Event.TAKE, seat, first, second, 0)
    else:
        turn_over(game)
        first = gain_from_stock(game, seat)
        tell(game, Event.TURN_OVER, seat, first, NO_FACE, 0)
    game.phase = Phase.PLAY


@jit
def turn_over(game):
    """The whole pile becomes the stock, unshuffled, its oldest card on top (decision): all have seen it."""
    for i in range(game.discard_size):
        game.stock[i] = game.discard[game.discard_size - 1 - i]
    game.stock_size = game.discard_size
    game.discard_size = 0
    game.pile = NONE
    game.is_stock_known = 1
    game.thrown[:] = NONE  # what was thrown is forgotten with the pile it lay in


@jit
def apply_lay(game, seat, action):
    """Lay a set of a rank, or a run of three."""
    cards = LAY_CARDS[action]
    write_group(game.groups[game.num_groups], action)
    size = game.groups[game.num_groups].length
    game.num_groups += 1
    game.last_lay = action
    if action < LAY_RUN:
        game.in_sets |= cards
    else:
        game.in_runs |= cards
    lose(game, seat, cards, size)
    write_fits(game)
    tell(game, Event.LAY, seat, NO_FACE, NO_FACE, action)


@jit
def apply_lay_off(game, seat, action):
    """Add a card to any set or run on the table."""
    g = find_group(game.groups, game.num_groups, action)
    grow_group(game.groups[g], action)
    card = bit((action - ADD_TO_SET) % NUM_FACES)
    if game.groups[g].is_set:
        game.in_sets |= card
    else:
        game.in_runs |= card
    game.laid_off += 1
    lose(game, seat, card, 1)
    write_fits(game)
    tell(game, Event.LAY_OFF, seat, (action - ADD_TO_SET) % NUM_FACES, g, action)


@jit
def apply_discard(game, seat, face):
    """End the turn; True if the hand ends, by going out or by its turn limit."""
    lose(game, seat, bit(face), 1)
    push_discard(game, face)
    game.thrown[seat] |= bit(face)
    tell(game, Event.DISCARD, seat, face, NO_FACE, 0)
    game.turns += 1
    if game.hand_size[seat] == 0:
        end_hand(game, seat)
        return True
    if game.last_lay != NO_LAY or game.laid_off > 0:
        game.has_melded[seat] = 1
    if game.turns == game.max_turns != NO_LIMIT:
        end_hand(game, NOBODY)  # a dead hand (decision)
        return True
    begin_turn(game, left_of(game, seat))
    return False


@jit
def end_hand(game, winner):
    """The others pay the winner their least counts, double if it went rummy; the next hand, or the end.

    It goes rummy when it has laid nothing down and nothing off before this turn; lay-offs in this turn do not
    spoil it (decision). In a dead hand nobody wins, and each seat scores minus its own count (decision).
    """
    points = game.points[game.num_finished]
    times = 2 if winner != NOBODY and not game.has_melded[winner] else 1
    for seat in range(game.num_seats):
        if seat != winner:
            count = times * least_count(game.held[seat])
            points[seat] = -count
            if winner != NOBODY:
                points[winner] += count
    for seat in range(game.num_seats):
        game.scores[seat] += points[seat]
    game.num_finished += 1
    if game.num_finished < game.num_hands:
        # With two seats the winner deals next; otherwise, and after a dead hand, the deal moves left.
        wins_deal = game.num_seats == 2 and winner != NOBODY
        game.dealer = winner if wins_deal else left_of(game, game.dealer)
        deal(game)
    else:
        game.acting = NOBODY
        game.phase = Phase.OVER


# --- movements of cards ---------------------------------------------------------------------------


@jit
def left_of(game, seat):
    """The next higher seat number, modulo the seats."""
    return seat + 1 if seat + 1 < game.num_seats else 0


@jit
def draw_top(game):
    game.stock_size -= 1
    return game.stock[game.stock_size]


@jit
def gain_from_stock(game, seat):
    """A card from the stock; everyone knows it if everyone has seen the stock."""
    face = draw_top(game)
    game.held[seat] |= bit(face)
    if game.is_stock_known:
        game.known[seat] |= bit(face)
    game.hand_size[seat] += 1
    return face


@jit
def take_top(game, seat):
    """The top discard, which may not be discarded in this turn."""
    game.discard_size -= 1
    face = game.discard[game.discard_size]
    card = bit(face)
    game.pile &= ~card
    game.held[seat] |= card
    game.known[seat] |= card
    game.taken |= card
    game.hand_size[seat] += 1
    return face


@jit
def push_discard(game, face):
    game.discard[game.discard_size] = face
    game.discard_size += 1
    game.pile |= bit(face)


@jit
def lose(game, seat, cards, size):
    """Cards leave a hand."""
    game.held[seat] &= ~cards
    game.known[seat] &= ~cards
    game.hand_size[seat] -= size


@jit
def tell(game, event, seat, first, second, action):
    """What everyone saw happen: (event, seat, face, second face or place of the group, action)."""
    game.news[0] = event
    game.news[1] = seat
    game.news[2] = first
    game.news[3] = second
    game.news[4] = action
