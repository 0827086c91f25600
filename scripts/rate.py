"""Rate bots on one scale: play games among them, add those to a log, and fit the whole log anew.

    python scripts/rate.py --bots greedy planner policy:checkpoints/jo.safetensors --deals 100
    python scripts/rate.py --deals 0        # only fit what is in the log

For every deal as many bots are drawn as there are seats, and play it from every rotation of the seats. The
log is only ever added to, a line a game; running again goes on with further deals. Ratings are on the scale
of Elo with `greedy` at 1000, ± the half-width of a 95 % interval clustered by deal.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from rich.console import Console
from rich.table import Table

from agents.arena import play_games
from agents.ratings import Game, cyclic_triples, fit_ratings, read_log
from jo_env.bots import BatchBot, Bot, BotError, make_bot
from jo_env.errors import IllegalActionError, SettingsError
from jo_env.rng import stream

DEALS_AT_ONCE = 32
ALL_BOTS = (
    "random",
    "greedy",
    "planner",
    "planner-buyer",
    "planner-thrifty",
    "planner-dumper",
    "planner-hoarder",
    "policy:checkpoints/jo.safetensors",
)


def play_deals(
    bots: dict[str, Bot | BatchBot], seats: int, seed: int, first: int, num_deals: int
) -> list[Game]:
    """Deals `first` to `first + num_deals - 1` of a seed, each from all rotations of bots drawn for it."""
    names = list(bots)
    numbers = range(first, first + num_deals)
    drawn = [np.random.default_rng((seed, seats, n)).permutation(len(names))[:seats] for n in numbers]
    seating = np.array([np.roll(places, r) for places in drawn for r in range(seats)])
    deals = np.repeat(np.arange(num_deals), seats)
    seed_here = int(stream(np.uint64(stream(np.uint64(seed), seats)), first))
    points, _ = play_games(list(bots.values()), deals, seating, seed_here)
    return [
        Game(
            f"{seats} seats, seed {seed}, {first + deal}",
            tuple(names[i] for i in row),
            tuple(map(int, scores)),
        )
        for deal, row, scores in zip(deals, seating, points.sum(1), strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bots", nargs="+", default=list(ALL_BOTS), help="as in jo_env/bots.py")
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4], choices=[2, 3, 4])
    parser.add_argument("--deals", type=int, default=100, help="new ones for every number of seats")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--anchor", default="greedy")
    parser.add_argument("--log", type=Path, default=Path("runs/games.jsonl"))
    args = parser.parse_args()
    if args.deals < 0 or not 0 <= args.seed < 2**63:
        parser.error("--deals and --seed are whole numbers from 0 on")
    if args.deals > 0 and len(set(args.bots)) < max(args.seats):
        parser.error(f"{max(args.seats)} seats take as many different bots")
    console = Console()
    try:
        games = read_log(args.log) if args.log.exists() else []
        bots = {name: make_bot(name) for name in dict.fromkeys(args.bots)} if args.deals else {}
        args.log.parent.mkdir(parents=True, exist_ok=True)
        for seats in args.seats:
            done = len(
                {game.deal for game in games if game.deal.startswith(f"{seats} seats, seed {args.seed}, ")}
            )
            for first in range(done, done + args.deals, DEALS_AT_ONCE):
                num_deals = min(DEALS_AT_ONCE, done + args.deals - first)
                played = play_deals(bots, seats, args.seed, first, num_deals)
                lines = [json.dumps(asdict(game)) for game in played]
                with args.log.open("a") as log:
                    log.write("\n".join(lines) + "\n")
                games += played
                console.print(f"{seats} seats: deals to {first + num_deals}", highlight=False)
        ratings = fit_ratings(games, args.anchor)
        cyclic, triples = cyclic_triples(games)
    except KeyboardInterrupt:
        sys.exit(130)
    except (BotError, IllegalActionError, SettingsError, ValueError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    made = Table(
        caption=f"{len(games)} games; {cyclic} of {triples} triples of bots are cyclic",
        caption_justify="left",
    )
    made.add_column("bot", overflow="fold")
    for head in ("rating", "games"):
        made.add_column(head, justify="right")
    for row in ratings:
        made.add_row(row.bot, f"{row.rating:.0f} ± {row.margin:.0f}", str(row.num_games))
    console.print(made)


if __name__ == "__main__":
    main()
