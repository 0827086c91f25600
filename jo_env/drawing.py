"""Cards and tables for people: words and colours for a terminal, and shapes for a picture."""

from typing import Any

import numpy as np

from jo_env.cards import NUM_RANKS, RANKS

SYMBOLS = "♣♦♥♠"

# --- text -----------------------------------------------------------------------------------------

BOLD, DIM, RED, GREEN, RESET = "\033[1m", "\033[2m", "\033[91m", "\033[92m", "\033[0m"
WIDTH = 88
NUM_PILE_SHOWN = 16


def card_text(face: int) -> str:
    """A face with its suit as a symbol, as in `T♥`."""
    suit, rank = divmod(face, NUM_RANKS)
    return RANKS[rank] + SYMBOLS[suit]


def symbols(card: str) -> str:
    """A card's text with its suit as a symbol."""
    return card.translate(str.maketrans("CDHS", SYMBOLS))


def pile_lines(stock_size: int, pile: list[int]) -> list[str]:
    """The stock, and the faces of the pile with the top one marked."""
    texts = [card_text(face) for face in pile[-NUM_PILE_SHOWN:]]
    more = "… " if len(pile) > NUM_PILE_SHOWN else ""
    shown = more + " ".join(texts[:-1] + [f"[{card}]" for card in texts[-1:]]) if texts else "empty"
    return [f"  stock {stock_size}   pile {shown}", ""]


def painted(lines: list[str], color: bool) -> str:
    """The lines as one text, with terminal colours or without."""
    text = "\n".join(line.rstrip() for line in lines)
    if not color:
        for code in (BOLD, DIM, GREEN, RESET):
            text = text.replace(code, "")
        return text
    for suit in "♦♥":
        for rank in RANKS:
            text = text.replace(rank + suit, f"{RED}{rank}{suit}{RESET}")
    return text


# --- picture --------------------------------------------------------------------------------------

IMAGE_WIDTH, IMAGE_HEIGHT = 960, 640
SCALE = 2  # drawn larger, then reduced, so that curves come out smooth
FELT, FELT_EDGE, PLATE, ASKED = "#1f6b45", "#6b4526", "#185638", "#f2c14e"
INK, SUIT_RED, PAPER, FAINT, BACK = "#20242b", "#c22f2f", "#fdfcf7", "#a9cdb9", "#2e4a85"
Size = tuple[int, int]
Box = tuple[float, float, float, float]


class Canvas:
    """A drawing surface in table coordinates, with the shapes a card table needs."""

    def __init__(self) -> None:
        # Only pictures need Pillow, so it is imported when one is drawn.
        from PIL import Image, ImageDraw, ImageFont

        self._image = Image.new("RGB", (IMAGE_WIDTH * SCALE, IMAGE_HEIGHT * SCALE), FELT_EDGE)
        self._draw = ImageDraw.Draw(self._image)
        self._load_font = ImageFont.load_default
        self._fonts: dict[float, Any] = {}

    def pixels(self) -> np.ndarray:
        return np.array(self._image.reduce(SCALE))

    def _box(self, box: Box) -> list[float]:
        return [SCALE * value for value in box]

    def felt(self) -> None:
        whole = self._box((5, 5, IMAGE_WIDTH - 5, IMAGE_HEIGHT - 5))
        self._draw.rounded_rectangle(whole, 18 * SCALE, fill=FELT)

    def panel(self, box: Box, outline: str | None) -> None:
        self._draw.rounded_rectangle(self._box(box), 12 * SCALE, fill=PLATE, outline=outline, width=2 * SCALE)

    def outline(self, box: Box, color: str, width: int) -> None:
        self._draw.rounded_rectangle(self._box(box), 7 * SCALE, outline=color, width=width * SCALE)

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        self._draw.ellipse(self._box((x - radius, y - radius, x + radius, y + radius)), fill=color)

    def font(self, size: float) -> Any:
        if size not in self._fonts:
            self._fonts[size] = self._load_font(size=size * SCALE)
        return self._fonts[size]

    def write(self, x: float, y: float, text: str, size: float, color: str, align: str = "left") -> float:
        """Text with its middle at height y; suit symbols are drawn. Returns the x of its far end."""
        font = self.font(size)
        pieces: list[str] = [""]
        for letter in text:
            if letter in SYMBOLS:
                pieces += [letter, ""]
            else:
                pieces[-1] += letter
        widths = [size * 0.9 if p in SYMBOLS and p else font.getlength(p) / SCALE for p in pieces]
        start = x - {"left": 0, "middle": sum(widths) / 2, "right": sum(widths)}[align]
        at = start
        for piece, width in zip(pieces, widths, strict=True):
            if piece and piece in SYMBOLS:
                self.suit(at + width / 2, y, size * 0.72, SYMBOLS.index(piece), color)
            else:
                self._draw.text((at * SCALE, y * SCALE), piece, fill=color, font=font, anchor="lm")
            at += width
        return start if align == "right" else at

    def badge(self, x: float, y: float, text: str, fill: str, ink: str) -> float:
        width = max(18, self.font(13).getlength(text) / SCALE + 12)
        self._draw.rounded_rectangle(self._box((x, y - 9, x + width, y + 9)), 9 * SCALE, fill=fill)
        self.write(x + width / 2, y, text, 13, ink, "middle")
        return x + width + 7

    def row(self, groups: list[list[int]], ends: tuple[float, float], y: float, size: Size) -> None:
        """Groups of overlapping cards side by side, centred, closer together where there are many."""
        width, gap = size[0], 16
        num_steps = sum(len(faces) - 1 for faces in groups if faces)
        fixed = width * len(groups) + gap * (len(groups) - 1)
        step = min(width * 0.62, (ends[1] - ends[0] - fixed) / max(num_steps, 1))
        x = (ends[0] + ends[1] - fixed - step * num_steps) / 2
        for faces in groups:
            for i, face in enumerate(faces):
                self.card(x + step * i, y, size, face, is_top=i == len(faces) - 1)
            x += step * (len(faces) - 1) + width + gap

    def card(self, x: float, y: float, size: Size, face: int, is_top: bool) -> None:
        """A card; one that others lie on shows its corner only."""
        suit, rank = divmod(face, NUM_RANKS)
        width, height = size
        color = SUIT_RED if suit in (1, 2) else INK
        self._draw.rounded_rectangle(
            self._box((x, y, x + width, y + height)), 5 * SCALE, fill=PAPER, outline="#8d8d86", width=SCALE
        )
        name = "10" if RANKS[rank] == "T" else RANKS[rank]
        letter = width * 0.3
        middle = x + width * 0.19
        self.write(middle, y + height * 0.15, name, letter, color, "middle")
        self.suit(middle, y + height * 0.34, width * 0.22, suit, color)
        if is_top:
            self.suit(x + width * 0.6, y + height * 0.63, width * 0.5, suit, color)

    def card_back(self, x: float, y: float, size: Size) -> None:
        width, height = size
        for i in (2, 1, 0):
            box = self._box((x + 2 * i, y - 2 * i, x + 2 * i + width, y - 2 * i + height))
            self._draw.rounded_rectangle(box, 5 * SCALE, fill=PAPER, outline="#8d8d86", width=SCALE)
        self._draw.rounded_rectangle(
            self._box((x + 5, y + 5, x + width - 5, y + height - 5)), 4 * SCALE, fill=BACK
        )
        for row in range(5):
            for column in range(3):
                self.suit(x + width * (column + 1) / 4, y + height * (row + 1) / 6, 7, 1, "#5f7fc0")

    def suit(self, x: float, y: float, size: float, suit: int, color: str) -> None:
        """A suit symbol of a height, about its middle: no font is needed for it."""

        def polygon(*points: tuple[float, float]) -> None:
            self._draw.polygon([(SCALE * (x + size * a), SCALE * (y + size * b)) for a, b in points], color)

        def disc(a: float, b: float, radius: float) -> None:
            self.dot(x + size * a, y + size * b, size * radius, color)

        stem = ((0, 0.05), (0.2, 0.5), (-0.2, 0.5))
        if suit == 0:
            disc(0, -0.24, 0.24)
            disc(-0.25, 0.1, 0.24)
            disc(0.25, 0.1, 0.24)
            disc(0, 0, 0.12)
            polygon(*stem)
        elif suit == 1:
            polygon((0, -0.52), (0.38, 0), (0, 0.52), (-0.38, 0))
        elif suit == 2:
            disc(-0.22, -0.2, 0.25)
            disc(0.22, -0.2, 0.25)
            polygon((-0.45, -0.1), (0, -0.22), (0.45, -0.1), (0, 0.5))
        else:
            disc(-0.2, 0.1, 0.23)
            disc(0.2, 0.1, 0.23)
            polygon((0, -0.5), (0.41, 0.02), (0, 0.2), (-0.41, 0.02))
            polygon(*stem)
