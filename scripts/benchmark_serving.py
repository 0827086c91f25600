"""How long one decision takes, from a JSON view to a JSON move: p50 and p99 in microseconds.

The views are those of an export's test vectors: every phase, 2 to 4 seats, with their history.

    python scripts/benchmark_serving.py bundles/jo
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import json

import numpy as np

from agents.bundle import VECTORS
from agents.features import features_of
from agents.serving.service import load_service
from jo_env import jo


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("bundle", type=Path, help="the folder of a bundle")
    parser.add_argument("--repeats", type=int, default=10, help="how often each view is decided")
    args = parser.parse_args()
    service = load_service(args.bundle)
    bot = service.model.levels["expert"]
    views = [json.loads(line)["view"] for line in (args.bundle / VECTORS).read_text().splitlines()]
    tables = [jo.game_from_view(view) for view in views]
    looks = np.zeros((len(views), 1), jo.VIEW)
    for (games, seat), look in zip(tables, looks, strict=True):
        jo.look(games[0], seat, look[0])
    features = [features_of(look) for look in looks]
    work: dict[str, Callable[[int], object]] = {
        "read the view": lambda i: jo.game_from_view(views[i]),
        "write the view": lambda i: jo.view_json(tables[i][0][0], tables[i][1], views[i]["events"]),
        "features": lambda i: features_of(looks[i]),
        "model": lambda i: bot.logits(features[i]),
        "view to move": lambda i: bot.act(views[i]),
        "request to answer": lambda i: service.answer({"id": i, "view": views[i]}),
    }
    times: dict[str, list[int]] = {name: [] for name in work}
    for _ in range(args.repeats):
        for i in range(len(views)):
            for name, do in work.items():  # in turn, so that a busy machine slows all of them alike
                started = time.perf_counter_ns()
                do(i)
                times[name].append(time.perf_counter_ns() - started)
    print(f"{len(views)} views, {args.repeats} times each{'':14}p50 us    p99 us")
    for name, taken in times.items():
        print(f"  {name:32}{np.percentile(taken, 50) / 1e3:10.0f}{np.percentile(taken, 99) / 1e3:10.0f}")


if __name__ == "__main__":
    main()
