"""Tables laid out by hand, and moves in a few words: the language of the story tests.

Cards are texts separated by blanks. Moves: "pass", "buy", "draw", "take", "discard 7S",
"go down 7C 7D 7S, KH KH KS", "lay off 7H on 1.0" (group 0 of seat 1), "lay off AH on 1.0 high".
"""

from itertools import chain
from typing import Any

import numpy as np

from jo_env import jo
from jo_env.errors import IllegalActionError
from jo_env.jo.actions import DISCARD, LAY_OFF, LAY_THREE

RANKS, SUITS = "A23456789TJQK", "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
GOALS = {1: (2, 0), 2: (1, 1), 3: (0, 2), 4: (3, 0), 5: (2, 1), 6: (1, 2), 7: (0, 3)}


def cards(text: str) -> list[str]:
    return text.split()


def all_of(ranks: str, decks: int = 2) -> str:
    """Every card of these ranks."""
    return " ".join(rank + suit for rank in ranks for suit in SUITS for _ in range(decks))


def rest_of(decks: int, *used: list[str]) -> list[str]:
    """The cards of so many packs that are not among the used ones."""
    rest = PACK * decks
    for card in chain(*used):
        rest.remove(card)
    return rest


def shoe(top: str, decks: int = 2) -> list[str]:
    """A shoe that begins with these cards."""
    return top.split() + rest_of(decks, top.split())


def group(text: str) -> dict[str, Any]:
    """A group as JSON."""
    cards = text.split()
    return {"kind": "three" if len({card[0] for card in cards}) == 1 else "four", "cards": cards}


def move(text: str) -> dict[str, Any]:
    """A move as JSON."""
    match text.split():
        case ["pass" | "buy" as kind]:
            return {"type": kind}
        case ["draw"]:
            return {"type": "draw_stock"}
        case ["take"]:
            return {"type": "take_discard"}
        case ["discard", card]:
            return {"type": "discard", "card": card}
        case ["go", "down", *_]:
            groups = text.removeprefix("go down ").split(", ")
            return {"type": "go_down", "groups": [group(cards) for cards in groups]}
        case ["lay", "off", card, "on", place, *end]:
            owner, index = map(int, place.split("."))
            laid = {"type": "lay_off", "owner": owner, "group": index, "card": card}
            return laid | ({"end": end[0]} if end else {})
    raise ValueError(text)


class Table:
    """One game, spoken to in words."""

    def __init__(self, games: np.ndarray, events: list[dict[str, Any]] | None = None) -> None:
        self.games = games
        self.events = events or []
        self.news: list[dict[str, Any]] = []  # of the last move
        self.ended = False  # whether the last move ended the hand

    @property
    def game(self) -> np.record:
        return self.games[0]

    def __getitem__(self, key: str) -> Any:
        """A field of the snapshot."""
        return self.snapshot()[key]

    def snapshot(self) -> dict[str, Any]:
        return jo.snapshot(self.game, self.events)

    def view(self, seat: int) -> dict[str, Any]:
        return jo.view_json(self.game, seat, self.events)

    def mask(self) -> np.ndarray:
        views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
        jo.observe(self.games, views, masks)
        return masks[0]

    def legal(self) -> list[int]:
        return [int(action) for action in np.flatnonzero(self.mask())]

    def draws(self) -> set[str]:
        """How the seat on turn may draw."""
        assert self["phase"] == "draw"
        return {{2: "draw", 3: "take"}[action] for action in self.legal()}

    def discards(self) -> set[str]:
        """The cards that may be discarded."""
        return {PACK[action - DISCARD] for action in self.legal() if action >= DISCARD}

    def lays(self) -> list[int]:
        """The legal lay actions."""
        return [action for action in self.legal() if LAY_THREE <= action < LAY_OFF]

    def lay_offs(self) -> list[int]:
        """The legal lay-off actions."""
        return [action for action in self.legal() if LAY_OFF <= action < DISCARD]

    def step(self, action: int) -> None:
        """Play one action of the table; raises `IllegalActionError` and leaves the table as it was."""
        mask = self.mask()
        if not mask[action]:
            raise IllegalActionError(jo.describe_illegal(self.game, action, mask))
        ended = np.zeros(1, np.int8)
        jo.step(self.games, np.array([action], np.int32), ended)
        news = jo.news(self.game)
        self.ended = bool(ended[0])
        self.news += news
        self.events = [] if self.ended else self.events + news

    def play(self, *texts: str) -> "Table":
        for text in texts:
            actions = jo.move_actions(self.game, move(text))
            self.news = []
            for action in actions:
                self.step(action)
        return self

    def may(self, text: str) -> bool:
        """Whether a move is legal; it is not played."""
        try:
            Table(self.games.copy(), self.events).play(text)
        except IllegalActionError:
            return False
        return True


def lay_out(
    *hands: str,
    round: int = 1,
    phase: str = "draw",
    turn: int = 0,
    discard: str = "",
    stock: str = "",
    groups: dict[int, list[str]] | None = None,
    rest: str | int = "stock",
    decks: int = 2,
    max_turns: int | None = 200,
    **fields: Any,
) -> Table:
    """A table in the middle of a hand.

    The top of the pile comes last in `discard`, the next card of the stock first in `stock`. The `rest`
    of the packs goes under the "stock", under the "discard", or into the hand of a seat. A seat with as
    many groups as the goal has is down. Anything else of a snapshot may be given by its key.
    """
    seats = len(hands)
    held = [hand.split() for hand in hands]
    rows = [[group(text) for text in (groups or {}).get(seat, [])] for seat in range(seats)]
    pile, top_first = discard.split(), stock.split()
    laid = [card for row in rows for cards in row for card in cards["cards"]]
    unplaced = rest_of(decks, pile, top_first, laid, *held)
    if rest == "discard":
        pile = unplaced + pile
    elif rest != "stock":
        held[int(rest)] += unplaced
    before = (turn - 1) % seats
    rounds = fields.pop("rounds", [1, 2, 3, 4, 5, 6, 7])
    taken = fields.get("taken")
    snapshot = {
        "game": "jo",
        "rules": {"decks": decks, "max_turns": max_turns},
        "seats": seats,
        "rounds": rounds,
        "round": round,
        "dealer": (turn - 2) % seats,
        "turn": turn,
        "acting": (turn + 1) % seats if phase == "buy" else turn,
        "phase": phase,
        "hands": held,
        "stock": (unplaced if rest == "stock" else []) + top_first[::-1],
        "discard": pile,
        "groups": rows,
        "down": [len(row) == sum(GOALS[round]) for row in rows],
        "buys_used": [0] * seats,
        "requests": [],
        "taken": None,
        "discarded_by": None if taken or not pile else before,
        "turns": 1,
        "points": [[0] * seats] * rounds.index(round),
        "events": [],
        "shoes": [],
        "rng": {"seed": "0x7", "state": "0x7"},
        **fields,
    }
    return Table(*jo.restore(snapshot))


def new_game(seed: int = 7, dealer: int = -1, shoes: Any = None, **settings: Any) -> Table:
    """A game from its deal."""
    games = jo.new_games(1, **settings)
    jo.set_shoes(games[0], shoes)
    jo.start(games, np.array([seed], np.uint64), np.array([dealer]))
    return Table(games)
