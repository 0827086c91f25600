"""How fast a bundle answers: a decision and its parts, over stdio, and over HTTP under load.

The views are those of the bundle's test vectors: every phase, 2 to 4 seats, with their history. Times are p50
and p99. The load comes from this process, on the same cores as the server.

    python scripts/benchmark_serving.py checkpoints/jo
"""

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import json

import msgspec
import numpy as np

from agents.bundle import VECTORS
from agents.jo.features import features_of
from agents.serving.requests import MAX_BATCH
from agents.serving.service import load_service
from jo_env import jo

SERVE = [sys.executable, str(Path(__file__).with_name("serve.py"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("bundle", type=Path, help="the folder of a bundle")
    parser.add_argument("--repeats", type=int, default=10, help="how often each view is decided")
    parser.add_argument("--seconds", type=float, default=10.0, help="of load over HTTP, each way")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2, help="processes of the HTTP server")
    args = parser.parse_args()
    views = [json.loads(line)["view"] for line in (args.bundle / VECTORS).read_text().splitlines()]
    print(f"{len(views)} views")
    with one_core():
        decisions(args.bundle, views, args.repeats)
    over_stdio(args.bundle, views, args.repeats)
    over_http(args.bundle, views, args)


def show(name: str, seconds: list[float], unit: float = 1e6, word: str = "us", more: str = "") -> None:
    p50, p99 = np.percentile(seconds, [50, 99]) * unit
    print(f"  {name:32} p50 {p50:7.0f} {word}   p99 {p99:7.0f} {word}{more}", flush=True)


@contextmanager
def one_core() -> Iterator[None]:
    """As the processes of the service do (agents/serving/cores.py)."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def decisions(bundle: Path, views: list[dict], repeats: int) -> None:
    """One decision on one thread, and what it is made of."""
    service = load_service(bundle)
    bot = service.model.levels["expert"]
    tables = [jo.game_from_view(view) for view in views]
    looks = np.zeros((len(views), 1), jo.VIEW)
    for (games, seat), look in zip(tables, looks, strict=True):
        jo.look(games[0], seat, look[0])
    features = [features_of(look) for look in looks]
    texts = [json.dumps({"id": i, "view": view}).encode() for i, view in enumerate(views)]
    work: dict[str, Callable[[int], object]] = {
        "read the view": lambda i: jo.game_from_view(views[i]),
        "features": lambda i: features_of(looks[i]),
        "model": lambda i: bot.logits(features[i]),
        "view to move": lambda i: bot.act(views[i]),
        "JSON text to JSON text": lambda i: msgspec.json.encode(
            service.answer(msgspec.json.decode(texts[i]))
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeats):
        for i in range(len(views)):
            for name, do in work.items():  # in turn, so that a busy machine slows all of them alike
                started = time.perf_counter()
                do(i)
                times[name].append(time.perf_counter() - started)
    print("a decision, on one core")
    for name, taken in times.items():
        show(name, taken)


def over_stdio(bundle: Path, views: list[dict], repeats: int) -> None:
    """From a line written to a line read; the first one from the start of the process."""
    started = time.perf_counter()
    with subprocess.Popen(
        [*SERVE, "stdio", str(bundle)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin and server.stdout
        times = []
        for i, view in enumerate(views * repeats):
            line = json.dumps({"id": i, "view": view, "deadline_ms": 60_000}).encode() + b"\n"
            asked = time.perf_counter()
            server.stdin.write(line)
            server.stdin.flush()
            server.stdout.readline()
            now = time.perf_counter()
            times.append(now - asked)
            if i == 0:
                first = now - started
        resident = Path(f"/proc/{server.pid}/status").read_text().partition("VmRSS:")[2].split()[0]
        server.stdin.close()
    print("stdio")
    show("round trip", times[1:])
    print(f"  start to first answer {first:.2f} s, resident memory {int(resident) / 1024:.0f} MiB")


def over_http(bundle: Path, views: list[dict], args: argparse.Namespace) -> None:
    """Answers a second and how long each took, one view a request and 64 of them."""
    print(f"HTTP, {args.workers} processes, {args.connections} connections")
    requests = [{"id": i, "view": view} for i, view in enumerate(views)]
    batches = [{"requests": requests[i : i + MAX_BATCH]} for i in range(0, len(requests) - MAX_BATCH, 16)]
    with http_server(bundle, args.workers) as port:
        for path, bodies, connections in (
            ("/v1/act", requests, args.connections),
            ("/v1/act:batch", batches, args.connections // 4),
        ):
            texts = [post(path, json.dumps(body).encode()) for body in bodies]
            asyncio.run(load(port, texts, connections, 1.0))
            times = asyncio.run(load(port, texts, connections, args.seconds))
            rate = len(times) / args.seconds
            more = f"   {rate:.0f} requests a second"
            if bodies is batches:
                more += f", {rate * MAX_BATCH:.0f} decisions"
            show(path, times, 1e3, "ms", more)


@contextmanager
def http_server(bundle: Path, workers: int) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([*SERVE, "http", str(bundle), "--port", str(port), "--workers", str(workers)])
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        time.sleep(3.0)  # until every process is up
        yield port
    finally:
        server.terminate()
        server.wait()


def post(path: str, body: bytes) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    )
    return head.encode() + b"\r\n\r\n" + body


async def load(port: int, texts: list[bytes], connections: int, seconds: float) -> list[float]:
    """Seconds that each request took; every connection asks again as soon as it is answered."""
    times: list[float] = []
    end = time.perf_counter() + seconds

    async def ask(i: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while (asked := time.perf_counter()) < end:
            writer.write(texts[i % len(texts)])
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            times.append(time.perf_counter() - asked)
            i += connections
        writer.close()

    await asyncio.gather(*map(ask, range(connections)))
    return times


if __name__ == "__main__":
    main()
