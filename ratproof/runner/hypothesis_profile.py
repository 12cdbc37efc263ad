"""Hypothesis as it was: runs inside a program change its profile, and leave it as they came upon it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import core, settings

from ratproof.process.cache_folder import cache_folder

BEFORE = "before-ratproof"
STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""The environment variable that names the folder in which Hypothesis keeps what it can make again."""


@contextmanager
def unchanged_afterwards() -> Iterator[None]:
    """What runs inside may load a profile, or force a seed as pytest's ``--hypothesis-seed`` does: afterwards
    both are as before.
    """
    profile, seed, storage = settings(), core.global_force_seed, os.environ.get(STORAGE)
    os.environ.setdefault(STORAGE, str(cache_folder("hypothesis")))  # not the folder that we happen to be in
    try:
        yield
    finally:
        if storage is None:
            os.environ.pop(STORAGE, None)
        settings.register_profile(BEFORE, profile)
        settings.load_profile(BEFORE)
        core.global_force_seed = seed
