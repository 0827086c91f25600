"""A live table as somebody else's server would keep it: the oracle's rules, its own luck, its own JSON.

Nothing here comes from the engine or from the service; views and moves are written by docs/protocol.md alone.
"""

import random
from collections.abc import Callable

import oracle
from oracle import Snapshot

Json = dict
SIMPLE = {"pass": oracle.PASS, "buy": oracle.BUY, "draw_stock": oracle.DRAW, "take_discard": oracle.TAKE}
PUBLIC = (
    *("seats", "dealer", "rounds", "round", "turns", "turn", "phase", "down", "buys_used", "groups"),
    *("discard", "requests", "taken", "discarded_by", "rules"),
)


class LiveTable:
    """One game, from the first deal to the last score; `play` refuses what the rules do not allow."""

    def __init__(self, seats: int, seed: int, rounds: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)) -> None:
        self.luck = random.Random(seed)
        rules = {"decks": 2, "max_turns": 200}
        # As if a round had just ended before the first, so that one way of dealing does for all.
        before = {"game": "jo", "rules": rules, "seats": seats, "rounds": [rounds[0], *rounds]}
        start = {**before, "points": [], "hands": [[] for _ in range(seats)], "dealer": seats - 1}
        table = oracle._end_hand(start, None)
        self.table = self._deal({**table, "rounds": list(rounds), "points": []})

    @property
    def points(self) -> list[list[int]]:
        return self.table["points"]

    @property
    def acting(self) -> int | None:
        """The seat asked; None when the game is over."""
        return self.table["acting"]

    def view(self) -> Json:
        """What the seat asked may know, without the hand's history."""
        table, seat = self.table, self.table["acting"]
        return {
            "protocol": 1,
            "game": "jo",
            "seat": seat,
            **{key: table[key] for key in PUBLIC},
            "hand": table["hands"][seat],
            "hand_sizes": [len(hand) for hand in table["hands"]],
            "stock_size": len(table["stock"]),
            "scores": [sum(row[seat] for row in table["points"]) for seat in range(table["seats"])],
        }

    def play(self, move: Json) -> None:
        """Raises `ValueError` for a move that the rules do not allow."""
        for action in self._actions(move):
            table = oracle.after(self.table, action)
            if table.pop("recycled", False):
                table = self._shuffle_pile(table)
            self.table = self._deal(table) if table.pop("dealt", False) else table

    def _actions(self, move: Json) -> list[int]:
        if move["type"] in SIMPLE:
            return [SIMPLE[move["type"]]]
        if move["type"] == "discard":
            return [oracle.DISCARD + oracle.NUMBER[move["card"]]]
        if move["type"] == "go_down":
            groups = [oracle.Group(group["kind"], tuple(group["cards"])) for group in move["groups"]]
            return sorted(map(oracle.lay_index, groups))
        table, owner = self.table, move["owner"]
        slot = 3 * ((owner - table["turn"]) % table["seats"]) + move["group"]
        if table["groups"][owner][move["group"]]["kind"] == "three":
            place = oracle.NUMBER[move["card"]] // 13
        else:
            place = oracle.HIGH_END if move["end"] == "high" else oracle.LOW_END
        return [oracle.LAY_OFF + 6 * slot + place]

    def _deal(self, table: Snapshot) -> Snapshot:
        shoe = oracle.FACES * table["rules"]["decks"]
        self.luck.shuffle(shoe)
        sizes = ("hand_sizes", "stock_size", "discard_size")
        kept = {key: value for key, value in table.items() if key not in sizes}
        return kept | oracle.deal(shoe, table["seats"], table["dealer"], table["round"])

    def _shuffle_pile(self, table: Snapshot) -> Snapshot:
        """A new stock of the pile, from which the cards due have been drawn."""
        made_by = ("pool", "drawn", "stock_cards", "stock_size", "hand_sizes")
        pool, drawn, *_ = (table.pop(key) for key in made_by)
        self.luck.shuffle(pool)
        for seat, num_cards in drawn.items():
            hand = table["hands"][seat] + [pool.pop() for _ in range(num_cards)]
            table["hands"][seat] = oracle.by_face(hand)
        return table | {"stock": pool}


def play_out(table: LiveTable, decide: Callable[[Json], Json]) -> int:
    """Play a game to its end with `decide(view) -> move` in every seat; how many moves it took."""
    num_moves = 0
    while table.acting is not None:
        table.play(decide(table.view()))
        num_moves += 1
    return num_moves
