"""Functions that the benchmarks share: they time runs, describe the machine, and write the figures."""

import argparse
import json
import os
import platform
import resource
import sys
from collections.abc import Callable, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

OTHER = {"cpu": 2**26, "cuda": 2**28}
"""The size of the array that is written between runs, in 4-byte elements, by device.

The array is larger than any cache. On a GPU, writing it takes longer than the CPU needs to start a run.
"""
KEPT = {"MALLOC_TRIM_THRESHOLD_": str(2**40), "MALLOC_MMAP_THRESHOLD_": str(2**40)}
"""Environment variables that make glibc keep freed memory, as happens eventually in a long training run.

Without them, some measurements include the time in which the system provides new pages.
"""
Run = Callable[[], object]


def seconds(run: Run) -> float:
    """Return the time of one run in seconds."""
    begun = perf_counter()
    run()
    return perf_counter() - begun


def median(run: Run, times: int) -> float:
    """Return the median time of several runs in seconds.

    If ``times`` is more than 1, a warm-up run that is not measured comes first.
    """
    if times > 1:
        run()
    return sorted(seconds(run) for _ in range(times))[times // 2]


def interleaved(
    runs: Mapping[str, Run], times: int, device: str, least: bool = False, from_memory: bool = False
) -> dict[str, float]:
    """Measure the runs ``times`` times, alternately, and return the time of each run in milliseconds.

    The time is the median, or the minimum if ``least`` is true. If ``from_memory`` is true, and always on a
    GPU, other memory is written before each run, so that no run finds its arrays in the cache. Otherwise, the
    order of the runs would determine how much of their arrays is in the cache.
    """
    import torch

    taken: dict[str, list[float]] = {name: [] for name in runs}
    on_gpu = device != "cpu"
    other = torch.zeros(OTHER[device] if from_memory or on_gpu else 0, device=device)
    for turn in range(times + 2):
        for name, run in runs.items():
            other += 1
            milliseconds = _on_gpu(run) if on_gpu else 1000 * seconds(run)
            if turn > 1:
                taken[name].append(milliseconds)
    return {name: min(t) if least else sorted(t)[len(t) // 2] for name, t in taken.items()}


def _on_gpu(run: Run) -> float:
    """Return the milliseconds that the GPU takes for a run.

    Before the call, other work must keep the GPU busy until the run is launched.
    """
    import torch

    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begun.record()
    run()
    ended.record()
    ended.synchronize()
    return float(begun.elapsed_time(ended))


def keep_memory() -> None:
    """Restart this program with the environment variables :data:`KEPT`, unless they are already set."""
    if not KEPT.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEPT})


def gigabytes() -> float:
    """Return the peak memory of the process in gigabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def host(*packages: str) -> dict[str, Any]:
    """Return the date, the number of cores, the architecture, and the versions of Python and the packages."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return {
        "date": str(date.today()),
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "versions": ", ".join([python, *(f"{name} {version(name)}" for name in packages)]),
    }


def on_device(of_gpus: bool = True) -> tuple[str, dict[str, Any], str | None]:
    """Parse the command line ``[--device cuda] [FILE]``.

    Return the device, its description, and FILE or ``None``. If ``of_gpus`` is false, there is no
    ``--device``.
    """
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?")
    if of_gpus:
        parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    device = getattr(arguments, "device", "cpu")
    on_gpu = device != "cpu"
    name = torch.cuda.get_device_name() if on_gpu else platform.machine()
    about = {"date": str(date.today()), "device": name, "torch": torch.__version__}
    return device, about, arguments.file


def show(what: object, row: Mapping[str, Any] | None = None) -> None:
    """Print a line: ``what``, followed by the names and values in ``row`` that are numbers or strings."""
    cells = ((name, x) for name, x in (row or {}).items() if isinstance(x, float | int | str | bool))
    shown = ", ".join(f"{name} {x:.3g}" if isinstance(x, float) else f"{name} {x}" for name, x in cells)
    print(f"{what}: {shown}" if shown else what, flush=True)


def write(results: Mapping[str, Any], file: str | None) -> None:
    """Write the figures to ``file`` as JSON, unless it is ``None``."""
    if file is not None:
        Path(file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def argument(number: int) -> str | None:
    """Return the command-line argument with this number, or ``None`` if there are fewer arguments."""
    return sys.argv[number] if len(sys.argv) > number else None
