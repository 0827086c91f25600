"""Rummy Bo. What the adapters, bots and trainers of any game rely on is named here."""

from jo_env.rng import next_seed
from jo_env.rummy_bo.actions import NUM_ACTIONS
from jo_env.rummy_bo.engine import (
    advance_to_choices,
    deal_anew,
    hidden_hands,
    observe,
    points_of,
    points_rewards,
    start,
    step,
    win_rewards,
)
from jo_env.rummy_bo.moves import (
    QUIET_MOVES,
    action_move,
    action_text,
    actions_move,
    describe_illegal,
    is_midway,
    is_part,
    move_actions,
)
from jo_env.rummy_bo.notation import ENV_VERSION, GAME_NAME, PROTOCOL
from jo_env.rummy_bo.reading import game_from_view, restore
from jo_env.rummy_bo.render import table_image, table_text
from jo_env.rummy_bo.settings import new_games, set_shoes
from jo_env.rummy_bo.state import DECIDING, GAME, MAX_SEATS, MIN_SEATS, NOBODY, POINT_WORTH, Phase
from jo_env.rummy_bo.tables import action_table, rules
from jo_env.rummy_bo.view import OBSERVATION_SIZE, OBSERVATION_VERSION, VIEW, look, observation_layout
from jo_env.rummy_bo.writing import news, snapshot, view_json

__all__ = [
    "DECIDING",
    "ENV_VERSION",
    "GAME",
    "GAME_NAME",
    "MAX_SEATS",
    "MIN_SEATS",
    "NOBODY",
    "NUM_ACTIONS",
    "OBSERVATION_SIZE",
    "OBSERVATION_VERSION",
    "POINT_WORTH",
    "PROTOCOL",
    "QUIET_MOVES",
    "VIEW",
    "Phase",
    "action_move",
    "action_table",
    "action_text",
    "actions_move",
    "advance_to_choices",
    "deal_anew",
    "describe_illegal",
    "game_from_view",
    "hidden_hands",
    "is_midway",
    "is_part",
    "look",
    "move_actions",
    "new_games",
    "news",
    "next_seed",
    "observation_layout",
    "observe",
    "points_of",
    "points_rewards",
    "restore",
    "rules",
    "set_shoes",
    "snapshot",
    "start",
    "step",
    "table_image",
    "table_text",
    "view_json",
    "win_rewards",
]
