"""Tables that play from the deal never reaches: short hands, long groups, next to no stock and pile.

From the deal, hands and groups never hold more than 73 cards, so that stock and pile hold 31 or more.
"""

from random import Random
from typing import Any

from tables import GOALS, PACK, RANKS, SUITS

from jo_env.errors import TableError
from jo_env.jo import restore

DEALT = {1: 10, 2: 10, 3: 10, 4: 10, 5: 12, 6: 12, 7: 12}


def deal_group(luck: Random, cards: list[str], kind: str) -> list[str] | None:
    """A random group of the smallest size out of these cards, or None after a few tries."""
    for _ in range(30):
        if kind == "three":
            rank = luck.choice(RANKS)
            three = [card for card in cards if card[0] == rank]
            group = luck.sample(three, 3) if len(three) >= 3 else []
        else:
            start, suit = luck.randrange(11), luck.choice(SUITS)
            group = [(RANKS + "A")[start + i] + suit for i in range(4)]
        if group and all(card in cards for card in group):
            for card in group:
                cards.remove(card)
            return group
    return None


def extend(luck: Random, cards: list[str], kind: str, group: list[str]) -> None:
    """Lay one card off on a group if there is one that fits."""
    if kind == "three":
        fitting = [(card, 0) for card in cards if card[0] == group[0][0]]
    else:
        low, suit = RANKS.index(group[0][0]), group[0][1]
        high = low + len(group)
        fitting = []
        if low > 0 and not (low == 1 and high == 14):
            fitting += [(RANKS[low - 1] + suit, 0)]
        if high < 14 and not (low == 0 and high == 13):
            fitting += [((RANKS + "A")[high] + suit, len(group))]
        fitting = [(card, end) for card, end in fitting if card in cards]
    if fitting:
        card, end = luck.choice(fitting)
        cards.remove(card)
        group.insert(end, card)


def random_snapshot(luck: Random) -> dict[str, Any] | None:
    """A table made up at random; None where the cards did not work out."""
    seats, decks, round_ = luck.choice([2, 3, 4, 4]), luck.choice([2, 2, 2, 3, 4]), luck.randint(1, 7)
    cards = PACK * decks
    luck.shuffle(cards)
    threes, fours = GOALS[round_]
    kinds = ["three"] * threes + ["four"] * fours
    rows: list[list[list[str]]] = [[] for _ in range(seats)]
    for seat in range(seats):
        if luck.random() < 0.75:
            row = [deal_group(luck, cards, kind) for kind in kinds]
            rows[seat] = [group for group in row if group]
            if len(rows[seat]) < len(kinds):
                return None
    eagerness = luck.choice([0, 0.5, 1, 1])
    for _ in range(25):
        for row in rows:
            for kind, group in zip(kinds, row, strict=False):
                if luck.random() < eagerness:
                    extend(luck, cards, kind, group)
    turn, phase = luck.randrange(seats), luck.choice(["draw", "play", "play"])
    used = [luck.randint(0, 3) for _ in range(seats)]
    most = [DEALT[round_] + 2 * used[seat] + (phase == "play" and seat == turn) for seat in range(seats)]
    few = luck.random() < 0.5
    sizes = [luck.randint(1, min(3, size)) if few else luck.randint(1, size) for size in most]
    loose = luck.choice([0, 1, 2, 3, 4, 5, 200])  # what is to be left for stock and pile
    while len(cards) - sum(sizes) > loose and sizes != most:
        sizes = [min(size + 1, top) for size, top in zip(sizes, most, strict=True)]
    hands: list[list[str]] = [[] for _ in range(seats)]
    for seat in luck.sample(range(seats), seats):
        for _ in range(sizes[seat]):
            if not cards:
                return None
            copies = [card for card in cards if card in hands[seat]]
            hands[seat].append(luck.choice(copies if copies and luck.random() < 0.4 else cards))
            cards.remove(hands[seat][-1])
    size = luck.randint(0, min(len(cards), luck.choice([1, 2, 3, 200])))
    pile, stock = cards[:size], cards[size:]
    if luck.random() < 0.5:
        pile, stock = stock, pile
    taken = None
    if phase == "play" and luck.random() < 0.7:
        taken = luck.choice(hands[turn])
    elif phase == "draw" and not pile:
        return None
    elif phase == "draw" and luck.random() < 0.5:  # the top discard is in the hand already
        twins = [card for card in pile if card in hands[turn]]
        if twins:
            pile.remove(twins[0])
            pile.append(twins[0])
    before = (turn - 1) % seats
    turns = luck.randint(1, 150)
    return {
        "game": "jo",
        "rules": {"decks": decks, "max_turns": luck.choice([None, 200, turns + luck.randint(1, 3)])},
        "seats": seats,
        "rounds": [1, 2, 3, 4, 5, 6, 7],
        "round": round_,
        "dealer": (turn - 1 - turns) % seats,
        "turn": turn,
        "acting": turn,
        "phase": phase,
        "hands": [sorted(hand, key=PACK.index) for hand in hands],
        "stock": stock,
        "discard": pile,
        "groups": [
            [{"kind": kind, "cards": group} for kind, group in zip(kinds, row, strict=False)] for row in rows
        ],
        "down": [bool(row) for row in rows],
        "buys_used": used,
        "requests": [],
        "taken": taken,
        "discarded_by": before if phase == "draw" or (pile and not taken) else None,
        "turns": turns,
        "points": [[0] * seats] * (round_ - 1),
        "events": [],
        "shoes": [],
        "rng": {"seed": hex(luck.getrandbits(64)), "state": hex(luck.getrandbits(64))},
    }


def random_tables(seed: int, count: int):
    """So many made-up tables that the rules allow."""
    luck = Random(seed)
    while count:
        snapshot = random_snapshot(luck)
        if snapshot is None:
            continue
        try:
            restore(snapshot)
        except TableError:
            continue
        yield snapshot
        count -= 1
