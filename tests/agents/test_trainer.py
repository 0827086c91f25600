"""Runs: what is collected, what is saved, and that a run resumes to the same next update."""

import dataclasses
import json
import shutil
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from agents import jo as jo_agents
from agents.checkpoint import CheckpointError, latest, load_policy, save_policy
from agents.config import CloneConfig, ConfigError, EvaluateConfig, TrainConfig
from agents.jo.features import LAYOUT
from agents.jo.heuristics import Random
from agents.jo.hidden import DRAWS, HAND_SIZE, HIDDEN_SIZE, NUM_DRAWS, look_behind
from agents.policy import NetConfig, PolicyNet
from agents.ppo import PpoConfig, make_batch
from agents.rollout import Buffer, new_tables
from agents.trainer import DivergedError, Trainer
from jo_env import jo
from jo_env.errors import IllegalActionError
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.solver import solve

TINY = NetConfig(8, 4, 8, width=16, blocks=1, critic=16)


class Silent:
    """Shows nothing, keeps the metrics."""

    def __init__(self):
        self.rows = []

    def note(self, text):
        pass

    def update(self, trainer, stage, metrics):
        self.rows.append((stage, metrics))


def tiny_config(folder, **changes) -> TrainConfig:
    config = TrainConfig(
        name="run",
        folder=str(folder),
        ranks=1,
        num_games=12,
        num_steps=12,
        lookahead=2,
        num_updates=7,
        checkpoint_every=100,
        net=TINY,
        clone=CloneConfig(teacher="greedy", share=2 / 7, critic_share=1 / 7, num_minibatches=2),
        ppo=PpoConfig(num_minibatches=2),
        evaluate=EvaluateConfig(every=100, opponents=("random",), seats=(2,), num_deals=2),
    )
    return dataclasses.replace(config, **changes)


def random_forward(features, hidden):
    return np.zeros((len(features), jo.NUM_ACTIONS), np.float32), np.zeros(len(features), np.float32)


def test_every_row_is_a_real_choice_of_the_seat_asked():
    tables = new_tables(jo_agents, 30, seed=3, seats=(2, 3, 4))
    buffer = Buffer.empty(jo_agents, 40, 30)
    tables.collect(buffer, random_forward)
    legal = buffer.masks.sum(-1)
    assert legal.min() >= 2
    assert np.take_along_axis(buffer.masks, buffer.actions[..., None], -1).all()
    assert buffer.learns.all()
    assert (buffer.seats < tables.games["num_seats"]).all()
    np.testing.assert_allclose(buffer.rewards.sum(-1), 0, atol=1e-5)
    assert set(tables.games["num_seats"]) == {2, 3, 4}


def test_the_critic_sees_every_other_hand():
    tables = new_tables(jo_agents, 30, seed=3, seats=(2, 3, 4))
    tables.collect(Buffer.empty(jo_agents, 60, 30), random_forward)
    hidden = np.zeros((30, HIDDEN_SIZE), np.int8)
    look_behind(tables.games, hidden)
    views = np.zeros(1, jo.VIEW)
    hands = hidden[:, :DRAWS].reshape(30, 3, HAND_SIZE)
    for game, row in zip(tables.games, hands, strict=True):
        n = game["num_seats"]
        assert not row[n - 1 :].any()
        for r in range(1, n):
            seat = (game["acting"] + r) % n
            jo.look(game, seat, views[0])
            assert (row[r - 1, :52] == views["own"]["hand"][0]).all()
            assert row[r - 1, 52] == views["own"]["missing"][0]
            assert row[r - 1, 53] == row[r - 1, :52].astype(int) @ FACE_POINTS // 10


def test_the_critic_sees_what_the_stock_will_bring_each_seat():
    tables = new_tables(jo_agents, 30, seed=5, seats=(2, 3, 4))
    tables.collect(Buffer.empty(jo_agents, 70, 30), random_forward)
    before = tables.games.copy()
    hidden = np.zeros((30, HIDDEN_SIZE), np.int8)
    look_behind(tables.games, hidden)
    assert (tables.games == before).all()
    nearer = np.zeros(52, np.int8)
    draws = hidden[:, DRAWS:].reshape(30, 4, 2, NUM_DRAWS)
    seen = Counter()
    for game, rows in zip(tables.games, draws, strict=True):
        n, acting = int(game["num_seats"]), int(game["acting"])
        assert not rows[n:].any()
        # The stock from its top, dealt round from whoever draws next.
        stock = game["stock"][: game["stock_size"]][::-1]
        drawer = (game["turn"] + (game["phase"] == jo.Phase.PLAY)) % n
        for r in range(n):
            seat = (acting + r) % n
            if game["public"][seat]["down"] or game["groups_laid"] > 0:
                continue
            hand = game["own"][seat]["hand"].copy()
            for k, face in enumerate(stock[(seat - drawer) % n :: n][:NUM_DRAWS]):
                hand[face] += 1
                missing = solve(hand, game["table"]["threes"], game["table"]["fours"], nearer)
                assert rows[r, 0, k] == missing and rows[r, 1, k] == (missing == 0)
                seen[missing == 0, int(game["phase"])] += 1
    assert seen[True, 0] > 0 and min(seen[False, phase] for phase in range(3)) > 20


def test_rewards_and_ends_come_together_and_add_up_to_the_scores():
    tables = new_tables(jo_agents, 12, seed=1, seats=(2, 3, 4), max_turns=8)
    before = tables.games["scores"].copy()
    assert not before.any()
    buffer = Buffer.empty(jo_agents, 60, 12)
    tables.collect(buffer, random_forward)
    assert buffer.ended.any()
    assert not buffer.rewards[buffer.ended == 0].any()
    for i in range(12):  # games whose first rounds are not yet all played still hold their scores
        n = int(tables.games["num_seats"][i])
        finished = int(tables.games["num_finished"][i])
        if buffer.ended[:, i].sum() != finished:
            continue
        scores = tables.games["scores"][i, :n]
        expected = ((scores.sum() - scores) / (n - 1) - scores) / 100
        np.testing.assert_allclose(buffer.rewards[:, i, :n].sum(0), expected, atol=1e-4)


def test_tables_with_a_bot_have_one_learner_each_and_its_rows_only_are_learned():
    tables = new_tables(jo_agents, 40, seed=5, seats=(2, 3, 4), bots=[(Random(), 0.5)])
    with_bot = (tables.lineup == 1).any(1)
    assert with_bot.sum() == 20
    for i in np.flatnonzero(with_bot):
        assert (tables.lineup[i, : tables.games["num_seats"][i]] == 0).sum() == 1
    buffer = Buffer.empty(jo_agents, 20, 40)
    tables.collect(buffer, random_forward)
    assert 0 < buffer.learns.sum() < buffer.learns.size
    batch = make_batch(buffer, 0.95)
    assert len(batch) <= buffer.learns.sum()


def test_of_decisions_as_good_as_certain_one_in_eight_is_learned_from():
    def forward(features, hidden):
        logits, values = random_forward(features, hidden)
        logits[: len(logits) // 2, :2] = 20  # pass or buy, whichever is legal: both open
        logits[len(logits) // 2 :, 0] = 20  # pass, for sure
        return logits, values

    tables = new_tables(jo_agents, 400, seed=5, seats=(2, 3, 4))
    buffer = Buffer.empty(jo_agents, 40, 400)
    tables.collect(buffer, forward)
    is_buy = buffer.masks[:, :, 0] == 1
    assert buffer.own.all() and buffer.learns[:, :200][is_buy[:, :200]].all()
    certain = buffer.learns[:, 200:][is_buy[:, 200:]]
    assert len(certain) > 1000 and abs(certain.mean() - 1 / 8) < 0.03
    assert len(make_batch(buffer, 0.95)) <= buffer.learns.sum()


def test_a_bot_has_new_luck_at_every_decision_and_an_illegal_one_is_named():
    class Lucky(Random):
        seen: ClassVar[list[int]] = []

        def choose(self, views, masks, seeds):
            self.seen += seeds.tolist()
            return super().choose(views, masks, seeds)

    tables = new_tables(jo_agents, 6, seed=3, seats=(2, 3, 4), bots=[(Lucky(), 1.0)])
    tables.collect(Buffer.empty(jo_agents, 20, 6), random_forward)
    assert len(Lucky.seen) > 60 and len(set(Lucky.seen)) == len(Lucky.seen)

    class Cheat(Random):
        def choose(self, views, masks, seeds):
            return np.full(len(views), -1)

    tables = new_tables(jo_agents, 6, seed=3, seats=(2, 3, 4), bots=[(Cheat(), 1.0)])
    with pytest.raises(IllegalActionError, match=r"Cheat: player_\d: -1 is no action"):
        tables.collect(Buffer.empty(jo_agents, 20, 6), random_forward)


def test_what_is_learned_from_does_not_go_by_the_outcome():
    # A hand ends with the last row: its decisions have an outcome, those of the other tables have none yet.
    tables = new_tables(jo_agents, 30, seed=3, seats=(2, 3, 4))
    buffer = Buffer.empty(jo_agents, 60, 30)
    tables.collect(buffer, random_forward)
    buffer.values[:] = np.arange(60)[:, None]
    buffer.ended[-1, :10] = 1
    rows = make_batch(buffer, 0.95, lookahead=25)
    assert len(rows) > 0.9 * 35 * 30
    assert rows.values.max() == 34
    assert make_batch(buffer, 0.95).values.max() == 59


@pytest.mark.parametrize("stop", [1, 3, 5])
def test_a_run_resumes_to_the_same_next_update(tmp_path, stop):
    whole = Trainer(tiny_config(tmp_path / "whole"), Silent())
    whole.run()
    first = Trainer(tiny_config(tmp_path / "parts"), Silent())
    first.report.update = lambda trainer, *_: trainer._stop() if trainer.update == stop else None
    first.run()
    assert first.update == stop
    second = Trainer(tiny_config(tmp_path / "parts"), Silent())
    second.run()
    assert second.update == whole.update == 7
    assert second.decisions == whole.decisions
    for name, tensor in whole.net.state_dict().items():
        assert torch.equal(tensor, second.net.state_dict()[name]), name
    assert second.tables.games.tobytes() == whole.tables.games.tobytes()


def test_only_the_critic_learns_in_its_stage(tmp_path):
    trainer = Trainer(tiny_config(tmp_path, clone=CloneConfig("greedy", 0, 0.2, num_minibatches=2)), Silent())
    before = {name: tensor.clone() for name, tensor in trainer.net.state_dict().items()}
    assert trainer.stage == "critic"
    trainer.ppo_update("critic")
    changed = {n for n, tensor in trainer.net.state_dict().items() if not torch.equal(tensor, before[n])}
    assert changed and all(name.startswith("critic") for name in changed)


def test_a_run_may_start_from_a_policy_and_go_straight_to_self_play(tmp_path):
    net = PolicyNet(jo_agents, TINY)
    save_policy(tmp_path / "p.safetensors", net, {})
    config = tiny_config(
        tmp_path,
        start_from=str(tmp_path / "p.safetensors"),
        clone=CloneConfig("greedy", 0, 0, num_minibatches=2),
    )
    trainer = Trainer(config, Silent())
    assert all(torch.equal(tensor, trainer.net.state_dict()[n]) for n, tensor in net.state_dict().items())
    assert trainer.stage == "ppo" and not trainer.tables.lineup.any()
    trainer.run()
    assert trainer.ppo_progress == 1
    with pytest.raises(ConfigError, match=r"start_from=.*its net is .*width=16.*this run's is .*width=8"):
        Trainer(dataclasses.replace(config, name="other", net=dataclasses.replace(TINY, width=8)), Silent())


def test_schedules_go_by_the_stage_of_ppo(tmp_path):
    trainer = Trainer(tiny_config(tmp_path), Silent())
    trainer.update = 2
    assert (trainer.stage, trainer.ppo_progress) == ("critic", 0)
    trainer.update = 5
    assert (trainer.stage, trainer.ppo_progress) == ("ppo", pytest.approx(1 / 2))


def test_stages_go_by_the_clock_where_minutes_are_given(tmp_path):
    trainer = Trainer(tiny_config(tmp_path, minutes=7.0), Silent())
    stages = []
    for minutes in (1.9, 2.5, 5):
        trainer.seconds = 60 * minutes
        stages.append((trainer.stage, round(trainer.ppo_progress, 6)))
    assert stages == [("clone", 0), ("critic", 0), ("ppo", 0.5)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "seed=1, this run has 2"),
        ({"settings": {"max_turns": 50}}, "settings={'max_turns': 100}, this run has {'max_turns': 50}"),
        ({"opponents": {"greedy": 0.5}}, r"opponents=\{\}, this run has"),
    ],
)
def test_another_runs_state_is_refused(tmp_path, changes, message):
    Trainer(tiny_config(tmp_path), Silent()).run()
    with pytest.raises(CheckpointError, match=message):
        Trainer(tiny_config(tmp_path, **changes), Silent()).run()


def test_a_state_of_files_that_do_not_belong_together_is_refused(tmp_path):
    first = Trainer(tiny_config(tmp_path), Silent())
    first.run()
    other = Trainer(tiny_config(tmp_path, name="other", num_updates=5), Silent())
    other.run()
    rank = latest(first.folder) / "rank-0.safetensors"
    shutil.copy(latest(other.folder) / "rank-0.safetensors", rank)
    with pytest.raises(CheckpointError, match=r"rank-0\.safetensors: it is of another moment or run"):
        Trainer(tiny_config(tmp_path), Silent()).run()
    shutil.copy(latest(first.folder) / "policy.safetensors", rank)
    with pytest.raises(CheckpointError, match=r"rank-0\.safetensors: not the state of a rank"):
        Trainer(tiny_config(tmp_path), Silent()).run()


def test_a_run_made_longer_or_shorter_has_the_players_of_its_stage(tmp_path):
    clone = CloneConfig(teacher="greedy", share=0.5, critic_share=0, num_minibatches=2)
    stopped = Trainer(tiny_config(tmp_path, num_updates=4, clone=clone), Silent())
    stopped.run()  # two updates cloned, two of self-play
    longer = Silent()
    Trainer(tiny_config(tmp_path, num_updates=10, clone=clone), longer).run()
    assert [stage for stage, _ in longer.rows] == ["clone", *["ppo"] * 5]
    first = Trainer(tiny_config(tmp_path, name="other", num_updates=10, clone=clone), Silent())
    first.config.num_updates = 3
    first.run()  # as one that is stopped while it clones
    shorter = Trainer(tiny_config(tmp_path, name="other", num_updates=5, clone=clone), Silent())
    shorter.run()
    assert not shorter.tables.lineup.any()  # no teacher is left at its tables


def test_only_numbered_states_count(tmp_path):
    for name in ("state-9", "state-10", "state-old", "state-"):
        (tmp_path / name).mkdir()
    assert latest(tmp_path) == tmp_path / "state-10"


def test_too_few_decisions_to_learn_from_are_named(tmp_path):
    # Nine seats of ten are a bot's: what is left to learn from does not fill the minibatches.
    config = tiny_config(
        tmp_path,
        clone=CloneConfig("greedy", 0, 0, num_minibatches=2),
        ppo=PpoConfig(num_minibatches=30),
        opponents={"greedy": 1.0},
        seats=(4,),
    )
    with pytest.raises(ConfigError, match=r"decisions to learn from for ppo\.num_minibatches=30"):
        Trainer(config, Silent()).run()


def test_starting_over_leaves_nothing_of_the_earlier_run(tmp_path):
    Trainer(tiny_config(tmp_path), Silent()).run()
    second = Trainer(tiny_config(tmp_path, seed=2, resume=False), Silent())
    second.run()
    for path in (second.folder / "policy.safetensors", latest(second.folder) / "policy.safetensors"):
        assert load_policy(path)[1]["config"]["seed"] == 2
    # Also when it ends before its first state: the next one does not go on with the earlier run.
    third = Trainer(tiny_config(tmp_path, seed=3, resume=False), Silent())
    third.stopping = True
    third.run()
    assert load_policy(latest(third.folder) / "policy.safetensors")[1]["config"]["seed"] == 3


def test_a_diverged_run_stops_and_keeps_its_last_state(tmp_path):
    trainer = Trainer(tiny_config(tmp_path, num_updates=2), Silent())
    trainer.run()
    state = latest(trainer.folder)
    before = (state / "policy.safetensors").read_bytes()
    with torch.no_grad():
        trainer.net.enter.weight.fill_(float("nan"))
    trainer.update = 1
    with pytest.raises(DivergedError, match="update 1: gradients are no longer finite"):
        trainer.ppo_update("ppo")
    assert latest(trainer.folder) == state and (state / "policy.safetensors").read_bytes() == before


@pytest.mark.parametrize("kind", [OSError, SafetensorError])
def test_a_full_disk_leaves_the_last_state(tmp_path, monkeypatch, kind):
    trainer = Trainer(tiny_config(tmp_path), Silent())
    trainer.run()
    state = latest(trainer.folder)
    before = (state / "policy.safetensors").read_bytes()

    def no_space(*args, **kwargs):
        raise kind("No space left on device")

    monkeypatch.setattr("agents.checkpoint.save_file", no_space)
    trainer.update += 1
    with pytest.raises(OSError, match="No space left"):
        trainer.save()
    assert latest(trainer.folder) == state
    assert (state / "policy.safetensors").read_bytes() == before
    load_policy(trainer.folder / "policy.safetensors")


def test_a_policy_comes_back_as_it_was(tmp_path):
    net = PolicyNet(jo_agents, TINY)
    save_policy(tmp_path / "p.safetensors", net, {"update": 5})
    loaded, info = load_policy(tmp_path / "p.safetensors")
    assert info["update"] == 5 and info["net"] == dataclasses.asdict(TINY)
    x = torch.randint(0, 3, (4, LAYOUT.num_features), dtype=torch.int8)
    assert torch.equal(loaded.logits(x), net.logits(x))


def test_bad_checkpoints_are_named(tmp_path):
    path = tmp_path / "p.safetensors"
    with pytest.raises(CheckpointError, match="no such file"):
        load_policy(path)
    path.write_bytes(b"something else")
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        load_policy(path)
    save_file({"x": torch.zeros(1)}, path)
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        load_policy(path)
    net = PolicyNet(jo_agents, TINY)
    save_policy(path, net, {"feature_layout": "0"})
    with pytest.raises(CheckpointError, match=r"feature_layout is '0', this version plays .*; make it anew"):
        load_policy(path)
    save_policy(path, net, {"game": "bridge"})
    with pytest.raises(CheckpointError, match="game='bridge'; give one of jo"):
        load_policy(path)
    save_policy(path, net, {})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CheckpointError):
        load_policy(path)
    save_policy(path, net, {"net": {**dataclasses.asdict(TINY), "width": 24}})
    with pytest.raises(CheckpointError, match="do not fit"):
        load_policy(path)
    with torch.no_grad():
        net.enter.bias[0] = float("nan")
    save_policy(path, net, {})
    with pytest.raises(CheckpointError, match="not finite"):
        load_policy(path)


def test_checkpoints_hold_no_pickle(tmp_path):
    trainer = Trainer(tiny_config(tmp_path), Silent())
    trainer.run()
    for path in trainer.folder.rglob("*.safetensors"):
        load_file(path)
    assert not [p for p in trainer.folder.rglob("*") if p.suffix in (".pt", ".pth", ".pkl")]
    _, info = load_policy(trainer.folder / "policy.safetensors")
    json.dumps(info)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_games": 0}, "num_games=0"),
        ({"seats": (2, 5)}, "seats="),
        ({"ppo": PpoConfig(num_minibatches=999)}, "decisions do not fill"),
        ({"opponents": {"greedy": 0.7, "random": 0.5}}, "more than 1"),
        ({"precision": "fp8"}, "precision='fp8'"),
        ({"minutes": 0.0}, "minutes=0.0: give a number above 0"),
        ({"seed": -1}, "seed=-1: give a number from 0 on"),
        ({"settings": {"max_turns": 0}}, "max_turns=0: give a whole number of turns from 1 on"),
        ({"settings": {"jokers": 2}}, "settings=.*jokers"),
        ({"lookahead": 12}, "lookahead=12: give a number below num_steps=12"),
        ({"lookahead": -1}, "lookahead=-1: give a number from 0 on"),
        ({"opponents": {"greedy": -0.1}}, "opponents={'greedy': -0.1}: give a number from 0 on, at most 1"),
        ({"name": "a/b"}, "name='a/b': give the name of one folder"),
        ({"name": ""}, "name='': give the name of one folder"),
        ({"name": ".."}, "name='..': give the name of one folder"),
        ({"device": "gpu"}, "device='gpu': give auto, cpu, cuda or"),
        ({"net": NetConfig(width=0)}, "net.width=0: give a number from 1 on"),
        ({"clone": CloneConfig("greedy", 0.9, 0.2, num_minibatches=2)}, "add up to at most 1"),
        ({"clone": CloneConfig(share=-0.1)}, "clone.share=-0.1: give a number from 0 on"),
        ({"clone": CloneConfig(lr=float("nan"))}, "clone.lr=nan: give a number from 0 on"),
        ({"ppo": PpoConfig(lr=(-1e-4, 0.0))}, "ppo.lr=.*: give a number from 0 on"),
        ({"ppo": PpoConfig(clip=(0.2,))}, "ppo.clip=.*: give two numbers"),  # type: ignore[arg-type]
        ({"ppo": PpoConfig(epochs=0)}, "ppo.epochs=0: give a number from 1 on"),
        ({"ppo": PpoConfig(max_grad_norm=0)}, "ppo.max_grad_norm=0: give a number above 0"),
        ({"ppo": PpoConfig(gae_lambda=1.5)}, "ppo.gae_lambda=1.5: give a number from 0 on, at most 1"),
        ({"evaluate": EvaluateConfig(every=0)}, "evaluate.every=0: give a number from 1 on"),
        ({"evaluate": EvaluateConfig(num_deals=1)}, "evaluate.num_deals=1: give a number from 2 on"),
        ({"evaluate": EvaluateConfig(seed=-1)}, "evaluate.seed=-1: give a number from 0 on"),
        ({"evaluate": EvaluateConfig(seats=(5,))}, r"evaluate.seats=\[5\]: choose from 2 to 4"),
    ],
)
def test_impossible_configs_are_refused(tmp_path, changes, message):
    with pytest.raises(ConfigError, match=message):
        Trainer(tiny_config(tmp_path, **changes), Silent())
    assert not list(tmp_path.iterdir())
