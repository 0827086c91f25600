"""What a model card says of Rummy Bo and of policies for it."""

ABOUT = {
    "title": "Rummy Bo",
    "game": "Rummy Bo is a basic rummy for 2 to 6 seats, two cards drawn a turn.",
    "made": "a planner, improved by policy iteration",
    "limits": "Trained on hands of at most 100 turns.",
}
