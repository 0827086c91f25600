"""From JSON back to a game record: snapshots and views.

Reading checks everything that could break the rules and raises one `TableError` that names the field.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, NUM_SUITS, UnknownCardError, parse_face, parse_faces
from jo_env.checks import is_int
from jo_env.errors import SettingsError, TableError
from jo_env.fields import (
    Json,
    check_protocol,
    int8,
    read_bools,
    read_faces,
    read_field,
    read_game,
    read_int,
    read_ints,
    read_phase,
    read_rng,
)
from jo_env.jit import jit
from jo_env.jo.actions import LAY_SIZES, MASK, NUM_ACTIONS
from jo_env.jo.bits import count_hand
from jo_env.jo.goals import ALL_ROUNDS, CARDS_DEALT, FOURS, MAX_GROUPS, THREES
from jo_env.jo.groups import face_at, suit_of
from jo_env.jo.legal import mark_legal
from jo_env.jo.notation import (
    GAME_NAME,
    PHASES,
    PROTOCOL,
    Group,
    group_records,
    parse_group,
    smallest_lay,
)
from jo_env.jo.rules import may_buy, set_phase, write_stock, write_table
from jo_env.jo.settings import new_games, set_shoes
from jo_env.jo.state import (
    MAX_BUYS,
    MAX_CARDS,
    MAX_HAND,
    MAX_SEATS,
    MEMORY_CAP,
    NO_FACE,
    NO_LIMIT,
    NOBODY,
    Event,
    Phase,
)
from jo_env.jo.turn import can_draw, can_take
from jo_env.jo.view import VIEW, look

EVENTS = {event.name.lower(): event.value for event in Event}
# As plain numbers, which Python compares much faster than those of an Enum.
_DRAW, _GO_DOWN, _RECYCLE = Event.DRAW.value, Event.GO_DOWN.value, Event.RECYCLE.value
_WITHOUT_CARD = (Event.REQUEST.value, Event.PASS.value, _RECYCLE)
_NOTHING = NO_FACE & 0xFF  # as a byte
_DEALT = CARDS_DEALT.tolist()
_GOALS = [["three"] * threes + ["four"] * fours for threes, fours in zip(THREES, FOURS, strict=True)]


@dataclass(slots=True)
class _Table:
    """What everyone knows, as plain numbers and lists: fields of a record are slow to reach from Python."""

    num_seats: int
    decks: int
    round: int
    place: int  # of the round, in the game's rounds
    phase: int
    dealer: int
    turn: int
    turns: int
    down: list[bool]
    buys_used: list[int]
    groups: list[list[Group]]
    groups_laid: int
    last_lay: int
    discard: list[int]
    discarded_by: int
    taken: int
    requests: list[int]
    hidden: list[int]  # copies of each face that do not lie open
    hand_sizes: list[int] = field(default_factory=list)  # these two are read after the rest
    stock_size: int = 0


def restore(data: Json) -> tuple[np.ndarray, list[Json]]:
    """A snapshot back as GAME[1] and its events; raises `TableError` for a table that breaks the rules."""
    games = _read_settings(data)
    table = _read_table(data, games)
    n, decks = table.num_seats, table.decks
    rows = read_field(data, "points", list)
    is_over = table.phase == Phase.OVER
    num_finished = table.place + is_over
    if len(rows) != num_finished:
        raise TableError(f"points: {len(rows)} rows, but {num_finished} rounds are finished")
    points = [read_ints(row, f"points[{i}]", n, 0, 10_000) for i, row in enumerate(rows)]
    cards = read_field(data, "hands", list)
    if len(cards) != n:
        raise TableError(f"hands: {len(cards)} given for {n} seats")
    hands = []
    for seat in range(n):
        hands.append(read_faces(cards[seat], f"hands[{seat}]"))
        _check_hand_size(table, seat, len(hands[seat]), f"hands[{seat}]")
    stock = read_faces(data.get("stock"), "stock")
    if len(stock) > MAX_CARDS:
        raise TableError(f"stock: {len(stock)} cards; at most {MAX_CARDS} are in play")
    counts = [decks - copies for copies in table.hidden]
    for faces in (*hands, stock):
        for face in faces:
            counts[face] += 1
    for face, count in enumerate(counts):
        if count != decks:
            raise TableError(
                f"cards: {FACE_NAMES[face]} is on the table {count} times; "
                f"with {decks} packs each card must be there {decks} times"
            )
    games["seed"], games["rng"] = read_rng(data)
    try:
        games["num_finished"] = table.place + 1  # the rounds to come begin after the one being played
        set_shoes(games[0], data.get("shoes"))
    except (SettingsError, UnknownCardError) as error:
        raise TableError(str(error)) from None
    if points:
        games["points"][0, : len(points), :n] = points
        games["scores"][0, :n] = np.sum(points, 0)
    games["stock"][0, : len(stock)] = stock
    table.hand_sizes, table.stock_size = [len(hand) for hand in hands], len(stock)
    return games, _finish(
        games, table, dict(enumerate(hands)), data.get("acting"), "acting", data.get("events")
    )


def game_from_view(data: Json) -> tuple[np.ndarray, int]:
    """A view as (GAME[1], seat): a table with the hidden cards left blank, for `look` and the rules."""
    games = _read_settings(data)
    check_protocol(data, PROTOCOL)
    table = _read_table(data, games)
    n, decks = table.num_seats, table.decks
    seat = read_int(data, "seat", 0, n - 1)
    games["scores"][0, :n] = read_ints(data.get("scores"), "scores", n, 0, 100_000)
    table.hand_sizes = sizes = read_ints(data.get("hand_sizes"), "hand_sizes", n, 0, MAX_HAND)
    hand = read_faces(data.get("hand"), "hand")
    if len(hand) != sizes[seat]:
        raise TableError(f"hand: {len(hand)} cards, but hand_sizes[{seat}] is {sizes[seat]}")
    for s in range(n):
        _check_hand_size(table, s, sizes[s], f"hand_sizes[{s}]")
    table.stock_size = read_int(data, "stock_size", 0, MAX_CARDS)
    counts = [decks - copies for copies in table.hidden]
    for face in hand:
        counts[face] += 1
    most = max(counts)
    if most > decks:
        raise TableError(
            f"cards: {FACE_NAMES[counts.index(most)]} is in sight {most} times, with {decks} packs"
        )
    total = sum(counts) + sum(sizes) - sizes[seat] + table.stock_size
    if total != NUM_FACES * decks:
        raise TableError(f"stock_size: {total} cards in all, but {decks} packs have {NUM_FACES * decks}")
    acting = None if table.phase == Phase.OVER else seat
    _finish(games, table, {seat: hand}, acting, "seat", data.get("events"))
    return games, seat


def _read_settings(data: Json) -> np.ndarray:
    read_game(data, GAME_NAME)
    rules = {} if data.get("rules") is None else read_field(data, "rules", dict)
    try:
        return new_games(
            1,
            data.get("seats", 0),
            data.get("rounds", ALL_ROUNDS),
            rules.get("decks", 2),
            rules.get("max_turns"),
        )
    except SettingsError as error:
        name, _, rest = str(error).partition("=")
        where = f"rules.{name}" if name in ("decks", "max_turns") else name
        raise TableError(f"{where}: {rest}") from None


def _read_table(data: Json, games: np.ndarray) -> _Table:
    """Read and check all that everyone knows but the sizes of hands and stock, which come after."""
    n, decks, max_turns = (int(games[name][0]) for name in ("num_seats", "decks", "max_turns"))
    rounds = games["rounds"][0, : int(games["num_rounds"][0])].tolist()
    current = read_int(data, "round", 1, 7)
    if current not in rounds:
        raise TableError(f"round: {current} is not one of rounds {rounds}")
    phase = read_phase(data, PHASES)
    place = rounds.index(current)
    if isinstance(data.get("points"), list):
        place = len(data["points"]) - (phase == Phase.OVER)
        if not 0 <= place < len(rounds) or rounds[place] != current:
            raise TableError(
                f"points: {len(data['points'])} finished rounds do not lead to round {current} of {rounds}"
            )
    dealer = read_int(data, "dealer", 0, n - 1)
    turn = read_int(data, "turn", 0, n - 1)
    turns = read_int(data, "turns", 0, 10**9, default=0)
    if phase != Phase.OVER and turns >= max_turns != NO_LIMIT:
        raise TableError(f"turns: {turns}; with max_turns={max_turns} the hand is over")
    down = read_bools(data.get("down"), "down", n)
    buys_used = read_ints(data.get("buys_used"), "buys_used", n, 0, MAX_BUYS)
    rows = read_field(data, "groups", list)
    if len(rows) != n:
        raise TableError(f"groups: {len(rows)} rows for {n} seats")
    hidden = [decks] * NUM_FACES
    groups = []
    groups_laid, last_lay = 0, 0
    for seat in range(n):
        may_begin = phase == Phase.PLAY and seat == turn
        groups.append(_read_groups(rows[seat], seat, down[seat], may_begin, current, hidden, decks))
        if groups[seat] and not down[seat]:
            groups_laid, last_lay = len(groups[seat]), smallest_lay(groups[seat][-1])
    discard = read_faces(data.get("discard"), "discard")
    if len(discard) > MAX_CARDS:
        raise TableError(f"discard: {len(discard)} cards; at most {MAX_CARDS} are in play")
    _uncover(hidden, discard, decks)
    discarded_by, taken = NOBODY, NO_FACE
    if data.get("discarded_by") is not None:
        discarded_by = read_int(data, "discarded_by", 0, n - 1)
    if data.get("taken") is not None:
        (taken,) = read_faces([data["taken"]], "taken")
        if phase not in (Phase.PLAY, Phase.OVER):  # a lay-off after taking can end the game
            raise TableError(
                f"taken: {data['taken']} in phase {PHASES[phase]}; only a seat in play has taken a card"
            )
    requests = data.get("requests")
    if not isinstance(requests, list) or len(set(map(str, requests))) != len(requests):
        raise TableError(f"requests: {requests!r}; give a list of different seats")
    requests = read_ints(requests, "requests", len(requests), 0, n - 1)
    if requests and phase not in (Phase.BUY, Phase.DRAW):
        raise TableError(f"requests: {requests} in phase {PHASES[phase]}; they lapse at the draw")
    if requests != sorted(requests, key=lambda s: (s - turn) % n):
        raise TableError(f"requests: {requests}; seats are asked from the left of seat {turn} on")
    return _Table(
        n, decks, current, place, phase, dealer, turn, turns, down, buys_used, groups, groups_laid, last_lay,
        discard, discarded_by, taken, requests, hidden,
    )  # fmt: skip


def _read_groups(
    row: Any, seat: int, down: bool, may_begin: bool, current: int, hidden: list[int], decks: int
) -> list[Group]:
    """The groups of a seat, their cards taken out of `hidden`."""
    where = f"groups[{seat}]"
    if not isinstance(row, list) or len(row) > MAX_GROUPS:
        raise TableError(f"{where}: give a list of at most {MAX_GROUPS} groups")
    groups = []
    for i, data in enumerate(row):
        groups.append(parse_group(data, f"{where}[{i}]"))
        _uncover(hidden, parse_faces(data["cards"]), decks)
    kinds = [data["kind"] for data in row]
    goal = _GOALS[current]
    if down:
        if sorted(kinds, reverse=True) != goal:
            raise TableError(f"{where}: seat {seat} is down, so it has laid {goal}, not {kinds}")
    elif row:
        if not may_begin or kinds != goal[: len(row)] or len(row) == len(goal):
            raise TableError(f"{where}: seat {seat} is not down and has groups that are no go-down begun")
        lays = [smallest_lay(group) for group in groups]
        if lays != sorted(lays) or [group.length for group in groups] != LAY_SIZES[lays].tolist():
            raise TableError(
                f"{where}: a go-down begun is laid in the order of its actions, smallest size first"
            )
    return groups


def _uncover(hidden: list[int], faces: Iterable[int], decks: int) -> None:
    """These cards lie open on the table."""
    for face in faces:
        if hidden[face] == 0:
            raise TableError(f"cards: {FACE_NAMES[face]} lies there too often, with {decks} packs")
        hidden[face] -= 1


def _check_hand_size(table: _Table, seat: int, size: int, where: str) -> None:
    """A hand grows by what was dealt, bought and drawn; a smaller one is let pass, for set-up positions."""
    most = _DEALT[table.round] + 2 * table.buys_used[seat]
    most += table.phase in (Phase.PLAY, Phase.OVER) and seat == table.turn
    if size > most:
        raise TableError(f"{where}: {size} cards; dealt, bought and drawn make {most} at most")


def _finish(
    games: np.ndarray, table: _Table, hands: dict[int, list[int]], acting: Any, key: str, events: Any
) -> list[Json]:
    """Write what was read into its record and check what needs the whole table; returns the events.

    `hands` are those that are known, by seat; `key` names the field that said which seat is asked.
    """
    events = [] if events is None else events
    told, groups_told = _read_events(events, table.num_seats)
    numbers = (
        table.phase, table.dealer, table.turn, table.turns, table.place, table.stock_size, table.taken,
        table.discarded_by, table.groups_laid, table.last_lay,
    )  # fmt: skip
    by_seat = zip(
        table.hand_sizes,
        table.down,
        table.buys_used,
        [len(groups) for groups in table.groups],
        [len(hands.get(seat, ())) for seat in range(table.num_seats)],
        strict=True,
    )
    buyers, number, seat, is_playable = _fill_in(
        games, numbers, int8(chain.from_iterable(by_seat)), int8(table.requests), int8(table.discard),
        int8(table.hidden), int8(chain.from_iterable(hands.values())),
        group_records([*chain.from_iterable(table.groups), *groups_told]), int8(told),
    )  # fmt: skip
    games["acting"] = _check_acting(table, acting, key, buyers)
    if number < len(events):
        raise TableError(
            f"events[{number}].card: seat {seat} would hold more {events[number]['card']} than there are"
        )
    if seat != NOBODY:
        raise TableError(f"events: they put more cards into the hand of seat {seat} than it can hold")
    if not is_playable:
        raise TableError(
            f"phase: {PHASES[table.phase]}, but no action is legal for seat {table.turn}, which is on turn"
        )
    return list(events)


@jit
def _fill_in(games, numbers, by_seat, requests, discard, hidden, cards, groups, told):
    """Write what everyone knows, and all that follows from it.

    `by_seat` has five numbers of each seat: cards in hand, whether it is down, buys used, groups, and how
    many of `cards`, the hands that are known, it holds. `groups` are those on the table, then those of
    which `told` tells (see `_replay`). Returns who may buy, a bit for each seat, what `_replay` does, and
    whether the seat on turn can move.
    """
    game = games[0]
    table = game.table
    phase, game.dealer, game.turn, game.turns, game.num_finished = numbers[:5]
    game.stock_size, game.taken, game.discarded_by, game.groups_laid, game.last_lay = numbers[5:]
    game.num_requests = len(requests)
    for i in range(len(requests)):
        game.requests[i] = requests[i]
        game.public[requests[i]].has_requested = 1
    game.discard_size = len(discard)
    for i in range(len(discard)):
        game.discard[i] = discard[i]
        table.pile[discard[i]] += 1
    if len(discard) > 0:
        table.top[discard[-1]] = 1
    if game.taken != NO_FACE:
        table.taken[game.taken] = 1
    buyers, next_group, next_card = 0, 0, 0
    for seat in range(game.num_seats):
        numbers_of = by_seat[5 * seat : 5 * seat + 5]
        public = game.public[seat]
        public.is_seated = 1
        public.is_dealer = seat == game.dealer
        public.is_on_turn = seat == game.turn
        public.threw_top = seat == game.discarded_by
        public.hand_size = numbers_of[0]
        public.down = numbers_of[1]
        public.buys_left = MAX_BUYS - numbers_of[2]
        for i in range(numbers_of[3]):
            public.groups[i] = groups[next_group]
            next_group += 1
        for _ in range(numbers_of[4]):
            game.own[seat].hand[cards[next_card]] += 1
            next_card += 1
        if may_buy(game, seat):
            buyers |= 1 << seat
    for seat in range(len(game.own)):
        count_hand(game.own[seat])
    for face in range(NUM_FACES):
        game.hidden[face] = hidden[face]
    set_phase(game, phase)
    write_table(game)
    write_stock(game)
    number, seat = _replay(game, told, groups[next_group:])
    is_playable = _is_playable(game)
    if phase == Phase.OVER:
        game.num_finished += 1
    return buyers, number, seat, is_playable


def _check_acting(table: _Table, acting: Any, key: str, buyers: int) -> int:
    """The seat asked, if it can be asked, and nobody is out already."""
    n, turn, requests = table.num_seats, table.turn, table.requests
    phase = PHASES[table.phase]
    if table.phase == Phase.OVER:
        if acting is not None:
            raise TableError(f"{key}: {acting!r}, but the game is over")
        return NOBODY
    if not is_int(acting) or not 0 <= acting < n:
        raise TableError(f"{key}: {acting!r}; give a seat from 0 to {n - 1}")
    if table.phase != Phase.PLAY and not table.discard:
        raise TableError(f"discard: empty in phase {phase}; the top discard is on offer there")
    for seat in range(n):
        if table.hand_sizes[seat] == 0:
            raise TableError(f"hands: seat {seat} holds no card; the hand would be over")
    for seat in requests:
        if seat == turn or not buyers >> seat & 1:
            raise TableError(f"requests: seat {seat} may not buy here")
    if table.phase == Phase.BUY:
        is_late = any((s - turn) % n >= (acting - turn) % n for s in requests)
        if not buyers >> acting & 1 or acting == turn or is_late:
            raise TableError(
                f"{key}: seat {acting} cannot be asked to buy here (down {table.down[acting]}, "
                f"buys left {MAX_BUYS - table.buys_used[acting]}, turn {turn}, requests {requests})"
            )
    elif acting != turn:
        raise TableError(
            f"{key}: seat {acting} has nothing to decide in phase {phase}; seat {turn} is on turn"
        )
    return int(acting)


@jit
def _is_playable(game):
    """Whether the seat on turn can move; no play leads to a table at which it cannot."""
    if game.phase == Phase.OVER:
        return True
    if game.phase != Phase.PLAY:
        if game.discard_size == 0:
            return False
        top = game.discard[game.discard_size - 1]
        return can_draw(game.stock_size, game.discard_size) or can_take(
            game.own[game.turn].hand, game.public, game.turn, top
        )
    views, masks = np.zeros(1, VIEW), np.zeros(1, MASK)
    look(game, game.turn, views[0])
    mark_legal(views[0], masks[0])
    for action in range(NUM_ACTIONS):
        if masks[0].actions[action]:
            return True
    return False


def _read_events(events: Any, n: int) -> tuple[list[int], list[Group]]:
    """The hand's public history as `_replay` reads it: three numbers an event, and all groups that went down.

    A hand may have hundreds of events, so this loop does little for each that is as it must be.
    """
    if not isinstance(events, list):
        raise TableError(f"events: {type(events).__name__}; give a list of objects")
    told: list[int] = []
    groups: list[Group] = []
    try:
        for event in events:
            kind = EVENTS[event["event"]]
            seat = 0 if kind == _RECYCLE else event["seat"]
            if type(seat) is not int or not 0 <= seat < n:
                seat = read_int(event, "seat", 0, n - 1, where=f"events[{len(told) // 3}]")
            if kind in _WITHOUT_CARD or (kind == _DRAW and event["from"] == "stock"):
                what = _NOTHING
            elif kind == _GO_DOWN:
                where = f"events[{len(told) // 3}].groups"
                rows = event["groups"]
                what = len(rows)
                if not isinstance(rows, list) or what > MAX_GROUPS:
                    raise TypeError
                groups += [parse_group(row, f"{where}[{j}]") for j, row in enumerate(rows)]
            elif kind == _DRAW and event["from"] != "discard":
                raise KeyError
            else:
                what = parse_face(event["card"])
            told += (kind, seat, what)
    except (KeyError, TypeError, UnknownCardError):
        _refuse_event(events[len(told) // 3], f"events[{len(told) // 3}]", n)
    return told, groups


def _refuse_event(event: Any, where: str, n: int) -> NoReturn:
    """Say what is wrong with an event."""
    if not isinstance(event, dict):
        raise TableError(f"{where}: {event!r} is no object")
    kind = event.get("event")
    if kind not in tuple(EVENTS):
        raise TableError(f"{where}.event: {kind!r} is no event; give {', '.join(EVENTS)}")
    read_int(event, "seat", 0, n - 1, where=where)
    if kind == "draw" and event.get("from") not in ("stock", "discard"):
        raise TableError(f"{where}.from: {event.get('from')!r}; give 'stock' or 'discard'")
    if kind == "go_down":
        size = len(read_field(event, "groups", list, where))
        raise TableError(f"{where}.groups: {size} given; no goal has more than {MAX_GROUPS}")
    read_faces([event.get("card")], f"{where}.card")
    raise TableError(f"{where}: {event!r} cannot be read")


@jit
def _replay(game, told, groups):
    """Write what is known of hands from the hand's public history: `known`, `thrown`, `declined`, `hidden`.

    `told` int8[3 * N] has of every event its kind, its seat, and its face (of a draw from the stock
    NO_FACE) or how many of GROUP[M] went down. Returns (event, seat): the event after which a seat would
    hold more copies of a card than there are, or N and a seat that would hold too many cards, else NOBODY.
    """
    num_events, next_group = len(told) // 3, 0
    top = _turned_up(game, told)
    for i in range(num_events):
        kind, seat, face = told[3 * i], told[3 * i + 1], told[3 * i + 2]
        public = game.public[seat]
        if kind == Event.RECYCLE:
            for other in range(MAX_SEATS):
                game.public[other].thrown[:] = 0
                game.public[other].declined[:] = 0
        elif kind == Event.PASS or (kind == Event.DRAW and face == NO_FACE):
            if top != NO_FACE:
                public.declined[top] = min(public.declined[top] + 1, MEMORY_CAP)
        elif kind == Event.DRAW or kind == Event.BUY:
            if public.known[face] == game.decks:
                return i, int(seat)
            public.known[face] += 1
        elif kind == Event.DISCARD:
            top = face
            public.thrown[top] = min(public.thrown[top] + 1, MEMORY_CAP)
            _forget(public.known, face)
        elif kind == Event.LAY_OFF:
            _forget(public.known, face)
        elif kind == Event.GO_DOWN:
            for _ in range(face):
                _forget_group(public.known, groups[next_group])
                next_group += 1
    for i in range(game.groups_laid):  # a go-down not yet told of
        _forget_group(game.public[game.turn].known, game.public[game.turn].groups[i])
    for seat in range(game.num_seats):
        public = game.public[seat]
        total, fewest = 0, 0
        for face in range(NUM_FACES):
            total += public.known[face]
            game.hidden[face] -= public.known[face]
            fewest = min(fewest, game.hidden[face])
        if total > public.hand_size or fewest < 0:
            return num_events, seat
    return num_events, NOBODY


@jit
def _forget(known, face):
    if known[face] > 0:
        known[face] -= 1


@jit
def _forget_group(known, group):
    if group.is_three:
        for suit in range(NUM_SUITS):
            for _ in range(group.suits[suit]):
                _forget(known, face_at(suit, group.low))
    else:
        for rank in range(group.low, group.low + group.length):
            _forget(known, face_at(suit_of(group), rank))


@jit
def _turned_up(game, told):
    """The card turned up at the deal: the first to leave the pile, or its bottom card to this day.

    After a recycle it no longer matters: what was declined before is forgotten.
    """
    for i in range(0, len(told), 3):
        kind, face = told[i], told[i + 2]
        if kind == Event.DISCARD or kind == Event.RECYCLE:
            break
        if kind == Event.BUY or (kind == Event.DRAW and face != NO_FACE):
            return face
    return game.discard[0] if game.discard_size > 0 else NO_FACE
