"""Where the time of training goes: microseconds of one core for a decision, part by part.

    python scripts/benchmark_training.py

Every part works on the same tables, as one rank of a run does. Of decisions that are as good as certain PPO
learns from one in eight: its last line counts that in.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch

from agents import jo, ppo
from agents.checkpoint import load_policy
from agents.clone import CloneConfig, Lessons, clone_loss, collect
from agents.jo.iteration import PlannerImproved
from agents.rollout import Buffer, new_tables

NUM_GAMES, NUM_STEPS, MINIBATCH = 768, 24, 1152
POLICY = Path(__file__).resolve().parents[1] / "checkpoints" / "jo.safetensors"


def cost(work: Callable[[], object], rows: int, seconds: float) -> float:
    """Microseconds of processor time a row: the median of seven calls or more."""
    work()
    spent: list[float] = []
    while len(spent) < 7 or sum(spent) < seconds:
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return 1e6 * float(np.median(spent)) / rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3, help="for each figure")
    parser.add_argument("--policy", type=Path, default=POLICY)
    args = parser.parse_args()
    torch.set_num_threads(1)
    net, _ = load_policy(args.policy)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.0, fused=True)
    teacher, tables = PlannerImproved(), new_tables(jo, NUM_GAMES, seed=1, seats=(2, 3, 4))
    lessons, buffer = Lessons.empty(jo, NUM_GAMES * NUM_STEPS), Buffer.empty(jo, NUM_STEPS, NUM_GAMES)
    hidden = np.zeros((NUM_GAMES, jo.HIDDEN_SIZE), np.int8)

    def forward(features: np.ndarray, hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with torch.no_grad():
            logits, values = net(torch.from_numpy(features), torch.from_numpy(hidden))
        return logits.numpy(), values.numpy()

    def step(loss: torch.Tensor) -> None:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def clone() -> None:
        part = lessons[torch.randint(len(lessons), (MINIBATCH,))]
        logits, values = net(part.features, torch.zeros(MINIBATCH, jo.HIDDEN_SIZE, dtype=torch.int8))
        step(clone_loss(logits, part, CloneConfig().temperature)[0] + 0 * values.sum())

    def reinforce() -> None:
        part = batch[torch.randint(len(batch), (MINIBATCH,))]
        step(ppo.ppo_loss(net, part, config, ppo.coefficients(config, 0.0), None)[0])

    def measure(name: str, work: Callable[[], object], rows: int) -> float:
        microseconds = cost(work, rows, args.seconds)
        print(f"{name:58s} {microseconds:7.1f} us", flush=True)
        return microseconds

    collect(tables, teacher, lessons)  # into the hands, past the first turns
    config = ppo.PpoConfig()
    measure("a view's features", lambda: jo.features_of(tables.views), NUM_GAMES)
    measure("what the critic sees beside them", lambda: jo.look_behind(tables.games, hidden), NUM_GAMES)
    measure("planner-improved", lambda: teacher.judge(tables.views, tables.masks), NUM_GAMES)
    features = jo.features_of(tables.views)
    measure("the network, forward", lambda: forward(features, hidden), NUM_GAMES)
    playing = measure("cloning: play", lambda: collect(tables, teacher, lessons), len(lessons))
    learning = measure("cloning: learn", clone, MINIBATCH)
    print(f"cloning, one core: {1000 / (playing + learning):.1f} k decisions a second")
    playing = measure("PPO: play", lambda: tables.collect(buffer, forward), buffer.seats.size)
    batch = ppo.make_batch(buffer, config.gae_lambda)
    share = len(batch) / buffer.seats.size
    learning = measure(f"PPO: learn, from {share:.0%} of the decisions", reinforce, MINIBATCH)
    print(f"PPO, one core: {1000 / (playing + share * learning):.1f} k decisions a second")


if __name__ == "__main__":
    main()
