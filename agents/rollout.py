"""Self-play: fill a buffer of decisions, seat by seat, from many tables at once.

Every row of the buffer is a real choice: where a seat has one legal action it is played on the spot,
inside the compiled loop of the engine. A table may have bots in some seats; their decisions are in the buffer
too, so that time stays in order, but are not marked `own`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from agents.sampling import sample
from jo_env.bots import BatchBot, chosen_actions, refuse_illegal
from jo_env.jit import jit
from jo_env.records import zeroed
from jo_env.rng import advance, stream

# Where the likeliest action is as good as certain there is next to nothing to learn, whatever comes of it:
# of such decisions one in so many is learned from, for the critic's sake.
SURE, ONE_IN = 0.99, np.uint64(8)

# What decides for the learner's seats: (features, hidden) -> (logits, values).
Forward = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass
class Buffer:
    """Decisions of T steps of N tables; the arrays are [T, N, ...]."""

    features: np.ndarray  # int8[T, N, NUM_FEATURES]
    masks: np.ndarray  # int8[T, N, NUM_ACTIONS]
    hidden: np.ndarray  # int8[T, N, HIDDEN_SIZE]
    seats: np.ndarray  # int32[T, N] the seat asked
    own: np.ndarray  # int8[T, N] 1 where the learner decided
    learns: np.ndarray  # int8[T, N] 1 where there is something to learn from that
    actions: np.ndarray  # int32[T, N]
    log_probs: np.ndarray  # float32[T, N]
    values: np.ndarray  # float32[T, N]
    rewards: np.ndarray  # float32[T, N, MAX_SEATS] what each seat received before the next row
    ended: np.ndarray  # int8[T, N] a hand ended before the next row
    kinds: np.ndarray  # int8[T, N] the kind of hand: seat count and round, below NUM_KINDS

    @classmethod
    def empty(cls, game: ModuleType, num_steps: int, num_games: int) -> "Buffer":
        shape = (num_steps, num_games)
        return cls(
            features=np.zeros((*shape, game.LAYOUT.num_features), np.int8),
            masks=np.zeros((*shape, game.room.NUM_ACTIONS), np.int8),
            hidden=np.zeros((*shape, game.HIDDEN_SIZE), np.int8),
            seats=np.zeros(shape, np.int32),
            own=np.zeros(shape, np.int8),
            learns=np.zeros(shape, np.int8),
            actions=np.zeros(shape, np.int32),
            log_probs=np.zeros(shape, np.float32),
            values=np.zeros(shape, np.float32),
            rewards=np.zeros((*shape, game.room.MAX_SEATS), np.float32),
            ended=np.zeros(shape, np.int8),
            kinds=np.zeros(shape, np.int8),
        )


@dataclass
class Tables:
    """Games that are being played, with everything needed to go on playing them the same."""

    game: ModuleType
    games: np.ndarray  # GAME[N]
    lucks: np.ndarray  # uint64[N] generator states of the sampled actions
    lineup: np.ndarray  # int32[N, MAX_SEATS] who sits where: 0 the learner, k the k-th bot
    bots: Sequence[BatchBot] = ()
    views: np.ndarray = field(init=False)
    masks: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.views = zeroed(len(self.games), self.game.room.VIEW)
        self.masks = np.zeros((len(self.games), self.game.room.NUM_ACTIONS), np.int8)
        self.observe()

    def observe(self) -> None:
        """Look at every table afresh; a table just dealt or restored asks for a real choice."""
        self.game.room.observe(self.games, self.views, self.masks)

    def collect(self, buffer: Buffer, forward: Forward) -> None:
        """Play len(buffer) real choices on every table; `forward` decides for the learner.

        What the bots saw is not written: it is what costs most.
        """
        rows = np.arange(len(self.games))
        for t in range(len(buffer.seats)):
            buffer.seats[t] = self.games["acting"]
            buffer.kinds[t] = self.game.kinds_of(self.games)
            who = self.lineup[rows, buffer.seats[t]]
            buffer.own[t] = who == 0
            if buffer.own[t].all():
                self.game.features_of(self.views, out=buffer.features[t])
            else:
                own = np.flatnonzero(buffer.own[t])
                buffer.features[t, own] = self.game.features_of(self.views[own])
            buffer.masks[t] = self.masks
            self.game.look_behind(self.games, buffer.hidden[t])
            self.decide(buffer, t, who, forward)
            self.advance(buffer.actions[t], buffer.rewards[t], buffer.ended[t])

    def advance(self, actions: np.ndarray, rewards: np.ndarray, ended: np.ndarray) -> None:
        """Play to the next real choice at every table, as `advance_to_choices` of the engine."""
        self.game.room.advance_to_choices(self.games, self.views, self.masks, actions, rewards, ended)

    def decide(self, buffer: Buffer, t: int, who: np.ndarray, forward: Forward) -> None:
        """Fill in row t's actions, each from whoever holds the seat asked."""
        for k in np.unique(who):
            rows = np.flatnonzero(who == k)
            if k > 0:
                buffer.actions[t, rows] = self.ask_bot(self.bots[k - 1], rows)
                buffer.learns[t, rows] = 0
                continue
            every = len(rows) == len(who)  # the common case needs no copies
            pick = slice(None) if every else rows
            logits, values = forward(buffer.features[t, pick], buffer.hidden[t, pick])
            actions, log_probs = np.zeros(len(rows), np.int32), np.zeros(len(rows), np.float32)
            tops = np.zeros(len(rows), np.float32)
            lucks = self.lucks[rows]
            sample(logits, buffer.masks[t, pick], lucks, actions, log_probs, tops)
            buffer.learns[t, rows] = (tops < SURE) | (lucks % ONE_IN == 0)
            self.lucks[rows] = lucks
            buffer.actions[t, rows] = actions
            buffer.log_probs[t, rows] = log_probs
            buffer.values[t, rows] = values

    def ask_bot(self, bot: BatchBot, rows: np.ndarray) -> np.ndarray:
        """A bot's actions at the tables `rows`; raises `IllegalActionError` if one is not legal."""
        lucks, masks = self.lucks[rows], self.masks[rows]
        actions = chosen_actions(bot, self.views[rows], masks, lucks)
        refuse_illegal(bot, self.game.room, self.games, actions, masks, rows)
        advance_all(lucks)
        self.lucks[rows] = lucks
        return actions


@jit
def advance_all(states):
    """Go on to the next of every generator state, uint64[N]."""
    for i in range(len(states)):
        states[i] = advance(states[i])


def new_tables(
    game: ModuleType,
    num_games: int,
    seed: int,
    seats: Sequence[int],
    bots: Sequence[tuple[BatchBot, float]] = (),
    **settings: Any,
) -> Tables:
    """Tables of mixed sizes with these settings of the game, varied as the game has it.

    `bots` are pairs (bot, share): that share of the tables has one learner and the bot in all other seats.
    """
    rng = np.random.default_rng(seed)
    sizes = np.resize(np.array(seats), num_games)
    room = game.room
    games = np.concatenate([room.new_games(1, seats=int(n), **settings) for n in sizes])
    for table in games:
        game.vary(table, rng)
    seeds = np.array([stream(np.uint64(seed), i) for i in range(num_games)], np.uint64)
    room.start(games, seeds, np.full(num_games, room.NOBODY))
    lineup = np.zeros((num_games, room.MAX_SEATS), np.int32)
    first = 0
    order = rng.permutation(num_games)
    for k, (_, share) in enumerate(bots, start=1):
        last = first + round(share * num_games)
        for i in order[first:last]:
            lineup[i] = k
            lineup[i, rng.integers(sizes[i])] = 0
        first = last
    lucks = np.array([stream(np.uint64(seed), num_games + i) for i in range(num_games)], np.uint64)
    return Tables(game, games, lucks, lineup, [bot for bot, _ in bots])
