"""What the end of a game is worth to the seats, whatever the game."""

from jo_env.jit import jit


@jit
def share_win(scores, num_seats, best, rewards):
    """The seats whose score is the best share +1, the others -1; all tied 0; into one row, float32[seats]."""
    winners = 0
    for seat in range(num_seats):
        winners += scores[seat] == best
    losers = num_seats - winners
    if losers > 0:
        for seat in range(num_seats):
            rewards[seat] = 1 / winners if scores[seat] == best else -1 / losers
