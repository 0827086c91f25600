"""One scale for many bots: a Plackett-Luce fit of how games between them ended.

The model: whoever is best of a table is drawn with chances in proportion to exp(strength), then the best of
the rest, and so on (Plackett, 1975; for two seats it is Bradley-Terry). Ratings are strengths on the scale of
Elo, 400 / ln 10 each, with one bot held at a fixed point.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np

ELO = 400 / np.log(10)
ANCHOR_RATING = 1000.0
TOLERANCE = 1e-9  # of a step of the fit, in strengths


@dataclass(frozen=True)
class Game:
    """How one game ended."""

    deal: str  # games of one deal are not independent of each other
    bots: tuple[str, ...]  # by seat
    worths: tuple[int, ...]  # of the final totals: the highest wins


@dataclass(frozen=True)
class Rating:
    bot: str
    rating: float
    margin: float  # half-width of the 95 % interval, clustered by deal; 0 for the anchor
    num_games: int


def read_log(path: Path) -> list[Game]:
    """The games of a log, a JSON object a line; raises `ValueError` for a line that is none."""
    games = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            row = json.loads(line)
            games.append(Game(row["deal"], tuple(row["bots"]), tuple(row["worths"])))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: is no game ({error!r})") from error
    return games


def fit_ratings(games: Sequence[Game], anchor: str) -> list[Rating]:
    """The ratings of all bots in `games`, best first, where `anchor` has `ANCHOR_RATING`.

    Every other bot is given one tie with the anchor, so that one that never won or lost has a rating too.
    Raises `ValueError` where the anchor played no game.
    """
    bots = sorted({bot for game in games for bot in game.bots})
    if anchor not in bots:
        raise ValueError(f"{anchor} played none of the games; these did: {', '.join(bots) or 'nobody'}")
    place = {bot: i for i, bot in enumerate(bots)}
    ties = [Game(f"tie with {bot}", (bot, anchor), (0, 0)) for bot in bots if bot != anchor]
    orders, weights, deals = _orders([*games, *ties], place)
    free = np.array([i for i, bot in enumerate(bots) if bot != anchor], int)
    strengths = np.zeros(len(bots))  # the anchor's stays 0
    while len(free):
        gradients, hessian = _derivatives(orders, weights, strengths)
        step = np.linalg.solve(hessian[np.ix_(free, free)], gradients.sum(0)[free])
        strengths[free] += np.clip(step, -1, 1)
        if np.abs(step).max() < TOLERANCE:
            break
    margins = np.zeros(len(bots))
    if len(free):
        # Huber's sandwich: the deals are independent, the games of one deal are not.
        by_deal = np.zeros((deals.max() + 1, len(bots)))
        np.add.at(by_deal, deals, gradients)
        inverse = np.linalg.inv(hessian[np.ix_(free, free)])
        covariance = inverse @ (by_deal[:, free].T @ by_deal[:, free]) @ inverse
        margins[free] = 1.96 * np.sqrt(np.diag(covariance))
    played = np.zeros(len(bots), int)
    for game in games:
        for bot in set(game.bots):
            played[place[bot]] += 1
    ratings = [
        Rating(bot, ANCHOR_RATING + ELO * strengths[i], ELO * margins[i], int(played[i]))
        for i, bot in enumerate(bots)
    ]
    return sorted(ratings, key=lambda rating: -rating.rating)


def _orders(games: Iterable[Game], place: dict[str, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(orders int[N, seats], best first, padded with -1; weights float64[N]; deals int[N]) of the games.

    Equal totals stand for all orders of those seats, in equal parts.
    """
    games = list(games)
    seats = max(len(game.bots) for game in games)
    rows, weights, deals = [], [], []
    numbers: dict[str, int] = {}
    for game in games:
        groups = [
            [place[bot] for bot, worth in zip(game.bots, game.worths, strict=True) if worth == level]
            for level in sorted(set(game.worths), reverse=True)
        ]
        ways = list(product(*[list(permutations(group)) for group in groups]))
        for way in ways:
            order = [bot for group in way for bot in group]
            rows.append(order + [-1] * (seats - len(order)))
            weights.append(1 / len(ways))
            deals.append(numbers.setdefault(game.deal, len(numbers)))
    return np.array(rows), np.array(weights), np.array(deals)


def _derivatives(orders, weights, strengths) -> tuple[np.ndarray, np.ndarray]:
    """Of the log-likelihood: gradients float64[N, bots] by order, minus the Hessian float64[bots, bots]."""
    num_orders, num_places = orders.shape
    num_bots = len(strengths)
    gradients = np.zeros((num_orders, num_bots))
    hessian = np.zeros((num_bots, num_bots))
    rows = np.arange(num_orders)
    odds = np.where(orders >= 0, np.exp(strengths[orders]), 0.0)
    for stage in range(num_places - 1):
        is_choice = orders[:, stage + 1] >= 0  # the last of a table is no choice
        left = odds[:, stage:] * is_choice[:, None]
        shares = left / np.maximum(left.sum(1, keepdims=True), 1e-300)
        chances = np.zeros((num_orders, num_bots))
        for i in range(num_places - stage):
            np.add.at(chances, (rows, orders[:, stage + i]), shares[:, i])
        np.add.at(gradients, (rows, orders[:, stage]), is_choice * weights)
        gradients -= chances * weights[:, None]
        weighted = chances * weights[:, None]
        hessian += np.diag(weighted.sum(0)) - weighted.T @ chances
    return gradients, hessian


def cyclic_triples(games: Sequence[Game]) -> tuple[int, int]:
    """(how many triples of bots beat each other in a circle, how many have met in all three pairs).

    A bot beats another if it ends ahead of it in more than half of the games in which they met.
    """
    ahead: dict[tuple[str, str], float] = {}
    for game in games:
        for i, j in combinations(range(len(game.bots)), 2):
            if game.bots[i] != game.bots[j]:
                sign = float(np.sign(game.worths[i] - game.worths[j]))
                for pair, by in (((i, j), sign), ((j, i), -sign)):
                    key = (game.bots[pair[0]], game.bots[pair[1]])
                    ahead[key] = ahead.get(key, 0.0) + by
    bots = sorted({bot for pair in ahead for bot in pair})
    cyclic = total = 0
    for a, b, c in combinations(bots, 3):
        if (a, b) in ahead and (b, c) in ahead and (a, c) in ahead:
            total += 1
            signs = (np.sign(ahead[a, b]), np.sign(ahead[b, c]), np.sign(ahead[c, a]))
            cyclic += abs(sum(signs)) == 3
    return cyclic, total
