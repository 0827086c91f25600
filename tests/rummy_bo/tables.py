"""Tables laid out by hand, and moves in a few words: the language of the story tests.

Cards are texts separated by blanks. Moves: "draw", "take two", "take", "turn over", "discard 7S",
"lay 7C 7D 7S", "lay QH KH AH", "lay off 7H on 1" (the second group on the table), "lay off AH on 1 low".
"""

from itertools import chain
from typing import Any

import numpy as np

from jo_env import rummy_bo
from jo_env.errors import IllegalActionError
from jo_env.rummy_bo.actions import DISCARD, LAY_OFF, LAY_SET

RANKS, SUITS = "A23456789TJQK", "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
DRAWS = {0: "draw", 1: "take two", 2: "take", 3: "turn over"}


def cards(text: str) -> list[str]:
    return text.split()


def all_of(ranks: str) -> str:
    """Every card of these ranks."""
    return " ".join(rank + suit for rank in ranks for suit in SUITS)


def rest_of(*used: list[str]) -> list[str]:
    """The cards of the pack that are not among the used ones."""
    rest = list(PACK)
    for card in chain(*used):
        rest.remove(card)
    return rest


def shoe(top: str) -> list[str]:
    """A shoe that begins with these cards."""
    return top.split() + rest_of(top.split())


def group(text: str) -> dict[str, Any]:
    """A group as JSON."""
    cards = text.split()
    return {"kind": "set" if len({card[0] for card in cards}) == 1 else "run", "cards": cards}


def move(text: str) -> dict[str, Any]:
    """A move as JSON."""
    match text.split():
        case ["draw"]:
            return {"type": "draw_stock"}
        case ["take", "two"]:
            return {"type": "take_two"}
        case ["take"]:
            return {"type": "take_discard"}
        case ["turn", "over"]:
            return {"type": "turn_over"}
        case ["discard", card]:
            return {"type": "discard", "card": card}
        case ["lay", "off", card, "on", index, *end]:
            return {"type": "lay_off", "group": int(index), "card": card} | ({"end": end[0]} if end else {})
        case ["lay", *_]:
            return {"type": "lay", **group(text.removeprefix("lay "))}
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
        return rummy_bo.snapshot(self.game, self.events)

    def view(self, seat: int) -> dict[str, Any]:
        return rummy_bo.view_json(self.game, seat, self.events)

    def look(self, seat: int) -> np.ndarray:
        """The view of a seat as VIEW[1]."""
        views = np.zeros(1, rummy_bo.VIEW)
        rummy_bo.look(self.game, seat, views[0])
        return views

    def mask(self) -> np.ndarray:
        views, masks = np.zeros(1, rummy_bo.VIEW), np.zeros((1, rummy_bo.NUM_ACTIONS), np.int8)
        rummy_bo.observe(self.games, views, masks)
        return masks[0]

    def legal(self) -> list[int]:
        return [int(action) for action in np.flatnonzero(self.mask())]

    def draws(self) -> set[str]:
        """How the seat on turn may draw."""
        assert self["phase"] == "draw"
        return {DRAWS[action] for action in self.legal()}

    def discards(self) -> set[str]:
        """The cards that may be discarded."""
        return {PACK[action - DISCARD] for action in self.legal() if action >= DISCARD}

    def lays(self) -> set[str]:
        """The groups that may be laid."""
        legal = [action for action in self.legal() if LAY_SET <= action < LAY_OFF]
        return {" ".join(rummy_bo.action_move(self.game, action)["cards"]) for action in legal}

    def lay_offs(self) -> set[str]:
        """The lay-offs, as `7H on 1 low`."""
        moves = [rummy_bo.action_move(self.game, a) for a in self.legal() if LAY_OFF <= a < DISCARD]
        return {f"{m['card']} on {m['group']} {m.get('end', '')}".rstrip() for m in moves}

    def step(self, action: int) -> None:
        """Play one action of the table; raises `IllegalActionError` and leaves the table as it was."""
        mask = self.mask()
        if not mask[action]:
            raise IllegalActionError(rummy_bo.describe_illegal(self.game, action, mask))
        ended = np.zeros(1, np.int8)
        rummy_bo.step(self.games, np.array([action], np.int32), ended)
        news = rummy_bo.news(self.game)
        self.ended = bool(ended[0])
        self.news += news
        self.events = [] if self.ended else self.events + news

    def play(self, *texts: str) -> "Table":
        for text in texts:
            actions = rummy_bo.move_actions(self.game, move(text))
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
    phase: str = "draw",
    turn: int = 0,
    discard: str = "",
    stock: str = "",
    groups: list[str] | None = None,
    rest: str | int = "stock",
    hand_number: int = 1,
    num_hands: int = 5,
    max_turns: int | None = 200,
    **fields: Any,
) -> Table:
    """A table in the middle of a hand.

    The top of the pile comes last in `discard`, the next card of the stock first in `stock`. The `rest`
    of the pack goes under the "stock", under the "discard", or into the hand of a seat. Unless told
    otherwise the groups were laid by the last seat. Anything else of a snapshot may be given by its key.
    """
    seats = len(hands)
    held = [hand.split() for hand in hands]
    rows = [group(text) for text in groups or []]
    pile, top_first = discard.split(), stock.split()
    laid = [card for row in rows for card in row["cards"]]
    unplaced = rest_of(pile, top_first, laid, *held)
    if rest == "discard":
        pile = unplaced + pile
    elif rest != "stock":
        held[int(rest)] += unplaced
    is_new = fields.get("laid", 0) == len(rows)
    snapshot = {
        "game": "rummy_bo",
        "rules": {"max_turns": max_turns},
        "seats": seats,
        "num_hands": num_hands,
        "hand_number": hand_number,
        "dealer": (turn - 2) % seats,
        "turn": turn,
        "acting": turn,
        "phase": phase,
        "hands": held,
        "stock": (unplaced if rest == "stock" else []) + top_first[::-1],
        "turned_over": False,
        "discard": pile,
        "melded": [False] * (seats - 1) + [bool(rows) and not is_new],
        "groups": rows,
        "laid": 0,
        "laid_off": 0,
        "taken": [],
        "turns": 1,
        "points": [[0] * seats] * (hand_number - 1),
        "events": [],
        "shoes": [],
        "rng": {"seed": "0x7", "state": "0x7"},
        **fields,
    }
    return Table(*rummy_bo.restore(snapshot))


def new_game(seed: int = 7, dealer: int = -1, shoes: Any = None, **settings: Any) -> Table:
    """A game from its deal."""
    games = rummy_bo.new_games(1, **settings)
    rummy_bo.set_shoes(games[0], shoes)
    rummy_bo.start(games, np.array([seed], np.uint64), np.array([dealer]))
    return Table(games)
