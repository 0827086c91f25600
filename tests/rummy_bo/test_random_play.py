"""Random games: the engine's masks, tables and payments are the oracle's."""

import numpy as np
import pytest
from oracle import CARDS, Table

from jo_env import rummy_bo
from jo_env.rummy_bo.actions import DISCARD, LAY_SET
from jo_env.rummy_bo.bits import popcount


def start(seats, seed, **settings):
    games = rummy_bo.new_games(1, seats=seats, **settings)
    rummy_bo.start(games, np.array([seed], np.uint64), np.array([-1]))
    return games


def oracle_of(game, max_turns):
    """The hand that a game has just begun, from the same shoe."""
    shoe = [CARDS[face] for face in game["shoes"][game["num_finished"]]]
    return Table(int(game["num_seats"]), int(game["dealer"]), shoe, max_turns)


def pick(mask, rng):
    """Lay more often than chance would, so that hands end."""
    legal = np.flatnonzero(mask)
    lays = legal[(legal >= LAY_SET) & (legal < DISCARD)]
    return int(rng.choice(lays if len(lays) and rng.random() < 0.7 else legal))


def same_table(game, table):
    n = table.n
    assert [rummy_bo.snapshot(game, [])["hands"][s] for s in range(n)] == [
        sorted(hand, key=CARDS.index) for hand in table.hands
    ]
    shown = rummy_bo.snapshot(game, [])
    assert shown["stock"] == table.stock[::-1] and shown["discard"] == table.pile
    groups = [sorted(g["cards"]) if g["kind"] == "set" else g["cards"] for g in shown["groups"]]
    assert groups == [sorted(g.cards) if g.kind == "set" else g.cards for g in table.groups]
    assert shown["melded"] == table.melded and shown["turn"] == table.turn
    assert shown["taken"] == sorted(table.taken, key=CARDS.index) and shown["phase"] == table.phase


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("max_turns", [12, 45])
def test_masks_tables_and_payments_are_the_oracles(seats, max_turns):
    rng = np.random.default_rng(seats)
    games = start(seats, seed=seats, hands=8, max_turns=max_turns)
    views, masks = np.zeros(1, rummy_bo.VIEW), np.zeros((1, rummy_bo.NUM_ACTIONS), np.int8)
    ended = np.zeros(1, np.int8)
    paid, scores, seen = [], np.zeros(seats, int), set()
    table = oracle_of(games[0], max_turns)
    while games["phase"][0] != rummy_bo.Phase.OVER:
        rummy_bo.observe(games, views, masks)
        assert set(np.flatnonzero(masks[0]).tolist()) == table.legal()
        same_table(games[0], table)
        action = pick(masks[0], rng)
        seen.add(action)
        rummy_bo.step(games, np.array([action], np.int32), ended)
        table.play(action)
        assert bool(ended[0]) == (table.paid is not None)
        if ended[0]:
            paid.append(table.paid)
            scores += table.paid
            assert games["points"][0, : len(paid), :seats].tolist() == paid
            assert games["scores"][0, :seats].tolist() == scores.tolist()
            assert sum(table.paid) == 0 or max(table.paid) <= 0
            if games["phase"][0] != rummy_bo.Phase.OVER:
                assert games["dealer"][0] == table.next_dealer
                table = oracle_of(games[0], max_turns)
    assert len(paid) == 8 and {0, 1} <= seen


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_million_decisions_break_no_invariant(seats):
    """200,000 decisions a number of seats: every card in one place, rewards that sum to 0, sizes that fit."""
    num_games, rng = 50, np.random.default_rng(seats)
    games = rummy_bo.new_games(num_games, seats=seats, max_turns=None if seats % 2 else 120)
    rummy_bo.start(games, np.arange(num_games, dtype=np.uint64), np.full(num_games, -1))
    views = np.zeros(num_games, rummy_bo.VIEW)
    masks = np.zeros((num_games, rummy_bo.NUM_ACTIONS), np.int8)
    ended = np.zeros(num_games, np.int8)
    rewards = np.zeros((num_games, 6), np.float32)
    largest = hands = dead = turned = rummies = 0
    for _ in range(4000):
        rummy_bo.observe(games, views, masks)
        check(games, seats)
        assert masks.any(1).all()
        largest = max(largest, int(games["hand_size"].max()))
        weights = masks * rng.random(masks.shape)
        weights[:, LAY_SET:DISCARD] *= 3
        turned += int((weights.argmax(1) == 3).sum())
        melded = games["has_melded"].copy()
        rummy_bo.step(games, weights.argmax(1).astype(np.int32), ended)
        for game, before in zip(games[ended == 1], melded[ended == 1], strict=True):
            hands += 1
            points = game["points"][game["num_finished"] - 1][:seats]
            dead += points.sum() < 0
            rummies += points.sum() == 0 and not before[points.argmax()]
        for reward in (rummy_bo.points_rewards, rummy_bo.win_rewards):
            reward(games, ended, rewards)
            assert rewards.sum(1).max() < 1e-5
        rummy_bo.deal_anew(games)
    print(f"{seats} seats: {hands} hands ({dead} dead, {rummies} rummy), {turned} turned over, largest {largest}")
    assert hands > 100 and turned > 20 and largest <= 51


def check(games, seats):
    """Every one of the 52 cards lies in exactly one place, and the numbers say how many lie where."""
    places = [games["held"][:, s] for s in range(seats)] + [games["pile"], games["in_sets"], games["in_runs"]]
    together = np.zeros(len(games), np.uint64)
    for cards in places:
        assert not (together & cards).any()
        together |= cards
    num_placed = np.array([popcount(cards) for cards in together])
    assert (num_placed + games["stock_size"] == 52).all()
    for i, game in enumerate(games[:3]):
        stock = {int(face) for face in game["stock"][: game["stock_size"]]}
        assert len(stock) == game["stock_size"] and not any(int(together[i]) >> f & 1 for f in stock)
        pile = game["discard"][: game["discard_size"]]
        assert sum(1 << int(f) for f in pile) == int(game["pile"])
        in_groups = 0
        for group in game["groups"][: game["num_groups"]]:
            assert not in_groups & int(group["cards"])
            in_groups |= int(group["cards"])
            assert int(group["cards"]).bit_count() == group["length"]
        assert in_groups == int(game["in_sets"] | game["in_runs"])
    for s in range(seats):
        sizes = np.array([popcount(cards) for cards in games["held"][:, s]])
        assert (sizes == games["hand_size"][:, s]).all()
        assert not (games["known"][:, s] & ~games["held"][:, s]).any()
