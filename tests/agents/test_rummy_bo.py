"""What bots and trainers know of Rummy Bo: the planner's judgement, the features, a policy end to end."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from web import PATIENCE

from agents import rummy_bo as game
from agents.arena import play_mirrored
from agents.bundle import load_bundle
from agents.candidates import MOST_MOVES
from agents.checkpoint import load_policy, save_policy
from agents.export import export_policy, sample_views
from agents.iteration.advantages import YES
from agents.policy import NetConfig, PolicyNet
from agents.random import Random
from agents.rummy_bo.features import LAYOUT, NUM_DESCRIBED, PLANNED_LAY
from agents.rummy_bo.heuristics import Greedy, Planner
from agents.rummy_bo.heuristics.candidates import MOST_BEHIND, list_moves
from agents.rummy_bo.heuristics.planner import default_weights
from agents.rummy_bo.iteration.standing import PER_SEAT, STANDING_SIZE, write_standing
from agents.rummy_bo.words import legal_moves
from agents.serving.service import load_service, play
from jo_env import rummy_bo
from jo_env.bits import popcount
from jo_env.bots import BotError, make_bot
from jo_env.rummy_bo.actions import DISCARD, LAY_OFF, LAY_SET
from jo_env.rummy_bo.payment import least_count
from jo_env.rummy_bo.state import MAX_SEATS
from jo_env.rummy_bo.worlds import deal_world

ROOT = Path(__file__).parents[2]


def view(hand, phase="play", **changes):
    """Two seats; what is not said is a quiet table in the middle of a hand."""
    hand = hand.split()
    made = {
        "protocol": 1, "game": "rummy_bo", "seats": 2, "seat": 0, "dealer": 1, "num_hands": 5,
        "hand_number": 1, "turns": 6, "turn": 0, "phase": phase, "hand": hand, "hand_sizes": [len(hand), 12],
        "melded": [False, False], "groups": [], "laid": 0, "laid_off": 0, "discard": ["2C", "9D"],
        "taken": [], "stock": None, "scores": [0, 0], "events": [],
    } | changes  # fmt: skip
    placed = len(made["discard"]) + sum(len(group["cards"]) for group in made["groups"])
    return {"stock_size": 52 - len(hand) - 12 - placed} | made


def played(bot, view):
    """The moves of a turn, one after another, and the table after it."""
    games, _ = rummy_bo.game_from_view(view)
    moves, ended = [], False
    while games["phase"][0] == rummy_bo.Phase.PLAY and not ended and games["turn"][0] == 0:
        moves.append(bot.moves(rummy_bo, games.copy(), np.zeros(1, np.uint64))[0])
        ended = play(rummy_bo, games, moves[-1])
    return moves, ended


def test_the_planner_goes_out_with_all_it_has_at_once():
    moves, ended = played(Planner(), view("7C 7D 7H KS AS 2S 3S 4C 4D 4H 4S JD"))
    assert ended and moves[-1] == {"type": "discard", "card": "JD"}
    laid = [sorted(move["cards"]) for move in moves[:-1] if move["type"] == "lay"]
    assert sorted(map(len, laid)) == [3, 3, 3] and len(moves) == 6  # and two lay-offs on the run


def test_the_planner_holds_its_sets_until_then():
    moves, ended = played(Planner(), view("7C 7D 7H KS AS 2S 3S 4C 4D 9H JD QH"))
    assert not ended and [move["type"] for move in moves] == ["discard"]
    assert moves[0]["card"] not in ["7C", "7D", "7H", "KS", "AS", "2S", "3S"]


def test_the_planner_lays_off_to_go_out():
    groups = [{"kind": "run", "cards": ["5H", "6H", "7H"]}, {"kind": "set", "cards": ["QC", "QD", "QS"]}]
    moves, ended = played(Planner(), view("8H 9H QH 2D", groups=groups, melded=[False, True]))
    assert ended and [move["type"] for move in moves] == ["lay_off"] * 3 + ["discard"]


def test_what_makes_a_set_is_taken():
    take = {"type": "take_two"}
    for bot in (Greedy(), Planner()):
        assert bot.act(view("9C 9H 2D 2H KS 5C 6D JH 8S", "draw")) == take
        assert bot.act(view("TC QH 4D 6H KS 5C 7D JH 8S", "draw")) == {"type": "draw_stock"}


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_planner_beats_greedy_beats_random(seats):
    for better, worse in ((Planner(), Greedy()), (Greedy(), Random())):
        result = play_mirrored(rummy_bo, [better] + [worse] * (seats - 1), 24, seed=1, hands=2)
        share = result.win_share()
        assert share.mean[0] - share.margin[0] > 1 / seats
        ahead = result.points_ahead()
        assert ahead.mean[0] - ahead.margin[0] > 0


def tables(seats, num_steps, seed=3):
    """Views and masks of planners' games, step after step."""
    games = rummy_bo.new_games(40, seats=seats, max_turns=60)
    rummy_bo.start(games, np.arange(40, dtype=np.uint64) + np.uint64(seed), np.full(40, -1))
    views = np.zeros(40, rummy_bo.VIEW)
    masks = np.zeros((40, rummy_bo.NUM_ACTIONS), np.int8)
    for _ in range(num_steps):
        rummy_bo.observe(games, views, masks)
        actions = Planner().choose(views, masks, np.zeros(40, np.uint64))
        yield views, masks, actions
        rummy_bo.step(games, actions, np.zeros(40, np.int8))
        rummy_bo.deal_anew(games)


@pytest.mark.parametrize("seats", [2, 5])
def test_features_say_what_the_planner_would_do(seats):
    described = {name: offset for name, offset, _ in LAYOUT.blocks}
    assert LAYOUT.num_described == NUM_DESCRIBED and described["planned_lay"] == PLANNED_LAY
    for views, masks, actions in tables(seats, 60):
        features = game.features_of(views)
        for row, mask, action in zip(features, masks, actions, strict=True):
            lays = np.flatnonzero(row[LAYOUT.planned :]) + LAY_SET
            if LAY_SET <= action < DISCARD:
                assert lays.tolist() == [action]
            elif action < LAY_SET:
                assert not len(lays)
            else:  # what could be laid instead: a group and a loose card, at most
                assert mask[lays].all() and (lays < LAY_OFF).sum() == mask[LAY_SET:LAY_OFF].any()
                assert (lays >= LAY_OFF).sum() <= 1
            faces = row[: LAYOUT.by_rank].reshape(4, -1, 13)[:, LAYOUT.face_blocks.index("favor")]
            favor = faces.reshape(52)
            if action >= DISCARD:
                assert favor[action - DISCARD] == 127 and not favor[mask[DISCARD:] == 0].any()
            else:
                assert not favor.any()


def test_candidates_are_legal_and_begin_with_the_planners_move():
    weights, worths = default_weights(), np.zeros(52)
    moves, behind = np.zeros(MOST_MOVES, np.int64), np.zeros(MOST_MOVES)
    kinds = set()
    for views, masks, actions in tables(3, 80):
        for position, mask, action in zip(views, masks, actions, strict=True):
            num_moves = list_moves(position, mask, weights[1], worths, moves, behind)
            tried = moves[:num_moves].tolist()
            assert tried[0] == action and len(set(tried)) == num_moves and mask[tried].all()
            if action < LAY_SET:
                assert set(tried) == set(np.flatnonzero(mask))
            elif action < DISCARD:
                assert num_moves == 1
            discards = np.array(tried) >= DISCARD
            gaps = behind[:num_moves][discards]
            assert (np.diff(gaps) >= 0).all() and gaps.max(initial=0) <= MOST_BEHIND
            assert not behind[:num_moves][~discards].any()
            kinds |= {(num_moves, tuple(discards))}
    assert len(kinds) > 6


def test_a_standing_is_what_is_on_the_table():
    (seen,) = np.zeros(1, rummy_bo.VIEW)
    games = rummy_bo.new_games(20, seats=5)
    rummy_bo.start(games, np.arange(20, dtype=np.uint64), np.full(20, -1))
    views, masks = np.zeros(20, rummy_bo.VIEW), np.zeros((20, rummy_bo.NUM_ACTIONS), np.int8)
    for _ in range(60):
        rummy_bo.observe(games, views, masks)
        for one in games:
            out = np.zeros(STANDING_SIZE, np.int8)
            write_standing(one, one.acting, seen, out)
            for r in range(5):
                seat = (one.acting + r) % 5
                row, public = out[PER_SEAT * r : PER_SEAT * (r + 1)], one.public[seat]
                paid, loose = least_count(one.own[seat].cards)
                assert row[:3].tolist() == [YES, YES * public.has_melded, min(5 * public.hand_size, 127)]
                assert row[3] == min(paid, 127) and row[4] <= 12 * popcount(loose)
            assert not out[-2:].any() and out[MAX_SEATS * PER_SEAT + 2] == YES
        rummy_bo.step(games, Greedy().choose(views, masks, np.zeros(20, np.uint64)), np.zeros(20, np.int8))
        rummy_bo.deal_anew(games)


def test_hidden_cards_change_no_feature():
    rng = np.random.default_rng(1)
    worlds = np.zeros(1, rummy_bo.GAME)
    for views, *_ in tables(3, 20):
        for i in range(0, 40, 8):
            deal_world(views[i], np.uint64(rng.integers(2**63)), worlds[0])
            seen = np.zeros(1, rummy_bo.VIEW)
            rummy_bo.look(worlds[0], int(views[i]["seat"]), seen[0])
            assert (game.features_of(seen) == game.features_of(views[i : i + 1])).all()


def test_every_move_that_a_person_is_shown_is_legal():
    for shown in sample_views(game, per_kind=2, num_games=1):
        games, _ = rummy_bo.game_from_view(shown)
        views, masks = np.zeros(1, rummy_bo.VIEW), np.zeros((1, rummy_bo.NUM_ACTIONS), np.int8)
        rummy_bo.observe(games, views, masks)
        actions = [rummy_bo.move_actions(games[0], move)[0] for _, move in legal_moves(shown)]
        assert sorted(actions) == np.flatnonzero(masks[0]).tolist()
        assert len({text for text, _ in legal_moves(shown)}) == len(actions)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rummy_bo")
    net = PolicyNet(game, NetConfig(8, 4, 8, card=8, width=16, blocks=1, critic=16)).eval()
    for parameter in net.parameters():
        parameter.data.normal_(std=0.3)
    save_policy(folder / "tiny.safetensors", net, {"update": 1, "decisions": 2, "seconds": 3.0})
    export_policy(folder / "tiny.safetensors", folder / "bundle")
    return folder


def test_a_policy_from_checkpoint_to_service(exported):
    assert load_policy(exported / "tiny.safetensors")[0].game is game
    bot, manifest = load_bundle(exported / "bundle")
    assert manifest["game"] == "rummy_bo" and bot.game is game
    service = load_service(exported / "bundle", PATIENCE)
    for seen in sample_views(game, per_kind=1, num_games=1):
        answer = service.answer({"id": 1, "view": seen, "deadline_ms": 60_000, "plan": True})
        assert answer["source"] == "model" and answer["move"] == bot.act(seen) == answer["plan"][0]
        assert answer["think_ms"] > 0
    jo_view = json.loads((ROOT / "checkpoints" / "jo" / "vectors.jsonl").read_text().splitlines()[0])["view"]
    error = service.answer({"id": 2, "view": jo_view})["error"]
    assert (error["code"], error["field"]) == ("bad_view", "game") and "this is 'rummy_bo'" in error[
        "message"
    ]


def test_a_policy_of_the_other_game_is_no_bot_here(exported):
    text = f"policy:{exported / 'tiny.safetensors'}"
    assert make_bot(text, "rummy_bo").room is rummy_bo
    with pytest.raises(BotError, match="plays rummy_bo, not jo"):
        make_bot(text)
    with pytest.raises(BotError, match="policies for rummy_bo do not search"):
        make_bot(f"{text}@50ms", "rummy_bo")
    with pytest.raises(
        BotError, match="'planner-search' is no bot; give random, greedy, planner, planner-im"
    ):
        make_bot("planner-search", "rummy_bo")


@pytest.mark.parametrize(
    "command, told",
    [
        ("train.py experiment=smoke game=rummy_bo seats=[2,6] folder={}", "trained: "),
        ("play.py --game rummy_bo --watch greedy --hands 1 --seed 1", "won by"),
        ("evaluate.py game=rummy_bo lineup=[planner,greedy] num_deals=2 out={}/x.json", "rummy_bo: 2 deals"),
        ("rate.py --game rummy_bo --bots greedy planner --seats 2 --deals 2 --log {}/games", "4 games"),
    ],
)
def test_the_scripts_play_it(command, told, tmp_path):
    script, *settings = command.format(tmp_path).split()
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / script, *settings], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0 and told in done.stdout, done.stdout + done.stderr
