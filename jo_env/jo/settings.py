"""What a table is set up with: seats, rounds, packs, a turn limit, and shoes."""

from collections.abc import Iterable, Sequence

import numpy as np

from jo_env.checks import is_int
from jo_env.errors import SettingsError
from jo_env.jit import jit
from jo_env.jo.goals import ALL_ROUNDS, MAX_ROUNDS
from jo_env.jo.state import (
    GAME,
    MAX_DECKS,
    MAX_SEATS,
    MIN_DECKS,
    MIN_SEATS,
    NO_LIMIT,
    NOBODY,
    Phase,
)
from jo_env.records import zeroed
from jo_env.shoes import read_shoes


def new_games(
    num_games: int,
    seats: int = 4,
    rounds: Sequence[int] = ALL_ROUNDS,
    decks: int = 2,
    max_turns: int | None = 200,
) -> np.ndarray:
    """Empty game records GAME[num_games] with these settings; raises `SettingsError`."""
    if not is_int(seats) or not MIN_SEATS <= seats <= MAX_SEATS:
        raise SettingsError(f"seats={seats!r}: Jo is played by 2, 3 or 4 seats")
    if not is_int(decks) or not MIN_DECKS <= decks <= MAX_DECKS:
        raise SettingsError(f"decks={decks!r}: Jo is played with 2, 3 or 4 packs")
    rounds = list(rounds) if isinstance(rounds, Iterable) and not isinstance(rounds, str) else [rounds]
    if not 1 <= len(rounds) <= MAX_ROUNDS or any(not is_int(r) or r not in ALL_ROUNDS for r in rounds):
        raise SettingsError(f"rounds={rounds!r}: give one to seven rounds, each from 1 to 7")
    if max_turns is not None and (not is_int(max_turns) or not 1 <= max_turns < 2**31):
        raise SettingsError(f"max_turns={max_turns!r}: give a whole number of turns from 1 on, or None")
    games = zeroed(num_games, GAME)
    _set_up(games, seats, np.array(rounds, np.int32), decks, NO_LIMIT if max_turns is None else max_turns)
    return games


@jit
def _set_up(games, seats, rounds, decks, max_turns):
    for i in range(len(games)):
        game = games[i]
        game.num_seats = seats
        game.decks = decks
        game.max_turns = max_turns
        game.num_rounds = len(rounds)
        for r in range(len(rounds)):
            game.rounds[r] = rounds[r]
        game.phase = Phase.OVER
        game.acting = NOBODY


def set_shoes(game: np.record, shoes: Sequence[Sequence[str] | None] | None) -> None:
    """Give the rounds to come their shoes (cards from the top); rounds without one are shuffled."""
    first, num_rounds = int(game["num_finished"]), int(game["num_rounds"])
    game["shoes"], game["has_shoe"] = read_shoes(
        shoes, "round", first, num_rounds, int(game["decks"]), game["shoes"].shape
    )
