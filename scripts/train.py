"""Train a policy: configs/train.yaml has every number, configs/experiment/ has whole runs.

    python scripts/train.py                                    # the default run
    python scripts/train.py experiment=demo name=mine          # five minutes
    python scripts/train.py name=mine ppo.gae_lambda=0.9       # change a number
    python scripts/train.py -m hydra/launcher=joblib ranks=1 'name=sweep-${seed}' seed=1,2   # a sweep
    tensorboard --logdir runs                                  # watch

A run started again goes on from its last saved state.
"""

import os
import sys
from pathlib import Path

# Waiting OpenMP threads must sleep, not spin: a busy core next door would cost a factor of ten.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("LOGLEVEL", "ERROR")  # torchrun: a rank says itself what went wrong
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from agents.checkpoint import CheckpointError
from agents.config import ConfigError, TrainConfig
from agents.progress import Progress
from agents.ranks import run_ranks
from agents.trainer import DivergedError, Trainer
from jo_env.bots import BotError
from jo_env.errors import IllegalActionError

ConfigStore.instance().store(name="train_schema", node=TrainConfig)


@hydra.main(version_base="1.3", config_path="../configs", config_name="train")
def main(config: DictConfig) -> None:
    train_config: TrainConfig = OmegaConf.to_object(config)  # type: ignore[assignment]
    try:
        train_config.check()
        if train_config.ranks > 1 and HydraConfig.get().mode is RunMode.MULTIRUN:
            raise ConfigError(
                f"ranks={train_config.ranks}: the runs of a sweep share the cores; give ranks=1"
            )
        if train_config.ranks > 1 and "RANK" not in os.environ:
            sys.exit(run_ranks(train_config.ranks, [os.path.abspath(__file__), *sys.argv[1:]]))
        else:
            progress = Progress(train_config)
            try:
                trainer = Trainer(train_config, progress)
                trainer.run()
            finally:
                progress.close()
            if trainer.stopping and "RANK" not in os.environ:
                sys.exit(130)  # as a shell has it: what comes after `&&` waits for a finished run
    except (BotError, CheckpointError, ConfigError, DivergedError, IllegalActionError, OSError) as error:
        speaks = os.environ.get("RANK", "0") == "0" or isinstance(error, OSError)  # the rest all ranks share
        sys.exit(f"{type(error).__name__}: {error}" if speaks else 1)


if __name__ == "__main__":
    main()
