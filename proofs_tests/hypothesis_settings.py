"""Hypothesis's settings for all tests, and for the evidence."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

from ratproof.ladder.hypothesis_profile import forget_constants

DEFAULT_EXAMPLES = 100


def load_profile(seeded: bool = False) -> None:
    """Derandomised, unless a seed is given; a failure prints the blob that brings it back."""
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
    if not seeded:
        forget_constants()
