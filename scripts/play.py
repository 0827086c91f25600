"""Play Jo against bots in the terminal, or let bots play.

    python scripts/play.py                                              # you against three planners
    python scripts/play.py --seats 2 --opponents greedy --rounds 1 5
    python scripts/play.py --opponents policy:bundles/jo planner        # the last one takes the rest
    python scripts/play.py --watch policy:bundles/jo --opponents planner --seed 3

Bots are those of jo_env/bots.py: a name, policy:PATH for a checkpoint or a bundle,
package.module:Class or file.py:Class. A bundle is played without torch.
"""

import argparse
import os
import random
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.terminal import Json, Person, Quit, event_text, play_game, score_sheet, with_suits
from jo_env import jo
from jo_env.bots import BotError, make_bot
from jo_env.errors import IllegalActionError, SettingsError


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seats", type=int, default=4, help="2, 3 or 4 (default 4)")
    parser.add_argument("--opponents", nargs="+", default=["planner"], metavar="BOT", help="default planner")
    parser.add_argument("--rounds", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6, 7], metavar="ROUND")
    parser.add_argument("--decks", type=int, default=2, help="packs, 2 to 4 (default 2)")
    parser.add_argument("--seed", type=int, help="of the deals (default: a new one)")
    parser.add_argument("--watch", metavar="BOT", help="this bot plays in your seat")
    return parser.parse_args()


def show(text: str) -> None:
    print(with_suits(text, sys.stdout.isatty()), flush=True)


def ask(prompt: str) -> str:
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)  # so that a piped game reads like one that was typed
    return line


def main() -> None:
    args = parse_args()
    seed = random.SystemRandom().randrange(2**32) if args.seed is None else args.seed
    try:
        if not 0 <= seed < 2**63:
            raise SettingsError(f"seed={seed}: give a whole number from 0 on, below 2**63")
        jo.new_games(1, args.seats, args.rounds, args.decks)  # a table that cannot be is refused at once
        if len(args.opponents) >= args.seats:
            raise SettingsError(f"{len(args.opponents)} opponents are too many for {args.seats} seats")
        fill = [args.opponents[-1]] * (args.seats - 1 - len(args.opponents))
        texts = [args.watch or "you", *args.opponents, *fill]
        first = make_bot(args.watch) if args.watch else Person(ask, show)
        bots = [first, *(make_bot(text) for text in texts[1:])]
        names = ["you" if text == "you" else f"{i} {text.split(':')[0]}" for i, text in enumerate(texts)]
        show(f"Jo, seed {seed}: " + ", ".join(f"player {i} is {text}" for i, text in enumerate(texts)))
        points: list[list[int]] = []
        try:
            for events, game, hand_ended in play_game(bots, seed, args.rounds, args.decks):
                if not args.watch:
                    tell(events)
                if hand_ended:
                    points = game.points[: game.num_finished, : args.seats].tolist()
                    tell_end(points[-1], args.rounds[len(points) - 1], texts)
                    if not args.watch or len(points) == len(args.rounds):
                        show("\n" + score_sheet(names, args.rounds, points) + "\n")
        except (Quit, KeyboardInterrupt):
            show("\nThe game ends here." + ("\n" + score_sheet(names, args.rounds, points) if points else ""))
    except (BotError, IllegalActionError, SettingsError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if args.watch and "torch" not in sys.modules:
        show("(played without torch)")


def tell(events: list[Json]) -> None:
    """What happened, as the person in seat 0 hears it; who passes does not matter."""
    for event in events:
        if event["event"] != "pass":
            show(f"  {event_text(event, 0)}")


def tell_end(points: list[int], current: int, texts: list[str]) -> None:
    """Who went out, or that nobody did."""
    out = [seat for seat, value in enumerate(points) if value == 0]
    who = "the hand is dead"
    if out:
        who = "you go out" if texts[out[0]] == "you" else f"player {out[0]} goes out"
    show(f"Round {current}: {who}; points {' '.join(map(str, points))}")


if __name__ == "__main__":
    main()
