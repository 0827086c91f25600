"""What all tests share: property tests that are the same on every run, and leave nothing behind."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "jo",
    deadline=None,  # the first call compiles
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("jo")
