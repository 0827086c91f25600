"""From JSON back to a game record: snapshots and views.

Reading checks everything that could break the rules and raises one `TableError` that names the field.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, UnknownCardError, parse_face
from jo_env.errors import SettingsError, TableError
from jo_env.fields import Json, read_bools, read_faces, read_field, read_int, read_ints
from jo_env.rummy_bo.actions import NUM_ACTIONS
from jo_env.rummy_bo.legal import legal_actions
from jo_env.rummy_bo.notation import GAME_NAME, PHASES, PROTOCOL, card_bits, lay_of, parse_group
from jo_env.rummy_bo.rules import write_fits
from jo_env.rummy_bo.settings import new_games, set_shoes
from jo_env.rummy_bo.state import (
    MAX_GROUPS,
    MAX_HAND,
    MAX_SEATS,
    NO_LAY,
    NO_LIMIT,
    NOBODY,
    Phase,
)
from jo_env.rummy_bo.view import VIEW, look

EVENTS = ("draw", "turn_over", "lay", "lay_off", "discard")


@dataclass(slots=True)
class _Table:
    """What everyone knows, as plain numbers and lists."""

    num_seats: int
    phase: int
    turn: int
    num_finished: int
    kinds: list[str]
    groups: list[list[int]]
    discard: list[int]
    placed: dict[int, str] = field(default_factory=dict)  # where each card lies that does not lie hidden

    def place(self, faces: list[int], where: str) -> None:
        """Put cards somewhere; raises `TableError` for one that lies elsewhere already."""
        for face in faces:
            if face in self.placed:
                raise TableError(f"{where}: {FACE_NAMES[face]} lies in {self.placed[face]} as well")
            self.placed[face] = where


def restore(data: Json) -> tuple[np.ndarray, list[Json]]:
    """A snapshot back as GAME[1] and its events; raises `TableError` for a table that breaks the rules."""
    games = _read_settings(data)
    game = games[0]
    table = _read_table(data, game)
    n, is_over = table.num_seats, table.phase == Phase.OVER
    rows = read_field(data, "points", list)
    if len(rows) != table.num_finished:
        raise TableError(f"points: {len(rows)} rows, but {table.num_finished} hands are finished")
    points = [_read_scores(row, f"points[{i}]", n) for i, row in enumerate(rows)]
    cards = read_field(data, "hands", list)
    if len(cards) != n:
        raise TableError(f"hands: {len(cards)} given for {n} seats")
    for seat in range(n):
        faces = read_faces(cards[seat], f"hands[{seat}]")
        table.place(faces, f"hands[{seat}]")
        _fill_hand(game, seat, faces, len(faces), f"hands[{seat}]", is_over)
    stock = read_faces(data.get("stock"), "stock")
    table.place(stock, "stock")
    if len(table.placed) != NUM_FACES:
        missing = next(face for face in range(NUM_FACES) if face not in table.placed)
        raise TableError(f"cards: {FACE_NAMES[missing]} lies nowhere; each of the 52 must be there once")
    known = data.get("stock_known")
    if not isinstance(known, bool):
        raise TableError(f"stock_known: {known!r}; give true or false")
    _fill_stock(game, stock, len(stock), known)
    rng = read_field(data, "rng", dict)
    try:
        game.seed, game.rng = np.uint64(int(rng["seed"], 16)), np.uint64(int(rng["state"], 16))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise TableError(f"rng: {rng!r}; give seed and state, 64 bits each in hexadecimal") from None
    try:
        game.num_finished = table.num_finished + (not is_over)  # the hands to come
        set_shoes(game, data.get("shoes"))
    except (SettingsError, UnknownCardError) as error:
        raise TableError(str(error)) from None
    game.num_finished = table.num_finished
    if points:
        games["points"][0, : len(points), :n] = points
        games["scores"][0, :n] = np.sum(points, 0)
    return games, _finish(games, table, data.get("acting"), "acting", data.get("events"))


def game_from_view(data: Json) -> tuple[np.ndarray, int]:
    """A view as (GAME[1], seat): a table with the hidden cards left blank, for `look` and the rules."""
    games = _read_settings(data)
    game = games[0]
    if data.get("protocol", PROTOCOL) != PROTOCOL:
        raise TableError(f"protocol: {data['protocol']!r}; this is protocol {PROTOCOL}")
    table = _read_table(data, game)
    n, is_over = table.num_seats, table.phase == Phase.OVER
    seat = read_int(data, "seat", 0, n - 1)
    games["scores"][0, :n] = _read_scores(data.get("scores"), "scores", n)
    sizes = read_ints(data.get("hand_sizes"), "hand_sizes", n, 0, MAX_HAND)
    hand = read_faces(data.get("hand"), "hand")
    table.place(hand, "hand")
    if len(hand) != sizes[seat]:
        raise TableError(f"hand: {len(hand)} cards, but hand_sizes[{seat}] is {sizes[seat]}")
    for s in range(n):
        _fill_hand(game, s, hand if s == seat else [], sizes[s], f"hand_sizes[{s}]", is_over)
    stock_size = read_int(data, "stock_size", 0, NUM_FACES)
    stock = [] if data.get("stock") is None else read_faces(data["stock"], "stock")
    table.place(stock, "stock")
    if stock and len(stock) != stock_size:
        raise TableError(f"stock: {len(stock)} cards, but stock_size is {stock_size}")
    total = len(table.placed) - len(stock) + stock_size + sum(sizes) - sizes[seat]
    if total != NUM_FACES:
        raise TableError(f"stock_size: {total} cards in all, but there are {NUM_FACES}")
    _fill_stock(game, stock, stock_size, data.get("stock") is not None)
    game.num_finished = table.num_finished
    _finish(games, table, None if is_over else seat, "seat", data.get("events"))
    return games, seat


def _read_settings(data: Json) -> np.ndarray:
    if not isinstance(data, dict):
        raise TableError(f"{data!r} is no table; give a JSON object")
    if data.get("game") != GAME_NAME:
        raise TableError(f"game: {data.get('game')!r}; this is {GAME_NAME!r}")
    rules = {} if data.get("rules") is None else read_field(data, "rules", dict)
    try:
        return new_games(1, data.get("seats", 0), data.get("num_hands", 5), rules.get("max_turns"))
    except SettingsError as error:
        raise TableError(str(error).replace("hands=", "num_hands=")) from None


def _read_scores(values: Any, key: str, n: int) -> list[int]:
    return read_ints(values, key, n, -100_000, 100_000)


def _read_table(data: Json, game: np.record) -> _Table:
    """Read and check all that everyone knows but the hands and the stock, which come after."""
    n, num_hands, max_turns = (int(game[name]) for name in ("num_seats", "num_hands", "max_turns"))
    phase_name = data.get("phase")
    if phase_name not in PHASES:
        raise TableError(f"phase: {phase_name!r}; give one of {', '.join(PHASES)}")
    phase = PHASES.index(phase_name)
    hand_number = read_int(data, "hand_number", 1, num_hands, default=1)
    if phase == Phase.OVER and hand_number != num_hands:
        raise TableError(f"hand_number: {hand_number}; the game is over, and had {num_hands} hands")
    game.dealer = read_int(data, "dealer", 0, n - 1)
    turn = read_int(data, "turn", 0, n - 1)
    turns = read_int(data, "turns", 0, 10**9, default=0)
    if phase != Phase.OVER and turns >= max_turns != NO_LIMIT:
        raise TableError(f"turns: {turns}; with max_turns={max_turns} the hand is over")
    game.turn, game.turns, game.phase = turn, turns, phase
    game["has_melded"][:n] = read_bools(data.get("melded"), "melded", n)
    rows = read_field(data, "groups", list)
    if len(rows) > MAX_GROUPS:
        raise TableError(f"groups: {len(rows)} given; 52 cards make {MAX_GROUPS} at most")
    groups = [parse_group(row, f"groups[{i}]") for i, row in enumerate(rows)]
    table = _Table(
        n, phase, turn, hand_number - (phase != Phase.OVER), [row["kind"] for row in rows], groups, []
    )
    for i, faces in enumerate(groups):
        table.place(faces, f"groups[{i}]")
    table.discard = read_faces(data.get("discard"), "discard")
    table.place(table.discard, "discard")
    if phase == Phase.DRAW and not table.discard:
        raise TableError("discard: empty in phase draw; the last discard lies there")
    taken = read_faces(data.get("taken", []), "taken")
    if len(taken) > 2 or (taken and phase == Phase.DRAW) or card_bits(taken) & card_bits(table.discard):
        raise TableError(f"taken: {data['taken']}; at most two cards, taken from the pile in this turn")
    game.taken = np.uint64(card_bits(taken))
    laid = read_int(data, "laid", 0, len(groups), default=0)
    laid_off = read_int(data, "laid_off", 0, NUM_FACES, default=0)
    if (laid or laid_off) and phase == Phase.DRAW:
        raise TableError(f"laid: {laid} groups, {laid_off} cards laid off; in phase draw nothing can be yet")
    game.laid_off = laid_off
    lays = [lay_of(table.kinds[i], groups[i]) for i in range(len(groups) - laid, len(groups))]
    if lays != sorted(lays):
        raise TableError("laid: the last groups were not laid in the order of their actions; give 0 for them")
    game.last_lay = lays[-1] if lays else NO_LAY
    game.num_groups = len(groups)
    for i, faces in enumerate(groups):
        group = game.groups[i]
        group.cards, group.is_set = np.uint64(card_bits(faces)), table.kinds[i] == "set"
        group.low, group.length = faces[0], len(faces)
        group.is_new = i >= len(groups) - laid
        if group.is_set:
            game.in_sets |= group.cards
        else:
            game.in_runs |= group.cards
    game["discard"][: len(table.discard)] = table.discard
    game.discard_size = len(table.discard)
    game.pile = np.uint64(card_bits(table.discard))
    return table


def _fill_hand(game: np.record, seat: int, faces: list[int], size: int, where: str, is_over: bool) -> None:
    if size > MAX_HAND:
        raise TableError(f"{where}: {size} cards; at most {MAX_HAND}")
    if size == 0 and not is_over:
        raise TableError(f"{where}: seat {seat} holds no card; the hand would be over")
    game["held"][seat] = np.uint64(card_bits(faces))
    game["hand_size"][seat] = size


def _fill_stock(game: np.record, stock: list[int], size: int, is_known: bool) -> None:
    game["stock"][: len(stock)] = stock
    game.stock_size, game.is_stock_known = size, is_known


def _finish(games: np.ndarray, table: _Table, acting: Any, key: str, events: Any) -> list[Json]:
    """Check what needs the whole table, and write what follows from it; returns the events."""
    game = games[0]
    if table.phase == Phase.OVER:
        if acting is not None:
            raise TableError(f"{key}: {acting!r}, but the game is over")
        game.acting = NOBODY
    elif type(acting) is not int or acting != table.turn:
        raise TableError(f"{key}: {acting!r}; seat {table.turn} is on turn, no other decides anything")
    else:
        game.acting = acting
    write_fits(game)
    events = [] if events is None else events
    _remember(game, table, events)
    if table.phase == Phase.PLAY:
        views, mask = np.zeros(1, VIEW), np.zeros(NUM_ACTIONS, np.int8)
        look(game, table.turn, views[0])
        legal_actions(views[0], mask)
        if not mask.any():
            raise TableError(f"phase: play, but no action is legal for seat {table.turn}, which is on turn")
    return list(events)


def _remember(game: np.record, table: _Table, events: Any) -> None:
    """What is known of hands from the hand's public history: the fields `known` and `thrown`."""
    if not isinstance(events, list):
        raise TableError(f"events: {type(events).__name__}; give a list of objects")
    known, thrown = [0] * MAX_SEATS, [0] * MAX_SEATS
    for i, event in enumerate(events):
        if not isinstance(event, dict):
            raise TableError(f"events[{i}]: {event!r} is no object")
        kind = event.get("event")
        seat = read_int(event, "seat", 0, table.num_seats - 1, where=f"events[{i}]")
        try:
            if kind == "draw":
                if event.get("from") not in ("stock", "discard"):
                    raise TableError(f"events[{i}].from: {event.get('from')!r}; give 'stock' or 'discard'")
                cards = event.get("cards", [] if event["from"] == "stock" else None)
                known[seat] |= card_bits(read_faces(cards, f"events[{i}].cards"))
            elif kind == "turn_over":
                known[seat] |= 1 << parse_face(event.get("card"))
                thrown = [0] * MAX_SEATS
            elif kind == "lay":
                known[seat] &= ~card_bits(parse_group(event, f"events[{i}]"))
            elif kind == "lay_off":
                known[seat] &= ~(1 << parse_face(event.get("card")))
            elif kind == "discard":
                card = 1 << parse_face(event.get("card"))
                known[seat] &= ~card
                thrown[seat] |= card
            else:
                raise TableError(f"events[{i}].event: {kind!r} is no event; give {', '.join(EVENTS)}")
        except UnknownCardError as error:
            raise TableError(f"events[{i}].card: {error}") from None
    if table.phase == Phase.OVER:
        known = [0] * MAX_SEATS  # the hands are open
    seen = 0
    for seat in range(table.num_seats):
        elsewhere = {f: place for f, place in table.placed.items() if not _may_be_hand(place, seat)}
        if (
            known[seat] & (card_bits(list(elsewhere)) | seen)
            or known[seat].bit_count() > game["hand_size"][seat]
        ):
            raise TableError(f"events: they put cards into the hand of seat {seat} that it cannot hold")
        held = int(game["held"][seat])
        if held and known[seat] & ~held:
            raise TableError(f"events: they put cards into the hand of seat {seat} that are not there")
        seen |= known[seat]
    game["known"] = np.array(known, np.uint64)
    game["thrown"] = np.array(thrown, np.uint64)


def _may_be_hand(place: str, seat: int) -> bool:
    """Whether what lies there may be the hand of this seat."""
    return place in (f"hands[{seat}]", "hand")
