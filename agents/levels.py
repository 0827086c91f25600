"""How strong a policy plays: levels from a beginner's to the best it can.

Weaker levels are the same policy at a higher temperature: it mixes up what it holds to be nearly as good
before it makes mistakes that anybody sees, and never plays the least likely moves.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """Draws from the legal logits / `temperature`, among the likeliest actions that make up `top_p`.

    At temperature 0 the likeliest action is played. Raises `ValueError` for other numbers than make a draw.
    """

    temperature: float = 0.0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature={self.temperature!r}: give 0 for the likeliest action, or more")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p={self.top_p!r}: give a share above 0, at most 1")


EXPERT = Level()
NAMES = ("easy", "medium", "hard", "expert")  # the temperatures differ by game
