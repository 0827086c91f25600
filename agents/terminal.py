"""A game in the terminal: a person in one seat, or bots in all of them.

The person is a bot like any other, a view in and a move out; so the screen cannot show more than the
seat may know.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jo_env import jo
from jo_env.bots import Bot, illegal_move
from jo_env.cards import NUM_FACES, RANKS, SUITS
from jo_env.errors import IllegalActionError
from jo_env.jo.actions import LAY_FACES, LAY_OFF, LAY_SIZES, LAY_THREE
from jo_env.jo.goals import ALL_ROUNDS, FOURS, THREES
from jo_env.jo.points import FACE_POINTS

Json = dict[str, Any]
GO_DOWNS_SHOWN = 5
PILE_SHOWN = 12
HELP = """You want to be rid of your cards: the lowest total wins. Choose by number or by words; the
first words are enough: "draw", "take", "discard 7H", "lay off 7H". Cards are rank then suit: AC, 2D, TH, KS.
  A three is 3 or more cards of one rank; a four is 4 or more in a row of one suit, the ace low or high.
  Lay the round's whole goal at once to go down; from then on add cards to any group on the table.
  You may buy the top discard in another's turn, with a card from the stock as penalty, three times a hand.
Also: "table" shows the table again, "all" every way to go down, "help" this, "quit" ends the game."""


class Quit(Exception):
    """The person has had enough."""


# --- a game ---------------------------------------------------------------------------------------


def play_game(
    bots: Sequence[Bot],
    seed: int,
    rounds: Sequence[int] = ALL_ROUNDS,
    decks: int = 2,
    max_turns: int | None = 200,
) -> Iterator[tuple[list[Json], np.record, bool]]:
    """Play one game between bots that see views; yields (what all saw happen, the table, hand ended).

    Raises `IllegalActionError` when a bot makes a move that is not legal.
    """
    games = jo.new_games(1, len(bots), rounds, decks, max_turns)
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    actions, ended = np.zeros(1, np.int32), np.zeros(1, np.int8)
    events: list[Json] = []
    jo.start(games, np.array([seed], np.uint64), np.array([jo.NOBODY]))
    game = games[0]
    while game.phase != jo.Phase.OVER:
        seat = int(game.acting)
        move = bots[seat].act(jo.view_json(game, seat, events))
        try:
            spelled = jo.move_actions(game, move)
        except IllegalActionError as error:
            raise illegal_move(bots[seat], seat, error) from error
        for action in spelled:
            jo.observe(games, views, masks)
            if not masks[0, action]:
                raise illegal_move(bots[seat], seat, jo.describe_illegal(game, action, masks[0]))
            actions[0] = action
            jo.step(games, actions, ended)
            news = jo.news(game)
            for event in news:
                if event["event"] == "go_down":
                    event["groups"] = move["groups"]  # if it went out with them, the table is swept by now
            events = [] if ended[0] else events + news
            yield news, game, bool(ended[0])


def score_sheet(names: Sequence[str], rounds: Sequence[int], points: Sequence[Sequence[int]]) -> str:
    """The sheet as text: points by finished round and seat, the totals, and at the end who won."""
    width = max(10, *(len(name) + 2 for name in names))
    lines = [f"{'round':<28}" + "".join(f"{name:>{width}}" for name in names)]
    for current, row in zip(rounds, points, strict=False):
        lines.append(f"{current}  {goal_text(current):<25}" + "".join(f"{p:>{width}}" for p in row))
    totals = [sum(column) for column in zip(*points, strict=True)]
    lines.append("-" * len(lines[0]))
    lines.append(f"{'total':<28}" + "".join(f"{total:>{width}}" for total in totals))
    if len(points) == len(rounds):
        winners = [name for name, total in zip(names, totals, strict=True) if total == min(totals)]
        lines.append(f"won by {' and '.join(winners)}")
    return "\n".join(lines)


# --- words ----------------------------------------------------------------------------------------


def goal_text(current: int) -> str:
    """A round's goal, as `1 three and 2 fours`."""
    parts = [(int(THREES[current]), "three"), (int(FOURS[current]), "four")]
    return " and ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in parts if n)


def seat_name(seat: int, own: int | None) -> str:
    return "you" if seat == own else f"player {seat}"


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
        size = view["hand_sizes"][seat]
        cards = f"{size} card{'s' if size != 1 else ''}"
        state = "down" if view["down"][seat] else f"{3 - view['buys_used'][seat]} buys left"
        dealer = ", dealer" if seat == view["dealer"] else ""
        asks = ", asks to buy" if seat in view["requests"] else ""
        name = seat_name(seat, own)
        lines.append(f"  {name:<9} {view['scores'][seat]:>4} points  {cards:<9} {state}{dealer}{asks}")
        lines += [f"            on the table: {cards_text([group])}" for group in view["groups"][seat]]
    pile = view["discard"][-PILE_SHOWN:]
    shown = " ".join(pile[:-1] + [f"[{card}]" for card in pile[-1:]]) or "empty"
    lines.append(f"  pile: {'... ' if len(view['discard']) > PILE_SHOWN else ''}{shown}")
    by_suit = [[card for card in view["hand"] if card[1] == suit] for suit in SUITS]
    by_rank = sorted(view["hand"], key=lambda card: RANKS.index(card[0]))
    lines.append(f"  your hand: {'   '.join(' '.join(cards) for cards in by_suit if cards)}")
    lines.append(f"    by rank: {' '.join(by_rank)}")
    return "\n".join(lines)


def with_suits(text: str, in_color: bool) -> str:
    """The cards in a text with suit symbols, the red suits in red."""

    def paint(match: re.Match) -> str:
        card = match[1] + "♣♦♥♠"[SUITS.index(match[2])]
        return f"\033[91m{card}\033[0m" if in_color and match[2] in "DH" else card

    return re.sub(r"\b([A2-9TJQK])([CDHS])\b", paint, text)


# --- moves ----------------------------------------------------------------------------------------


def legal_moves(view: Json) -> list[tuple[str, Json]]:
    """Every legal move of a view in words, whole go-downs first, those that leave the fewest points."""
    games, _ = jo.game_from_view(view)
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    jo.observe(games, views, masks)
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
        views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
        jo.observe(table, views, masks)
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


def find_moves(moves: list[tuple[str, Json]], typed: str) -> list[int]:
    """The moves that a number or the first words of one may mean."""
    if typed.isdecimal():
        return [int(typed) - 1] if 1 <= int(typed) <= len(moves) else []
    words = typed.lower()
    for symbol, suit in zip("♣♦♥♠", SUITS.lower(), strict=True):
        words = words.replace(symbol, suit)
    return [i for i, (text, _) in enumerate(moves) if f"{text.lower()} ".startswith(f"{words} ")] or [
        i for i, (text, _) in enumerate(moves) if text.lower().startswith(words)
    ]


# --- the person -----------------------------------------------------------------------------------


class Person:
    """Whoever is at the keyboard: shows the view, lists the legal moves, asks until one is chosen."""

    def __init__(self, ask: Callable[[str], str], show: Callable[[str], None]) -> None:
        self.ask = ask  # prompt -> a line; raises EOFError at the end of input
        self.show = show
        self.hand: Counter[str] = Counter()
        self.dealt: Any = None  # which hand of the game that was

    def act(self, view: Json) -> Json:
        hand: Counter[str] = Counter(view["hand"])
        dealt = (view["round"], view["scores"])
        if dealt == self.dealt and (gained := hand - self.hand):
            self.show(f"you got {' '.join(gained.elements())}")
        self.hand, self.dealt = hand, dealt
        self.show(f"\n{table_text(view)}\n")
        moves = legal_moves(view)
        self.list_moves(moves, GO_DOWNS_SHOWN)
        while True:
            typed = " ".join(self._read().split())
            match typed.lower():
                case "":
                    continue
                case "quit" | "q":
                    raise Quit
                case "help" | "?":
                    self.show(HELP)
                    continue
                case "table":
                    self.show(table_text(view))
                    self.list_moves(moves, GO_DOWNS_SHOWN)
                    continue
                case "all":
                    self.list_moves(moves, len(moves))
                    continue
            found = find_moves(moves, typed)
            if len(found) == 1:
                return self.play(moves[found[0]][1])
            if found:
                numbers = ", ".join(str(i + 1) for i in found[:9])
                self.show(f"{typed!r} may mean {numbers}{' ...' if len(found) > 9 else ''}; give a number")
            else:
                self.show(
                    f"{typed!r} is not one of your moves; give a number from 1 to {len(moves)}, or help"
                )

    def play(self, move: Json) -> Json:
        """Remember which cards the move puts down, to tell what comes to the hand afterwards."""
        laid = [card for group in move.get("groups", []) for card in group["cards"]]
        self.hand -= Counter([move["card"]] if "card" in move else laid)
        return move

    def list_moves(self, moves: list[tuple[str, Json]], go_downs_shown: int) -> None:
        num_go_downs = sum(move["type"] == "go_down" for _, move in moves)
        for i, (text, _) in enumerate(moves):
            if i == go_downs_shown < num_go_downs:
                self.show(f"     ... and {num_go_downs - go_downs_shown} more ways to go down: all")
            if not go_downs_shown <= i < num_go_downs:
                self.show(f"{i + 1:>4} {text}")

    def _read(self) -> str:
        try:
            return self.ask("your move> ")
        except (EOFError, KeyboardInterrupt):
            raise Quit from None
