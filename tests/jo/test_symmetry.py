"""The rules know no suit from another: games with the suits exchanged go on in step."""

import itertools

import numpy as np
import pytest

from agents.jo.heuristics import Greedy, Random
from jo_env import jo
from jo_env.jo.actions import LAY_OFF, LAY_THREE
from jo_env.jo.notation import group_cards

SUITS = "CDHS"


def exchange(value, suits):
    """The same JSON with the suits of all cards exchanged; hands and groups in no order."""
    if isinstance(value, dict):
        return {key: exchange(item, suits) for key, item in value.items()}
    if isinstance(value, list):
        return [exchange(item, suits) for item in value]
    if isinstance(value, str) and len(value) == 2 and value[1] in SUITS and value[0] in "A23456789TJQK":
        return value[0] + suits[SUITS.index(value[1])]
    return value


def described(game, action):
    """An action in words that do not depend on the order of groups."""
    move = jo.action_move(game, action)
    if "group" in move:
        index = move.pop("group")
        move["cards"] = sorted(group_cards(game.public[move["owner"]].groups[index]))
    return move


def ask(games):
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    jo.observe(games, views, masks)
    return views, masks


def same_in(other, masks, move, suits):
    """The action of the other game that is this move with its suits exchanged."""
    wanted = sort_cards(exchange(move, suits))
    (found,) = (a for a in np.flatnonzero(masks[0]) if sort_cards(described(other[0], a)) == wanted)
    return found


def sort_cards(move):
    return {key: sorted(item) if key == "cards" else item for key, item in move.items()}


@pytest.mark.parametrize("suits", ["DCHS", "DHSC", "SHDC"])
def test_suits_may_be_exchanged(suits):
    num_down = 0
    for seed, seats in itertools.product(range(3), (2, 3, 4)):
        games = jo.new_games(1, seats=seats, rounds=[1 + (seed + seats) % 7, 7, 6], max_turns=60)
        jo.start(games, np.array([seed], np.uint64), np.array([jo.NOBODY]))
        bots, ended = [Greedy(), Random(), Greedy(), Greedy()], np.zeros(1, np.int8)
        other, _ = jo.restore(exchange(jo.snapshot(games[0], []), suits))
        for step in itertools.count():
            views, masks = ask(games)
            other_views, other_masks = ask(other)
            assert views["own"]["missing"] == other_views["own"]["missing"]
            legal, other_legal = np.flatnonzero(masks[0]), np.flatnonzero(other_masks[0])
            can_lay = ((legal >= LAY_THREE) & (legal < LAY_OFF)).any()
            if can_lay:
                assert ((other_legal >= LAY_THREE) & (other_legal < LAY_OFF)).any()
            else:
                moves = [sort_cards(exchange(described(games[0], a), suits)) for a in legal]
                others = [sort_cards(described(other[0], a)) for a in other_legal]
                assert sorted(map(str, moves)) == sorted(map(str, others))
            bot, luck = bots[games["acting"][0]], np.array([step], np.uint64)
            actions = bot.choose(views, masks, luck)
            if can_lay and actions[0] < LAY_OFF:
                # A go-down is one move: its lays have an order of their own under other suits.
                lays = []
                while LAY_THREE <= actions[0] < LAY_OFF:
                    lays.append(int(actions[0]))
                    jo.step(games, actions, ended)
                    views, masks = ask(games)
                    if games["groups_laid"][0] == 0:
                        break
                    actions = Greedy().choose(views, masks, luck)
                move = exchange(jo.actions_move(games[0], lays), suits)
                for action in jo.move_actions(other[0], move):
                    assert ask(other)[1][0, action]
                    jo.step(other, np.array([action], np.int32), ended)
                num_down += 1
            else:
                mapped = same_in(other, other_masks, described(games[0], actions[0]), suits)
                jo.step(games, actions, ended)
                jo.step(other, np.array([mapped], np.int32), ended)
            assert games["phase"] == other["phase"] and games["acting"] == other["acting"]
            if ended[0] or games["phase"][0] == jo.Phase.OVER:
                break
        assert (games["points"] == other["points"]).all() and (games["scores"] == other["scores"]).all()
    assert num_down > 5
