"""The written bots: always legal, blind to what is hidden, sensible in positions told as stories."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from agents.arena import play_mirrored
from agents.jo.heuristics import Buyer, Dumper, Greedy, Hoarder, Planner, PlannerSearch, Random, Thrifty
from agents.jo.iteration import PlannerImproved
from jo_env import bots, jo
from jo_env.jo.bits import count_hand

BOTS = {
    "random": Random,
    "greedy": Greedy,
    "planner": Planner,
    "planner-buyer": Buyer,
    "planner-thrifty": Thrifty,
    "planner-dumper": Dumper,
    "planner-hoarder": Hoarder,
}


def view(hand, discard, **changes):
    """Seat 0 of two seats to draw in round 1 (two threes); everything else can be changed."""
    base = {
        "protocol": 1,
        "game": "jo",
        "seats": 2,
        "seat": 0,
        "dealer": 1,
        "round": 1,
        "turn": 0,
        "phase": "draw",
        "hand": hand.split(),
        "down": [False, False],
        "buys_used": [0, 0],
        "groups": [[], []],
        "discard": discard.split(),
        "requests": [],
        "taken": None,
        "discarded_by": 1,
        "scores": [0, 0],
    }
    base |= changes
    others = changes.get("hand_sizes", [10] * base["seats"])
    base["hand_sizes"] = [len(base["hand"]) if s == base["seat"] else others[s] for s in range(base["seats"])]
    laid = sum(len(group["cards"]) for row in base["groups"] for group in row)
    base["stock_size"] = 104 - sum(base["hand_sizes"]) - len(base["discard"]) - laid
    return base


def positions(seats, num_games=8, num_steps=700, decks=2):
    """Games between planners, greedy and random bots, step by step: (games, views, masks)."""
    bots = [Planner(), Greedy(), Planner(), Random()]
    games = jo.new_games(num_games, seats=seats, decks=decks, max_turns=60)
    jo.start(games, np.arange(num_games).astype(np.uint64), np.full(num_games, jo.NOBODY))
    views = np.zeros(num_games, jo.VIEW)
    masks = np.zeros((num_games, jo.NUM_ACTIONS), np.int8)
    ended = np.zeros(num_games, np.int8)
    for step in range(num_steps):
        jo.deal_anew(games)
        jo.observe(games, views, masks)
        yield games, views, masks
        seeds = np.arange(num_games).astype(np.uint64) + np.uint64(1000 * step)
        actions = np.zeros(num_games, np.int32)
        for seat in range(seats):
            rows = np.flatnonzero(games["acting"] == seat)
            actions[rows] = bots[seat].choose(views[rows], masks[rows], seeds[rows])
        jo.step(games, actions, ended)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_choose_legal_actions_in_every_phase(seats):
    bots = [made() for made in BOTS.values()]
    phases = set()
    for games, views, masks in positions(seats, decks=seats):
        phases |= set(views["phase"].tolist())
        seeds = np.arange(len(games)).astype(np.uint64)
        for bot in bots:
            before = views.copy()
            actions = bot.choose(views, masks, seeds)
            assert actions.dtype == np.int32
            assert masks[np.arange(len(games)), actions].all()
            assert np.array_equal(views, before)
    assert phases == {jo.Phase.BUY, jo.Phase.DRAW, jo.Phase.PLAY}


def redeal_hidden(game, rng):
    """Shuffle among stock and other hands what the seat asked cannot know the place of."""
    others = [s for s in range(game.num_seats) if s != game.acting]
    unknown = [np.repeat(np.arange(52), game.own[s].hand - game.public[s].known) for s in others]
    cards = np.concatenate([game.stock[: game.stock_size], *unknown])
    rng.shuffle(cards)
    game.stock[: game.stock_size] = cards[: game.stock_size]
    start = int(game.stock_size)
    for seat, faces in zip(others, unknown, strict=True):
        hand = np.bincount(cards[start : start + len(faces)], minlength=52)
        game.own[seat].hand = hand + game.public[seat].known
        count_hand(game.own[seat])
        start += len(faces)


@pytest.mark.parametrize("name", BOTS)
def test_choices_do_not_depend_on_hidden_cards_or_the_batch(name):
    bot = BOTS[name]()
    rng = np.random.default_rng(0)
    for games, views, masks in positions(3, num_games=4, num_steps=300):
        seeds = rng.integers(0, 2**63, len(games)).astype(np.uint64)
        actions = bot.choose(views, masks, seeds)
        other_games = games.copy()
        for game in other_games:
            redeal_hidden(game, rng)
        other_views, other_masks = np.zeros_like(views), np.zeros_like(masks)
        jo.observe(other_games, other_views, other_masks)
        order = rng.permutation(len(games))
        assert np.array_equal(
            bot.choose(other_views[order], other_masks[order], seeds[order]), actions[order]
        )


def test_threads_may_share_a_planner():
    batches = [(views.copy(), masks.copy()) for _, views, masks in positions(4, num_steps=200)]
    seeds = np.zeros(8, np.uint64)
    planner = Planner()
    alone = [planner.choose(views, masks, seeds) for views, masks in batches]
    with ThreadPoolExecutor(4) as pool:
        together = pool.map(lambda batch: planner.choose(*batch, seeds), batches * 4)
        for i, actions in enumerate(together):
            assert np.array_equal(actions, alone[i % len(batches)])


@pytest.mark.parametrize("name", bots.BOTS["jo"])
def test_every_bot_is_made_by_its_name(name):
    others = {"planner-search": PlannerSearch, "planner-improved": PlannerImproved}
    assert type(bots.make_bot(name)) is (BOTS | others)[name]


@pytest.mark.parametrize("bot", [Greedy(), Planner()])
def test_takes_the_card_that_completes_the_goal(bot):
    position = view("KC KD KS 5C 5D 2C 4H 7S 9D JH", "5H")
    assert bot.act(position) == {"type": "take_discard"}


@pytest.mark.parametrize("bot", [Greedy(), Planner()])
def test_leaves_a_card_of_no_use(bot):
    position = view("KC KD KS 5C 5D 2C 4H 7S 9D JH", "AH")
    assert bot.act(position) == {"type": "draw_stock"}


@pytest.mark.parametrize("bot", [Greedy(), Planner()])
def test_buys_what_it_needs_and_nothing_else(bot):
    asked = {
        "seats": 4,
        "turn": 3,
        "phase": "buy",
        "discarded_by": 2,
        "scores": [0] * 4,
        "buys_used": [0] * 4,
    }
    asked |= {"down": [False] * 4, "groups": [[], [], [], []], "hand_sizes": [10] * 4, "round": 4}
    hand = "KC KD KS 5C 5D 5S 8H 8D 9D JH"
    assert bot.act(view(hand, "8C", **asked)) == {"type": "buy"}
    assert bot.act(view(hand, "2C", **asked)) == {"type": "pass"}


def test_greedy_throws_the_most_expensive_card_that_costs_it_nothing():
    position = view("KC KD KS 5C 5D 2C 4H 7S 9D JH QS", "AH", phase="play")
    assert Greedy().act(position) == {"type": "discard", "card": "JH"}


def test_planner_lays_what_leaves_the_fewest_points():
    position = view("KC KD KH 5C 5D 5H 9C 9D 9S 2C 3D", "AH", phase="play")
    move = Planner().act(position)
    assert move["type"] == "go_down"
    assert [group["cards"][0][0] for group in move["groups"]] == ["9", "K"]


@pytest.mark.parametrize("bot", [Greedy(), Planner()])
def test_lays_off_once_down(bot):
    threes = [{"kind": "three", "cards": ["KC", "KD", "KS"]}, {"kind": "three", "cards": ["5C", "5D", "5S"]}]
    position = view("5H 9D", "AH", phase="play", down=[True, False], groups=[threes, []])
    assert bot.act(position) == {"type": "lay_off", "owner": 0, "group": 1, "card": "5H"}


def test_planner_lays_the_nearer_card_of_a_run_first():
    four = [{"kind": "four", "cards": ["5C", "6C", "7C", "8C"]}]
    three = [{"kind": "three", "cards": ["9D", "9H", "9S"]}]
    position = view("9C TC KD", "AH", phase="play", down=[True, False], groups=[three + four, []], round=2)
    assert Planner().act(position) == {"type": "lay_off", "owner": 0, "group": 1, "card": "9C", "end": "high"}


def test_planner_does_not_feed_a_down_next_seat():
    """Queens and kings are worth the same here, but the next seat can lay off a king."""
    threes = [{"kind": "three", "cards": ["KC", "KD", "KS"]}, {"kind": "three", "cards": ["5C", "5D", "5S"]}]
    hand = "KH QS 8C 8D 8S 3D 3H 4C 6S 7H 9D"
    for down, thrown in ((True, "QS"), (False, None)):
        groups = [[], threes if down else []]
        position = view(hand, "AH", phase="play", down=[False, down], groups=groups, hand_sizes=[0, 3])
        if thrown:
            assert Planner().act(position) == {"type": "discard", "card": thrown}


def test_planner_keeps_what_it_can_lay_off_later():
    """The same choice, but the king fits a group of a seat that is not next."""
    threes = [{"kind": "three", "cards": ["KC", "KD", "KS"]}, {"kind": "three", "cards": ["5C", "5D", "5S"]}]
    many = {"seats": 4, "scores": [0] * 4, "buys_used": [0] * 4, "hand_sizes": [0, 10, 3, 10]}
    hand = "KH QS 8C 8D 8S 3D 3H 4C 6S 7H 9D"
    down, groups = [False, False, True, False], [[], [], threes, []]
    position = view(hand, "AH", phase="play", down=down, groups=groups, discarded_by=3, **many)
    assert Planner().act(position) == {"type": "discard", "card": "QS"}


def test_planner_counts_live_outs():
    """Both pairs of a hand lack one card for the second three; all the sevens are gone."""
    hand = "KC KD KS 7C 7D 4C 4D 2H 9S JD QD"
    position = view(hand, "7H 7S 7H 7S 7C 7D AH", phase="play")
    move = Planner().act(position)
    assert move["card"] not in ("4C", "4D", "KC", "KD", "KS")


@pytest.mark.parametrize("seats", [2, 4])
def test_order_of_strength(seats):
    rounds = (1, 2, 3, 4)
    greedy = play_mirrored(jo, [Greedy()] + [Random()] * (seats - 1), 10, seed=1, rounds=rounds, max_turns=80)
    assert greedy.win_share().mean[0] > 0.95
    planner = play_mirrored(jo, [Planner()] + [Greedy()] * (seats - 1), 60, seed=1, rounds=rounds)
    share = planner.win_share()
    assert share.mean[0] - share.margin[0] > 1 / seats
