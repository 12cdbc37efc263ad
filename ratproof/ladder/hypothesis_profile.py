"""Hypothesis as it was: runs inside a program change its profile, and leave it as they came upon it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import configuration, core, settings
from hypothesis.internal.conjecture import providers

from automata.cache_folder import cache_folder

BEFORE = "before-ratproof"
STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""The environment variable that names the folder in which Hypothesis keeps what it can make again."""


def forget_constants() -> None:
    """Let Hypothesis draw no constants from the local modules that happen to be imported.

    It prefers numbers that stand in them, so that derandomised cases were others for one claim than for all,
    and others in a clone than in an installed package. Hypothesis has no setting for it.
    """
    if hasattr(providers, "_get_local_constants") and hasattr(providers, "_local_constants"):
        nothing = type(providers._local_constants)()
        providers._get_local_constants = lambda: nothing
        providers.CONSTANTS_CACHE.cache.clear()


@contextmanager
def unchanged_afterwards() -> Iterator[None]:
    """What runs inside may load a profile, force a seed as pytest's ``--hypothesis-seed`` does, or forget
    constants: afterwards all is as before.
    """
    constants = getattr(providers, "_get_local_constants", None)
    profile, seed, storage = settings(), core.global_force_seed, os.environ.get(STORAGE)
    os.environ.setdefault(STORAGE, str(cache_folder("hypothesis")))  # not the folder that we happen to be in
    try:
        yield
    finally:
        if storage is None:
            os.environ.pop(STORAGE, None)
            configuration.set_hypothesis_home_dir(None)  # it looks again when it is asked next
        if constants is not None:
            providers._get_local_constants = constants
            providers.CONSTANTS_CACHE.cache.clear()
        settings.register_profile(BEFORE, profile)
        settings.load_profile(BEFORE)
        core.global_force_seed = seed
