"""The solver against the slow plain oracle, on hands of all kinds, and by hand."""

import numpy as np
import oracle
import pytest

from jo_env.cards import FACE_NAMES, NUM_RANKS, parse_face
from jo_env.jo.goals import FOURS, THREES
from jo_env.jo.solver import solve
from jo_env.jo.state import MAX_HAND

ROUNDS = range(1, 8)
KINDS = ("any", "few ranks", "few suits", "few neighbours")


def solved(cards: list[str], threes: int, fours: int) -> tuple[int, set[str]]:
    hand = np.bincount([parse_face(card) for card in cards], minlength=52).astype(np.int8)
    nearer = np.full(52, 9, np.int8)
    before = hand.copy()
    missing = solve(hand, threes, fours, nearer)
    assert (hand == before).all()
    assert set(nearer) <= {0, 1}
    return int(missing), {FACE_NAMES[face] for face in np.flatnonzero(nearer)}


def random_hand(rng: np.random.Generator, kind: str, decks: int, size: int) -> list[str]:
    """Cards of a shoe of whole packs, or only those of a few ranks, a few suits or neighbouring ranks."""
    shoe = np.repeat(np.arange(52), decks)
    if kind == "few ranks":
        shoe = shoe[np.isin(shoe % NUM_RANKS, rng.choice(NUM_RANKS, 5, replace=False))]
    elif kind == "few suits":
        shoe = shoe[np.isin(shoe // NUM_RANKS, rng.choice(4, 2, replace=False))]
    elif kind == "few neighbours":
        shoe = shoe[(shoe % NUM_RANKS - rng.integers(NUM_RANKS)) % NUM_RANKS < 6]
    return [FACE_NAMES[face] for face in rng.choice(shoe, min(size, len(shoe)), replace=False)]


@pytest.mark.parametrize("round_number", ROUNDS)
@pytest.mark.parametrize("kind", KINDS)
def test_random_hands_agree_with_the_oracle(round_number, kind):
    threes, fours = int(THREES[round_number]), int(FOURS[round_number])
    rng = np.random.default_rng([round_number, KINDS.index(kind)])
    for i in range(25):
        size = int(rng.integers(10, MAX_HAND + 1)) if i % 4 == 0 else int(rng.integers(8, 15))
        hand = random_hand(rng, kind, decks=2 + i % 3, size=size)
        want = oracle.missing(hand, threes, fours), oracle.nearer(hand, threes, fours)
        assert solved(hand, threes, fours) == want, sorted(hand)


@pytest.mark.parametrize(
    ("cards", "goal", "missing", "nearer"),
    [
        # A pair and two single cards: another king, or a partner for the ten or the two.
        ("KC KD TH 2S", (2, 0), 3, "KC KD KH KS TC TD TH TS 2C 2D 2H 2S"),
        # Four of a rank are one three and the first card of another.
        ("7C 7D 7H 7S", (2, 0), 2, "7C 7D 7H 7S"),
        # The ace is low or high.
        ("AC 2C 3C", (0, 1), 1, "4C"),
        ("QC KC AC", (0, 1), 1, "JC"),
        # ... and never in the middle.
        ("KC AC 2C", (0, 1), 2, "JC QC 3C 4C"),
        # One ace cannot serve at both ends, a second one can.
        ("AC 2C 3C 4C JC QC KC", (0, 2), 1, "TC AC 5C"),
        ("AC 2C 3C 4C JC QC KC AC", (0, 2), 0, ""),
        # Two runs of one suit may overlap: in the six, held twice, or in five and six.
        ("3H 4H 5H 6H 6H 7H 8H", (0, 2), 1, "5H 9H"),
        # The three takes the seven that the run would have, unless there is one to spare.
        ("7C 7D 7H 8H 9H TH", (1, 1), 1, "7C 7D 7H 7S JH"),
        ("7C 7D 7S 7H 8H 9H TH", (1, 1), 0, ""),
        # Of four jacks, one is left for the runs, which lack the second jack of spades: any jack frees it.
        ("9S TC JC JD JS JS QH QS QS KS", (1, 2), 3, "TS AS JC JD JH JS"),
        # All that fits a run with the one card held.
        ("2C", (0, 1), 3, "AC 3C 4C 5C"),
    ],
)
def test_hands_told_by_hand(cards, goal, missing, nearer):
    assert solved(cards.split(), *goal) == (missing, set(nearer.split()))


def test_an_empty_hand_lacks_the_whole_goal():
    for threes, fours in zip(THREES[1:], FOURS[1:], strict=True):
        assert solved([], int(threes), int(fours)) == (3 * threes + 4 * fours, set(FACE_NAMES))


def test_sixteen_cards_of_one_rank_are_as_good_as_fifteen():
    kings = ["KC", "KD", "KH", "KS"] * 4
    assert solved(kings, 3, 0) == (0, set())
    assert solved(kings, 1, 2)[0] == 6
