"""Repetition of runs whose networks were proved correct, and comparison with the stored results."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from automata.errors import InputError
from ratproof.checkers.table import judge
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from training import evidence
from training.data_folder import Data
from training.engine.names import NETWORK, RESULT
from training.engine.results import RATE, read, read_archive
from training.engine.run import RunOptions
from training.engine.settings import from_json
from training.experiment_list import record_of
from training.experiments import run
from training.language_recognition.certified import certified
from training.machine import DECIDED_BY_A_MACHINE, machine
from training.state_regularized.settings import CERTIFICATE

OF_A_MACHINE = (*DECIDED_BY_A_MACHINE, "network")
STATUS = {"same": YES, "different": NO, "unknown": UNKNOWN}


@dataclass(frozen=True)
class Recheck:
    """The comparison of a stored run with a new run.

    Attributes:
        run: the campaign and the name of the result.
        verdict: ``same``, ``different``, or ``unknown``. It is unknown if the new run differs, but used
            another processor, Python version or torch version, because its floats may be rounded differently.
        checker: the verdict of the independent checker on the stored certificate and network.
        differences: the names of the result's entries that differ, and ``weights`` or ``certificate`` if that
            file differs.
        commit: the commit at which the stored network was trained.
        seconds: the time of training and certification.
    """

    run: str
    verdict: str
    checker: str
    differences: tuple[str, ...]
    commit: str | None
    seconds: float

    @property
    def status(self) -> int:
        """Return the exit status."""
        return STATUS[self.verdict]

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object."""
        return asdict(self)

    def __str__(self) -> str:
        rest = ", ".join(self.differences) or "none"
        return (
            f"{self.run}: {self.verdict}; the stored certificate is {self.checker}; differences of a new run:"
            f" {rest} ({self.seconds:.0f} s)"
        )


def rechecked(folder: Path, count: int) -> Iterator[Recheck]:
    """Repeat ``count`` randomly chosen runs, and compare each new run with the stored run.

    The runs are chosen from those whose network and proof are stored in ``folder`` or its subfolders.

    Raises:
        InputError: If there are fewer than ``count`` stored networks, or an archive is invalid.
    """
    every = [
        (archive.parent, name, contents)
        for archive in sorted(folder.rglob(evidence.ARCHIVE))
        for name, contents in evidence.kept_in(archive.parent).items()
    ]
    if count > len(every):
        raise InputError(
            f"--recheck must be at most the number of stored networks in {folder}, {len(every)}, got {count}"
        )
    for campaign, name, contents in random.SystemRandom().sample(every, count):
        result = read_archive(campaign).get(f"{name}.json")
        if result is None:
            raise InputError(f"{campaign}: the run {name} must have a result as well as a network")
        yield recheck(f"{campaign.name}/{name}", result, contents)


def recheck(name: str, result: dict[str, Any], contents: dict[str, bytes]) -> Recheck:
    """Repeat the run of a result, and compare its result, network and certificate with the stored files.

    Args:
        name: the name of the run.
        result: its stored result.
        contents: the stored files of its run, by name.
    """
    about, begun = json.loads(contents[evidence.ABOUT]), time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        stored, new = Path(temporary, "stored"), Path(temporary, "new")
        evidence.unpack(contents, stored)
        checker = judge(json.loads((stored / CERTIFICATE).read_bytes())).verdict
        run_again(result, new)
        differences = [*_different(result, read(new / RESULT)), *_different_files(stored, new)]
    here, there = machine(), about["machine"]
    alike = all(here[key] == there[key] for key in ("processor", "python")) and (
        here["versions"]["torch"] == there["versions"]["torch"]
    )
    if checker == "accepted" and not differences:
        verdict = "same"
    else:
        verdict = "unknown" if checker == "accepted" and not alike else "different"
    seconds = round(time.monotonic() - begun, 1)
    return Recheck(name, verdict, checker, tuple(differences), about["commit"], seconds)


def run_again(result: dict[str, Any], folder: Path) -> None:
    """Train and certify a network in a folder, with the settings of a result."""
    record = record_of(result["experiment"], result["model"])
    assert record is not None
    settings = from_json(record.settings, result["configuration"], result["experiment"])
    with as_file(files("ratproof") / "examples") as examples:
        run(result["experiment"], settings, Data(examples), RunOptions(folder, tensorboard=False))
    if isinstance(result["certified"], dict):
        certified(folder)


def _different(stored: Any, new: Any, name: str = "") -> Iterator[str]:
    """Yield the names of the entries of a stored result that differ in a new result.

    The function ignores entries that depend on the machine. It also ignores entries that only the new result
    has, because they may be newer than the stored result.
    """
    if isinstance(stored, dict) and isinstance(new, dict):
        for key in stored:
            if key not in OF_A_MACHINE and not key.endswith(RATE):
                yield from _different(stored[key], new.get(key), f"{name}.{key}" if name else key)
    elif stored != new:
        yield name


def _different_files(stored: Path, new: Path) -> Iterator[str]:
    old, now = (safetensors.torch.load_file(folder / NETWORK) for folder in (stored, new))
    if old.keys() != now.keys() or not all(torch.equal(old[key], now[key]) for key in old):
        yield "weights"
    texts = [(folder / CERTIFICATE) for folder in (stored, new)]
    if not texts[1].exists() or json.loads(texts[0].read_bytes()) != json.loads(texts[1].read_bytes()):
        yield "certificate"
