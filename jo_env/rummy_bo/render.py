"""The table for people: as text for a terminal, and as a picture.

Both show what a spectator standing behind all seats sees; the text can also be kept to one seat's view.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, parse_face
from jo_env.drawing import (
    ASKED,
    BOLD,
    DIM,
    FAINT,
    GREEN,
    GROUP_CARD,
    HAND_CARD,
    IMAGE_HEIGHT,
    IMAGE_WIDTH,
    INK,
    PAPER,
    PILE_CARD,
    RESET,
    SYMBOLS,
    WIDTH,
    Box,
    Canvas,
    card_text,
    painted,
    with_symbols,
)
from jo_env.fields import Json
from jo_env.rummy_bo.notation import group_json
from jo_env.rummy_bo.state import Phase

NUM_PILE_SHOWN = 16
NUM_EVENTS_SHOWN = 6


# --- words ----------------------------------------------------------------------------------------


def hand_text(game: np.record) -> str:
    """Which hand is played, or that the game is over."""
    if game.phase == Phase.OVER:
        return "Game over"
    return f"Hand {int(game.num_finished) + 1} of {int(game.num_hands)}"


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
        return f"{name} to play"
    if game.stock_size == 0:
        return f"{name}: take the top, or turn the pile over?"
    return f"{name}: draw from the stock{', or take two?' if game.discard_size > 1 else '?'}"


def event_text(event: Json) -> str:
    """An event of the public history in words."""
    name = f"player_{event['seat']}"
    cards = " ".join(with_symbols(card) for card in event.get("cards", [event.get("card", "")]))
    match event["event"]:
        case "draw" if event["from"] == "stock":
            return f"{name} draws {cards}".rstrip()
        case "draw":
            return f"{name} takes {cards}"
        case "turn_over":
            return f"{name} turns the pile over and draws {cards}"
        case "lay":
            return f"{name} lays {cards}"
        case "lay_off":
            return f"{name} adds {cards} to group {event['group']}"
        case _:
            return f"{name} throws {cards}"


def _hand_faces(game: np.record, seat: int) -> list[int]:
    return [face for face in range(NUM_FACES) if int(game.held[seat]) >> face & 1]


def _group_faces(game: np.record) -> list[list[int]]:
    """The faces of the groups on the table, a set by suit and a run from low to high."""
    return [
        [parse_face(card) for card in group_json(group)["cards"]] for group in game.groups[: game.num_groups]
    ]


# --- text -----------------------------------------------------------------------------------------


def table_text(game: np.record, events: list[Json], seat: int | None = None, color: bool = True) -> str:
    """The table as text: all hands open, or only that of `seat`; with terminal colours or without."""
    title = f"RUMMY BO   {hand_text(game)}"
    if game.phase != Phase.OVER:
        title += f"   (turn {int(game.turns) + 1})"
    pile = [card_text(face) for face in game.discard[: game.discard_size][-NUM_PILE_SHOWN:]]
    more = "… " if game.discard_size > NUM_PILE_SHOWN else ""
    shown = more + " ".join(pile[:-1] + [f"[{card}]" for card in pile[-1:]]) if pile else "empty"
    lines = [f"{BOLD}{title}{RESET}", "─" * WIDTH, f"  stock {int(game.stock_size)}   pile {shown}"]
    for i, faces in enumerate(_group_faces(game)):
        lines.append(f"  group {i:<3} {' '.join(map(card_text, faces))}")
    lines.append("")
    for s in range(int(game.num_seats)):
        lines += _seat_lines(game, s, seat is None or s == seat) + [""]
    lines += ["─" * WIDTH, f"{BOLD}{asked_text(game)}{RESET}"]
    if events:
        lines += [f"{DIM}before: {'; '.join(map(event_text, events[-NUM_EVENTS_SHOWN:]))}{RESET}"]
    return painted("\n".join(line.rstrip() for line in lines), color)


def _seat_lines(game: np.record, seat: int, is_open: bool) -> list[str]:
    marker = f"{GREEN}▶{RESET}" if seat == game.acting else " "
    size = int(game.hand_size[seat])
    notes = [f"{size} card{'s' * (size != 1)}"]
    marks = {
        "has melded": game.has_melded[seat],
        "dealer": seat == game.dealer,
        "on turn": seat == game.turn and game.phase != Phase.OVER,
    }
    notes += [text for text, applies in marks.items() if applies]
    lines = [f"{marker} {BOLD}player_{seat}{RESET}{int(game.scores[seat]):6d} points   {' · '.join(notes)}"]
    if is_open and size:
        faces = _hand_faces(game, seat)
        suits = [[card_text(f) for f in faces if f // NUM_RANKS == suit] for suit in range(len(SYMBOLS))]
        lines.append("    hand    " + "   ".join(" ".join(cards) for cards in suits if cards))
    return lines


# --- picture --------------------------------------------------------------------------------------

PANEL_HEIGHT = 122
GROUPS_A_ROW = 6


def table_image(game: np.record, events: list[Json]) -> np.ndarray:
    """The table as a picture, uint8[640, 960, 3]."""
    canvas = Canvas()
    canvas.felt()
    canvas.write(20, 29, hand_text(game), 22, PAPER)
    if game.phase != Phase.OVER:
        canvas.write(IMAGE_WIDTH - 20, 29, f"turn {int(game.turns) + 1}", 16, FAINT, "right")
    _draw_middle(canvas, game, events)
    for seat in range(int(game.num_seats)):
        _draw_seat(canvas, game, seat)
    return canvas.pixels()


def _panel(seat: int, num_seats: int) -> Box:
    """Where a seat sits: seat 0 and the last ones below, the others above, on round the table."""
    num_above = num_seats // 2
    is_above = 0 < seat <= num_above
    row = num_above if is_above else num_seats - num_above
    place = seat - 1 if is_above else -seat % num_seats
    width = (IMAGE_WIDTH - 28 - 10 * (row - 1)) / row
    x = 14 + (width + 10) * place
    y = 52 if is_above else IMAGE_HEIGHT - PANEL_HEIGHT - 12
    return x, y, x + width, y + PANEL_HEIGHT


def _draw_middle(canvas: Canvas, game: np.record, events: list[Json]) -> None:
    """Stock, pile with the cards last thrown, what is asked, what happened before, and the groups."""
    y = 186
    width, height = PILE_CARD
    if game.stock_size:
        canvas.card_back(24, y, PILE_CARD)
    canvas.write(24 + width / 2, y + height + 14, f"stock {int(game.stock_size)}", 14, FAINT, "middle")
    faces = [int(face) for face in game.discard[: game.discard_size][-9:]]
    step = 26
    for i, face in enumerate(faces):
        canvas.card(112 + step * i, y, PILE_CARD, face, is_top=i == len(faces) - 1)
    canvas.write(112, y + height + 14, f"pile {int(game.discard_size)}", 14, FAINT)
    canvas.write(432, y + 10, asked_text(game), 19, ASKED)
    for i, event in enumerate(reversed(events[-4:])):
        canvas.write(432, y + 38 + 20 * i, event_text(event), 14, FAINT)
    groups = _group_faces(game)
    for first in range(0, min(len(groups), 3 * GROUPS_A_ROW), GROUPS_A_ROW):
        row = groups[first : first + GROUPS_A_ROW]
        canvas.row(row, (24, IMAGE_WIDTH - 24), 306 + 64 * first // GROUPS_A_ROW, GROUP_CARD)


def _draw_seat(canvas: Canvas, game: np.record, seat: int) -> None:
    """Name plate and hand."""
    box = _panel(seat, int(game.num_seats))
    left, top, right = box[:3]
    is_asked = seat == game.acting
    canvas.panel(box, ASKED if is_asked else None)
    plate = top + 18
    inner = (left + 14, right - 14)
    x = canvas.write(inner[0], plate, f"player_{seat}", 18, ASKED if is_asked else PAPER) + 14
    if seat == game.dealer:
        x = canvas.badge(x, plate, "D", PAPER, INK)
    if game.has_melded[seat]:
        canvas.badge(x, plate, "melded", "#7fd0a0", INK)
    text = f"{int(game.hand_size[seat])} cards  {int(game.scores[seat])} points"
    canvas.write(inner[1], plate, text, 14, PAPER, "right")
    canvas.row([_hand_faces(game, seat)], inner, top + 38, HAND_CARD)
