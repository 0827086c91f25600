"""Write the pages of docs/ that follow from the code: observation.md, actions.md, schemas/ and table.png.

Those of Jo lie in docs/ itself, those of Rummy Bo in docs/rummy_bo/. A test compares the pages with what
this writes, so they cannot fall behind.

    python scripts/make_docs.py
"""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from PIL import Image

from agents import jo as jo_agents
from agents import rummy_bo as bo_agents
from agents.games import load_game
from agents.serving.schemas import standalone
from jo_env import jo, rummy_bo
from jo_env.cards import FACE_NAMES, NUM_FACES, NUM_RANKS, NUM_SUITS, RANKS, SUITS
from jo_env.jo import actions, state
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.view import OBSERVATION_SIZE, OBSERVATION_VERSION
from jo_env.rummy_bo import actions as bo_actions
from jo_env.rummy_bo import state as bo_state

DOCS = Path(__file__).parents[1] / "docs"
SCHEMA_FOLDERS = {"jo": DOCS / "schemas", "rummy_bo": DOCS / "rummy_bo" / "schemas"}
SCHEMA_FILES = ("View", "Move", "Request", "Answer", "Error")

# What the bytes of each field say. A field without a line here stops the script, and the test with it.
MEANINGS = {
    "own.hand": "copies of each face held",
    "own.nearer": "1 where one more copy would bring the goal nearer",
    "own.missing": "cards still missing to the goal; 0 once down",
    "unseen": "copies of each face whose place the seat does not know",
    "top_is_nearer": "1 if the top discard would bring the goal nearer",
    "seat.known": "copies taken or bought from the pile and certainly still in the hand",
    "seat.thrown": f"discarded since the last recycle, counted up to {state.MEMORY_CAP}",
    "seat.declined": f"passed over on the pile since the last recycle, up to {state.MEMORY_CAP}",
    "group.is_three": "1 for a three",
    "group.is_four": "1 for a four",
    "group.low": "rank of a three; lowest rank of a four, a low ace being 0",
    "group.length": "cards in the group; 0 if there is none",
    "group.suits": "cards of each suit in a three; the suit of a four marked 1",
    "group.span": "ranks covered, marked 1; the last is the ace as high card",
    "seat.is_seated": "1 if somebody sits there",
    "seat.hand_size": "cards in the hand",
    "seat.down": "1 if the seat has gone down",
    "seat.buys_left": "buys left in this hand",
    "seat.has_requested": "1 if it asks to buy the top discard",
    "seat.is_on_turn": "1 for the seat on turn",
    "seat.is_dealer": "1 for the dealer",
    "seat.threw_top": "1 if it put the top card on the pile",
    "seat.score_tens": "points before this hand: tens, at most 127",
    "seat.score_units": "and units",
    "table.pile": "copies of each face in the discard pile",
    "table.top": "the top discard marked 1",
    "table.taken": "the face taken from the pile in this turn marked 1",
    "table.num_seats": "2, 3 or 4 seats, marked 1",
    "table.current_round": "round 1 to 7, marked 1",
    "table.threes": "threes in the goal",
    "table.fours": "fours in the goal",
    "table.rounds_left": "rounds after this one",
    "table.phase": "buy, draw or play, marked 1",
    "table.stock_tens": "cards in the stock: tens",
    "table.stock_units": "and units",
    "table.turns_tens": "turns finished in this hand: tens, at most 127",
    "table.turns_units": "and units",
    "table.decks": "packs",
}
BO_MEANINGS = {
    "own.hand": "the cards held marked 1",
    "own.loose": "those in no matched set, in the partition of the hand that pays least",
    "own.least_count_tens": "what they count, which is what the hand would pay now: tens",
    "own.least_count_units": "and units",
    "unseen": "1 for each card whose place the seat does not know",
    "seat.known": "1 for each card taken from the pile or drawn from a stock in sight, and still in hand",
    "seat.thrown": "discarded in this hand: 2 while the card lies in the pile, 1 from then on",
    "seat.is_seated": "1 if somebody sits there",
    "seat.hand_size": "cards in the hand",
    "seat.has_melded": "1 if it laid or laid off something in an earlier turn: it can no longer go rummy",
    "seat.is_on_turn": "1 for the seat on turn",
    "seat.is_dealer": "1 for the dealer",
    "seat.score_tens": "points before this hand: tens, at most 127 and at least -127",
    "seat.score_units": "and units, negative like the tens below zero",
    "table.pile": "1 for each card in the discard pile",
    "table.top": "the top discard marked 1",
    "table.second": "the card below it marked 1",
    "table.taken": "the cards taken from the pile in this turn marked 1: they may not be discarded in it",
    "table.in_sets": "1 for each card on the table in a set",
    "table.in_runs": "1 for each card on the table in a run",
    "table.fits_set": "1 for each card that a set on the table takes",
    "table.fits_low": "1 for each card that a run takes at its low end",
    "table.fits_high": "1 for each card that a run takes at its high end",
    "table.next": "the next card of the stock marked 1, once the pile was turned over",
    "table.after_next": "likewise the card after it",
    "table.num_seats": "2 to 6 seats, marked 1",
    "table.phase": "draw or play, marked 1",
    "table.turned_over": "1 once the pile was turned over in this hand, so that everybody knows the stock",
    "table.stock_size": "cards in the stock",
    "table.discard_size": "cards in the pile",
    "table.turns_tens": "turns finished in this hand: tens, at most 127",
    "table.turns_units": "and units",
    "table.hands_left": "hands after this one",
    "table.laid": "groups laid in this turn",
    "table.laid_off": "cards laid off in this turn",
}
FEATURE_MEANINGS = {
    "needed": "to play, not down: 1 where the goal is farther away without this card of the hand",
    "outs_without": "likewise: unseen cards that would then bring the goal nearer",
    "fits": "1 where a group on the table takes this face",
    "fits_after": "to play, once down: unseen cards after which a run on the table takes this card",
    "use_to_next": "to play: how likely the next seat collects this card of the hand, in hundredths",
    "use_to_others": "likewise, the sum over the seats after it",
    "odds_lost": "to play, not down: what a discard takes from the chance to reach the goal, in thousandths",
    "favor": "to play: 127 for the card the planner would discard, for others less by how much worse it "
    "thinks them: 1 for every 500th of a chance, once down 6 for every point",
    "planned": "to buy or draw: 1 where the planner would take the top",
    "odds": "not down: the chance to reach the goal in time, without a card that no plan needs, in 127ths",
    "odds_gained": "to buy: what the top adds to that chance; to draw: what it leaves above the stock, "
    "in thousandths",
    "outs": "to buy or draw, not down: unseen cards that bring the goal nearer",
    "outs_with_top": "likewise, with the top discard in hand",
    "planned_lay": "to play: 1 for the lay or lay-off the planner would make, from action 4 on",
}
BO_FEATURE_MEANINGS = {
    "offered": "to draw: the cards that a take from the pile brings, marked 1",
    "outs": "by how many points each unseen card would lower what the hand pays",
    "near": "1 for each unseen card of a loose card's rank, or one or two ranks from it in its suit",
    "left_count": "to play: what the hand would pay after this discard, at most 127",
    "left_loose": "likewise, how many of its cards would be loose",
    "favor": "to play: 127 for the card the planner would discard, for others 6 less for every point by "
    "which it thinks them worse",
    "planned": "to draw: 1 where the planner would take from the pile",
    "can_go_out": "to play: 1 where the hand can end in this turn",
    "hope": "what a card drawn at random takes off the planner's cost of the hand, in tenths of points",
    "num_loose": "cards of the hand that are loose",
    "taking": "to draw: by how many points the pile's cards lower what the hand pays",
    "planned_lay": "to play: 1 for what the planner would lay or lay off; where it discards, for the first "
    "group and the first lay-off that it could make instead; from action 4 on",
}


def markdown_table(head: list[str], rows: list[list[Any]]) -> str:
    lines: list[list[Any]] = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def field_rows(
    layout: list[tuple[str, int, int]], meanings: dict[str, str], prefix: str, block: str, base: int
) -> list[list[Any]]:
    """The fields of one block: byte from its beginning, size, name and meaning."""
    names = [
        (name.removeprefix(prefix), offset, size) for name, offset, size in layout if name.startswith(prefix)
    ]
    return [
        [offset - base, size, f"`{name}`", meanings[block + name]]
        for name, offset, size in names
        if "[" not in name
    ]


def features_section(game: ModuleType, meanings: dict[str, str]) -> str:
    """What a policy of the game reads after the observation, from the layout of its features."""
    layout = game.LAYOUT
    rows: list[list[Any]] = [
        [offset, size, f"`{name}`", meanings[name]]
        for name, offset, size in layout.blocks[len(game.room.observation_layout()) :]
    ]
    return f"""## What a policy reads after it

The networks of `agents/` read what is below as well: what the planner makes of the moves at hand
(`{game.__name__.replace(".", "/")}/features.py`). It follows from the observation.

{markdown_table(["byte", "size", "field", "meaning"], rows)}

That makes {layout.num_described} numbers. Of them a network gets {layout.num_features} features, in
this order:

1. {NUM_SUITS} × {len(layout.face_blocks)} × {NUM_RANKS}: for each suit, block of size {NUM_FACES} and rank;
2. {NUM_RANKS} × {len(layout.face_blocks)}: for each rank and such block, summed over the suits, at most 127;
3. the blocks of other sizes.
"""


def observation_page() -> str:
    """The observation as tables, from the layout of the view record."""
    layout = jo.observation_layout()
    starts = {name: offset for name, offset, _ in layout}
    seat, group = starts["seats[0].known"], starts["seats[0].groups[0].is_three"]
    seat_size = starts["seats[1].known"] - seat
    group_size = starts["seats[0].groups[1].is_three"] - group

    def rows(prefix: str, block: str, base: int) -> list[list[Any]]:
        return field_rows(layout, MEANINGS, prefix, block, base)

    head = ["byte", "size", "field", "meaning"]
    return f"""# The observation

Version {OBSERVATION_VERSION}, {OBSERVATION_SIZE} small integers (int8), none of them negative. This page
is written by `scripts/make_docs.py` from the `VIEW` record of `jo_env/jo/view.py`, whose first bytes are the
observation; so every number below also has a name there, as in `env.unwrapped.views[0].own.hand`.

It holds what one seat may know and nothing else. Seats are counted from the observer: `seats[0]` is the
observer, `seats[1]` sits at its left and plays next; with fewer than four seats the last are empty and
all 0. Fields of size 52 have one place per face, `13 * suit + rank`: suits {SUITS}, ranks {RANKS}.

## Own hand

{markdown_table(head, rows("own.", "own.", 0))}

## Unseen cards and the top discard

Byte {starts["unseen"]}, size {NUM_FACES}: `unseen`, {MEANINGS["unseen"]}.

Byte {starts["top_is_nearer"]}: `top_is_nearer`, {MEANINGS["top_is_nearer"]}.

## Seats

`seats[i]`, i = 0..{state.MAX_SEATS - 1}, begins at byte {seat} + {seat_size}·i. Bytes within a seat, in
which the groups of the next table begin at {group - seat} + {group_size}·j:

{markdown_table(head, rows("seats[0].", "seat.", seat))}

## Groups

`seats[i].groups[j]`, j = 0..2, in the order they were laid. Bytes within a group:

{markdown_table(head, rows("seats[0].groups[0].", "group.", group))}

## Table

{markdown_table(head, rows("table.", "table.", 0))}

{features_section(jo_agents, FEATURE_MEANINGS)}"""


def block_rows(kinds: list[tuple[int, str]], num_actions: int) -> list[list[Any]]:
    """The blocks of an action space, each given by its first action and what it does."""
    ends = [first for first, _ in kinds[1:]] + [num_actions]
    return [
        [first if end == first + 1 else f"{first}..{end - 1}", end - first, text]
        for (first, text), end in zip(kinds, ends, strict=True)
    ]


def face_rows(first: int) -> list[list[Any]]:
    """The actions of a block with one for each face, a row for each suit."""
    return [
        [suit, *range(first + len(RANKS) * i, first + len(RANKS) * (i + 1))] for i, suit in enumerate(SUITS)
    ]


def actions_page() -> str:
    """The action space as tables, from the blocks of actions.py."""
    kinds = [
        (actions.PASS, "pass: decline to buy"),
        (actions.BUY, "buy: ask for the top discard"),
        (actions.DRAW_STOCK, "draw from the stock"),
        (actions.TAKE_DISCARD, "take the top discard"),
        (actions.LAY_THREE, f"lay a three: {actions.LAY_THREE} + {actions.NUM_TRIPLES}·rank + t"),
        (actions.LAY_FOUR, f"lay a four: {actions.LAY_FOUR} + {actions.NUM_STARTS}·suit + start"),
        (actions.LAY_OFF, f"lay off: {actions.LAY_OFF} + {actions.NUM_PLACES}·slot + p"),
        (actions.DISCARD, f"discard: {actions.DISCARD} + face"),
    ]
    blocks = block_rows(kinds, actions.NUM_ACTIONS)
    triples: list[list[Any]] = [
        [t, "".join(SUITS[suit] for suit in triple), _cards(actions.LAY_THREE + t)]
        for t, triple in enumerate(actions.TRIPLES)
    ]
    starts: list[list[Any]] = [
        [start, _cards(actions.LAY_FOUR + start)] for start in range(actions.NUM_STARTS)
    ]
    faces = face_rows(actions.DISCARD)
    return f"""# The actions

`Discrete({actions.NUM_ACTIONS})`, the same for 2, 3 and 4 seats. This page is written by
`scripts/make_docs.py` from `jo_env/jo/actions.py`. Ranks count from ace 0 to king 12; suits have the order
{SUITS}.

{markdown_table(["index", "number", "action"], blocks)}

## Threes

t is the t-th multiset of three suits; the cards shown are those of rank 0.

{markdown_table(["t", "suits", "cards"], triples)}

## Fours

A four is laid with exactly four cards, here of the first suit; the last start has the ace high.

{markdown_table(["start", "cards"], starts)}

A go-down is a run of lay actions by one seat with nothing between: threes first, then fours, each index
not lower than the one before it of its kind, so that every go-down has exactly one spelling. Groups are
laid at their smallest size; a longer group is the same group with lay-offs after it. Until the goal is
whole the table treats the go-down as not yet made.

## Lay-offs

slot = {MAX_GROUPS}·((owner − seat) mod seats) + the group's place in its owner's row: slots 0..2 are one's
own groups, 3..5 those of the seat at one's left, and so on. On a three, p = 0..3 is the suit of the added
card; on a four, p = {actions.LOW_END} is its low end and p = {actions.HIGH_END} its high end. So a run that
could take an ace at either end has two different actions.

## Discards

{markdown_table(["suit", *RANKS], faces)}
"""


def _cards(lay: int) -> str:
    return " ".join(FACE_NAMES[face] for face in actions.LAY_FACES[lay][: actions.LAY_SIZES[lay]])


def bo_observation_page() -> str:
    """The observation of Rummy Bo as tables, from the layout of the view record."""
    layout = rummy_bo.observation_layout()
    starts = {name: offset for name, offset, _ in layout}
    seat = starts["seats[0].known"]
    seat_size = starts["seats[1].known"] - seat
    head = ["byte", "size", "field", "meaning"]
    return f"""# The observation of Rummy Bo

Version {rummy_bo.OBSERVATION_VERSION}, {rummy_bo.OBSERVATION_SIZE} small integers (int8), negative only
where a score is. This page is written by `scripts/make_docs.py` from the `VIEW` record of
`jo_env/rummy_bo/view.py`, whose first bytes are the observation; so every number below also has a name
there, as in `env.unwrapped.views[0].own.hand`.

It holds what one seat may know and nothing else. Seats are counted from the observer: `seats[0]` is the
observer, `seats[1]` sits at its left and plays next; with fewer than {bo_state.MAX_SEATS} seats the last are
empty and all 0. Fields of size 52 have one place per face, `13 * suit + rank`: suits {SUITS}, ranks {RANKS}.
There is one pack, so each face is one card.

## Own hand

{markdown_table(head, field_rows(layout, BO_MEANINGS, "own.", "own.", 0))}

## Unseen cards

Byte {starts["unseen"]}, size {NUM_FACES}: `unseen`, {BO_MEANINGS["unseen"]}.

## Seats

`seats[i]`, i = 0..{bo_state.MAX_SEATS - 1}, begins at byte {seat} + {seat_size}·i. Bytes within a seat:

{markdown_table(head, field_rows(layout, BO_MEANINGS, "seats[0].", "seat.", seat))}

## Table

{markdown_table(head, field_rows(layout, BO_MEANINGS, "table.", "table.", 0))}

What fits follows the rule of [one spelling](rules.md): a group laid in this turn takes cards at the high end
of a run only. The order of the pile and of the groups is in the view record after the observation, and in the
JSON view.

{features_section(bo_agents, BO_FEATURE_MEANINGS)}"""


def bo_actions_page() -> str:
    """The action space of Rummy Bo as tables, from the blocks of actions.py."""
    a = bo_actions
    kinds = [
        (a.DRAW_STOCK, "draw two cards from the stock; its last card alone"),
        (a.TAKE_TWO, "take the two top discards"),
        (a.TAKE_DISCARD, "take the top discard, at an empty stock"),
        (a.TURN_OVER, "turn the pile over and draw one card, at an empty stock"),
        (a.LAY_SET, f"lay a set: {a.LAY_SET} + {a.NUM_SUIT_CHOICES}·rank + t"),
        (a.LAY_RUN, f"lay a run of three: {a.LAY_RUN} + {len(RANKS)}·suit + start"),
        (a.LAY_OFF, f"lay off on the set of its rank: {a.LAY_OFF} + face"),
        (a.LAY_OFF_LOW, f"lay off at the low end of a run: {a.LAY_OFF_LOW} + face"),
        (a.LAY_OFF_HIGH, f"lay off at the high end of a run: {a.LAY_OFF_HIGH} + face"),
        (a.DISCARD, f"discard: {a.DISCARD} + face"),
    ]

    def cards(lay: int) -> str:
        return " ".join(FACE_NAMES[face] for face in a.LAY_FACES[lay][: a.LAY_SIZES[lay]])

    choices: list[list[Any]] = [
        [t, "".join(SUITS[suit] for suit in suits), cards(a.LAY_SET + t)]
        for t, suits in enumerate(a.SUIT_CHOICES)
    ]
    starts: list[list[Any]] = [[start, cards(a.LAY_RUN + start)] for start in range(len(RANKS))]
    head = ["suit", *RANKS]
    return f"""# The actions of Rummy Bo

`Discrete({a.NUM_ACTIONS})`, the same for 2 to {bo_state.MAX_SEATS} seats. This page is written by
`scripts/make_docs.py` from `jo_env/rummy_bo/actions.py`. Ranks count from ace 0 to king 12; suits have the
order {SUITS}; a face is 13·suit + rank.

{markdown_table(["index", "number", "action"], block_rows(kinds, a.NUM_ACTIONS))}

There is one pack, so a card has one place at most of each kind: the set of its rank, the run that begins
right above it, the run that ends right below it.

## Sets

A set is laid with all the cards that it gets in the turn; the cards shown are those of rank 0.

{markdown_table(["t", "suits", "cards"], choices)}

## Runs

A run is laid with its three lowest cards, here of the first suit, and lengthened at its high end; the last
two starts go round the corner.

{markdown_table(["start", "cards"], starts)}

In a turn the lays come first, each with a higher index than the one before it, then the lay-offs, then the
discard; so every play has exactly one spelling but for the order of its lay-offs ([the rules](rules.md)).

## Lay-offs on sets

{markdown_table(head, face_rows(a.LAY_OFF))}

## Lay-offs at the low end of runs

{markdown_table(head, face_rows(a.LAY_OFF_LOW))}

## Lay-offs at the high end of runs

{markdown_table(head, face_rows(a.LAY_OFF_HIGH))}

## Discards

{markdown_table(head, face_rows(a.DISCARD))}
"""


def bo_played_table(seed: int = 7) -> tuple[np.record, list[dict[str, Any]]]:
    """A hand of six seats with some groups on the table, and its events: for the picture."""
    events: list[dict[str, Any]] = []
    games = rummy_bo.new_games(1, seats=6)
    views, masks = np.zeros(1, rummy_bo.VIEW), np.zeros((1, rummy_bo.NUM_ACTIONS), np.int8)
    rummy_bo.start(games, np.array([seed], np.uint64), np.array([rummy_bo.NOBODY]))
    rng = np.random.default_rng(seed)
    while games["num_groups"][0] < 4 or games["phase"][0] != rummy_bo.Phase.DRAW:
        rummy_bo.observe(games, views, masks)
        legal = np.flatnonzero(masks[0])
        lays = legal[(legal >= bo_actions.LAY_SET) & (legal < bo_actions.DISCARD)]
        action = lays[0] if len(lays) else rng.choice(legal)
        rummy_bo.step(games, np.array([action], np.int32), np.zeros(1, np.int8))
        events += rummy_bo.news(games[0])
    return games[0], events


def played_table(seed: int = 7) -> tuple[np.record, list[dict[str, Any]]]:
    """A hand of round 5 in which two seats have gone down, and its events: for the picture."""
    events: list[dict[str, Any]] = []
    games = jo.new_games(1, rounds=[5])
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    jo.start(games, np.array([seed], np.uint64), np.array([jo.NOBODY]))
    rng = np.random.default_rng(seed)
    while games["public"]["down"].sum() < 2:
        jo.observe(games, views, masks)
        legal = np.flatnonzero(masks[0])
        lays = legal[(legal >= actions.LAY_THREE) & (legal < actions.DISCARD)]
        faces = legal[legal >= actions.DISCARD] - actions.DISCARD
        lonely = [f for f in faces if views[0]["own"]["hand"][f % 13 :: 13].sum() == 1] or list(faces)
        action = lays[0] if len(lays) else actions.DISCARD + rng.choice(lonely) if len(faces) else legal[0]
        jo.step(games, np.array([action], np.int32), np.zeros(1, np.int8))
        events += jo.news(games[0])
    return games[0], events


def schema_file(game: str, name: str) -> str:
    return json.dumps(standalone(load_game(game), name), indent=1) + "\n"


def main() -> None:
    DOCS.mkdir(exist_ok=True)
    (DOCS / "observation.md").write_text(observation_page())
    (DOCS / "actions.md").write_text(actions_page())
    for game, folder in SCHEMA_FOLDERS.items():
        folder.mkdir(parents=True, exist_ok=True)
        for name in SCHEMA_FILES:
            (folder / f"{name.lower()}.json").write_text(schema_file(game, name))
    Image.fromarray(jo.table_image(*played_table())).save(DOCS / "table.png")
    (DOCS / "rummy_bo").mkdir(exist_ok=True)
    (DOCS / "rummy_bo" / "observation.md").write_text(bo_observation_page())
    (DOCS / "rummy_bo" / "actions.md").write_text(bo_actions_page())
    Image.fromarray(rummy_bo.table_image(*bo_played_table())).save(DOCS / "rummy_bo" / "table.png")


if __name__ == "__main__":
    main()
