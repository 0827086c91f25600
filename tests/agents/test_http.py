"""The service over HTTP: the same answers as in Python, its limits, and whole games against it."""

import json
import logging
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from rules_book import LiveTable, play_out
from tiny import tiny_checkpoint
from web import client, serving

from agents import export
from agents.export import export_policy, sample_views
from agents.serving.batcher import MAX_BATCH
from agents.serving.http import STATUS, HttpSettings
from agents.serving.models import Model, load_model
from agents.serving.requests import ERRORS
from agents.serving.service import FirstLegal, Service, load_service
from jo_env.bots import BatchBot

ROOT = Path(__file__).parents[2]
PATIENT = {"deadline_ms": 60_000}  # time enough, however busy the machine is


@pytest.fixture(scope="module")
def game_views():
    return sample_views()[::5]


@pytest.fixture(scope="module")
def bundles(game_views, tmp_path_factory):
    """Bundles of three policies with random weights; not to be changed."""
    folder = tmp_path_factory.mktemp("bundles")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "sample_views", lambda: game_views)
        for seed in (1, 2, 3):
            export_policy(tiny_checkpoint(folder / "net.safetensors", seed), folder / str(seed))
    return [folder / str(seed) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def service(bundles):
    return load_service(bundles[0])


@pytest.fixture(scope="module")
def port(service):
    with serving(service) as port:
        yield port


@pytest.fixture
def web(port):
    with client(port) as web:
        yield web


def requests_of(views, **fields):
    levels = ("easy", "medium", "hard", "expert")
    return [
        {"id": i, "view": view, "level": levels[i % 4], "seed": i, **PATIENT, **fields}
        for i, view in enumerate(views)
    ]


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
    assert web.send("GET", "/nowhere")[0] == 404 and web.send("GET", "/v1/act")[0] == 405


def test_a_token_is_asked_for(service, game_views):
    request = requests_of(game_views[:1])[0]
    with serving(service, settings=HttpSettings(token="secret")) as port:
        for token in (None, "secre", "secret ", "SECRET"):
            with client(port, token) as web:
                for status, answer in (web.post("/v1/act", request), web.get("/v1/model")):
                    assert (status, answer["error"]["code"]) == (401, "unauthorized")
                assert web.get("/livez")[0] == 200 and web.get("/readyz")[0] == 200
        with client(port, "secret") as web:
            assert web.post("/v1/act", request) == (200, service.answer(request))


def test_a_service_without_its_model_is_not_ready_and_answers(game_views):
    with serving(Service(Model({"expert": FirstLegal()}))) as port, client(port) as web:
        assert web.get("/readyz") == (503, {"ready": False, "model": None})
        status, answer = web.post("/v1/act", {"id": 1, "view": game_views[0], **PATIENT})
        assert status == 200 and answer["degraded"]


def test_too_many_requests_are_refused_and_the_others_answered(game_views):
    slow = Slow()
    service = Service(Model({"expert": slow}, "sha256:0"))
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


# --- bundles come and go --------------------------------------------------------------------------


def put_in_place(bundle, place):
    """As a release does: the new bundle beside the old one, then two renames."""
    new, old = place.with_name("new"), place.with_name("old")
    new.mkdir()
    for file in bundle.iterdir():
        (new / file.name).write_bytes(file.read_bytes())
    if place.exists():
        place.rename(old)
    new.rename(place)
    if old.exists():
        for file in old.iterdir():
            file.unlink()
        old.rmdir()


def test_a_bundle_is_replaced_under_load_and_a_bad_one_refused(bundles, game_views, tmp_path):
    place = tmp_path / "jo"
    put_in_place(bundles[0], place)
    service = load_service(place)
    requests = requests_of(game_views)
    models = [load_model(bundle) for bundle in bundles]
    wanted = {model.id: [Service(model).answer(request) for request in requests] for model in models}
    seen, stop = [], threading.Event()
    with serving(service, place, HttpSettings(watch_seconds=0.05)) as port, client(port) as web:

        def ask(first):
            with client(port) as other:
                i = first
                while not stop.is_set():
                    i = (i + 1) % len(requests)
                    seen.append((i, other.post("/v1/act", requests[i])))

        def wait_until(condition):
            end = time.monotonic() + 60
            while not condition():
                assert time.monotonic() < end
                time.sleep(0.01)

        def page():
            return web.send("GET", "/metrics")[1].decode()

        with ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(ask, first) for first in range(4)]
            try:
                for model, bundle in zip(models[1:], bundles[1:], strict=True):
                    put_in_place(bundle, place)
                    wait_until(lambda model=model: web.get("/v1/model")[1]["model"] == model.id)
                    (place / "model.onnx").unlink()  # what is loaded needs no file any more
                    count = len(seen)
                    wait_until(lambda count=count: len(seen) > count + 20)
                (place / "manifest.json").write_text("{}")
                wait_until(lambda: "jo_bundles_refused_total 1.0" in page())
                count = len(seen)
                wait_until(lambda: len(seen) > count + 20)
            finally:
                stop.set()
            for one in asking:
                one.result()
        assert web.get("/v1/model")[1]["models"] == [models[2].id, models[1].id]
        pinned = web.post("/v1/act", requests[0] | {"model": models[1].id})[1]
        assert pinned == wanted[models[1].id][0]
        assert web.post("/v1/act", requests[0] | {"model": models[0].id})[0] == 404
    for i, (status, answer) in seen:
        assert status == 200 and answer == wanted[answer["model"]][i]
    assert {answer["model"] for _, (_, answer) in seen} == {model.id for model in models}


# --- the process ----------------------------------------------------------------------------------


def start_process(bundle, *flags):
    """scripts/serve.py in a process of its own, when it answers: (process, port)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "scripts/serve.py", "http", str(bundle), "--port", str(port), *flags]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    end = time.monotonic() + 120
    while True:
        try:
            with client(port) as web:
                assert web.get("/readyz")[0] == 200
            return process, port
        except OSError:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < end
            time.sleep(0.05)


def end_process(process):
    process.kill()
    process.communicate()


def test_killed_in_the_middle_and_started_again_no_answer_is_wrong(bundles, service, game_views):
    process, port = start_process(bundles[0])
    requests = requests_of(game_views) * (1000 // len(game_views) + 1)
    wanted = {i: service.answer(request) for i, request in enumerate(requests[: len(game_views)])}
    killed = 0
    try:
        for number, request in enumerate(requests[:1000]):
            if number == 500:
                threading.Timer(0.01, process.kill).start()
            while True:
                try:
                    with client(port) as web:
                        status, answer = web.post("/v1/act", request)
                    break
                except OSError:  # gone in the middle: started again, asked again
                    killed += 1
                    end_process(process)
                    process, port = start_process(bundles[0])
            assert status == 200 and answer == wanted[request["id"]]
    finally:
        end_process(process)
    assert killed == 1


def test_asked_to_stop_it_answers_first(bundles, game_views):
    process, port = start_process(bundles[0], "--log-requests")
    try:
        with client(port) as web:
            body = json.dumps({"requests": requests_of(game_views)}).encode()
            web.connection.putrequest("POST", "/v1/act:batch")
            web.connection.putheader("Content-Length", str(len(body)))
            web.connection.endheaders(body[:-1])  # the server waits for the rest
            time.sleep(0.2)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            web.connection.send(body[-1:])
            response = web.connection.getresponse()
            assert response.status == 200
            assert len(json.loads(response.read())["answers"]) == len(game_views)
        errors = process.communicate(timeout=60)[1].decode()
    finally:
        end_process(process)
    assert process.returncode == 0, errors
    assert errors.count('"code": "ok"') == len(game_views) and "Traceback" not in errors


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_bad_bundle_is_refused_before_anything_is_opened(way, bundles, tmp_path):
    put_in_place(bundles[0], tmp_path / "jo")
    model = tmp_path / "jo" / "model.onnx"
    model.write_bytes(model.read_bytes()[:-1] + b"x")
    command = [sys.executable, "scripts/serve.py", way, str(tmp_path / "jo")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"BundleError: {model}: sha256 is") and "Traceback" not in done.stderr


# --- whole games ----------------------------------------------------------------------------------


def decide_with(web, levels, seed):
    """Every seat a computer of its own level; fails unless the model itself has answered."""

    def decide(view):
        request = {"id": 1, "view": view, "level": levels[view["seat"]], "seed": seed, **PATIENT}
        status, answer = web.post("/v1/act", request)
        assert status == 200 and answer["source"] == "model", answer
        return answer["move"]

    return decide


def test_a_whole_game_of_four_levels_over_http(web):
    table = LiveTable(4, seed=3)
    num_moves = play_out(table, decide_with(web, ("easy", "medium", "hard", "expert"), 3))
    assert len(table.points) == 7 and num_moves > 500
    assert all(min(row) == 0 for row in table.points)  # every hand was gone out of


def test_200_games_at_once(port):
    levels = ("expert", "hard", "medium", "easy")
    tables = [LiveTable(2 + seed % 3, seed, rounds=(1 + seed % 7,)) for seed in range(200)]

    def play(seed):
        with client(port) as web:
            return play_out(tables[seed], decide_with(web, levels, seed))

    with ThreadPoolExecutor(200) as pool:
        num_moves = list(pool.map(play, range(200)))
    assert all(len(table.points) == 1 and table.acting is None for table in tables)
    with client(port) as web:  # as a game alone: others at the same time change nothing
        for seed in (0, 100, 199):
            again = LiveTable(2 + seed % 3, seed, rounds=(1 + seed % 7,))
            assert play_out(again, decide_with(web, levels, seed)) == num_moves[seed]
            assert again.points == tables[seed].points


def test_an_untrained_bot_takes_its_games_to_the_end():
    """The rules book by itself, with the first legal move in every seat."""
    bot = FirstLegal()
    table = LiveTable(3, seed=1, rounds=(7,))
    assert play_out(table, lambda view: bot.move_for(view, 0)) > 100
    assert np.sum(table.points) > 0
