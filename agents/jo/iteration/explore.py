"""The compiled loop that plays hands of Jo and notes what explored moves brought."""

import numpy as np

from agents.iteration.advantages import keep_close, pick
from agents.iteration.explore import (
    GREEDY,
    LEARNER,
    MOST_PENDING,
    ONE_IN_WIDE,
    PER_MILLE,
    count_turn,
    mark_opponents,
    note_row,
    note_standing,
    pay_out,
    wait_for_end,
    write_table,
)
from agents.jo.features import LAYOUT, NUM_LAYS
from agents.jo.heuristics.greedy import grab
from agents.jo.heuristics.planner import plan
from agents.jo.heuristics.styles import STYLES, styled_weights
from agents.jo.hidden import HIDDEN_SIZE, SUMMARY, SUMMARY_SCALE, look_behind_copy
from agents.jo.iteration.improved import DESK, WEIGHTS, judge_moves, list_candidates
from agents.jo.iteration.standing import STANDING_SIZE, write_standing
from agents.jo.iteration.traits import kind_of
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.actions import BUY, NUM_ACTIONS, TAKE_DISCARD
from jo_env.jo.engine import add_points_reward
from jo_env.jo.legal import legal_actions
from jo_env.jo.rules import apply_action, start_game
from jo_env.jo.state import GAME, MAX_SEATS, NOBODY, Phase
from jo_env.jo.view import VIEW, look
from jo_env.rng import advance, bounded, mix

PLAYERS = ("greedy", "planner", *STYLES, "past")  # whom the learner may meet
PLANNER, PAST = 2, len(PLAYERS)
SEATS = (2, 3, 4, 4)  # at the tables, in turn: more seats, more to learn from
TABLE_PLACES = LAYOUT.other_places[:-NUM_LAYS]  # what the critic sees of the features
CRITIC_SCALE = np.concatenate(
    [LAYOUT.scales[2][: len(TABLE_PLACES)], SUMMARY_SCALE, np.ones(2)], dtype=np.float32
)
ALL_WEIGHTS = np.stack([WEIGHTS, *[styled_weights(style) for style in STYLES]])


def explore_tables(games, lucks, players, per_mille, within, lookahead, advantages, is_zero, past, rows):
    """Play the tables GAME[N] until `rows` are full and their hands ended: what `explore` asks of a game."""
    views = np.zeros(1, VIEW)
    _explore(
        games, lucks, players, per_mille, within, lookahead, ALL_WEIGHTS, advantages, is_zero, past, rows,
        views, views.view(np.int8).reshape(-1), np.zeros(1, DESK), np.zeros(1, GAME),
    )  # fmt: skip


@jit
def _explore(
    games, lucks, players, per_mille, within, lookahead, all_weights, advantages, is_zero, past, rows,
    views, view_bytes, desks, copies,
):  # fmt: skip
    _, tables, _, chosen, _, _, _, _, rewards, has_later, later = rows
    seen, standing = np.zeros(1, VIEW), np.zeros(STANDING_SIZE, np.int8)
    view, desk = views[0], desks[0]
    hidden = np.zeros((2, advantages.w1.shape[2]), np.float32)
    past_hidden = np.zeros((2, past.w1.shape[3]), np.float32)
    behind = np.zeros(HIDDEN_SIZE, np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    nearer = np.zeros(NUM_FACES, np.int8)
    received = np.zeros(MAX_SEATS)
    pending = np.zeros((len(games), MOST_PENDING, 3), np.int64)  # (row, seat, its turns since)
    num_pending = np.zeros(len(games), np.int64)
    size, waiting = 0, 0
    while size < len(chosen) or waiting > 0:
        for i in range(len(games)):
            game = games[i]
            look(game, game.acting, view)
            legal_actions(view, mask)
            player = players[i, game.acting]
            if game.phase == Phase.DRAW and player == LEARNER:
                of_table = pending[i, : num_pending[i]]
                if count_turn(of_table, game.acting, lookahead):
                    w = all_weights[0, game.num_seats - 2]
                    write_standing(game, game.acting, seen[0], w, desk.scratch.odds, standing)
                    mark_opponents(players[i], game, standing)
                    note_standing(of_table, game.acting, lookahead, standing, later, has_later)
            explores = False
            if player == GREEDY:
                action = grab(view, mask, nearer)
            elif PLANNER <= player < PAST:
                w = all_weights[player - PLANNER, game.num_seats - 2]
                action = plan(view, mask, w, desk.scratch.odds, desk.scratch.worths)
            else:
                w = all_weights[0, game.num_seats - 2]
                n = list_candidates(view, mask, w, desk)
                if n > 1 and player >= PAST:
                    judge_moves(view, view_bytes, w, n, pick(past, player - PAST), desk, past_hidden)
                elif n > 1:
                    if size < len(chosen) and num_pending[i] < MOST_PENDING:
                        lucks[i] = advance(lucks[i])
                        explores = bounded(lucks[i], PER_MILLE) < per_mille
                    if explores or not is_zero:
                        judge_moves(view, view_bytes, w, n, advantages, desk, hidden)
                    if explores:
                        lucks[i] = advance(lucks[i])
                        if bounded(lucks[i], ONE_IN_WIDE) > 0:
                            n = keep_close(desk, n, within)
                            explores = n > 1
                best = np.argmax(desk.worths[:n])
                action = desk.moves[best]
            if explores:
                lucks[i] = advance(lucks[i])
                drawn = bounded(lucks[i], n)
                action = desk.moves[drawn]
                copies[0] = game
                look_behind_copy(copies[0], behind)
                write_table(desk.row, behind, TABLE_PLACES, SUMMARY, tables[size])
                mark_opponents(players[i], game, tables[size])
                takes_first = desk.moves[0] in (BUY, TAKE_DISCARD)
                note_row(rows, size, desk, n, drawn, best, takes_first, kind_of(view), game.num_seats)
                wait_for_end(pending[i], num_pending[i], size, game.acting)
                num_pending[i] += 1
                size += 1
                waiting += 1
            if apply_action(game, action):
                received[:] = 0
                add_points_reward(game, received)
                pay_out(pending[i, : num_pending[i]], received, rewards)
                waiting -= num_pending[i]
                num_pending[i] = 0
                if game.phase == Phase.OVER:
                    start_game(game, mix(game.seed), NOBODY)
