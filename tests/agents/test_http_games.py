"""Whole games over HTTP against a server that knows nothing of them, and bodies that no game would send."""

import copy
import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rules_book import LiveTable, play_out
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web import PATIENCE, PATIENT, client, requests_of, serving

from agents import jo as jo_agents
from agents.serving.batcher import MAX_BATCH
from agents.serving.http import create_app
from agents.serving.models import Model
from agents.serving.service import FirstLegal, Service, load_service, play
from jo_env import jo

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def shipped():
    """The port of a server with the policy that ships."""
    with serving(load_service(ROOT / "checkpoints" / "jo", PATIENCE)) as port:
        yield port


def decide_with(web, levels, seed):
    """Every seat a computer of its own level; fails unless the model itself has answered."""

    def decide(view):
        request = {"id": 1, "view": view, "level": levels[view["seat"]], "seed": seed, **PATIENT}
        status, answer = web.post("/v1/act", request)
        assert status == 200 and answer["source"] == "model", answer
        return answer["move"]

    return decide


def test_a_whole_game_of_four_levels_over_http(shipped):
    table = LiveTable(4, seed=3)
    with client(shipped) as web:
        num_moves = play_out(table, decide_with(web, ("easy", "medium", "hard", "expert"), 3))
    assert len(table.points) == 7 and num_moves > 500
    assert all(min(row) == 0 for row in table.points)  # every hand was gone out of


def test_200_games_at_once(shipped):
    levels = ("expert", "hard", "medium", "easy")
    tables = [LiveTable(2 + seed % 3, seed, rounds=(1 + seed % 3,)) for seed in range(200)]

    def play(seed):
        with client(shipped) as web:
            return play_out(tables[seed], decide_with(web, levels, seed))

    with ThreadPoolExecutor(200) as pool:
        num_moves = list(pool.map(play, range(200)))
    assert all(len(table.points) == 1 and table.acting is None for table in tables)
    with client(shipped) as web:  # as a game alone: others at the same time change nothing
        for seed in (0, 100, 199):
            again = LiveTable(2 + seed % 3, seed, rounds=(1 + seed % 3,))
            assert play_out(again, decide_with(web, levels, seed)) == num_moves[seed]
            assert again.points == tables[seed].points


def test_an_untrained_bot_takes_its_games_to_the_end():
    """The rules book by itself, with the first legal move in every seat."""
    bot = FirstLegal()
    table = LiveTable(3, seed=1, rounds=(7,))
    assert play_out(table, lambda view: bot.move_for(view, 0)) > 100
    assert np.sum(table.points) > 0


# --- bodies that no game would send ---------------------------------------------------------------

OPENAPI = schemathesis.openapi.from_dict(
    create_app(Service(Model(jo_agents, {"expert": FirstLegal()}))).openapi()
)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@OPENAPI.parametrize()
@settings(max_examples=100, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
def test_what_the_openapi_page_allows_and_forbids(port, case):
    case.call_and_validate(base_url=f"http://127.0.0.1:{port}", checks=CHECKS)


def places(data, path=()):
    """The paths of all values in JSON data, its own first."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


JUNK = [None, True, -1, 0, 3, 7, 200, 2**70, 1.5, "", "AC", "XX", [], {}, "0" * 999]


def mutated(request, luck):
    """A request with one to three values replaced, taken out, doubled, or swapped with another's."""
    made = copy.deepcopy(request)
    for _ in range(luck.randint(1, 3)):
        *path, key = luck.choice(list(places(made["view"]))[1:])
        parent = made["view"]
        for step in path:
            parent = parent[step]
        other = luck.choice(list(places(request["view"])))
        value = request["view"]
        for step in other:
            value = value[step]
        change = luck.randrange(5)
        if change == 0:
            parent[key] = luck.choice(JUNK)
        elif change == 1:
            del parent[key]
        elif change == 2:
            parent[key] = copy.deepcopy(value)
        elif change == 3 and isinstance(parent[key], int):
            parent[key] += luck.choice([-1, 1])
        elif isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
    return made


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_views_of_real_games_with_something_wrong(port, game_views, seed):
    luck = random.Random(seed)
    requests = [mutated(luck.choice(requests_of(game_views, plan=True)), luck) for _ in range(MAX_BATCH)]
    with client(port) as web:
        status, made = web.post("/v1/act:batch", {"requests": requests})
    assert status == 200 and len(made["answers"]) == MAX_BATCH
    for request, answer in zip(requests, made["answers"], strict=True):
        if "error" in answer:
            assert answer["error"]["code"] != "internal"
            continue
        games, _ = jo.game_from_view(request["view"])
        for move in answer["plan"]:
            play(jo, games, move)


@settings(max_examples=300)
@given(st.binary(max_size=200) | st.integers(0, 2**32))
def test_bodies_that_are_hardly_json(port, game_views, data):
    if isinstance(data, int):  # a real body with some bytes lost or changed
        luck = random.Random(data)
        body = bytearray(json.dumps(luck.choice(requests_of(game_views))).encode())
        for _ in range(luck.randint(1, 4)):
            place = luck.randrange(len(body))
            body[place : place + luck.randrange(3)] = luck.randbytes(luck.randrange(3))
        data = bytes(body)
    with client(port) as web:
        status, answer = web.post("/v1/act", data)
    assert status < 500 and ("move" in answer) == (status == 200)
