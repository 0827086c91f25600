"""The engine against the slow plain oracle, and nothing hidden shown: on decisions of all kinds of play.

`test_million.py` checks what holds of every table; here the tables are compared one by one.
"""

from collections import Counter
from random import Random

import numpy as np
import oracle
import pytest
from playing import Play
from random_tables import random_tables
from tables import Table

from jo_env import jo
from jo_env.jo.actions import DISCARD, LAY_OFF, LAY_THREE
from jo_env.jo.bits import count_hand

QUOTA = 60  # decisions of one kind compared with the oracle


def kind_of(view: np.record, mask: np.ndarray) -> str:
    """What makes a decision worth comparing: the rare kinds are what the quota is for."""
    if view.phase == jo.Phase.BUY:
        return "buy" if view.stock_size >= 3 else "buy, short stock"
    if view.phase == jo.Phase.DRAW:
        small = "small hand, " if view.seats[0].hand_size < 4 else ""
        return f"draw, {small}{'short stock' if view.stock_size < 3 else ''}"
    taken = "taken, " if view.taken >= 0 else ""
    if view.groups_laid:
        return f"{taken}go-down begun"
    if mask[LAY_THREE:LAY_OFF].any():
        return f"{taken}may go down"
    if view.seats[0].down:
        few = "few cards" if view.seats[0].hand_size < 4 else "down"
        return f"{taken}{few}, {'may lay off' if mask[LAY_OFF:DISCARD].any() else 'may not'}"
    return f"{taken}play"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_masks_are_the_oracles_and_steps_make_the_oracles_tables(seats):
    """Real play: every kind of decision up to its quota, and for each of them the step that followed."""
    counts: Counter[str] = Counter()
    for decks in (2, 4):
        play = Play(24, seats=seats, seed=100 + decks, decks=decks, max_turns=150)
        for _ in range(1200):
            play.choose()
            chosen = []
            for i in range(24):
                kind = f"{decks} packs, " + kind_of(play.views[i], play.masks[i])
                if counts[kind] < QUOTA:
                    counts[kind] += 1
                    before = jo.snapshot(play.games[i], [])
                    legal = {int(action) for action in np.flatnonzero(play.masks[i])}
                    assert legal == oracle.legal_actions(before), before
                    chosen.append((i, before, int(play.actions[i])))
            play.step()
            for i, before, action in chosen:
                now = jo.snapshot(play.games[i], [])
                oracle.check_step(before, action, now)
                oracle.check_table(now)
            jo.deal_anew(play.games)
            play.observe()
    print(counts)
    for kind in ("may go down", "taken, may go down", "few cards, may lay off", "taken, go-down begun"):
        assert counts[f"2 packs, {kind}"] == QUOTA
    assert counts["2 packs, taken, few cards, may lay off"] > 30
    assert counts["2 packs, draw, short stock"] > 10


@pytest.mark.parametrize("seed", range(4))
def test_late_tables_played_on_are_the_oracles(seed):
    """Made-up tables, with little stock and pile and hands of few faces; five actions from each."""
    luck = Random(seed)
    scarce, stranding, finished = 0, 0, 0
    for snapshot in random_tables(seed, count=120):
        oracle.check_table(snapshot, history=False)
        table = Table(*jo.restore(snapshot))
        for _ in range(5):
            before = table.snapshot()
            legal = table.legal()
            assert set(legal) == oracle.legal_actions(before), before
            scarce += len(before["stock"]) + len(before["discard"]) < 4
            rare = [action for action in legal if action == 3 or LAY_THREE <= action < DISCARD]
            fitting = oracle.lay_offs(oracle.as_turn(before)) if before["phase"] == "play" else []
            stranding += len(rare) < len(dict(fitting)) if before["phase"] == "play" else 3 not in legal
            action = luck.choice(rare if rare and luck.random() < 0.7 else legal)
            table.news = []
            table.step(action)
            oracle.check_step(before, action, table.snapshot())
            if table.ended:
                finished += 1
                break
    print(f"{scarce} scarce tables, {stranding} with a move that would strand, {finished} hands finished")
    assert scarce > 10 and stranding > 10 and finished > 10


def redealt(game: np.record, seat: int, luck: np.random.Generator) -> np.ndarray:
    """A copy of the game in which all that a seat cannot know is another: hands, stock, luck, shoes."""
    games = np.array([game])
    other = games[0]
    unseen = []
    for s in range(int(game.num_seats)):
        if s != seat:
            spare = game.own[s].hand - game.public[s].known
            unseen += [face for face in range(52) for _ in range(spare[face])]
    unseen = luck.permutation(np.array([*unseen, *game.stock[: game.stock_size]], np.int8))
    for s in range(int(game.num_seats)):
        if s != seat:
            size = int(game.public[s].hand_size - game.public[s].known.sum())
            dealt, unseen = unseen[:size], unseen[size:]
            other.own[s].hand = game.public[s].known + np.bincount(dealt, minlength=52).astype(np.int8)
            count_hand(other.own[s])
    other.stock[: game.stock_size] = unseen
    other.rng, other.seed = luck.integers(2**63, size=2)
    other.shoes[int(game.num_finished) + 1 :] = 0
    return games


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hidden_cards_reshuffled_change_nothing_that_a_seat_sees(seats):
    luck = np.random.default_rng(seats)
    play = Play(9, seats=seats, seed=seats)
    moved = 0
    for step in range(600):
        play.choose()
        play.step()
        jo.deal_anew(play.games)
        play.observe()
        if step % 11:
            continue
        for game in play.games:
            for seat in range(seats):
                games = redealt(game, seat, luck)
                moved += games[0].stock.tobytes() != game.stock.tobytes()
                views = np.zeros(2, jo.VIEW)
                jo.look(game, seat, views[0])
                jo.look(games[0], seat, views[1])
                assert views[0].tobytes() == views[1].tobytes()
                if seat == game.acting:
                    assert jo.view_json(game, seat, []) == jo.view_json(games[0], seat, [])
                    masks = np.zeros((1, jo.NUM_ACTIONS), np.int8)
                    jo.observe(games, views[:1], masks)
                    acting = np.flatnonzero(masks[0])
                    jo.observe(np.array([game]), views[:1], masks)
                    assert acting.tolist() == np.flatnonzero(masks[0]).tolist()
    assert moved > 900


def test_looking_changes_nothing():
    """A seat's view is the same whether the others have looked or not, and the table stays as it was."""
    play = Play(12, seats=4, seed=3)
    for _ in range(200):
        play.choose()
        play.step()
        play.observe()
    for game in play.games:
        before = jo.snapshot(game, [])
        first, second = np.zeros(1, jo.VIEW), np.zeros(1, jo.VIEW)
        jo.look(game, 0, first[0])
        for seat in range(4):
            jo.look(game, seat, second[0])
        jo.look(game, 0, second[0])
        assert first.tobytes() == second.tobytes()
        assert jo.snapshot(game, []) == before


def test_what_is_known_of_hands_is_true():
    """Cards known in hand are there; the unseen of a seat are the others' unknown cards and the stock."""
    play = Play(12, seats=4, seed=9)
    known = 0
    for _ in range(400):
        play.choose()
        play.step()
        jo.deal_anew(play.games)
        play.observe()
        for i, game in enumerate(play.games):
            others = [(int(game.acting) + r) % 4 for r in range(1, 4)]
            hidden = sum(game.own[s].hand.astype(int) - game.public[s].known for s in others)
            hidden = hidden + np.bincount(game.stock[: game.stock_size], minlength=52)
            assert (play.views[i].unseen == hidden).all()
            known += int(sum(game.public[s].known.sum() for s in others))
    assert known > 1000


def test_a_game_is_the_same_alone_and_in_a_batch():
    """Luck lives in the record: batches of 1 and of 24 play the same games."""
    batch = Play(24, seats=3, seed=4)
    rows = [
        (batch.games[i : i + 1].copy(), batch.lucks[i : i + 1].copy(), batch.styles[i : i + 1])
        for i in range(3)
    ]
    for _ in range(400):
        batch.choose()
        batch.step()
        jo.deal_anew(batch.games)
        batch.observe()
    for i, (games, lucks, styles) in enumerate(rows):
        single = Play(1, seats=3)
        single.games[:], single.lucks[:], single.styles[:] = games, lucks, styles
        single.observe()
        for _ in range(400):
            single.choose()
            single.step()
            jo.deal_anew(single.games)
            single.observe()
        assert jo.snapshot(single.games[0], []) == jo.snapshot(batch.games[i], [])
        assert single.views[0].tobytes() == batch.views[i].tobytes()
