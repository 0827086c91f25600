"""The service over HTTP: the same answers as in Python, its limits, and what it counts."""

import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from web import PATIENT, client, requests_of, serving

from agents import jo as jo_agents
from agents.serving.http import STATUS, HttpSettings
from agents.serving.metrics import Metrics
from agents.serving.models import Model
from agents.serving.requests import ERRORS, MAX_BATCH
from agents.serving.service import FirstLegal, Service
from jo_env.bots import BatchBot


class Slow(BatchBot):
    """Waits for `go` before it plays."""

    def __init__(self):
        self.go, self.asked = threading.Event(), threading.Event()

    def choose(self, views, masks, seeds):
        self.asked.set()
        self.go.wait(60)
        return FirstLegal().choose(views, masks, seeds)


# --- answers --------------------------------------------------------------------------------------


def test_answers_are_those_in_python(web, service, game_views):
    for request in requests_of(game_views, plan=True):
        assert web.post("/v1/act", request) == (200, service.answer(request))


def test_a_batch_is_answered_in_order(web, service, game_views):
    requests = [*requests_of(game_views), {"id": "x"}, None]
    status, made = web.post("/v1/act:batch", {"requests": requests})
    assert status == 200 and made == {"answers": [service.answer(request) for request in requests]}
    assert made["answers"][-2]["error"]["code"] == "bad_request"


@pytest.mark.parametrize(
    "path, body, code",
    [
        ("/v1/act", b"{", "bad_json"),
        ("/v1/act", b"\xff\xfe", "bad_json"),
        ("/v1/act", b"[" * 100_000, "bad_json"),
        ("/v1/act", b" " * 300_000, "too_large"),
        ("/v1/act", b"[]", "bad_request"),
        ("/v1/act", {"id": 1}, "bad_request"),
        ("/v1/act", {"id": 1, "view": {}}, "bad_view"),
        ("/v1/act", {"id": 1, "view": {}, "model": "sha256:0"}, "unknown_model"),
        ("/v1/act:batch", b"{", "bad_json"),
        ("/v1/act:batch", [], "bad_batch"),
        ("/v1/act:batch", {"requests": []}, "bad_batch"),
        ("/v1/act:batch", {"requests": [1], "more": 2}, "bad_batch"),
        ("/v1/act:batch", {"requests": [1] * (MAX_BATCH + 1)}, "too_large"),
    ],
)
def test_an_error_has_its_status(web, path, body, code):
    status, answer = web.post(path, body)
    assert (status, answer["error"]["code"]) == (STATUS[code], code)
    assert web.get("/livez")[0] == 200  # on the same connection


def test_every_error_has_a_status():
    assert STATUS.keys() == ERRORS.keys()


def test_what_the_service_says_of_itself(web, service):
    assert web.get("/v1/model") == (200, service.hello())
    assert web.get("/livez") == (200, {"live": True})
    assert web.get("/readyz") == (200, {"ready": True, "model": service.model.id})
    assert web.get("/docs".replace("docs", "openapi.json"))[1]["info"]["title"] == "Jo computer seats"


@pytest.mark.parametrize(
    "method, path, code", [("GET", "/nowhere", "not_found"), ("GET", "/v1/act", "bad_method")]
)
def test_what_is_asked_at_the_wrong_place_gets_an_error_of_the_service(web, method, path, code):
    status, body = web.send(method, path)
    assert status == STATUS[code]
    assert json.loads(body) == {"id": None, "error": {"code": code, "message": ERRORS[code], "field": None}}


def test_the_wrong_method_is_told_the_right_one(web):
    web.connection.request("GET", "/v1/act")
    response = web.connection.getresponse()
    assert response.status == 405 and response.headers["Allow"] == "POST"
    response.read()


def test_a_body_that_does_not_come_is_not_waited_for(service):
    with serving(service, settings=HttpSettings(body_seconds=0.1)) as port, client(port) as web:
        web.connection.putrequest("POST", "/v1/act")
        web.connection.putheader("Content-Length", "100")
        web.connection.endheaders(b"{")
        response = web.connection.getresponse()
        assert response.status == 408 and response.headers["Connection"] == "close"
        assert json.loads(response.read())["error"]["code"] == "timeout"
        assert web.get("/livez")[0] == 200  # on a new connection


def test_a_token_is_asked_for(service, game_views):
    request = requests_of(game_views[:1])[0]
    with serving(service, settings=HttpSettings(token="secret")) as port:
        for token in (None, "secre", "secret ", "SECRET"):
            with client(port, token) as web:
                for path in ("/v1/model", "/metrics", "/docs", "/openapi.json", "/nowhere"):
                    assert web.get(path)[1]["error"]["code"] == "unauthorized"
                status, answer = web.post("/v1/act", request)
                assert (status, answer["error"]["code"]) == (401, "unauthorized")
                assert web.get("/livez")[0] == 200 and web.get("/readyz")[0] == 200
        with client(port, "secret") as web:
            assert web.post("/v1/act", request) == (200, service.answer(request))
            assert web.send("GET", "/metrics")[0] == web.send("GET", "/docs")[0] == 200


def test_a_service_without_its_model_is_not_ready_and_answers(game_views):
    with serving(Service(Model(jo_agents, {"expert": FirstLegal()}))) as port, client(port) as web:
        assert web.get("/readyz") == (503, {"ready": False, "model": None})
        status, answer = web.post("/v1/act", {"id": 1, "view": game_views[0], **PATIENT})
        assert status == 200 and answer["degraded"]


def test_too_many_requests_are_refused_and_the_others_answered(game_views):
    slow = Slow()
    service = Service(Model(jo_agents, {"expert": slow}, "sha256:0"))
    request = {"id": 1, "view": game_views[0], **PATIENT}
    with serving(service, settings=HttpSettings(most_waiting=2)) as port, ThreadPoolExecutor(3) as pool:

        def ask(_):
            with client(port) as web:
                return web.post("/v1/act", request)

        first = pool.submit(ask, 0)
        assert slow.asked.wait(60)
        with client(port) as web:
            status, answer = web.post("/v1/act:batch", {"requests": [request] * 3})
            assert (status, answer["error"]["code"]) == (503, "busy")
        rest = [pool.submit(ask, i) for i in (1, 2)]
        slow.go.set()
        assert [done.result()[0] for done in (first, *rest)] == [200] * 3


# --- what is counted ------------------------------------------------------------------------------


def test_metrics_and_the_log_tell_all_but_the_cards(service, game_views, caplog):
    caplog.set_level(logging.INFO, "jo.requests")
    requests = requests_of(game_views[:6])
    with serving(service) as port, client(port) as web:
        web.post("/v1/act:batch", {"requests": requests})
        web.post("/v1/act", {"id": 1, "view": {}})
        web.post("/v1/act", b"{")
        page = web.send("GET", "/metrics")[1].decode()
    for line in (
        'jo_answers_total{source="model"} 6.0',
        'jo_errors_total{code="bad_view"} 1.0',
        'jo_errors_total{code="bad_json"} 1.0',
        "jo_degraded_total 0.0",
        "jo_request_seconds_count 8.0",
        "jo_batch_size_count 2.0",
        f'jo_model{{id="{service.model.id}"}} 1.0',
    ):
        assert line in page.splitlines(), page
    lines = [json.loads(record.message) for record in caplog.records if record.name == "jo.requests"]
    assert [line["code"] for line in lines] == ["ok"] * 6 + ["bad_view", "bad_json"]
    for line, request in zip(lines, requests, strict=False):
        assert line["id"] == request["id"] and line["phase"] == request["view"]["phase"]
        assert not set(json.dumps(line).replace('"', " ").split()) & set(request["view"]["hand"])


def test_the_log_is_json_whatever_the_id(service, game_views, caplog):
    caplog.set_level(logging.INFO, "jo.requests")
    with serving(service) as port, client(port) as web:
        assert (
            web.post("/v1/act", {"id": "\N{GRINNING FACE}" * 200, "view": game_views[0]} | PATIENT)[0] == 200
        )
    (record,) = (record for record in caplog.records if record.name == "jo.requests")
    assert json.loads(record.message)["code"] == "ok"


def test_one_bundle_at_a_time_is_marked_as_the_one_that_answers():
    metrics = Metrics()
    for model in ("a", "b", "a"):
        metrics.answers_now(model)
    page = metrics.page().decode()
    assert 'jo_model{id="a"} 1.0' in page and 'jo_model{id="b"} 0.0' in page


def test_a_client_that_hangs_up_is_forgotten(service, caplog):
    with serving(service) as port:
        with client(port) as web:
            web.connection.putrequest("POST", "/v1/act")
            web.connection.putheader("Content-Length", "100")
            web.connection.endheaders(b"{")
        with client(port) as web:
            assert web.get("/livez")[0] == 200
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
