"""Jo for bots and trainers. What is common to all games relies on the names here."""

from agents.jo.about import ABOUT
from agents.jo.features import LAYOUT, features_of
from agents.jo.hidden import HIDDEN_SIZE, look_behind
from agents.jo.kinds import NUM_KINDS, decision_kind, kinds_of, vary
from agents.jo.levels import LEVELS
from agents.jo.pace import think_ms
from agents.jo.policy_search import PolicySearch as searching
from agents.jo.schemas import SCHEMAS
from jo_env import jo as room

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
    "searching",
    "think_ms",
    "vary",
]
