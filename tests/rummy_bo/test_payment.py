"""The payment against an exhaustive search, on hands of every size, and by hand."""

import time

import numpy as np
import pytest

from jo_env.cards import FACE_NAMES, parse_face
from jo_env.rummy_bo.payment import least_count, points_of
from jo_env.rummy_bo.state import MAX_HAND
from rummy_bo import oracle

KINDS = ("any", "few ranks", "few suits")


def bits(cards) -> np.uint64:
    return np.uint64(sum(1 << parse_face(card) for card in cards))


def counted(cards: list[str]) -> tuple[int, list[str]]:
    points, loose = least_count(bits(cards))
    return int(points), [FACE_NAMES[face] for face in range(52) if int(loose) >> face & 1]


def random_hand(rng: np.random.Generator, kind: str, size: int) -> list[str]:
    """Cards of the whole pack, or only those of a few ranks or of two suits."""
    pack = np.arange(52)
    if kind == "few ranks":
        pack = pack[np.isin(pack % 13, rng.choice(13, min(13, 2 + size // 3), replace=False))]
    elif kind == "few suits" and size <= 26:
        pack = pack[np.isin(pack // 13, rng.choice(4, 2, replace=False))]
    return [FACE_NAMES[face] for face in rng.choice(pack, min(size, len(pack)), replace=False)]


@pytest.mark.parametrize("size", range(1, MAX_HAND + 1))
def test_random_hands_pay_what_the_search_finds(size):
    rng = np.random.default_rng(size)
    for i in range(60 if size < 24 else 9 if size < 34 else 3):
        hand = random_hand(rng, KINDS[i % 3], size)
        points, loose = counted(hand)
        assert points == oracle.payment(hand), hand
        # The cards left over are of the hand, count so much, and the others are matched without loss.
        assert set(loose) <= set(hand)
        assert points == sum(map(oracle.worth, loose)) == points_of(bits(loose))
        assert oracle.payment(set(hand) - set(loose)) == 0


@pytest.mark.parametrize(
    ("cards", "points", "loose"),
    [
        ("AC", 11, "AC"),
        ("2C 3D 4H 5S 6C 7D 8H 9S", 44, "2C 3D 4H 5S 6C 7D 8H 9S"),
        ("TC JD QH KS", 40, "TC JD QH KS"),
        ("7C 7D 7H", 0, ""),
        ("7C 7D", 14, "7C 7D"),
        ("AC 2C 3C", 0, ""),
        ("QC KC AC", 0, ""),
        ("KC AC 2C", 0, ""),  # round the corner
        ("KC AC 3C", 24, "KC AC 3C"),
        # The seven belongs to the set or to the run.
        ("7C 7D 7H 8C 9C", 14, "7D 7H"),
        ("7C 7D 7H 7S 8C 9C", 0, ""),
        ("3C 7C 7D 7H 8C 9C TC", 3, "3C"),  # all in both
        # Either of the sevens may be spared, but not both.
        ("5C 6C 7C 7D 7H 7S 8S 9S", 11, "5C 6C"),
        # Two runs in a row, and one that closes the circle.
        ("AC 2C 3C JC QC KC", 0, ""),
        (" ".join(rank + "C" for rank in "A23456789TJQK"), 0, ""),
        # Three aces are worth more than the run that one of them would make.
        ("AC AD AH 2C 3C", 5, "2C 3C"),
        ("AC 2C 2D 2H 3C", 4, "2D 2H"),
    ],
)
def test_hands_told_by_hand(cards, points, loose):
    assert counted(cards.split()) == (points, sorted(loose.split(), key=parse_face))


def test_an_empty_hand_pays_nothing_and_the_whole_pack_neither():
    assert counted([]) == (0, [])
    assert counted(list(FACE_NAMES)) == (0, [])
    assert points_of(bits(FACE_NAMES)) == 4 * (11 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 4 * 10) == 380


def test_it_is_fast_at_every_size():
    """The slowest of many hands, each at its best of three: what a computer does besides is not counted."""
    rng = np.random.default_rng(0)
    slowest, size_of_slowest = 0.0, 0
    for size in range(1, MAX_HAND + 1):
        for _ in range(200):
            hand = bits(FACE_NAMES[face] for face in rng.choice(52, size, replace=False))
            times = []
            for _ in range(3):
                start = time.perf_counter()
                least_count(hand)
                times.append(time.perf_counter() - start)
            if min(times) > slowest:
                slowest, size_of_slowest = min(times), size
    print(f"slowest hand: {1e6 * slowest:.0f} microseconds, with {size_of_slowest} cards")
    assert slowest < 0.005
