"""A million random, eager and grabbing decisions, with a compiled referee after each."""

import numpy as np
import pytest
from playing import Play

from jo_env import jo


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_million_decisions_break_no_invariant(seats):
    """334,000 decisions a number of seats, over 2, 3 and 4 packs, with and without a limit of turns."""
    decisions, hands, recycled, scarce, largest = 0, 0, 0, 0, 0
    for decks in (2, 3, 4):
        for max_turns in (200, None):
            num_games = 96
            play = Play(num_games, seed=decks, seats=seats, decks=decks, max_turns=max_turns)
            rewards = np.zeros((num_games, 4), np.float32)
            for _ in range(580):
                play.check()
                stock = play.games["stock_size"]
                play.choose()
                play.step()
                decisions += num_games
                recycled += int((play.games["stock_size"] > stock).sum() - play.hand_ended.sum())
                scarce += int((play.games["stock_size"] + play.games["discard_size"] < 4).sum())
                largest = max(largest, int(play.games["public"]["hand_size"].max()))
                if play.hand_ended.any():
                    hands += int(play.hand_ended.sum())
                    for reward in (jo.points_rewards, jo.win_rewards):
                        reward(play.games, play.hand_ended, rewards)
                        assert np.abs(rewards.sum(1)).max() < 1e-6
                    is_over = play.games["phase"] == jo.Phase.OVER
                    assert not play.games["num_finished"][is_over].min(initial=7) < 7
                    jo.deal_anew(play.games)
                play.observe()
    print(f"{decisions} decisions, {hands} hands, {recycled} new stocks, {scarce} scarce, largest {largest}")
    assert decisions > 333_000
    assert hands > 1000 and recycled > 20
