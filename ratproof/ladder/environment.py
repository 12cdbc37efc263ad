"""The process as the evidence wants it: Hypothesis's settings, threads of libraries, Triton without a GPU."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from hypothesis import HealthCheck, Phase, configuration, core, settings
from hypothesis.internal.conjecture import providers

from automata.cache_folder import cache_folder

EXAMPLES = 100
"""Random cases a rung, unless the user or the claim says otherwise."""
BEFORE = "before-ratproof"
STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""The environment variable that names the folder in which Hypothesis keeps what it can make again."""
THREADS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def load_profile(examples: int | None = None, seeded: bool = False) -> None:
    """Have Hypothesis draw that many cases, the same in every run unless a seed is given."""
    settings.register_profile(
        "ratproof",
        max_examples=EXAMPLES if examples is None else examples,
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


def forget_constants() -> None:
    """Let Hypothesis draw no constants from the local modules that happen to be imported.

    It prefers numbers that stand in them, so that derandomised cases were others for one claim than for all,
    and others in a clone than in an installed package. Hypothesis has no setting for it.
    """
    if hasattr(providers, "_get_local_constants") and hasattr(providers, "_local_constants"):
        nothing = type(providers._local_constants)()
        providers._get_local_constants = lambda: nothing
        providers.CONSTANTS_CACHE.cache.clear()


def interpret_triton() -> None:
    """Have Triton's interpreter run its kernels if there is no GPU. Call this before Triton is imported."""
    if find_spec("triton") is not None:
        import torch

        if not torch.cuda.is_available():
            os.environ.setdefault("TRITON_INTERPRET", "1")


@contextmanager
def one_thread_each(processes: int) -> Iterator[None]:
    """Within the block, processes that are started use one thread each if there are several of them."""
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
