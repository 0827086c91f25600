"""The rules of Jo, as movements of cards in one game record.

Jo is the contract rummy played most in Australia: 2 to 4 seats, two or more packs without jokers,
seven rounds with a harder goal each. A turn: the others may ask to buy the top discard; the seat on
turn takes it or draws; it may lay its whole goal, then add to any group; it discards. The hand ends
when a seat has no card left. docs/rules.md is the page for people, with our decisions marked; the
same marks stand here as "(decision)".

Every function takes one game record and assumes that the action is legal (legal.py says which are).
"""

from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.actions import (
    BUY,
    DISCARD,
    LAY_FACES,
    LAY_OFF,
    LAY_SIZES,
    NUM_PLACES,
    TAKE_DISCARD,
)
from jo_env.jo.bits import count_face, count_hand
from jo_env.jo.goals import CARDS_DEALT, FOURS, MAX_GROUPS, THREES
from jo_env.jo.groups import extend_group, face_wanted, write_group
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.state import (
    MAX_BUYS,
    MEMORY_CAP,
    NO_FACE,
    NO_LIMIT,
    NOBODY,
    Event,
    Phase,
)
from jo_env.jo.turn import can_draw, can_take
from jo_env.rng import bounded, shuffle, stream
from jo_env.seats import left_of

# --- the deal -------------------------------------------------------------------------------------


@jit
def start_game(game, seed, dealer):
    """Begin a game: `dealer` NOBODY draws the first dealer from the seed (decision).

    The record must hold its settings (num_seats, decks, max_turns, rounds, num_rounds) and any shoes.
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
    current = game.rounds[game.num_finished]
    num_cards = game.decks * NUM_FACES
    shoe = game.shoes[game.num_finished]
    # Every hand has its own stream, so that its shoe does not depend on how the hands before it went.
    game.rng = stream(game.seed, 1 + game.num_finished)
    if not game.has_shoe[game.num_finished]:
        for i in range(num_cards):
            shoe[i] = i % NUM_FACES
        shuffle(game, shoe, num_cards)
    dealt = CARDS_DEALT[current]
    first = left_of(game, game.dealer)
    top = 0
    for _ in range(dealt):
        seat = first
        for _ in range(game.num_seats):
            game.own[seat].hand[shoe[top]] += 1
            seat = left_of(game, seat)
            top += 1
    for seat in range(game.num_seats):
        count_hand(game.own[seat])
        game.public[seat].hand_size = dealt
        game.public[seat].buys_left = MAX_BUYS
        game.public[seat].is_seated = 1
        game.public[seat].is_dealer = seat == game.dealer
    game.stock_size = num_cards - top
    for i in range(game.stock_size):
        game.stock[i] = shoe[num_cards - 1 - i]
    for face in range(NUM_FACES):
        game.hidden[face] = game.decks
    write_table(game)
    push_discard(game, draw_top(game), NOBODY)
    begin_turn(game, first)


@jit
def clear_hand(game):
    """Sweep the table for a new hand."""
    for seat in range(len(game.own)):
        own, public = game.own[seat], game.public[seat]
        for face in range(NUM_FACES):
            own.hand[face] = 0
            public.known[face] = 0
            public.thrown[face] = 0
            public.declined[face] = 0
        for i in range(MAX_GROUPS):
            clear_group(public.groups[i])
        public.is_seated = 0
        public.hand_size = 0
        public.down = 0
        public.buys_left = 0
        public.has_requested = 0
        public.is_on_turn = 0
        public.is_dealer = 0
        public.threw_top = 0
        count_hand(own)
    for face in range(NUM_FACES):
        game.table.pile[face] = 0
        game.table.top[face] = 0
        game.table.taken[face] = 0
    game.discard_size = 0
    game.num_requests = 0
    game.taken = NO_FACE
    game.discarded_by = NOBODY
    game.turns = 0
    game.turn = NOBODY
    game.groups_laid = 0
    game.last_lay = 0


@jit
def clear_group(group):
    group.is_three = 0
    group.is_four = 0
    group.low = 0
    group.length = 0
    group.suits[:] = 0
    group.span[:] = 0


@jit
def write_table(game):
    """The public numbers that stay the same for a whole hand."""
    table = game.table
    current = game.rounds[game.num_finished]
    table.num_seats[:] = 0
    table.num_seats[game.num_seats - 2] = 1
    table.current_round[:] = 0
    table.current_round[current - 1] = 1
    table.threes = THREES[current]
    table.fours = FOURS[current]
    table.rounds_left = game.num_rounds - 1 - game.num_finished
    table.decks = game.decks
    write_scores(game)
    write_turns(game)


@jit
def write_scores(game):
    for seat in range(game.num_seats):
        tens = game.scores[seat] // 10
        game.public[seat].score_tens = min(tens, 127)
        game.public[seat].score_units = game.scores[seat] - 10 * tens


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
    if game.phase == Phase.BUY:
        apply_buy(game, action)
        return False
    if game.phase == Phase.DRAW:
        apply_draw(game, action)
        return False
    return apply_play(game, action)


@jit
def begin_turn(game, seat):
    """The turn passes; True if the hand dies here for want of cards.

    If the seat on turn can neither draw nor take, the hand is dead, right after the discard.
    """
    if game.turn != NOBODY:
        game.public[game.turn].is_on_turn = 0
    game.turn = seat
    game.public[seat].is_on_turn = 1
    top = game.discard[game.discard_size - 1]
    if not can_draw(game.stock_size, game.discard_size) and not can_take(
        game.own[seat].hand, game.public, seat, top
    ):
        return True
    ask_next_buyer(game, seat)
    return False


@jit
def ask_next_buyer(game, after):
    """Ask the next seat that may buy, going left from `after`; the window closes at the seat on turn.

    Every eligible seat is asked, even when a nearer one has asked already (decision).
    """
    seat = left_of(game, after)
    while seat != game.turn and not may_buy(game, seat):
        seat = left_of(game, seat)
    game.acting = seat
    set_phase(game, Phase.DRAW if seat == game.turn else Phase.BUY)


@jit
def may_buy(game, seat):
    """Not down, fewer than three buys, not its own discard, and the penalty card can be supplied."""
    public = game.public[seat]
    return (
        not public.down
        and public.buys_left > 0
        and game.discarded_by != seat
        and (game.stock_size >= 2 or game.discard_size >= 3)
    )


@jit
def apply_buy(game, action):
    """A request is public at once (decision); a pass declines the top discard."""
    seat = game.acting
    if action == BUY:
        game.requests[game.num_requests] = seat
        game.num_requests += 1
        game.public[seat].has_requested = 1
        tell(game, Event.REQUEST, seat, NO_FACE, 0, 0)
    else:
        decline_top(game, seat)
        tell(game, Event.PASS, seat, NO_FACE, 0, 0)
    ask_next_buyer(game, seat)


@jit
def apply_draw(game, action):
    """Take the top discard, for which the seat on turn has first claim, or draw from the stock."""
    seat = game.turn
    if action == TAKE_DISCARD:
        face = pop_discard(game)
        gain_known(game, seat, face)
        game.taken = face
        game.table.taken[face] = 1
        tell(game, Event.DRAW, seat, face, 0, 0)
    else:
        face = draw_card(game)
        decline_top(game, seat)
        tell(game, Event.DRAW, seat, NO_FACE, 0, 0)
        gain(game, seat, face)
        if game.num_requests > 0:
            serve_buyer(game)
    for i in range(game.num_requests):
        game.public[game.requests[i]].has_requested = 0
    game.num_requests = 0
    set_phase(game, Phase.PLAY)


@jit
def serve_buyer(game):
    """The requester nearest to the left of the seat on turn gets the top discard and a penalty card."""
    seat = game.requests[0]  # asked from the left round, so the first to ask is the nearest
    face = pop_discard(game)
    gain_known(game, seat, face)
    tell(game, Event.BUY, seat, face, 0, 0)
    gain(game, seat, draw_card(game))
    game.public[seat].buys_left -= 1


@jit
def apply_play(game, action):
    """Lay a group of the goal, lay off, or discard; True if the hand ends."""
    seat = game.turn
    if action >= DISCARD:
        return apply_discard(game, seat, action - DISCARD)
    if action >= LAY_OFF:
        apply_lay_off(game, seat, action - LAY_OFF)
    else:
        apply_lay(game, seat, action)
    if game.public[seat].hand_size == 0 and game.groups_laid == 0:
        # Going out by a lay-off or by the go-down itself: no final discard is owed (decision).
        end_hand(game)
        return True
    return False


@jit
def apply_lay(game, seat, action):
    """Lay one group; when the goal is whole the seat is down, until then nobody is told."""
    public = game.public[seat]
    write_group(public.groups[game.groups_laid], action)
    for i in range(LAY_SIZES[action]):
        lose_to_table(game, seat, LAY_FACES[action, i])
    game.groups_laid += 1
    game.last_lay = action
    if game.groups_laid == game.table.threes + game.table.fours:
        game.groups_laid = 0
        game.last_lay = 0
        public.down = 1
        tell(game, Event.GO_DOWN, seat, NO_FACE, 0, 0)


@jit
def apply_lay_off(game, seat, target):
    """Add a card to any group on the table."""
    slot, place = target // NUM_PLACES, target % NUM_PLACES
    owner = seat + slot // MAX_GROUPS
    owner -= game.num_seats if owner >= game.num_seats else 0
    group = game.public[owner].groups[slot % MAX_GROUPS]
    face = face_wanted(group, place)
    extend_group(group, place)
    lose_to_table(game, seat, face)
    tell(game, Event.LAY_OFF, seat, face, target, owner)


@jit
def apply_discard(game, seat, face):
    """End the turn; True if the hand ends, by going out, by its turn limit or for want of cards."""
    lose(game, seat, face)
    push_discard(game, face, seat)
    thrown = game.public[seat].thrown
    thrown[face] = min(thrown[face] + 1, MEMORY_CAP)
    tell(game, Event.DISCARD, seat, face, 0, 0)
    if game.taken != NO_FACE:
        game.table.taken[game.taken] = 0
        game.taken = NO_FACE
    game.turns += 1
    write_turns(game)
    if (
        game.public[seat].hand_size == 0
        or game.turns == game.max_turns != NO_LIMIT  # a dead hand (decision)
        or begin_turn(game, left_of(game, seat))
    ):
        end_hand(game)
        return True
    return False


@jit
def end_hand(game):
    """Everyone scores the cards held (nothing, if out); the deal moves left, or the game is over."""
    points = game.points[game.num_finished]
    for seat in range(game.num_seats):
        points[seat] = hand_points(game.own[seat].hand)
        game.scores[seat] += points[seat]
    game.num_finished += 1
    if game.num_finished < game.num_rounds:
        game.dealer = left_of(game, game.dealer)
        deal(game)
    else:
        game.acting = NOBODY
        set_phase(game, Phase.OVER)
        write_scores(game)


@jit
def hand_points(hand):
    """Ace 15, king, queen and jack 10, the others their pips."""
    total = 0
    for face in range(NUM_FACES):
        total += hand[face] * FACE_POINTS[face]
    return total


# --- movements of cards ---------------------------------------------------------------------------


@jit
def draw_card(game):
    """A card from the stock; an empty one is first made anew, when a card is due and not earlier."""
    if game.stock_size == 0:
        recycle(game)
    return draw_top(game)


@jit
def draw_top(game):
    game.stock_size -= 1
    write_stock(game)
    return game.stock[game.stock_size]


@jit
def recycle(game):
    """The pile without its top card is shuffled into a new stock."""
    size = game.discard_size - 1
    for i in range(size):
        face = game.discard[i]
        game.stock[i] = face
        game.table.pile[face] -= 1
        game.hidden[face] += 1
    shuffle(game, game.stock, size)
    game.stock_size = size
    game.discard[0] = game.discard[size]
    game.discard_size = 1
    # What was thrown and declined is forgotten with the pile it lay in.
    for seat in range(game.num_seats):
        game.public[seat].thrown[:] = 0
        game.public[seat].declined[:] = 0
    tell(game, Event.RECYCLE, NOBODY, NO_FACE, 0, 0)


@jit
def write_stock(game):
    tens = game.stock_size // 10
    game.table.stock_tens = tens
    game.table.stock_units = game.stock_size - 10 * tens


@jit
def push_discard(game, face, seat):
    """A card goes on the pile, put there by `seat` (NOBODY for the turned-up card)."""
    if game.discard_size > 0:
        game.table.top[game.discard[game.discard_size - 1]] = 0
    game.discard[game.discard_size] = face
    game.discard_size += 1
    game.table.top[face] = 1
    game.table.pile[face] += 1
    game.hidden[face] -= 1
    if game.discarded_by != NOBODY:
        game.public[game.discarded_by].threw_top = 0
    game.discarded_by = seat
    if seat != NOBODY:
        game.public[seat].threw_top = 1


@jit
def pop_discard(game):
    """The top card leaves the pile."""
    game.discard_size -= 1
    face = game.discard[game.discard_size]
    game.table.top[face] = 0
    if game.discard_size > 0:
        game.table.top[game.discard[game.discard_size - 1]] = 1
    game.table.pile[face] -= 1
    game.hidden[face] += 1
    if game.discarded_by != NOBODY:
        game.public[game.discarded_by].threw_top = 0
    game.discarded_by = NOBODY
    return face


@jit
def decline_top(game, seat):
    declined = game.public[seat].declined
    top = game.discard[game.discard_size - 1]
    declined[top] = min(declined[top] + 1, MEMORY_CAP)


@jit
def gain(game, seat, face):
    """A card comes to a hand unseen by the others."""
    game.own[seat].hand[face] += 1
    count_face(game.own[seat], face)
    game.public[seat].hand_size += 1


@jit
def gain_known(game, seat, face):
    """A card comes to a hand from the pile, and everyone knows it is there."""
    gain(game, seat, face)
    game.public[seat].known[face] += 1
    game.hidden[face] -= 1


@jit
def lose(game, seat, face):
    """A card leaves a hand; one copy fewer is certainly in it."""
    game.own[seat].hand[face] -= 1
    count_face(game.own[seat], face)
    game.public[seat].hand_size -= 1
    if game.public[seat].known[face] > 0:
        game.public[seat].known[face] -= 1
        game.hidden[face] += 1


@jit
def lose_to_table(game, seat, face):
    lose(game, seat, face)
    game.hidden[face] -= 1


@jit
def set_phase(game, phase):
    game.phase = phase
    for i in range(len(game.table.phase)):
        game.table.phase[i] = i == phase


@jit
def tell(game, event, seat, face, target, owner):
    """Add to what everyone saw happen in this action: (event, seat, face, lay-off target, owner)."""
    news = game.news[game.num_news]
    news[0] = event
    news[1] = seat
    news[2] = face
    news[3] = target
    news[4] = owner
    game.num_news += 1
