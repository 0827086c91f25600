"""Files that explain themselves: one save and one load for policies, one for a whole training run.

Everything is safetensors with JSON in its header; nothing is pickled. A policy is one file. A run's
state is a folder that appears whole or not at all, so that a kill or a full disk leaves the last one.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from agents.files import write_atomically
from agents.games import load_game
from agents.policy import NetConfig, PolicyNet
from agents.versions import mismatch, versions

FORMAT = "jo-policy-1"


class CheckpointError(ValueError):
    """A file that is no checkpoint of this project, or one of another version."""


def save_tensors(path: Path, tensors: dict[str, Tensor], info: dict[str, Any]) -> None:
    """Write tensors and JSON-ready `info` as one safetensors file, atomically; raises `OSError`."""
    data = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    header = {"info": json.dumps(info, sort_keys=True)}
    try:
        write_atomically(path, lambda temporary: save_file(data, temporary, header))
    except SafetensorError as error:  # what a full disk looks like from there
        raise OSError(f"{path}: cannot be written ({error})") from error


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `save_tensors` wrote; raises `CheckpointError` for anything else."""
    try:
        with safe_open(path, "pt") as file:
            info = json.loads(file.metadata()["info"])
            return {name: file.get_tensor(name) for name in file.keys()}, info  # noqa: SIM118
    except FileNotFoundError:
        raise CheckpointError(f"{path}: there is no such file") from None
    except (SafetensorError, KeyError, TypeError, ValueError, OSError) as error:
        raise CheckpointError(f"{path}: not a checkpoint of this project ({error})") from error


def save_policy(path: Path, net: PolicyNet, info: dict[str, Any]) -> None:
    """Write a policy as one file with its sizes, versions and where it came from."""
    header = {"format": FORMAT, **versions(net.game), "net": asdict(net.config), **info}
    save_tensors(path, net.state_dict(), header)


def load_policy(path: Path | str) -> tuple[PolicyNet, dict[str, Any]]:
    """A policy and its header; raises `CheckpointError` when it is none, corrupt or of another version."""
    path = Path(path)
    tensors, info = load_tensors(path)
    if info.get("format") != FORMAT:
        raise CheckpointError(f"{path}: its format is {info.get('format')!r}, this version reads {FORMAT!r}")
    if problem := mismatch(info):
        raise CheckpointError(f"{path}: its {problem}")
    try:
        net = PolicyNet(load_game(info["game"]), NetConfig(**info["net"]))
        net.load_state_dict(tensors)
    except (KeyError, TypeError, RuntimeError) as error:
        raise CheckpointError(f"{path}: its weights do not fit its header ({error})") from error
    if not all(torch.isfinite(tensor).all() for tensor in tensors.values()):
        raise CheckpointError(f"{path}: some of its weights are not finite")
    return net.eval(), info


def pack_array(array: np.ndarray) -> Tensor:
    """Any NumPy array, records included, as bytes for safetensors."""
    return torch.from_numpy(np.ascontiguousarray(array).view(np.uint8).reshape(-1).copy())


def unpack_array(tensor: Tensor, like: np.ndarray) -> np.ndarray:
    """Bytes back into an array of the type and shape of `like`."""
    data = tensor.numpy()
    if data.nbytes != like.nbytes:
        raise CheckpointError(f"the saved array has {data.nbytes} bytes, this run's has {like.nbytes}")
    return data.view(like.dtype).reshape(like.shape).copy()


def pack_optimizer(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """An Adam optimizer's moments and step counts by parameter number."""
    state = optimizer.state_dict()["state"]
    return {f"optimizer.{i}.{name}": value for i, row in state.items() for name, value in row.items()}


def unpack_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Put saved moments back."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith("optimizer."):
            _, i, name = key.split(".", 2)
            state.setdefault(int(i), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def states(folder: Path) -> list[Path]:
    """The states in a run's folder."""
    found = [path for path in folder.glob("state-*") if path.name.removeprefix("state-").isdecimal()]
    return [path for path in found if path.is_dir()]


def latest(folder: Path) -> Path | None:
    """The newest complete state in a run's folder."""
    return max(states(folder), key=lambda path: int(path.name.split("-")[1]), default=None)
