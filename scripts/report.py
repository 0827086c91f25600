"""One HTML page of evaluations and ratings.

    python scripts/report.py runs/2-seats.json runs/4-seats.json --log runs/games.jsonl --out report.html

Takes what scripts/evaluate.py wrote, and with --log the games that scripts/rate.py played.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.files import write_atomically
from agents.page import page
from agents.ratings import fit_ratings, read_log


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("evaluations", type=Path, nargs="*", help="files that scripts/evaluate.py wrote")
    parser.add_argument("--log", type=Path, help="games that scripts/rate.py played")
    parser.add_argument("--anchor", default="greedy")
    parser.add_argument("--title", default="How strong the bots are")
    parser.add_argument("--out", type=Path, default=Path("runs/report.html"))
    args = parser.parse_args()
    if not args.evaluations and args.log is None:
        parser.error("give evaluations, --log, or both")
    try:
        evaluations = [json.loads(path.read_text()) for path in args.evaluations]
        ratings = fit_ratings(read_log(args.log), args.anchor) if args.log else []
        made = page(evaluations, ratings, args.title)
        write_atomically(args.out, lambda temporary: temporary.write_text(made))
    except KeyError as error:
        sys.exit(f"an evaluation lacks {error}: was it written by another version of scripts/evaluate.py?")
    except (ValueError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    print(f"written to {args.out}")


if __name__ == "__main__":
    main()
