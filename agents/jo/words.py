"""Jo in words, for a person at a terminal: the table, the moves, what happened."""

import argparse
from typing import Any

import numpy as np

from agents.texts import hand_lines, num_cards_text, pile_line, seat_name
from jo_env import jo
from jo_env.cards import NUM_FACES
from jo_env.fields import Json
from jo_env.jo.actions import LAY_FACES, LAY_OFF, LAY_SIZES, LAY_THREE
from jo_env.jo.goals import ALL_ROUNDS, FOURS, THREES
from jo_env.jo.points import FACE_POINTS
from jo_env.rooms import observed

TITLE = "Jo"
FOLDED = ("go_down", "ways to go down")  # the moves of which the terminal shows only the first at first
HELP = """You want to be rid of your cards: the lowest total wins. Choose by number or by words; the
first words are enough: "draw", "take", "discard 7H", "lay off 7H". Cards are rank then suit: AC, 2D, TH, KS.
  A three is 3 or more cards of one rank; a four is 4 or more in a row of one suit, the ace low or high.
  Lay the round's whole goal at once to go down; from then on add cards to any group on the table.
  You may buy the top discard in another's turn, with a card from the stock as penalty, three times a hand.
Also: "table" shows the table again, "all" every way to go down, "help" this, "quit" ends the game."""


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The settings of a game, as the options of a script."""
    parser.add_argument("--rounds", type=int, nargs="+", default=list(ALL_ROUNDS), metavar="ROUND")
    parser.add_argument("--decks", type=int, default=2, help="packs, 2 to 4 (default 2)")


def settings_of(args: argparse.Namespace) -> dict[str, Any]:
    return {"rounds": args.rounds, "decks": args.decks}


def hand_titles(settings: dict[str, Any]) -> list[str]:
    """What each hand of a game is called on the score sheet."""
    return [f"{current}  {goal_text(current)}" for current in settings["rounds"]]


def which_hand(view: Json) -> Any:
    """What tells one hand of a game from the next."""
    return view["round"], view["scores"]


def end_text(title: str, points: list[int], names: list[str]) -> str:
    """Who went out, or that nobody did, and what everybody scored."""
    out = [name for name, value in zip(names, points, strict=True) if value == 0]
    who = "the hand is dead" if not out else f"{out[0]} {'go' if out[0] == 'you' else 'goes'} out"
    return f"Round {title.split()[0]}: {who}; points {' '.join(map(str, points))}"


def goal_text(current: int) -> str:
    """A round's goal, as `1 three and 2 fours`."""
    parts = [(int(THREES[current]), "three"), (int(FOURS[current]), "four")]
    return " and ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in parts if n)


def cards_text(groups: list[Json]) -> str:
    return ", ".join(" ".join(group["cards"]) for group in groups)


def event_text(event: Json, own: int | None) -> str:
    """An event in words; `own` is the reader's seat."""
    who = seat_name(event["seat"], own) if "seat" in event else ""
    match event["event"]:
        case "request":
            return f"{who} asked to buy the top discard"
        case "pass":
            return f"{who} passed"
        case "draw" if event["from"] == "stock":
            return f"{who} drew from the stock"
        case "draw":
            return f"{who} took {event['card']}"
        case "buy":
            return f"{who} bought {event['card']}"
        case "go_down":
            return f"{who} went down: {cards_text(event['groups'])}"
        case "lay_off":
            return f"{who} laid off {event['card']} on {_whose(event, own)} group"
        case "discard":
            return f"{who} threw {event['card']}"
        case _:
            return "the pile was shuffled into a new stock"


def _whose(event: Json, own: int | None) -> str:
    if event["owner"] == own:
        return "your own" if event["seat"] == own else "your"
    return "its own" if event["owner"] == event["seat"] else f"player {event['owner']}'s"


def table_text(view: Json) -> str:
    """What a seat may see, as text."""
    own, n = view["seat"], view["seats"]
    lines = [
        f"Round {view['round']}: {goal_text(view['round'])}    turn {view['turns'] + 1}, "
        f"{seat_name(view['turn'], own)} to play    stock {view['stock_size']}"
    ]
    for seat in range(n):
        cards = num_cards_text(view["hand_sizes"][seat])
        state = "down" if view["down"][seat] else f"{3 - view['buys_used'][seat]} buys left"
        dealer = ", dealer" if seat == view["dealer"] else ""
        asks = ", asks to buy" if seat in view["requests"] else ""
        name = seat_name(seat, own)
        lines.append(f"  {name:<9} {view['scores'][seat]:>4} points  {cards:<9} {state}{dealer}{asks}")
        lines += [f"            on the table: {cards_text([group])}" for group in view["groups"][seat]]
    lines += [pile_line(view["discard"]), *hand_lines(view["hand"])]
    return "\n".join(lines)


def legal_moves(view: Json) -> list[tuple[str, Json]]:
    """Every legal move of a view in words, whole go-downs first, those that leave the fewest points."""
    games, _ = jo.game_from_view(view)
    _, masks = observed(jo, games)
    game = games[0]
    moves = []
    if masks[0, LAY_THREE:LAY_OFF].any():
        for left, actions in go_downs(games):
            move = jo.actions_move(game, actions)
            moves.append((f"go down {cards_text(move['groups'])} ({left} points left in hand)", move))
    for action in np.flatnonzero(masks[0]):
        move = jo.action_move(game, int(action))
        if move["type"] != "go_down":
            moves.append((move_text(view, move), move))
    return moves


def go_downs(games: np.ndarray) -> list[tuple[int, list[int]]]:
    """Every complete go-down of the seat asked in GAME[1]: (points left in hand, its lay actions)."""
    game = games[0]
    num_groups = int(game.table.threes + game.table.fours)
    hand = game.own[game.acting].hand.astype(int)
    found = []
    unfinished: list[tuple[np.ndarray, list[int]]] = [(games, [])]
    while unfinished:
        table, laid = unfinished.pop()
        _, masks = observed(jo, table)
        for action in np.flatnonzero(masks[0, LAY_THREE:LAY_OFF]) + LAY_THREE:
            actions = [*laid, int(action)]
            if len(actions) < num_groups:
                after = table.copy()
                jo.step(after, np.array([action], np.int32), np.zeros(1, np.int8))
                unfinished.append((after, actions))
            else:
                faces = np.concatenate([LAY_FACES[a][: LAY_SIZES[a]] for a in actions])
                left = int(((hand - np.bincount(faces, minlength=NUM_FACES)) * FACE_POINTS).sum())
                found.append((left, actions))
    return sorted(found)


def move_text(view: Json, move: Json) -> str:
    top = view["discard"][-1] if view["discard"] else ""
    match move["type"]:
        case "pass":
            return "pass"
        case "buy":
            return f"buy {top}, with a penalty card"
        case "draw_stock":
            return "draw from the stock"
        case "take_discard":
            return f"take {top}"
        case "discard":
            return f"discard {move['card']}"
    group = view["groups"][move["owner"]][move["group"]]
    where = {"low": "before", "high": "after"}.get(move.get("end", ""), "on")
    owner = "your" if move["owner"] == view["seat"] else f"player {move['owner']}'s"
    return f"lay off {move['card']} {where} {owner} {cards_text([group])}"
