"""Rummy Bo for bots and trainers. What is common to all games relies on the names here."""

from agents.rummy_bo.about import ABOUT
from agents.rummy_bo.features import LAYOUT, features_of
from agents.rummy_bo.hidden import HIDDEN_SIZE, look_behind
from agents.rummy_bo.kinds import NUM_KINDS, decision_kind, kinds_of, vary
from agents.rummy_bo.levels import LEVELS
from agents.rummy_bo.pace import think_ms
from agents.rummy_bo.schemas import SCHEMAS
from jo_env import rummy_bo as room

__all__ = [
    "ABOUT",
    "HIDDEN_SIZE",
    "LAYOUT",
    "LEVELS",
    "NUM_KINDS",
    "SCHEMAS",
    "decision_kind",
    "features_of",
    "kinds_of",
    "look_behind",
    "room",
    "think_ms",
    "vary",
]
