"""Batches of games: the only loops over games. A single game is a batch of one.

All arrays have one row per game: `games` GAME[N], `views` VIEW[N], `masks` int8[N, 329], `actions`
int32[N]. Functions write into the rows they are handed.
"""

import numpy as np

from jo_env.bits import mark_faces
from jo_env.jit import jit
from jo_env.masks import NO_ACTION, only_action
from jo_env.rewards import share_win
from jo_env.rng import next_seed
from jo_env.rummy_bo.actions import MASK
from jo_env.rummy_bo.legal import mark_legal
from jo_env.rummy_bo.rules import apply_action, start_game
from jo_env.rummy_bo.state import NOBODY, Phase
from jo_env.rummy_bo.view import look
from jo_env.seats import absolute_seat


@jit
def start(games, seeds, dealers):
    """Begin every game from its seed (uint64[N]); dealer -1 is drawn from the seed."""
    for i in range(len(games)):
        start_game(games[i], seeds[i], dealers[i])


@jit
def observe(games, views, masks):
    """Write view and mask of the seat asked in every game; a finished game gets an empty mask."""
    rows = masks.view(MASK)
    for i in range(len(games)):
        if games[i].phase == Phase.OVER:
            masks[i, :] = 0
        else:
            look(games[i], games[i].acting, views[i])
            mark_legal(views[i], rows[i, 0])


@jit
def step(games, actions, hand_ended):
    """Play one legal action in every game; hand_ended int8[N] marks the hands that ended with it."""
    for i in range(len(games)):
        hand_ended[i] = apply_action(games[i], actions[i])


@jit
def advance_to_choices(games, views, masks, actions, rewards, ended):
    """Play `actions`, then every forced move, until each game asks a seat for a real choice.

    rewards float32[N, MAX_SEATS] is what each seat received meanwhile, ended int8[N] whether a hand ended.
    Finished games are dealt anew.
    """
    rows = masks.view(MASK)
    for i in range(len(games)):
        game = games[i]
        action = actions[i]
        rewards[i, :] = 0
        ended[i] = 0
        while action != NO_ACTION:
            if apply_action(game, action):
                ended[i] = 1
                add_points_reward(game, rewards[i])
                if game.phase == Phase.OVER:
                    start_game(game, next_seed(game.seed), NOBODY)
            look(game, game.acting, views[i])
            mark_legal(views[i], rows[i, 0])
            action = only_action(masks[i])


@jit
def points_rewards(games, hand_ended, rewards):
    """At the end of a hand: the points that each seat received / 100, into float32[N, seats]."""
    rewards[:] = 0
    for i in range(len(games)):
        if hand_ended[i]:
            add_points_reward(games[i], rewards[i])


@jit
def add_points_reward(game, rewards):
    """Add what each seat receives for the hand just ended to one row, float32[seats]."""
    points = game.points[game.num_finished - 1]
    for seat in range(game.num_seats):
        rewards[seat] += points[seat] / 100


@jit
def win_rewards(games, hand_ended, rewards):
    """At the end of the game: winners share +1, the others -1; all tied 0; into float32[N, seats]."""
    rewards[:] = 0
    for i in range(len(games)):
        game = games[i]
        if hand_ended[i] and game.phase == Phase.OVER:
            most = game.scores[0]
            for seat in range(game.num_seats):
                most = max(most, game.scores[seat])
            share_win(game.scores, game.num_seats, most, rewards[i])


def points_of(games: np.ndarray) -> np.ndarray:
    """The points of the hands of GAME[N] that are over and of one length, int32[N, hands, seats]."""
    return games["points"][:, : int(games["num_hands"][0]), : int(games["num_seats"][0])]


@jit
def deal_anew(games):
    """Begin the next game wherever one is over, from a seed that follows from the last one."""
    for i in range(len(games)):
        if games[i].phase == Phase.OVER:
            games[i].has_shoe[:] = 0
            start_game(games[i], next_seed(games[i].seed), NOBODY)


@jit
def hidden_hands(games, hands):
    """Copy the hands that the seat asked does not see, leftwards from it, into int8[N, 5, 52]."""
    hands[:] = 0
    for i in range(len(games)):
        game = games[i]
        for r in range(1, game.num_seats):
            mark_faces(game.own[absolute_seat(game.acting, r, game.num_seats)].cards, hands[i, r - 1])
