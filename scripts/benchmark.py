"""How fast the engine plays, and whether it still plays the same.

The player in the compiled loop lays and lays off whenever it can and is random otherwise. Every
decision has its mask and full observation written. The signature is a hash of observations, masks,
actions and points of fixed seeded games: a change that only makes things faster leaves it as it was.

    python scripts/benchmark.py
"""

import argparse
import hashlib
import time

import numpy as np

from jo_env import jo, jo_v0
from jo_env.bits import popcount
from jo_env.bots import BatchBot, make_bot
from jo_env.jit import jit
from jo_env.jo.actions import DISCARD, LAY_OFF, MASK, NUM_ACTIONS
from jo_env.jo.legal import mark_legal
from jo_env.jo.rules import apply_action, start_game
from jo_env.jo.state import NOBODY, Phase
from jo_env.jo.view import look
from jo_env.records import zeroed
from jo_env.rng import advance, bounded, mix

_EACH_BYTE = np.uint64(0x0101_0101_0101_0101)
_EACH_TOP = np.uint64(0x8080_8080_8080_8080)
_LAY_OFFS, _DISCARDS, _NUM_WORDS = LAY_OFF // 8, DISCARD // 8, NUM_ACTIONS // 8


@jit
def nth_marked(word, n):
    """The place of the byte that is 1 after `n` others; every byte is 1 or 0."""
    marked_so_far = word * _EACH_BYTE
    return popcount((_EACH_TOP | np.uint64(n) * _EACH_BYTE) - marked_so_far & _EACH_TOP)


@jit
def quick_choice(view, mask, luck):
    """The first lay or lay-off there is, else any legal action."""
    words = mask.words
    if view.phase != Phase.PLAY:
        return nth_marked(words[0], bounded(luck, popcount(words[0])))
    if view.own.missing == 0:
        w = _LAY_OFFS if view.seats[0].down else 0
        while words[w] == 0:
            w += 1
        action = 8 * w + nth_marked(words[w], 0)
        if action < DISCARD:
            return action
    total = 0
    for w in range(_DISCARDS, _NUM_WORDS):
        total += popcount(words[w])
    left = bounded(luck, total)
    # Without branches: each word that ends before the card looked for moves the choice on to the next.
    place, before, total = _DISCARDS, 0, 0
    for w in range(_DISCARDS, _NUM_WORDS - 1):
        total += popcount(words[w])
        place += left >= total
        before = total if left >= total else before
    return 8 * place + nth_marked(words[place], left - before)


@jit
def play(games, views, masks, lucks, actions, num_steps):
    """`num_steps` decisions in every game, finished games dealt anew; returns the hands that ended."""
    rows = masks.view(MASK)
    hands = 0
    for _ in range(num_steps):
        for i in range(len(games)):
            game = games[i]
            look(game, game.acting, views[i])
            mark_legal(views[i], rows[i, 0])
            lucks[i] = advance(lucks[i])
            actions[i] = quick_choice(views[i], rows[i, 0], lucks[i])
            if apply_action(game, actions[i]):
                hands += 1
                if game.phase == Phase.OVER:
                    start_game(game, mix(game.seed), NOBODY)
    return hands


class Table:
    """A batch of games with the arrays that the compiled loop writes into."""

    def __init__(self, num_games: int, seats: int, rounds=(1, 2, 3, 4, 5, 6, 7)) -> None:
        self.games = jo.new_games(num_games, seats=seats, rounds=rounds)
        self.views = zeroed(num_games, jo.VIEW)
        self.masks = np.zeros((num_games, jo.NUM_ACTIONS), np.int8)
        self.actions = np.zeros(num_games, np.int32)
        self.lucks = np.arange(num_games).astype(np.uint64)
        jo.start(self.games, np.arange(num_games).astype(np.uint64), np.full(num_games, NOBODY))

    def play(self, num_steps: int) -> int:
        return play(self.games, self.views, self.masks, self.lucks, self.actions, num_steps)


def signature(num_steps: int = 2000) -> str:
    """A hash of what 2, 3 and 4 seats see, may do, do and score in fixed games."""
    digest = hashlib.sha256()
    for seats in (2, 3, 4):
        table = Table(8, seats)
        observations = table.views.view(np.int8).reshape(8, -1)[:, : jo.OBSERVATION_SIZE]
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


def aec_speed(seconds: float) -> float:
    """Decisions a second through `last()` and `step()`, 4 seats, the first legal action each time."""
    env = jo_v0.env(seats=4)

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


def bot_speed(name: str, num_games: int, seconds: float) -> float:
    """Decisions a second of processor time with this bot in all 4 seats, play and views included."""
    games = jo.new_games(num_games, seats=4)
    views, masks = zeroed(num_games, jo.VIEW), np.zeros((num_games, jo.NUM_ACTIONS), np.int8)
    seeds = np.arange(num_games).astype(np.uint64)
    ended = np.zeros(num_games, np.int8)
    bot = make_bot(name)
    assert isinstance(bot, BatchBot)
    jo.start(games, seeds, np.full(num_games, NOBODY))

    def play(num_steps: int) -> float:
        start = time.process_time()
        for _ in range(num_steps):
            jo.observe(games, views, masks)
            jo.step(games, bot.choose(views, masks, seeds), ended)
            jo.deal_anew(games)
        return num_games * num_steps / (time.process_time() - start)

    play(100)
    steps = max(20, int(seconds / 7 * play(100) / num_games))
    return float(np.median([play(steps) for _ in range(7)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--num-games", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=7, help="for each figure")
    parser.add_argument("--by-round", action="store_true", help="also one figure for each round")
    args = parser.parse_args()
    print(f"signature            {signature()}")
    for seats in (2, 3, 4):
        rate = speed(Table(args.num_games, seats), args.seconds)
        print(
            f"engine, {seats} seats      {rate / 1e6:6.2f} M decisions/s   (one core, {args.num_games} games)"
        )
    if args.by_round:
        for current in range(1, 8):
            rate = speed(Table(args.num_games, 4, (current,)), args.seconds)
            print(f"  4 seats, round {current}   {rate / 1e6:6.2f} M decisions/s")
    for name in ("greedy", "planner"):
        rate = bot_speed(name, args.num_games, args.seconds)
        print(f"{name:8s}, 4 seats    {rate / 1e3:6.1f} k decisions/s   (one core, every seat)")
    print(f"AEC, 4 seats         {aec_speed(args.seconds) / 1e3:6.1f} k decisions/s   (last and step)")


if __name__ == "__main__":
    main()
