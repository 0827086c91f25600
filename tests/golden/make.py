"""Whole games as text. Run `PYTHONPATH=. python tests/golden/make.py` to write them anew, and read the diff.

A file has its settings as JSON in the first line, then a line for each decision: the seat, the action by
number and in words, and what everyone was told of it. Lines that begin with # tell deals and points. The
test replays the actions alone and compares the text, so it does not depend on how they were chosen.
"""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER.parent / "jo"), str(FOLDER.parent)]


class Game(NamedTuple):
    """What the tests of a game are written with."""

    room: ModuleType
    tables: ModuleType
    playing: ModuleType
    place: str  # the field that numbers a deal
    deal: str  # what it is called


def game_of(name: str) -> Game:
    """The game that a recorded game is of."""
    if name.startswith("rummy_bo"):
        names = "jo_env.rummy_bo", "rummy_bo.tables", "rummy_bo.playing"
        return Game(*map(import_module, names), "hand_number", "hand")
    return Game(*map(import_module, ("jo_env.jo", "tables", "playing")), "round", "round")


GAMES = {
    "jo_2_seats": {"seed": 1, "seats": 2, "decks": 2, "rounds": [1, 2, 3, 4, 5, 6, 7], "max_turns": 200},
    "jo_3_seats_3_packs": {"seed": 2, "seats": 3, "decks": 3, "rounds": [7, 3, 1], "max_turns": None},
    "jo_4_seats": {"seed": 3, "seats": 4, "decks": 2, "rounds": [1, 2, 3, 4, 5, 6, 7], "max_turns": 200},
    "jo_4_seats_dead_hands": {"seed": 4, "seats": 4, "decks": 4, "rounds": [6, 2], "max_turns": 12},
    "rummy_bo_2_seats": {"seed": 1, "seats": 2, "hands": 5, "max_turns": 200},
    "rummy_bo_4_seats": {"seed": 2, "seats": 4, "hands": 5, "max_turns": 200},
    "rummy_bo_6_seats": {"seed": 3, "seats": 6, "hands": 3, "max_turns": None},
    "rummy_bo_3_seats_dead_hands": {"seed": 4, "seats": 3, "hands": 3, "max_turns": 14},
}


def deal_lines(game: Game, table: Any) -> Iterator[str]:
    yield f"# {game.deal} {table[game.place]}, dealer {table['dealer']}, turned up {table['discard'][0]}"
    for seat, hand in enumerate(table["hands"]):
        yield f"# hand {seat}: {' '.join(hand)}"
    yield f"# stock, next card first: {' '.join(table['stock'][::-1])}"


def event_line(event: dict) -> str:
    """What everyone was told, in a few words."""
    details = {key: value for key, value in event.items() if key not in ("event", "seat")}
    if "groups" in details:
        details["groups"] = ", ".join(" ".join(group["cards"]) for group in details["groups"])
    if "cards" in details:
        details["cards"] = " ".join(details["cards"])
    seat = f"{event['seat']} " if "seat" in event else ""
    return f"{seat}{event['event']}" + "".join(f" {key}={value}" for key, value in details.items())


def replay(name: str, settings: dict, moves: Iterator[int]) -> Iterator[str]:
    """The text of a game, from its name, its settings and its actions."""
    yield json.dumps(settings)
    game = game_of(name)
    table = game.tables.new_game(**settings)
    yield from deal_lines(game, table)
    while table["phase"] != "over":
        action = next(moves)
        seat = table["acting"]
        text = game.room.action_text(table.game, action)
        table.news = []
        table.step(action)
        yield f"{seat} {action} {text} -> {'; '.join(map(event_line, table.news)) or 'nothing yet'}"
        if table.ended:
            yield f"# points {table['points'][-1]}, totals {np.sum(table['points'], 0).tolist()}"
            if table["phase"] != "over":
                yield from deal_lines(game, table)


def actions_of(text: str) -> Iterator[int]:
    """The actions in the text of a game."""
    for line in text.splitlines()[1:]:
        if not line.startswith("#"):
            yield int(line.split()[1])


def played(name: str, settings: dict) -> list[int]:
    """The actions of a game between eager players."""
    room, _, playing, _, _ = game_of(name)
    others = {key: value for key, value in settings.items() if key != "seed"}
    play = playing.Play(1, style=playing.EAGER, seed=settings["seed"], **others)
    room.start(play.games, np.array([settings["seed"]], np.uint64), np.array([room.NOBODY]))
    actions = []
    while play.games[0].phase != room.Phase.OVER:
        play.observe()
        actions.append(int(play.choose()[0]))
        play.step()
    return actions


if __name__ == "__main__":
    for name, settings in GAMES.items():
        lines = replay(name, settings, iter(played(name, settings)))
        (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n")
