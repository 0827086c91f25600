"""Bundles: what is in one, what is refused, and that it plays what the policy plays."""

import json
import os
import socket
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from test_heuristics import positions, redeal_hidden
from tiny import tiny_checkpoint, tiny_net

from agents import export
from agents import jo as jo_agents
from agents.bundle import (
    MANIFEST,
    MODEL,
    VECTORS,
    BundleBot,
    BundleError,
    load_bundle,
    look_at,
    sparse,
)
from agents.checkpoint import CheckpointError, load_policy
from agents.export import ExportError, export_net, export_policy, sample_views
from agents.jo.features import LAYOUT, features_of
from agents.jo.levels import LEVELS
from agents.levels import Level
from agents.onnx_graph import build_model
from agents.policy import NetBot
from agents.policy_bot import PolicyBot
from agents.versions import sha256
from jo_env import jo
from jo_env.bots import BotError, make_bot
from jo_env.jo.actions import DISCARD, LAY_FOUR, LAY_OFF

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def views():
    return sample_views(jo_agents)


@pytest.fixture(autouse=True)
def few_views(views, monkeypatch):
    """Export with a seventh of the vectors, of all kinds, so that a test takes a second."""
    monkeypatch.setattr(export, "sample_views", lambda game: views[::7])


@pytest.mark.parametrize("game", ["jo", "rummy_bo"])
def test_the_bundle_that_ships_is_the_policy_that_ships(game):
    bot, manifest = load_bundle(ROOT / "checkpoints" / game)  # which replays its vectors
    net, info = load_policy(ROOT / "checkpoints" / f"{game}.safetensors")
    assert manifest["game"] == game and manifest["source"]["decisions"] == info["decisions"]
    rng = np.random.default_rng(0)
    features = rng.integers(0, 4, (7, bot.game.LAYOUT.num_features)).astype(np.int8)
    assert np.allclose(bot.logits(features), NetBot(net).logits(features), rtol=1e-4, atol=1e-3)
    eval_figures = json.loads((ROOT / "checkpoints" / game / "eval.json").read_text())
    assert {one["level"] for one in eval_figures} == set(manifest["levels"])


@pytest.fixture(scope="module")
def exported(views, tmp_path_factory):
    """(checkpoint, bundle) of a tiny policy; not to be changed."""
    folder = tmp_path_factory.mktemp("exported")
    checkpoint = tiny_checkpoint(folder / "tiny.safetensors")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "sample_views", lambda game: views[::7])
        export_policy(checkpoint, folder / "bundle")
    return checkpoint, folder / "bundle"


@pytest.fixture
def bundle(exported, tmp_path):
    """A copy to damage: path, and the contents by file name."""
    copy = tmp_path / "bundle"
    copy.mkdir()
    for file in exported[1].iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def rewrite(bundle, name, data, **changes):
    """Replace a file, with a manifest that agrees with it and has `changes`."""
    manifest = json.loads((bundle / MANIFEST).read_text())
    if data is not None:
        (bundle / name).write_bytes(data)
        manifest["files"][name] = {"bytes": len(data), "sha256": sha256(data)}
    (bundle / MANIFEST).write_text(json.dumps(manifest | changes))


def refused(bundle) -> str:
    with pytest.raises(BundleError) as caught:
        load_bundle(bundle)
    return str(caught.value)


# --- what is in a bundle --------------------------------------------------------------------------


def test_views_cover_every_decision(views):
    kinds = Counter()
    for view in views:
        mask = look_at(jo, view)[1][0]
        melds = "go_down" * bool(mask[4:LAY_OFF].any()) or "lay_off" * bool(mask[LAY_OFF:DISCARD].any())
        kinds[view["seats"], view["phase"], melds] += 1
    cells = [("buy", ""), ("draw", ""), ("play", ""), ("play", "go_down"), ("play", "lay_off")]
    assert kinds == {(seats, *cell): 14 for seats in (2, 3, 4) for cell in cells}
    assert {view["round"] for view in views} == {1, 2, 3, 4, 5, 6, 7}
    assert any(event["event"] == "buy" for view in views for event in view["events"])


def test_manifest_says_what_it_is(exported):
    manifest = json.loads((exported[1] / MANIFEST).read_text())
    assert manifest["game"] == "jo"
    assert manifest["source"] == {"update": 3, "decisions": 4000, "seconds": 5.0}
    assert {path.name for path in exported[1].iterdir()} == {MANIFEST, *manifest["files"]}
    assert {MODEL, VECTORS, "weights.safetensors", "README.md"} <= manifest["files"].keys()
    for name, entry in manifest["files"].items():
        data = (exported[1] / name).read_bytes()
        assert entry == {"bytes": len(data), "sha256": sha256(data)}
    assert manifest["num_vectors"] == len((exported[1] / VECTORS).read_text().splitlines()) >= 25


def test_model_is_plain(exported):
    data = (exported[1] / MODEL).read_bytes()
    model = onnx.load_from_string(data)
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 17)]
    (features,), (logits,) = model.graph.input, model.graph.output
    for value, name, kind, size in (
        (features, "features", onnx.TensorProto.INT8, LAYOUT.num_features),
        (logits, "logits", onnx.TensorProto.FLOAT, jo.NUM_ACTIONS),
    ):
        batch, width = value.type.tensor_type.shape.dim
        assert (value.name, value.type.tensor_type.elem_type, width.dim_value) == (name, kind, size)
        assert batch.dim_param == "batch"
    assert not any(weight.external_data for weight in model.graph.initializer)
    assert not any(weight.name.startswith("critic") for weight in model.graph.initializer)
    assert not any(node.doc_string for node in model.graph.node) and not model.producer_name
    for weight in model.graph.initializer:
        weight.ClearField("raw_data")  # in which any short word may stand by chance
    for word in (str(ROOT), str(Path.home()), socket.gethostname(), ".py"):
        assert word.encode() not in model.SerializeToString() + (exported[1] / MANIFEST).read_bytes()


def test_same_policy_same_bytes(exported, tmp_path):
    export_policy(exported[0], tmp_path / "again")
    for file in exported[1].iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


def test_action_table_names_every_action_once():
    table = jo.action_table()
    assert len(table) == len(set(table)) == jo.NUM_ACTIONS
    assert (table[3], table[4], table[LAY_FOUR], table[LAY_FOUR + 10]) == (
        "take_discard",
        "lay AC AC AC",
        "lay AC 2C 3C 4C",
        "lay JC QC KC AC",
    )
    assert table[LAY_OFF + 3 * 6 + 5] == "lay_off 3 5"
    assert table[-1] == "discard KS"


# --- parity ---------------------------------------------------------------------------------------


def test_logits_equal_torch_alone_and_in_any_batch(exported, views):
    net, bot = tiny_net(), BundleBot(jo_agents, (exported[1] / MODEL).read_bytes())
    features = np.concatenate([features_of(look_at(jo, view)[0]) for view in views[::3]])
    with torch.inference_mode():
        wanted = net.logits(torch.from_numpy(features)).numpy()
    for size in (1, 2, 7, len(features)):
        parts = [features[i : i + size] for i in range(0, len(features), size)]
        found = np.concatenate([bot.logits(part) for part in parts])
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, atol=1e-4)
        assert (found.argmax(1) == wanted.argmax(1)).all()


@pytest.mark.parametrize("off", [0.01, np.nan])
def test_off_graph_is_refused_and_nothing_written(off, tmp_path, monkeypatch):
    net, other = tiny_net(), tiny_net()
    with torch.no_grad():
        other.policy.bias[5] += off
    monkeypatch.setattr(export, "build_model", lambda _: build_model(other))
    with pytest.raises(ExportError, match=r"differ from torch's by up to (0\.01|nan)"):
        export_net(net, {}, tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_a_policy_without_a_choice_is_refused(tmp_path):
    net = tiny_net()
    with torch.no_grad():
        net.policy.weight.zero_()
        net.cards.worth.weight.zero_()
        net.cards.worth.bias.zero_()
        net.policy.bias.zero_()
        net.planned.zero_()  # every action is as good as any other
    with pytest.raises(ExportError, match="in none of 30 views is one action clearly best"):
        export_net(net, {}, tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


# --- writing --------------------------------------------------------------------------------------


def test_a_bundle_is_replaced_and_anything_else_left_alone(exported, tmp_path):
    target = tmp_path / "bundle"
    export_net(tiny_net(2), {}, target)
    export_policy(exported[0], target)
    assert (target / MANIFEST).read_bytes() == (exported[1] / MANIFEST).read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    other = tmp_path / "letters"
    other.mkdir()
    (other / "mine.txt").write_text("dear")
    with pytest.raises(ExportError, match="letters: is there already and is no bundle"):
        export_policy(exported[0], other)
    assert [path.name for path in other.iterdir()] == ["mine.txt"]


def test_a_failed_export_keeps_the_old_bundle(exported, bundle, tmp_path, monkeypatch):
    def fail(folder):
        raise BundleError("vectors.jsonl: no")

    monkeypatch.setattr(export, "load_bundle", fail)
    with pytest.raises(ExportError, match=r"does not play as the policy does \(vectors.jsonl: no\)"):
        export_net(tiny_net(2), {}, bundle)
    assert (bundle / MANIFEST).read_bytes() == (exported[1] / MANIFEST).read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


def test_bad_checkpoint(tmp_path):
    (tmp_path / "bad.safetensors").write_bytes(b"nonsense")
    with pytest.raises(CheckpointError, match=r"bad\.safetensors"):
        export_policy(tmp_path / "bad.safetensors", tmp_path / "bundle")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.safetensors"]


# --- what is refused ------------------------------------------------------------------------------


def test_missing(bundle, tmp_path):
    assert "nowhere/manifest.json: cannot be read" in refused(tmp_path / "nowhere")
    (bundle / VECTORS).unlink()
    assert "vectors.jsonl: cannot be read (No such file or directory)" in refused(bundle)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "jo-policy-1"}', '{"format": "jo-bundle-1"}'])
def test_no_manifest(bundle, text):
    (bundle / MANIFEST).write_text(text)
    assert "manifest.json: " in refused(bundle)


@pytest.mark.parametrize("name", [MODEL, VECTORS])
def test_corrupt(bundle, name):
    data = (bundle / name).read_bytes()
    (bundle / name).write_bytes(data[:-1])
    assert f"{name}: bytes is {len(data) - 1}, the manifest says {len(data)}" in refused(bundle)
    flipped = bytes([data[0], data[1] ^ 1]) + data[2:]
    (bundle / name).write_bytes(flipped)
    assert f"{name}: sha256 is '{sha256(flipped)}', the manifest says" in refused(bundle)


@pytest.mark.parametrize(
    "change",
    [
        {"env_version": "jo_v1"},
        {"protocol": 2},
        {"observation_version": 2},
        {"num_features": 430},
        {"feature_layout": "0" * 64},
        {"num_actions": 433},
        {"action_table": "0" * 64},
    ],
)
def test_foreign(bundle, change):
    rewrite(bundle, None, None, **change)
    ((key, value),) = change.items()
    shown = "'000000000000'..." if value == "0" * 64 else repr(value)
    assert f"manifest.json: {key} is {shown}, this version plays" in refused(bundle)


def test_another_game(bundle):
    rewrite(bundle, None, None, game="bridge")
    assert "manifest.json: game='bridge'; give one of jo" in refused(bundle)
    rewrite(bundle, None, None, game="rummy_bo")
    assert "manifest.json: env_version is 'jo_v0', this version plays 'rummy_bo_v0'" in refused(bundle)


def test_files_outside_the_folder(bundle, tmp_path):
    (tmp_path / "secret").write_bytes(b"x")
    rewrite(bundle, "../secret", b"x")
    assert "files names '../secret', which is no file in this bundle" in refused(bundle)


@pytest.mark.parametrize("value", [0, 5, None])
def test_vectors_that_are_missing(bundle, value):
    rewrite(bundle, None, None, num_vectors=value)
    num_vectors = len((bundle / VECTORS).read_bytes().splitlines())
    assert f"num_vectors is {value!r}, vectors.jsonl holds {num_vectors}" in refused(bundle)


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"levels": {}}, "levels are {}, this version plays at"),
        ({"onnxruntime": "99.0"}, "onnxruntime is '99.0', this one is"),
        ({"onnxruntime": None}, "onnxruntime is 'None'"),
        ({"files": {}}, "files must list README.md, actions.json"),
    ],
)
def test_manifests_of_other_versions(bundle, change, problem):
    manifest = json.loads((bundle / MANIFEST).read_text()) | change
    (bundle / MANIFEST).write_text(json.dumps(manifest))
    assert problem in refused(bundle)


def test_vectors_without_moves(bundle):
    lines = [json.loads(line) for line in (bundle / VECTORS).read_text().splitlines()]
    data = "".join(json.dumps(line | {"moves": {}}) + "\n" for line in lines).encode()
    rewrite(bundle, VECTORS, data)
    assert "its moves are not of every level" in refused(bundle)
    data = "".join(json.dumps(line | {"moves": {"easy": {"-1": {}}}}) + "\n" for line in lines).encode()
    rewrite(bundle, VECTORS, data)
    assert "vectors.jsonl: not a list of vectors" in refused(bundle)


def test_a_zip_does_as_well_and_a_damaged_one_is_refused(bundle, tmp_path, views):
    good = tmp_path / "good.zip"
    with zipfile.ZipFile(good, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in bundle.iterdir():
            archive.write(file, file.name)
    assert PolicyBot(good).act(views[0]) == PolicyBot(bundle).act(views[0])
    data = bytearray(good.read_bytes())
    for place in range(100, len(data), len(data) // 40):
        bad = tmp_path / "bad.zip"
        bad.write_bytes(
            data[:place] + bytes(byte ^ 0xFF for byte in data[place : place + 60]) + data[place + 60 :]
        )
        assert str(bad) in refused(bad)


def test_deep_nesting(bundle):
    (bundle / MANIFEST).write_text("[" * 200_000)
    assert "manifest.json: not JSON" in refused(bundle)


def test_links(bundle, exported):
    (bundle / MODEL).unlink()
    (bundle / MODEL).symlink_to(exported[1] / MODEL)
    assert f"{bundle / MODEL}: is a link; a bundle holds its own files" in refused(bundle)


def test_another_model(bundle):
    rewrite(bundle, MODEL, b"no graph")
    assert "model.onnx: onnxruntime cannot open it" in refused(bundle)
    model = onnx.load_from_string(build_model(tiny_net()))
    model.graph.input[0].name = "seen"
    for node in model.graph.node:
        if node.input[0] == "features":
            node.input[0] = "seen"
    rewrite(bundle, MODEL, model.SerializeToString())
    assert "model.onnx: its inputs and outputs are [('seen'" in refused(bundle)


def test_a_model_with_weights_elsewhere(bundle, tmp_path, monkeypatch):
    model = onnx.load_from_string(build_model(tiny_net()))
    onnx.save(model, tmp_path / MODEL, save_as_external_data=True, location="weights.bin", size_threshold=0)
    monkeypatch.chdir(tmp_path)  # where onnxruntime would find them
    rewrite(bundle, MODEL, (tmp_path / MODEL).read_bytes())
    assert "model.onnx: its weights are in another file" in refused(bundle)


@pytest.mark.parametrize("change", [lambda bias: bias + 0.1, lambda bias: bias * np.nan])
def test_other_weights(bundle, change):
    net = tiny_net()
    with torch.no_grad():
        net.policy.bias.copy_(change(net.policy.bias))
    rewrite(bundle, MODEL, build_model(net))
    assert "vectors.jsonl: line 1: logits differ by" in refused(bundle)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("features", [[0, 9]]),
        ("legal", [0]),
        ("logits", None),
        ("moves", {"hard": {"1": {"type": "wave"}}}),
        ("view", {}),
    ],
)
def test_tampered_vectors(bundle, field, value):
    lines = (bundle / VECTORS).read_text().splitlines()
    vector = json.loads(lines[2])
    vector[field] = [logit + 0.1 for logit in vector["logits"]] if value is None else value
    lines[2] = json.dumps(vector)
    rewrite(bundle, VECTORS, "\n".join(lines).encode())
    problem = refused(bundle)
    assert "vectors.jsonl" in problem
    assert field == "view" or f"line 3: {field}" in problem


@pytest.mark.parametrize("tolerance", [None, 1e9, float("nan")])
def test_tolerance_must_mean_something(bundle, tolerance):
    rewrite(bundle, None, None, tolerance=tolerance)
    assert "manifest.json: tolerance is" in refused(bundle)


@pytest.mark.parametrize("data", [b"", b"{", b"[1]"])
def test_no_vectors(bundle, data):
    rewrite(bundle, VECTORS, data, num_vectors=len(data.splitlines()))
    assert "vectors.jsonl: not a list of vectors" in refused(bundle)


# --- in a seat ------------------------------------------------------------------------------------


def test_bundle_and_checkpoint_play_the_same(exported, views):
    checkpoint, bundle = (make_bot(f"policy:{path}") for path in exported)
    for view in views[::7]:
        assert bundle.act(view) == checkpoint.act(view)


def test_vectors_hold_what_the_policy_plays(exported):
    bot = NetBot(tiny_net())
    for line in (exported[1] / VECTORS).read_text().splitlines()[::5]:
        vector = json.loads(line)
        views, mask = look_at(jo, vector["view"])
        assert vector["features"] == sparse(features_of(views)[0])
        assert vector["legal"] == np.flatnonzero(mask[0]).tolist()
        assert len(vector["logits"]) == len(vector["legal"])
        assert vector["moves"]["expert"]["1"] == bot.act(vector["view"])
        for name, level in LEVELS.items():
            for seed, move in vector["moves"][name].items():
                assert move == NetBot(tiny_net(), level).move_for(vector["view"], int(seed))


@pytest.mark.parametrize("kind", [0, 1])
def test_hidden_cards_change_nothing_to_the_bit(exported, kind):
    bot, rng = PolicyBot(exported[kind]).bot, np.random.default_rng(0)
    logits = bot.logits if kind else lambda features: bot.net.logits(torch.from_numpy(features)).numpy()
    num_moved = 0
    for step, (games, views, _) in enumerate(positions(4, num_games=6, num_steps=240)):
        if step % 6:
            continue
        other_games, other_views = games.copy(), np.zeros_like(views)
        for game in other_games:
            redeal_hidden(game, rng)
        jo.observe(other_games, other_views, np.zeros((len(games), jo.NUM_ACTIONS), np.int8))
        with torch.inference_mode():
            assert np.array_equal(logits(features_of(views)), logits(features_of(other_views)))
        num_moved += (other_games["own"]["hand"] != games["own"]["hand"]).any((1, 2)).sum()
    assert num_moved > 200  # of 240 tables: the cards were dealt anew


@pytest.mark.parametrize("kind", [0, 1])
def test_levels(exported, views, kind):
    plain, warm = PolicyBot(exported[kind]), PolicyBot(exported[kind], Level(temperature=50.0))
    looks = [look_at(jo, view) for view in views if view["phase"] == "play"]
    seen, masks = (np.concatenate(parts) for parts in zip(*looks, strict=True))
    seeds = np.arange(len(seen)).astype(np.uint64)
    best = plain.choose(seen, masks, seeds)
    drawn = warm.choose(seen, masks, seeds)
    assert (plain.choose(seen, masks, seeds + np.uint64(7)) == best).all()
    assert (warm.choose(seen, masks, seeds) == drawn).all()
    assert (warm.choose(seen, masks, seeds + np.uint64(7)) != drawn).any()
    assert (drawn != best).mean() > 0.3
    assert masks[np.arange(len(seen)), drawn].all()
    named = make_bot(f"policy:{exported[kind]}@easy")
    same = PolicyBot(exported[kind], LEVELS["easy"])
    assert (named.choose(seen, masks, seeds) == same.choose(seen, masks, seeds)).all()
    assert (make_bot(f"policy:{exported[kind]}@expert").choose(seen, masks, seeds) == best).all()
    searched = make_bot(f"policy:{exported[kind]}@1ms").choose(seen[:9], masks[:9], seeds[:9])
    assert masks[np.arange(9), searched].all()


def test_what_is_no_policy(exported, tmp_path):
    (tmp_path / "bad.safetensors").write_bytes(b"nonsense")
    for text, problem in {
        f"policy:{tmp_path / 'none.safetensors'}": "there is no such file",
        f"policy:{tmp_path / 'bad.safetensors'}": "not a checkpoint",
        f"policy:{tmp_path}": "manifest.json: cannot be read",
        f"policy:{exported[0]}@brilliant": "no level 'brilliant'; choose from easy, medium, hard, expert",
        "policy:greedy": "neither a .safetensors checkpoint nor a bundle",
    }.items():
        with pytest.raises(BotError, match=problem):
            make_bot(text)


@pytest.mark.parametrize("change", [{"temperature": -1}, {"temperature": float("nan")}, {"top_p": 0}])
def test_what_is_no_level(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        Level(**change)


def test_one_thread(exported):
    options = BundleBot(jo_agents, (exported[1] / MODEL).read_bytes()).session.get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"


WITHOUT_TORCH = """
import json, sys

class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "onnx", "hydra", "safetensors"):
            raise ModuleNotFoundError(f"No module named {name!r}")

sys.meta_path.insert(0, Forbid())
from jo_env.bots import BotError, make_bot

bot = make_bot(f"policy:{sys.argv[2]}")
views = json.load(sys.stdin)
try:
    make_bot(f"policy:{sys.argv[1]}")
except BotError as error:
    print(json.dumps([[bot.act(view) for view in views], str(error)]))
"""


def test_a_bundle_plays_without_torch(exported, views):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *map(str, exported)],
        input=json.dumps(views[::10]),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    moves, error = json.loads(done.stdout)
    bot = NetBot(tiny_net())
    assert moves == [bot.act(view) for view in views[::10]]
    assert "a checkpoint needs torch (No module named" in error
