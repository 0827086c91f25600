"""Answer what computer seats do: a view in, a move out (docs/serving.md).

python scripts/serve.py stdio bundles/jo     # JSON lines; without a bundle the planner answers
"""

import argparse
import logging
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.bundle import BundleError
from agents.serving.service import load_service
from agents.serving.stdio import serve_stdio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("way", choices=["stdio"], help="how requests come in")
    parser.add_argument("bundle", type=Path, nargs="?", help="the folder of a bundle")
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    # Nothing but answers goes to stdout: whatever else is written there goes to stderr.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        service = load_service(args.bundle)
    except BundleError as error:
        sys.exit(f"BundleError: {error}")
    serve_stdio(service, sys.stdin.buffer, out)


if __name__ == "__main__":
    main()
