"""Planners with a leaning: opponents that play well and yet not as the planner does."""

import numpy as np

from agents.jo.heuristics.planner import Planner, default_weights

# Changes upon the planner's weights, for every number of seats.
STYLES = {
    "buyer": {"buy_cost": -0.05, "buy_cost_down": -0.05, "buy_wide": 5.0, "leftover_cost": 0.0},
    "thrifty": {"buy_cost": 2.0, "buy_cost_down": 2.0},
    "dumper": {"points": 1.0, "points_four": 0.0, "points_down": 3.0, "points_left": 1.0, "feed": 0.0},
    "hoarder": {"keep_fit": 0.5, "keep_near": 1.0, "hope_four": 8.0, "points_four": -0.4, "take_wide": 0.1},
}


def styled_weights(style: str) -> np.ndarray:
    """The planner's table with the changes of a style, WEIGHTS[3]."""
    table = default_weights()
    for name, value in STYLES[style].items():
        table[name] = value
    return table


class StyledPlanner(Planner):
    """A planner with the weights of its class's `style`."""

    style: str

    def __init__(self) -> None:
        super().__init__(styled_weights(self.style))


class Buyer(StyledPlanner):
    """Buys whatever opens one more way to the goal."""

    style = "buyer"


class Thrifty(StyledPlanner):
    """Never buys."""

    style = "thrifty"


class Dumper(StyledPlanner):
    """Throws its expensive cards first, whoever collects them."""

    style = "dumper"


class Hoarder(StyledPlanner):
    """Collects for its runs: takes what opens one more way, keeps what may fit, counts on a long hand."""

    style = "hoarder"
