"""Train a policy: configs/train.yaml has every number, configs/experiment/ has whole runs.

    python scripts/train.py                                    # the default run
    python scripts/train.py experiment=demo name=mine          # five minutes
    python scripts/train.py name=mine ppo.gae_lambda=0.9       # change a number
    tensorboard --logdir runs                                  # watch

A run started again goes on from its last saved state.
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
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

from agents.checkpoint import CheckpointError
from agents.progress import Progress
from agents.trainer import ConfigError, TrainConfig, Trainer
from jo_env.bots import BotError

ConfigStore.instance().store(name="train_schema", node=TrainConfig)


def run_ranks(count: int) -> None:
    """Run this script as `count` processes under torchrun; what went wrong in one, it has said itself."""
    os.environ.setdefault("LOGLEVEL", "ERROR")
    try:
        torchrun(["--standalone", f"--nproc-per-node={count}", os.path.abspath(__file__), *sys.argv[1:]])
    except SignalException:
        print("stopped; the same command goes on from here")
    except ChildFailedError:
        sys.exit(1)


@hydra.main(version_base="1.3", config_path="../configs", config_name="train")
def main(config: DictConfig) -> None:
    train_config: TrainConfig = OmegaConf.to_object(config)  # type: ignore[assignment]
    try:
        train_config.check()
        if train_config.ranks > 1 and "RANK" not in os.environ:
            run_ranks(train_config.ranks)
        else:
            Trainer(train_config, Progress(train_config)).run()
    except (BotError, CheckpointError, ConfigError) as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
