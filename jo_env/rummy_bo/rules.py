"""The rules of Rummy Bo, as movements of cards in one game record.

A basic rummy for 2 to 6 seats with one pack. A turn: draw two cards, from the stock or from the pile; lay any
matched sets and lay off any cards; discard one. The hand ends when a seat has no card left, and the others
pay it. docs/rummy_bo/rules.md is the page for people, with our decisions marked; the same marks stand here as
"(decision)".

Every function takes one game record and assumes that the action is legal (legal.py says which are).
"""

import numpy as np

from jo_env.bits import mark_faces
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.rng import bounded, shuffle, stream
from jo_env.rummy_bo.actions import (
    DISCARD,
    DRAW_STOCK,
    LAY_FACES,
    LAY_OFF,
    LAY_SET,
    LAY_SIZES,
    TAKE_TWO,
    TURN_OVER,
)
from jo_env.rummy_bo.bits import ALL_CARDS, NONE, card
from jo_env.rummy_bo.groups import lay_off, what_fits, write_group
from jo_env.rummy_bo.payment import least_count
from jo_env.rummy_bo.state import DEALT, MAX_GROUPS, NO_FACE, NO_LIMIT, NOBODY, NUM_DRAWN, Event, Phase
from jo_env.seats import left_of

# --- the deal -------------------------------------------------------------------------------------


@jit
def start_game(game, seed, dealer):
    """Begin a game: `dealer` NOBODY draws the first dealer from the seed.

    The record must hold its settings (num_seats, max_turns, num_hands) and any shoes.
    """
    game.seed = seed
    game.dealer = dealer if dealer != NOBODY else bounded(stream(seed, 0), game.num_seats)
    game.num_finished = 0
    game.points[:] = 0
    game.scores[:] = 0
    game.num_news = 0
    deal(game)


@jit
def deal(game):
    """Shuffle, deal one card at a time from the dealer's left, turn one up, open the first turn."""
    clear_hand(game)
    shoe = game.shoes[game.num_finished]
    # Every hand has its own stream, so that its shoe does not depend on how the hands before it went.
    game.rng = stream(game.seed, 1 + game.num_finished)
    if not game.has_shoe[game.num_finished]:
        for face in range(NUM_FACES):
            shoe[face] = face
        shuffle(game, shoe, NUM_FACES)
    first = left_of(game, game.dealer)
    top = 0
    for _ in range(DEALT[game.num_seats]):
        seat = first
        for _ in range(game.num_seats):
            gain(game, seat, shoe[top])
            seat = left_of(game, seat)
            top += 1
    for seat in range(game.num_seats):
        game.public[seat].is_seated = 1
        game.public[seat].is_dealer = seat == game.dealer
    game.stock_size = NUM_FACES - top
    for i in range(game.stock_size):
        game.stock[i] = shoe[NUM_FACES - 1 - i]
    game.hidden = ALL_CARDS
    write_table(game)
    push_discard(game, draw_top(game))
    begin_turn(game, first)


@jit
def clear_hand(game):
    """Sweep the table for a new hand."""
    for seat in range(len(game.own)):
        own, public = game.own[seat], game.public[seat]
        own.cards, own.loose, own.least_count, own.has_changed = NONE, NONE, 0, 0
        for face in range(NUM_FACES):
            public.known[face] = 0
            public.thrown[face] = 0
        public.is_seated = 0
        public.hand_size = 0
        public.has_melded = 0
        public.is_on_turn = 0
        public.is_dealer = 0
    table = game.table
    for face in range(NUM_FACES):
        table.pile[face] = 0
        table.top[face] = 0
        table.second[face] = 0
        table.taken[face] = 0
        table.in_sets[face] = 0
        table.in_runs[face] = 0
        table.fits_set[face] = 0
        table.fits_low[face] = 0
        table.fits_high[face] = 0
        table.next[face] = 0
        table.after_next[face] = 0
        game.stock[face] = NO_FACE
        game.discard[face] = NO_FACE
    for i in range(MAX_GROUPS):
        group = game.groups[i]
        group.cards, group.is_run, group.low, group.length = NONE, 0, 0, 0
    game.fits_set, game.fits_low, game.fits_high = NONE, NONE, NONE
    game.taken = NONE
    game.discard_size = 0
    game.turned_over = 0
    game.turns = 0
    game.turn = NOBODY
    game.num_groups = 0
    game.laid = 0
    game.laid_off = 0
    game.first_lay = LAY_SET


@jit
def write_table(game):
    """The public numbers that stay the same for a whole hand, and those of its beginning."""
    table = game.table
    table.num_seats[:] = 0
    table.num_seats[game.num_seats - 2] = 1
    table.hands_left = game.num_hands - 1 - game.num_finished
    table.turned_over = game.turned_over
    table.laid = game.laid
    table.laid_off = game.laid_off
    write_scores(game)
    write_turns(game)


@jit
def write_scores(game):
    for seat in range(game.num_seats):
        score = game.scores[seat]
        tens = abs(score) // 10
        sign = 1 if score >= 0 else -1
        game.public[seat].score_tens = sign * min(tens, 127)
        game.public[seat].score_units = score - sign * 10 * tens


@jit
def write_turns(game):
    tens = game.turns // 10
    game.table.turns_tens = min(tens, 127)
    game.table.turns_units = game.turns - 10 * tens


# --- the turn -------------------------------------------------------------------------------------


@jit
def apply_action(game, action):
    """Play a legal action of the seat asked; True if it ended the hand."""
    game.num_news = 0
    if game.phase == Phase.DRAW:
        apply_draw(game, action)
        return False
    if action >= DISCARD:
        return apply_discard(game, action - DISCARD)
    if action >= LAY_OFF:
        apply_lay_off(game, action)
    else:
        apply_lay(game, action)
    if game.public[game.turn].hand_size == 0:
        # Going out without a discard (decision).
        end_hand(game, game.turn)
        return True
    return False


@jit
def begin_turn(game, seat):
    """The turn passes."""
    if game.turn != NOBODY:
        game.public[game.turn].is_on_turn = 0
    game.turn = seat
    game.acting = seat
    game.public[seat].is_on_turn = 1
    set_phase(game, Phase.DRAW)


@jit
def apply_draw(game, action):
    """Draw two cards; an empty stock has one card drawn, after the pile was turned over or from the pile."""
    if action == DRAW_STOCK:
        draw_cards(game, min(NUM_DRAWN, game.stock_size))  # a last card is drawn alone (decision)
    elif action == TURN_OVER:
        turn_over(game)
        draw_cards(game, 1)
    else:
        take_cards(game, NUM_DRAWN if action == TAKE_TWO else 1)
    set_phase(game, Phase.PLAY)


@jit
def draw_cards(game, count):
    """Cards from the stock; once the pile was turned over everyone knows which they are (decision)."""
    seat = game.turn
    first, second = NO_FACE, NO_FACE
    for i in range(count):
        face = np.int64(draw_top(game))
        gain(game, seat, face)
        if game.turned_over:
            game.public[seat].known[face] = 1
            if i == 0:
                first = face
            else:
                second = face
    tell(game, Event.DRAW, seat, count, first, second)


@jit
def take_cards(game, count):
    """Cards from the top of the pile, which may not be discarded in this turn."""
    seat = game.turn
    first, second = NO_FACE, NO_FACE
    for i in range(count):
        face = np.int64(pop_discard(game))
        gain(game, seat, face)
        game.public[seat].known[face] = 1
        game.taken |= card(face)
        game.table.taken[face] = 1
        if i == 0:
            first = face
        else:
            second = face
    tell(game, Event.TAKE, seat, count, first, second)


@jit
def turn_over(game):
    """The pile, unshuffled, is the new stock, its oldest card on top."""
    size = game.discard_size
    mark_pile(game, 0)
    for i in range(size):
        face = game.discard[i]
        game.stock[size - 1 - i] = face
        game.discard[i] = NO_FACE
        game.table.pile[face] = 0
        leave_pile(game, face)
    game.discard_size = 0
    game.table.discard_size = 0
    game.stock_size = size
    game.turned_over = 1
    game.table.turned_over = 1
    game.table.stock_size = size
    mark_stock(game, 1)
    tell(game, Event.TURN_OVER, game.turn, 0, 0, 0)


@jit
def apply_lay(game, action):
    """Lay a matched set."""
    seat = game.turn
    group = game.groups[game.num_groups]
    write_group(group, action)
    marks = game.table.in_runs if group.is_run else game.table.in_sets
    for i in range(LAY_SIZES[action]):
        face = LAY_FACES[action, i]
        lose(game, seat, face)
        marks[face] = 1
    game.num_groups += 1
    game.laid += 1
    game.table.laid = game.laid
    game.first_lay = action + 1
    write_fits(game)
    tell(game, Event.LAY, seat, action, 0, 0)


@jit
def apply_lay_off(game, action):
    """Add a card to a matched set on the table; no earlier meld is needed."""
    seat = game.turn
    place, face = (action - LAY_OFF) // NUM_FACES, (action - LAY_OFF) % NUM_FACES
    index = lay_off(game.groups, game.num_groups, action)
    marks = game.table.in_runs if game.groups[index].is_run else game.table.in_sets
    marks[face] = 1
    lose(game, seat, face)
    game.laid_off += 1
    game.table.laid_off = game.laid_off
    game.first_lay = LAY_OFF
    write_fits(game)
    tell(game, Event.LAY_OFF, seat, face, index, place)


@jit
def apply_discard(game, face):
    """End the turn; True if the hand ends, by going out or by its turn limit."""
    seat = game.turn
    lose(game, seat, face)
    push_discard(game, face)
    game.public[seat].thrown[face] = 2
    tell(game, Event.DISCARD, seat, face, 0, 0)
    forget_taken(game)
    game.turns += 1
    write_turns(game)
    if game.public[seat].hand_size == 0:
        end_hand(game, seat)
        return True
    if game.laid + game.laid_off > 0:
        game.public[seat].has_melded = 1
        game.laid = 0
        game.laid_off = 0
        game.table.laid = 0
        game.table.laid_off = 0
        game.first_lay = LAY_SET
        write_fits(game)
    if game.turns == game.max_turns != NO_LIMIT:  # a dead hand (decision)
        end_hand(game, NOBODY)
        return True
    begin_turn(game, left_of(game, seat))
    return False


@jit
def forget_taken(game):
    if game.taken != NONE:
        for face in range(NUM_FACES):
            game.table.taken[face] = 0
        game.taken = NONE


@jit
def end_hand(game, winner):
    """The others pay the winner; in a dead hand nobody wins, and each seat loses what it would pay.

    With two seats the winner deals the next hand, otherwise the deal moves left.
    """
    points = game.points[game.num_finished]
    # Rummy: all cards gone in one turn, nothing laid or laid off in an earlier one.
    factor = 2 if winner != NOBODY and not game.public[winner].has_melded else 1
    for seat in range(game.num_seats):
        payment, _ = least_count(game.own[seat].cards)
        payment *= factor
        points[seat] -= payment
        if winner != NOBODY:
            points[winner] += payment
    for seat in range(game.num_seats):
        game.scores[seat] += points[seat]
    game.num_finished += 1
    if game.num_finished < game.num_hands:
        game.dealer = winner if game.num_seats == 2 and winner != NOBODY else left_of(game, game.dealer)
        deal(game)
    else:
        game.acting = NOBODY
        set_phase(game, Phase.OVER)
        write_scores(game)


# --- movements of cards ---------------------------------------------------------------------------


@jit
def draw_top(game):
    """The top card of the stock."""
    if game.turned_over:
        mark_stock(game, 0)
    game.stock_size -= 1
    game.table.stock_size = game.stock_size
    face = game.stock[game.stock_size]
    game.stock[game.stock_size] = NO_FACE
    if game.turned_over:
        mark_stock(game, 1)
    return face


@jit
def mark_stock(game, mark):
    """Mark the next two cards of a stock in sight, or take the marks away."""
    if game.stock_size > 0:
        game.table.next[game.stock[game.stock_size - 1]] = mark
    if game.stock_size > 1:
        game.table.after_next[game.stock[game.stock_size - 2]] = mark


@jit
def mark_pile(game, mark):
    """Mark the two top cards of the pile, or take the marks away."""
    if game.discard_size > 0:
        game.table.top[game.discard[game.discard_size - 1]] = mark
    if game.discard_size > 1:
        game.table.second[game.discard[game.discard_size - 2]] = mark


@jit
def push_discard(game, face):
    """A card goes on the pile."""
    mark_pile(game, 0)
    game.discard[game.discard_size] = face
    game.discard_size += 1
    game.table.discard_size = game.discard_size
    game.table.pile[face] = 1
    game.hidden &= ~card(face)
    mark_pile(game, 1)


@jit
def pop_discard(game):
    """The top card leaves the pile."""
    mark_pile(game, 0)
    game.discard_size -= 1
    game.table.discard_size = game.discard_size
    face = game.discard[game.discard_size]
    game.discard[game.discard_size] = NO_FACE
    game.table.pile[face] = 0
    leave_pile(game, face)
    mark_pile(game, 1)
    return face


@jit
def leave_pile(game, face):
    """Whoever threw a card keeps a lesser mark of it."""
    for seat in range(game.num_seats):
        game.public[seat].thrown[face] = min(game.public[seat].thrown[face], 1)


@jit
def gain(game, seat, face):
    """A card comes to a hand."""
    own = game.own[seat]
    own.cards |= card(face)
    own.has_changed = 1
    game.public[seat].hand_size += 1


@jit
def lose(game, seat, face):
    """A card leaves a hand, for all to see."""
    own = game.own[seat]
    own.cards &= ~card(face)
    own.has_changed = 1
    game.public[seat].hand_size -= 1
    game.public[seat].known[face] = 0
    game.hidden &= ~card(face)


@jit
def write_fits(game):
    """What the groups on the table take."""
    fits_set, fits_low, fits_high = what_fits(game.groups, game.num_groups, game.laid)
    game.fits_set, game.fits_low, game.fits_high = fits_set, fits_low, fits_high
    mark_faces(fits_set, game.table.fits_set)
    mark_faces(fits_low, game.table.fits_low)
    mark_faces(fits_high, game.table.fits_high)


@jit
def set_phase(game, phase):
    game.phase = phase
    for i in range(len(game.table.phase)):
        game.table.phase[i] = i == phase


@jit
def tell(game, event, seat, what, second, third):
    """Add to what everyone saw happen in this action; writing.py says what the numbers are."""
    news = game.news[game.num_news]
    news[0] = event
    news[1] = seat
    news[2] = what
    news[3] = second
    news[4] = third
    game.num_news += 1
