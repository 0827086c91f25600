"""Bots that are written, not learned. They see a seat's view and nothing else."""

from agents.heuristics.greedy import Greedy
from agents.heuristics.planner import Planner
from agents.heuristics.random import Random

__all__ = ["Greedy", "Planner", "Random"]
