"""From JSON back to a game record: snapshots and views.

Reading checks everything that could break the rules and raises one `TableError` that names the field.
"""

from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, UnknownCardError, parse_face
from jo_env.checks import is_int
from jo_env.errors import SettingsError, TableError
from jo_env.jo.actions import (
    LAY_SIZES,
    NUM_ACTIONS,
)
from jo_env.jo.bits import count_hand
from jo_env.jo.goals import ALL_ROUNDS, CARDS_DEALT, FOURS, MAX_GROUPS, THREES
from jo_env.jo.legal import legal_actions
from jo_env.jo.notation import (
    GAME_NAME,
    PHASES,
    PROTOCOL,
    Json,
    group_cards,
    parse_faces,
    parse_group,
    read_bools,
    read_field,
    read_int,
    read_ints,
    smallest_lay,
)
from jo_env.jo.rules import clear_hand, may_buy, set_phase, write_stock, write_table
from jo_env.jo.settings import new_games, set_shoes
from jo_env.jo.state import (
    MAX_BUYS,
    MAX_CARDS,
    MAX_HAND,
    MEMORY_CAP,
    NO_FACE,
    NO_LIMIT,
    NOBODY,
    Phase,
)
from jo_env.jo.turn import can_draw, can_take
from jo_env.jo.view import VIEW, look

EVENTS = ("request", "pass", "draw", "buy", "go_down", "lay_off", "discard", "recycle")


def restore(data: Json) -> tuple[np.ndarray, list[Json]]:
    """A snapshot back as GAME[1] and its events; raises `TableError` for a table that breaks the rules."""
    games = _read_settings(data)
    game = games[0]
    n = int(game.num_seats)
    _read_public(game, data)
    is_over = game.phase == Phase.OVER
    points = read_field(data, "points", list)
    if len(points) != game.num_finished:
        raise TableError(f"points: {len(points)} rows, but {int(game.num_finished)} rounds are finished")
    for i, row in enumerate(points):
        game.points[i][:n] = read_ints(row, f"points[{i}]", n, 0, 10_000)
    game.scores[:n] = game.points[:, :n].sum(0)
    hands = read_field(data, "hands", list)
    if len(hands) != n:
        raise TableError(f"hands: {len(hands)} given for {n} seats")
    for seat, cards in enumerate(hands):
        faces = parse_faces(cards, f"hands[{seat}]")
        _check_hand_size(game, seat, len(faces), f"hands[{seat}]")
        for face in faces:
            game.own[seat].hand[face] += 1
        count_hand(game.own[seat])
        game.public[seat].hand_size = len(faces)
    stock = parse_faces(data.get("stock"), "stock")
    if len(stock) > MAX_CARDS:
        raise TableError(f"stock: {len(stock)} cards; at most {MAX_CARDS} are in play")
    game.stock[: len(stock)] = stock
    game.stock_size = len(stock)
    counts = _seen_cards(game) + sum(game.own[s].hand.astype(int) for s in range(n))
    counts += np.bincount(np.array(stock, int), minlength=NUM_FACES)
    wrong = np.flatnonzero(counts != game.decks)
    if len(wrong):
        raise TableError(
            f"cards: {FACE_NAMES[wrong[0]]} is on the table {counts[wrong[0]]} times; "
            f"with {int(game.decks)} packs each card must be there {int(game.decks)} times"
        )
    rng = read_field(data, "rng", dict)
    try:
        game.seed, game.rng = np.uint64(int(rng["seed"], 16)), np.uint64(int(rng["state"], 16))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise TableError(f"rng: {rng!r}; give seed and state, 64 bits each in hexadecimal") from None
    try:
        # The rounds to come begin after the one being played.
        game.num_finished += not is_over
        set_shoes(game, data.get("shoes"))
        game.num_finished -= not is_over
    except (SettingsError, UnknownCardError) as error:
        raise TableError(str(error)) from None
    _finish_reading(game, data.get("acting"), "acting")
    events = remember(game, [] if data.get("events") is None else data["events"])
    _check_playable(game)
    return games, events


def game_from_view(data: Json) -> tuple[np.ndarray, int]:
    """A view as (GAME[1], seat): a table with the hidden cards left blank, for `look` and the rules."""
    games = _read_settings(data)
    game = games[0]
    if data.get("protocol", PROTOCOL) != PROTOCOL:
        raise TableError(f"protocol: {data['protocol']!r}; this is protocol {PROTOCOL}")
    n = int(game.num_seats)
    _read_public(game, data)
    seat = read_int(data, "seat", 0, n - 1)
    game.scores[:n] = read_ints(data.get("scores"), "scores", n, 0, 100_000)
    sizes = read_ints(data.get("hand_sizes"), "hand_sizes", n, 0, MAX_HAND)
    faces = parse_faces(data.get("hand"), "hand")
    if len(faces) != sizes[seat]:
        raise TableError(f"hand: {len(faces)} cards, but hand_sizes[{seat}] is {sizes[seat]}")
    for face in faces:
        game.own[seat].hand[face] += 1
    count_hand(game.own[seat])
    for s in range(n):
        _check_hand_size(game, s, sizes[s], f"hand_sizes[{s}]")
        game.public[s].hand_size = sizes[s]
    game.stock_size = read_int(data, "stock_size", 0, MAX_CARDS)
    counts = _seen_cards(game) + game.own[seat].hand
    if (counts > game.decks).any():
        face = int(np.argmax(counts))
        raise TableError(
            f"cards: {FACE_NAMES[face]} is in sight {counts[face]} times, with {int(game.decks)} packs"
        )
    total = int(counts.sum()) + sum(sizes) - sizes[seat] + int(game.stock_size)
    if total != NUM_FACES * game.decks:
        raise TableError(
            f"stock_size: {total} cards in all, but {int(game.decks)} packs have {NUM_FACES * game.decks}"
        )
    _finish_reading(game, seat if game.phase != Phase.OVER else None, "seat")
    remember(game, [] if data.get("events") is None else data["events"])
    _check_playable(game)
    return games, seat


def _read_settings(data: Json) -> np.ndarray:
    if not isinstance(data, dict):
        raise TableError(f"{data!r} is no table; give a JSON object")
    if data.get("game") != GAME_NAME:
        raise TableError(f"game: {data.get('game')!r}; this is {GAME_NAME!r}")
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
        raise TableError(str(error)) from None


def _read_public(game: np.record, data: Json) -> None:
    """Fill in all that everyone knows; the hands' sizes and the stock's come after."""
    n = int(game.num_seats)
    rounds = [int(r) for r in game.rounds[: game.num_rounds]]
    current = read_int(data, "round", 1, 7)
    if current not in rounds:
        raise TableError(f"round: {current} is not one of rounds {rounds}")
    phase = data.get("phase")
    if phase not in PHASES:
        raise TableError(f"phase: {phase!r}; give one of {', '.join(PHASES)}")
    place = rounds.index(current)
    if isinstance(data.get("points"), list):
        place = len(data["points"]) - (phase == "over")
        if not 0 <= place < len(rounds) or rounds[place] != current:
            raise TableError(
                f"points: {len(data['points'])} finished rounds do not lead to round {current} of {rounds}"
            )
    game.num_finished = place
    clear_hand(game)
    game.dealer = read_int(data, "dealer", 0, n - 1)
    game.turn = read_int(data, "turn", 0, n - 1)
    game.turns = read_int(data, "turns", 0, 10**9, default=0)
    if phase != "over" and game.turns >= game.max_turns != NO_LIMIT:
        raise TableError(f"turns: {int(game.turns)}; with max_turns={int(game.max_turns)} the hand is over")
    game.hidden[:] = game.decks
    if phase == "over":
        game.num_finished += 1
    set_phase(game, PHASES.index(phase))
    down = read_bools(data.get("down"), "down", n)
    buys_used = read_ints(data.get("buys_used"), "buys_used", n, 0, MAX_BUYS)
    groups = read_field(data, "groups", list)
    if len(groups) != n:
        raise TableError(f"groups: {len(groups)} rows for {n} seats")
    for seat in range(n):
        public = game.public[seat]
        public.is_seated = 1
        public.is_dealer = seat == game.dealer
        public.is_on_turn = seat == game.turn
        public.buys_left = MAX_BUYS - buys_used[seat]
        public.down = down[seat]
        _read_groups(game, seat, groups[seat], current)
    discard = parse_faces(data.get("discard"), "discard")
    if len(discard) > MAX_CARDS:
        raise TableError(f"discard: {len(discard)} cards; at most {MAX_CARDS} are in play")
    game.discard[: len(discard)] = discard
    game.discard_size = len(discard)
    for face in discard:
        _uncover(game, face)
        game.table.pile[face] += 1
    if discard:
        game.table.top[discard[-1]] = 1
    if data.get("discarded_by") is not None:
        game.discarded_by = read_int(data, "discarded_by", 0, n - 1)
        game.public[game.discarded_by].threw_top = 1
    if data.get("taken") is not None:
        game.taken = parse_faces([data["taken"]], "taken")[0]
        if phase not in ("play", "over"):  # a lay-off after taking can end the game
            raise TableError(f"taken: {data['taken']} in phase {phase}; only a seat in play has taken a card")
        game.table.taken[game.taken] = 1
    requests = data.get("requests")
    if not isinstance(requests, list) or len(set(map(str, requests))) != len(requests):
        raise TableError(f"requests: {requests!r}; give a list of different seats")
    requests = read_ints(requests, "requests", len(requests), 0, n - 1)
    if requests and phase not in ("buy", "draw"):
        raise TableError(f"requests: {requests} in phase {phase}; they lapse at the draw")
    in_order = sorted(requests, key=lambda s: (s - game.turn) % n)
    if requests != in_order:
        raise TableError(f"requests: {requests}; seats are asked from the left of seat {game.turn} on")
    for i, seat in enumerate(requests):
        game.requests[i] = seat
        game.public[seat].has_requested = 1
    game.num_requests = len(requests)


def _read_groups(game: np.record, seat: int, row: Any, current: int) -> None:
    where = f"groups[{seat}]"
    if not isinstance(row, list) or len(row) > MAX_GROUPS:
        raise TableError(f"{where}: give a list of at most {MAX_GROUPS} groups")
    public = game.public[seat]
    for i, group_data in enumerate(row):
        group = parse_group(group_data, f"{where}[{i}]")
        public.groups[i] = group
        for card in group_data["cards"]:
            _uncover(game, parse_face(card))
    kinds = [group["kind"] for group in row]
    goal = ["three"] * int(THREES[current]) + ["four"] * int(FOURS[current])
    if public.down:
        if sorted(kinds, reverse=True) != goal:
            raise TableError(f"{where}: seat {seat} is down, so it has laid {goal}, not {kinds}")
    elif row:
        if (
            game.phase != Phase.PLAY
            or seat != game.turn
            or kinds != goal[: len(row)]
            or len(row) == len(goal)
        ):
            raise TableError(f"{where}: seat {seat} is not down and has groups that are no go-down begun")
        lays = [smallest_lay(public.groups[i]) for i in range(len(row))]
        if lays != sorted(lays) or any(
            public.groups[i].length != LAY_SIZES[lay] for i, lay in enumerate(lays)
        ):
            raise TableError(
                f"{where}: a go-down begun is laid in the order of its actions, smallest size first"
            )
        game.groups_laid = len(row)
        game.last_lay = lays[-1]


def _uncover(game: np.record, face: int) -> None:
    """One more copy of a face lies open on the table."""
    if game.hidden[face] == 0:
        raise TableError(f"cards: {FACE_NAMES[face]} lies there too often, with {int(game.decks)} packs")
    game.hidden[face] -= 1


def _finish_reading(game: np.record, acting: Any, key: str) -> None:
    """Check that the seats asked are ones that can be asked, and that nobody is out already."""
    n = int(game.num_seats)
    is_over = game.phase == Phase.OVER
    game.num_finished -= is_over
    write_table(game)
    game.num_finished += is_over
    write_stock(game)
    if is_over:
        if acting is not None:
            raise TableError(f"{key}: {acting!r}, but the game is over")
        game.acting = NOBODY
        return
    if not is_int(acting) or not 0 <= acting < n:
        raise TableError(f"{key}: {acting!r}; give a seat from 0 to {n - 1}")
    if game.phase != Phase.PLAY and game.discard_size == 0:
        raise TableError(f"discard: empty in phase {PHASES[game.phase]}; the top discard is on offer there")
    for seat in range(n):
        if game.public[seat].hand_size == 0:
            raise TableError(f"hands: seat {seat} holds no card; the hand would be over")
    for seat in game.requests[: game.num_requests]:
        if seat == game.turn or not may_buy(game, seat):
            raise TableError(f"requests: seat {int(seat)} may not buy here")
    if game.phase == Phase.BUY:
        public = game.public[acting]
        asked = [int(s) for s in game.requests[: game.num_requests]]
        is_late = any((s - game.turn) % n >= (acting - game.turn) % n for s in asked)
        if not may_buy(game, acting) or acting == game.turn or is_late:
            raise TableError(
                f"{key}: seat {acting} cannot be asked to buy here (down {bool(public.down)}, "
                f"buys left {int(public.buys_left)}, turn {int(game.turn)}, requests {asked})"
            )
    elif acting != game.turn:
        raise TableError(
            f"{key}: seat {acting} has nothing to decide in phase {PHASES[game.phase]}; "
            f"seat {int(game.turn)} is on turn"
        )
    game.acting = acting


def _check_playable(game: np.record) -> None:
    """Refuse a table at which the seat on turn cannot move: no play leads there."""
    if game.phase == Phase.PLAY:
        view, mask = np.zeros(1, VIEW)[0], np.zeros(NUM_ACTIONS, np.int8)
        look(game, game.turn, view)
        legal_actions(view, mask)
        is_playable = bool(mask.any())
    else:
        is_playable = game.phase == Phase.OVER or bool(
            can_draw(game.stock_size, game.discard_size)
            or can_take(game.own[game.turn].hand, game.public, game.turn, game.discard[game.discard_size - 1])
        )
    if not is_playable:
        raise TableError(
            f"phase: {PHASES[game.phase]}, but no action is legal for seat {int(game.turn)}, which is on turn"
        )


def _check_hand_size(game: np.record, seat: int, size: int, where: str) -> None:
    """A hand grows by what was dealt, bought and drawn; a smaller one is let pass, for set-up positions."""
    public = game.public[seat]
    most = int(CARDS_DEALT[game.rounds[game.num_finished - (game.phase == Phase.OVER)]])
    most += 2 * (MAX_BUYS - int(public.buys_left))
    most += game.phase in (Phase.PLAY, Phase.OVER) and seat == game.turn
    if size > most:
        raise TableError(f"{where}: {size} cards; dealt, bought and drawn make {most} at most")


def _seen_cards(game: np.record) -> np.ndarray:
    """How often each face lies open on the table, int64[52]."""
    return game.decks - game.hidden.astype(int)


def remember(game: np.record, events: list[Json]) -> list[Json]:
    """Rebuild what is known of hands from the hand's public history; returns the events, checked."""
    if not isinstance(events, list):
        raise TableError(f"events: {type(events).__name__}; give a list of objects")
    n, decks = int(game.num_seats), int(game.decks)
    # Fields of a record are slow to reach from Python, and a hand may have hundreds of events.
    known, thrown, declined = (game.public[name] for name in ("known", "thrown", "declined"))
    top = _turned_up(game, events)
    for i, event in enumerate(events):
        where = f"events[{i}]"
        if not isinstance(event, dict):
            raise TableError(f"{where}: {event!r} is no object")
        kind = event.get("event")
        if kind == "recycle":
            thrown[:] = 0
            declined[:] = 0
            continue
        seat = read_int(event, "seat", 0, n - 1, where=where)
        if kind == "draw" and event.get("from") not in ("stock", "discard"):
            raise TableError(f"{where}.from: {event.get('from')!r}; give 'stock' or 'discard'")
        is_from_stock = kind == "draw" and event["from"] == "stock"
        if kind == "pass" or is_from_stock:
            if top != NO_FACE:
                declined[seat, top] = min(declined[seat, top] + 1, MEMORY_CAP)
        elif kind in ("buy", "draw"):
            face = parse_faces([event.get("card")], f"{where}.card")[0]
            if known[seat, face] == decks:
                raise TableError(f"{where}.card: seat {seat} would hold more {event['card']} than there are")
            known[seat, face] += 1
        elif kind == "discard":
            top = parse_faces([event.get("card")], f"{where}.card")[0]
            thrown[seat, top] = min(thrown[seat, top] + 1, MEMORY_CAP)
            _forget(known[seat], top)
        elif kind == "lay_off":
            _forget(known[seat], parse_faces([event.get("card")], f"{where}.card")[0])
        elif kind == "go_down":
            for j, group in enumerate(read_field(event, "groups", list, where)):
                for card in group_cards(parse_group(group, f"{where}.groups[{j}]")):
                    _forget(known[seat], parse_face(card))
        elif kind != "request":
            raise TableError(f"{where}.event: {kind!r} is no event; give {', '.join(EVENTS)}")
    for group in game.public[game.turn].groups[: game.groups_laid]:  # a go-down not yet told of
        for card in group_cards(group):
            _forget(known[game.turn], parse_face(card))
    for seat in range(n):
        if known[seat].sum() > game.public[seat].hand_size or (known[seat] > game.hidden).any():
            raise TableError(f"events: they put more cards into the hand of seat {seat} than it can hold")
        game.hidden[:] -= known[seat]
    return list(events)


def _forget(known: np.ndarray, face: int) -> None:
    known[face] = max(known[face] - 1, 0)


def _turned_up(game: np.record, events: list[Json]) -> int:
    """The card turned up at the deal: the first to leave the pile, or its bottom card to this day.

    After a recycle it no longer matters: what was declined before is forgotten.
    """
    for i, event in enumerate(events):
        if not isinstance(event, dict) or event.get("event") in ("discard", "recycle"):
            break
        if event.get("event") == "buy" or (event.get("event") == "draw" and event.get("from") == "discard"):
            return parse_faces([event.get("card")], f"events[{i}].card")[0]
    return int(game.discard[0]) if game.discard_size > 0 else NO_FACE
