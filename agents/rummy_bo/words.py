"""Rummy Bo in words, for a person at a terminal: the table, the moves, what happened."""

import argparse
from typing import Any

import numpy as np

from agents.texts import hand_lines, num_cards_text, pile_line, seat_name
from jo_env import rummy_bo
from jo_env.fields import Json
from jo_env.rooms import observed

TITLE = "Rummy Bo"
FOLDED = ("lay", "sets to lay")  # the moves of which the terminal shows only the first at first
HELP = """You want to be the first without a card: the others pay you what they hold in no matched set, double
if you lay all of it in one turn. Choose by number or by words; the first words are enough: "draw", "take",
"lay 7C", "discard 7H". Cards are rank then suit: AC, 2D, TH, KS.
  A set is 3 or 4 cards of one rank; a run 3 or more in a row of one suit, round the corner too (K A 2).
  Draw two cards a turn, or the two top discards; then lay and add to anything on the table; throw one card.
Also: "table" shows the table again, "all" every set to lay, "help" this, "quit" ends the game."""


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The settings of a game, as the options of a script."""
    parser.add_argument("--hands", type=int, default=5, help="of a game (default 5)")


def settings_of(args: argparse.Namespace) -> dict[str, Any]:
    return {"hands": args.hands}


def hand_titles(settings: dict[str, Any]) -> list[str]:
    """What each hand of a game is called on the score sheet."""
    return [str(number) for number in range(1, settings["hands"] + 1)]


def which_hand(view: Json) -> Any:
    """What tells one hand of a game from the next."""
    return view["hand_number"]


def end_text(title: str, points: list[int], names: list[str]) -> str:
    """Who went out, or that nobody did, and what everybody was paid."""
    if sum(points) < 0:
        who = "the hand is dead"
    else:
        name = names[points.index(max(points))]
        who = f"{name} {'go' if name == 'you' else 'goes'} out"
    return f"Hand {title}: {who}; points {' '.join(map(str, points))}"


def event_text(event: Json, own: int | None) -> str:
    """An event in words; `own` is the reader's seat."""
    who = seat_name(event["seat"], own)
    cards = " ".join(event.get("cards", [event.get("card", "")]))
    match event["event"]:
        case "draw" if event["from"] == "stock":
            return f"{who} drew {cards or 'from the stock'}"
        case "draw":
            return f"{who} took {cards}"
        case "turn_over":
            return f"{who} turned the pile over"
        case "lay":
            return f"{who} laid {cards}"
        case "lay_off":
            return f"{who} added {cards} to group {event['group'] + 1}"
        case _:
            return f"{who} threw {cards}"


def table_text(view: Json) -> str:
    """What a seat may see, as text."""
    own = view["seat"]
    lines = [
        f"Hand {view['hand_number']} of {view['num_hands']}    turn {view['turns'] + 1}, "
        f"{seat_name(view['turn'], own)} to play    stock {view['stock_size']}"
    ]
    for seat in range(view["seats"]):
        cards = num_cards_text(view["hand_sizes"][seat])
        notes = ", has laid" * view["melded"][seat] + ", dealer" * (seat == view["dealer"])
        lines.append(f"  {seat_name(seat, own):<9} {view['scores'][seat]:>4} points  {cards}{notes}")
    lines += [f"  group {i}: {' '.join(group['cards'])}" for i, group in enumerate(view["groups"], start=1)]
    lines += [pile_line(view["discard"]), *hand_lines(view["hand"])]
    return "\n".join(lines)


def legal_moves(view: Json) -> list[tuple[str, Json]]:
    """Every legal move of a view in words, the sets to lay first."""
    games, _ = rummy_bo.game_from_view(view)
    _, masks = observed(rummy_bo, games)
    moves = [rummy_bo.action_move(games[0], int(action)) for action in np.flatnonzero(masks[0])]
    return [(move_text(view, move), move) for move in moves]


def move_text(view: Json, move: Json) -> str:
    match move["type"]:
        case "draw_stock":
            return "draw from the stock"
        case "take_two":
            return f"take {' '.join(view['discard'][-2:])}"
        case "take_discard":
            return f"take {view['discard'][-1]}"
        case "turn_over":
            return "turn the pile over and draw a card"
        case "lay":
            return f"lay {' '.join(move['cards'])}"
        case "discard":
            return f"discard {move['card']}"
    where = {"low": "before", "high": "after"}.get(move.get("end", ""), "to")
    return f"add {move['card']} {where} {' '.join(view['groups'][move['group']]['cards'])}"
