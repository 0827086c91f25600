"""The rules of Rummy Bo written out plainly, with lists and sets: the judge of the engine.

Cards are texts. Nothing is shared with the engine but the numbering of the actions, which `spell` gives from
the table in docs/rummy_bo/actions.md.
"""

from functools import lru_cache
from itertools import combinations

RANKS, SUITS = "A23456789TJQK", "CDHS"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]
POINTS = {rank: 10 for rank in "TJQK"} | {rank: int(rank) for rank in "23456789"} | {"A": 11}
SET_SUITS = [*combinations("CDHS", 3), tuple("CDHS")]


def points(card):
    return POINTS[card[0]]


def run_of(suit, start, length):
    return [RANKS[(start + i) % 13] + suit for i in range(length)]


def bits(cards):
    return sum(1 << CARDS.index(card) for card in cards)


SETS = [bits(rank + suit for suit in suits) for rank in RANKS for suits in SET_SUITS]
# A run of six or more is two shorter ones side by side.
RUNS = [bits(run_of(suit, start, length)) for suit in SUITS for start in range(13) for length in (3, 4, 5)]
MELDS_WITH = [[meld for meld in SETS + RUNS if meld >> i & 1] for i in range(52)]


@lru_cache(maxsize=500_000)
def least_left(hand: int) -> int:
    """The least points of a hand, a bit a card: try its first card in every set that it could be in, or in none."""
    if not hand:
        return 0
    first = (hand & -hand).bit_length() - 1
    best = points(CARDS[first]) + least_left(hand & (hand - 1))
    for meld in MELDS_WITH[first]:
        if best == 0:
            break
        if hand & meld == meld:
            best = min(best, least_left(hand & ~meld))
    return best


def least_count(hand):
    return least_left(bits(hand))


class Group:
    def __init__(self, kind, cards, is_new):
        self.kind, self.cards, self.is_new = kind, list(cards), is_new

    def places(self):
        """(block, card) of everything that may be added in this turn."""
        if self.kind == "set":
            if self.is_new or len(self.cards) == 4:
                return []
            return [("add_to_set", c) for c in CARDS if c[0] == self.cards[0][0] and c not in self.cards]
        if len(self.cards) == 13:
            return []
        suit, low, high = self.cards[0][1], RANKS.index(self.cards[0][0]), RANKS.index(self.cards[-1][0])
        found = [("add_above", RANKS[(high + 1) % 13] + suit)]
        if not self.is_new and len(self.cards) < 12:
            found.append(("add_below", RANKS[(low - 1) % 13] + suit))
        return found

    def add(self, block, card):
        if block == "add_below":
            self.cards.insert(0, card)
        else:
            self.cards.append(card)

    def copy(self):
        return Group(self.kind, self.cards, self.is_new)


class Table:
    """One hand, begun from a shoe; `legal` are the actions as texts."""

    def __init__(self, seats, dealer, shoe, max_turns):
        self.n, self.dealer, self.max_turns = seats, dealer, max_turns
        shoe = list(shoe)
        self.hands = [[] for _ in range(seats)]
        for i in range({2: 10, 3: 7, 4: 7, 5: 6, 6: 6}[seats] * seats):
            self.hands[(dealer + 1 + i) % seats].append(shoe.pop(0))
        self.pile = [shoe.pop(0)]
        self.stock = shoe  # next card first
        self.groups = []
        self.melded = [False] * seats
        self.turns, self.paid = 0, None
        self.begin((dealer + 1) % seats)

    def begin(self, seat):
        self.turn, self.phase, self.taken, self.last_lay, self.laid_off = seat, "draw", [], -1, 0
        for group in self.groups:
            group.is_new = False

    def lays(self):
        """(number, cards) of the sets and runs of three in the hand."""
        hand = set(self.hands[self.turn])
        found = []
        for r, rank in enumerate(RANKS):
            for t, suits in enumerate(SET_SUITS):
                found.append((4 + 5 * r + t, "set", [rank + suit for suit in suits]))
        for s, suit in enumerate(SUITS):
            for start in range(13):
                found.append((69 + 13 * s + start, "run", run_of(suit, start, 3)))
        return [lay for lay in found if hand.issuperset(lay[2])]

    def can_end(self, hand, groups):
        """Whether a turn with this hand left, and only lay-offs and a discard to come, can be finished."""
        if not hand or any(card not in self.taken for card in hand):
            return True
        for g, group in enumerate(groups):
            for block, card in group.places():
                if card in hand:
                    after = [other.copy() for other in groups]
                    after[g].add(block, card)
                    if self.can_end([c for c in hand if c != card], after):
                        return True
        return False

    def legal(self):
        """Every legal action, by its number."""
        if self.phase == "draw":
            if not self.stock:
                return {2, 3}
            return {0, 1} if len(self.pile) >= 2 else {0}
        hand = self.hands[self.turn]
        found = {277 + CARDS.index(card) for card in hand if card not in self.taken}
        if not self.laid_off:
            for number, kind, cards in self.lays():
                left = [card for card in hand if card not in cards]
                if number > self.last_lay and self.can_end(left, [*self.groups, Group(kind, cards, True)]):
                    found.add(number)
        for g, group in enumerate(self.groups):
            for block, card in group.places():
                if card in hand:
                    after = [other.copy() for other in self.groups]
                    after[g].add(block, card)
                    if self.can_end([c for c in hand if c != card], after):
                        first = {"add_to_set": 121, "add_below": 173, "add_above": 225}[block]
                        found.add(first + CARDS.index(card))
        return found

    def play(self, action):
        hand = self.hands[self.turn]
        if action < 4:
            self.draw(hand, action)
        elif action < 121:
            _, kind, cards = next(lay for lay in self.lays() if lay[0] == action)
            self.groups.append(Group(kind, cards, True))
            self.last_lay = action
            self.hands[self.turn] = [card for card in hand if card not in cards]
        elif action < 277:
            block = ["add_to_set", "add_below", "add_above"][(action - 121) // 52]
            card = CARDS[(action - 121) % 52]
            group = next(group for group in self.groups if (block, card) in group.places())
            group.add(block, card)
            self.laid_off += 1
            hand.remove(card)
        else:
            hand.remove(CARDS[action - 277])
            self.pile.append(CARDS[action - 277])
            self.turns += 1
        if not self.hands[self.turn]:
            return self.end(self.turn)
        if action >= 277:
            self.melded[self.turn] |= self.last_lay >= 0 or self.laid_off > 0
            if self.turns == self.max_turns:
                return self.end(None)
            self.begin((self.turn + 1) % self.n)
        return None

    def draw(self, hand, action):
        if action == 0:
            drawn, self.stock = self.stock[:2], self.stock[2:]
        elif action == 3:
            drawn, self.stock, self.pile = self.pile[:1], self.pile[1:], []
        else:
            count = 2 if action == 1 else 1
            drawn, self.pile = self.pile[-count:], self.pile[:-count]
            self.taken = drawn
        hand += drawn
        self.phase = "play"

    def end(self, winner):
        """What each seat is paid, and who deals next."""
        counts = [least_count(hand) for hand in self.hands]
        if winner is None:
            self.paid = [-count for count in counts]
            self.next_dealer = (self.dealer + 1) % self.n
            return
        times = 1 if self.melded[winner] else 2
        self.paid = [-times * count for count in counts]
        self.paid[winner] = times * sum(counts)
        self.next_dealer = winner if self.n == 2 else (self.dealer + 1) % self.n
