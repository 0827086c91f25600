"""Make a planner better by what its hands show (agents/iteration): configs/iterate.yaml has every number.

    python scripts/iterate.py name=mine
    python scripts/iterate.py name=quick iterations=1 files=4 rows=50000
    python scripts/iterate.py --config-name iterate_rummy_bo

The same command goes on where it stopped. `advantages.npz` in the run's folder is what was learned; copied to
agents/<game>/iteration/ it is what `planner-improved` plays by.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hydra
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from agents.iteration.loop import IterateConfig, iterate

ConfigStore.instance().store(name="iterate_schema", node=IterateConfig)


@hydra.main(version_base="1.3", config_path="../configs", config_name="iterate")
def main(config: DictConfig) -> None:
    settings: IterateConfig = OmegaConf.to_object(config)  # type: ignore[assignment]
    console = Console(highlight=False)
    try:
        iterate(settings, console.print)
    except KeyboardInterrupt:
        sys.exit(130)
    except (ValueError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
