"""Jo as JSON: snapshots, views, events and moves, to and from the game record.

The forms are those of the public contract (docs/protocol.md). Reading checks everything that could
break the rules and raises one `TableError` that names the field.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, NUM_RANKS, NUM_SUITS, UnknownCardError, parse_face
from jo_env.errors import IllegalActionError, SettingsError, TableError
from jo_env.jo.actions import (
    BUY,
    DISCARD,
    DRAW_STOCK,
    HIGH_END,
    LAY_FACES,
    LAY_FOUR,
    LAY_OFF,
    LAY_SIZES,
    LAY_THREE,
    LOW_END,
    NUM_ACTIONS,
    NUM_PLACES,
    NUM_STARTS,
    NUM_TRIPLES,
    PASS,
    TAKE_DISCARD,
    TRIPLES,
)
from jo_env.jo.goals import ALL_ROUNDS, CARDS_DEALT, FOURS, MAX_GROUPS, MAX_ROUNDS, THREES
from jo_env.jo.groups import face_wanted, suit_of
from jo_env.jo.legal import legal_actions
from jo_env.jo.rules import clear_hand, may_buy, set_phase, write_stock, write_table
from jo_env.jo.solver import count_hand
from jo_env.jo.state import (
    GAME,
    GROUP,
    MAX_BUYS,
    MAX_CARDS,
    MAX_DECKS,
    MAX_HAND,
    MAX_SEATS,
    MEMORY_CAP,
    MIN_DECKS,
    MIN_SEATS,
    NO_FACE,
    NO_LIMIT,
    NOBODY,
    Event,
    Phase,
)
from jo_env.jo.turn import can_draw, can_take
from jo_env.jo.view import VIEW, look

GAME_NAME = "jo"
PROTOCOL = 1
PHASES = ("buy", "draw", "play", "over")
Json = dict[str, Any]


# --- settings -------------------------------------------------------------------------------------


def new_games(
    num_games: int,
    seats: int = 4,
    rounds: Sequence[int] = ALL_ROUNDS,
    decks: int = 2,
    max_turns: int | None = 200,
) -> np.ndarray:
    """Empty game records GAME[num_games] with these settings; raises `SettingsError`."""
    if not _is_int(seats) or not MIN_SEATS <= seats <= MAX_SEATS:
        raise SettingsError(f"seats={seats!r}: Jo is played by 2, 3 or 4 seats")
    if not _is_int(decks) or not MIN_DECKS <= decks <= MAX_DECKS:
        raise SettingsError(f"decks={decks!r}: Jo is played with 2, 3 or 4 packs")
    rounds = list(rounds) if isinstance(rounds, Iterable) and not isinstance(rounds, str) else [rounds]
    if not 1 <= len(rounds) <= MAX_ROUNDS or any(not _is_int(r) or r not in ALL_ROUNDS for r in rounds):
        raise SettingsError(f"rounds={rounds!r}: give one to seven rounds, each from 1 to 7")
    if max_turns is not None and (not _is_int(max_turns) or not 1 <= max_turns < 2**31):
        raise SettingsError(f"max_turns={max_turns!r}: give a whole number of turns from 1 on, or None")
    games = np.zeros(num_games, GAME)
    games["num_seats"] = seats
    games["decks"] = decks
    games["max_turns"] = NO_LIMIT if max_turns is None else max_turns
    games["num_rounds"] = len(rounds)
    games["rounds"][:, : len(rounds)] = rounds
    games["phase"] = Phase.OVER
    games["acting"] = NOBODY
    return games


def set_shoes(game: np.record, shoes: Sequence[Sequence[str] | None] | None) -> None:
    """Give the rounds to come their shoes (cards from the top); rounds without one are shuffled."""
    shoes = [] if shoes is None else shoes
    if not isinstance(shoes, list | tuple) or any(
        not isinstance(shoe, list | tuple | None) for shoe in shoes
    ):
        raise SettingsError(f"shoes: {shoes!r}; give a list of shoes, each a list of cards or None")
    rounds_left = int(game["num_rounds"]) - int(game["num_finished"])
    if len(shoes) > rounds_left:
        raise SettingsError(f"shoes: {len(shoes)} given for {rounds_left} rounds; give one a round at most")
    rows = np.zeros((MAX_ROUNDS, MAX_CARDS), np.int8)
    given = np.zeros(MAX_ROUNDS, np.int8)
    for i, shoe in enumerate(shoes, start=int(game["num_finished"])):
        if shoe is None:
            continue
        faces = [parse_face(card) for card in shoe]
        counts = np.bincount(np.array(faces, int), minlength=NUM_FACES)
        wrong = np.flatnonzero(counts != game["decks"])
        if len(wrong):
            face = wrong[0]
            raise SettingsError(
                f"shoes: a shoe must hold each card {game['decks']} times ({game['decks']} packs), "
                f"but this one holds {FACE_NAMES[face]} {counts[face]} times and {len(faces)} cards in all"
            )
        rows[i, : len(faces)] = faces
        given[i] = 1
    game["shoes"] = rows
    game["has_shoe"] = given


# --- groups and cards -----------------------------------------------------------------------------


def group_cards(group: np.record) -> list[str]:
    """The cards of a group: a three by suit, a run from low to high."""
    if group.is_three:
        return [
            FACE_NAMES[NUM_RANKS * suit + group.low]
            for suit in range(NUM_SUITS)
            for _ in range(group.suits[suit])
        ]
    suit = suit_of(group)
    ranks = range(group.low, group.low + group.length)
    return [FACE_NAMES[NUM_RANKS * suit + rank % NUM_RANKS] for rank in ranks]


def group_json(group: np.record) -> Json:
    return {"kind": "three" if group.is_three else "four", "cards": group_cards(group)}


def parse_group(data: Json, where: str) -> np.record:
    """A GROUP record from its JSON form; a run may be written in any order. Raises `TableError`."""
    if not isinstance(data, dict) or data.get("kind") not in ("three", "four"):
        raise TableError(f"{where}: {data!r} is no group; give kind 'three' or 'four', and cards")
    faces = _faces(data.get("cards"), f"{where}.cards")
    if len(faces) > NUM_SUITS * MAX_DECKS:
        raise TableError(f"{where}: {len(faces)} cards; no group is that large")
    group = np.zeros(1, GROUP)[0]
    ranks = [face % NUM_RANKS for face in faces]
    suits = [face // NUM_RANKS for face in faces]
    group.length = len(faces)
    if data["kind"] == "three":
        if len(faces) < 3 or len(set(ranks)) != 1:
            raise TableError(f"{where}: {data['cards']} is no three; it needs 3 or more cards of one rank")
        group.is_three = 1
        group.low = ranks[0]
        for suit in suits:
            group.suits[suit] += 1
        group.span[group.low] = 1
        return group
    is_high = 0 in ranks and NUM_RANKS - 1 in ranks and (1 not in ranks or ranks[0] != 0)
    ranks = sorted(rank or NUM_RANKS if is_high else rank for rank in ranks)
    is_run = ranks == list(range(ranks[0], ranks[0] + len(ranks))) if ranks else False
    if len(faces) < 4 or len(set(suits)) != 1 or not is_run:
        raise TableError(
            f"{where}: {data['cards']} is no four; it needs 4 or more consecutive cards of one suit, "
            "the ace low or high but not both"
        )
    group.is_four = 1
    group.low = ranks[0]
    group.suits[suits[0]] = 1
    group.span[ranks[0] : ranks[0] + len(ranks)] = 1
    return group


def smallest_lay(group: np.record) -> int:
    """The lay action that begins a group: its lowest cards, three of a three and four of a four."""
    if group.is_three:
        triple = [suit for suit in range(NUM_SUITS) for _ in range(group.suits[suit])][:3]
        t = int(np.flatnonzero((TRIPLES == triple).all(1))[0])
        return LAY_THREE + NUM_TRIPLES * int(group.low) + t
    return LAY_FOUR + NUM_STARTS * suit_of(group) + min(int(group.low), NUM_STARTS - 1)


def _faces(cards: Any, where: str) -> list[int]:
    if not isinstance(cards, list | tuple):
        raise TableError(f"{where}: {cards!r} is no list of cards")
    try:
        return [parse_face(card) for card in cards]
    except UnknownCardError as error:
        raise TableError(f"{where}: {error}") from None


def _hand_texts(counts: np.ndarray) -> list[str]:
    return [FACE_NAMES[face] for face in range(NUM_FACES) for _ in range(counts[face])]


# --- writing --------------------------------------------------------------------------------------


def _public_json(game: np.record) -> Json:
    """What a snapshot and a view have in common."""
    n = int(game.num_seats)
    is_over = game.phase == Phase.OVER
    return {
        "seats": n,
        "dealer": int(game.dealer),
        "rounds": [int(r) for r in game.rounds[: game.num_rounds]],
        "round": int(game.rounds[game.num_finished - is_over]),
        "turns": int(game.turns),
        "turn": int(game.turn),
        "phase": PHASES[game.phase],
        "down": [bool(game.public[s].down) for s in range(n)],
        "buys_used": [MAX_BUYS - int(game.public[s].buys_left) for s in range(n)],
        "groups": [
            [group_json(group) for group in game.public[s].groups if group.length > 0] for s in range(n)
        ],
        "discard": [FACE_NAMES[face] for face in game.discard[: game.discard_size]],
        "requests": [int(s) for s in game.requests[: game.num_requests]],
        "taken": None if game.taken == NO_FACE else FACE_NAMES[game.taken],
        "discarded_by": None if game.discarded_by == NOBODY else int(game.discarded_by),
        "rules": {
            "decks": int(game.decks),
            "max_turns": None if game.max_turns == NO_LIMIT else int(game.max_turns),
        },
    }


def snapshot(game: np.record, events: list[Json]) -> Json:
    """The whole table, hidden cards and luck included, as JSON-ready data."""
    n = int(game.num_seats)
    upcoming = range(int(game.num_finished) + 1, int(game.num_rounds))
    shoes = [
        [FACE_NAMES[face] for face in game.shoes[i][: game.decks * NUM_FACES]] if game.has_shoe[i] else None
        for i in upcoming
    ]
    while shoes and shoes[-1] is None:
        shoes.pop()
    return {
        "game": GAME_NAME,
        **_public_json(game),
        "acting": None if game.acting == NOBODY else int(game.acting),
        "hands": [_hand_texts(game.own[s].hand) for s in range(n)],
        "stock": [FACE_NAMES[face] for face in game.stock[: game.stock_size]],
        "points": [[int(p) for p in game.points[i][:n]] for i in range(game.num_finished)],
        "events": list(events),
        "shoes": shoes,
        "rng": {"seed": hex(game.seed), "state": hex(game.rng)},
    }


def view_json(game: np.record, seat: int, events: list[Json]) -> Json:
    """What `seat` may know, as a game server sends it to a bot."""
    n = int(game.num_seats)
    return {
        "protocol": PROTOCOL,
        "game": GAME_NAME,
        "seat": int(seat),
        **_public_json(game),
        "hand": _hand_texts(game.own[seat].hand),
        "hand_sizes": [int(game.public[s].hand_size) for s in range(n)],
        "stock_size": int(game.stock_size),
        "scores": [int(game.scores[s]) for s in range(n)],
        "events": list(events),
    }


def news(game: np.record) -> list[Json]:
    """The events of the last action, as everyone saw them."""
    return [_event_json(game, *row) for row in game["news"][: game["num_news"]].tolist()]


def _event_json(game: np.record, event: int, seat: int, face: int, target: int, owner: int) -> Json:
    match event:
        case Event.REQUEST:
            return {"event": "request", "seat": seat}
        case Event.PASS:
            return {"event": "pass", "seat": seat}
        case Event.DRAW if face == NO_FACE:
            return {"event": "draw", "seat": seat, "from": "stock"}
        case Event.DRAW:
            return {"event": "draw", "seat": seat, "from": "discard", "card": FACE_NAMES[face]}
        case Event.BUY:
            return {"event": "buy", "seat": seat, "card": FACE_NAMES[face]}
        case Event.GO_DOWN:
            groups = [group_json(group) for group in game.public[seat].groups if group.length > 0]
            return {"event": "go_down", "seat": seat, "groups": groups}
        case Event.LAY_OFF:
            slot, place = divmod(target, NUM_PLACES)
            data = {"event": "lay_off", "seat": seat, "owner": owner, "group": slot % MAX_GROUPS}
            return data | {"card": FACE_NAMES[face]} | _end_json(place)
        case Event.DISCARD:
            return {"event": "discard", "seat": seat, "card": FACE_NAMES[face]}
        case _:
            return {"event": "recycle"}


def _end_json(place: int) -> Json:
    return {LOW_END: {"end": "low"}, HIGH_END: {"end": "high"}}.get(place, {})


# --- reading --------------------------------------------------------------------------------------


def restore(data: Json) -> tuple[np.ndarray, list[Json]]:
    """A snapshot back as GAME[1] and its events; raises `TableError` for a table that breaks the rules."""
    games = _read_settings(data)
    game = games[0]
    n = int(game.num_seats)
    _read_public(game, data)
    is_over = game.phase == Phase.OVER
    points = _field(data, "points", list)
    if len(points) != game.num_finished:
        raise TableError(f"points: {len(points)} rows, but {int(game.num_finished)} rounds are finished")
    for i, row in enumerate(points):
        game.points[i][:n] = _ints(row, f"points[{i}]", n, 0, 10_000)
    game.scores[:n] = game.points[:, :n].sum(0)
    hands = _field(data, "hands", list)
    if len(hands) != n:
        raise TableError(f"hands: {len(hands)} given for {n} seats")
    for seat, cards in enumerate(hands):
        faces = _faces(cards, f"hands[{seat}]")
        _check_hand_size(game, seat, len(faces), f"hands[{seat}]")
        for face in faces:
            game.own[seat].hand[face] += 1
        count_hand(game.own[seat])
        game.public[seat].hand_size = len(faces)
    stock = _faces(data.get("stock"), "stock")
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
    rng = _field(data, "rng", dict)
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
    seat = _int(data, "seat", 0, n - 1)
    game.scores[:n] = _ints(data.get("scores"), "scores", n, 0, 100_000)
    sizes = _ints(data.get("hand_sizes"), "hand_sizes", n, 0, MAX_HAND)
    faces = _faces(data.get("hand"), "hand")
    if len(faces) != sizes[seat]:
        raise TableError(f"hand: {len(faces)} cards, but hand_sizes[{seat}] is {sizes[seat]}")
    for face in faces:
        game.own[seat].hand[face] += 1
    count_hand(game.own[seat])
    for s in range(n):
        _check_hand_size(game, s, sizes[s], f"hand_sizes[{s}]")
        game.public[s].hand_size = sizes[s]
    game.stock_size = _int(data, "stock_size", 0, MAX_CARDS)
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
    rules = data.get("rules") or {}
    if not isinstance(rules, dict):
        raise TableError(f"rules: {rules!r} is no object")
    try:
        return new_games(
            1,
            data.get("seats", 0),
            data.get("rounds", ALL_ROUNDS),
            rules.get("decks", 2),
            rules.get("max_turns", 200),
        )
    except SettingsError as error:
        raise TableError(str(error)) from None


def _read_public(game: np.record, data: Json) -> None:
    """Fill in all that everyone knows; the hands' sizes and the stock's come after."""
    n = int(game.num_seats)
    rounds = [int(r) for r in game.rounds[: game.num_rounds]]
    current = _int(data, "round", 1, 7)
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
    game.dealer = _int(data, "dealer", 0, n - 1)
    game.turn = _int(data, "turn", 0, n - 1)
    game.turns = _int(data, "turns", 0, 10**9, default=0)
    if phase != "over" and game.turns >= game.max_turns != NO_LIMIT:
        raise TableError(f"turns: {int(game.turns)}; with max_turns={int(game.max_turns)} the hand is over")
    game.hidden[:] = game.decks
    if phase == "over":
        game.num_finished += 1
    set_phase(game, PHASES.index(phase))
    down = _bools(data.get("down"), "down", n)
    buys_used = _ints(data.get("buys_used"), "buys_used", n, 0, MAX_BUYS)
    groups = _field(data, "groups", list)
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
    discard = _faces(data.get("discard"), "discard")
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
        game.discarded_by = _int(data, "discarded_by", 0, n - 1)
        game.public[game.discarded_by].threw_top = 1
    if data.get("taken") is not None:
        game.taken = _faces([data["taken"]], "taken")[0]
        if phase not in ("play", "over"):  # a lay-off after taking can end the game
            raise TableError(f"taken: {data['taken']} in phase {phase}; only a seat in play has taken a card")
        game.table.taken[game.taken] = 1
    requests = data.get("requests")
    if not isinstance(requests, list) or len(set(map(str, requests))) != len(requests):
        raise TableError(f"requests: {requests!r}; give a list of different seats")
    requests = _ints(requests, "requests", len(requests), 0, n - 1)
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
    if not _is_int(acting) or not 0 <= acting < n:
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
            f"{key}: seat {acting} is asked in phase {PHASES[game.phase]}, but turn is {int(game.turn)}"
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
        seat = _int(event, "seat", 0, n - 1, where=where)
        is_from_stock = kind == "draw" and event.get("from") == "stock"
        if kind == "pass" or is_from_stock:
            if top != NO_FACE:
                declined[seat, top] = min(declined[seat, top] + 1, MEMORY_CAP)
        elif kind in ("buy", "draw"):
            face = _faces([event.get("card")], f"{where}.card")[0]
            if known[seat, face] == decks:
                raise TableError(f"{where}: seat {seat} would hold more of {event['card']} than there are")
            known[seat, face] += 1
        elif kind == "discard":
            top = _faces([event.get("card")], f"{where}.card")[0]
            thrown[seat, top] = min(thrown[seat, top] + 1, MEMORY_CAP)
            _forget(known[seat], top)
        elif kind == "lay_off":
            _forget(known[seat], _faces([event.get("card")], f"{where}.card")[0])
        elif kind == "go_down":
            for j, group in enumerate(_field(event, "groups", list)):
                for card in group_cards(parse_group(group, f"{where}.groups[{j}]")):
                    _forget(known[seat], parse_face(card))
        elif kind != "request":
            raise TableError(f"{where}: {kind!r} is no event")
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
    for event in events:
        if not isinstance(event, dict) or event.get("event") in ("discard", "recycle"):
            break
        if "card" in event and event.get("event") in ("buy", "draw"):
            return _faces([event["card"]], "events")[0]
    return int(game.discard[0]) if game.discard_size > 0 else NO_FACE


# --- moves ----------------------------------------------------------------------------------------


def action_move(game: np.record, action: int) -> Json:
    """One action of the seat asked as a move; a lay action as the part of a go-down it is."""
    simple = {PASS: "pass", BUY: "buy", DRAW_STOCK: "draw_stock", TAKE_DISCARD: "take_discard"}
    if action in simple:
        return {"type": simple[action]}
    if action < LAY_OFF:
        cards = [FACE_NAMES[face] for face in LAY_FACES[action][: LAY_SIZES[action]]]
        return {
            "type": "go_down",
            "groups": [{"kind": "three" if action < LAY_FOUR else "four", "cards": cards}],
        }
    if action < DISCARD:
        slot, place = divmod(action - LAY_OFF, NUM_PLACES)
        owner = int((game.acting + slot // MAX_GROUPS) % game.num_seats)
        face = int(face_wanted(game.public[owner].groups[slot % MAX_GROUPS], place))
        move = {"type": "lay_off", "owner": owner, "group": slot % MAX_GROUPS}
        return move | {"card": FACE_NAMES[face] if face != NO_FACE else None} | _end_json(place)
    return {"type": "discard", "card": FACE_NAMES[action - DISCARD]}


def actions_move(game: np.record, actions: Sequence[int]) -> Json:
    """The move that a seat's actions spell: one action, or the lay actions of a whole go-down."""
    moves = [action_move(game, action) for action in actions]
    if moves[0]["type"] != "go_down":
        return moves[0]
    return {"type": "go_down", "groups": [group for move in moves for group in move["groups"]]}


def move_actions(game: np.record, move: Json) -> list[int]:
    """The actions that a move spells, for the seat asked; raises `IllegalActionError` if it spells none.

    A go-down becomes its lay actions in canonical order, larger groups with their lay-offs after it.
    Whether the actions are legal is for the mask to say.
    """
    if not isinstance(move, dict):
        raise IllegalActionError(f"{move!r} is no move; give an object with a type")
    simple = {"pass": PASS, "buy": BUY, "draw_stock": DRAW_STOCK, "take_discard": TAKE_DISCARD}
    kind = move.get("type")
    try:
        if isinstance(kind, str) and kind in simple:
            return [simple[kind]]
        if kind == "discard":
            return [DISCARD + parse_face(move.get("card", ""))]
        if kind == "lay_off":
            return [_lay_off_action(game, move)]
        if kind == "go_down":
            return _go_down_actions(move)
    except (UnknownCardError, TableError) as error:
        raise IllegalActionError(f"move {kind}: {error}") from None
    raise IllegalActionError(
        f"move type {kind!r}; give one of {', '.join(simple)}, go_down, lay_off, discard"
    )


def _lay_off_action(game: np.record, move: Json) -> int:
    n = int(game.num_seats)
    owner = _int(move, "owner", 0, n - 1)
    index = _int(move, "group", 0, MAX_GROUPS - 1)
    face = parse_face(move.get("card", ""))
    group = game.public[owner].groups[index]
    end = move.get("end")
    if end not in (None, "low", "high"):
        raise TableError(f"end: {end!r}; give 'low' or 'high', on a run only")
    ends = range(NUM_PLACES) if end is None else [LOW_END if end == "low" else HIGH_END]
    places = [place for place in ends if face_wanted(group, place) == face]
    if len(places) != 1:
        problem = "fits at both ends; name the end" if places else "does not fit there"
        raise TableError(f"{move['card']} on group {index} of seat {owner} {problem}")
    slot = MAX_GROUPS * ((owner - int(game.acting)) % n) + index
    return LAY_OFF + NUM_PLACES * slot + places[0]


def _go_down_actions(move: Json) -> list[int]:
    groups = _field(move, "groups", list)
    if not groups or len(groups) > MAX_GROUPS:
        raise TableError(f"groups: {len(groups)} given; give the whole goal")
    parsed = [parse_group(group, f"groups[{i}]") for i, group in enumerate(groups)]
    parsed.sort(key=smallest_lay)
    lays = [smallest_lay(group) for group in parsed]
    lay_offs: list[int] = []
    for index, (group, lay) in enumerate(zip(parsed, lays, strict=True)):
        base = LAY_OFF + NUM_PLACES * index
        if group.is_three:
            suits = [suit for suit in range(NUM_SUITS) for _ in range(group.suits[suit])]
            lay_offs += [base + suit for suit in suits[3:]]
        else:
            start = (lay - LAY_FOUR) % NUM_STARTS
            lay_offs += [base + LOW_END] * (start - int(group.low))
            lay_offs += [base + HIGH_END] * (int(group.low) + int(group.length) - start - 4)
    return lays + lay_offs


def describe_illegal(game: np.record, action: Any, mask: np.ndarray) -> str:
    """Why an action is refused, and what would be legal now."""
    if game.phase == Phase.OVER:
        return "the game is over; no action is legal"
    legal = np.flatnonzero(mask)
    where = f"round {int(game.rounds[game.num_finished])}, turn {int(game.turns)}, phase {PHASES[game.phase]}"
    shown = ", ".join(f"{a} {action_text(game, int(a))}" for a in legal[:8])
    more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
    if not _is_int(action) or not 0 <= action < NUM_ACTIONS:
        return f"{action!r} is no action; give an integer from 0 to {NUM_ACTIONS - 1}"
    what = f"{action} ({action_text(game, int(action))})"
    return f"player_{int(game.acting)} may not play {what}; legal now: {shown}{more} ({where})"


def action_text(game: np.record, action: int) -> str:
    """An action of the seat asked in words, as `lay off 7H on player_0's group 1`."""
    move = action_move(game, action)
    match move["type"]:
        case "go_down":
            return f"lay {' '.join(move['groups'][0]['cards'])}"
        case "lay_off":
            card = move["card"] or "a card"
            return f"lay off {card} on player_{move['owner']}'s group {move['group']}"
        case "discard":
            return f"discard {move['card']}"
        case kind:
            return kind.replace("_", " ")


# --- small checks ---------------------------------------------------------------------------------


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _field(data: Json, key: str, kind: type) -> Any:
    if not isinstance(data.get(key), kind):
        raise TableError(f"{key}: {data.get(key)!r}; give {'a list' if kind is list else 'an object'}")
    return data[key]


def _int(
    data: Json, key: str, low: int, high: int, default: int | None = None, where: str | None = None
) -> int:
    value: Any = data.get(key, default)
    if not _is_int(value) or not low <= value <= high:
        name = f"{where}.{key}" if where else key
        raise TableError(f"{name}: {value!r}; give a whole number from {low} to {high}")
    return int(value)


def _ints(values: Any, key: str, size: int, low: int, high: int) -> list[int]:
    if not isinstance(values, list) or len(values) != size:
        raise TableError(f"{key}: {values!r}; give a list of {size} whole numbers")
    for i, value in enumerate(values):
        if not _is_int(value) or not low <= value <= high:
            raise TableError(f"{key}[{i}]: {value!r}; give a whole number from {low} to {high}")
    return list(values)


def _bools(values: Any, key: str, size: int) -> list[bool]:
    if not isinstance(values, list) or len(values) != size or any(not isinstance(v, bool) for v in values):
        raise TableError(f"{key}: {values!r}; give a list of {size} booleans")
    return values
