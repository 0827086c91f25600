"""A million random, eager and hoarding decisions, with a compiled referee after each."""

import numpy as np
import pytest

from jo_env import rummy_bo
from jo_env.rummy_bo.state import DEALT
from rummy_bo.playing import Play


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_million_decisions_break_no_invariant(seats):
    """200,000 decisions a number of seats, with and without a limit of turns."""
    decisions = hands = turned_over = lone_cards = dead = rummies = largest = groups = 0
    for max_turns in (200, 60, None):
        num_games = 24
        play = Play(num_games, seed=seats, seats=seats, hands=3, max_turns=max_turns)
        rewards = np.zeros((num_games, seats), np.float32)
        for _ in range(2790):
            play.check()
            stock = play.games["stock_size"].copy()
            play.choose()
            melded = play.games["public"]["has_melded"].copy()
            play.step()
            ended = play.hand_ended.astype(bool)
            decisions += num_games
            turned_over += int((~ended & (play.games["stock_size"] > stock)).sum())
            lone_cards += int((play.games["stock_size"] == 1).sum())
            largest = max(largest, int(play.games["public"]["hand_size"].max()))
            groups = max(groups, int(play.games["num_groups"].max()))
            if ended.any():
                hands += int(ended.sum())
                for game, had_melded in zip(play.games[ended], melded[ended], strict=True):
                    points = game["points"][game["num_finished"] - 1][:seats]
                    is_dead = points.max() <= 0 and points.sum() < 0
                    assert is_dead or points.sum() == 0
                    dead += is_dead
                    if points.max() > 0:
                        rummies += not had_melded[points.argmax()]
                for reward in (rummy_bo.points_rewards, rummy_bo.win_rewards):
                    reward(play.games, play.hand_ended, rewards)
                    is_alive = rewards.max(1) > 0
                    assert np.abs(rewards[is_alive].sum(1)).max(initial=0) < 1e-6
                rummy_bo.deal_anew(play.games)
            play.observe()
    print(
        f"{decisions} decisions, {hands} hands ({dead} dead, {rummies} rummies), {turned_over} piles turned "
        f"over, {lone_cards} decisions with one card in the stock, largest hand {largest}, {groups} groups"
    )
    assert decisions > 200_000
    assert hands - dead > 300 and dead > 30 and rummies > 0 and turned_over > 300 and lone_cards > 300
    assert largest > DEALT[seats] + 4 and groups > 10
