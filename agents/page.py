"""Evaluations and ratings as one HTML page that needs nothing else: dots with their intervals, and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from agents.ratings import Rating
from agents.report import Json

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222 }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: 14px } th, td { padding: .2rem .8rem; text-align: right }
th:first-child, td:first-child { text-align: left } tr + tr { border-top: 1px solid #ddd }
svg text { font: 13px system-ui, sans-serif } code { font-size: 13px } figure { margin: 1rem 0 }
"""
ROW, LABEL, PLOT, FIGURE = 26, 330, 420, 130  # pixels: a row's height, and the widths of its three parts


@dataclass(frozen=True)
class Dot:
    """A figure with the half-width of its 95 % interval."""

    label: str
    mean: float
    margin: float
    text: str


def page(evaluations: Sequence[Json], ratings: Sequence[Rating], title: str) -> str:
    """The whole page, for evaluations as `agents.report.evaluate` returns them."""
    parts = [f"<h1>{escape(title)}</h1>"]
    parts.append(
        "<p>Whole games on mirrored deals: every deal is played once for every rotation of the seats. Bars "
        "are 95 % intervals, clustered by deal.</p>"
    )
    for seats in sorted({made["seats"] for made in evaluations}):
        some = [made for made in evaluations if made["seats"] == seats]
        parts.append(f"<h2>Games won, {seats} seats</h2>")
        parts.append(dots([won(made) for made in some], reference=1 / seats, note=f"chance {1 / seats:.0%}"))
        parts.append("<h3>Points by hand</h3>" + "".join(points_table(made) for made in some))
    if ratings:
        parts.append("<h2>Ratings</h2><p>Plackett-Luce, on the scale of Elo.</p>")
        rated = [Dot(r.bot, r.rating, r.margin, f"{r.rating:.0f} ± {r.margin:.0f}") for r in ratings]
        parts.append(dots(rated, reference=None, note=""))
    parts.append(
        "<h2>How to get these figures</h2>" + "".join(f"<p>{command(made)}</p>" for made in evaluations)
    )
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def lineup(made: Json) -> str:
    """The line-up in words: the first bot against the others."""
    first, *rest = (row["bot"] for row in made["results"])
    others = " + ".join(dict.fromkeys(rest))
    return f"{first} against {others}"


def won(made: Json) -> Dot:
    figure = made["results"][0]["win_rate"]
    text = f"{figure['mean']:.1%} ± {figure['margin']:.1%}"
    return Dot(lineup(made), figure["mean"], figure["margin"], text)


def dots(rows: Sequence[Dot], reference: float | None, note: str) -> str:
    """Rows of a dot and its interval on one scale, with a line where `reference` is."""
    ends = [x for row in rows for x in (row.mean - row.margin, row.mean + row.margin)]
    ends += [] if reference is None else [reference]
    low, high = min(ends), max(ends)
    pad = 0.06 * (high - low or 1)
    low, high = low - pad, high + pad

    def place(x: float) -> float:
        return round(LABEL + PLOT * (x - low) / (high - low), 1)

    height = ROW * (len(rows) + 1)
    drawn = []
    if reference is not None:
        x = place(reference)
        drawn.append(
            f'<line x1="{x}" x2="{x}" y1="0" y2="{ROW * len(rows)}" stroke="#c33" stroke-dasharray="4 3"/>'
        )
        drawn.append(f'<text x="{x}" y="{height - 8}" fill="#c33" text-anchor="middle">{escape(note)}</text>')
    for i, row in enumerate(rows):
        y = ROW * i + ROW // 2
        ends_at = place(row.mean - row.margin), place(row.mean + row.margin)
        drawn.append(f'<text x="{LABEL - 12}" y="{y + 4}" text-anchor="end">{escape(row.label)}</text>')
        drawn.append(
            f'<line x1="{ends_at[0]}" x2="{ends_at[1]}" y1="{y}" y2="{y}" stroke="#36c" stroke-width="3"/>'
        )
        drawn.append(f'<circle cx="{place(row.mean)}" cy="{y}" r="5" fill="#36c"/>')
        drawn.append(f'<text x="{LABEL + PLOT + 10}" y="{y + 4}">{escape(row.text)}</text>')
    width = LABEL + PLOT + FIGURE
    return (
        f'<figure><svg viewBox="0 0 {width} {height}" width="100%" role="img">{"".join(drawn)}</svg></figure>'
    )


def points_table(made: Json) -> str:
    """Mean points of every bot of a line-up in each hand; bots of one name share a row."""
    hands = range(len(made["results"][0]["points_by_hand"]))
    head = "".join(
        f"<th>{name}</th>" for name in (escape(lineup(made)), *(f"hand {i + 1}" for i in hands), "all")
    )
    rows = []
    for name in dict.fromkeys(row["bot"] for row in made["results"]):
        same = [row for row in made["results"] if row["bot"] == name]
        figures = [sum(row["points_by_hand"][i]["mean"] for row in same) / len(same) for i in hands]
        figures.append(sum(row["mean_points"]["mean"] for row in same) / len(same))
        cells = "".join(f"<td>{figure:.1f}</td>" for figure in figures)
        rows.append(f"<tr><td>{escape(name)}</td>{cells}</tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def command(made: Json) -> str:
    names = ",".join(row["bot"] for row in made["results"])
    numbers = " ".join(f"{key}={made[key]}" for key in ("num_deals", "seed"))
    text = f"python scripts/evaluate.py game={made['game']} lineup=[{names}] {numbers}"
    return f"<code>{escape(text)}</code>"
