"""How fast the engine plays each game, and whether it still plays the same.

The player in the compiled loop lays and lays off whenever it can and is random otherwise. Every
decision has its mask and full observation written. The signature is a hash of observations, masks,
actions and points of fixed seeded games: a change that only makes things faster leaves it as it was.

    python scripts/benchmark.py
    python scripts/benchmark.py --games jo --settings '{"rounds": [3]}'
"""

import argparse
import hashlib
import json
import time
from importlib import import_module
from types import ModuleType
from typing import Any

import numba
import numpy as np

from jo_env.bits import popcount
from jo_env.bots import BatchBot, make_bot
from jo_env.records import zeroed
from jo_env.rng import advance, bounded, mix

GAMES = ("jo", "rummy_bo")
BOTS = ("greedy", "planner")  # whose speed is told
NUM_DRAWS = 4  # the first actions, with which a turn begins
_EACH_BYTE = np.uint64(0x0101_0101_0101_0101)
_EACH_TOP = np.uint64(0x8080_8080_8080_8080)
_DRAWS = np.uint64(0xFFFF_FFFF)
# The loop is compiled for one game's functions, which it is given: no other run could use it.
compiled = numba.njit(nogil=True, error_model="numpy")


@compiled
def nth_marked(word, n):
    """The place of the byte that is 1 after `n` others; every byte is 1 or 0."""
    marked_so_far = word * _EACH_BYTE
    return popcount((_EACH_TOP | np.uint64(n) * _EACH_BYTE) - marked_so_far & _EACH_TOP)


@compiled
def quick_choice(mask, discard, luck):
    """The first lay or lay-off there is, else any legal action; discards come last, from `discard` on."""
    words = mask.words
    draws = words[0] & _DRAWS
    if draws:
        return nth_marked(draws, bounded(luck, popcount(draws)))
    first, end = discard // 8, len(words)
    lays = np.uint64(0)
    for w in range(first + 1):
        lays |= words[w]
    if lays:
        w = 0
        while words[w] == 0:
            w += 1
        action = 8 * w + nth_marked(words[w], 0)
        if action < discard:
            return action
    total = 0
    for w in range(first, end):
        total += popcount(words[w])
    in_words = total
    for action in range(8 * end, len(mask.actions)):
        total += mask.actions[action]
    left = bounded(luck, total)
    if left >= in_words:  # the last actions fill no word
        action = 8 * end
        while mask.actions[action] == 0 or left > in_words:
            left -= mask.actions[action]
            action += 1
        return action
    # Without branches: each word that ends before the card looked for moves the choice on to the next.
    place, before, total = first, 0, 0
    for w in range(first, end - 1):
        total += popcount(words[w])
        place += left >= total
        before = total if left >= total else before
    return 8 * place + nth_marked(words[place], left - before)


@compiled
def play(
    games, views, rows, lucks, actions, num_steps, discard, over, look, mark_legal, apply_action, start_game
):
    """`num_steps` decisions in every game, finished games dealt anew; returns the hands that ended."""
    hands = 0
    for _ in range(num_steps):
        for i in range(len(games)):
            game = games[i]
            look(game, game.acting, views[i])
            mark_legal(views[i], rows[i, 0])
            lucks[i] = advance(lucks[i])
            actions[i] = quick_choice(rows[i, 0], discard, lucks[i])
            if apply_action(game, actions[i]):
                hands += 1
                if game.phase == over:
                    start_game(game, mix(game.seed), -1)
    return hands


class Table:
    """A batch of games with the arrays that the compiled loop writes into."""

    def __init__(self, room: ModuleType, num_games: int, seats: int, **settings: Any) -> None:
        self.games = room.new_games(num_games, seats=seats, **settings)
        self.views = zeroed(num_games, room.VIEW)
        self.masks = np.zeros((num_games, room.NUM_ACTIONS), np.int8)
        self.actions = np.zeros(num_games, np.int32)
        self.lucks = np.arange(num_games).astype(np.uint64)
        room.start(self.games, np.arange(num_games).astype(np.uint64), np.full(num_games, room.NOBODY))
        actions, legal, rules = (
            import_module(f"{room.__name__}.{part}") for part in ("actions", "legal", "rules")
        )
        self._rows = self.masks.view(actions.MASK)
        self._game = (
            actions.DISCARD, int(room.Phase.OVER), room.look, legal.mark_legal, rules.apply_action,
            rules.start_game,
        )  # fmt: skip

    def play(self, num_steps: int) -> int:
        return play(self.games, self.views, self._rows, self.lucks, self.actions, num_steps, *self._game)


def seat_counts(room: ModuleType) -> range:
    return range(room.MIN_SEATS, room.MAX_SEATS + 1)


def signature(room: ModuleType, num_steps: int = 2000) -> str:
    """A hash of what all numbers of seats see, may do, do and score in fixed games."""
    digest = hashlib.sha256()
    for seats in seat_counts(room):
        table = Table(room, 8, seats)
        observations = table.views.view(np.int8).reshape(8, -1)[:, : room.OBSERVATION_SIZE]
        for _ in range(num_steps):
            table.play(1)
            for array in (observations, table.masks, table.actions, table.games["scores"]):
                digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def speed(table: Table, seconds: float) -> float:
    """Decisions of the compiled loop a second of processor time: the median of seven equal windows."""
    num_games = len(table.games)
    table.play(200)
    steps, rates = 200, []
    for _ in range(7):
        start = time.process_time()
        table.play(steps)
        elapsed = time.process_time() - start
        rates.append(num_games * steps / elapsed)
        steps = max(100, int(steps * seconds / 7 / elapsed))
    return float(np.median(rates))


def aec_speed(room: ModuleType, seconds: float) -> float:
    """Decisions a second through `last()` and `step()`, 4 seats, the first legal action each time."""
    env = import_module(f"jo_env.{room.ENV_VERSION}").env(seats=4)

    def play(num_decisions: int) -> float:
        env.reset(seed=0)
        start = time.perf_counter()
        for _ in range(num_decisions):
            observation, _, is_over, _, _ = env.last()
            env.step(None if is_over else int(observation["action_mask"].argmax()))
            if not env.agents:
                env.reset()
        return num_decisions / (time.perf_counter() - start)

    play(3000)  # everything is compiled by then
    return play(int(seconds * play(2000)))


def bot_speed(room: ModuleType, name: str, num_games: int, seconds: float) -> float:
    """Decisions a second of processor time with this bot in all 4 seats, play and views included."""
    games = room.new_games(num_games, seats=4)
    views, masks = zeroed(num_games, room.VIEW), np.zeros((num_games, room.NUM_ACTIONS), np.int8)
    seeds = np.arange(num_games).astype(np.uint64)
    ended = np.zeros(num_games, np.int8)
    bot = make_bot(name)
    assert isinstance(bot, BatchBot)
    room.start(games, seeds, np.full(num_games, room.NOBODY))

    def play(num_steps: int) -> float:
        start = time.process_time()
        for _ in range(num_steps):
            room.observe(games, views, masks)
            room.step(games, bot.choose(views, masks, seeds), ended)
            room.deal_anew(games)
        return num_games * num_steps / (time.process_time() - start)

    play(100)
    steps = max(20, int(seconds / 7 * play(100) / num_games))
    return float(np.median([play(steps) for _ in range(7)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=GAMES)
    parser.add_argument("--num-games", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=7, help="for each figure")
    parser.add_argument("--settings", type=json.loads, default={}, help="of the games, as JSON")
    args = parser.parse_args()
    for name in args.games:
        room = import_module(f"jo_env.{name}")
        print(f"{name}: signature {signature(room)}")
        for seats in seat_counts(room):
            rate = speed(Table(room, args.num_games, seats, **args.settings), args.seconds)
            print(
                f"engine, {seats} seats      {rate / 1e6:6.2f} M decisions/s   "
                f"(one core, {args.num_games} games)"
            )
        for bot in BOTS:
            rate = bot_speed(room, bot, args.num_games, args.seconds)
            print(f"{bot:8s}, 4 seats    {rate / 1e3:6.1f} k decisions/s   (one core, every seat)")
        print(
            f"AEC, 4 seats         {aec_speed(room, args.seconds) / 1e3:6.1f} k decisions/s   (last and step)"
        )


if __name__ == "__main__":
    main()
