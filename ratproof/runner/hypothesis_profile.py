"""Hypothesis as it was: runs inside a program change its profile, and leave it as they came upon it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import core, settings

BEFORE = "before-ratproof"


@contextmanager
def unchanged_afterwards() -> Iterator[None]:
    """What runs inside may load a profile, or force a seed as pytest's ``--hypothesis-seed`` does: afterwards
    both are as before.
    """
    profile, seed = settings(), core.global_force_seed
    try:
        yield
    finally:
        settings.register_profile(BEFORE, profile)
        settings.load_profile(BEFORE)
        core.global_force_seed = seed
