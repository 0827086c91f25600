"""What a table is set up with: seats, hands, a turn limit, and shoes."""

from collections.abc import Sequence

import numpy as np

from jo_env.checks import is_int
from jo_env.errors import SettingsError
from jo_env.records import zeroed
from jo_env.rummy_bo.state import GAME, MAX_HANDS, MAX_SEATS, MIN_SEATS, NO_LIMIT, NOBODY, Phase
from jo_env.shoes import read_shoes


def new_games(num_games: int, seats: int = 4, hands: int = 5, max_turns: int | None = 200) -> np.ndarray:
    """Empty game records GAME[num_games] with these settings; raises `SettingsError`."""
    if not is_int(seats) or not MIN_SEATS <= seats <= MAX_SEATS:
        raise SettingsError(f"seats={seats!r}: Rummy Bo is played by 2 to 6 seats")
    if not is_int(hands) or not 1 <= hands <= MAX_HANDS:
        raise SettingsError(f"hands={hands!r}: give a number of hands from 1 to {MAX_HANDS}")
    if max_turns is not None and (not is_int(max_turns) or not 1 <= max_turns < 2**31):
        raise SettingsError(f"max_turns={max_turns!r}: give a whole number of turns from 1 on, or None")
    games = zeroed(num_games, GAME)
    games["num_seats"] = seats
    games["max_turns"] = NO_LIMIT if max_turns is None else max_turns
    games["num_hands"] = hands
    games["phase"] = Phase.OVER
    games["acting"] = NOBODY
    return games


def set_shoes(game: np.record, shoes: Sequence[Sequence[str] | None] | None) -> None:
    """Give the hands to come their shoes (cards from the top); hands without one are shuffled."""
    first, num_hands = int(game["num_finished"]), int(game["num_hands"])
    game["shoes"], game["has_shoe"] = read_shoes(shoes, "hand", first, num_hands, 1, game["shoes"].shape)
