"""A service over HTTP on a free port of this machine, and the plainest of clients for it."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from agents.serving.http import HttpSettings, create_app
from agents.serving.service import Service

PATIENT = {"deadline_ms": 60_000}  # time enough, however busy the machine is


PATIENCE = 60.0  # of the service with its model, likewise


def requests_of(views, **fields):
    levels = ("easy", "medium", "hard", "expert")
    return [
        {"id": i, "view": view, "level": levels[i % 4], "seed": i, **PATIENT, **fields}
        for i, view in enumerate(views)
    ]


class Client:
    """One connection that stays open; not for several threads at once."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        self.connection.request(method, path, body, self.headers | {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        return response.status, response.read()

    def post(self, path: str, data: Any) -> tuple[int, Any]:
        status, body = self.send("POST", path, data if isinstance(data, bytes) else json.dumps(data).encode())
        return status, json.loads(body)

    def get(self, path: str) -> tuple[int, Any]:
        status, body = self.send("GET", path)
        return status, json.loads(body)

    def close(self) -> None:
        self.connection.close()


@contextmanager
def serving(
    service: Service, bundle: Path | None = None, settings: HttpSettings | None = None
) -> Iterator[int]:
    """The port of a server that runs on a thread of this process for as long as this is open."""
    app = create_app(service, bundle, settings)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
            assert thread.is_alive(), "the server did not start"
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def client(port: int, token: str | None = None) -> Iterator[Client]:
    made = Client(port, token)
    try:
        yield made
    finally:
        made.close()
