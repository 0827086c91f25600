"""Rummy Bo. What the adapters, bots and trainers of any game rely on is named here."""

from jo_env.rng import next_seed
from jo_env.rummy_bo.actions import NUM_ACTIONS
from jo_env.rummy_bo.engine import (
    deal_anew,
    hidden_hands,
    observe,
    points_rewards,
    start,
    step,
    win_rewards,
)
from jo_env.rummy_bo.moves import (
    action_move,
    action_text,
    actions_move,
    describe_illegal,
    is_lay,
    move_actions,
)
from jo_env.rummy_bo.notation import ENV_VERSION, GAME_NAME
from jo_env.rummy_bo.reading import game_from_view, restore
from jo_env.rummy_bo.render import table_image, table_text
from jo_env.rummy_bo.settings import new_games, set_shoes
from jo_env.rummy_bo.state import GAME, MAX_SEATS, MIN_SEATS, NOBODY, Phase
from jo_env.rummy_bo.view import OBSERVATION_SIZE, OBSERVATION_VERSION, VIEW, look, observation_layout
from jo_env.rummy_bo.writing import news, snapshot, view_json

__all__ = [
    "ENV_VERSION",
    "GAME",
    "GAME_NAME",
    "MAX_SEATS",
    "MIN_SEATS",
    "NOBODY",
    "NUM_ACTIONS",
    "OBSERVATION_SIZE",
    "OBSERVATION_VERSION",
    "VIEW",
    "Phase",
    "action_move",
    "action_text",
    "actions_move",
    "deal_anew",
    "describe_illegal",
    "game_from_view",
    "hidden_hands",
    "is_lay",
    "look",
    "move_actions",
    "new_games",
    "news",
    "next_seed",
    "observation_layout",
    "observe",
    "points_rewards",
    "restore",
    "set_shoes",
    "snapshot",
    "start",
    "step",
    "table_image",
    "table_text",
    "view_json",
    "win_rewards",
]
