"""A game in the terminal: a person in one seat, or bots in all of them.

The person is a bot like any other, a view in and a move out; so the screen cannot show more than the
seat may know. How a game reads in words is its own (`agents/jo/words.py`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from jo_env.bots import Bot, illegal_move
from jo_env.cards import SUITS
from jo_env.errors import IllegalActionError
from jo_env.fields import Json

FOLDED_SHOWN = 5  # of the moves that a game folds up


class Quit(Exception):
    """The person has had enough."""


# --- a game ---------------------------------------------------------------------------------------


def play_game(
    room: ModuleType, bots: Sequence[Bot], seed: int, **settings: Any
) -> Iterator[tuple[list[Json], np.record, bool]]:
    """Play one game between bots that see views; yields (what all saw happen, the table, hand ended).

    Raises `IllegalActionError` when a bot makes a move that is not legal.
    """
    games = room.new_games(1, seats=len(bots), **settings)
    views, masks = np.zeros(1, room.VIEW), np.zeros((1, room.NUM_ACTIONS), np.int8)
    actions, ended = np.zeros(1, np.int32), np.zeros(1, np.int8)
    events: list[Json] = []
    room.start(games, np.array([seed], np.uint64), np.array([room.NOBODY]))
    game = games[0]
    while game.phase != room.Phase.OVER:
        seat = int(game.acting)
        move = bots[seat].act(room.view_json(game, seat, events))
        try:
            spelled = room.move_actions(game, move)
        except IllegalActionError as error:
            raise illegal_move(bots[seat], seat, error) from error
        for action in spelled:
            room.observe(games, views, masks)
            if not masks[0, action]:
                raise illegal_move(bots[seat], seat, room.describe_illegal(game, action, masks[0]))
            actions[0] = action
            room.step(games, actions, ended)
            news = room.news(game)
            for event in news:
                if "groups" in event:
                    event["groups"] = move["groups"]  # if it went out with them, the table is swept by now
            events = [] if ended[0] else events + news
            yield news, game, bool(ended[0])


def score_sheet(
    names: Sequence[str], titles: Sequence[str], points: Sequence[Sequence[int]], point_worth: int
) -> str:
    """The sheet as text: points by finished hand and seat, the totals, and at the end who won."""
    width = max(10, *(len(name) + 2 for name in names))
    lines = [f"{'hand':<28}" + "".join(f"{name:>{width}}" for name in names)]
    for title, row in zip(titles, points, strict=False):
        lines.append(f"{title:<28}" + "".join(f"{p:>{width}}" for p in row))
    totals = [sum(column) for column in zip(*points, strict=True)]
    lines.append("-" * len(lines[0]))
    lines.append(f"{'total':<28}" + "".join(f"{total:>{width}}" for total in totals))
    if len(points) == len(titles):
        best = max(point_worth * total for total in totals)
        winners = [name for name, total in zip(names, totals, strict=True) if point_worth * total == best]
        lines.append(f"won by {' and '.join(winners)}")
    return "\n".join(lines)


def with_suits(text: str, in_color: bool) -> str:
    """The cards in a text with suit symbols, the red suits in red."""

    def paint(match: re.Match) -> str:
        card = match[1] + "♣♦♥♠"[SUITS.index(match[2])]
        return f"\033[91m{card}\033[0m" if in_color and match[2] in "DH" else card

    return re.sub(r"\b([A2-9TJQK])([CDHS])\b", paint, text)


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

    def __init__(self, words: ModuleType, ask: Callable[[str], str], show: Callable[[str], None]) -> None:
        self.words = words
        self.ask = ask  # prompt -> a line; raises EOFError at the end of input
        self.show = show
        self.hand: Counter[str] = Counter()
        self.dealt: Any = None  # which hand of the game that was

    def act(self, view: Json) -> Json:
        hand: Counter[str] = Counter(view["hand"])
        dealt = self.words.which_hand(view)
        if dealt == self.dealt and (gained := hand - self.hand):
            self.show(f"you got {' '.join(gained.elements())}")
        self.hand, self.dealt = hand, dealt
        self.show(f"\n{self.words.table_text(view)}\n")
        moves = self.words.legal_moves(view)
        self.list_moves(moves, FOLDED_SHOWN)
        while True:
            typed = " ".join(self._read().split())
            match typed.lower():
                case "":
                    continue
                case "quit" | "q":
                    raise Quit
                case "help" | "?":
                    self.show(self.words.HELP)
                    continue
                case "table":
                    self.show(self.words.table_text(view))
                    self.list_moves(moves, FOLDED_SHOWN)
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
        laid = [card for group in move.get("groups", [move]) for card in group.get("cards", [])]
        self.hand -= Counter([move["card"]] if "card" in move else laid)
        return move

    def list_moves(self, moves: list[tuple[str, Json]], num_shown: int) -> None:
        """The moves, of those that the game folds up so many."""
        kind, name = self.words.FOLDED
        num_folded = sum(move["type"] == kind for _, move in moves)
        for i, (text, _) in enumerate(moves):
            if i == num_shown < num_folded:
                self.show(f"     ... and {num_folded - num_shown} more {name}: all")
            if not num_shown <= i < num_folded:
                self.show(f"{i + 1:>4} {text}")

    def _read(self) -> str:
        try:
            return self.ask("your move> ")
        except (EOFError, KeyboardInterrupt):
            raise Quit from None
