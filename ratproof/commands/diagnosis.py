"""The command ``doctor``."""

from __future__ import annotations

import platform
import shutil
import subprocess
import textwrap
from importlib.metadata import PackageNotFoundError, version

from ratproof import __version__
from ratproof.commands.app import AsJson, app, example
from ratproof.process.json_answers import print_json
from ratproof.process.streams import WIDTH

PACKAGES = {
    "torch": "networks",
    "pynini": "cross-checked evidence",
    "numba": "large automata, and Forward over max-plus",
    "triton": "recurrences on a GPU",
}
"""Packages that ``doctor`` looks for, and the features that need them."""
PROGRAMS = {"coqc": "kernel-checked evidence", "c++": "recurrences at the speed of memory"}
TYPES = ("float32", "float64", "bfloat16", "float16")


@app.command(epilog=example("doctor"))
def doctor(as_json: AsJson = False) -> None:
    """Print the installed components and the kernels' backends.

    The command also prints the reason for each choice.
    """
    import torch

    from neural.scan import backends
    from neural.scan.matrices import operators

    versions = {name: _package(name) for name in PACKAGES} | {name: _program(name) for name in PROGRAMS}
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    kernels = [
        {"kernel": kernel, "device": device, "dtype": name} | chosen(device, getattr(torch, name))._asdict()
        for kernel, chosen in (("recurrence", backends.chosen), ("products with matrices", operators.chosen))
        for device in ("cpu", *(["cuda"] if gpu else []))
        for name in TYPES
    ]
    if as_json:
        print_json({"ratproof": __version__, "versions": versions, "gpu": gpu, "kernels": kernels})
        return
    _print_line(f"ratproof {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for name, use in (PACKAGES | PROGRAMS).items():
        _print_line(f"  {name:8} {versions[name] or f'not installed; needed for {use}'}")
    _print_line(f"  GPU      {gpu or 'none that torch can use'}")
    for row in kernels:
        _print_line(
            f"{row['kernel']} on {row['device']} in {row['dtype']}: {row['name']}, because {row['why']}"
        )


def _print_line(line: str) -> None:
    """Print a line, wrapped with an indent if it is too long, without breaking paths."""
    below = " " * 11 if line.startswith(" ") else "  "
    print(textwrap.fill(line, WIDTH, subsequent_indent=below, break_long_words=False, break_on_hyphens=False))


def _package(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _program(name: str) -> str | None:
    path = shutil.which(name)
    if path is None:
        return None
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.strip().splitlines()[0]
