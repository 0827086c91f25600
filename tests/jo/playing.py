"""Players and a referee for random play, compiled: what the property tests run millions of times."""

import numpy as np

from jo_env import jo
from jo_env.jit import jit
from jo_env.jo.actions import BUY, DISCARD, DRAW_STOCK, LAY_OFF, LAY_THREE, PASS, TAKE_DISCARD
from jo_env.jo.bits import planes, rank_counts
from jo_env.jo.goals import CARDS_DEALT, FOURS, MAX_GROUPS, THREES
from jo_env.jo.groups import suit_of
from jo_env.jo.solver import solve
from jo_env.jo.state import MAX_BUYS, MAX_HAND, NO_FACE, NO_LIMIT, NOBODY, Phase
from jo_env.rng import advance, bounded

RANDOM, EAGER, GRABBER = 0, 1, 2


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
    """One action a game: at random, eager for the goal, or grabbing every card on the way to it.

    Everybody is random now and then, so that the rare tables come up as well.
    """
    for i in range(len(views)):
        view, mask = views[i], masks[i]
        lucks[i] = advance(lucks[i])
        if view.phase == Phase.OVER or mask.sum() == 0:
            actions[i] = 0
        elif styles[i] == RANDOM or bounded(lucks[i] ^ np.uint64(1), 16) == 0:
            actions[i] = any_legal(mask, 0, len(mask), lucks[i])
        elif view.phase == Phase.BUY:
            wants = styles[i] == GRABBER or view.own.nearer[view.top]
            actions[i] = BUY if wants else PASS
        elif view.phase == Phase.DRAW:
            if view.seats[0].down or styles[i] == GRABBER:
                actions[i] = any_legal(mask, DRAW_STOCK, TAKE_DISCARD + 1, lucks[i])
            elif mask[TAKE_DISCARD] and (view.own.nearer[view.top] or not mask[DRAW_STOCK]):
                actions[i] = TAKE_DISCARD
            else:
                actions[i] = DRAW_STOCK
        else:
            actions[i] = any_legal(mask, LAY_THREE, DISCARD, lucks[i])
            if actions[i] < 0:
                actions[i] = throw(view, mask, lucks[i])


@jit
def throw(view, mask, luck):
    """The discard with the fewest mates in hand, by rank for threes and by suit for fours."""
    hand = view.own.hand
    least, chosen = 999, -1
    start = bounded(luck, 52)
    for i in range(52):
        face = (start + i) % 52
        if not mask[DISCARD + face]:
            continue
        suit, rank = face // 13, face % 13
        mates = 0
        for other in range(52):
            if hand[other] > 0 and other != face:
                is_near = other // 13 == suit and abs(other % 13 - rank) <= 3
                mates += hand[other] * (other % 13 == rank) * view.table.threes
                mates += is_near * view.table.fours
        mates += (hand[face] - 1) * view.table.threes
        if mates < least:
            least, chosen = mates, DISCARD + face
    return chosen


FAULTS = (
    "",
    "a face is not in exactly one place",
    "table.pile is not the pile",
    "table.top is not the top card",
    "hidden is not what nobody sees",
    "a known card is not in the hand",
    "a hand size is wrong",
    "a hand is empty or too large",
    "the seat asked has no legal action",
    "a mask holds something else than 0 and 1",
    "the mask does not fit the phase",
    "a group is none",
    "a row of groups is not the goal",
    "unseen is wrong",
    "the stock's digits are wrong",
    "the turns' digits are wrong",
    "the phase is not marked",
    "who is on turn, asked or dealer is wrong",
    "requests are wrong",
    "the taken card is wrong",
    "who threw the top card is wrong",
    "turns have gone beyond the limit",
    "buys are wrong",
    "the bits of a hand are out of step with it",
    "missing or nearer is not what the solver says of the hand",
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
def count_table(game, pile, laid, fixed):
    """Count the cards by face: the pile, the groups, and all that lie anywhere."""
    for j in range(game.stock_size):
        fixed[game.stock[j]] += 1
    for j in range(game.discard_size):
        pile[game.discard[j]] += 1
    for seat in range(game.num_seats):
        for g in range(MAX_GROUPS):
            group = game.public[seat].groups[g]
            if group.is_three:
                for suit in range(4):
                    laid[13 * suit + group.low] += group.suits[suit]
            elif group.is_four:
                for rank in range(group.low, group.low + group.length):
                    laid[13 * suit_of(group) + rank % 13] += 1
        for face in range(52):
            fixed[face] += game.own[seat].hand[face]
    for face in range(52):
        fixed[face] += pile[face] + laid[face]


@jit
def broken(game, view, mask):
    """The number of the first invariant that does not hold for one game, or 0."""
    table, seats = game.table, game.num_seats
    pile, laid, everywhere = np.zeros(52, np.int64), np.zeros(52, np.int64), np.zeros(52, np.int64)
    count_table(game, pile, laid, everywhere)
    top = game.discard[game.discard_size - 1] if game.discard_size > 0 else NO_FACE
    for face in range(52):
        if everywhere[face] != game.decks:
            return 1
        if table.pile[face] != pile[face]:
            return 2
        if table.top[face] != (face == top):
            return 3
        known = 0
        for seat in range(seats):
            known += game.public[seat].known[face]
            if not 0 <= game.public[seat].known[face] <= game.own[seat].hand[face]:
                return 5
        if game.hidden[face] != game.decks - pile[face] - laid[face] - known:
            return 4
        if game.phase == Phase.OVER:
            continue
        own_known = game.public[game.acting].known[face]
        unseen = game.decks - pile[face] - laid[face] - (known - own_known) - game.own[game.acting].hand[face]
        if view.unseen[face] != unseen or unseen < 0:
            return 13
        if table.taken[face] != (face == game.taken):
            return 19
    current = game.rounds[min(game.num_finished, game.num_rounds - 1)]
    for seat in range(seats):
        public = game.public[seat]
        size = 0
        for face in range(52):
            size += game.own[seat].hand[face]
        if public.hand_size != size:
            return 6
        own = game.own[seat]
        if (own.p1, own.p2, own.p3) != planes(own.hand) or own.ranks != rank_counts(own.hand):
            return 23
        if size > MAX_HAND or (size == 0 and game.phase != Phase.OVER):
            return 7
        if not 0 <= public.buys_left <= MAX_BUYS:
            return 22
        if size > CARDS_DEALT[current] + 2 * (MAX_BUYS - public.buys_left) + (seat == game.turn):
            return 6
        threes, fours = 0, 0
        for g in range(MAX_GROUPS):
            group = public.groups[g]
            if group.length == 0:
                continue
            span, cards = 0, 0
            for rank in range(14):
                span += group.span[rank]
            for suit in range(4):
                cards += group.suits[suit]
            if group.is_three:
                threes += 1
                if fours or group.is_four or group.length < 3 or cards != group.length or span != 1:
                    return 11
            else:
                fours += 1
                if not group.is_four or not 4 <= group.length <= 13 or span != group.length or cards != 1:
                    return 11
                if group.low < 0 or group.low + group.length > 14:
                    return 11
        whole = threes == THREES[current] and fours == FOURS[current]
        begun = game.groups_laid if seat == game.turn else 0
        if public.down != whole or not (public.down or threes + fours == begun):
            return 12
        if game.phase == Phase.OVER:
            continue
        asked = 0
        for j in range(game.num_requests):
            asked += game.requests[j] == seat
        if public.has_requested != asked or asked > 1:
            return 18
        if public.is_on_turn != (seat == game.turn) or public.is_dealer != (seat == game.dealer):
            return 17
        if public.threw_top != (seat == game.discarded_by):
            return 20
    if game.phase == Phase.OVER:
        return 0
    if 10 * table.stock_tens + table.stock_units != game.stock_size or table.stock_units > 9:
        return 14
    if min(game.turns // 10, 127) != table.turns_tens or table.turns_units != game.turns % 10:
        return 15
    for phase in range(3):
        if table.phase[phase] != (phase == game.phase):
            return 16
    if (game.acting == game.turn) == (game.phase == Phase.BUY):
        return 17
    if game.taken != NO_FACE and (game.phase != Phase.PLAY or game.discarded_by != NOBODY):
        return 19
    if game.num_requests > 0 and game.phase == Phase.PLAY:
        return 18
    if game.max_turns != NO_LIMIT and game.turns >= game.max_turns:
        return 21
    num_legal, fitting = 0, 0
    for action in range(len(mask)):
        if mask[action] != 0 and mask[action] != 1:
            return 9
        num_legal += mask[action]
        if game.phase == Phase.BUY:
            fitting += mask[action] * (action in (PASS, BUY))
        elif game.phase == Phase.DRAW:
            fitting += mask[action] * (action in (DRAW_STOCK, TAKE_DISCARD))
        else:
            fitting += mask[action] * (action >= LAY_THREE)
            if action >= DISCARD and mask[action] and game.own[game.acting].hand[action - DISCARD] == 0:
                return 10
            if LAY_OFF <= action < DISCARD and mask[action] and not game.public[game.acting].down:
                return 10
    if num_legal == 0:
        return 8
    missing, nearer = 0, np.zeros(52, np.int8)
    if not view.seats[0].down:
        laid_threes = min(view.groups_laid, table.threes)
        laid_fours = view.groups_laid - laid_threes
        missing = solve(view.own.hand, table.threes - laid_threes, table.fours - laid_fours, nearer)
    if view.own.missing != missing:
        return 24
    for face in range(52):
        if view.own.nearer[face] != nearer[face]:
            return 24
    return 0 if fitting == num_legal else 10


class Play:
    """A batch of games with its players; finished games are dealt anew."""

    def __init__(self, num_games: int, style: int | None = None, seed: int = 0, **settings) -> None:
        self.games = jo.new_games(num_games, **settings)
        self.views = np.zeros(num_games, jo.VIEW)
        self.masks = np.zeros((num_games, jo.NUM_ACTIONS), np.int8)
        self.actions = np.zeros(num_games, np.int32)
        self.hand_ended = np.zeros(num_games, np.int8)
        self.lucks = np.arange(num_games).astype(np.uint64) * np.uint64(977) + np.uint64(seed)
        self.styles = np.arange(num_games) * 3 // num_games if style is None else np.full(num_games, style)
        jo.start(self.games, self.lucks, np.full(num_games, jo.NOBODY))
        self.observe()

    def observe(self) -> None:
        jo.observe(self.games, self.views, self.masks)

    def choose(self) -> np.ndarray:
        choose(self.views, self.masks, self.styles, self.lucks, self.actions)
        return self.actions

    def step(self) -> None:
        """Play the chosen actions; games that are over stay as they are until `deal_anew`."""
        jo.step(self.games, self.actions, self.hand_ended)

    def check(self) -> None:
        fault, i = referee(self.games, self.views, self.masks)
        assert not fault, f"{FAULTS[fault]}: {jo.snapshot(self.games[i], [])}"
