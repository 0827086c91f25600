"""The table for people, as text and as a picture."""

import numpy as np
import pytest

from jo_env import rummy_bo
from jo_env.rummy_bo.render import PLACES, asked_text, event_text
from rummy_bo.playing import Play
from rummy_bo.tables import Table, lay_out, new_game

SYMBOLS = str.maketrans("CDHS", "♣♦♥♠")


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_text_shows_the_whole_table(seats):
    hands = ["2C 5D", "4C 8D", "6H 9H", "3S TS", "QC QD", "KC KD"][:seats]
    table = lay_out(*hands, discard="JH 7S", groups=["AC AD AH", "4S 5S 6S"])
    text = rummy_bo.table_text(table.game, [], color=False)
    for card in " ".join(hands).split():
        assert card.translate(SYMBOLS) in text
    assert "RUMMY BO   Hand 1 of 5, turn 2" in text
    assert "pile J♥ [7♠]" in text and f"stock {len(table['stock'])}" in text
    assert "group  0   A♣ A♦ A♥" in text and "group  1   4♠ 5♠ 6♠" in text
    assert all(f"player_{seat}" in text for seat in range(seats))
    assert "player_0: draw, or take the 7♠ and the J♥?" in text
    assert "has melded" in text and "\033" not in text
    assert "\033" in rummy_bo.table_text(table.game, [])


def test_text_for_one_seat_hides_the_other_hands():
    table = lay_out("2C 5D", "4C 8D", "6H 9H", discard="JH 7S")
    for seat in range(3):
        text = rummy_bo.table_text(table.game, table.events, seat=seat, color=False)
        assert text.count("    hand    ") == 1
        hidden = table.games.copy()
        for other in range(3):
            if other != seat:
                hidden[0].own[other].cards = 0
        hidden[0].stock[:] = 0
        assert rummy_bo.table_text(hidden[0], table.events, seat=seat, color=False) == text


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_picture(seats):
    play = Play(1, style=1, seats=seats, seed=1)
    pictures = set()
    for _ in range(25):
        if play.games[0].phase == rummy_bo.Phase.OVER:
            break
        picture = rummy_bo.table_image(play.games[0], rummy_bo.news(play.games[0]))
        assert (picture.dtype, picture.shape) == (np.uint8, (640, 960, 3))
        pictures.add(picture.tobytes())
        play.choose()
        play.step()
        play.observe()
    assert len(pictures) > 15
    assert len(set(PLACES[seats])) == seats


def test_what_is_asked():
    assert asked_text(lay_out("2C", "3C", discard="JH").game) == "player_0 to draw"
    empty = lay_out("2C", "3C", discard="JH", rest=1)
    assert asked_text(empty.game) == "player_0: take the J♥, or turn the pile over?"
    taken = lay_out("2C 4C", "3C", discard="JH 7S").play("take two")
    assert asked_text(taken.game) == "player_0 to play, having taken the J♥ and the 7♠"
    assert asked_text(lay_out("2C 4C", "3C", phase="play").game) == "player_0 to play"


def test_the_end():
    table = lay_out("KC", "2D 3D", phase="play", num_hands=1).play("discard KC")
    assert asked_text(table.game) == "player_0 wins with 10 points"
    text = rummy_bo.table_text(table.game, [], color=False)
    assert "Game over" in text and "player_0 wins" in text
    assert rummy_bo.table_image(table.game, []).any()
    table.game.scores[:] = -3
    assert asked_text(table.game) == "player_0 and player_1 share the win with -3 points"


def test_every_event_has_words():
    said = {}
    for seed in range(4):
        play = Play(1, style=1, seats=3, seed=seed)
        for _ in range(400):
            play.choose()
            play.step()
            for event in rummy_bo.news(play.games[0]):
                said[event["event"]] = event_text(event)
            rummy_bo.deal_anew(play.games)
            play.observe()
    assert set(said) == {"draw", "turn_over", "lay", "lay_off", "discard"}
    assert all(text.startswith("player_") for text in said.values())
    assert event_text({"event": "draw", "seat": 1, "from": "stock", "count": 2}) == "player_1 draws 2"
    drawn = {"event": "draw", "seat": 1, "from": "discard", "cards": ["TH", "2C"]}
    assert event_text(drawn) == "player_1 takes T♥ 2♣"
    assert Table(new_game().games).news == []
