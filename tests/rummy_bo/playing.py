"""Players and a referee for random play, compiled: what the property tests run millions of times."""

import numpy as np

from jo_env import rummy_bo
from jo_env.bits import popcount
from jo_env.jit import jit
from jo_env.rng import advance, bounded
from jo_env.rummy_bo.actions import DISCARD, LAY_OFF, LAY_SET
from jo_env.rummy_bo.bits import cards_in_runs
from jo_env.rummy_bo.groups import what_fits
from jo_env.rummy_bo.payment import least_count, points_of
from jo_env.rummy_bo.state import MAX_HAND, NO_FACE, NO_LIMIT, NOBODY, Phase

RANDOM, EAGER, HOARDER = 0, 1, 2


@jit
def any_legal(mask, first, end, luck):
    """A random legal action in a range, or -1."""
    num_legal = 0
    for action in range(first, end):
        num_legal += mask[action]
    if num_legal == 0:
        return -1
    left = bounded(luck, num_legal)
    for action in range(first, end):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1


@jit
def choose(views, masks, styles, lucks, actions):
    """One action a game: at random, eager to get rid of cards, or hoarding them until all can go at once.

    Everybody is random now and then, so that the rare tables come up as well.
    """
    for i in range(len(views)):
        view, mask = views[i], masks[i]
        lucks[i] = advance(lucks[i])
        if view.phase == Phase.OVER or mask.sum() == 0:
            actions[i] = 0
            continue
        actions[i] = -1
        if styles[i] != RANDOM and bounded(lucks[i] ^ np.uint64(1), 32):
            if styles[i] == EAGER or popcount(view.loose) <= 1 or view.laid > 0:
                actions[i] = any_legal(mask, LAY_SET, DISCARD, lucks[i])
            if actions[i] < 0:
                actions[i] = throw(view, mask, lucks[i])
        if actions[i] < 0:
            actions[i] = any_legal(mask, 0, len(mask), lucks[i])


@jit
def throw(view, mask, luck):
    """A random card of those that no group of the hand needs, or -1."""
    num_faces = 0
    for face in range(52):
        num_faces += view.own.loose[face] * mask[DISCARD + face]
    if num_faces == 0:
        return -1
    left = bounded(luck, num_faces)
    for face in range(52):
        if view.own.loose[face] and mask[DISCARD + face]:
            if left == 0:
                return DISCARD + face
            left -= 1
    return -1


FAULTS = (
    "",
    "a card is not in exactly one place",
    "table.pile is not the pile",
    "table.top or table.second is not the card that lies there",
    "hidden is not what nobody sees",
    "a known card is not in the hand",
    "a hand size is wrong",
    "a hand is empty or too large",
    "the seat asked has no legal action",
    "a mask holds something else than 0 and 1",
    "the mask does not fit the phase",
    "a group is none",
    "what the groups take is wrong",
    "unseen is wrong",
    "the sizes of stock and pile are wrong",
    "the turns' digits are wrong",
    "the phase is not marked",
    "who is on turn, asked or dealer is wrong",
    "table.next or table.after_next is not the card that lies there",
    "the taken cards are wrong",
    "who has thrown a card of the pile is wrong",
    "turns have gone beyond the limit",
    "laid, laid off and melded do not fit the table",
    "the least count is not that of the hand",
    "the table in sets and runs is wrong",
    "there is a card beyond the end of stock or pile",
    "scores are not the sums of points",
)


@jit
def referee(games, views, masks):
    """(fault, game) of the first broken invariant, or (0, 0); `views` and `masks` are just observed."""
    for i in range(len(games)):
        fault = broken(games[i], views[i], masks[i])
        if fault:
            return fault, i
    return 0, 0


@jit
def marked(marks):
    """The faces marked, as bits; -1 where a mark is neither 0 nor 1."""
    cards = np.uint64(0)
    for face in range(52):
        if marks[face] != 0:
            if marks[face] != 1:
                return np.uint64(0xFFFF_FFFF_FFFF_FFFF)
            cards |= np.uint64(1) << np.uint64(face)
    return cards


@jit
def card(face):
    return np.uint64(1) << np.uint64(face) if face >= 0 else np.uint64(0)


@jit
def face_at(cards, size, place):
    """The face so many cards below the top, or NO_FACE."""
    return np.int64(cards[size - 1 - place]) if size > place else NO_FACE


@jit
def broken_table(game, view):
    """The faults of the cards of the table and the hands."""
    table, seats = game.table, game.num_seats
    none = np.uint64(0)
    everywhere, pile, stock, sets, runs, known, total = none, none, none, none, none, none, 0
    for j in range(52):
        if (j >= game.stock_size) != (game.stock[j] == NO_FACE):
            return 25
        if (j >= game.discard_size) != (game.discard[j] == NO_FACE):
            return 25
        stock |= card(game.stock[j])
        pile |= card(game.discard[j])
    for g in range(17):
        group = game.groups[g]
        if g >= game.num_groups:
            if group.length or group.cards:
                return 11
            continue
        if popcount(group.cards) != group.length or everywhere & group.cards:
            return 11
        if group.is_run:
            if group.length < 3 or cards_in_runs(group.cards) != group.cards:
                return 11
            cards, face = none, np.int64(group.low)
            for _ in range(group.length):
                cards |= card(face)
                face = face + 1 if (face + 1) % 13 else face - 12
            if cards != group.cards:
                return 11
            runs |= group.cards
        else:
            if group.length < 3 or group.length > 4:
                return 11
            for face in range(52):
                if group.cards & card(face) and face % 13 != group.low:
                    return 11
            sets |= group.cards
        everywhere |= group.cards
    total = popcount(pile) + popcount(stock) + popcount(everywhere)
    everywhere |= pile | stock
    for seat in range(seats):
        hand = game.own[seat].cards
        size = popcount(hand)
        total += size
        everywhere |= hand
        if game.public[seat].hand_size != size:
            return 6
        if size > MAX_HAND or (size == 0 and game.phase != Phase.OVER):
            return 7
        own_known = marked(game.public[seat].known)
        if own_known & ~hand:
            return 5
        known |= own_known
    if total != 52 or popcount(everywhere) != 52:
        return 1
    if marked(table.pile) != pile:
        return 2
    top, second = face_at(game.discard, game.discard_size, 0), face_at(game.discard, game.discard_size, 1)
    if marked(table.top) != card(top) or marked(table.second) != card(second):
        return 3
    seen = pile | sets | runs | known | (stock if game.turned_over else none)
    if game.hidden != ~seen & np.uint64((1 << 52) - 1):
        return 4
    if marked(table.in_sets) != sets or marked(table.in_runs) != runs:
        return 24
    on_set, low, high = what_fits(game.groups, game.num_groups, game.laid)
    if marked(table.fits_set) != on_set or marked(table.fits_low) != low or marked(table.fits_high) != high:
        return 12
    if (on_set | low | high) & (sets | runs):
        return 12
    if table.stock_size != game.stock_size or table.discard_size != game.discard_size:
        return 14
    if table.turned_over != game.turned_over:
        return 14
    first, after = NO_FACE, NO_FACE
    if game.turned_over:
        first, after = face_at(game.stock, game.stock_size, 0), face_at(game.stock, game.stock_size, 1)
    if marked(table.next) != card(first) or marked(table.after_next) != card(after):
        return 18
    if marked(table.taken) != game.taken:
        return 19
    for face in range(52):
        throwers = 0
        for seat in range(seats):
            throwers += game.public[seat].thrown[face] == 2
        if throwers > 1 or (throwers and not table.pile[face]):
            return 20
        if table.pile[face] and not throwers and game.discard[0] != face:
            return 20
    return 0


@jit
def broken(game, view, mask):
    """The number of the first invariant that does not hold for one game, or 0."""
    fault = broken_table(game, view)
    if fault:
        return fault
    table = game.table
    for seat in range(game.num_seats):
        total = 0
        for hand in range(game.num_finished):
            total += game.points[hand, seat]
        if game.scores[seat] != total:
            return 26
    num_melded = 0
    for seat in range(game.num_seats):
        num_melded += game.public[seat].has_melded
    if (num_melded > 0) != (game.num_groups > game.laid):
        return 22
    if game.phase == Phase.OVER:
        return 0
    unseen = marked(view.unseen)
    hand = game.own[game.acting].cards
    if marked(view.own.hand) != hand:
        return 13
    if unseen != game.hidden & ~hand or unseen != view.hidden or view.cards != hand:
        return 13
    points, loose = least_count(hand)
    if points != view.least_count or loose != view.loose or marked(view.own.loose) != loose:
        return 23
    if points_of(loose) != points or loose & ~hand:
        return 23
    if 10 * view.own.least_count_tens + view.own.least_count_units != points:
        return 23
    if game.acting != game.turn:
        return 17
    for seat in range(game.num_seats):
        public = game.public[seat]
        if public.is_on_turn != (seat == game.turn) or public.is_dealer != (seat == game.dealer):
            return 17
        if not public.is_seated:
            return 17
    if min(game.turns // 10, 127) != table.turns_tens or table.turns_units != game.turns % 10:
        return 15
    for phase in range(2):
        if table.phase[phase] != (phase == game.phase):
            return 16
    if game.phase == Phase.DRAW and (game.taken or game.laid or game.laid_off or game.discard_size == 0):
        return 22
    if table.laid != game.laid or table.laid_off != game.laid_off:
        return 22
    if popcount(game.taken) > 2 or game.taken & ~(hand | marked(table.in_sets) | marked(table.in_runs)):
        return 19
    if game.max_turns != NO_LIMIT and game.turns >= game.max_turns:
        return 21
    num_legal, fitting = 0, 0
    for action in range(len(mask)):
        if mask[action] != 0 and mask[action] != 1:
            return 9
        num_legal += mask[action]
        fitting += mask[action] * ((action < LAY_SET) == (game.phase == Phase.DRAW))
        if mask[action] and action >= DISCARD and not card(action - DISCARD) & hand & ~game.taken:
            return 10
        if mask[action] and LAY_OFF <= action < DISCARD and not card((action - LAY_OFF) % 52) & hand:
            return 10
    if num_legal == 0:
        return 8
    return 0 if fitting == num_legal else 10


class Play:
    """A batch of games with its players; finished games are dealt anew."""

    def __init__(self, num_games: int, style: int | None = None, seed: int = 0, **settings) -> None:
        self.games = rummy_bo.new_games(num_games, **settings)
        self.views = np.zeros(num_games, rummy_bo.VIEW)
        self.masks = np.zeros((num_games, rummy_bo.NUM_ACTIONS), np.int8)
        self.actions = np.zeros(num_games, np.int32)
        self.hand_ended = np.zeros(num_games, np.int8)
        self.lucks = np.arange(num_games).astype(np.uint64) * np.uint64(977) + np.uint64(seed)
        self.styles = np.arange(num_games) * 3 // num_games if style is None else np.full(num_games, style)
        rummy_bo.start(self.games, self.lucks, np.full(num_games, NOBODY))
        self.observe()

    def observe(self) -> None:
        rummy_bo.observe(self.games, self.views, self.masks)

    def choose(self) -> np.ndarray:
        choose(self.views, self.masks, self.styles, self.lucks, self.actions)
        return self.actions

    def step(self) -> None:
        """Play the chosen actions; games that are over stay as they are until `deal_anew`."""
        rummy_bo.step(self.games, self.actions, self.hand_ended)

    def check(self) -> None:
        fault, i = referee(self.games, self.views, self.masks)
        assert not fault, f"{FAULTS[fault]}: {rummy_bo.snapshot(self.games[i], [])}"
