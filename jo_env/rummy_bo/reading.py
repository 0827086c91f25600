"""From JSON back to a game record: snapshots and views.

Reading checks everything that could break the rules and raises one `TableError` that names the field.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, UnknownCardError
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
from jo_env.rummy_bo.actions import LAY_OFF, LAY_SET, MASK, NUM_ACTIONS, RUN_SIZE
from jo_env.rummy_bo.legal import mark_legal
from jo_env.rummy_bo.notation import (
    GAME_NAME,
    PHASES,
    PROTOCOL,
    Group,
    faces_of,
    parse_group,
    smallest_lay,
)
from jo_env.rummy_bo.rules import mark_pile, mark_stock, set_phase, write_fits, write_table
from jo_env.rummy_bo.settings import new_games, set_shoes
from jo_env.rummy_bo.state import (
    MAX_GROUPS,
    MAX_HANDS,
    MAX_SEATS,
    NO_FACE,
    NO_LIMIT,
    NOBODY,
    NUM_DRAWN,
    Phase,
)
from jo_env.rummy_bo.view import VIEW, look

EVENTS = ("draw", "turn_over", "lay", "lay_off", "discard")
MAX_POINTS = 1000  # more than a hand can bring
_ALL_CARDS = (1 << NUM_FACES) - 1


@dataclass(slots=True)
class _Table:
    """What everyone knows, as plain numbers and lists: fields of a record are slow to reach from Python."""

    num_seats: int
    phase: int
    dealer: int
    turn: int
    turns: int
    num_finished: int
    melded: list[bool]
    groups: list[Group]
    laid: int
    laid_off: int
    discard: list[int]
    taken: int
    seen: dict[int, str]  # where each card is that does not lie hidden, by face


def restore(data: Json) -> tuple[np.ndarray, list[Json]]:
    """A snapshot back as GAME[1] and its events; raises `TableError` for a table that breaks the rules."""
    games = _read_settings(data)
    points = _read_points(data, games)
    table = _read_table(data, games, len(points))
    n = table.num_seats
    turned_over = data.get("turned_over")
    if not isinstance(turned_over, bool):
        raise TableError(f"turned_over: {turned_over!r}; give true or false")
    rows = read_field(data, "hands", list)
    if len(rows) != n:
        raise TableError(f"hands: {len(rows)} given for {n} seats")
    hands = {seat: read_faces(rows[seat], f"hands[{seat}]") for seat in range(n)}
    stock = read_faces(data.get("stock"), "stock")
    place = dict(table.seen)
    for where, faces in [(f"hands[{seat}]", hand) for seat, hand in hands.items()] + [("stock", stock)]:
        _put(place, faces, where)
    if len(place) != NUM_FACES:
        missing = next(FACE_NAMES[face] for face in range(NUM_FACES) if face not in place)
        raise TableError(f"cards: {missing} is nowhere; the table holds one pack")
    games["seed"], games["rng"] = read_rng(data)
    try:
        games["num_finished"] = table.num_finished + 1  # the hands to come begin after the one being played
        set_shoes(games[0], data.get("shoes"))
    except (SettingsError, UnknownCardError) as error:
        raise TableError(str(error)) from None
    if points:
        games["points"][0, : len(points), :n] = points
        games["scores"][0, :n] = np.sum(points, 0)
    acting, expected = data.get("acting"), None if table.phase == Phase.OVER else table.turn
    if acting != expected or isinstance(acting, bool):
        raise TableError(
            f"acting: {acting!r}; give {'null' if expected is None else expected} "
            f"in phase {PHASES[table.phase]} with turn {table.turn}"
        )
    sizes = [len(hand) for hand in hands.values()]
    return games, _finish(games, table, hands, sizes, stock, turned_over, len(stock), data.get("events"))


def game_from_view(data: Json) -> tuple[np.ndarray, int]:
    """A view as (GAME[1], seat): a table with the hidden cards left blank, for `look` and the rules."""
    games = _read_settings(data)
    check_protocol(data, PROTOCOL)
    table = _read_table(data, games, None)
    n = table.num_seats
    seat = read_int(data, "seat", 0, n - 1)
    games["scores"][0, :n] = read_ints(
        data.get("scores"), "scores", n, -MAX_POINTS * MAX_HANDS, MAX_POINTS * MAX_HANDS
    )
    sizes = read_ints(data.get("hand_sizes"), "hand_sizes", n, 0, NUM_FACES)
    hand = read_faces(data.get("hand"), "hand")
    if len(hand) != sizes[seat]:
        raise TableError(f"hand: {len(hand)} cards, but hand_sizes[{seat}] is {sizes[seat]}")
    stock_size = read_int(data, "stock_size", 0, NUM_FACES)
    turned_over = data.get("stock") is not None
    stock = read_faces(data["stock"], "stock") if turned_over else []
    if turned_over and len(stock) != stock_size:
        raise TableError(f"stock: {len(stock)} cards, but stock_size is {stock_size}")
    place = dict(table.seen)
    _put(place, hand, "hand")
    _put(place, stock, "stock")
    total = len(place) + sum(sizes) - sizes[seat] + (0 if turned_over else stock_size)
    if total != NUM_FACES:
        raise TableError(f"stock_size: {total} cards in all, but the pack has {NUM_FACES}")
    if table.phase != Phase.OVER and seat != table.turn:
        raise TableError(
            f"seat: seat {seat} has nothing to decide in phase {PHASES[table.phase]}; "
            f"seat {table.turn} is on turn"
        )
    _finish(games, table, {seat: hand}, sizes, stock, turned_over, stock_size, data.get("events"))
    return games, seat


def _put(place: dict[int, str], faces: list[int], where: str) -> None:
    """Cards that lie somewhere, each of which there is once."""
    for face in faces:
        if face in place:
            raise TableError(f"{where}: {FACE_NAMES[face]} is there, but also in {place[face]}")
        place[face] = where


def _read_settings(data: Json) -> np.ndarray:
    read_game(data, GAME_NAME)
    rules = {} if data.get("rules") is None else read_field(data, "rules", dict)
    num_hands = read_int(data, "num_hands", 1, MAX_HANDS, default=5)
    try:
        return new_games(1, data.get("seats", 0), num_hands, rules.get("max_turns"))
    except SettingsError as error:
        raise TableError(str(error)) from None


def _read_points(data: Json, games: np.ndarray) -> list[list[int]]:
    """The points of the finished hands: the others pay the winner, or in a dead hand all lose."""
    n, num_hands = int(games["num_seats"][0]), int(games["num_hands"][0])
    rows = read_field(data, "points", list)
    if len(rows) > num_hands:
        raise TableError(f"points: {len(rows)} rows, but the game has {num_hands} hands")
    points = []
    for i, row in enumerate(rows):
        points.append(read_ints(row, f"points[{i}]", n, -MAX_POINTS, MAX_POINTS))
        if sum(points[i]) != 0 and max(points[i]) > 0:
            raise TableError(f"points[{i}]: {row}; what one seat receives the others have paid")
    return points


def _read_table(data: Json, games: np.ndarray, num_points: int | None) -> _Table:
    """Read and check all that everyone knows but the stock and the sizes of hands, which come after.

    `num_points` is the number of finished hands, None in a view.
    """
    n, num_hands, max_turns = (int(games[name][0]) for name in ("num_seats", "num_hands", "max_turns"))
    phase = read_phase(data, PHASES)
    is_over = phase == Phase.OVER
    number = read_int(data, "hand_number", 1, num_hands, default=1)
    if num_points is not None and num_points != number - 1 + is_over:
        raise TableError(f"points: {num_points} rows, but {number - 1 + is_over} hands are finished")
    if is_over and number != num_hands:
        raise TableError(f"hand_number: {number}, but a game of {num_hands} hands is over")
    dealer = read_int(data, "dealer", 0, n - 1)
    turn = read_int(data, "turn", 0, n - 1)
    turns = read_int(data, "turns", 0, 10**9, default=0)
    if not is_over and turns >= max_turns != NO_LIMIT:
        raise TableError(f"turns: {turns}; with max_turns={max_turns} the hand is over")
    melded = read_bools(data.get("melded"), "melded", n)
    seen: dict[int, str] = {}
    rows = read_field(data, "groups", list)
    if len(rows) > MAX_GROUPS:
        raise TableError(f"groups: {len(rows)} given; one pack makes {MAX_GROUPS} at most")
    groups = []
    for i, row in enumerate(rows):
        groups.append(parse_group(row, f"groups[{i}]"))
        _put(seen, faces_of(groups[i].cards), f"groups[{i}]")
    laid = read_int(data, "laid", 0, len(groups))
    laid_off = read_int(data, "laid_off", 0, NUM_FACES)
    if laid + laid_off > 0 and phase == Phase.DRAW:
        raise TableError(f"laid: {laid}, laid_off: {laid_off} in phase draw; nothing is laid before the draw")
    _check_laid(groups, laid, laid_off)
    if any(melded) != (len(groups) > laid):
        raise TableError(
            f"melded: {melded}, but {len(groups) - laid} groups lie on the table from earlier turns"
        )
    discard = read_faces(data.get("discard"), "discard")
    _put(seen, discard, "discard")
    if phase == Phase.DRAW and not discard:
        raise TableError("discard: empty in phase draw; every turn ends with a card on the pile")
    taken = read_faces(data.get("taken"), "taken")
    if taken and phase == Phase.DRAW:
        raise TableError(f"taken: {data['taken']} in phase draw; only a seat in play has taken cards")
    if len(taken) > NUM_DRAWN or len(set(taken)) != len(taken) or set(taken) & set(discard):
        raise TableError(f"taken: {data['taken']}; give {NUM_DRAWN} cards at most that have left the pile")
    return _Table(
        n, phase, dealer, turn, turns, number - 1, melded, groups, laid, laid_off, discard,
        sum(1 << face for face in taken), seen,
    )  # fmt: skip


def _check_laid(groups: list[Group], laid: int, laid_off: int) -> None:
    """What was laid in this turn is laid in the order of its actions; sets grow in later turns only."""
    new = groups[len(groups) - laid :]
    lays = [smallest_lay(group) for group in new]
    if lays != sorted(lays):
        raise TableError(f"laid: the last {laid} groups do not lie in the order of their actions")
    grown = sum(group.length - RUN_SIZE for group in new if group.is_run)
    old = sum(group.length - 3 for group in groups[: len(groups) - laid])
    if not grown <= laid_off <= grown + old:
        raise TableError(
            f"laid_off: {laid_off}, but the groups have grown by {grown} to {grown + old} cards in this turn"
        )


def _finish(
    games: np.ndarray,
    table: _Table,
    hands: dict[int, list[int]],
    sizes: list[int],
    stock: list[int],
    turned_over: bool,
    stock_size: int,
    events: Any,
) -> list[Json]:
    """Write what was read into its record and check what needs the whole table; returns the events.

    `hands` are those that are known, by seat, and `sizes` the cards of all.
    """
    if table.phase != Phase.OVER:
        for seat, size in enumerate(sizes):
            if size == 0:
                raise TableError(f"hands: seat {seat} holds no card; the hand would be over")
    hand_of = {seat: sum(1 << face for face in hand) for seat, hand in hands.items()}
    on_table = sum(group.cards for group in table.groups)
    if table.turn in hand_of and table.taken & ~(hand_of[table.turn] | on_table):
        raise TableError(f"taken: seat {table.turn}, which is on turn, has not got all of these cards")
    events = [] if events is None else events
    known, thrown = _remember(table.num_seats, events)
    in_sight = on_table | sum(1 << face for face in table.discard)
    in_sight |= sum(1 << face for face in stock) if turned_over else 0
    everywhere = in_sight
    for seat in range(table.num_seats):
        impossible = known[seat] & (everywhere | ~hand_of.get(seat, _ALL_CARDS))
        for other, cards in hand_of.items():
            impossible |= known[seat] & cards if other != seat else 0
        if impossible or known[seat].bit_count() > sizes[seat]:
            raise TableError(f"events: they put cards into the hand of seat {seat} that it does not hold")
        everywhere |= known[seat]
    for seat in range(table.num_seats):
        for face in range(NUM_FACES):
            if thrown[seat][face] == 2 and face not in table.discard:
                raise TableError(f"events: they leave {FACE_NAMES[face]} in the pile, where it is not")
    for seat, cards in hand_of.items():
        games["own"]["cards"][0, seat] = cards
    games["public"]["thrown"][0] = int8(b"".join(thrown)).reshape(MAX_SEATS, NUM_FACES)
    for i, group in enumerate(table.groups):
        games["groups"][0, i] = (*group, 0)
    first_lay = LAY_SET if table.laid == 0 else smallest_lay(table.groups[-1]) + 1
    numbers = (
        table.phase, table.dealer, table.turn, table.turns, table.num_finished, int(turned_over), stock_size,
        len(table.groups), table.laid, table.laid_off, LAY_OFF if table.laid_off else first_lay,
    )  # fmt: skip
    _fill_in(
        games, numbers, int8(sizes), int8(table.melded), int8(table.discard), int8(stock),
        np.uint64(table.taken), np.uint64(_ALL_CARDS & ~everywhere), np.array(known, np.uint64),
    )  # fmt: skip
    if not _is_playable(games):
        raise TableError(
            f"phase: {PHASES[table.phase]}, but no action is legal for seat {table.turn}, which is on turn"
        )
    return list(events)


@jit
def _fill_in(games, numbers, hand_sizes, melded, discard, stock, taken, hidden, known):
    """Write what everyone knows, and all that follows from it."""
    game = games[0]
    table = game.table
    phase, game.dealer, game.turn, game.turns, game.num_finished = numbers[:5]
    game.turned_over, game.stock_size, game.num_groups, game.laid, game.laid_off, game.first_lay = numbers[5:]
    game.acting = NOBODY if phase == Phase.OVER else game.turn
    game.taken = taken
    game.hidden = hidden
    for i in range(NUM_FACES):
        game.discard[i] = discard[i] if i < len(discard) else NO_FACE
        game.stock[i] = stock[i] if i < len(stock) else NO_FACE
        table.taken[i] = taken >> np.uint64(i) & np.uint64(1)
    game.discard_size = len(discard)
    for face in discard:
        table.pile[face] = 1
    mark_pile(game, 1)
    if game.turned_over:
        mark_stock(game, 1)
    table.discard_size = game.discard_size
    table.stock_size = game.stock_size
    for i in range(game.num_groups):
        group = game.groups[i]
        marks = table.in_runs if group.is_run else table.in_sets
        for face in range(NUM_FACES):
            if group.cards >> np.uint64(face) & np.uint64(1):
                marks[face] = 1
    for seat in range(game.num_seats):
        public = game.public[seat]
        public.is_seated = 1
        public.is_dealer = seat == game.dealer
        public.is_on_turn = seat == game.turn
        public.hand_size = hand_sizes[seat]
        public.has_melded = melded[seat]
        game.own[seat].has_changed = 1
        for face in range(NUM_FACES):
            public.known[face] = known[seat] >> np.uint64(face) & np.uint64(1)
    write_fits(game)
    set_phase(game, phase)
    write_table(game)
    if phase == Phase.OVER:
        game.num_finished += 1


@jit
def _is_playable(games):
    """Whether the seat on turn can move; no play leads to a table at which it cannot."""
    game = games[0]
    if game.phase == Phase.OVER:
        return True
    views, masks = np.zeros(1, VIEW), np.zeros(1, MASK)
    look(game, game.turn, views[0])
    mark_legal(views[0], masks[0])
    for action in range(NUM_ACTIONS):
        if masks[0].actions[action]:
            return True
    return False


def _remember(n: int, events: Any) -> tuple[list[int], list[bytearray]]:
    """What the hand's public history tells: the cards known in each hand, and what each seat has thrown.

    For each of MAX_SEATS seats `known` as 52 bits, and `thrown` as the record has it.
    """
    if not isinstance(events, list):
        raise TableError(f"events: {type(events).__name__}; give a list of objects")
    known, thrown = [0] * MAX_SEATS, [bytearray(NUM_FACES) for _ in range(MAX_SEATS)]
    for i, event in enumerate(events):
        where = f"events[{i}]"
        if not isinstance(event, dict):
            raise TableError(f"{where}: {event!r} is no object")
        kind = event.get("event")
        if kind not in EVENTS:
            raise TableError(f"{where}.event: {kind!r} is no event; give {', '.join(EVENTS)}")
        seat = read_int(event, "seat", 0, n - 1, where=where)
        if kind == "turn_over":
            for marks in thrown:
                marks[:] = bytes(min(mark, 1) for mark in marks)
        elif kind == "draw":
            for face in _drawn_faces(event, where):
                known[seat] |= 1 << face
                for marks in thrown:
                    marks[face] = min(marks[face], 1)
        elif kind == "lay":
            known[seat] &= ~parse_group(event, where).cards
        else:
            (face,) = read_faces([event.get("card")], f"{where}.card")
            known[seat] &= ~(1 << face)
            if kind == "discard":
                thrown[seat][face] = 2
    return known, thrown


def _drawn_faces(event: Json, where: str) -> list[int]:
    """The cards that everyone saw drawn: those from the pile, and from a stock in sight."""
    if event.get("from") not in ("stock", "discard"):
        raise TableError(f"{where}.from: {event.get('from')!r}; give 'stock' or 'discard'")
    if event["from"] == "stock" and event.get("cards") is None:
        return []
    faces = read_faces(event.get("cards"), f"{where}.cards")
    if not 1 <= len(faces) <= NUM_DRAWN:
        raise TableError(f"{where}.cards: {event['cards']}; give one card or two")
    return faces
