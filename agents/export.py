"""From a checkpoint to a bundle (see bundle.py): the graph, its test vectors and its manifest.

The graph is written node by node rather than traced: it is a dozen plain layers, and so it holds no
names of files or machines, and the same policy always gives the same bytes.
"""

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from safetensors.torch import save
from torch import Tensor, nn

from agents.bundle import (
    FORMAT,
    INPUT,
    MANIFEST,
    MODEL,
    OUTPUT,
    VECTORS,
    BundleBot,
    BundleError,
    Json,
    bundle_id,
    load_bundle,
    look_at,
    sparse,
)
from agents.card import card, strength
from agents.checkpoint import load_policy
from agents.features import (
    BY_RANK,
    LAYS,
    NUM_FACE_BLOCKS,
    NUM_FEATURES,
    OTHERS,
    TOP_BLOCK,
    features_of,
    input_layout,
)
from agents.files import write_atomically
from agents.levels import LEVELS
from agents.policy import NetBot, PolicyNet, ResidualBlock
from agents.sampling import choose
from agents.versions import action_table, rules, rules_hash, sha256, versions
from jo_env import __version__, jo
from jo_env.bots import make_bot
from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jo.actions import DISCARD, LAY_OFF, LAY_THREE

OPSET, IR_VERSION = 17, 8  # the first with LayerNormalization; read by every onnxruntime since 1.12
TOLERANCE = 1e-4  # on logits, relative to the largest one where that is above 1
VECTORS_OF_A_KIND = 14
SEEDS = (0, 1)  # with which every level plays each vector
LICENCE = "MIT"
MINIMUM_RUNTIME = "1.12"


class ExportError(ValueError):
    """A policy that cannot be exported, or whose exported form plays differently."""


def export_policy(checkpoint: Path | str, bundle: Path | str, figures: Sequence[Json] = ()) -> Json:
    """Write a checkpoint's policy as a bundle, a folder or a .zip, and return its manifest.

    `figures` are evaluations of it, as scripts/evaluate.py writes them. The bundle appears only when the
    graph has given the same logits as torch and it has been loaded the way a user loads it; one of that
    name is replaced. Raises `CheckpointError` for a bad checkpoint and `ExportError` otherwise.
    """
    net, info = load_policy(checkpoint)
    return export_net(net, info, Path(bundle), figures)


def export_net(net: PolicyNet, info: Json, bundle: Path, figures: Sequence[Json] = ()) -> Json:
    """`export_policy` for a net in memory; `info` says where it came from."""
    if bundle.exists() and not _is_bundle(bundle):
        raise ExportError(f"{bundle}: is there already and is no bundle; give another name")
    try:
        shown = [strength(made) for made in figures]
    except ValueError as error:
        raise ExportError(str(error)) from error
    model = build_model(net)
    views = sample_views()
    looks = [look_at(view) for view in views]
    features = np.concatenate([features_of(view) for view, _ in looks])
    tolerance, logits = check_parity(net, model, features)
    vectors = make_vectors(net, views, features, [mask[0] for _, mask in looks], logits, tolerance)
    if not vectors:
        raise ExportError(f"in none of {len(views)} views is one action clearly best: is the policy trained?")
    source: Json = {key: info[key] for key in ("update", "decisions", "seconds") if key in info}
    files = {
        MODEL: model,
        "weights.safetensors": save({name: tensor.contiguous() for name, tensor in net.state_dict().items()}),
        VECTORS: "".join(f"{json.dumps(v, separators=(',', ':'))}\n" for v in vectors).encode(),
        "actions.json": _json(action_table()),
        "observation.json": _json(input_layout()),
        "eval.json": _json(shown),
        "README.md": card(source, shown).encode(),
    }
    manifest = {
        "format": FORMAT,
        **versions(),
        "rules": rules(),
        "rules_sha256": rules_hash(),
        "jo_env": __version__,
        "git_commit": git_commit(),
        "licence": LICENCE,
        "opset": OPSET,
        "onnxruntime": MINIMUM_RUNTIME,
        "input": {"name": INPUT, "type": "int8", "shape": ["batch", NUM_FEATURES]},
        "output": {"name": OUTPUT, "type": "float32", "shape": ["batch", jo.NUM_ACTIONS]},
        "levels": {name: asdict(level) for name, level in LEVELS.items()},
        "tolerance": tolerance,
        "num_vectors": len(vectors),
        "source": source,
        "files": {name: {"bytes": len(data), "sha256": sha256(data)} for name, data in files.items()},
    }
    files[MANIFEST] = _json(manifest)
    _write_bundle(bundle, files)
    return manifest


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1) + "\n").encode()


def _is_bundle(path: Path) -> bool:
    try:
        return bool(bundle_id(path))
    except BundleError:
        return False


def _write_bundle(bundle: Path, files: dict[str, bytes]) -> None:
    """Write the bundle beside its place, load it, and put it there; what was there stays until then."""
    old = bundle.with_name(f".{bundle.name}.{os.getpid()}.old")

    def write(place: Path) -> None:
        if bundle.suffix == ".zip":
            with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in files.items():
                    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)  # without a time
        else:
            place.mkdir()
            for name, data in files.items():
                (place / name).write_bytes(data)
        try:
            load_bundle(place)
        except BundleError as error:
            raise ExportError(f"{bundle}: the bundle does not play as the policy does ({error})") from error
        if bundle.is_dir():
            os.replace(bundle, old)  # a folder cannot be replaced in one step

    try:
        write_atomically(bundle, write)
    except BaseException:
        if old.exists():
            os.replace(old, bundle)
        raise
    shutil.rmtree(old, ignore_errors=True)


def git_commit() -> str | None:
    """The commit of the checkout that this code is run from, if it is one."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


# --- the graph ------------------------------------------------------------------------------------


class _Graph:
    """An ONNX graph under construction; every method appends a layer and returns its output's name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: Tensor) -> str:
        self.weights.append(numpy_helper.from_array(value.detach().cpu().float().numpy(), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def part(self, x: str, first: int, last: int, rows: list[int], scale: Tensor, name: str) -> str:
        """Columns of x by number, as floats times `scale`, in the shape [batch, *rows, the rest]."""
        ends = [
            self.constant(f"{name}.{end}", np.array([place]))
            for end, place in (("first", first), ("last", last))
        ]
        ends.append(self.constant(f"{name}.axis", np.array([1])))
        x = self.node("Slice", [x, *ends], f"{name}.part")
        x = self.node("Cast", [x], f"{name}.counts", to=onnx.TensorProto.FLOAT)
        if rows:
            x = self.reshape(x, [0, *rows, -1], f"{name}.rows")
        return self.node("Mul", [x, self.weight(f"{name}.scale", scale)], f"{name}.scaled")

    def map(self, x: str, layer: nn.Linear, name: str) -> str:
        """A linear map of the last axis."""
        weight = self.weight(f"{name}.weight", layer.weight.T)
        if layer.bias is None:
            return self.node("MatMul", [x, weight], name)
        product = self.node("MatMul", [x, weight], f"{name}.product")
        return self.node("Add", [product, self.weight(f"{name}.bias", layer.bias)], name)

    def reshape(self, x: str, shape: list[int], name: str) -> str:
        """0 in `shape` keeps an axis as it is."""
        return self.node("Reshape", [x, self.constant(f"{name}.shape", np.array(shape))], name)

    def flat(self, x: str) -> str:
        return self.node("Flatten", [x], f"{x}.flat")

    def linear(self, x: str, layer: nn.Linear, name: str) -> str:
        weights = [self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("Gemm", [x, *weights], name, transB=1)

    def layer_norm(self, x: str, layer: nn.LayerNorm, name: str) -> str:
        weights = [self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("LayerNormalization", [x, *weights], name, epsilon=layer.eps)

    def relu(self, x: str) -> str:
        return self.node("Relu", [x], f"{x}.relu")


def build_model(net: PolicyNet) -> bytes:
    """The policy as an ONNX file: int8[batch, NUM_FEATURES] to logits float32[batch, A], not masked."""
    graph = _Graph()
    embed = net.embed
    suits = graph.part(INPUT, 0, BY_RANK, [NUM_SUITS], embed.suit_scale, "suits")
    ranks = graph.part(INPUT, BY_RANK, OTHERS, [NUM_RANKS], embed.rank_scale, "ranks")
    others = graph.part(INPUT, OTHERS, NUM_FEATURES, [], embed.other_scale, "others")
    faces = graph.reshape(suits, [0, NUM_SUITS, NUM_FACE_BLOCKS, NUM_RANKS], "blocks")
    faces = graph.node("Transpose", [faces], "faces", perm=[0, 1, 3, 2])
    suits = graph.relu(graph.map(suits, embed.suit, "embed.suit"))
    ranks = graph.relu(graph.map(ranks, embed.rank, "embed.rank"))
    others = graph.relu(graph.linear(others, embed.other, "embed.other"))
    table = graph.node("Concat", [graph.flat(suits), graph.flat(ranks), others], "table", axis=1)
    x = graph.linear(table, net.enter, "enter")
    for i, block in enumerate(net.blocks):
        assert isinstance(block, ResidualBlock)
        y = graph.layer_norm(x, block.norm, f"blocks.{i}.norm")
        y = graph.relu(graph.linear(y, block.expand, f"blocks.{i}.expand"))
        y = graph.linear(y, block.project, f"blocks.{i}.project")
        x = graph.node("Add", [x, y], f"blocks.{i}")
    x = graph.relu(graph.layer_norm(x, net.norm, "norm"))
    discards, take = _judge_cards(graph, net, faces, suits, ranks, x)
    logits = graph.node("Add", [graph.linear(x, net.policy, "policy"), take], "with_take")
    logits = graph.node("Add", [logits, discards], "with_discards")
    lays = graph.part(INPUT, LAYS, NUM_FEATURES, [], net.planned, "lays")
    places = graph.constant("lays.places", np.array([0, LAY_THREE, 0, jo.NUM_ACTIONS - DISCARD]))
    graph.node("Add", [logits, graph.node("Pad", [lays, places], "lay_logits")], OUTPUT)
    float32, int8 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT8
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "policy",
            [helper.make_tensor_value_info(INPUT, int8, ["batch", NUM_FEATURES])],
            [helper.make_tensor_value_info(OUTPUT, float32, ["batch", jo.NUM_ACTIONS])],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def _judge_cards(
    graph: _Graph, net: PolicyNet, faces: str, suits: str, ranks: str, x: str
) -> tuple[str, str]:
    """What the CardHead adds to the logits: to those of the discards, and to those that take the top."""
    head = net.cards
    by_suit = graph.map(suits, head.suit, "cards.suit")
    by_suit = graph.reshape(by_suit, [0, NUM_SUITS, NUM_RANKS, head.hidden], "cards.by_suit")
    by_rank = graph.reshape(
        graph.map(ranks, head.rank, "cards.rank"), [0, 1, NUM_RANKS, head.hidden], "cards.by_rank"
    )
    by_table = graph.reshape(
        graph.map(x, head.table, "cards.table"), [0, 1, 1, head.hidden], "cards.by_table"
    )
    y = graph.map(faces, head.face, "cards.face")
    for i, part in enumerate((by_suit, by_rank, by_table)):
        y = graph.node("Add", [y, part], f"cards.sum.{i}")
    y = graph.relu(graph.map(graph.relu(y), head.mix, "cards.mix"))
    worths = graph.reshape(graph.map(y, head.worth, "cards.worth"), [0, NUM_FACES, 2], "cards.worths")
    discards = graph.node(
        "Gather", [worths, graph.constant("cards.first", np.array(0))], "cards.discards", axis=2
    )
    takes = graph.node("Gather", [worths, graph.constant("cards.second", np.array(1))], "cards.takes", axis=2)
    is_top = graph.node(
        "Gather", [faces, graph.constant("cards.top", np.array(TOP_BLOCK))], "cards.is_top", axis=3
    )
    take = graph.node("Mul", [takes, graph.flat(is_top)], "cards.top_takes")
    take = graph.node(
        "ReduceSum", [take, graph.constant("cards.sum_axis", np.array([1]))], "cards.take", keepdims=1
    )
    take = graph.node("Mul", [take, graph.weight("cards.is_take", net.is_take)], "cards.take_logits")
    zeros = graph.constant("cards.places", np.array([0, DISCARD, 0, 0]))  # before the discards' logits
    return graph.node("Pad", [discards, zeros], "cards.discard_logits"), take


def check_parity(net: PolicyNet, model: bytes, features: np.ndarray) -> tuple[float, np.ndarray]:
    """Compare the graph's logits with torch's, in one batch and one by one.

    Returns the tolerance they keep, and torch's logits float32[N, NUM_ACTIONS]; raises `ExportError`.
    """
    with torch.inference_mode():
        wanted = net.logits(torch.from_numpy(features)).numpy()
    bot = BundleBot(model)
    alone = np.concatenate([bot.logits(row[None]) for row in features])
    tolerance = TOLERANCE * max(1.0, float(np.abs(wanted).max()))
    for how, logits in {"in a batch": bot.logits(features), "alone": alone}.items():
        error = float(np.abs(logits - wanted).max())
        if not error <= tolerance:  # NaN included
            raise ExportError(
                f"the exported graph is off: its logits differ from torch's by up to {error:.3g} "
                f"({how}); {tolerance:.3g} is allowed"
            )
    return tolerance, wanted


# --- test vectors ---------------------------------------------------------------------------------


def sample_views(per_kind: int = VECTORS_OF_A_KIND, seed: int = 1, num_games: int = 2) -> list[Json]:
    """JSON views of greedy games: for 2, 3 and 4 seats, `per_kind` of each kind of decision."""
    rng = np.random.default_rng(seed)
    views = []
    for seats in (2, 3, 4):
        found: dict[str, list[tuple[np.record, list[Json]]]] = {}
        for game_seed in range(seed, seed + num_games):
            for kind, game, events in _greedy_game(seats, game_seed):
                found.setdefault(kind, []).append((game, events))
        for kind in sorted(found):
            for i in rng.permutation(len(found[kind]))[:per_kind]:
                game, events = found[kind][i]
                views.append(jo.view_json(game, int(game.acting), events))
    return views


def _greedy_game(seats: int, seed: int) -> Iterator[tuple[str, np.record, list[Json]]]:
    """(kind, table, events) of every decision of a whole game that leaves a choice."""
    bot: Any = make_bot("greedy")
    games = jo.new_games(1, seats=seats)
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    ended = np.zeros(1, np.int8)
    events: list[Json] = []
    jo.start(games, np.array([seed], np.uint64), np.array([jo.NOBODY]))
    while games[0].phase != jo.Phase.OVER:
        jo.observe(games, views, masks)
        if masks.sum() > 1 and games[0].groups_laid == 0:
            yield _kind(games[0], masks[0]), games.copy()[0], events
        jo.step(games, bot.choose(views, masks, np.zeros(1, np.uint64)), ended)
        events = [] if ended[0] else events + jo.news(games[0])


def _kind(game: np.record, mask: np.ndarray) -> str:
    if game.phase != jo.Phase.PLAY:
        return "buy" if game.phase == jo.Phase.BUY else "draw"
    if mask[LAY_THREE:LAY_OFF].any():
        return "go_down"
    return "lay_off" if mask[LAY_OFF:DISCARD].any() else "discard"


class _Judge(NetBot):
    """The net in a seat, noting how far its best action was ahead in the closest of its decisions."""

    margin = np.inf

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            logits = self.net.logits(torch.from_numpy(features_of(views))).numpy()
        self.margin = min(self.margin, _margin(logits[masks == 1]))
        return choose(logits, masks, seeds)


def _margin(logits: np.ndarray) -> float:
    """How far the highest of some logits is ahead of the next."""
    return float(np.diff(np.sort(logits)[-2:]).sum()) if len(logits) > 1 else np.inf


def make_vectors(
    net: PolicyNet,
    views: list[Json],
    features: np.ndarray,
    masks: list[np.ndarray],
    logits: np.ndarray,
    tolerance: float,
) -> list[Json]:
    """What torch makes of the views, without those where two actions are so close that rounding decides."""
    vectors = []
    for view, read, mask, row in zip(views, features, masks, logits, strict=True):
        legal = np.flatnonzero(mask)
        judge = _Judge(net)
        if _margin(row[legal]) <= 2 * tolerance:
            continue
        judge.act(view)
        if judge.margin > 2 * tolerance:
            moves = {
                name: {str(seed): NetBot(net, level).move_for(view, seed) for seed in SEEDS}
                for name, level in LEVELS.items()
            }
            vectors.append(
                {
                    "view": view,
                    "features": sparse(read),
                    "legal": legal.tolist(),
                    "logits": [float(f"{value:.7g}") for value in row[legal]],
                    "moves": moves,
                }
            )
    return vectors
