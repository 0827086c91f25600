"""What the tables of all games say to a person at a terminal, in the same words."""

from collections.abc import Sequence

from jo_env.cards import RANKS, SUITS

PILE_SHOWN = 12


def seat_name(seat: int, own: int | None) -> str:
    """A seat as its reader, in seat `own`, calls it."""
    return "you" if seat == own else f"player {seat}"


def num_cards_text(size: int) -> str:
    return f"{size} card{'s' if size != 1 else ''}"


def pile_line(pile: Sequence[str]) -> str:
    """The last cards of the discard pile, the top in brackets."""
    last = pile[-PILE_SHOWN:]
    shown = " ".join([*last[:-1], *(f"[{card}]" for card in last[-1:])]) or "empty"
    return f"  pile: {'... ' if len(pile) > PILE_SHOWN else ''}{shown}"


def hand_lines(hand: Sequence[str]) -> list[str]:
    """A hand by suit, and again by rank."""
    by_suit = [[card for card in hand if card[1] == suit] for suit in SUITS]
    by_rank = sorted(hand, key=lambda card: RANKS.index(card[0]))
    return [
        f"  your hand: {'   '.join(' '.join(cards) for cards in by_suit if cards)}",
        f"    by rank: {' '.join(by_rank)}",
    ]
