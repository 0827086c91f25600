"""Measure bots against each other on mirrored deals: configs/evaluate.yaml has every setting.

    python scripts/evaluate.py lineup=[planner,greedy,greedy,greedy]
    python scripts/evaluate.py lineup=[policy:checkpoints/jo.safetensors,greedy] seats=4 num_deals=500 seed=7
    python scripts/evaluate.py lineup=[policy:checkpoints/jo,planner] settings.rounds=[7]

Every deal is played once for every rotation of the seats. Bots are those of jo_env/bots.py: a name,
policy:PATH for a checkpoint or a bundle, package.module:Class or file.py:Class. The same settings give
the same figures.
"""

import os
import sys
from pathlib import Path

# Waiting OpenMP threads must sleep, not spin: a busy core next door would cost a factor of ten.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hydra
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.files import write_atomically
from agents.report import EvaluateConfig, dump, evaluate, table
from jo_env.bots import BotError
from jo_env.errors import IllegalActionError, SettingsError

ConfigStore.instance().store(name="evaluate_schema", node=EvaluateConfig)


@hydra.main(version_base="1.3", config_path="../configs", config_name="evaluate")
def main(config: DictConfig) -> None:
    settings: EvaluateConfig = OmegaConf.to_object(config)  # type: ignore[assignment]
    console = Console()
    columns = (TextColumn("deals"), BarColumn(30), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    try:
        with bar:
            task = bar.add_task("", total=settings.num_deals)
            report = evaluate(settings, lambda done: bar.update(task, completed=done))
        console.print(table(report))  # first, so that a disk that is full loses no figures
        write_atomically(Path(settings.out), lambda temporary: temporary.write_text(dump(report)))
    except KeyboardInterrupt:
        sys.exit(130)
    except (BotError, IllegalActionError, SettingsError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    console.print(f"written to {settings.out}", highlight=False)


if __name__ == "__main__":
    main()
