"""Exported policies: a folder that onnxruntime and NumPy can play from, without torch.

A bundle holds `model.onnx` (features in, logits out), `vectors.jsonl` (views with what the policy
makes of them) and `manifest.json` (what it is, and a checksum of every other file). Loading trusts
none of it: checksums first, then versions, then every vector is played again.
"""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from agents.features import NUM_FEATURES, features_of
from agents.levels import EXPERT, Level
from agents.sampling import choose
from agents.versions import mismatch, sha256
from jo_env import jo
from jo_env.bots import BatchBot
from jo_env.jo.actions import NUM_ACTIONS

FORMAT = "jo-bundle-1"
MANIFEST, MODEL, VECTORS = "manifest.json", "model.onnx", "vectors.jsonl"
INPUT, OUTPUT = "features", "logits"
Json = dict[str, Any]


class BundleError(ValueError):
    """A folder that is no bundle, is damaged, or was made for another game or version."""


def look_at(view: Json) -> tuple[np.ndarray, np.ndarray]:
    """(VIEW[1], mask int8[1, NUM_ACTIONS]) of a JSON view; raises `TableError`."""
    games, _ = jo.game_from_view(view)
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, NUM_ACTIONS), np.int8)
    jo.observe(games, views, masks)
    return views, masks


class BundleBot(BatchBot):
    """A bundle in a seat, at a level."""

    def __init__(self, model: bytes, level: Level = EXPERT) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # Threads that wait by spinning would take the time of whatever else runs here.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        options.log_severity_level = 4  # it raises as well; one message is enough
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.level = level

    def at(self, level: Level) -> "BundleBot":
        """The same model at another level."""
        bot = copy.copy(self)
        bot.level = level
        return bot

    def logits(self, features: np.ndarray) -> np.ndarray:
        """Action logits float32[N, NUM_ACTIONS], not masked, of int8[N, NUM_FEATURES]."""
        return self.session.run([OUTPUT], {INPUT: np.ascontiguousarray(features)})[0]

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Actions int32[N] for views VIEW[N], masks int8[N, NUM_ACTIONS], seeds uint64[N].

        Raises `BundleError` for a model whose logits are not all finite.
        """
        logits = self.logits(features_of(views))
        if not np.isfinite(logits).all():
            raise BundleError("the model's logits are not all finite")
        return choose(logits, masks, seeds, self.level)


def load_bundle(path: Path | str) -> tuple[BundleBot, Json]:
    """The bot in a bundle folder and its manifest; raises `BundleError` naming file and field."""
    folder = Path(path)
    manifest = _read_manifest(folder)
    files = {name: _read_file(folder, name, manifest["files"]) for name in sorted(manifest["files"])}
    if problem := mismatch(manifest):
        raise BundleError(f"{folder / MANIFEST}: {problem}")
    try:
        bot = BundleBot(files[MODEL])
    except Exception as error:  # onnxruntime has a class of its own for every kind of failure
        raise BundleError(f"{folder / MODEL}: onnxruntime cannot open it ({error})") from error
    _check_signature(bot, folder / MODEL)
    _replay(bot, files[VECTORS], manifest, folder / VECTORS)
    return bot, manifest


def _read_manifest(folder: Path) -> Json:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except OSError as error:
        raise BundleError(
            f"{folder / MANIFEST}: cannot be read ({error.strerror}); is this a bundle?"
        ) from None
    except ValueError as error:
        raise BundleError(f"{folder / MANIFEST}: not JSON ({error})") from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise BundleError(f"{folder / MANIFEST}: format is {found!r}; this version reads {FORMAT!r}")
    if not isinstance(manifest.get("files"), dict) or not {MODEL, VECTORS} <= manifest["files"].keys():
        raise BundleError(f"{folder / MANIFEST}: files must list {MODEL} and {VECTORS}")
    return manifest


def _read_file(folder: Path, name: str, files: Json) -> bytes:
    """A file of the bundle, if it is what the manifest says."""
    if Path(name).name != name or (folder / name).is_symlink():
        raise BundleError(f"{folder / MANIFEST}: files names {name!r}, which is no file in this folder")
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise BundleError(f"{folder / name}: cannot be read ({error.strerror})") from None
    entry = files[name]
    for key, found in {"bytes": len(data), "sha256": sha256(data)}.items():
        wanted = entry.get(key) if isinstance(entry, dict) else None
        if found != wanted:
            raise BundleError(f"{folder / name}: {key} is {found!r}, the manifest says {wanted!r}")
    return data


def _check_signature(bot: BundleBot, path: Path) -> None:
    """The model reads features and writes logits, for any batch size."""
    ends = [*bot.session.get_inputs(), *bot.session.get_outputs()]
    found = [(end.name, end.type, end.shape[1:]) for end in ends]
    wanted = [
        (INPUT, "tensor(int8)", [NUM_FEATURES]),
        (OUTPUT, "tensor(float)", [NUM_ACTIONS]),
    ]
    if found != wanted:
        raise BundleError(f"{path}: its inputs and outputs are {found}, they must be {wanted}")


def _replay(bot: BundleBot, data: bytes, manifest: Json, path: Path) -> None:
    """Play every vector again: in one batch, and each alone from its JSON view."""
    tolerance, num_vectors = manifest.get("tolerance"), len(data.splitlines())
    if manifest.get("num_vectors") != num_vectors:
        raise BundleError(
            f"{path.parent / MANIFEST}: num_vectors is {manifest.get('num_vectors')!r}, "
            f"{path.name} holds {num_vectors}"
        )
    if not isinstance(tolerance, float) or not 0 < tolerance < 1:
        raise BundleError(f"{path.parent / MANIFEST}: tolerance is {tolerance!r}; it must be between 0 and 1")
    try:
        vectors = [json.loads(line) for line in data.splitlines()]
        looks = [look_at(vector["view"]) for vector in vectors]
        features = np.concatenate([features_of(views) for views, _ in looks])
        batch = bot.logits(features)
        for i, vector in enumerate(vectors):
            where = f"{path}: line {i + 1}"
            if sparse(features[i]) != vector["features"]:
                raise BundleError(f"{where}: features are not what this version makes of the view")
            legal = np.flatnonzero(looks[i][1][0])
            if legal.tolist() != vector["legal"]:
                raise BundleError(f"{where}: legal is {vector['legal']}, this version has {legal.tolist()}")
            error = float(np.abs(batch[i, legal] - np.array(vector["logits"])).max())
            if not error <= tolerance:  # NaN included
                raise BundleError(f"{where}: logits differ by {error:.3g}; {tolerance:.3g} is allowed")
            move = bot.act(vector["view"])
            if move != vector["move"]:
                raise BundleError(f"{where}: move is {vector['move']}, but the model plays {move}")
    except BundleError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise BundleError(f"{path}: not a list of vectors ({type(error).__name__}: {error})") from error


def sparse(row: np.ndarray) -> list[list[int]]:
    """The entries [index, value] of int8[NUM_FEATURES] that are not zero."""
    return [[int(i), int(row[i])] for i in np.flatnonzero(row)]
