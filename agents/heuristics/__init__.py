"""Bots that are written, not learned. They see a seat's view and nothing else."""

from agents.heuristics.greedy import Greedy
from agents.heuristics.planner import Planner
from agents.heuristics.random import Random
from agents.heuristics.search import PlannerSearch
from agents.heuristics.styles import Buyer, Dumper, Hoarder, Thrifty

__all__ = ["Buyer", "Dumper", "Greedy", "Hoarder", "Planner", "PlannerSearch", "Random", "Thrifty"]
