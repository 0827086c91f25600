"""The table for people, as text and as a picture."""

import numpy as np
import pytest
from players import play, play_until

from jo_env import jo, jo_v0
from jo_env.jo.render import asked_text, event_text, goal_text
from jo_env.jo.state import Phase

SEATS = pytest.mark.parametrize("seats", [2, 3, 4])


def table(seats, is_reached, **settings):
    env = jo_v0.env(seats=seats, **settings)
    env.reset(seed=seats)
    return play_until(env, is_reached).unwrapped


def position(game):
    return game.phase == Phase.DRAW and game.public["down"].sum() == 1


@SEATS
def test_text_shows_the_whole_table(seats):
    env = table(seats, position, rounds=(2,))
    text = jo.table_text(env.games[0], env.events, color=False)
    symbols = str.maketrans("CDHS", "♣♦♥♠")
    snapshot = env.snapshot()
    for hand in snapshot["hands"]:
        assert [card for card in text.split() if card in {c.translate(symbols) for c in hand}]
        assert all(card.translate(symbols) in text for card in hand)
    assert f"[{snapshot['discard'][-1].translate(symbols)}]" in text
    assert f"stock {len(snapshot['stock'])}" in text
    assert "one three and one four" in text
    assert all(f"player_{seat}" in text for seat in range(seats))
    assert "│" in text
    assert f"player_{snapshot['acting']}: draw, or take the" in text
    assert "\033" not in text
    assert "\033" in jo.table_text(env.games[0], env.events)


def test_text_for_one_seat_hides_the_other_hands():
    env = table(4, position, rounds=(2,))
    for seat in range(4):
        text = jo.table_text(env.games[0], env.events, seat=seat, color=False)
        assert text.count("    hand    ") == 1
        hidden = env.games.copy()
        for other in range(4):
            if other != seat:
                hidden[0].own[other].hand[:] = 0
        hidden[0].stock[:] = 0
        assert jo.table_text(hidden[0], env.events, seat=seat, color=False) == text


@SEATS
def test_picture(seats):
    env = table(seats, position, rounds=(2,), render_mode="rgb_array")
    picture = env.render()
    assert (picture.dtype, picture.shape) == (np.uint8, (640, 960, 3))
    play(env, 1)
    assert (env.render() != picture).any()


def test_the_end():
    env = table(3, lambda game: game.phase == Phase.OVER, rounds=(1,), max_turns=40)
    game = env.games[0]
    winner = f"player_{game.scores[:3].argmin()} wins with {game.scores[:3].min()} points"
    assert asked_text(game) == winner
    text = jo.table_text(game, env.events, color=False)
    assert "Game over" in text
    assert winner in text
    assert jo.table_image(game, env.events).any()
    game.scores[:] = 30
    assert asked_text(game) == "player_0 and player_1 and player_2 share the win with 30 points"


def test_a_render_mode_is_needed():
    env = jo_v0.env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render mode"):
        assert env.render() is None


def test_every_event_has_words():
    said = set()
    for seats in (2, 3, 4):
        env = jo_v0.env(seats=seats, rounds=(2, 1), max_turns=120)
        env.reset(seed=seats)
        for _ in range(1500):
            play(env, 1)
            for event in env.unwrapped.events[-4:]:
                said.add(event["event"])
                assert event_text(event)[0].isalpha()
    assert said == {"request", "pass", "draw", "buy", "go_down", "lay_off", "discard", "recycle"}
    assert event_text({"event": "buy", "seat": 2, "card": "TH"}) == "player_2 buys the T♥"
    assert event_text({"event": "draw", "seat": 0, "from": "stock"}) == "player_0 draws"


def test_goals_in_words():
    assert goal_text(1, 2) == "one three and two fours"
    assert goal_text(0, 3) == "three fours"
