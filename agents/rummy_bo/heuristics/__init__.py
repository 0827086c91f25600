"""Bots that are written, not learned. They see a seat's view and nothing else."""

from agents.rummy_bo.heuristics.greedy import Greedy
from agents.rummy_bo.heuristics.planner import Planner

__all__ = ["Greedy", "Planner"]
