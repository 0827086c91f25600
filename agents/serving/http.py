"""Requests over HTTP: the same answers as in Python, with limits and counters around them.

`POST /v1/act` and `POST /v1/act:batch`, `GET /v1/model`, `/livez`, `/readyz` and `/metrics`; docs/serving.md.
"""

import hmac
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.requests import ClientDisconnect

from agents.bundle import BundleError
from agents.schema import ref
from agents.serving import processes
from agents.serving.batcher import MAX_BATCH, Batcher, BusyError
from agents.serving.bundles import BundleWatcher
from agents.serving.metrics import Metrics, log_requests
from agents.serving.requests import ERRORS
from agents.serving.schemas import schemas
from agents.serving.service import Service, error_answer, load_service
from jo_env import __version__
from jo_env.fields import Json

MAX_BODY = 256 * 1024  # bytes of one request; a batch may have 64 times as many
STATUS = {
    "bad_json": 400,
    "unauthorized": 401,
    "unknown_model": 404,
    "game_over": 409,
    "no_move": 409,
    "too_large": 413,
    "bad_request": 422,
    "bad_batch": 422,
    "bad_view": 422,
    "internal": 500,
    "busy": 503,
}


@dataclass(frozen=True)
class HttpSettings:
    """Limits of the way in by HTTP, and the token that it may ask for."""

    token: str | None = None
    most_waiting: int = 256
    max_body: int = MAX_BODY
    watch_seconds: float = 1.0  # between two looks at the bundle's folder


class RefusedError(Exception):
    """What is refused as a whole; `code` is one of `ERRORS`."""

    def __init__(self, code: str) -> None:
        super().__init__(ERRORS[code])
        self.code = code


def create_app(service: Service, bundle: Path | None = None, settings: HttpSettings | None = None) -> FastAPI:
    """The application around a service; a bundle that is replaced in its folder is taken on."""
    limits = settings or HttpSettings()
    metrics = Metrics()
    batcher = Batcher(service.answer_all, service.clock, limits.most_waiting, metrics.batches.observe)
    watcher = BundleWatcher(service, bundle, limits.watch_seconds, metrics.refused.inc) if bundle else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if watcher:
            watcher.start()
        yield
        if watcher:
            watcher.stop()

    app = FastAPI(title="Jo computer seats", version=__version__, lifespan=lifespan, redoc_url=None)

    @app.exception_handler(RefusedError)
    async def refuse(http: Request, error: RefusedError) -> Response:
        answer = error_answer(None, error.code, str(error))
        metrics.answered(None, answer, 0.0)
        return reply(answer, STATUS[error.code])

    @app.exception_handler(ClientDisconnect)
    async def forget(http: Request, error: ClientDisconnect) -> Response:
        return Response(status_code=400)  # nobody is there to read it

    async def answers_to(requests: list[Any]) -> list[Json]:
        started = service.clock()
        try:
            answers = await batcher.answer(requests)
        except BusyError:
            raise RefusedError("busy") from None
        for data, answer in zip(requests, answers, strict=True):
            metrics.answered(data, answer, service.clock() - started)
        return answers

    @app.post("/v1/act", openapi_extra=described("Request", "Answer"))
    async def act(http: Request) -> Response:
        """The move of the seat that a view asks."""
        check_token(http, limits.token)
        answer = (await answers_to([await read_body(http, limits.max_body)]))[0]
        return reply(answer, STATUS[answer["error"]["code"]] if "error" in answer else 200)

    @app.post("/v1/act:batch", openapi_extra=described("Batch", "BatchAnswer"))
    async def act_batch(http: Request) -> Response:
        """Up to 64 requests at once; each has its own answer or error, in the same order."""
        check_token(http, limits.token)
        requests = read_batch(await read_body(http, MAX_BATCH * limits.max_body))
        return reply({"answers": await answers_to(requests)})

    @app.get("/v1/model")
    async def model(http: Request) -> Response:
        """The bundles that may be asked, the levels, and what the error codes mean."""
        check_token(http, limits.token)
        return reply(service.hello())

    @app.get("/livez")
    async def livez() -> Response:
        """The process answers."""
        return reply({"live": True})

    @app.get("/readyz")
    async def readyz() -> Response:
        """Whether the model answers, as it should; where it does not, the heuristic does."""
        is_ready = service.model.id is not None and not service.model.guard.is_open
        return reply({"ready": is_ready, "model": service.model.id}, 200 if is_ready else 503)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def page() -> Response:
        """Counters for Prometheus."""
        metrics.answers_now(service.model.id or "none")
        return Response(metrics.page(), media_type="text/plain; version=0.0.4")

    build = app.openapi

    def openapi() -> Json:
        made = build()
        made.setdefault("components", {})["schemas"] = schemas(service.game)
        return made

    app.openapi = openapi  # type: ignore[method-assign]
    return app


def check_token(http: Request, token: str | None) -> None:
    """Raise `RefusedError` for a request without the token, in the same time whatever it has instead."""
    given = http.headers.get("authorization", "").encode()
    if token is not None and not hmac.compare_digest(given, f"Bearer {token}".encode()):
        raise RefusedError("unauthorized")


async def read_body(http: Request, most: int) -> Any:
    """The JSON of a body of at most `most` bytes; raises `RefusedError`."""
    body = bytearray()
    async for chunk in http.stream():
        body += chunk
        if len(body) > most:
            raise RefusedError("too_large")
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise RefusedError("bad_json") from None


def read_batch(data: Any) -> list[Any]:
    """The requests of a batch; raises `RefusedError`."""
    requests = data.get("requests") if isinstance(data, dict) else None
    if not isinstance(requests, list) or not requests or len(data) > 1:
        raise RefusedError("bad_batch")
    if len(requests) > MAX_BATCH:
        raise RefusedError("too_large")
    return requests


def reply(data: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(data), status, media_type="application/json")


def described(request: str, answer: str) -> dict[str, Any]:
    """What a route takes and gives, for the OpenAPI page."""

    def body(name: str) -> Json:
        return {"content": {"application/json": {"schema": ref(name)}}}

    errors = {
        str(status): {"description": "an error", **body("Error")} for status in sorted({*STATUS.values()})
    }
    return {
        "requestBody": {"required": True, **body(request)},
        "responses": {"200": {"description": "an answer", **body(answer)}, **errors},
    }


def app_of_process() -> FastAPI:
    """The application of a worker process, set up by scripts/serve.py in the environment.

    A worker that begins while the bundle is not as it must be plays as the heuristic until it is.
    """
    if os.environ.get(processes.WORKERS) != "1":
        processes.end_with_parent()
    processes.stay_on_one_core()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")  # to stderr
    if os.environ.get(processes.LOG_REQUESTS):
        log_requests(sys.stderr)
    bundle, game, patience = (
        os.environ.get(processes.BUNDLE),
        os.environ[processes.GAME],
        float(os.environ[processes.PATIENCE]),
    )
    settings = HttpSettings(os.environ.get(processes.TOKEN) or None, int(os.environ[processes.MOST_WAITING]))
    try:
        service = load_service(bundle, patience, game)
    except BundleError as error:
        logging.getLogger(__name__).error("the heuristic answers until there is a bundle: %s", error)
        service = load_service(None, patience, game)
    return create_app(service, Path(bundle) if bundle else None, settings)
