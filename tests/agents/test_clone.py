"""Imitation: what is collected of a teacher, what is made of it, and that a net learns it."""

import numpy as np
import pytest
import torch

from agents import jo as jo_agents
from agents.candidates import MOST_MOVES, NO_MOVE
from agents.clone import Lessons, clone_loss, collect, targets_of
from agents.jo import features_of
from agents.jo.heuristics import Greedy
from agents.jo.iteration import PlannerImproved
from agents.policy import NetConfig, PolicyNet
from agents.rollout import new_tables
from jo_env import jo
from jo_env.jo.actions import DISCARD, LAY_THREE


def padded(rows, fill):
    return torch.tensor([[*row, *[fill] * (MOST_MOVES - len(row))] for row in rows])


def test_lessons_are_the_teachers_decisions_in_order():
    tables, lessons = new_tables(jo_agents, 9, seed=3, seats=(2, 3, 4)), Lessons.empty(jo_agents, 9 * 20)
    first = features_of(tables.views)
    seeds = np.zeros(9, np.uint64)
    chosen = PlannerImproved().choose(tables.views, tables.masks, seeds)
    collect(tables, PlannerImproved(), lessons)
    moves, worths = lessons.moves.numpy(), lessons.worths.numpy()
    assert (lessons.features.numpy()[:9] == first).all()
    is_move = moves != NO_MOVE
    assert is_move[:, 0].all() and is_move.sum(1).max() > 2
    assert np.take_along_axis(lessons.masks.numpy(), moves.clip(0), 1)[is_move].all()
    best = np.where(is_move, worths, -np.inf).argmax(1)
    assert (moves[range(9), best[:9]] == chosen).all()
    assert (worths[~is_move] == 0).all() and np.abs(worths).max() < 100
    # The same tables go on the same.
    other = new_tables(jo_agents, 9, seed=3, seats=(2, 3, 4))
    collect(other, PlannerImproved(), Lessons.empty(jo_agents, 9 * 20))
    assert (other.games == tables.games).all()


def test_a_teacher_that_only_chooses_has_one_candidate():
    tables, lessons = new_tables(jo_agents, 6, seed=3, seats=(2, 3, 4)), Lessons.empty(jo_agents, 12)
    chosen = Greedy().choose(tables.views, tables.masks, np.zeros(6, np.uint64))
    collect(tables, Greedy(), lessons)
    assert (lessons.moves[:6, 0].numpy() == chosen).all() and (lessons.moves[:, 1:] == NO_MOVE).all()
    assert not lessons.worths.any()


def test_targets_are_a_softmax_of_points_over_the_candidates():
    moves, worths = padded([[5, 7], [9]], NO_MOVE), padded([[1.0, 2.0], [-3.0]], 0.0)
    warm = targets_of(moves, worths, temperature=0.5)
    assert warm[0, 1] == pytest.approx(1 / (1 + np.exp(-2))) and warm[0, :2].sum() == pytest.approx(1)
    assert warm[1].tolist() == [1, 0, 0, 0, 0, 0]
    assert targets_of(moves, worths, temperature=0)[0].tolist() == [0, 1, 0, 0, 0, 0]


def test_the_loss_is_a_cross_entropy_over_the_legal_actions():
    lessons = Lessons.empty(jo_agents, 2)
    lessons.masks[0, [5, 7, 9]] = 1
    lessons.masks[1, [9, 11]] = 1
    lessons.moves[:] = padded([[5, 7], [9]], NO_MOVE)
    lessons.worths[:] = padded([[1.0, 2.0], [0.0]], 0.0)
    logits = torch.zeros(2, jo.NUM_ACTIONS)
    logits[:, 6] = 50  # not legal
    logits[0, 5] = np.log(2)  # probabilities 1/2, 1/4 and 1/4
    logits[1, 11] = np.log(3)  # 1/4 and 3/4
    loss, metrics = clone_loss(logits, lessons, temperature=0)
    assert float(loss) == pytest.approx(np.log(4))
    # The first decision's likeliest is a candidate 1 point behind, the second's is none.
    assert float(metrics["agreement"]) == 0 and float(metrics["regret"]) == pytest.approx(0.5)
    third = 1 / (1 + np.exp(-1))  # of the better candidate at 1 point
    soft, _ = clone_loss(logits, lessons, temperature=1)
    assert float(soft) == pytest.approx((third * np.log(4) + (1 - third) * np.log(2) + np.log(4)) / 2)


def test_a_net_learns_what_its_teacher_prefers():
    torch.manual_seed(0)
    tables, lessons = new_tables(jo_agents, 60, seed=1, seats=(2, 3, 4)), Lessons.empty(jo_agents, 60 * 30)
    collect(tables, PlannerImproved(), lessons)
    net = PolicyNet(jo_agents, NetConfig(8, 4, 8, card=8, width=16, critic=1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    seen = []
    for _ in range(60):
        loss, metrics = clone_loss(net.logits(lessons.features), lessons, temperature=0.5)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen.append({name: value.item() for name, value in {"loss": loss, **metrics}.items()})
    assert seen[-1]["loss"] < 0.6 * seen[0]["loss"]
    assert seen[-1]["agreement"] > 0.6 > seen[0]["agreement"]


def test_an_untrained_net_lays_as_the_planner_does():
    torch.manual_seed(0)
    tables, lessons = new_tables(jo_agents, 60, seed=1, seats=(2, 3, 4)), Lessons.empty(jo_agents, 60 * 60)
    collect(tables, PlannerImproved(), lessons)
    net = PolicyNet(jo_agents, NetConfig(8, 4, 8, card=8, width=16, critic=1))
    with torch.no_grad():
        logits = net.logits(lessons.features).masked_fill(lessons.masks == 0, -torch.inf)
    first = lessons.moves[:, 0]
    lays = (first >= LAY_THREE) & (first < DISCARD)
    assert lays.sum() > 20 and (logits.argmax(1) == first)[lays].float().mean() > 0.9
