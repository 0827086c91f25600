"""Search: legal, blind to what is hidden, fair to every move, and better than the planner it starts from."""

import numpy as np
import pytest
from test_heuristics import positions, redeal_hidden, view

from agents.candidates import MOST_MOVES
from agents.jo.heuristics import Planner, PlannerSearch, search
from agents.jo.heuristics.candidates import MOST_BEHIND, MOST_BEHIND_DOWN, list_moves
from agents.jo.heuristics.hands import build_hands
from agents.jo.heuristics.odds import ODDS
from agents.jo.heuristics.planner import default_weights, plan
from agents.jo.heuristics.styles import styled_weights
from jo_env import jo
from jo_env.jo.actions import BUY, DISCARD, DRAW_STOCK, PASS, TAKE_DISCARD
from jo_env.jo.worlds import deal_world


def some_positions(seats, every):
    """Copies of every so many positions: (games, views, masks)."""
    for step, (games, views, masks) in enumerate(positions(seats, num_games=4, num_steps=240)):
        if step % every == 0:
            yield games.copy(), views.copy(), masks.copy()


@pytest.mark.parametrize("seats", [2, 4])
def test_choices_are_legal_and_depend_on_view_and_seed_alone(seats):
    bot, threaded = PlannerSearch(worlds=8), PlannerSearch(worlds=8, threads=3)
    rng = np.random.default_rng(0)
    differs = False
    for games, views, masks in some_positions(seats, every=5):
        seeds = rng.integers(0, 2**63, len(games)).astype(np.uint64)
        before = views.copy()
        actions = bot.choose(views, masks, seeds)
        assert np.array_equal(views, before)
        assert actions.dtype == np.int32 and masks[np.arange(len(games)), actions].all()
        differs |= bool((actions != Planner().choose(views, masks, seeds)).any())
        for game in games:
            redeal_hidden(game, rng)
        jo.observe(games, views, masks)
        order = rng.permutation(len(games))
        assert np.array_equal(threaded.choose(views[order], masks[order], seeds[order]), actions[order])
    assert differs


def test_the_planners_move_is_compared_with_legal_others():
    table, odds = default_weights(), np.zeros(1, ODDS)
    moves, behind = np.zeros(MOST_MOVES, np.int64), np.zeros(MOST_MOVES)
    counts = set()
    for _, views, masks in some_positions(3, every=1):
        planned = Planner().choose(views, masks, np.zeros(len(views), np.uint64))
        for position, mask, action in zip(views, masks, planned, strict=True):
            worths = np.zeros(52)
            num_moves = list_moves(position, mask, table[1], odds[0], worths, moves, behind)
            tried = moves[:num_moves].tolist()
            assert tried[0] == action and len(set(tried)) == num_moves
            assert mask[tried].all()
            if action >= DISCARD:
                # From the best on, as long as they come near it: what was not tried is farther behind.
                most_behind = MOST_BEHIND_DOWN if position.seats[0].down else MOST_BEHIND
                gaps = behind[:num_moves]
                assert gaps[0] == 0 and (np.diff(gaps) >= 0).all() and gaps[-1] <= most_behind
                plan(position, mask, table[1], odds[0], worths)
                near = (worths.max() - worths <= most_behind).sum()
                assert num_moves == min(near, MOST_MOVES)
            elif action not in (BUY, PASS, TAKE_DISCARD, DRAW_STOCK):
                assert num_moves == 1
            elif action in (BUY, TAKE_DISCARD) or position.top_is_nearer:
                assert num_moves == mask[[PASS, BUY, DRAW_STOCK, TAKE_DISCARD]].sum()
            counts.add(num_moves)
    assert counts >= {1, 2, MOST_MOVES}


def test_a_worth_is_what_the_seat_receives_for_the_hand():
    weights, odds = default_weights(), np.zeros(1, ODDS)
    games, seen = np.zeros(2, jo.GAME), np.zeros(1, jo.VIEW)
    mask = np.zeros(jo.NUM_ACTIONS, np.int8)
    for _, views, masks in some_positions(3, every=20):
        for i, position in enumerate(views):
            action = int(np.flatnonzero(masks[i])[-1])
            deal_world(position, np.uint64(i), games[0])
            worths = []
            for seat in range(3):
                games[1] = games[0]
                worths.append(search.play_on(games[1], action, seat, weights, odds[0], seen[0], mask))
            points = games[1]["points"][0, :3]
            assert games[1]["phase"] == jo.Phase.OVER
            assert np.allclose(worths, (points.sum() - 3 * points) / 2 / 100)


def test_built_hands_change_nothing_that_the_seat_sees_and_are_as_near_to_the_goal_as_real_ones():
    tables = jo.new_games(24, seats=4, rounds=[6], max_turns=60)
    jo.start(tables, np.arange(24).astype(np.uint64), np.full(24, jo.NOBODY))
    views, masks = np.zeros(24, jo.VIEW), np.zeros((24, jo.NUM_ACTIONS), np.int8)
    games, before, nearer = np.zeros(1, jo.GAME), np.zeros(1, jo.GAME), np.zeros(52, np.int8)
    seen, legal = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    ended = np.zeros(24, np.int8)

    def cards(game):
        return game["own"]["hand"].sum(0) + np.bincount(game["stock"][: game["stock_size"]], minlength=52)

    def missing(game, seat):
        jo.look(game, seat, seen[0])
        return int(seen[0]["own"]["missing"])

    dealt, built, real = [], [], []
    for step in range(110):
        jo.observe(tables, views, masks)
        for i in range(0, 24 if step % 10 == 0 else 0, 2):
            position = views[i]
            deal_world(position, np.uint64(step + i), games[0])
            before[:] = games
            build_hands(position, games[0], nearer)
            assert (cards(games[0]) == cards(before[0])).all()
            assert (games["own"]["hand"].sum(2) == before["own"]["hand"].sum(2)).all()
            assert (games["own"]["hand"] >= games["public"]["known"]).all()
            jo.observe(games, seen, legal)
            assert seen.tobytes() == position.tobytes() and (legal[0] == masks[i]).all()
            for r in range(1, 4):
                seat = (position.seat + r) % 4
                if not position.seats[r].down and position.turns >= 16:
                    dealt.append(missing(before[0], seat))
                    built.append(missing(games[0], seat))
                    real.append(missing(tables[i], seat))
        jo.step(tables, Planner().choose(views, masks, np.zeros(24, np.uint64)), ended)
        if ended.any():
            break
    assert len(real) > 100 and np.mean(dealt) > np.mean(real) + 1
    assert abs(np.mean(built) - np.mean(real)) < 0.5


def test_ahead_means_two_standard_errors_of_the_paired_difference():
    worths = np.array([0.0, 1.0, 2.0, 3.0])
    assert search.is_ahead(worths + 0.1, worths, 4)  # by the same in every world
    assert search.is_ahead(worths, worths, 4)  # equal moves need no more worlds
    assert not search.is_ahead(worths, worths + 0.1, 4)
    difference = np.array([1.0, 1.0, -1.0, 1.0])  # mean 1/2, standard error 1/2
    assert not search.is_ahead(worths + difference, worths, 4)
    assert search.is_ahead(worths + difference, worths, 2)  # the first two alone
    difference += 0.5  # mean 1, standard error 1/2
    assert search.is_ahead(worths + difference, worths, 4)
    assert not search.is_ahead(worths + difference - 0.01, worths, 4)


def test_takes_the_card_that_completes_the_goal():
    position = view("KC KD KS 5C 5D 2C 4H 7S 9D JH", "5H")
    assert PlannerSearch(worlds=16).act(position) == {"type": "take_discard"}


@pytest.mark.parametrize("max_turns", [30, None])
def test_the_end_of_a_hand_by_turns(max_turns):
    """On its last turn nothing counts but the points thrown; without a limit a world ends all the same."""
    hand = "KC KD AC AD 2C"  # so few that every discard is tried
    position = view(hand, "3H", phase="play", turns=29, rules={"decks": 2, "max_turns": max_turns})
    move = PlannerSearch(worlds=16).act(position)
    assert (move["card"][0] == "A") == (max_turns == 30)


def test_search_mends_a_planner_that_never_buys():
    weights = styled_weights("thrifty")
    asked = []
    for _, views, masks in some_positions(4, every=1):
        is_asked = (views["phase"] == jo.Phase.BUY) & (views["top_is_nearer"] == 1)
        rows = is_asked & (views["own"]["missing"] > 1)
        asked += list(zip(views[rows], masks[rows], strict=True))
    views, masks = (np.stack(column) for column in zip(*asked, strict=True))
    seeds = np.arange(len(views)).astype(np.uint64)
    assert len(views) > 20 and (Planner(weights).choose(views, masks, seeds) == PASS).all()
    actions = PlannerSearch(worlds=128, weights=weights).choose(views, masks, seeds)
    assert (actions == BUY).mean() > 0.2
