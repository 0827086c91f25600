"""The service: whole games, the same answer every time, clear errors, and an answer whatever happens."""

import copy
import io
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from test_heuristics import redeal_hidden
from web import PATIENCE

from agents import jo as jo_agents
from agents.bundle import BundleBot
from agents.jo.heuristics import Greedy, Planner
from agents.jo.pace import WHILE_OTHERS_MAY_BUY
from agents.serving.guard import Guard
from agents.serving.models import Model
from agents.serving.requests import ERRORS
from agents.serving.service import FirstLegal, Service, play, warm_up
from agents.serving.stdio import MAX_LINE, serve_stdio
from jo_env import jo
from jo_env.bots import BatchBot

ROOT = Path(__file__).parents[2]
SEED = np.zeros(1, np.uint64)


class Shaky(BatchBot):
    """Plays as greedy does, or does what `fault` says."""

    fault = None

    def choose(self, views, masks, seeds):
        if self.fault:
            return self.fault(views, masks)
        return Greedy().choose(views, masks, seeds)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def make_service(bot=None, heuristic=None, guard=None, **settings) -> Service:
    models = {"easy": FirstLegal(), "expert": bot or Greedy()}
    model = Model(jo_agents, models, "sha256:0", guard or Guard(PATIENCE))
    return Service(model, heuristic or Planner(), **settings)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compile before the first answer is waited for: that takes longer than any deadline."""
    warm_up(Service(Model(jo_agents, {"expert": Greedy()})))


def ask(service, view, **fields):
    """An answer for which there is time, however busy the machine is."""
    return service.answer({"id": 7, "view": view, "deadline_ms": 60_000} | fields)


def tables(seats=4, seed=1):
    """The table and its events at every decision of a game that greedy plays, one move at a time."""
    games = jo.new_games(1, seats=seats, rounds=(2, 5))
    jo.start(games, np.array([seed], np.uint64), np.array([0]))
    events = []
    while games[0].phase != jo.Phase.OVER:
        yield games, events
        news = []
        move = Greedy().moves(jo, games.copy(), SEED)[0]
        ended = np.zeros(1, np.int8)
        for action in jo.move_actions(games[0], move):
            jo.step(games, np.array([action], np.int32), ended)
            news += jo.news(games[0])
        events = [] if ended[0] else events + news


def views(seats=4, seed=1):
    return [jo.view_json(games[0], int(games[0].acting), events) for games, events in tables(seats, seed)]


@pytest.fixture(scope="module")
def game_views():
    return views()


def of_phase(views, phase):
    return next(view for view in views if view["phase"] == phase and view["turns"] > 3)


# --- moves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4])
def test_every_move_of_a_game_is_the_models_and_legal(seats):
    service = make_service()
    for games, events in tables(seats):
        view = jo.view_json(games[0], int(games[0].acting), events)
        answer = ask(service, json.loads(json.dumps(view)))
        assert answer["move"] == Greedy().act(view)
        assert (answer["id"], answer["source"], answer["degraded"]) == (7, "model", False)
        play(jo, games.copy(), answer["move"])


def test_a_plan_is_what_the_moves_would_be_one_by_one():
    service, longest = make_service(), 0
    plan = []
    for games, events in tables():
        view = jo.view_json(games[0], int(games[0].acting), events)
        answer = ask(service, view, plan=True)
        assert answer["plan"][0] == answer["move"]
        if view["phase"] != "play":
            assert len(answer["plan"]) == 1
            plan = []
            continue
        if plan:
            assert answer["plan"] == plan
        plan = answer["plan"][1:]
        longest = max(longest, len(answer["plan"]))
    assert longest > 2


def test_an_answer_follows_from_view_level_and_seed_alone(game_views):
    one, other = make_service(), make_service()
    requests = [
        {"id": i, "view": view, "level": level, "seed": i, "deadline_ms": 60_000}
        for i, view in enumerate(game_views[::5])
        for level in ("easy", "expert")
    ]
    first = [one.answer(request) for request in requests]
    again = [other.answer(copy.deepcopy(request)) for request in reversed(requests)]
    assert first == again[::-1]
    assert any(a["move"] != b["move"] for a, b in zip(first[::2], first[1::2], strict=True))


def test_hidden_cards_change_nothing():
    service, rng, changed = make_service(Planner()), np.random.default_rng(0), 0
    for games, events in tables():
        seat = int(games[0].acting)
        other = games.copy()
        redeal_hidden(other[0], rng)
        changed += other.tobytes() != games.tobytes()
        one, same = (
            ask(service, jo.view_json(table[0], seat, events), plan=True) for table in (games, other)
        )
        assert one == same
    assert changed > 100


def test_a_saved_game_goes_on_as_if_it_had_not_been_interrupted():
    service, phases = make_service(Planner()), set()
    for games, events in tables(3):
        saved = json.loads(json.dumps(jo.snapshot(games[0], events)))
        again, told = jo.restore(saved)
        seat = int(games[0].acting)
        phases.add(saved["phase"])
        view, resumed = jo.view_json(games[0], seat, events), jo.view_json(again[0], seat, told)
        assert ask(service, resumed, plan=True) == ask(service, view, plan=True)
    assert phases == {"buy", "draw", "play"}


def test_a_batch_has_the_answers_of_its_requests_alone(game_views):
    service = make_service(Planner())
    batch = [
        {"id": i, "view": view, "level": level, "seed": i, "plan": i % 3 == 0, "deadline_ms": 60_000}
        for i, view in enumerate(game_views[::3])
        for level in ("easy", "expert")
    ]
    batch[5:5] = [None, {"id": "x", "view": {}}, batch[0] | {"rejected": [service.answer(batch[0])["move"]]}]
    assert service.answer_all(batch) == [service.answer(request) for request in batch]
    assert service.answer_all([]) == []


def test_the_last_two_models_may_be_asked(game_views):
    service, first = make_service(), make_service().model
    view = of_phase(game_views, "play")
    for number in (1, 2):
        service.replace(Model(jo_agents, {"expert": FirstLegal()}, f"sha256:{number}"))
        assert ask(service, view)["move"] == FirstLegal().act(view)
        assert ask(service, view)["model"] == f"sha256:{number}" == service.hello()["model"]
        before = ask(service, view, model=f"sha256:{number - 1}")
        assert before["model"] == f"sha256:{number - 1}"
        assert (before["move"] == Greedy().act(view)) == (number == 1)
    assert ask(service, view, model=first.id)["error"]["code"] == "unknown_model"
    assert service.hello()["models"] == ["sha256:2", "sha256:1"]


def test_the_pause_is_longer_while_others_may_buy(game_views):
    service = make_service()
    view = of_phase(game_views, "draw")
    assert ask(service, view)["think_ms"] > WHILE_OTHERS_MAY_BUY
    alone = {**view, "buys_used": [3] * 4, "requests": [], "events": []}
    assert ask(service, alone)["think_ms"] < WHILE_OTHERS_MAY_BUY


def test_a_rejected_move_is_not_answered_again(game_views):
    service, view = make_service(), of_phase(game_views, "play")
    rejected, sources = [], set()
    while "move" in (answer := ask(service, view, rejected=rejected)):
        assert answer["move"] not in rejected
        rejected.append(answer["move"])
        sources.add(answer["source"])
    assert answer["error"]["code"] == "no_move" and len(rejected) >= len(set(view["hand"])) - 1
    assert ask(service, view, rejected=["junk"])["source"] == "model"


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, code, field",
    [
        ({"id": None}, "bad_request", "id"),
        ({"id": "x" * 201}, "bad_request", "id"),
        ({"level": "grandmaster"}, "bad_request", "level"),
        ({"level": []}, "bad_request", "level"),
        ({"seed": -1}, "bad_request", "seed"),
        ({"seed": 2**64}, "bad_request", "seed"),
        ({"deadline_ms": 0}, "bad_request", "deadline_ms"),
        ({"deadline_ms": True}, "bad_request", "deadline_ms"),
        ({"rejected": {}}, "bad_request", "rejected"),
        ({"plan": 1}, "bad_request", "plan"),
        ({"colour": "red"}, "bad_request", "colour"),
        ({"view": None}, "bad_view", None),
        ({"hand": ["7S"]}, "bad_view", "hand"),
        ({"discard": ["AC"] * 20}, "bad_view", "cards"),
        ({"stock_size": 3}, "bad_view", "stock_size"),
        ({"seat": 9}, "bad_view", "seat"),
        ({"rules": {"decks": 1000}}, "bad_view", "rules.decks"),
        ({"rules": {"max_turns": 0}}, "bad_view", "rules.max_turns"),
        ({"rounds": [1] * 1000}, "bad_view", "rounds"),
        ({"scores": ["x" * 10_000] * 4}, "bad_view", "scores[0]"),
    ],
)
def test_an_error_names_the_field(game_views, change, code, field):
    request = {"id": 1, "view": dict(of_phase(game_views, "draw"))}
    for key, value in change.items():
        (request["view"] if key in request["view"] else request)[key] = value
    answer = make_service().answer(request)
    assert (answer["error"]["code"], answer["error"]["field"]) == (code, field)
    assert code in ERRORS and len(answer["error"]["message"]) <= 400


def test_a_game_that_is_over_has_no_move():
    for games, _ in tables():
        last = games.copy()
    while last[0].phase != jo.Phase.OVER:
        play(jo, last, Greedy().moves(jo, last.copy(), SEED)[0])
    view = jo.view_json(last[0], 0, [])
    assert ask(make_service(), view)["error"]["code"] == "game_over"


@pytest.mark.parametrize("junk", [None, 7, [], "view", {}])
def test_junk_gets_an_error(junk):
    assert make_service().answer(junk)["error"]["code"] == "bad_request"


# --- faults ---------------------------------------------------------------------------------------


def raise_error(views, masks):
    raise MemoryError("no room")


def choose_illegal(views, masks):
    return np.full(len(views), int(np.flatnonzero(masks[0] == 0)[0]), np.int32)


def no_logits(views, masks):
    bot = object.__new__(BundleBot)
    bot.logits = lambda features: np.full((len(features), jo.NUM_ACTIONS), np.nan, np.float32)
    return bot.choose(views, masks, np.zeros(1, np.uint64))


@pytest.mark.parametrize("fault", [raise_error, choose_illegal, no_logits])
def test_the_heuristic_stands_in_for_a_model_that_fails_until_it_has_recovered(game_views, fault):
    bot, clock = Shaky(), Clock()
    service = make_service(bot, clock=clock, guard=Guard(PATIENCE, cooldown=5, clock=clock))
    view = of_phase(game_views, "play")
    bot.fault = fault
    answer = ask(service, view)
    assert (answer["source"], answer["degraded"]) == ("heuristic", True)
    assert answer["move"] == Planner().act(view)
    bot.fault = None
    assert ask(service, view)["source"] == "heuristic"  # the breaker is open
    clock.now += 6
    answer = ask(service, view)
    assert (answer["source"], answer["degraded"]) == ("model", False)
    assert ask(service, view)["source"] == "model"


def test_a_model_that_hangs_is_not_waited_for(game_views):
    bot, clock, released, calls = Shaky(), Clock(), threading.Event(), []
    service = make_service(bot, clock=clock, guard=Guard(patience=0.2, cooldown=5, clock=clock))
    view = of_phase(game_views, "play")

    def hang(views, masks):
        calls.append(1)
        clock.now += 0.3
        released.wait()
        return choose_illegal(views, masks)

    bot.fault = hang
    assert ask(service, view, deadline_ms=500)["source"] == "heuristic" and service.model.guard.is_open
    clock.now += 6
    assert ask(service, view)["source"] == "heuristic" and len(calls) == 1  # the thread still hangs
    bot.fault = None
    released.set()
    while (source := ask(service, view)["source"]) != "model":
        assert source == "heuristic"
        time.sleep(0.01)
        clock.now += 6
    assert not service.model.guard.is_open


def test_a_request_with_much_time_does_not_take_it_from_others(game_views):
    bot, released = Shaky(), threading.Event()
    service = make_service(bot, guard=Guard(patience=0.2))
    bot.fault = lambda views, masks: released.wait() and choose_illegal(views, masks)
    started = time.monotonic()
    batch = [{"id": i, "view": game_views[0], "deadline_ms": ms} for i, ms in enumerate((60_000, 5000, 400))]
    answers = service.answer_all(batch)
    released.set()
    assert [answer["source"] for answer in answers] == ["heuristic"] * 3
    assert time.monotonic() - started < 5


def test_models_that_come_back_are_kept(game_views):
    a, b, c = (Model(jo_agents, {"expert": Greedy()}, f"sha256:{name}") for name in "abc")
    service = Service(a)
    for model, kept in ((b, (b, a)), (b, (b, a)), (a, (a, b)), (c, (c, a))):
        service.replace(model)
        assert service.models == kept


def test_without_a_heuristic_the_first_legal_move_is_played(game_views):
    service = make_service(Shaky(), heuristic=Shaky())
    service.model.levels["expert"].fault = service.heuristic.fault = raise_error
    answer = ask(service, of_phase(game_views, "play"))
    assert (answer["source"], answer["degraded"]) == ("first_legal", True)
    assert answer["move"] == FirstLegal().act(of_phase(game_views, "play"))


def test_without_a_model_every_answer_is_degraded(game_views):
    answer = ask(Service(Model(jo_agents, {"expert": Planner()})), game_views[0])
    assert (answer["source"], answer["degraded"], answer["model"]) == ("heuristic", True, None)


# --- stdio ----------------------------------------------------------------------------------------


def talk(text: bytes) -> list:
    out = io.BytesIO()
    serve_stdio(make_service(), io.BytesIO(text), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_every_line_is_answered_until_stop(game_views):
    request = json.dumps({"id": "a", "view": game_views[0], "deadline_ms": 60_000}).encode()
    hello, ping, dance, stop = (
        json.dumps({"id": i, "command": command}).encode()
        for i, command in enumerate(("hello", "ping", "dance", "stop"), start=1)
    )
    lines = [hello, b"", request, b"{", ping, dance, b"9" * 3 * MAX_LINE, stop, request]
    answers = talk(b"\n".join(lines))
    assert [answer["id"] for answer in answers] == [1, "a", None, 2, 3, None, 4]
    assert answers[0]["levels"] == ["easy", "expert"] and answers[0]["errors"] == ERRORS
    assert answers[1] == make_service().answer(json.loads(request))
    codes = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert codes == ["bad_json", "bad_request", "too_large"]
    assert answers[3]["pong"] and answers[-1]["stopped"]


def test_the_end_of_the_input_ends_it(game_views):
    request = json.dumps({"id": 5, "view": game_views[0]}).encode()
    assert [answer["id"] for answer in talk(request + b"\n" + request)] == [5, 5]
    assert talk(b"") == []


def test_asked_to_stop_it_ends_quietly():
    with subprocess.Popen(
        [sys.executable, "scripts/serve.py", "stdio"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    ) as process:  # fmt: skip
        process.stdin.write(b'{"id": 1, "command": "ping"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"id": 1, "pong": True}
        process.terminate()
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == process.stderr.read() == b""


def test_nobody_reads_the_answers(game_views):
    line = json.dumps({"id": 1, "command": "ping"}).encode() + b"\n"
    with subprocess.Popen(
        [sys.executable, "scripts/serve.py", "stdio"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    ) as process:  # fmt: skip
        process.stdin.write(line)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(line * 3)
        process.stdin.close()
        assert process.stderr.read() == b"" and process.wait() == 0


def test_the_script_writes_nothing_but_answers(game_views):
    lines = [
        {"id": 1, "command": "hello"},
        {"id": 2, "view": game_views[0], "deadline_ms": 60_000},
        {"id": 3, "command": "stop"},
    ]
    done = subprocess.run(
        [sys.executable, "scripts/serve.py", "stdio"],
        input="\n".join(map(json.dumps, lines)), capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    hello, answer, stopped = map(json.loads, done.stdout.splitlines())
    assert hello["model"] is None and stopped == {"id": 3, "stopped": True}
    assert answer["move"] == Planner().act(game_views[0])
