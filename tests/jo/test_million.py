"""A million random, eager and grabbing decisions, with a compiled referee after each."""

import numpy as np
import pytest
from playing import Play

from jo_env import jo


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_million_decisions_break_no_invariant(seats):
    """334,000 decisions a number of seats, over 2, 3 and 4 packs, with and without a limit of turns."""
    decisions = hands = recycled = short_stocks = dead = largest = 0
    for decks in (2, 3, 4):
        for max_turns in (200, None):
            num_games = 24
            play = Play(num_games, seed=decks, seats=seats, decks=decks, max_turns=max_turns)
            rewards = np.zeros((num_games, 4), np.float32)
            for _ in range(2320):
                play.check()
                stock = play.games["stock_size"].copy()
                play.choose()
                play.step()
                ended = play.hand_ended.astype(bool)
                decisions += num_games
                recycled += int((~ended & (play.games["stock_size"] > stock)).sum())
                short_stocks += int((play.games["stock_size"] < 2).sum())
                largest = max(largest, int(play.games["public"]["hand_size"].max()))
                if ended.any():
                    hands += int(ended.sum())
                    for reward in (jo.points_rewards, jo.win_rewards):
                        reward(play.games, play.hand_ended, rewards)
                        assert np.abs(rewards.sum(1)).max() < 1e-6
                    for game in play.games[ended]:
                        dead += game["points"][game["num_finished"] - 1][:seats].min() > 0
                    jo.deal_anew(play.games)
                play.observe()
    print(
        f"{decisions} decisions, {hands} hands ({dead} dead), {recycled} new stocks, "
        f"{short_stocks} decisions with less than two cards in the stock, largest hand {largest}"
    )
    assert decisions > 333_000
    assert hands - dead > 700 and dead > 50 and recycled > 50 and short_stocks > 50
    assert largest == (19 if seats > 2 else 15)  # at two seats only the turned-up card can be bought
