"""Policy iteration for Jo (agents/iteration): what it needs to know of the game."""

from agents.jo.iteration.explore import CRITIC_SCALE, PLAYERS, SEATS, explore_tables
from agents.jo.iteration.improved import PlannerImproved
from agents.jo.iteration.standing import STANDING_SIZE
from agents.jo.iteration.traits import KINDS, NUM_TAKING, NUM_TRAITS
from agents.jo.kinds import vary
from jo_env import jo as room

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
