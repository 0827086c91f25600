"""Environments for reinforcement learning in contract rummy."""

__version__ = "0.1.0"
