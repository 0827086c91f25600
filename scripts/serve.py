"""Answer what computer seats do: a view in, a move out (docs/serving.md).

    python scripts/serve.py stdio bundles/jo              # JSON lines
    python scripts/serve.py http bundles/jo --port 8000   # HTTP, with /docs, /metrics, /livez and /readyz

Without a bundle the planner answers. JO_TOKEN in the environment is the token that HTTP asks for.
"""

import argparse
import logging
import os
import signal
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.bundle import BundleError
from agents.serving import processes
from agents.serving.guard import PATIENCE
from agents.serving.models import load_model
from agents.serving.requests import MAX_BATCH
from jo_env.rooms import ROOMS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("way", choices=["stdio", "http"], help="how requests come in")
    parser.add_argument("bundle", type=Path, nargs="?", help="a bundle, folder or .zip")
    parser.add_argument(
        "--game", default="jo", choices=list(ROOMS), help="without a bundle: its planner plays"
    )
    parser.add_argument("--host", default="127.0.0.1", help="of HTTP (default: this machine alone)")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=1, help="processes of HTTP, one a core")
    parser.add_argument("--most-waiting", type=int, default=256, help="requests of a process before 503")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds that a model may take")
    parser.add_argument("--log-requests", action="store_true", help="a line of JSON for each, to stderr")
    args = parser.parse_args()
    if args.most_waiting < MAX_BATCH:
        parser.error(f"--most-waiting {args.most_waiting}: give {MAX_BATCH} or more, for a whole batch")
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    try:
        if args.way == "stdio":
            stdio(args)
        else:
            load_model(args.bundle, game=args.game)  # a bad one is refused before anything is opened
            http(args)
    except BundleError as error:
        sys.exit(f"BundleError: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def stdio(args: argparse.Namespace) -> None:
    from agents.serving.service import load_service
    from agents.serving.stdio import serve_stdio

    processes.stay_on_one_core()
    # Nothing but answers goes to stdout: whatever else is written there goes to stderr.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve_stdio(load_service(args.bundle, args.patience, args.game), sys.stdin.buffer, out)


def http(args: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as counters:
        if args.workers > 1:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = counters  # before anything imports prometheus_client
        import uvicorn

        # uvicorn sends itself the signal once more when it has ended.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        os.environ[processes.GAME] = args.game
        os.environ[processes.MOST_WAITING] = str(args.most_waiting)
        os.environ[processes.LOG_REQUESTS] = "1" * args.log_requests
        os.environ[processes.BUNDLE] = str(args.bundle or "")
        os.environ[processes.PATIENCE] = str(args.patience)
        os.environ[processes.WORKERS] = str(args.workers)
        config = uvicorn.Config(
            "agents.serving.http:app_of_process",
            factory=True,
            host=args.host,
            port=args.port,
            workers=args.workers,
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=10,
        )
        if args.workers == 1:
            server = uvicorn.Server(config)
            server.run()
            sys.exit(0 if server.started else 1)
        from uvicorn.supervisors import Multiprocess

        port = config.bind_socket()  # says where the port is taken
        if sys.platform == "linux":
            port.close()
            port = processes.SharedPort(args.host, args.port)
        Multiprocess(config, sockets=[port]).run()


if __name__ == "__main__":
    main()
