"""Exported policies: a folder or zip that onnxruntime and NumPy can play from, without torch.

A bundle holds `model.onnx` (features in, logits out), `vectors.jsonl` (views with what the policy
makes of them), `manifest.json` (what it is, and a checksum of every other file) and what a port to another
language needs. Loading trusts none of it: checksums first, then versions, then every vector is played again.
"""

import copy
import json
import re
import zipfile
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import numpy as np
import onnxruntime

from agents.games import load_game
from agents.levels import EXPERT, Level
from agents.sampling import choose
from agents.versions import mismatch, rules_hash, sha256
from jo_env.bots import BatchBot
from jo_env.fields import Json
from jo_env.records import taken
from jo_env.rooms import observed

FORMAT = "jo-bundle-2"
MANIFEST, MODEL, VECTORS = "manifest.json", "model.onnx", "vectors.jsonl"
FILES = {MODEL, VECTORS, "weights.safetensors", "actions.json", "observation.json", "eval.json", "README.md"}
MAX_BYTES = 100_000_000  # of a file in a bundle
AT_A_TIME = 32  # vectors, so that a process need not grow for them
INPUT, OUTPUT = "features", "logits"
EXTERNAL = b"\x0a\x08location"  # how ONNX begins to name a file that holds a tensor


class BundleError(ValueError):
    """A folder that is no bundle, is damaged, or was made for another game or version."""


def look_at(room: ModuleType, view: Json) -> tuple[np.ndarray, np.ndarray]:
    """(VIEW[1], mask int8[1, NUM_ACTIONS]) of a JSON view; raises `TableError`."""
    games, _ = room.game_from_view(view)
    return observed(room, games)


class BundleBot(BatchBot):
    """A bundle in a seat, at a level."""

    def __init__(self, game: ModuleType, model: bytes, level: Level = EXPERT) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # a batch's memory is given back; single rows are as fast
        # Threads that wait by spinning would take the time of whatever else runs here.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        options.log_severity_level = 4  # it raises as well; one message is enough
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.game, self.level = game, level
        self.room: ModuleType = game.room

    def at(self, level: Level) -> "BundleBot":
        """The same model at another level."""
        bot = copy.copy(self)
        bot.level = level
        return bot

    def logits(self, features: np.ndarray) -> np.ndarray:
        """Action logits float32[N, NUM_ACTIONS], not masked, of int8[N, num_features]."""
        return self.session.run([OUTPUT], {INPUT: np.ascontiguousarray(features)})[0]

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Actions int32[N] for views VIEW[N], masks int8[N, NUM_ACTIONS], seeds uint64[N].

        Raises `BundleError` for a model whose logits are not all finite.
        """
        logits = self.logits(self.game.features_of(views))
        if not np.isfinite(logits).all():
            raise BundleError("the model's logits are not all finite")
        return choose(logits, masks, seeds, self.level)


def bundle_id(path: Path | str) -> str:
    """What a bundle is called: the hash of its manifest, which has all others; raises `BundleError`."""
    return f"sha256:{sha256(_Files(Path(path)).read(MANIFEST))}"


def load_bundle(path: Path | str) -> tuple[BundleBot, Json]:
    """The bot in a bundle and its manifest, with its `id`; raises `BundleError` naming file and field.

    Whatever a damaged bundle makes a library raise becomes one, too.
    """
    try:
        return _load(_Files(Path(path)))
    except BundleError:
        raise
    except Exception as error:
        raise BundleError(f"{path}: cannot be loaded ({type(error).__name__}: {error})") from error


def _load(files: "_Files") -> tuple[BundleBot, Json]:
    raw = files.read(MANIFEST)
    manifest = _parse_manifest(raw, files.path / MANIFEST)
    data = {name: _checked(files, name, manifest["files"]) for name in sorted(manifest["files"])}
    if problem := mismatch(manifest):
        raise BundleError(f"{files.path / MANIFEST}: {problem}")
    game = load_game(manifest["game"])
    if problem := _other_rules(game, manifest):
        raise BundleError(f"{files.path / MANIFEST}: {problem}")
    if EXTERNAL in data[MODEL]:
        raise BundleError(f"{files.path / MODEL}: its weights are in another file; they must be inside")
    try:
        bot = BundleBot(game, data[MODEL])
    except Exception as error:  # onnxruntime has a class of its own for every kind of failure
        raise BundleError(f"{files.path / MODEL}: onnxruntime cannot open it ({error})") from error
    _check_signature(bot, files.path / MODEL)
    _replay(bot, data[VECTORS], manifest, files.path / VECTORS)
    return bot, manifest | {"id": f"sha256:{sha256(raw)}"}


class _Files:
    """The files of a folder or zip, by name; nothing is read from elsewhere."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> bytes:
        where = self.path / name
        try:
            if self.path.is_dir():
                if where.is_symlink():
                    raise BundleError(f"{where}: is a link; a bundle holds its own files")
                if where.stat().st_size > MAX_BYTES:
                    raise BundleError(f"{where}: is larger than {MAX_BYTES} bytes")
                return where.read_bytes()
            with zipfile.ZipFile(self.path) as archive:
                if archive.getinfo(name).file_size > MAX_BYTES:
                    raise BundleError(f"{where}: is larger than {MAX_BYTES} bytes")
                return archive.read(name)
        except KeyError:
            raise BundleError(f"{where}: is not in the zip; is this a bundle?") from None
        except zipfile.BadZipFile as error:
            raise BundleError(f"{self.path}: is no folder and no zip ({error})") from None
        except OSError as error:
            raise BundleError(f"{where}: cannot be read ({error.strerror}); is this a bundle?") from None
        except (BundleError, MemoryError):
            raise
        except Exception as error:  # every way of packing a zip has errors of its own
            raise BundleError(f"{where}: cannot be read ({type(error).__name__}: {error})") from None


def _parse_manifest(raw: bytes, where: Path) -> Json:
    try:
        manifest = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{where}: not JSON ({error})") from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise BundleError(f"{where}: format is {found!r}; this version reads {FORMAT!r}")
    files = manifest.get("files")
    if not isinstance(files, dict) or not FILES <= files.keys():
        raise BundleError(f"{where}: files must list {', '.join(sorted(FILES))}")
    oldest = str(manifest.get("onnxruntime"))
    if not re.fullmatch(r"\d+(\.\d+)+", oldest) or _numbers(oldest) > _numbers(onnxruntime.__version__):
        raise BundleError(f"{where}: onnxruntime is {oldest!r}, this one is {onnxruntime.__version__}")
    return manifest


def _numbers(version: str) -> list[int]:
    """The numbers of a version, as far as it has any."""
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def _checked(files: _Files, name: str, listed: Json) -> bytes:
    """A file of the bundle, if it is what the manifest says."""
    if Path(name).name != name:
        raise BundleError(f"{files.path / MANIFEST}: files names {name!r}, which is no file in this bundle")
    data, entry = files.read(name), listed[name]
    for key, found in {"bytes": len(data), "sha256": sha256(data)}.items():
        wanted = entry.get(key) if isinstance(entry, dict) else None
        if found != wanted:
            raise BundleError(f"{files.path / name}: {key} is {found!r}, the manifest says {wanted!r}")
    return data


def _other_rules(game: ModuleType, manifest: Json) -> str | None:
    """What the manifest says of the rules or the levels that is not so here, in words."""
    levels = {name: asdict(level) for name, level in game.LEVELS.items()}
    if manifest.get("levels") != levels:
        return f"levels are {manifest.get('levels')}, this version plays at {levels}"
    if manifest.get("rules_sha256") != rules_hash(game):
        return f"rules are {manifest.get('rules')}, this version plays by {game.room.rules()}"
    return None


def _check_signature(bot: BundleBot, path: Path) -> None:
    """The model reads features and writes logits, for any batch size."""
    ends = [*bot.session.get_inputs(), *bot.session.get_outputs()]
    found = [(end.name, end.type, end.shape[1:]) for end in ends]
    wanted = [
        (INPUT, "tensor(int8)", [bot.game.LAYOUT.num_features]),
        (OUTPUT, "tensor(float)", [bot.room.NUM_ACTIONS]),
    ]
    if found != wanted or any(isinstance(end.shape[0], int) for end in ends):
        raise BundleError(f"{path}: its inputs and outputs are {found}, they must be {wanted} for any batch")


def _replay(bot: BundleBot, data: bytes, manifest: Json, path: Path) -> None:
    """Play every vector again, from its JSON view, in batches for each level and seed."""
    tolerance, lines, room = manifest.get("tolerance"), data.splitlines(), bot.room
    if manifest.get("num_vectors") != len(lines):
        raise BundleError(
            f"{path.parent / MANIFEST}: num_vectors is {manifest.get('num_vectors')!r}, "
            f"{path.name} holds {len(lines)}"
        )
    if not isinstance(tolerance, float) or not 0 < tolerance < 1:
        raise BundleError(f"{path.parent / MANIFEST}: tolerance is {tolerance!r}; it must be between 0 and 1")
    games = room.new_games(len(lines))
    features = np.zeros((len(lines), bot.game.LAYOUT.num_features), np.int8)
    answers = []  # of every vector: legal actions, logits, and the moves by level and seed
    try:
        for i, line in enumerate(lines):
            vector = json.loads(line)
            games[i : i + 1], _ = room.game_from_view(vector["view"])
            views, masks = observed(room, games[i : i + 1])
            features[i], legal = bot.game.features_of(views)[0], np.flatnonzero(masks[0])
            if sparse(features[i]) != vector["features"]:
                raise BundleError(
                    f"{path}: line {i + 1}: features are not what this version makes of the view"
                )
            if legal.tolist() != vector["legal"]:
                raise BundleError(
                    f"{path}: line {i + 1}: legal is {vector['legal']}, this version has {legal.tolist()}"
                )
            answers.append((legal, np.array(vector["logits"]), vector["moves"]))
        if not answers:
            raise ValueError("it is empty")
        parts = [slice(i, i + AT_A_TIME) for i in range(0, len(games), AT_A_TIME)]
        logits = np.concatenate([bot.logits(features[part]) for part in parts])
        for i, (legal, wanted, _) in enumerate(answers):
            error = float(np.abs(logits[i, legal] - wanted).max())
            if not error <= tolerance:  # NaN included
                raise BundleError(
                    f"{path}: line {i + 1}: logits differ by {error:.3g}; {tolerance:.3g} is allowed"
                )
        played = {(level, seed) for *_, moves in answers for level in moves for seed in moves[level]}
        if {level for level, _ in played} != set(bot.game.LEVELS):
            raise ValueError(f"its moves are not of every level: {', '.join(bot.game.LEVELS)}")
        for level, seed in sorted(played):
            seeds = np.full(len(games), int(seed), np.uint64)
            player, tables = bot.at(bot.game.LEVELS[level]), taken(games, np.arange(len(games)))
            made = [move for part in parts for move in player.moves(room, tables[part], seeds[part])]
            for i, (*_, moves) in enumerate(answers):
                wanted = moves.get(level, {}).get(seed)
                if made[i] != wanted:
                    raise BundleError(
                        f"{path}: line {i + 1}: moves.{level}.{seed} is {wanted}, the model plays {made[i]}"
                    )
    except BundleError:
        raise
    except Exception as error:
        raise BundleError(f"{path}: not a list of vectors ({type(error).__name__}: {error})") from error


def sparse(row: np.ndarray) -> list[list[int]]:
    """The entries [index, value] of int8[num_features] that are not zero."""
    return [[int(i), int(row[i])] for i in np.flatnonzero(row)]
