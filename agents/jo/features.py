"""What a policy reads: the observation, and after it what the solver and the odds say of the moves at hand.

The observation says how far the goal is. Here each discard and the top of the pile are tried out as
well: how far the goal would be, how likely it would be reached in time (odds.py), and what the planner
thinks of it. So a network need not learn to solve hands or to count outs, only to judge, and starts from
the planner's judgement. All of it follows from the seat's view.

`describe` gives these numbers block by block; a network reads them as `features_of` has them, arranged as
`LAYOUT` says.
"""

import numpy as np

from agents.jo.heuristics.odds import (
    ODDS,
    chance,
    chance_after_discard,
    chance_after_draw,
    critical_faces,
    gain_card,
    has_face,
    survey,
)
from agents.jo.heuristics.odds import count_outs as count_cards_to_come
from agents.jo.heuristics.others import copies_between, use_to
from agents.jo.heuristics.planner import default_weights, plan
from agents.layout import MOST, Layout, arrange, blocks_after
from jo_env import jo
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.actions import BUY, DISCARD, LAY_THREE, NUM_ACTIONS, NUM_PLACES, TAKE_DISCARD
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.groups import face_wanted
from jo_env.jo.legal import legal_actions
from jo_env.jo.solver import solve_changed
from jo_env.jo.state import NO_FACE, Phase
from jo_env.records import record

NUM_LAYS = DISCARD - LAY_THREE
SCRATCH = record(
    ("odds", ODDS),
    ("worths", np.float64, NUM_FACES),
    ("mask", np.int8, NUM_ACTIONS),
    ("nearer", np.int8, NUM_FACES),
    ("padding", np.int8, 4),
)

_BLOCKS = [
    ("needed", NUM_FACES),  # to play: 1 where the goal is farther away without this card of the hand
    ("outs_without", NUM_FACES),  # likewise: unseen cards that would then bring it nearer
    ("fits", NUM_FACES),  # 1 where a group on the table takes this face
    ("fits_after", NUM_FACES),  # once down: unseen cards after which a run on the table takes this face
    ("use_to_next", NUM_FACES),  # to play: how likely the next seat collects this face of the hand
    ("use_to_others", NUM_FACES),  # likewise, the sum over the seats after it
    ("odds_lost", NUM_FACES),  # to play: by how much discarding it lowers the chance to reach the goal
    ("favor", NUM_FACES),  # to play: how near the planner's worth of this discard comes to its best
    ("planned", 1),  # 1 where the planner would buy or take the top
    ("odds", 1),  # the chance to reach the goal in time, without a card that no plan needs
    ("odds_gained", 1),  # to buy: what the top adds to it; to draw: what the top leaves above the stock
    ("outs", 1),  # to buy or draw: unseen cards that bring the goal nearer
    ("outs_with_top", 1),  # likewise, with the top discard in hand
    ("planned_lay", NUM_LAYS),  # 1 for what the planner would lay or lay off, actions 4 to 379
]
_OFFSETS = np.cumsum([jo.OBSERVATION_SIZE] + [size for _, size in _BLOCKS])
NEEDED, OUTS_WITHOUT, FITS, FITS_AFTER, USE_TO_NEXT, USE_TO_OTHERS = (int(o) for o in _OFFSETS[:6])
ODDS_LOST, FAVOR, PLANNED = (int(o) for o in _OFFSETS[6:9])
ODDS_NOW, ODDS_GAINED, OUTS, OUTS_WITH_TOP, PLANNED_LAY, NUM_DESCRIBED = (int(o) for o in _OFFSETS[9:])

# The planner's, by the table's seats (2, 3, 4). Policies are trained on what they say: another tuning makes
# another layout.
_WEIGHTS = default_weights()
_FOR_KNOWN, _WHERE_UNWANTED = 0.5, 0.5  # of `use_to`
_FAVOR_A_CHANCE, _FAVOR_A_POINT = 500.0, 6.0  # units of `favor` before and after going down

# What brings counts of cards, points and turns near one.
_RANGES = {
    "hand_size": 10,
    "score_tens": 20,
    "score_units": 10,
    "stock_tens": 8,
    "stock_units": 10,
    "turns_tens": 5,
    "turns_units": 10,
    "missing": 4,
    "low": 12,
    "length": 4,
    "rounds_left": 6,
    "buys_left": 3,
    "decks": 2,
    "threes": 2,
    "fours": 2,
    "outs_without": 20,
    "fits_after": 2,
    "use_to_next": 60,
    "use_to_others": 60,
    "odds_lost": 30,
    "favor": 60,
    "odds": 40,
    "odds_gained": 30,
    "outs": 20,
    "outs_with_top": 20,
}

LAYOUT = Layout(
    blocks=blocks_after(jo.observation_layout(), jo.OBSERVATION_SIZE, _BLOCKS),
    ranges=_RANGES,
    num_actions=NUM_ACTIONS,
    discards=DISCARD,
    lays=LAY_THREE,
    takes=[BUY, TAKE_DISCARD],
    offer="table.top",
    made_of=[
        [list(row) for row in _WEIGHTS.tolist()],
        _FOR_KNOWN,
        _WHERE_UNWANTED,
        _FAVOR_A_CHANCE,
        _FAVOR_A_POINT,
    ],
)


def describe(views: np.ndarray) -> np.ndarray:
    """What VIEW[N] say, block by block: int8[N, NUM_DESCRIBED]."""
    rows = np.zeros((len(views), NUM_DESCRIBED), np.int8)
    _describe_all(views, _bytes(views), _WEIGHTS, np.zeros(1, SCRATCH), rows)
    return rows


def features_of(views: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Features int8[N, num_features] of VIEW[N], written into `out` where it is given."""
    features = np.empty((len(views), LAYOUT.num_features), np.int8) if out is None else out
    scratch, row = np.zeros(1, SCRATCH), np.zeros(NUM_DESCRIBED, np.int8)
    places = LAYOUT.face_places, LAYOUT.other_places
    _write_all(views, _bytes(views), _WEIGHTS, scratch, row, *places, features)
    return features


def _bytes(views: np.ndarray) -> np.ndarray:
    return views.view(np.int8).reshape(len(views), -1)


@jit
def _describe_all(views, view_bytes, weights, scratch, rows):
    for i in range(len(views)):
        describe_view(views[i], view_bytes[i], weights[views[i].num_seats - 2], scratch[0], rows[i])


@jit
def _write_all(views, view_bytes, weights, scratch, row, face_places, other_places, features):
    for i in range(len(views)):
        describe_view(views[i], view_bytes[i], weights[views[i].num_seats - 2], scratch[0], row)
        arrange(row, face_places, other_places, features[i])


@jit
def describe_view(view, view_bytes, w, scratch, row):
    """One row of `describe`; `w` is the row of the planner's weights, `scratch` a SCRATCH record."""
    odds, nearer = scratch.odds, scratch.nearer
    row[: jo.OBSERVATION_SIZE] = view_bytes[: jo.OBSERVATION_SIZE]
    row[NEEDED:] = 0
    mark_fits(view, row)
    ask_planner(view, row, w, scratch)
    if view.phase == Phase.PLAY:
        write_uses(view, row, odds)
    if view.seats[0].down or view.groups_laid > 0:
        return
    if view.phase == Phase.PLAY:
        try_discards(view, row, nearer)
        write_odds_lost(view, row, w, odds)
    elif view.own.missing > 0:
        write_odds_gained(view, row, w, odds)
        row[OUTS] = count_outs(view, view.own.nearer)
        try_top(view, row, nearer)


@jit
def ask_planner(view, row, w, scratch):
    """Of what the planner would do: `planned`, `planned_lay`, or `favor` where it would discard.

    Its discard has a favor of 127, what it thinks worse has less.
    """
    legal_actions(view, scratch.mask)
    action = plan(view, scratch.mask, w, scratch.odds, scratch.worths)
    if action < LAY_THREE:
        row[PLANNED] = action in (BUY, TAKE_DISCARD)
        return
    if action < DISCARD:
        row[PLANNED_LAY + action - LAY_THREE] = 1
        return
    unit = _FAVOR_A_POINT if view.seats[0].down else _FAVOR_A_CHANCE
    best = scratch.worths[action - DISCARD]
    for face in range(NUM_FACES):
        if scratch.mask[DISCARD + face]:
            row[FAVOR + face] = max(MOST - round(unit * (best - scratch.worths[face])), 0)


@jit
def count_outs(view, nearer):
    """Unseen cards of the faces marked."""
    outs = 0
    for face in range(NUM_FACES):
        outs += view.unseen[face] * nearer[face]
    return min(outs, MOST)


@jit
def try_discards(view, row, nearer):
    hand = view.own.hand
    for face in range(NUM_FACES):
        if hand[face] > 0:
            hand[face] -= 1
            missing = solve_changed(view, hand, face, view.table.threes, view.table.fours, nearer)
            hand[face] += 1
            row[NEEDED + face] = missing > view.own.missing
            row[OUTS_WITHOUT + face] = count_outs(view, nearer)


@jit
def try_top(view, row, nearer):
    hand = view.own.hand
    if view.top != NO_FACE:
        hand[view.top] += 1
        solve_changed(view, hand, view.top, view.table.threes, view.table.fours, nearer)
        hand[view.top] -= 1
        row[OUTS_WITH_TOP] = count_outs(view, nearer)


@jit
def write_uses(view, row, odds):
    """For the cards in hand: the uses to other seats in hundredths, and `fits_after`."""
    count_cards_to_come(view, odds)
    for face in range(NUM_FACES):
        if view.own.hand[face] == 0:
            continue
        if view.seats[0].down:
            row[FITS_AFTER + face] = copies_between(view, face)
        use = 0.0
        for r in range(1, view.num_seats):
            if not view.seats[r].down:
                use += use_to(view, odds, r, face, _FOR_KNOWN, _WHERE_UNWANTED)
            if r == 1:
                row[USE_TO_NEXT + face] = min(round(100 * use), MOST)
                use = 0.0
        row[USE_TO_OTHERS + face] = min(round(100 * use), MOST)


@jit
def write_odds_lost(view, row, w, odds):
    """`odds_lost` in thousandths, `odds` in 127ths."""
    survey(view, w, odds)
    critical = critical_faces(odds)
    spare = chance(odds, -1)
    row[ODDS_NOW] = round(MOST * spare)
    for face in range(NUM_FACES):
        if view.own.hand[face] > 0 and has_face(critical, face):
            row[ODDS_LOST + face] = in_thousandths(spare - chance(odds, face))


@jit
def write_odds_gained(view, row, w, odds):
    """`odds_gained` in thousandths, `odds` in 127ths."""
    survey(view, w, odds)
    now = chance(odds, -1)
    row[ODDS_NOW] = round(MOST * now)
    if view.top == NO_FACE:
        return
    drawn = chance_after_draw(odds)
    gain_card(view, odds, view.top)
    if view.phase == Phase.BUY:
        row[ODDS_GAINED] = in_thousandths(chance_after_draw(odds) - now)
    else:
        row[ODDS_GAINED] = in_thousandths(chance_after_discard(view, odds, view.top) - drawn)


@jit
def in_thousandths(difference):
    """A difference of chances as an int8, cut off at 127."""
    return min(max(round(1000 * difference), -MOST), MOST)


@jit
def mark_fits(view, row):
    for r in range(view.num_seats):
        for g in range(MAX_GROUPS):
            group = view.seats[r].groups[g]
            if group.length == 0:
                break
            for place in range(NUM_PLACES):
                face = face_wanted(group, place)
                if face != NO_FACE:
                    row[FITS + face] = 1
