"""What all tests share: one thread each, and property tests that are the same on every run."""

import os

# Before torch is imported: threads that wait for each other on busy cores make a second's work a minute's.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings

settings.register_profile(
    "jo",
    deadline=None,  # the first call compiles
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("jo")
