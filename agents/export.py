"""From a checkpoint to a bundle (see bundle.py): the graph, its test vectors and its manifest."""

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from safetensors.torch import save

from agents.bundle import (
    FORMAT,
    INPUT,
    MANIFEST,
    MODEL,
    OUTPUT,
    VECTORS,
    BundleBot,
    BundleError,
    bundle_id,
    load_bundle,
    look_at,
    sparse,
)
from agents.card import card, strength
from agents.checkpoint import load_policy
from agents.files import write_atomically
from agents.onnx_graph import OPSET, build_model
from agents.policy import NetBot, PolicyNet
from agents.sampling import choose
from agents.versions import rules_hash, sha256, versions
from jo_env import __version__
from jo_env.bots import make_bot
from jo_env.fields import Json

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
    game, room = net.game, net.game.room
    model = build_model(net)
    views = sample_views(game)
    looks = [look_at(room, view) for view in views]
    features = np.concatenate([game.features_of(view) for view, _ in looks])
    tolerance, logits = check_parity(net, model, features)
    vectors = make_vectors(net, views, features, [mask[0] for _, mask in looks], logits, tolerance)
    if not vectors:
        raise ExportError(f"in none of {len(views)} views is one action clearly best: is the policy trained?")
    source: Json = {key: info[key] for key in ("update", "decisions", "seconds") if key in info}
    files = {
        MODEL: model,
        "weights.safetensors": save({name: tensor.contiguous() for name, tensor in net.state_dict().items()}),
        VECTORS: "".join(f"{json.dumps(v, separators=(',', ':'))}\n" for v in vectors).encode(),
        "actions.json": _json(room.action_table()),
        "observation.json": _json(game.LAYOUT.parts()),
        "eval.json": _json(shown),
        "README.md": card(game, source, shown).encode(),
    }
    manifest = {
        "format": FORMAT,
        **versions(game),
        "rules": room.rules(),
        "rules_sha256": rules_hash(game),
        "jo_env": __version__,
        "git_commit": git_commit(),
        "licence": LICENCE,
        "opset": OPSET,
        "onnxruntime": MINIMUM_RUNTIME,
        "input": {"name": INPUT, "type": "int8", "shape": ["batch", game.LAYOUT.num_features]},
        "output": {"name": OUTPUT, "type": "float32", "shape": ["batch", room.NUM_ACTIONS]},
        "levels": {name: asdict(level) for name, level in game.LEVELS.items()},
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


def check_parity(net: PolicyNet, model: bytes, features: np.ndarray) -> tuple[float, np.ndarray]:
    """Compare the graph's logits with torch's, in one batch and one by one.

    Returns the tolerance they keep, and torch's logits float32[N, NUM_ACTIONS]; raises `ExportError`.
    """
    with torch.inference_mode():
        wanted = net.logits(torch.from_numpy(features)).numpy()
    bot = BundleBot(net.game, model)
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


def sample_views(
    game: ModuleType, per_kind: int = VECTORS_OF_A_KIND, seed: int = 1, num_games: int = 2
) -> list[Json]:
    """JSON views of greedy games: for each number of seats, `per_kind` of each kind of decision."""
    room, rng = game.room, np.random.default_rng(seed)
    views = []
    for seats in range(room.MIN_SEATS, room.MAX_SEATS + 1):
        found: dict[str, list[tuple[np.record, list[Json]]]] = {}
        for game_seed in range(seed, seed + num_games):
            for kind, table, events in _greedy_game(game, seats, game_seed):
                found.setdefault(kind, []).append((table, events))
        for kind in sorted(found):
            for i in rng.permutation(len(found[kind]))[:per_kind]:
                table, events = found[kind][i]
                views.append(room.view_json(table, int(table.acting), events))
    return views


def _greedy_game(game: ModuleType, seats: int, seed: int) -> Iterator[tuple[str, np.record, list[Json]]]:
    """(kind, table, events) of every decision of a whole game that leaves a choice."""
    room = game.room
    bot: Any = make_bot("greedy", room.GAME_NAME)
    games = room.new_games(1, seats=seats)
    views, masks = np.zeros(1, room.VIEW), np.zeros((1, room.NUM_ACTIONS), np.int8)
    ended = np.zeros(1, np.int8)
    events: list[Json] = []
    room.start(games, np.array([seed], np.uint64), np.array([room.NOBODY]))
    while games[0].phase != room.Phase.OVER:
        room.observe(games, views, masks)
        if masks.sum() > 1 and not room.is_midway(games)[0]:
            yield game.decision_kind(games[0], masks[0]), games.copy()[0], events
        room.step(games, bot.choose(views, masks, np.zeros(1, np.uint64)), ended)
        events = [] if ended[0] else events + room.news(games[0])


class _Judge(NetBot):
    """The net in a seat, noting how far its best action was ahead in the closest of its decisions."""

    margin = np.inf

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            logits = self.net.logits(torch.from_numpy(self.net.game.features_of(views))).numpy()
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
                for name, level in net.game.LEVELS.items()
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
