"""The table for people: as text for a terminal, and as a picture.

Both show what a spectator standing behind all seats sees; the text can also be kept to one seat's view.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS
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
from jo_env.jo.state import MAX_BUYS, NO_FACE, Phase

NUMBERS = ("no", "one", "two", "three")


# --- words ----------------------------------------------------------------------------------------


def goal_text(threes: int, fours: int) -> str:
    """A goal in words, as in `one three and two fours`."""
    parts = [(threes, "three"), (fours, "four")]
    return " and ".join(f"{NUMBERS[n]} {kind}{'s' * (n > 1)}" for n, kind in parts if n > 0)


def round_text(game: np.record) -> str:
    """Round and goal, or that the game is over."""
    if game.phase == Phase.OVER:
        return "Game over"
    number = int(game.rounds[game.num_finished])
    return f"Round {number}: {goal_text(int(game.table.threes), int(game.table.fours))}"


def asked_text(game: np.record) -> str:
    """Who is asked what; after the end, who has won."""
    n = int(game.num_seats)
    if game.phase == Phase.OVER:
        least = game.scores[:n].min()
        winners = [f"player_{s}" for s in range(n) if game.scores[s] == least]
        if len(winners) == 1:
            return f"{winners[0]} wins with {least} points"
        return f"{' and '.join(winners)} share the win with {least} points"
    name = f"player_{int(game.acting)}"
    if game.phase == Phase.BUY:
        return f"{name}: buy the {_top_text(game)} or pass?"
    if game.phase == Phase.DRAW:
        return f"{name}: draw, or take the {_top_text(game)}?"
    if game.taken != NO_FACE:
        return f"{name} to play, having taken the {card_text(game.taken)}"
    return f"{name} to play"


def event_text(event: Json) -> str:
    """An event of the public history in words."""
    name = f"player_{event.get('seat')}"
    card = symbols(event["card"]) if event.get("card") else ""
    match event["event"]:
        case "request":
            return f"{name} asks to buy"
        case "pass":
            return f"{name} passes"
        case "draw":
            return f"{name} takes the {card}" if card else f"{name} draws"
        case "buy":
            return f"{name} buys the {card}"
        case "go_down":
            groups = [" ".join(map(symbols, group["cards"])) for group in event["groups"]]
            return f"{name} goes down with {' / '.join(groups)}"
        case "lay_off":
            return f"{name} lays {card} on group {event['group']} of player_{event['owner']}"
        case "discard":
            return f"{name} throws {card}"
        case _:
            return "the pile is shuffled into a new stock"


def _top_text(game: np.record) -> str:
    return card_text(game.discard[game.discard_size - 1])


def _hand_faces(game: np.record, seat: int) -> list[int]:
    hand = game.own[seat].hand
    return [face for face in range(NUM_FACES) for _ in range(hand[face])]


def _group_faces(game: np.record, seat: int) -> list[list[int]]:
    """The faces of a seat's groups, a three by suit and a run from low to high."""
    rows = []
    for group in game.public[seat].groups:
        suits = [suit for suit in range(len(SYMBOLS)) for _ in range(group.suits[suit])]
        if group.is_three:
            rows.append([NUM_RANKS * suit + int(group.low) for suit in suits])
        elif group.is_four:
            ranks = range(int(group.low), int(group.low) + int(group.length))
            rows.append([NUM_RANKS * suits[0] + rank % NUM_RANKS for rank in ranks])
    return rows


# --- text -----------------------------------------------------------------------------------------

NUM_EVENTS_SHOWN = 6


def table_text(game: np.record, events: list[Json], seat: int | None = None, color: bool = True) -> str:
    """The table as text: all hands open, or only that of `seat`; with terminal colours or without."""
    n = int(game.num_seats)
    lines = [_title(game), "─" * WIDTH]
    lines += pile_lines(int(game.stock_size), game.discard[: game.discard_size].tolist())
    for s in range(n):
        lines += _seat_lines(game, s, seat is None or s == seat) + [""]
    lines += ["─" * WIDTH, f"{BOLD}{asked_text(game)}{RESET}"]
    if events:
        lines += [f"{DIM}before: {'; '.join(map(event_text, events[-NUM_EVENTS_SHOWN:]))}{RESET}"]
    return painted(lines, color)


def _title(game: np.record) -> str:
    title = f"JO   {round_text(game)}"
    if game.phase != Phase.OVER:
        place = f"{int(game.num_finished) + 1} of {int(game.num_rounds)}"
        title += f"   (hand {place}, turn {int(game.turns) + 1})"
    return f"{BOLD}{title}{RESET}"


def _seat_lines(game: np.record, seat: int, is_open: bool) -> list[str]:
    public = game.public[seat]
    marker = f"{GREEN}▶{RESET}" if seat == game.acting else " "
    size = int(public.hand_size)
    notes = [f"{size} card{'s' * (size != 1)}", f"{int(public.buys_left)} of {MAX_BUYS} buys left"]
    is_on_turn = seat == game.turn and game.phase != Phase.OVER
    marks = {
        "down": public.down,
        "dealer": seat == game.dealer,
        "on turn": is_on_turn,
        "asks to buy": public.has_requested,
    }
    notes += [text for text, applies in marks.items() if applies]
    lines = [f"{marker} {BOLD}player_{seat}{RESET}{int(game.scores[seat]):6d} points   {' · '.join(notes)}"]
    if is_open and size:
        faces = _hand_faces(game, seat)
        suits = [[card_text(f) for f in faces if f // NUM_RANKS == suit] for suit in range(len(SYMBOLS))]
        lines.append("    hand    " + "   ".join(" ".join(cards) for cards in suits if cards))
    groups = [" ".join(map(card_text, faces)) for faces in _group_faces(game, seat)]
    if groups:
        lines.append("    table   " + "  │  ".join(groups))
    return lines


# --- picture --------------------------------------------------------------------------------------

HAND_CARD, GROUP_CARD, PILE_CARD = (52, 74), (42, 60), (64, 92)
PANEL_HEIGHT = 196


def table_image(game: np.record, events: list[Json]) -> np.ndarray:
    """The table as a picture, uint8[640, 960, 3]."""
    canvas = Canvas()
    canvas.felt()
    canvas.write(20, 29, round_text(game), 22, PAPER)
    if game.phase != Phase.OVER:
        place = f"hand {int(game.num_finished) + 1} of {int(game.num_rounds)}, turn {int(game.turns) + 1}"
        canvas.write(IMAGE_WIDTH - 20, 29, place, 16, FAINT, "right")
    _draw_middle(canvas, game, events)
    for seat in range(int(game.num_seats)):
        _draw_seat(canvas, game, seat)
    return canvas.pixels()


def _panel(seat: int, num_seats: int) -> Box:
    """Where a seat sits: seat 0 at the bottom, the others on round the table to its left."""
    top, bottom = 52, IMAGE_HEIGHT - PANEL_HEIGHT - 12
    wide, narrow = (150, 660), (14, 460)
    x, width = wide if num_seats == 2 or (num_seats == 3 and seat == 0) else narrow
    if (x, width) == narrow and seat >= 2:
        x = IMAGE_WIDTH - width - x
    y = top if 0 < seat < 3 else bottom
    return x, y, x + width, y + PANEL_HEIGHT


def _draw_middle(canvas: Canvas, game: np.record, events: list[Json]) -> None:
    """Stock, pile with the cards last thrown, what is asked and what happened before."""
    y = 282
    width, height = PILE_CARD
    if game.stock_size:
        canvas.card_back(24, y, PILE_CARD)
    canvas.write(24 + width / 2, y + height + 14, f"stock {int(game.stock_size)}", 14, FAINT, "middle")
    faces = [int(face) for face in game.discard[: game.discard_size][-9:]]
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


def _draw_seat(canvas: Canvas, game: np.record, seat: int) -> None:
    """Name plate, hand and groups, the groups towards the middle of the table."""
    left, top, right, bottom = box = _panel(seat, int(game.num_seats))
    public = game.public[seat]
    is_asked = seat == game.acting
    canvas.panel(box, ASKED if is_asked else None)
    is_bottom = top > IMAGE_HEIGHT / 2
    plate = bottom - 18 if is_bottom else top + 18
    hand = bottom - 36 - HAND_CARD[1] if is_bottom else top + 36
    groups = top + 12 if is_bottom else bottom - 12 - GROUP_CARD[1]
    inner = (left + 14, right - 14)

    x = canvas.write(inner[0], plate, f"player_{seat}", 18, ASKED if is_asked else PAPER) + 14
    if seat == game.dealer:
        x = canvas.badge(x, plate, "D", PAPER, INK)
    if public.down:
        x = canvas.badge(x, plate, "down", "#7fd0a0", INK)
    if seat == game.turn and game.phase != Phase.OVER:
        x = canvas.badge(x, plate, "turn", ASKED, INK)
    if public.has_requested:
        x = canvas.badge(x, plate, "wants it", "#e88d67", INK)
    end = canvas.write(inner[1], plate, f"{int(game.scores[seat])} points", 16, PAPER, "right") - 16
    end = canvas.write(end, plate, f"{int(public.hand_size)} cards", 14, FAINT, "right") - 14
    canvas.write(end, plate, f"{int(public.buys_left)} buys", 14, FAINT, "right")

    canvas.row([_hand_faces(game, seat)], inner, hand, HAND_CARD)
    laid = _group_faces(game, seat)
    if laid:
        canvas.row(laid, inner, groups, GROUP_CARD)
    elif game.phase != Phase.OVER:
        middle = groups + GROUP_CARD[1] / 2
        canvas.write((left + right) / 2, middle, "nothing on the table yet", 13, "#3f8a63", "middle")
