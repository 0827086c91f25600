"""A service from a bundle: its levels of play, and what stands in for the model."""

from pathlib import Path

import numpy as np

from agents.bundle import MANIFEST, load_bundle
from agents.heuristics.planner import Planner
from agents.levels import LEVELS
from agents.serving.requests import MAX_DEADLINE_MS
from agents.serving.service import FirstLegal, Service, play
from agents.versions import sha256
from jo_env import jo


def load_service(bundle: Path | str | None) -> Service:
    """The service of a bundle folder, or of the planner alone; raises `BundleError`."""
    heuristic = Planner()
    if bundle is None:
        return warmed_up(Service(dict.fromkeys(LEVELS, heuristic), heuristic))
    bot, _ = load_bundle(bundle)
    model_id = f"sha256:{sha256((Path(bundle) / MANIFEST).read_bytes())}"
    levels = {name: bot.at(level) for name, level in LEVELS.items()}
    return warmed_up(Service(levels, heuristic, model_id))


def warmed_up(service: Service) -> Service:
    """The service, with all compiled code it needs at hand before the first request."""
    games = jo.new_games(1)
    jo.start(games, np.zeros(1, np.uint64), np.zeros(1, np.int64))
    for phase in (jo.Phase.BUY, jo.Phase.DRAW, jo.Phase.PLAY):
        while games["phase"][0] != phase:
            play(games, FirstLegal().move(games.copy(), 0))
        view = jo.view_json(games[0], int(games["acting"][0]), [])
        for bot in (*service.levels.values(), service.heuristic):
            bot.act(view)
        service.answer({"id": 0, "view": view, "deadline_ms": MAX_DEADLINE_MS})
    return service
