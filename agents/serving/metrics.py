"""What is counted for Prometheus, and the line that is logged for every request."""

import json
import logging
import os
from typing import TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from jo_env.fields import Json

log = logging.getLogger("jo.requests")
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
BATCHES = (1, 2, 4, 8, 16, 32, 64)
SHOWN = ("seats", "round", "phase")  # of a view: nothing that a seat alone may know
MAX_LOGGED = 64  # characters of a value


def log_requests(stream: TextIO) -> None:
    """From now on a line of JSON for every request, and nothing else on it."""
    log.addHandler(logging.StreamHandler(stream))
    log.setLevel(logging.INFO)
    log.propagate = False


class Metrics:
    """The counters of one process; several processes share a folder, PROMETHEUS_MULTIPROC_DIR."""

    def __init__(self) -> None:
        self.registry = here = CollectorRegistry()
        self.seconds = Histogram(
            "jo_request_seconds", "From a request to its answer", buckets=SECONDS, registry=here
        )
        self.answers = Counter("jo_answers", "Moves answered, by their source", ["source"], registry=here)
        self.degraded = Counter("jo_degraded", "Moves that are not the model's", registry=here)
        self.errors = Counter("jo_errors", "Errors answered, by their code", ["code"], registry=here)
        self.batches = Histogram("jo_batch_size", "Requests in a batch", buckets=BATCHES, registry=here)
        self.refused = Counter("jo_bundles_refused", "Bundles that were not taken on", registry=here)
        self.model = Gauge(
            "jo_model", "1 for the bundle that answers", ["id"], registry=here, multiprocess_mode="livemax"
        )
        self._answers = ""  # the id of the bundle that answers

    def answers_now(self, model: str) -> None:
        """Mark the bundle that answers, by its id, and no other."""
        if self._answers not in ("", model):
            self.model.labels(self._answers).set(0)
        self.model.labels(model).set(1)
        self._answers = model

    def answered(self, request: object, answer: Json, seconds: float) -> None:
        """Count an answer and log it, without the cards of the view."""
        self.seconds.observe(seconds)
        error = answer.get("error")
        if error:
            self.errors.labels(error["code"]).inc()
        else:
            self.answers.labels(answer["source"]).inc()
            if answer["degraded"]:
                self.degraded.inc()
        if log.isEnabledFor(logging.INFO):
            view = request.get("view") if isinstance(request, dict) else None
            seen = view if isinstance(view, dict) else {}
            line = {
                "id": _short(answer["id"]),
                "ms": round(1000 * seconds, 3),
                "code": error["code"] if error else "ok",
                "field": error["field"] if error else None,
                "source": answer.get("source"),
                "model": answer.get("model"),
                "move": None if error else answer["move"]["type"],
                **{key: _short(seen.get(key)) for key in SHOWN},
            }
            log.info(json.dumps(line))

    def page(self) -> bytes:
        """All counters in Prometheus' text form."""
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self.registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        return generate_latest(registry)


def _short(value: object) -> object:
    """A value for the log: a text or number, no longer than it need be."""
    if isinstance(value, str):
        return value[:MAX_LOGGED]
    return value if isinstance(value, int) and abs(value) < 2**63 else None
