"""A slow, plain oracle of the rules of Jo, for checking a fast engine.

It is written from the rules and the public contract alone and shares no code with the engine.
A table is a snapshot of the contract: a dict whose cards are texts such as "TH", whose stock and
discard pile have their top card last, and whose groups are, per seat, rows of
{"kind": "three" | "four", "cards": [...]}. Clarity comes first here, speed second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

Snapshot = dict[str, Any]

# --------------------------------------------------------------------------------------------
# Cards, goals and the action table
# --------------------------------------------------------------------------------------------

RANKS = "A23456789TJQK"
SUITS = "CDHS"
# A face is 13 * suit + rank; its text is rank then suit.
FACES: list[str] = [rank + suit for suit in SUITS for rank in RANKS]
NUMBER: dict[str, int] = {text: number for number, text in enumerate(FACES)}

# Round: (threes, fours) of its goal, and the cards dealt to a seat.
GOALS: dict[int, tuple[int, int]] = {
    1: (2, 0),
    2: (1, 1),
    3: (0, 2),
    4: (3, 0),
    5: (2, 1),
    6: (1, 2),
    7: (0, 3),
}
DEALT: dict[int, int] = {1: 10, 2: 10, 3: 10, 4: 10, 5: 12, 6: 12, 7: 12}

MOST_BUYS = 3
# The longest hand: twelve cards dealt, two more for each buy, and the card of the turn.
MOST_CARDS = 12 + 2 * MOST_BUYS + 1

PASS, BUY, DRAW, TAKE = 0, 1, 2, 3
LAY_THREE, LAY_FOUR, LAY_OFF, DISCARD, ACTIONS = 4, 264, 308, 380, 432
LOW_END, HIGH_END = 4, 5

# The 20 multisets of three suits in lexicographic order: CCC, CCD, ... SSS.
SUIT_TRIPLES: list[tuple[int, ...]] = list(combinations_with_replacement(range(4), 3))
# Action of a three or a four of the smallest size -> its faces (a run low to high).
THREES: dict[int, tuple[int, ...]] = {
    LAY_THREE + 20 * rank + t: tuple(13 * suit + rank for suit in suits)
    for rank in range(13)
    for t, suits in enumerate(SUIT_TRIPLES)
}
FOURS: dict[int, tuple[int, ...]] = {
    LAY_FOUR + 11 * suit + start: tuple(13 * suit + (start + i) % 13 for i in range(4))
    for suit in range(4)
    for start in range(11)
}
ACTION_OF_THREE = {faces: action for action, faces in THREES.items()}
RUNS: list[tuple[int, ...]] = list(FOURS.values())

KEYS = [
    "game",
    "rules",
    "seats",
    "rounds",
    "round",
    "dealer",
    "turn",
    "acting",
    "phase",
    "hands",
    "stock",
    "discard",
    "groups",
    "down",
    "buys_used",
    "requests",
    "taken",
    "discarded_by",
    "turns",
    "points",
    "events",
    "shoes",
    "rng",
]


def by_face(cards: list[str]) -> list[str]:
    """The cards in the order of their face numbers."""
    return sorted(cards, key=NUMBER.__getitem__)


def points(hand: list[str]) -> int:
    """What a hand costs: ace 15, king, queen and jack 10 (as the ten), others their pips."""
    worth = {"A": 15, "K": 10, "Q": 10, "J": 10, "T": 10}
    return sum(worth[card[0]] if card[0] in worth else int(card[0]) for card in hand)


# --------------------------------------------------------------------------------------------
# Groups
# --------------------------------------------------------------------------------------------


def is_three(cards: list[str]) -> bool:
    """A three: three or more cards of one rank, suits free, duplicates allowed."""
    return len(cards) >= 3 and len({card[0] for card in cards}) == 1


def is_run(cards: list[str]) -> bool:
    """A four, written low to high: 4 to 13 consecutive cards of one suit.

    The ace is the first card (low) or the last (high), never both and never in the middle, so
    the row is a stretch of A 2 3 ... Q K A that does not hold both of its ends.
    """
    if not 4 <= len(cards) <= 13 or len({card[1] for card in cards}) != 1:
        return False
    return "".join(card[0] for card in cards) in RANKS + "A"


def longer_run(cards: tuple[str, ...], card: str, end: int) -> tuple[str, ...] | None:
    """The run with the card added at its low or high end, or None where it does not fit."""
    longer = (card, *cards) if end == LOW_END else (*cards, card)
    return longer if is_run(list(longer)) else None


# --------------------------------------------------------------------------------------------
# The rest of a turn, after the draw
# --------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """A group on the table; the cards of a three are sorted by face, those of a run rise."""

    kind: str
    cards: tuple[str, ...]


class Turn(NamedTuple):
    """What the seat on turn has before it in the "play" phase."""

    seat: int
    hand: tuple[str, ...]  # sorted by face
    rows: tuple[tuple[Group, ...], ...]  # the groups of every seat
    down: bool
    taken: str | None  # the face taken from the pile this turn
    goal: tuple[int, int]

    def half_made(self) -> bool:
        """A go-down is begun and not yet whole: groups are laid, the seat is not down."""
        return not self.down and bool(self.rows[self.seat])


def as_turn(table: Snapshot) -> Turn:
    """The turn in play at a table."""
    seat = table["turn"]
    rows = tuple(
        tuple(
            Group(
                group["kind"],
                tuple(group["cards"] if group["kind"] == "four" else by_face(group["cards"])),
            )
            for group in row
        )
        for row in table["groups"]
    )
    return Turn(
        seat=seat,
        hand=tuple(by_face(table["hands"][seat])),
        rows=rows,
        down=table["down"][seat],
        taken=table["taken"],
        goal=GOALS[table["round"]],
    )


def without(hand: tuple[str, ...], cards: tuple[str, ...]) -> tuple[str, ...]:
    """The hand less the cards, all of which it holds."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def lay_index(group: Group) -> int:
    """The action that lays a group of the smallest size."""
    faces = tuple(NUMBER[card] for card in group.cards)
    if group.kind == "three":
        return ACTION_OF_THREE[tuple(sorted(faces))]
    # Written low to high, a run starts at its first card: an ace there is a low one.
    return LAY_FOUR + 11 * (faces[0] // 13) + faces[0] % 13


def threes_in(hand: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
    """Every three of exactly three cards that the hand holds, with its action."""
    found: set[tuple[str, ...]] = set()
    for rank in RANKS:
        found.update(combinations([card for card in hand if card[0] == rank], 3))
    return sorted((lay_index(Group("three", cards)), cards) for cards in found)


def fours_in(hand: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
    """Every run of exactly four cards that the hand holds, with its action."""
    held = {NUMBER[card] for card in hand}
    return [
        (action, tuple(FACES[face] for face in faces))
        for action, faces in FOURS.items()
        if held.issuperset(faces)
    ]


def lays(turn: Turn) -> Iterator[tuple[int, Turn]]:
    """Every next group of a go-down, in its one spelling.

    Threes first, then fours, no index lower than that of the lay before it of the same kind. A
    seat goes down once a hand; with the last group of the goal laid, it is down.
    """
    if turn.down:
        return
    row = turn.rows[turn.seat]
    threes, fours = turn.goal
    kind = "three" if len(row) < threes else "four"
    lowest = max((lay_index(group) for group in row if group.kind == kind), default=0)
    for action, cards in threes_in(turn.hand) if kind == "three" else fours_in(turn.hand):
        if action < lowest:
            continue
        longer = (*row, Group(kind, cards))
        yield (
            action,
            turn._replace(
                hand=without(turn.hand, cards),
                rows=turn.rows[: turn.seat] + (longer,) + turn.rows[turn.seat + 1 :],
                down=len(longer) == threes + fours,
            ),
        )


def lay_offs(turn: Turn) -> Iterator[tuple[int, Turn]]:
    """Every way to add one card to a group on the table: only for a seat that is down.

    A three takes any card of its rank, a run the next card at either end. The slot is
    3 * ((owner - seat) mod seats) + the group's place in its owner's row.
    """
    if not turn.down:
        return
    for owner, row in enumerate(turn.rows):
        for place, group in enumerate(row):
            slot = 3 * ((owner - turn.seat) % len(turn.rows)) + place
            for card in sorted(set(turn.hand)):
                if group.kind == "three":
                    more = (*group.cards, card)
                    ways = {SUITS.index(card[1]): more} if is_three(list(more)) else {}
                else:
                    ends = {end: longer_run(group.cards, card, end) for end in (LOW_END, HIGH_END)}
                    ways = {end: more for end, more in ends.items() if more}
                for way, more in ways.items():
                    changed = Group(
                        group.kind,
                        tuple(by_face(list(more))) if group.kind == "three" else more,
                    )
                    new_row = row[:place] + (changed,) + row[place + 1 :]
                    yield (
                        LAY_OFF + 6 * slot + way,
                        turn._replace(
                            hand=without(turn.hand, (card,)),
                            rows=turn.rows[:owner] + (new_row,) + turn.rows[owner + 1 :],
                        ),
                    )


def discards(turn: Turn) -> set[str]:
    """The faces that may be discarded: all but the taken one, and none in a half-made go-down."""
    return set() if turn.half_made() else set(turn.hand) - {turn.taken}


@lru_cache(maxsize=1 << 15)
def can_finish(turn: Turn) -> bool:
    """Whether the turn can be finished from here, by search.

    It is finished by a discard or with no card left (then no discard is owed), and in neither
    case within a go-down that is not whole.
    """
    if turn.half_made():
        return any(can_finish(then) for _, then in lays(turn))
    if not turn.hand or discards(turn):
        return True
    return any(can_finish(then) for _, then in (*lay_offs(turn), *lays(turn)))


def play_moves(turn: Turn) -> dict[int, Turn]:
    """The legal lays and lay-offs: those after which the turn can still be finished."""
    moves = dict(lays(turn))
    moves.update(lay_offs(turn))
    return {action: then for action, then in moves.items() if can_finish(then)}


# --------------------------------------------------------------------------------------------
# Legal actions
# --------------------------------------------------------------------------------------------


def eligible_buyers(snapshot: Snapshot) -> list[int]:
    """The seats asked in this turn's buy window, in order, whoever has been asked already.

    From the left of the seat on turn around to its right, every seat that has not gone down, has
    bought fewer than three times this hand and did not put the top card there; and only while
    the table can supply the penalty card: two cards in the stock or three in the pile.
    """
    if not snapshot["discard"]:
        return []
    if len(snapshot["stock"]) < 2 and len(snapshot["discard"]) < 3:
        return []
    seats = snapshot["seats"]
    around = [(snapshot["turn"] + step) % seats for step in range(1, seats)]
    return [
        seat
        for seat in around
        if not snapshot["down"][seat]
        and snapshot["buys_used"][seat] < MOST_BUYS
        and snapshot["discarded_by"] != seat
    ]


def can_draw(table: Snapshot) -> bool:
    """The stock has a card, or the pile one below its top card to make a new stock of."""
    return len(table["stock"]) >= 1 or len(table["discard"]) >= 2


def can_take(table: Snapshot) -> bool:
    """The pile has a card, and with it in hand the seat on turn can still finish its turn."""
    if not table["discard"]:
        return False
    top = table["discard"][-1]
    turn = as_turn(table)
    return can_finish(turn._replace(hand=tuple(by_face([*turn.hand, top])), taken=top))


def draw_actions(table: Snapshot) -> set[int]:
    """What the seat on turn may do in the "draw" phase."""
    actions = set()
    if can_draw(table):
        actions.add(DRAW)
    if can_take(table):
        actions.add(TAKE)
    return actions


def legal_actions(snapshot: Snapshot) -> set[int]:
    """Every legal action of the acting seat; none once the game is over."""
    if snapshot["phase"] == "over":
        return set()
    if snapshot["phase"] == "buy":
        return {PASS, BUY}
    if snapshot["phase"] == "draw":
        return draw_actions(snapshot)
    turn = as_turn(snapshot)
    return set(play_moves(turn)) | {DISCARD + NUMBER[card] for card in discards(turn)}


# --------------------------------------------------------------------------------------------
# One step
# --------------------------------------------------------------------------------------------


def deal(shoe: list[str], seats: int, dealer: int, number: int) -> Snapshot:
    """The hands, discard pile and stock that a shoe, its top card first, gives in a round.

    One card at a time from the dealer's left; then one is turned up; the rest is the stock, its
    next card on top.
    """
    hands: list[list[str]] = [[] for _ in range(seats)]
    dealt = seats * DEALT[number]
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
    table["groups"] = [
        [{"kind": group["kind"], "cards": list(group["cards"])} for group in row]
        for row in snapshot["groups"]
    ]
    for key in ("stock", "discard", "down", "buys_used", "requests"):
        table[key] = list(snapshot[key])
    table["points"] = [list(row) for row in snapshot["points"]]
    return table


def _end_hand(table: Snapshot, out: int | None) -> Snapshot:
    """The hand is over: the seat that went out scores 0, every other what it holds.

    In a dead hand nobody went out. The deal moves one seat to the left for the next round, and
    the seat at the new dealer's left has the first turn; nobody put the turned-up card there,
    so every seat off turn may buy it. After the last round the game is over.
    """
    row = [0 if seat == out else points(hand) for seat, hand in enumerate(table["hands"])]
    end = {key: table[key] for key in ("game", "rules", "seats", "rounds")}
    end["points"] = [*table["points"], row]
    if len(end["points"]) == len(table["rounds"]):
        return {**end, "phase": "over", "acting": None}
    seats = table["seats"]
    number = table["rounds"][len(end["points"])]
    dealer = (table["dealer"] + 1) % seats
    turn = (dealer + 1) % seats
    stock = 52 * table["rules"]["decks"] - seats * DEALT[number] - 1
    asked = stock >= 2
    return {
        **end,
        "dealt": True,
        "round": number,
        "dealer": dealer,
        "turn": turn,
        "phase": "buy" if asked else "draw",
        "acting": (turn + 1) % seats if asked else turn,
        "hand_sizes": [DEALT[number]] * seats,
        "stock_size": stock,
        "discard_size": 1,
        "groups": [[] for _ in range(seats)],
        "down": [False] * seats,
        "buys_used": [0] * seats,
        "requests": [],
        "taken": None,
        "discarded_by": None,
        "turns": 0,
    }


def _ask_next(table: Snapshot, asked: list[int]) -> None:
    """Ask the next seat of the buy window; when there is none, the seat on turn draws."""
    waiting = [seat for seat in eligible_buyers(table) if seat not in asked]
    table["phase"] = "buy" if waiting else "draw"
    table["acting"] = waiting[0] if waiting else table["turn"]


def _answer(table: Snapshot, action: int) -> Snapshot:
    """A seat asks for the top discard or passes; then the next one in order is asked."""
    seat = table["acting"]
    if action == BUY:
        table["requests"].append(seat)
    order = eligible_buyers(table)
    _ask_next(table, order[: order.index(seat) + 1])
    return table


def _due_card(table: Snapshot, seat: int) -> None:
    """The seat gets the top card of the stock; from an empty stock, first a new one is made.

    The new stock is the discard pile without its top card, shuffled. Its order is not known, so
    from then on the table tells only the pool of cards that it was made of and how many cards
    each seat has drawn from it.
    """
    if table.get("recycled"):
        table["drawn"][seat] += 1
    elif table["stock"]:
        table["hands"][seat].append(table["stock"].pop())
    else:
        table["recycled"] = True
        table["pool"] = by_face(table["discard"][:-1])
        table["discard"] = table["discard"][-1:]
        table["drawn"] = Counter({seat: 1})


def _draw(table: Snapshot) -> Snapshot:
    """The seat on turn draws from the stock; the nearest requesting seat to its left buys.

    The buyer gets the top discard and then, after the card that the seat on turn drew, one
    penalty card from the stock.
    """
    turn, seats = table["turn"], table["seats"]
    _due_card(table, turn)
    if table["requests"]:
        buyer = min(table["requests"], key=lambda seat: (seat - turn) % seats)
        table["hands"][buyer].append(table["discard"].pop())
        table["discarded_by"] = None
        _due_card(table, buyer)
        table["buys_used"][buyer] += 1
    if table.get("recycled"):
        table["stock"] = None
        table["stock_cards"] = table["pool"]
        table["stock_size"] = len(table["pool"]) - sum(table["drawn"].values())
        table["hand_sizes"] = [len(hand) + table["drawn"][seat] for seat, hand in enumerate(table["hands"])]
    return table


def _take(table: Snapshot) -> Snapshot:
    """The seat on turn takes the top discard; requests lapse."""
    table["taken"] = table["discard"].pop()
    table["hands"][table["turn"]].append(table["taken"])
    table["discarded_by"] = None
    return table


def _discard(table: Snapshot, card: str) -> Snapshot:
    """The discard ends the turn, and the hand too if it goes out or the hand then is dead."""
    seat = table["turn"]
    table["hands"][seat].remove(card)
    table["discard"].append(card)
    table["discarded_by"] = seat
    table["taken"] = None
    table["turns"] += 1
    if not table["hands"][seat]:
        return _end_hand(table, seat)
    most = table["rules"]["max_turns"]
    if most is not None and table["turns"] >= most:
        return _end_hand(table, None)
    table["turn"] = (seat + 1) % table["seats"]
    if not draw_actions(table):
        return _end_hand(table, None)
    _ask_next(table, [])
    return table


def after(snapshot: Snapshot, action: int) -> Snapshot:
    """The table after a legal action, without events, random state and shoes.

    Where an unknown card has been drawn from a stock made anew of the pile, the table has
    "recycled": True, "stock": None, "pool" (what the new stock was made of; "stock_cards" is the
    same list), "drawn" (seat -> cards that it drew from the pool), "stock_size", "hand_sizes",
    and the hands without the drawn cards. Where a new round was dealt, it has "dealt": True and
    sizes in the place of the cards. Where the game is over it has what is certain then.
    """
    if action not in legal_actions(snapshot):
        raise ValueError(f"action {action} is not legal in phase {snapshot['phase']}")
    table = _copy(snapshot)
    if action in (PASS, BUY):
        return _answer(table, action)
    if action in (DRAW, TAKE):
        table = _draw(table) if action == DRAW else _take(table)
        table["hands"] = [by_face(hand) for hand in table["hands"]]
        table["requests"] = []
        table["phase"] = "play"
        return table
    if action >= DISCARD:
        return _discard(table, FACES[action - DISCARD])
    then = play_moves(as_turn(snapshot))[action]
    table["hands"][then.seat] = list(then.hand)
    table["groups"] = [
        [{"kind": group.kind, "cards": list(group.cards)} for group in row] for row in then.rows
    ]
    table["down"][then.seat] = then.down
    return table if then.hand else _end_hand(table, then.seat)


# --------------------------------------------------------------------------------------------
# Checks
# --------------------------------------------------------------------------------------------


def _plain_groups(rows: list[list[dict[str, Any]]]) -> list[list[tuple[str, list[str]]]]:
    """Groups fit to compare: a run in its order, a three (a multiset) sorted."""
    return [
        [
            (group["kind"], group["cards"] if group["kind"] == "four" else by_face(group["cards"]))
            for group in row
        ]
        for row in rows
    ]


def _expect(key: str, want: Any, got: Any, where: str) -> None:
    """Raise a readable error unless the value of one key is the wanted one."""
    assert got == want, f"{where}: {key} should be {want!r}, is {got!r}"


def check_step(before: Snapshot, action: int, now: Snapshot) -> None:
    """Assert that the action was legal at `before` and made exactly the table `now`."""
    where = f"after action {action} of seat {before['acting']} in phase {before['phase']!r}"
    legal = legal_actions(before)
    assert action in legal, f"{where}: it is not legal; legal are {sorted(legal)}"
    want = after(before, action)
    special = {"hands", "stock", "groups", "recycled", "pool", "drawn", "stock_cards", "dealt"}
    special |= {"stock_size", "hand_sizes", "discard_size"}
    for key in want:
        if key not in special:
            _expect(key, want[key], now[key], where)
    if "groups" in want:
        _expect("groups", _plain_groups(want["groups"]), _plain_groups(now["groups"]), where)
    if "hand_sizes" in want:
        _expect("hand sizes", want["hand_sizes"], [len(hand) for hand in now["hands"]], where)
        _expect("stock size", want["stock_size"], len(now["stock"]), where)
    if want["phase"] == "over":
        return
    if want.get("dealt"):
        _expect("discard size", want["discard_size"], len(now["discard"]), where)
        check_table(now)
    elif want.get("recycled"):
        pool: Counter[str] = Counter(now["stock"])
        for seat, hand in enumerate(now["hands"]):
            known, drawn = Counter(want["hands"][seat]), Counter(hand)
            lost = known - drawn
            assert not lost, f"{where}: seat {seat} lost {sorted(lost.elements())}"
            assert hand == by_face(hand), f"{where}: hand {seat} is not sorted: {hand}"
            pool += drawn - known
        _expect("drawn cards and new stock", want["pool"], by_face(list(pool.elements())), where)
    else:
        _expect("hands", want["hands"], now["hands"], where)
        _expect("stock", want["stock"], now["stock"], where)


def _check_cards(table: Snapshot) -> None:
    """Every face is on the table exactly once for each pack."""
    seen: Counter[str] = Counter(table["stock"])
    seen.update(table["discard"])
    for hand in table["hands"]:
        seen.update(hand)
    for row in table["groups"]:
        for group in row:
            seen.update(group["cards"])
    if table["phase"] == "over" and not seen:
        return
    decks = table["rules"]["decks"]
    strange = sorted(set(seen) - set(FACES))
    assert not strange, f"no such cards: {strange}"
    wrong = {card: seen[card] for card in FACES if seen[card] != decks}
    assert not wrong, f"{decks} packs, but other numbers of copies: {wrong}"


def _check_groups(table: Snapshot) -> None:
    """Legal groups; the whole goal, threes first, for a seat that is down; else none.

    Only the seat on turn may have a part of a goal before it, in "play" and in the order in
    which a go-down is spelled.
    """
    threes, fours = GOALS[table["round"]]
    goal = ["three"] * threes + ["four"] * fours
    for seat, row in enumerate(table["groups"]):
        for group in row:
            legal = {"three": is_three, "four": is_run}[group["kind"]]
            assert legal(group["cards"]), f"seat {seat} has no legal group in {group}"
        kinds = [group["kind"] for group in row]
        if table["down"][seat]:
            _expect("kinds of groups", goal, kinds, f"seat {seat}, down")
        elif row:
            where = f"seat {seat}, going down"
            assert (table["phase"], table["turn"]) == ("play", seat), f"{where} off turn"
            assert len(row) < len(goal), f"{where}: the goal is whole, but it is not down"
            _expect("kinds of groups", goal[: len(row)], kinds, where)
            size = {"three": 3, "four": 4}
            for group in row:
                _expect("size", size[group["kind"]], len(group["cards"]), where)
            order = [lay_index(Group(group["kind"], tuple(group["cards"]))) for group in row]
            _expect("order of lays", sorted(order), order, where)


def _check_hands(table: Snapshot) -> None:
    """Sorted hands of 1 to 19 cards, and buys of 0 to 3."""
    for seat, hand in enumerate(table["hands"]):
        assert hand == by_face(hand), f"hand {seat} is not sorted by face: {hand}"
        assert 1 <= len(hand) <= MOST_CARDS, f"hand {seat} has {len(hand)} cards"
        buys = table["buys_used"][seat]
        assert 0 <= buys <= MOST_BUYS, f"seat {seat} has bought {buys} times"


def _check_phase(table: Snapshot) -> None:
    """Who is asked what, and which requests may stand."""
    phase, turn, acting = table["phase"], table["turn"], table["acting"]
    assert phase in ("buy", "draw", "play"), f"no such phase: {phase!r}"
    buyers = eligible_buyers(table)
    requests = table["requests"]
    if phase == "buy":
        assert acting in buyers, f"seat {acting} is asked, but only {buyers} may buy"
        asked = buyers[: buyers.index(acting)]
    else:
        assert acting == turn, f"seat {acting} acts in {phase!r}, but {turn} is on turn"
        asked = buyers if phase == "draw" else []
    in_order = [seat for seat in asked if seat in requests]
    assert requests == in_order, f"requests {requests}, but {asked} have been asked"
    if phase == "play":
        if table["taken"] is not None:
            assert table["taken"] in FACES, f"no such taken card: {table['taken']!r}"
            assert table["discarded_by"] is None, "a card was taken, discarded_by is not None"
    else:
        assert table["taken"] is None, f"{table['taken']} is taken before the draw"
        assert table["discard"], f"no discard in phase {phase!r}"
        assert draw_actions(table), "the seat on turn can neither draw nor take: the hand is dead"
    assert legal_actions(table), f"seat {acting} has no legal action in phase {phase!r}"


def _check_history(table: Snapshot) -> None:
    """What follows from how a hand is played from its deal.

    The turn starts at the dealer's left and passes with every discard; the top card was put
    there by the seat before the one on turn, and by nobody before the first discard. Every turn
    adds a card and takes one off again, every buy adds two.
    """
    seats, turn, turns = table["seats"], table["turn"], table["turns"]
    _expect("turn", (table["dealer"] + 1 + turns) % seats, turn, f"turn {turns} of the hand")
    last = (turn - 1) % seats if turns else None
    if table["phase"] == "play":
        by = table["discarded_by"]
        assert by in (None, last), f"discarded_by is {by}, not {last} or None"
    else:
        _expect("discarded_by", last, table["discarded_by"], f"before the draw, turns {turns}")
    threes, fours = GOALS[table["round"]]
    for seat, hand in enumerate(table["hands"]):
        got = DEALT[table["round"]] + 2 * table["buys_used"][seat]
        got += table["phase"] == "play" and seat == turn
        if table["down"][seat]:
            most = got - 3 * threes - 4 * fours
            assert len(hand) <= most, f"seat {seat}, down, holds {len(hand)} cards, not <= {most}"
        else:
            laid = sum(len(group["cards"]) for group in table["groups"][seat])
            _expect("hand size", got - laid, len(hand), f"seat {seat}, not down")


def check_table(snapshot: Snapshot, *, history: bool = True) -> None:
    """Assert that a table obeys the rules.

    With history=False the facts that only hold of a table played from its deal (hand sizes by
    buys, the turn by the number of turns, who discarded) are left out, for tables made by hand.
    """
    absent = [key for key in KEYS if key not in snapshot]
    assert not absent, f"keys missing in the snapshot: {absent}"
    seats = snapshot["seats"]
    assert seats in (2, 3, 4), f"{seats} seats"
    for key in ("hands", "groups", "down", "buys_used"):
        assert len(snapshot[key]) == seats, f"{key} is not one for each seat: {snapshot[key]}"
    for row in snapshot["points"]:
        assert len(row) == seats, f"points are not one for each seat: {row}"
    _check_cards(snapshot)
    done = len(snapshot["points"])
    if snapshot["phase"] == "over":
        assert snapshot["acting"] is None, f"seat {snapshot['acting']} acts after the end"
        assert done == len(snapshot["rounds"]), f"over after {done} of {snapshot['rounds']}"
        return
    assert done < len(snapshot["rounds"]), f"not over after {done} of {snapshot['rounds']}"
    _expect("round", snapshot["rounds"][done], snapshot["round"], f"with {done} rounds finished")
    for key in ("dealer", "turn", "acting"):
        assert snapshot[key] in range(seats), f"{key} is no seat: {snapshot[key]!r}"
    assert snapshot["discarded_by"] in (None, *range(seats)), "discarded_by is no seat"
    most = snapshot["rules"]["max_turns"]
    turns = snapshot["turns"]
    assert turns >= 0, f"turns {turns}"
    assert most is None or turns < most, f"alive after {turns} of {most} turns"
    _check_hands(snapshot)
    _check_groups(snapshot)
    _check_phase(snapshot)
    if history:
        _check_history(snapshot)


# --------------------------------------------------------------------------------------------
# The distance to a goal
# --------------------------------------------------------------------------------------------


def _most_used(held: list[int], threes: int, fours: int, lowest: int, beat: int) -> int:
    """The most cards of the hand (copies held of each face) that a goal's groups can use.

    Anything not above `beat` may come back as any number not above it. Every group uses what it
    can of the hand and gets the rest. The groups are chosen one after another, runs first and
    those in the order of RUNS from place `lowest` on, and each uses all it can of the cards
    left. That loses nothing: in any best choice, a card that a group could use and does not is
    either unused, and using it is better, or used by a later group, and passing it on to the
    earlier one is as good.
    """
    if fours:
        # Every run with the faces that it can still use; the fullest first.
        parts = []
        for place in range(lowest, len(RUNS)):
            part = [face for face in RUNS[place] if held[face]]
            if part:
                parts.append((len(part), place, part))
        parts.sort(reverse=True)
        # Perhaps no further run uses anything.
        best = max(beat, _most_used(held, threes, 0, 0, beat))
        for size, place, part in parts:
            # Cards only get fewer, so no later run uses more than the fullest one does now.
            if size + (fours - 1) * parts[0][0] + 3 * threes <= best:
                break
            for face in part:
                held[face] -= 1
            rest = _most_used(held, threes, fours - 1, place, best - size)
            best = max(best, size + rest)
            for face in part:
                held[face] += 1
        return best
    # With no run to come, which cards of a rank a three uses makes no difference.
    ranks = [sum(held[13 * suit + rank] for suit in range(4)) for rank in range(13)]
    return _most_in_threes(tuple(sorted(ranks, reverse=True)), threes)


@lru_cache(maxsize=1 << 16)
def _most_in_threes(ranks: tuple[int, ...], threes: int) -> int:
    """The most cards that so many threes can use, of so many cards of each rank."""
    if not threes:
        return 0
    best = 0
    for place, count in enumerate(ranks):
        used = min(3, count)
        if used:
            left = (*ranks[:place], count - used, *ranks[place + 1 :])
            left = tuple(sorted(left, reverse=True))
            best = max(best, used + _most_in_threes(left, threes - 1))
    return best


@lru_cache(maxsize=1 << 14)
def _missing(hand: tuple[str, ...], threes: int, fours: int) -> int:
    """See `missing`, of a sorted hand."""
    held = [0] * 52
    for card in hand:
        held[NUMBER[card]] += 1
    return 3 * threes + 4 * fours - _most_used(held, threes, fours, 0, 0)


def missing(hand: list[str], threes: int, fours: int) -> int:
    """The least number of cards to add so that the hand holds the goal as disjoint groups.

    Any face may be added, in any number of copies; threes have exactly three cards and fours
    exactly four, and two groups may have one rank, or one suit and overlap.
    """
    return _missing(tuple(by_face(hand)), threes, fours)


def nearer(hand: list[str], threes: int, fours: int) -> set[str]:
    """The faces any one of which, added to the hand, makes fewer cards missing."""
    now = missing(hand, threes, fours)
    return {card for card in FACES if missing([*hand, card], threes, fours) < now}
