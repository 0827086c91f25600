"""The model card of a bundle, and what it says of strength."""

from types import ModuleType

from jo_env.fields import Json

CARD = """# A policy for {title}

{game} The policy reads what one seat may know and gives a logit
for each of {num_actions} actions; `expert` plays the likeliest legal one, the other levels draw from them.

**How it was made.** A network that learned {decisions} of a teacher: {made}.

**How strong it is.** Share of whole games won by one seat against the same bot in all others, mirrored deals,
± the half-width of a 95 % interval by deal.

{strengths}

**Limits.** {limits} It does not model who its opponents are, and it does not bluff.

**Playing it.** `model.onnx` takes `features` (`observation.json`) and gives `logits` (`actions.json`).
`vectors.jsonl` has about 200 views with all of these and the moves, to test a port against; `manifest.json`
has the checksums.
"""


def strength(made: Json) -> Json:
    """How strong the first bot of an evaluation was; raises `ValueError` for what is none."""
    try:
        first = made["results"][0]
        return {
            "level": first["bot"].rpartition("@")[2] if "@" in first["bot"] else "expert",
            "against": sorted(set(made["lineup"][1:])),
            **{key: made[key] for key in ("seats", "num_deals", "seed")},
            **{key: first[key] for key in ("win_rate", "mean_points", "mean_rank")},
        }
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        problem = f"no evaluation of scripts/evaluate.py ({type(error).__name__}: {error})"
        raise ValueError(problem) from error


def card(game: ModuleType, source: Json, figures: list[Json]) -> str:
    """The text of a bundle's README.md; `source` is where the policy came from."""
    rows = [
        f"| {one['level']} | {', '.join(one['against'])} | {one['seats']} | {one['num_deals']} | "
        f"{one['win_rate']['mean']:.1%} ± {one['win_rate']['margin']:.1%} | {1 / one['seats']:.1%} |"
        for one in figures
    ]
    head = ["| level | against | seats | deals | games won | chance |", "|---|---|---|---|---|---|"]
    decisions = f"{source['decisions'] / 1e6:.1f} million decisions" if "decisions" in source else "decisions"
    return CARD.format(
        **game.ABOUT,
        num_actions=game.room.NUM_ACTIONS,
        decisions=decisions,
        strengths="\n".join(head + rows) if rows else "Not measured.",
    )
