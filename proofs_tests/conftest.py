"""Hypothesis as all tests here use it: the same cases in every run, unless a seed asks for others."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

pytest_plugins = ["pytester"]

DEFAULT_EXAMPLES = 100


def pytest_configure(config: pytest.Config) -> None:
    """Derandomised, unless ``--hypothesis-seed`` is given; a failure prints the blob that brings it back."""
    seeded = config.getoption("--hypothesis-seed", default=None) is not None
    settings.register_profile(
        "ratproof",
        max_examples=int(os.environ.get("RATPROOF_EXAMPLES", DEFAULT_EXAMPLES)),
        derandomize=not seeded,
        database=None,
        deadline=None,
        print_blob=True,
        report_multiple_bugs=False,
        # no explain phase: it takes longer than the search, and says no more than the two scores do
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("ratproof")
