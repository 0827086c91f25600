"""Policy iteration for Rummy Bo (agents/iteration): what it needs to know of the game."""

from agents.rummy_bo.iteration.explore import CRITIC_SCALE, PLAYERS, SEATS, explore_tables
from agents.rummy_bo.iteration.improved import PlannerImproved
from agents.rummy_bo.iteration.standing import STANDING_SIZE
from agents.rummy_bo.iteration.traits import KINDS, NUM_TAKING, NUM_TRAITS
from agents.rummy_bo.kinds import vary
from jo_env import rummy_bo as room

__all__ = [
    "CRITIC_SCALE",
    "KINDS",
    "NUM_TAKING",
    "NUM_TRAITS",
    "PLAYERS",
    "SEATS",
    "STANDING_SIZE",
    "PlannerImproved",
    "explore_tables",
    "room",
    "vary",
]
