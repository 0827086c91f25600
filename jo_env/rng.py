"""SplitMix64 (Steele, Lea and Flood, 2014): luck as one integer that lives in the game record."""

import numpy as np

from jo_env.jit import jit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@jit
def mix(x):
    """A well-mixed 64-bit integer from any 64-bit integer."""
    z = np.uint64(x) + _GOLDEN
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@jit
def stream(seed, index):
    """The state of stream number `index` of a seed; streams do not overlap in practice."""
    return mix(mix(np.uint64(seed)) ^ np.uint64(index))


@jit
def streams(seeds, indices):
    """`stream` for each row of uint64[N], uint64[N]."""
    states = np.empty(len(seeds), np.uint64)
    for i in range(len(seeds)):
        states[i] = stream(seeds[i], indices[i])
    return states


@jit
def advance(state):
    """The state that follows `state`; `mix(state)` is its output."""
    return np.uint64(state) + _GOLDEN


@jit
def bounded(state, n):
    """A whole number in [0, n) drawn from a generator state (bias below 2**-32 * n)."""
    return np.int64(((mix(state) >> _S32) * np.uint64(n)) >> _S32)


@jit
def next_seed(seed):
    """The seed of the game that follows on one with this seed."""
    return mix(seed)


@jit
def shuffle(game, cards, size):
    """Fisher and Yates, from the luck in the record."""
    for i in range(size - 1, 0, -1):
        j = bounded(game.rng, i + 1)
        game.rng = advance(game.rng)
        cards[i], cards[j] = cards[j], cards[i]
