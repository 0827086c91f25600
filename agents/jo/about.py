"""What a model card says of Jo and of policies for it."""

ABOUT = {
    "title": "Jo",
    "game": "Jo is a contract rummy of seven rounds for 2 to 4 seats.",
    "made": "a planner, improved by policy iteration",
    "limits": "Trained on two packs and the goals of these rules; hands of over 100 turns were not seen.",
}
