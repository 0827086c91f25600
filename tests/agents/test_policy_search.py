"""A policy that searches: it tries what the policy may play, and the policy's own move is to be beaten."""

import numpy as np
import pytest
from test_heuristics import positions, redeal_hidden

from agents.jo import policy_search as search
from agents.jo.policy_search import PolicySearch, likeliest
from jo_env import jo
from jo_env.jo.actions import BUY, PASS


class Leaning:
    """A policy of fixed logits."""

    def __init__(self, **logits):
        self.row = np.zeros(jo.NUM_ACTIONS, np.float32)
        for name, logit in logits.items():
            self.row[getattr(jo.actions, name)] = logit

    def logits(self, features):
        return np.tile(self.row, (len(features), 1))


def asked_to_buy():
    """Positions in which a card that brings the goal nearer may be bought: (games, views, masks)."""
    found = []
    for games, views, masks in positions(4, num_games=4, num_steps=240):
        rows = (
            (views["phase"] == jo.Phase.BUY) & (views["top_is_nearer"] == 1) & (views["own"]["missing"] > 1)
        )
        found += [(games[i].copy(), views[i].copy(), masks[i].copy()) for i in np.flatnonzero(rows)]
    return (np.stack(column) for column in zip(*found, strict=True))


def test_the_likeliest_moves_that_have_a_chance_are_tried():
    logits = np.full(jo.NUM_ACTIONS, -np.inf)
    logits[[3, 8, 20, 30]] = np.log([0.2, 0.7, 0.09, 0.01])
    assert likeliest(logits).tolist() == [8, 3, 20]
    logits[40:50] = np.log(0.3)
    assert likeliest(logits).tolist() == [8, 40, 41, 42]


def test_it_mends_a_policy_that_seldom_buys(monkeypatch):
    monkeypatch.setattr(search, "MOST_WORLDS", 128)  # so that time does not decide
    games, views, masks = asked_to_buy()
    seeds = np.arange(len(views)).astype(np.uint64)
    bot = PolicySearch(Leaning(PASS=2.0), milliseconds=600_000)
    actions = bot.choose(views, masks, seeds)
    assert actions.dtype == np.int32 and len(actions) > 20
    assert set(actions.tolist()) == {BUY, PASS} and (actions == BUY).mean() > 0.2
    rng = np.random.default_rng(0)
    for game in games:
        redeal_hidden(game, rng)
    jo.observe(games, views, masks)
    assert (bot.choose(views, masks, seeds) == actions).all()


@pytest.mark.parametrize(("policy", "milliseconds"), [(Leaning(PASS=9.0), 600_000), (Leaning(PASS=2.0), 0)])
def test_nothing_is_tried_where_the_policy_is_sure_or_there_is_no_time(monkeypatch, policy, milliseconds):
    monkeypatch.setattr(search, "try_worlds", None)
    _, views, masks = asked_to_buy()
    seeds = np.zeros(len(views), np.uint64)
    assert (PolicySearch(policy, milliseconds).choose(views, masks, seeds) == PASS).all()
