"""Bots that are written, not learned. They see a seat's view and nothing else."""

from agents.heuristics.greedy import Greedy
from agents.heuristics.planner import Planner
from agents.heuristics.random import Random
from agents.heuristics.search import PlannerSearch

__all__ = ["Greedy", "Planner", "PlannerSearch", "Random"]
