"""The engine against the slow plain oracle, and nothing hidden shown: on decisions of all kinds of play.

`test_million.py` checks what holds of every table; here the tables are compared one by one.
"""

from collections import Counter
from random import Random

import numpy as np
import pytest

from jo_env import rummy_bo
from jo_env.errors import TableError
from jo_env.rummy_bo.actions import DISCARD, LAY_OFF, LAY_OFF_HIGH, LAY_OFF_LOW, LAY_RUN, LAY_SET
from rummy_bo import oracle
from rummy_bo.playing import Play
from rummy_bo.tables import PACK, RANKS, Table, group, lay_out

ENDS = ("set", "low", "high")
QUOTA = 8  # decisions of one kind compared with the oracle


def kind_of(view: np.record, mask: np.ndarray) -> str:
    """What makes a decision worth comparing: the rare kinds are what the quota is for."""
    if view.phase == rummy_bo.Phase.DRAW:
        return f"draw, stock {min(view.stock_size, 3)}, pile {min(view.discard_size, 2)}"
    blocks = {"set": (LAY_SET, LAY_RUN), "run": (LAY_RUN, LAY_OFF), "on set": (LAY_OFF, LAY_OFF_LOW),
              "low": (LAY_OFF_LOW, LAY_OFF_HIGH), "high": (LAY_OFF_HIGH, DISCARD)}  # fmt: skip
    may = [name for name, (first, end) in blocks.items() if mask[first:end].any()]
    few = ", few cards" if view.seats[0].hand_size < 4 else ""
    begun = ", laid" * bool(view.laid) + ", laid off" * bool(view.laid_off)
    return f"{'taken, ' if view.taken else ''}{' '.join(may)}{begun}{few}"


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_masks_are_the_oracles_and_steps_make_the_oracles_tables(seats):
    """Real play: every kind of decision up to its quota, and for each of them the step that followed."""
    counts: Counter[str] = Counter()
    play = Play(24, seats=seats, seed=100, hands=3, max_turns=150)
    for _ in range(1500):
        play.choose()
        chosen = []
        for i in range(24):
            kind = kind_of(play.views[i], play.masks[i])
            if counts[kind] < QUOTA:
                counts[kind] += 1
                before = rummy_bo.snapshot(play.games[i], [])
                legal = {int(action) for action in np.flatnonzero(play.masks[i])}
                assert legal == oracle.legal_actions(before), before
                chosen.append((i, before, int(play.actions[i])))
        play.step()
        for i, before, action in chosen:
            oracle.check_step(before, action, rummy_bo.snapshot(play.games[i], []))
        rummy_bo.deal_anew(play.games)
        play.observe()
    print(counts)
    for kind in ("draw, stock 0, pile 2", "draw, stock 1, pile 2", "set", "run", "taken, run", "low", "high"):
        assert counts[kind] == QUOTA, kind
    assert sum(counts.values()) > 200


def random_group(luck: Random, pack: list[str]) -> list[str] | None:
    """A set or a run out of these cards, which may go round the corner; it leaves them."""
    if luck.random() < 0.5:
        rank = luck.choice(RANKS)
        found = [card for card in pack if card[0] == rank]
        found = luck.sample(found, len(found) - (len(found) == 4 and luck.random() < 0.6))
    else:
        size, suit = luck.choice([3, 3, 4, 5, 8, 11, 12, 13]), luck.choice("CDHS")
        start = luck.randrange(13) if size < 13 else 0  # a whole suit is written from its ace
        found = [RANKS[(start + i) % 13] + suit for i in range(size)]
    if len(found) < 3 or any(card not in pack for card in found):
        return None
    for card in found:
        pack.remove(card)
    return sorted(found, key=PACK.index) if len({card[0] for card in found}) == 1 else found


def random_table(luck: Random, most_cards: int = 12) -> Table:
    """A made-up table in phase play: any groups, a hand of a few cards, perhaps with two of them taken."""
    pack = list(PACK)
    groups = [random_group(luck, pack) for _ in range(luck.randint(0, 5))]
    laid = [" ".join(row) for row in groups if row]
    luck.shuffle(pack)
    size = min(luck.randint(1, most_cards), len(pack) - 3)
    # Near each other in suit or rank, or to the groups, so that there is something to lay and to lay off.
    rows = [oracle.plain(group(text)) for text in laid]
    fits = {card for row in rows for card in pack for end in ENDS if oracle.longer(row, card, end)}
    first = pack[0]
    weights = {card: (card[0] == first[0] or card[1] == first[1]) + (card in fits) for card in pack}
    pack.sort(key=lambda card: luck.random() - 0.6 * weights[card])
    hand, rest = pack[:size], pack[size:]
    taken = luck.sample(hand, min(len(hand), luck.choice([0, 1, 2, 2])))
    try:
        return lay_out(" ".join(hand), rest[0], phase="play", groups=laid, taken=taken)
    except TableError as error:
        assert "no action is legal" in str(error)
        return random_table(luck, most_cards)


@pytest.mark.parametrize("seed", range(5))
def test_made_up_tables_played_on_are_the_oracles(seed):
    luck = Random(seed)
    stranding = finished = 0
    for _ in range(1000):
        table = random_table(luck, most_cards=luck.choice([3, 5, 9]))
        for _ in range(6):
            before = table.snapshot()
            legal = table.legal()
            assert set(legal) == oracle.legal_actions(before), before
            if before["phase"] != "play":
                break
            turn = oracle.as_turn(before)
            plays = [action for action in legal if action < DISCARD]
            stranding += len(plays) < len([*oracle.lays(turn), *oracle.lay_offs(turn)])
            action = luck.choice(plays if plays and luck.random() < 0.9 else legal)
            table.step(action)
            want = oracle.after(before, action)
            now = table.snapshot()
            assert all(want[key] == now[key] for key in want if key != "dealt"), (before, action)
            if table.ended:
                finished += 1
                break
    print(f"{stranding} decisions with a move that would strand, {finished} hands finished")
    assert stranding > 20 and finished > 10


@pytest.mark.parametrize("seed", range(4))
def test_one_spelling_loses_nothing(seed):
    """All that a turn can come to, with any groups laid and grown in any order, has its spelling."""
    luck = Random(seed + 50)
    ends = several = 0
    for _ in range(250):
        table = random_table(luck, most_cards=8)
        turn = oracle.as_turn(table.snapshot())
        found = oracle.ends_by_the_rules_of_spelling(turn)
        assert found == oracle.all_ends(turn), table.snapshot()
        ends += len(found)
        several += len(found) > 3
    assert ends > 600 and several > 30


def test_a_whole_suit_in_hand_has_all_its_ends():
    """Thirteen cards of a suit and no other: the one spelling of the full circle among them."""
    suit = [rank + "H" for rank in RANKS]
    for hand in (suit, suit[:-1] + ["AS"], suit[3:] + suit[:1]):
        table = lay_out(" ".join(hand), "2S", phase="play")
        turn = oracle.as_turn(table.snapshot())
        assert oracle.ends_by_the_rules_of_spelling(turn) == oracle.all_ends(turn)


def redealt(game: np.record, seat: int, luck: np.random.Generator) -> np.ndarray:
    """A copy of the game in which all that a seat cannot know is another: hands, stock, luck, shoes."""
    games = np.array([game])
    other = games[0]
    n = int(game.num_seats)
    known = [sum(1 << face for face in np.flatnonzero(game.public[s].known).tolist()) for s in range(n)]
    spare = [int(game.own[s].cards) & ~known[s] if s != seat else 0 for s in range(n)]
    unseen = [face for face in range(52) for s in range(n) if spare[s] >> face & 1]
    if not game.turned_over:
        unseen += game.stock[: game.stock_size].tolist()
    unseen = luck.permutation(unseen).astype(int).tolist()
    for s in range(n):
        if s != seat:
            size = spare[s].bit_count()
            other.own[s].cards = known[s] | sum(1 << face for face in unseen[:size])
            other.own[s].has_changed = 1
            unseen = unseen[size:]
    if not game.turned_over:
        other.stock[: game.stock_size] = unseen
    other.rng, other.seed = luck.integers(2**63, size=2)
    other.shoes[int(game.num_finished) + 1 :] = 0
    return games


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_hidden_cards_reshuffled_change_nothing_that_a_seat_sees(seats):
    luck = np.random.default_rng(seats)
    play = Play(9, seats=seats, seed=seats)
    moved = in_sight = 0
    for step in range(600):
        play.choose()
        play.step()
        rummy_bo.deal_anew(play.games)
        play.observe()
        if step % 11:
            continue
        for game in play.games:
            in_sight += game.turned_over
            for seat in range(seats):
                games = redealt(game, seat, luck)
                moved += games[0].own.tobytes() != game.own.tobytes()
                one, other = Table(np.array([game])), Table(games)
                assert one.look(seat).tobytes() == other.look(seat).tobytes()
                assert one.view(seat) == other.view(seat)
                if seat == game.acting:
                    assert one.legal() == other.legal()
    assert moved > 500 and in_sight > 50


def test_looking_changes_nothing():
    """A seat's view is the same whether the others have looked or not, and the table stays as it was."""
    play = Play(12, seats=4, seed=3)
    for _ in range(200):
        play.choose()
        play.step()
        play.observe()
    for game in play.games:
        table = Table(np.array([game]))
        before, first = table.snapshot(), table.look(0)
        for seat in range(4):
            table.look(seat)
        assert table.look(0).tobytes() == first.tobytes()
        assert table.snapshot() == before


def test_what_is_known_of_hands_is_true():
    """Cards known in hand are there; the unseen of a seat are the others' unknown cards and the stock."""
    play = Play(12, seats=4, seed=9)
    known = 0
    for _ in range(400):
        play.choose()
        play.step()
        rummy_bo.deal_anew(play.games)
        play.observe()
        for view, game in zip(play.views, play.games, strict=True):
            others = [seat for seat in range(4) if seat != game.acting]
            held = [card for seat in others for card in Table(np.array([game]))["hands"][seat]]
            told = [PACK[face] for s in others for face in np.flatnonzero(game.public[s].known)]
            stock = [] if game.turned_over else [PACK[face] for face in game.stock[: game.stock_size]]
            unseen = [PACK[face] for face in np.flatnonzero(view.unseen)]
            assert sorted(unseen + told) == sorted(held + stock)
            known += len(told)
    assert known > 1000


def test_a_game_is_the_same_alone_and_in_a_batch():
    """Luck lives in the record: batches of 1 and of 24 play the same games."""
    batch = Play(24, seats=3, seed=4)
    rows = [
        (batch.games[i : i + 1].copy(), batch.lucks[i : i + 1].copy(), batch.styles[i : i + 1])
        for i in (0, 9, 20)
    ]
    for _ in range(400):
        batch.choose()
        batch.step()
        rummy_bo.deal_anew(batch.games)
        batch.observe()
    for i, (games, lucks, styles) in zip((0, 9, 20), rows, strict=True):
        single = Play(1, seats=3)
        single.games[:], single.lucks[:], single.styles[:] = games, lucks, styles
        single.observe()
        for _ in range(400):
            single.choose()
            single.step()
            rummy_bo.deal_anew(single.games)
            single.observe()
        assert rummy_bo.snapshot(single.games[0], []) == rummy_bo.snapshot(batch.games[i], [])
        assert single.views[0].tobytes() == batch.views[i].tobytes()
