"""Play against bots in the terminal, or let bots play.

    python scripts/play.py                                              # you against three planners
    python scripts/play.py --seats 2 --opponents greedy --rounds 1 5
    python scripts/play.py --opponents policy:checkpoints/jo planner    # the last one takes the rest
    python scripts/play.py --watch policy:checkpoints/jo --opponents planner --seed 3

Bots are those of jo_env/bots.py: a name, policy:PATH for a checkpoint or a bundle,
package.module:Class or file.py:Class. A bundle is played without torch.
"""

import argparse
import os
import random
import sys
from pathlib import Path
from types import ModuleType

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.games import load_words
from agents.terminal import Person, Quit, play_game, score_sheet, with_suits
from jo_env.bots import BotError, make_bot
from jo_env.errors import IllegalActionError, SettingsError
from jo_env.fields import Json
from jo_env.rooms import ROOMS, load_room


def parse_args() -> tuple[argparse.Namespace, ModuleType]:
    """What was asked for, and the words of the game."""
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--game", default="jo", choices=list(ROOMS))
    game = first.parse_known_args()[0].game
    parser = argparse.ArgumentParser(
        description=__doc__, parents=[first], formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seats", type=int, default=4, help="default 4")
    parser.add_argument("--opponents", nargs="+", default=["planner"], metavar="BOT", help="default planner")
    parser.add_argument("--seed", type=int, help="of the deals (default: a new one)")
    parser.add_argument("--watch", metavar="BOT", help="this bot plays in your seat")
    words = load_words(game)
    words.add_settings(parser)
    return parser.parse_args(), words


def show(text: str) -> None:
    print(with_suits(text, sys.stdout.isatty()), flush=True)


def ask(prompt: str) -> str:
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)  # so that a piped game reads like one that was typed
    return line


def main() -> None:
    args, words = parse_args()
    room, settings = load_room(args.game), words.settings_of(args)
    seed = random.SystemRandom().randrange(2**32) if args.seed is None else args.seed
    try:
        if not 0 <= seed < 2**63:
            raise SettingsError(f"seed={seed}: give a whole number from 0 on, below 2**63")
        room.new_games(1, seats=args.seats, **settings)  # a table that cannot be is refused at once
        if len(args.opponents) >= args.seats:
            raise SettingsError(f"{len(args.opponents)} opponents are too many for {args.seats} seats")
        fill = [args.opponents[-1]] * (args.seats - 1 - len(args.opponents))
        texts = [args.watch or "you", *args.opponents, *fill]
        first = make_bot(args.watch, args.game) if args.watch else Person(words, ask, show)
        bots = [first, *(make_bot(text, args.game) for text in texts[1:])]
        names = ["you" if text == "you" else f"{i} {text.split(':')[0]}" for i, text in enumerate(texts)]
        seats = ["you" if text == "you" else f"player {i}" for i, text in enumerate(texts)]
        titles = words.hand_titles(settings)
        show(f"{words.TITLE}, seed {seed}: " + ", ".join(f"player {i} is {t}" for i, t in enumerate(texts)))
        points: list[list[int]] = []
        try:
            for events, game, hand_ended in play_game(room, bots, seed, **settings):
                if not args.watch:
                    tell(words, events)
                if hand_ended:
                    points = game.points[: game.num_finished, : args.seats].tolist()
                    show(words.end_text(titles[len(points) - 1], points[-1], seats))
                    if not args.watch or len(points) == len(titles):
                        show("\n" + score_sheet(names, titles, points, room.POINT_WORTH) + "\n")
        except (Quit, KeyboardInterrupt):
            sheet = "\n" + score_sheet(names, titles, points, room.POINT_WORTH) if points else ""
            show(f"\nThe game ends here.{sheet}")
    except (BotError, IllegalActionError, SettingsError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if args.watch and "torch" not in sys.modules:
        show("(played without torch)")


def tell(words: ModuleType, events: list[Json]) -> None:
    """What happened, as the person in seat 0 hears it; who passes does not matter."""
    for event in events:
        if event["event"] != "pass":
            show(f"  {words.event_text(event, 0)}")


if __name__ == "__main__":
    main()
