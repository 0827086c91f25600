"""How much search adds to the planner: `planner-search` against planners, by its number of worlds.

One seat for the search and planners in the rest, whole games, every deal played once from each seat; a line
for every seat count and number of worlds, ± the half-width of a 95 % interval clustered by deal.

    python scripts/measure_search.py --worlds 16 64 --seats 2 4 --deals 100
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.arena import play_mirrored
from agents.jo.heuristics import Planner, PlannerSearch
from jo_env import jo
from jo_env.jo.goals import ALL_ROUNDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--worlds", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 4], choices=[2, 3, 4])
    parser.add_argument("--rounds", type=int, nargs="+", default=list(ALL_ROUNDS), choices=ALL_ROUNDS)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    if args.deals < 2 or min(args.worlds) < 2:
        parser.error("give 2 deals and 2 worlds or more: an interval needs that many")

    print(f"{args.deals} deals from every seat, rounds {' '.join(map(str, args.rounds))}, seed {args.seed}")
    print("seats  worlds  games won         points a hand ahead  ms a decision of the search")
    for seats in args.seats:
        for worlds in args.worlds:
            lineup = [PlannerSearch(worlds, threads=args.threads)] + [Planner()] * (seats - 1)
            start = time.perf_counter()
            result = play_mirrored(jo, lineup, args.deals, args.seed, rounds=args.rounds)
            # Planners cost next to nothing, and every seat decides about as often.
            ms = 1000 * (time.perf_counter() - start) * seats / result.num_decisions
            won = result.win_share()
            ahead = result.points_ahead()
            print(
                f"{seats:5}  {worlds:6}  {won.mean[0]:6.1%} ± {won.margin[0]:5.1%}"
                f"  {ahead.mean[0]:11.2f} ± {ahead.margin[0]:4.2f}  {ms:12.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
