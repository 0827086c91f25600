"""Recorded games play on as they did."""

import json

import pytest
from make import FOLDER, GAMES, actions_of, replay


@pytest.mark.parametrize("name", GAMES)
def test_a_recorded_game_plays_as_it_did(name):
    text = (FOLDER / f"{name}.txt").read_text()
    settings = json.loads(text.splitlines()[0])
    assert settings == GAMES[name]
    assert list(replay(name, settings, actions_of(text))) == text.splitlines()


JO = "request, pass, draw from=stock, draw from=discard, buy, go_down, discard, recycle"
RUMMY_BO = "draw from=stock, draw from=discard, turn_over, lay kind=set, lay kind=run, discard"


@pytest.mark.parametrize(("game", "events"), [("jo_", JO), ("rummy_bo_", RUMMY_BO)])
def test_the_recorded_games_show_every_event_and_both_ends_of_runs(game, events):
    text = "".join((FOLDER / f"{name}.txt").read_text() for name in GAMES if name.startswith(game))
    for event in (*events.split(", "), "end=low", "end=high"):
        assert f" {event}" in text, event
