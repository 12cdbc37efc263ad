"""Settings of the process: Hypothesis's profile, the number of threads, and Triton's interpreter."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from hypothesis import HealthCheck, Phase, configuration, core, settings
from hypothesis._settings import local_settings
from hypothesis.internal.conjecture import providers

from automata.cache_folder import cache_folder

EXAMPLES = 100
"""Default number of random cases per kind of evidence."""
STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""The environment variable for the folder in which Hypothesis caches data."""
THREADS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def load_profile(examples: int | None = None, seeded: bool = False) -> None:
    """Configure Hypothesis to draw this many cases.

    The cases are the same in every run, unless ``seeded`` is true.
    """
    settings.register_profile(
        "ratproof",
        max_examples=EXAMPLES if examples is None else examples,
        derandomize=not seeded,
        database=None,
        deadline=None,
        print_blob=True,
        report_multiple_bugs=False,
        # no explain phase: it takes longer than the search, and a counterexample already shows both scores
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("ratproof")
    if not seeded:
        forget_constants()


def forget_constants() -> None:
    """Prevent Hypothesis from drawing constants that occur in the imported local modules.

    Hypothesis prefers these constants, so derandomised cases would depend on the imported modules. The cases
    would differ between a run of one claim and a run of all claims, and between a clone and an installed
    package. Hypothesis has no setting to switch this off.
    """
    if hasattr(providers, "_get_local_constants") and hasattr(providers, "_local_constants"):
        nothing = type(providers._local_constants)()
        providers._get_local_constants = lambda: nothing
        providers.CONSTANTS_CACHE.cache.clear()


def interpret_triton() -> None:
    """Use Triton's interpreter for its kernels if there is no GPU. Call this before Triton is imported."""
    if find_spec("triton") is not None:
        import torch

        if not torch.cuda.is_available():
            os.environ.setdefault("TRITON_INTERPRET", "1")


@contextmanager
def one_thread_each(processes: int) -> Iterator[None]:
    """Limit processes that start within the block to one thread each, if there are several processes."""
    before = {name: os.environ.get(name) for name in THREADS}
    if processes > 1:
        os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def unchanged_afterwards() -> Iterator[None]:
    """Restore Hypothesis's profile, forced seed, storage folder and constants after the block."""
    constants = getattr(providers, "_get_local_constants", None)
    profile, seed, storage = settings._current_profile, core.global_force_seed, os.environ.get(STORAGE)
    # Hypothesis's default is in the current folder
    os.environ.setdefault(STORAGE, str(cache_folder("hypothesis")))
    try:
        with local_settings(settings.default or settings()):  # the caller may be a test that has settings of its own
            yield
    finally:
        if storage is None:
            os.environ.pop(STORAGE, None)
            # the next use of Hypothesis then determines the folder again
            configuration.set_hypothesis_home_dir(None)
        if constants is not None:
            providers._get_local_constants = constants
            providers.CONSTANTS_CACHE.cache.clear()
        settings._current_profile = profile
        core.global_force_seed = seed
