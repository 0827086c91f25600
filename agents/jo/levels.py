"""How weak the weaker levels of a policy for Jo are."""

from agents.levels import EXPERT, Level

# Chosen by play against greedy bots (seed 2000000), so that neighbours are well apart at every seat count.
LEVELS = {
    "easy": Level(temperature=6.2, top_p=0.95),
    "medium": Level(temperature=4.5, top_p=0.95),
    "hard": Level(temperature=2.8, top_p=0.95),
    "expert": EXPERT,
}
