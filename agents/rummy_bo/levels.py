"""How weak the weaker levels of a policy for Rummy Bo are."""

from agents.levels import EXPERT, Level

LEVELS = {
    "easy": Level(temperature=8.0, top_p=0.95),
    "medium": Level(temperature=3.5, top_p=0.95),
    "hard": Level(temperature=1.7, top_p=0.95),
    "expert": EXPERT,
}
