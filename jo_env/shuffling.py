"""Shuffling, from luck that lives in the game record."""

from jo_env.jit import jit
from jo_env.rng import advance, bounded


@jit
def shuffle(game, cards, size):
    """Fisher and Yates, over the first `size` cards."""
    for i in range(size - 1, 0, -1):
        j = bounded(game.rng, i + 1)
        game.rng = advance(game.rng)
        cards[i], cards[j] = cards[j], cards[i]
