"""A slow, plain oracle of the rules of Rummy Bo, for checking a fast engine.

It is written from the rules and the public forms alone and shares no code with the engine. A table is a
snapshot: a dict whose cards are texts such as "TH", whose stock and discard pile have their top card last,
and whose groups lie in the order in which they were laid. Clarity comes first here, speed second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any, NamedTuple

Snapshot = dict[str, Any]

RANKS = "A23456789TJQK"
SUITS = "CDHS"
# A face is 13 * suit + rank; its text is rank then suit.
FACES: list[str] = [rank + suit for suit in SUITS for rank in RANKS]
NUMBER: dict[str, int] = {text: number for number, text in enumerate(FACES)}
DEALT = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}

DRAW_STOCK, TAKE_TWO, TAKE_DISCARD, TURN_OVER = 0, 1, 2, 3
LAY_SET, LAY_RUN, ON_SET, ON_LOW, ON_HIGH, DISCARD, ACTIONS = 4, 69, 121, 173, 225, 277, 329
SUIT_CHOICES = ["CDH", "CDS", "CHS", "DHS", "CDHS"]

KEYS = [
    "game", "rules", "seats", "num_hands", "hand_number", "dealer", "turn", "acting", "phase", "hands",
    "stock", "turned_over", "discard", "melded", "groups", "laid", "laid_off", "taken", "turns", "points",
    "events", "shoes", "rng",
]  # fmt: skip


def by_face(cards: Iterable[str]) -> list[str]:
    """The cards in the order of their face numbers."""
    return sorted(cards, key=NUMBER.__getitem__)


def worth(card: str) -> int:
    """Ace 11, court cards (and the ten) 10, others their pips."""
    return {"A": 11, "K": 10, "Q": 10, "J": 10, "T": 10}.get(card[0]) or int(card[0])


def next_rank(card: str, steps: int = 1) -> str:
    """The card of the same suit so many ranks higher, round the corner."""
    return RANKS[(RANKS.index(card[0]) + steps) % 13] + card[1]


# --------------------------------------------------------------------------------------------
# Matched sets and the payment
# --------------------------------------------------------------------------------------------


def is_set(cards: Iterable[str]) -> bool:
    """3 or 4 cards of a rank."""
    cards = list(cards)
    return len(cards) in (3, 4) and len({card[0] for card in cards}) == 1


def is_run(cards: Iterable[str]) -> bool:
    """3 to 13 consecutive cards of a suit in the order given, which may go round the corner."""
    cards = list(cards)
    follow = all(next_rank(a) == b for a, b in pairwise(cards))
    return 3 <= len(cards) <= 13 and follow


@lru_cache(maxsize=1 << 20)
def _least(cards: frozenset[str]) -> int:
    """The least points left over, by trying everything that the first card may be part of.

    First by rank: a run that holds the card can only go up from it, or round the corner below it. A run of
    six cards or more is two runs, so runs of three to five cards are enough.
    """
    if not cards:
        return 0
    card = min(cards, key=lambda c: (RANKS.index(c[0]), c[1]))
    mates = sorted(c for c in cards if c[0] == card[0] and c != card)
    runs = [
        {next_rank(card, step - below) for step in range(size)} for size in (3, 4, 5) for below in range(size)
    ]
    groups = [run for run in runs if run <= cards]
    groups += [{card, *others} for size in (2, 3) for others in combinations(mates, size)]
    best = 1000
    for group in groups:
        best = min(best, _least(cards - group))
        if best == 0:
            return 0
    return min(best, worth(card) + _least(cards - {card}))


def payment(hand: Iterable[str]) -> int:
    """The points of the cards in no matched set, in the partition that pays least."""
    return _least(frozenset(hand))


# --------------------------------------------------------------------------------------------
# The rest of a turn, after the draw
# --------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """A group on the table: a set sorted by face, a run from low to high."""

    kind: str
    cards: tuple[str, ...]
    is_new: bool  # laid in this turn


class Turn(NamedTuple):
    """What the seat on turn has before it in the "play" phase."""

    hand: frozenset[str]
    groups: tuple[Group, ...]
    taken: frozenset[str]
    laid_off: int


def plain(group: dict[str, Any], is_new: bool = False) -> Group:
    cards = group["cards"]
    return Group(group["kind"], tuple(by_face(cards) if group["kind"] == "set" else cards), is_new)


def as_turn(table: Snapshot) -> Turn:
    """The turn in play at a table."""
    old = len(table["groups"]) - table["laid"]
    groups = tuple(plain(group, i >= old) for i, group in enumerate(table["groups"]))
    hand = frozenset(table["hands"][table["turn"]])
    return Turn(hand, groups, frozenset(table["taken"]), table["laid_off"])


def lay_index(group: Group) -> int:
    """The action that lays a group: a set as it stands, a run by its lowest card."""
    if group.kind == "run":
        return LAY_RUN + NUMBER[group.cards[0]]
    suits = "".join(card[1] for card in group.cards)
    return LAY_SET + 5 * RANKS.index(group.cards[0][0]) + SUIT_CHOICES.index(suits)


def smallest_groups(hand: frozenset[str]) -> list[Group]:
    """Every set, and every run of three, that the hand holds."""
    found = []
    for rank in RANKS:
        for suits in SUIT_CHOICES:
            found.append(Group("set", tuple(rank + suit for suit in suits), True))
    for card in FACES:
        found.append(Group("run", (card, next_rank(card), next_rank(card, 2)), True))
    return [group for group in found if hand.issuperset(group.cards)]


def lays(turn: Turn) -> Iterator[tuple[int, Turn]]:
    """Lays come before all lay-offs, each with a higher index than the one before it."""
    if turn.laid_off:
        return
    last = max((lay_index(group) for group in turn.groups if group.is_new), default=-1)
    for group in smallest_groups(turn.hand):
        if lay_index(group) > last:
            left = turn.hand - set(group.cards)
            yield lay_index(group), turn._replace(hand=left, groups=(*turn.groups, group))


def longer(group: Group, card: str, end: str) -> Group | None:
    """The group with a card more, or None where that is no group."""
    if group.kind == "set":
        cards = (*group.cards, card)
        return group._replace(cards=tuple(by_face(cards))) if end == "set" and is_set(cards) else None
    cards = (card, *group.cards) if end == "low" else (*group.cards, card)
    if end == "set" or not is_run(cards):
        return None
    if len(cards) == 13:  # written from the ace
        cards = tuple(rank + card[1] for rank in RANKS)
    return group._replace(cards=cards)


def may_grow(group: Group, end: str) -> bool:
    """One spelling for every play: what a group laid in this turn could have been laid as is refused.

    A set is laid with all its cards, a run from its lowest card, a run of thirteen from its ace; the
    thirteenth card of any run goes to its high end.
    """
    if group.kind == "run" and len(group.cards) == 12:
        return end == "high" and (not group.is_new or group.cards[0][0] == "A")
    return not group.is_new or end == "high"


def lay_offs(turn: Turn) -> Iterator[tuple[int, Turn]]:
    """Every way to add one card to a group on the table."""
    for place, group in enumerate(turn.groups):
        for card in by_face(turn.hand):
            for end, first in (("set", ON_SET), ("low", ON_LOW), ("high", ON_HIGH)):
                grown = longer(group, card, end) if may_grow(group, end) else None
                if grown:
                    groups = (*turn.groups[:place], grown, *turn.groups[place + 1 :])
                    then = turn._replace(hand=turn.hand - {card}, groups=groups, laid_off=turn.laid_off + 1)
                    yield first + NUMBER[card], then


@lru_cache(maxsize=1 << 15)
def can_finish(turn: Turn) -> bool:
    """Whether the turn can be finished from here, by search: with a discard, or with no card left."""
    if not turn.hand or turn.hand - turn.taken:
        return True
    return any(can_finish(then) for _, then in (*lays(turn), *lay_offs(turn)))


def play_moves(turn: Turn) -> dict[int, Turn]:
    """The legal lays and lay-offs: those after which the turn can still be finished."""
    moves = [*lays(turn), *lay_offs(turn)]
    assert len(dict(moves)) == len(moves), "an action has two meanings"
    return {action: then for action, then in moves if can_finish(then)}


def legal_actions(snapshot: Snapshot) -> set[int]:
    """Every legal action of the acting seat; none once the game is over."""
    if snapshot["phase"] == "over":
        return set()
    if snapshot["phase"] == "draw":
        if not snapshot["stock"]:
            return {TAKE_DISCARD, TURN_OVER}
        return {DRAW_STOCK} | ({TAKE_TWO} if len(snapshot["discard"]) >= 2 else set())
    turn = as_turn(snapshot)
    return set(play_moves(turn)) | {DISCARD + NUMBER[card] for card in turn.hand - turn.taken}


# --------------------------------------------------------------------------------------------
# All that a turn can come to
# --------------------------------------------------------------------------------------------

Position = tuple[frozenset[str], frozenset[tuple[str, frozenset[str]]]]


def position(turn: Turn) -> Position:
    """Hand and table without the order in which groups were laid or runs are written."""
    groups = [(group.kind, frozenset(group.cards)) for group in turn.groups]
    assert len(set(groups)) == len(groups)
    return turn.hand, frozenset(groups)


def _reached(turn: Turn, moves: Any) -> set[Position]:
    """Every position in which the turn can end with a discard, or with no card left."""
    seen, found, waiting = {turn}, set(), [turn]
    while waiting:
        now = waiting.pop()
        if not now.hand or now.hand - now.taken:
            found.add(position(now))
        for then in moves(now):
            if then not in seen:
                seen.add(then)
                waiting.append(then)
    return found


def ends_by_the_rules_of_spelling(turn: Turn) -> set[Position]:
    return _reached(turn, lambda now: play_moves(now).values())


def all_ends(turn: Turn) -> set[Position]:
    """The same with no rule of spelling: groups of any size in any order, between lay-offs of any kind."""

    def moves(now: Turn) -> Iterator[Turn]:
        free = now._replace(groups=tuple(group._replace(is_new=False) for group in now.groups), laid_off=0)
        for group in smallest_groups(now.hand):
            laid = group._replace(is_new=False)
            yield free._replace(hand=now.hand - set(group.cards), groups=(*free.groups, laid))
        for place, group in enumerate(free.groups):
            for card in now.hand:
                for end in ("set", "low", "high"):
                    grown = longer(group, card, end)
                    if grown:
                        groups = (*free.groups[:place], grown, *free.groups[place + 1 :])
                        yield free._replace(hand=now.hand - {card}, groups=groups)

    return _reached(turn, moves)


# --------------------------------------------------------------------------------------------
# One step
# --------------------------------------------------------------------------------------------


def deal(shoe: list[str], seats: int, dealer: int) -> Snapshot:
    """The hands, discard pile and stock that a shoe, its top card first, gives."""
    hands: list[list[str]] = [[] for _ in range(seats)]
    dealt = seats * DEALT[seats]
    for place, card in enumerate(shoe[:dealt]):
        hands[(dealer + 1 + place) % seats].append(card)
    return {
        "hands": [by_face(hand) for hand in hands],
        "discard": [shoe[dealt]],
        "stock": shoe[dealt + 1 :][::-1],
    }


def _copy(snapshot: Snapshot) -> Snapshot:
    """A copy of a table, to be changed, without its events, random state and shoes."""
    table = {key: value for key, value in snapshot.items() if key not in ("events", "rng", "shoes")}
    table["hands"] = [list(hand) for hand in snapshot["hands"]]
    for key in ("stock", "discard", "melded", "taken", "groups"):
        table[key] = list(snapshot[key])
    return table


def _end_hand(table: Snapshot, winner: int | None) -> Snapshot:
    """Every other seat pays the winner, double if it went rummy; in a dead hand every seat loses its own.

    With two seats the winner deals the next hand, otherwise, and after a dead hand, the deal moves left.
    """
    seats = table["seats"]
    due = [payment(hand) for hand in table["hands"]]
    if winner is None:
        row = [-count for count in due]
    else:
        factor = 1 if table["melded"][winner] else 2
        row = [-factor * count for count in due]
        row[winner] = factor * sum(due)
    points = [*table["points"], row]
    if len(points) == table["num_hands"]:
        return {**table, "points": points, "phase": "over", "acting": None}
    dealer = winner if seats == 2 and winner is not None else (table["dealer"] + 1) % seats
    turn = (dealer + 1) % seats
    return {
        **{key: table[key] for key in ("game", "rules", "seats", "num_hands")},
        "points": points, "dealt": True, "hand_number": table["hand_number"] + 1, "dealer": dealer,
        "turn": turn, "acting": turn, "phase": "draw", "turned_over": False, "melded": [False] * seats,
        "groups": [], "laid": 0, "laid_off": 0, "taken": [], "turns": 0,
    }  # fmt: skip


def _draw(table: Snapshot, action: int) -> Snapshot:
    hand, stock, pile = table["hands"][table["turn"]], table["stock"], table["discard"]
    if action == DRAW_STOCK:
        hand += [stock.pop() for _ in range(min(2, len(stock)))]
    elif action == TURN_OVER:
        # The oldest discard lies on top, and the top card comes last.
        table["stock"], table["discard"], table["turned_over"] = pile[::-1], [], True
        hand.append(table["stock"].pop())
    else:
        table["taken"] = by_face([pile.pop() for _ in range(2 if action == TAKE_TWO else 1)])
        hand += table["taken"]
    table["hands"][table["turn"]] = by_face(hand)
    table["phase"] = "play"
    return table


def _discard(table: Snapshot, card: str) -> Snapshot:
    """The discard ends the turn, and the hand too if it goes out or the hand then is dead."""
    seat = table["turn"]
    table["hands"][seat].remove(card)
    table["discard"].append(card)
    table["taken"] = []
    table["turns"] += 1
    if not table["hands"][seat]:
        return _end_hand(table, seat)
    if table["laid"] or table["laid_off"]:
        table["melded"][seat] = True
    table["laid"] = table["laid_off"] = 0
    most = table["rules"]["max_turns"]
    if most is not None and table["turns"] >= most:
        return _end_hand(table, None)
    table["turn"] = table["acting"] = (seat + 1) % table["seats"]
    table["phase"] = "draw"
    return table


def after(snapshot: Snapshot, action: int) -> Snapshot:
    """The table after a legal action, without events, random state and shoes.

    Where a new hand was dealt it has "dealt": True, and no cards.
    """
    if action not in legal_actions(snapshot):
        raise ValueError(f"action {action} is not legal in phase {snapshot['phase']}")
    table = _copy(snapshot)
    if action < LAY_SET:
        return _draw(table, action)
    if action >= DISCARD:
        return _discard(table, FACES[action - DISCARD])
    then = play_moves(as_turn(snapshot))[action]
    table["hands"][table["turn"]] = by_face(then.hand)
    table["groups"] = [{"kind": group.kind, "cards": list(group.cards)} for group in then.groups]
    table["laid"] = sum(group.is_new for group in then.groups)
    table["laid_off"] = then.laid_off
    return table if then.hand else _end_hand(table, table["turn"])


# --------------------------------------------------------------------------------------------
# Checks
# --------------------------------------------------------------------------------------------


def check_step(before: Snapshot, action: int, now: Snapshot) -> None:
    """Assert that the action was legal at `before` and made exactly the table `now`."""
    where = f"after action {action} of seat {before['acting']} in phase {before['phase']!r}"
    legal = legal_actions(before)
    assert action in legal, f"{where}: it is not legal; legal are {sorted(legal)}"
    want = after(before, action)
    for key in want:
        if key != "dealt":
            assert want[key] == now[key], f"{where}: {key} should be {want[key]!r}, is {now[key]!r}"
    if want.get("dealt"):
        seats = now["seats"]
        assert [len(hand) for hand in now["hands"]] == [DEALT[seats]] * seats, where
        assert len(now["discard"]) == 1, where
    check_table(now)


def check_table(table: Snapshot) -> None:
    """Assert that a table obeys the rules."""
    assert set(table) == set(KEYS)
    seats, phase = table["seats"], table["phase"]
    cards = Counter(table["stock"] + table["discard"])
    for hand in table["hands"]:
        cards.update(hand)
        assert hand == by_face(hand)
    for group in table["groups"]:
        cards.update(group["cards"])
        legal = {"set": is_set, "run": is_run}[group["kind"]]
        assert legal(group["cards"]), f"no legal group in {group}"
    assert cards == Counter(FACES), "not one pack"
    finished = len(table["points"])
    assert table["hand_number"] == finished + (phase != "over")
    if phase == "over":
        assert table["acting"] is None and finished == table["num_hands"]
        return
    assert finished < table["num_hands"]
    assert all(table["hands"]), "a seat has no card in a hand that goes on"
    assert table["turn"] == table["acting"] == (table["dealer"] + 1 + table["turns"]) % seats
    assert table["rules"]["max_turns"] is None or table["turns"] < table["rules"]["max_turns"]
    if phase == "draw":
        assert table["discard"] and not table["taken"] and table["laid"] == table["laid_off"] == 0
    assert any(table["melded"]) == (len(table["groups"]) > table["laid"])
    assert legal_actions(table), f"seat {table['acting']} has no legal action"
