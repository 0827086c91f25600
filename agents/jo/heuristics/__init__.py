"""Bots that are written, not learned. They see a seat's view and nothing else."""

from agents.jo.heuristics.greedy import Greedy
from agents.jo.heuristics.planner import Planner
from agents.jo.heuristics.search import PlannerSearch
from agents.jo.heuristics.styles import Buyer, Dumper, Hoarder, Thrifty
from agents.random import Random

__all__ = ["Buyer", "Dumper", "Greedy", "Hoarder", "Planner", "PlannerSearch", "Random", "Thrifty"]
