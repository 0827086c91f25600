"""Requests over HTTP: the same answers as in Python, with limits and counters around them.

`POST /v1/act` and `POST /v1/act:batch`, `GET /v1/model`, `/livez`, `/readyz` and `/metrics`; docs/serving.md.
"""

import asyncio
import hmac
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from agents.bundle import BundleError
from agents.schema import ref
from agents.serving import processes
from agents.serving.batcher import Batcher, BusyError
from agents.serving.bundles import BundleWatcher
from agents.serving.metrics import Metrics, log_requests
from agents.serving.requests import ERRORS, MAX_BATCH
from agents.serving.schemas import schemas
from agents.serving.service import Service, error_answer, load_service
from jo_env import __version__
from jo_env.fields import Json

MAX_BODY = 256 * 1024  # bytes of one request; a batch may have 64 times as many
OPEN = ("/livez", "/readyz")  # without a token
STATUS = {
    "bad_json": 400,
    "unauthorized": 401,
    "not_found": 404,
    "unknown_model": 404,
    "bad_method": 405,
    "timeout": 408,
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
    body_seconds: float = 10.0  # in which a body must have arrived
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

    def refusal(code: str, headers: Mapping[str, str] | None = None) -> Response:
        answer = error_answer(None, code, ERRORS[code])
        metrics.answered(None, answer, 0.0)
        if code == "timeout":  # the rest of the body must not be taken for the next request
            headers = {"Connection": "close"}
        return reply(answer, STATUS[code], headers)

    app = FastAPI(title="Jo computer seats", version=__version__, lifespan=lifespan, redoc_url=None)
    app.router.route_class = Route
    if limits.token is not None:
        app.add_middleware(TokenCheck, limits.token, refusal)

    @app.exception_handler(RefusedError)
    async def refuse(http: Request, error: RefusedError) -> Response:
        return refusal(error.code)

    @app.exception_handler(404)
    @app.exception_handler(405)
    async def misdirected(http: Request, error: HTTPException) -> Response:
        return refusal("not_found" if error.status_code == 404 else "bad_method", error.headers)

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
        answer = (await answers_to([await read_body(http, limits.max_body, limits.body_seconds)]))[0]
        return reply(answer, STATUS[answer["error"]["code"]] if "error" in answer else 200)

    @app.post("/v1/act:batch", openapi_extra=described("Batch", "BatchAnswer"))
    async def act_batch(http: Request) -> Response:
        """Up to 64 requests at once; each has its own answer or error, in the same order."""
        requests = read_batch(await read_body(http, MAX_BATCH * limits.max_body, limits.body_seconds))
        return reply({"answers": await answers_to(requests)})

    @app.get("/v1/model")
    async def model(http: Request) -> Response:
        """The bundles that may be asked, the levels, and what the error codes mean."""
        return reply(service.hello())

    @app.get("/livez")
    async def livez(http: Request) -> Response:
        """The process answers."""
        return reply({"live": True})

    @app.get("/readyz")
    async def readyz(http: Request) -> Response:
        """Whether the model answers, as it should; where it does not, the heuristic does."""
        is_ready = service.model.id is not None and not service.model.guard.is_open
        return reply({"ready": is_ready, "model": service.model.id}, 200 if is_ready else 503)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def page(http: Request) -> Response:
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


class Route(APIRoute):
    """A route whose function takes the request as it is, with nothing of it to be read or checked before."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        return self.endpoint


class TokenCheck:
    """Refuses requests without the token, in the same time whatever they have instead; probes need none."""

    def __init__(self, app: ASGIApp, token: str, refusal: Callable[[str], Response]) -> None:
        self.app = app
        self.wanted = f"Bearer {token}".encode()
        self.refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN:
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self.wanted):
                await self.refusal("unauthorized")(scope, receive, send)
                return
        await self.app(scope, receive, send)


async def read_body(http: Request, most: int, seconds: float) -> Any:
    """The JSON of a body of at most `most` bytes within `seconds`; raises `RefusedError`."""
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in http.stream():
                body += chunk
                if len(body) > most:
                    raise RefusedError("too_large")
        return msgspec.json.decode(body)
    except TimeoutError:
        raise RefusedError("timeout") from None
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


def reply(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(data), status, headers, media_type="application/json")


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
