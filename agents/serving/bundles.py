"""Takes on a new bundle when the one in the folder is replaced, while requests are being answered."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from agents.bundle import BundleError, bundle_id
from agents.serving.models import load_model
from agents.serving.service import Service

log = logging.getLogger(__name__)


class BundleWatcher:
    """Looks at a bundle folder every `seconds`; a bundle that is not as it must be is refused, once."""

    def __init__(
        self,
        service: Service,
        bundle: Path,
        seconds: float = 1.0,
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        self.service = service
        self.bundle = bundle
        self.seconds = seconds
        self.refused = refused
        self._last = service.model.id  # the last one looked at, taken on or not
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="bundle watcher")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def look(self) -> bool:
        """Whether a new bundle was there and now answers."""
        try:
            found = bundle_id(self.bundle)
        except BundleError:
            return False  # gone for the moment in which it is replaced
        if found == self._last:
            return False
        self._last = found
        try:
            model = load_model(self.bundle)
        except BundleError as error:
            log.error("a new bundle is refused, %s goes on: %s", self.service.model.id, error)
            self.refused()
            return False
        if model.game is not self.service.game:
            played = self.service.game.room.GAME_NAME
            log.error("a new bundle is refused, it plays %s, not %s", model.game.room.GAME_NAME, played)
            self.refused()
            return False
        self.service.replace(model)
        log.warning("bundle %s answers from now on", model.id)
        return True

    def _watch(self) -> None:
        while not self._stop.wait(self.seconds):
            self.look()
