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
    """Looks at a bundle every `seconds`; one that is not as it must be is refused until its files change."""

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
        self._refused: Files | None = None  # as they were when they were refused
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="bundle watcher")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def look(self) -> bool:
        """Whether a new bundle was there and now answers."""
        files = files_of(self.bundle)
        if files == self._refused:
            return False
        try:
            found = bundle_id(self.bundle)
        except BundleError:
            return False  # gone for the moment in which it is replaced
        if found == self.service.model.id:
            return False
        try:
            model = load_model(self.bundle, self.service.model.guard.patience)
        except BundleError as error:
            # It may be one that is being copied, file by file: when there is more of it, it is tried again.
            self._refused = files
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
            try:
                self.look()
            except Exception:
                log.exception("the bundle could not be looked at")


Files = list[tuple[str, int, int]]


def files_of(bundle: Path) -> Files:
    """Name, size and time of the files of a bundle, a folder or .zip."""
    try:
        paths = sorted(bundle.iterdir()) if bundle.is_dir() else [bundle]
        return [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    except OSError:
        return []
