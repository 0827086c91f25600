"""The examples of docs/rummy_bo/protocol.md are read, and the pages say what the code does."""

import json
import re
from pathlib import Path

import pytest

from jo_env import rummy_bo
from jo_env.rummy_bo.notation import parse_group
from jo_env.rummy_bo.state import DEALT, MAX_GROUPS, MAX_HAND, MAX_HANDS
from rummy_bo.tables import Table, lay_out, new_game

DOCS = Path(__file__).parents[2] / "docs" / "rummy_bo"
PROTOCOL = (DOCS / "protocol.md").read_text()


def example(kind: str) -> str:
    (text,) = re.findall(rf"```json{kind}\n(.*?)```", PROTOCOL, re.DOTALL)
    return text


def test_the_group_is_one():
    assert parse_group(json.loads(example("")), "group").length == 4


def test_the_view_is_read_and_written_as_it_stands():
    view = json.loads(example(" view"))
    games, seat = rummy_bo.game_from_view(view)
    assert rummy_bo.view_json(games[0], seat, view["events"]) == view
    table = Table(games)
    assert table.lays() == {"4H 5H 6H"}
    assert table.discards() == set(view["hand"]) - {"6H", "QS"}


def test_every_field_of_a_view_and_a_snapshot_is_explained():
    explained = set()
    for row in re.findall(r"^\| (`.*?) \|", PROTOCOL, re.MULTILINE):
        explained |= set(re.findall(r"`(\w+)`", row))
    table = new_game()
    assert explained | {"protocol", "game"} == set(table.view(0)) | set(table.snapshot())


@pytest.mark.parametrize("text", example(" move").splitlines())
def test_the_moves_are_read(text):
    table = lay_out("6D JS", "3C", phase="play", groups=["JC JD JH", "7D 8D 9D"])
    move = json.loads(text)
    actions = rummy_bo.move_actions(table.game, move)
    assert rummy_bo.actions_move(table.game, actions) == move


def test_the_events_are_read():
    events = json.loads(example(" events"))
    table = lay_out(
        "2C 2S", "3C", "4C 7D", groups=["9C 9D 9H 9S", "3H 4H 5H 6H"], discard="QC 5C", phase="draw"
    )
    assert rummy_bo.restore({**table.snapshot(), "events": []})[1] == []
    told = [event for event in events if event.get("cards") != ["QC", "7D"]]
    assert rummy_bo.restore({**table.snapshot(), "events": told})[1] == told
    whole = [*events, {"event": "discard", "seat": 2, "card": "QC"}]
    assert rummy_bo.restore({**table.snapshot(), "events": whole})[1] == whole
    assert {event["event"] for event in events} == {"draw", "turn_over", "lay", "lay_off", "discard"}


def test_the_rules_page_has_the_numbers_of_the_code():
    page = " ".join((DOCS / "rules.md").read_text().split())
    dealt = f"dealt {DEALT[2]} cards, with three or four {DEALT[3]}, with five or six {DEALT[6]}"
    assert dealt in page
    assert (DEALT[4], DEALT[5]) == (DEALT[3], DEALT[6])
    assert f"at most {MAX_HAND} cards" in page and f"no more than {MAX_GROUPS} groups" in page
    assert MAX_HANDS == 20 and "twenty at most" in page
