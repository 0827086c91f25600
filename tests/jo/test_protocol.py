"""The examples of docs/protocol.md are read, and the pages say what the code does."""

import json
import re
from pathlib import Path

import pytest
from tables import Table, lay_out, new_game

from jo_env import jo
from jo_env.jo.goals import CARDS_DEALT, FOURS, THREES
from jo_env.jo.notation import parse_group

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOL = (DOCS / "protocol.md").read_text()


def example(kind: str) -> str:
    (text,) = re.findall(rf"```json{kind}\n(.*?)```", PROTOCOL, re.DOTALL)
    return text


def test_the_group_is_one():
    assert parse_group(json.loads(example("")), "group").length == 4


def test_the_view_is_read_and_written_as_it_stands():
    view = json.loads(example(" view"))
    games, seat = jo.game_from_view(view)
    assert jo.view_json(games[0], seat, []) == view
    assert Table(games).legal() == [0, 1]


def test_every_field_of_a_view_and_a_snapshot_is_explained():
    explained = set()
    for row in re.findall(r"^\| (`.*?) \|", PROTOCOL, re.MULTILINE):
        explained |= set(re.findall(r"`(\w+)`", row))
    assert explained | {"protocol", "game"} >= set(new_game().view(0)) | set(new_game().snapshot())


def test_a_go_down_begun_lies_on_the_table_for_all_to_see_but_is_told_when_whole():
    table = lay_out("7C 7D 7H KC KD KS 2S", "3C 4C", round=1, phase="play")
    for action, is_down, told in ((table.lays()[0], False, []), (None, True, ["go_down"])):
        table.step(table.lays()[0] if action is None else action)
        views = [table.view(seat) for seat in range(2)]
        num_groups = 2 if is_down else 1
        for view in views:
            assert [len(row) for row in view["groups"]] == [num_groups, 0]
            assert view["hand_sizes"] == [7 - 3 * num_groups, 2]
            assert view["down"] == [is_down, False]
            assert [event["event"] for event in view["events"]] == told
        assert table["acting"] == 0


@pytest.mark.parametrize("text", example(" move").splitlines())
def test_the_moves_are_read(text):
    groups = {0: ["AC AD AS", "7H 8H 9H TH"]}
    table = lay_out("6H AH", "3C", round=2, phase="play", groups=groups)
    move = json.loads(text)
    actions = jo.move_actions(table.game, move)
    if move["type"] != "lay_off" or "end" in move or move["group"] == 0:
        assert jo.actions_move(table.game, actions) == move


def test_the_events_are_read():
    events = json.loads(example(" events"))
    table = lay_out("2C", "3C", "4C 5C", round=2, groups={0: ["AC AD AS", "7H 8H 9H TH"]}, discard="2S")
    assert jo.restore({**table.snapshot(), "events": events})[1] == events
    assert {event["event"] for event in events} == {
        "request", "pass", "draw", "buy", "discard", "go_down", "lay_off", "recycle",
    }  # fmt: skip


def test_the_rules_page_has_the_seven_rounds_of_the_code():
    rows = re.findall(
        r"^\| (\d) \| (\d|–) \| (\d|–) \| (\d+) \|$", (DOCS / "rules.md").read_text(), re.MULTILINE
    )
    found = [[0 if cell == "–" else int(cell) for cell in row] for row in rows]
    assert found == [[r, THREES[r], FOURS[r], CARDS_DEALT[r]] for r in range(1, 8)]
