"""The same engine uncompiled and bounds-checked plays the same games, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rummy_bo.replay import digest

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "switch, num_games, num_steps",
    [("NUMBA_DISABLE_JIT", 3, 100), ("NUMBA_BOUNDSCHECK", 24, 1500)],
)
def test_the_same_games_however_the_engine_is_built(switch, num_games, num_steps):
    path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "rummy_bo.replay", str(num_games), str(num_steps)],
        env={**os.environ, switch: "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == digest(num_games, num_steps)
