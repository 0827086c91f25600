"""Tune the planner's weights for one seat count by an evolution strategy over mirrored play.

Every generation plays mirrored pairs of weight vectors around the present ones (one seat against the
opponent in the rest, all on the same deals) and moves along the correlation of points with weights.
The table that it prints is the mean over the second half of the generations.

    python scripts/tune_planner.py --seats 4 --opponent greedy --generations 60
"""

import argparse

import numpy as np

from agents.arena import play_games
from agents.jo.heuristics import Planner
from agents.jo.heuristics.planner import WEIGHTS, default_weights
from jo_env import jo
from jo_env.bots import BOTS, make_bot

# The spread of each weight: about as much as its size, for those near 0 what makes a difference.
SPREADS = {
    "hope": 2.0,
    "hope_four": 1.4,
    "hope_decay": 0.2,
    "hope_least": 1.4,
    "hope_down": 1.0,
    "hope_down_card": 0.35,
    "slack": 0.14,
    "points": 0.14,
    "points_four": 0.07,
    "points_down": 0.28,
    "points_left": 0.14,
    "keep_fit": 0.02,
    "keep_layable": 0.02,
    "keep_near": 0.08,
    "keep_use": 0.06,
    "card_worth": 1.4,
    "take_nearer": 0.02,
    "take_wide": 0.02,
    "buy_cost": 0.01,
    "buy_cost_down": 0.02,
    "buy_wide": 0.7,
    "leftover_cost": 0.007,
    "feed": 0.008,
    "feed_known": 0.2,
    "feed_unwanted": 0.2,
    "feed_buyers": 0.2,
    "feed_late": 0.6,
    "feed_down": 0.07,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seats", type=int, default=4, choices=[2, 3, 4])
    parser.add_argument("--opponent", default="greedy", choices=BOTS)
    parser.add_argument("--generations", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=12, help="weight vectors a generation, twice")
    parser.add_argument("--deals", type=int, default=16, help="a generation, each in every rotation")
    parser.add_argument("--step", type=float, default=0.6, help="in spreads, for a full correlation")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    names = list(WEIGHTS.names or ())
    spreads = np.array([SPREADS[name] for name in names])
    row = args.seats - 2
    table = default_weights()
    mean = np.array([table[row][name] for name in names])
    opponent = make_bot(args.opponent)
    means = []
    for generation in range(args.generations):
        half = rng.standard_normal((args.pairs, len(names)))
        noise = np.concatenate([half, -half])
        gains = evaluate(
            mean + spreads * noise, row, opponent, args.deals, args.seed + 1000 * (generation + 1)
        )
        standard = (gains - gains.mean()) / gains.std()
        mean = mean + args.step * spreads * (standard @ noise) / len(noise)
        means.append(mean)
        print(f"generation {generation}: {gains.mean():6.2f} points a hand ahead", flush=True)
        if (generation + 1) % 10 == 0:
            best = np.mean(means[len(means) // 2 :], 0)
            print(",".join(f"{name}={value:.4g}" for name, value in zip(names, best, strict=True)))


def evaluate(candidates: np.ndarray, row: int, opponent, num_deals: int, seed: int) -> np.ndarray:
    """Points a hand by which each candidate (float64[N, weights]) is ahead of the others' mean."""
    bots: list = [opponent]
    for candidate in candidates:
        table = default_weights()
        for name, value in zip(WEIGHTS.names or (), candidate, strict=True):
            table[row][name] = value
        bots.append(Planner(table))
    seats = row + 2
    per_candidate = num_deals * seats
    places = np.tile(np.arange(seats), num_deals * len(candidates))
    seating = np.zeros((len(places), seats), np.int64)
    seating[np.arange(len(places)), places] = 1 + np.arange(len(places)) // per_candidate
    deals = np.tile(np.repeat(np.arange(num_deals), seats), len(candidates))
    points, _ = play_games(jo, bots, deals, seating, seed, batch=4096)
    totals = points.mean(1)
    own = totals[np.arange(len(places)), places]
    ahead = (totals.sum(1) - own) / (seats - 1) - own
    return ahead.reshape(len(candidates), per_candidate).mean(1)


if __name__ == "__main__":
    main()
