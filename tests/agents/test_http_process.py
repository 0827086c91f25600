"""Bundles that come and go under load, and a server that is killed, stopped or given a bad bundle."""

import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead
from pathlib import Path

import pytest
from web import PATIENCE, client, requests_of, serving

from agents.serving.bundles import BundleWatcher
from agents.serving.http import HttpSettings
from agents.serving.models import load_model
from agents.serving.processes import SharedPort
from agents.serving.service import Service, load_service

ROOT = Path(__file__).parents[2]


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
    service = load_service(place, PATIENCE)
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


def test_a_bundle_that_is_copied_file_by_file_is_taken_on_when_it_is_whole(bundles, tmp_path):
    place, refused = tmp_path / "jo", []
    put_in_place(bundles[0], place)
    service = load_service(place, PATIENCE)
    watcher = BundleWatcher(service, place, refused=lambda: refused.append(1))
    for file in sorted(bundles[1].iterdir()):
        assert not watcher.look()
        (place / file.name).write_bytes(file.read_bytes())
    assert refused and watcher.look()
    assert service.model.id == load_model(bundles[1]).id
    count = len(refused)
    (place / "model.onnx").write_bytes(b"x")
    (place / "manifest.json").write_text("{}")
    assert [watcher.look(), watcher.look()] == [False, False] and len(refused) == count + 1
    put_in_place(bundles[0], place)
    assert watcher.look() and len(service.models) == 2


# --- the process ----------------------------------------------------------------------------------


def start_process(bundle, *flags):
    """scripts/serve.py in a process of its own, when it answers: (process, port)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "scripts/serve.py",
        "http",
        str(bundle),
        "--port",
        str(port),
        "--patience",
        str(PATIENCE),
        *flags,
    ]
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
                except (OSError, IncompleteRead):  # gone in the middle: started again, asked again
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


@pytest.mark.skipif(sys.platform != "linux", reason="only there")
def test_every_process_has_a_core_of_its_own_while_it_lives():
    cores = os.sched_getaffinity(0)
    claim = "from agents.serving import processes; print(processes.stay_on_one_core(), flush=True); input()"
    command = [sys.executable, "-c", claim]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    with contextlib.ExitStack() as ends:
        first, second = (ends.enter_context(subprocess.Popen(command, **pipes)) for _ in range(2))
        found = [
            int(line) for line in (first.stdout.readline(), second.stdout.readline()) if line != "None\n"
        ]
        assert len(set(found)) == len(found) <= len(cores) and set(found) <= cores
        for process in (first, second):
            process.communicate("\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only there")
def test_connections_are_spread_over_processes():
    with SharedPort("127.0.0.1", 0) as first, pickle.loads(pickle.dumps(first)) as second:
        first.listen()
        second.listen()
        first.setblocking(False)
        second.setblocking(False)
        with contextlib.ExitStack() as ends:
            for _ in range(64):
                ends.enter_context(socket.create_connection(first.getsockname()))
            for one in (first, second):
                ends.enter_context(one.accept()[0])


def pids_of_workers(process):
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children]
    return [int(pid) for pid, line in zip(children, lines, strict=True) if b"spawn_main" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_begin_again_without_their_bundle_and_go_with_their_parent(bundles, game_views, tmp_path):
    put_in_place(bundles[0], tmp_path / "jo")
    process, port = start_process(tmp_path / "jo", "--workers", "2")
    request = requests_of(game_views)[0]
    try:
        end = time.monotonic() + 120
        while len(workers := pids_of_workers(process)) < 2:
            assert time.monotonic() < end
            time.sleep(0.05)
        (tmp_path / "jo").rename(tmp_path / "gone")
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        source = None
        while source != "heuristic":
            assert time.monotonic() < end
            with contextlib.suppress(OSError), client(port) as web:
                source = web.post("/v1/act", request)[1]["source"]
        (tmp_path / "gone").rename(tmp_path / "jo")
        while source != "model":
            assert time.monotonic() < end
            with contextlib.suppress(OSError), client(port) as web:
                source = web.post("/v1/act", request)[1]["source"]
        process.kill()
        while True:
            assert time.monotonic() < end
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                time.sleep(0.05)
            except ConnectionRefusedError:
                break  # nobody holds the port any more
    finally:
        end_process(process)
