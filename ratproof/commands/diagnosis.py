"""The command ``doctor``."""

from __future__ import annotations

import platform
import shutil
import subprocess
import textwrap
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Annotated

from typer import Option

from automata.errors import InputError
from ratproof import __version__
from ratproof.commands.app import AsJson, app, example
from ratproof.commands.terminal import progress
from ratproof.process.exit_statuses import NO, YES
from ratproof.process.json_answers import print_json
from ratproof.process.streams import WIDTH

if TYPE_CHECKING:
    from ratproof.certification.ordinary_networks.rounding import Measurement, Setting

PACKAGES = {
    "torch": "networks",
    "pynini": "cross-checked evidence",
    "numba": "large automata, and Forward over max-plus",
    "triton": "recurrences on a GPU",
}
"""Packages that ``doctor`` looks for, and the features that need them."""
PROGRAMS = {"coqc": "kernel-checked evidence", "c++": "recurrences at the speed of memory"}
TYPES = ("float32", "float64", "bfloat16", "float16")


@app.command(epilog=example("doctor", "doctor --rounding", "doctor --rounding --all-inputs"))
def doctor(
    rounding: Annotated[
        bool,
        Option(
            "--rounding",
            help="measure the rounding errors of tanh and sigmoid on a million inputs; takes a few seconds",
        ),
    ] = False,
    all_inputs: Annotated[
        bool,
        Option(
            "--all-inputs",
            help="with --rounding: measure all 2^32 float32 inputs; takes one to two hours on a CPU",
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Print the installed components and the kernels' backends.

    For each kernel, the command also prints why this backend is used. With --rounding, it also tests the
    rounding premise, on which the proofs about RNNs, GRUs and LSTMs rely. Exit status 1: the premise does not
    hold.
    """
    if all_inputs and not rounding:
        raise InputError("--all-inputs must be used together with --rounding")
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
    measurements, settings = _rounding(all_inputs, gpu is not None) if rounding else ([], [])
    holds = all(row.within for row in measurements) and not any(row.breaks for row in settings)
    if as_json:
        answer = {"ratproof": __version__, "versions": versions, "gpu": gpu, "kernels": kernels}
        if rounding:
            answer["rounding"] = [row.to_json() for row in measurements]
            answer["rounding_settings"] = [row.to_json() for row in settings]
        print_json(answer)
        return YES if holds else NO
    _print_line(f"ratproof {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for name, use in (PACKAGES | PROGRAMS).items():
        _print_line(f"  {name:8} {versions[name] or f'not installed; needed for {use}'}")
    _print_line(f"  GPU      {gpu or 'none that torch can use'}")
    for row in kernels:
        _print_line(
            f"{row['kernel']} on {row['device']} in {row['dtype']}: {row['name']}, because {row['why']}"
        )
    if rounding:
        _print_rounding(measurements, settings)
        print(f"The rounding premise {'holds on these inputs' if holds else 'does not hold'}.")
    return YES if holds else NO


def _rounding(all_inputs: bool, cuda: bool) -> tuple[list[Measurement], list[Setting]]:
    """Return the largest errors of tanh and sigmoid on each device, and settings that affect rounding."""
    from ratproof.certification.ordinary_networks.rounding import (
        FUNCTIONS,
        every_input,
        measure,
        sample,
        settings,
    )

    devices = ["cpu", *(["cuda"] if cuda else [])]
    inputs = every_input if all_inputs else sample
    with progress("doctor") as report_progress:
        rows = [measure(name, device, inputs(), report_progress) for device in devices for name in FUNCTIONS]
    return rows, settings(devices)


def _print_rounding(measurements: list[Measurement], settings: list[Setting]) -> None:
    from ratproof.certification.ordinary_networks.arithmetic import FUNCTION_UNITS

    _print_line(
        f"Largest errors in units of 2^-24 over {measurements[0].inputs:,} inputs; "
        f"the premise allows {FUNCTION_UNITS}:"
    )
    for row in measurements:
        where = (
            "" if row.within else f" at x = {row.worst!r} ({row.worst.hex()}), which exceeds {FUNCTION_UNITS}"
        )
        _print_line(f"  {row.function} on {row.device}: {row.units:.3f}{where}")
    for setting in settings:
        verdict = "breaks the premise" if setting.breaks else "does not break the premise"
        note = f"; {setting.note}" if setting.note else ""
        _print_line(f"  {setting.name} is {setting.value} on {setting.device}: {verdict}{note}")


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
        result = subprocess.run(
            [path, "--version"], capture_output=True, text=True, errors="replace", check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return next(iter(result.stdout.strip().splitlines()), "installed, but it prints no version")
