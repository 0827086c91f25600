"""The table for people: as text for a terminal, and as a picture.

Both show what a spectator standing behind all seats sees; the text can also be kept to one seat's view.
"""

import numpy as np

from jo_env.cards import NUM_RANKS
from jo_env.drawing import (
    ASKED,
    BOLD,
    DIM,
    FAINT,
    GREEN,
    IMAGE_HEIGHT,
    IMAGE_WIDTH,
    INK,
    PAPER,
    RESET,
    SYMBOLS,
    WIDTH,
    Box,
    Canvas,
    card_text,
    painted,
    pile_lines,
    symbols,
)
from jo_env.fields import Json
from jo_env.rummy_bo.notation import faces_of, group_faces, plain_groups
from jo_env.rummy_bo.state import Phase

# --- words ----------------------------------------------------------------------------------------


def hand_text(game: np.record) -> str:
    """Which hand and turn it is, or that the game is over."""
    if game.phase == Phase.OVER:
        return "Game over"
    return f"Hand {int(game.num_finished) + 1} of {int(game.num_hands)}, turn {int(game.turns) + 1}"


def asked_text(game: np.record) -> str:
    """Who is asked what; after the end, who has won."""
    n = int(game.num_seats)
    if game.phase == Phase.OVER:
        most = game.scores[:n].max()
        winners = [f"player_{s}" for s in range(n) if game.scores[s] == most]
        if len(winners) == 1:
            return f"{winners[0]} wins with {most} points"
        return f"{' and '.join(winners)} share the win with {most} points"
    name = f"player_{int(game.acting)}"
    if game.phase == Phase.PLAY:
        taken = " and the ".join(map(card_text, faces_of(int(game.taken))))
        return f"{name} to play, having taken the {taken}" if taken else f"{name} to play"
    pile = game.discard[: game.discard_size].tolist()
    if game.stock_size == 0:
        return f"{name}: take the {card_text(pile[-1])}, or turn the pile over?"
    if len(pile) < 2:
        return f"{name} to draw"
    return f"{name}: draw, or take the {card_text(pile[-1])} and the {card_text(pile[-2])}?"


def event_text(event: Json) -> str:
    """An event of the public history in words."""
    name = f"player_{event.get('seat')}"
    cards = " ".join(map(symbols, event.get("cards") or [event.get("card") or ""]))
    match event["event"]:
        case "draw" if event["from"] == "discard":
            return f"{name} takes {cards}"
        case "draw":
            return f"{name} draws {cards or event.get('count', '')}".rstrip()
        case "turn_over":
            return f"{name} turns the pile over"
        case "lay":
            return f"{name} lays {cards}"
        case "lay_off":
            return f"{name} lays {cards} on group {event['group']}"
        case _:
            return f"{name} throws {cards}"


def _group_faces(game: np.record) -> list[list[int]]:
    return [group_faces(group) for group in plain_groups(game.groups[: game.num_groups])]


# --- text -----------------------------------------------------------------------------------------

NUM_EVENTS_SHOWN = 6


def table_text(game: np.record, events: list[Json], seat: int | None = None, color: bool = True) -> str:
    """The table as text: all hands open, or only that of `seat`; with terminal colours or without."""
    lines = [f"{BOLD}RUMMY BO   {hand_text(game)}{RESET}", "─" * WIDTH]
    lines += pile_lines(int(game.stock_size), game.discard[: game.discard_size].tolist())
    for i, faces in enumerate(_group_faces(game)):
        lines.append(f"  group {i:2d}   {' '.join(map(card_text, faces))}")
    if game.num_groups:
        lines.append("")
    for s in range(int(game.num_seats)):
        lines += _seat_lines(game, s, seat is None or s == seat) + [""]
    lines += ["─" * WIDTH, f"{BOLD}{asked_text(game)}{RESET}"]
    if events:
        lines += [f"{DIM}before: {'; '.join(map(event_text, events[-NUM_EVENTS_SHOWN:]))}{RESET}"]
    return painted(lines, color)


def _seat_lines(game: np.record, seat: int, is_open: bool) -> list[str]:
    public = game.public[seat]
    marker = f"{GREEN}▶{RESET}" if seat == game.acting else " "
    size = int(public.hand_size)
    notes = [f"{size} card{'s' * (size != 1)}"]
    marks = {
        "has melded": public.has_melded,
        "dealer": seat == game.dealer,
        "on turn": seat == game.turn and game.phase != Phase.OVER,
    }
    notes += [text for text, applies in marks.items() if applies]
    lines = [f"{marker} {BOLD}player_{seat}{RESET}{int(game.scores[seat]):6d} points   {' · '.join(notes)}"]
    if is_open and size:
        faces = faces_of(int(game.own[seat].cards))
        suits = [[card_text(f) for f in faces if f // NUM_RANKS == suit] for suit in range(len(SYMBOLS))]
        lines.append("    hand    " + "   ".join(" ".join(cards) for cards in suits if cards))
    return lines


# --- picture --------------------------------------------------------------------------------------

HAND_CARD, GROUP_CARD, PILE_CARD = (46, 66), (42, 60), (58, 84)
PANEL_WIDTH, PANEL_HEIGHT = 304, 122
# Where the seats sit, by column and row, seat 0 at the bottom, the others on round the table to its left.
PLACES = {
    2: [(1, 1), (1, 0)],
    3: [(1, 1), (0, 0), (2, 0)],
    4: [(1, 1), (0, 0), (1, 0), (2, 0)],
    5: [(1, 1), (0, 1), (0, 0), (2, 0), (2, 1)],
    6: [(1, 1), (0, 1), (0, 0), (1, 0), (2, 0), (2, 1)],
}
GROUPS_IN_A_ROW = 9


def table_image(game: np.record, events: list[Json]) -> np.ndarray:
    """The table as a picture, uint8[640, 960, 3]."""
    canvas = Canvas()
    canvas.felt()
    canvas.write(20, 29, hand_text(game), 22, PAPER)
    _draw_middle(canvas, game, events)
    for seat in range(int(game.num_seats)):
        _draw_seat(canvas, game, seat)
    return canvas.pixels()


def _panel(seat: int, num_seats: int) -> Box:
    column, row = PLACES[num_seats][seat]
    x = 14 + column * (PANEL_WIDTH + 10)
    y = IMAGE_HEIGHT - PANEL_HEIGHT - 12 if row else 52
    return x, y, x + PANEL_WIDTH, y + PANEL_HEIGHT


def _draw_middle(canvas: Canvas, game: np.record, events: list[Json]) -> None:
    """Stock, pile with the cards last thrown, what is asked and what happened before, and the groups."""
    y = 188
    width, height = PILE_CARD
    if game.stock_size:
        canvas.card_back(24, y, PILE_CARD)
    canvas.write(24 + width / 2, y + height + 14, f"stock {int(game.stock_size)}", 14, FAINT, "middle")
    faces = game.discard[: game.discard_size][-9:].tolist()
    step = 26
    for i, face in enumerate(faces):
        canvas.card(112 + step * i, y, PILE_CARD, face, is_top=i == len(faces) - 1)
    if faces:
        end = 112 + step * (len(faces) - 1)
        canvas.outline((end - 2, y - 2, end + width + 2, y + height + 2), ASKED, 2)
    canvas.write(112, y + height + 14, f"pile {int(game.discard_size)}", 14, FAINT)
    canvas.write(432, y + 10, asked_text(game), 19, ASKED)
    for i, event in enumerate(reversed(events[-4:])):
        canvas.write(432, y + 38 + 20 * i, event_text(event), 14, FAINT)
    groups = _group_faces(game)
    for i in range(0, len(groups), GROUPS_IN_A_ROW):
        top = y + height + 32 + i // GROUPS_IN_A_ROW * (GROUP_CARD[1] + 8)
        canvas.row(groups[i : i + GROUPS_IN_A_ROW], (24, IMAGE_WIDTH - 24), top, GROUP_CARD)
    if not groups and game.phase != Phase.OVER:
        canvas.write(IMAGE_WIDTH / 2, 360, "nothing on the table yet", 15, "#3f8a63", "middle")


def _draw_seat(canvas: Canvas, game: np.record, seat: int) -> None:
    """Name plate and hand."""
    left, top, right, bottom = box = _panel(seat, int(game.num_seats))
    public = game.public[seat]
    is_asked = seat == game.acting
    canvas.panel(box, ASKED if is_asked else None)
    is_bottom = top > IMAGE_HEIGHT / 2
    plate = bottom - 20 if is_bottom else top + 20
    hand = top + 12 if is_bottom else bottom - 12 - HAND_CARD[1]
    inner = (left + 14, right - 14)
    x = canvas.write(inner[0], plate, f"player_{seat}", 17, ASKED if is_asked else PAPER) + 10
    if seat == game.dealer:
        x = canvas.badge(x, plate, "D", PAPER, INK)
    if public.has_melded:
        canvas.badge(x, plate, "melded", "#7fd0a0", INK)
    canvas.write(inner[1], plate, f"{int(game.scores[seat])} points", 15, PAPER, "right")
    canvas.row([faces_of(int(game.own[seat].cards))], inner, hand, HAND_CARD)
