"""A policy with random weights, small enough for tests."""

from pathlib import Path

import torch

from agents import jo as jo_agents
from agents.checkpoint import save_policy
from agents.policy import NetConfig, PolicyNet


def tiny_net(seed: int = 1) -> PolicyNet:
    """Random weights, with logits a few units apart as a trained policy has them."""
    torch.manual_seed(seed)
    net = PolicyNet(jo_agents, NetConfig(8, 4, 8, width=16, blocks=1, critic=16)).eval()
    with torch.no_grad():
        net.policy.weight.mul_(100)
        torch.nn.init.normal_(net.blocks[0].project.weight, std=0.2)
    return net


def tiny_checkpoint(path: Path, seed: int = 1) -> Path:
    save_policy(path, tiny_net(seed), {"update": 3, "decisions": 4000, "seconds": 5.0, "config": {}})
    return path
