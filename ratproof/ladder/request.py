"""Requests to ``ratproof verify``, and functions that check whether they can run on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from automata.errors import InputError
from automata.rules.rule_files import rule_file_in
from ratproof.coq import programs as coq
from ratproof.evidence.kinds import KINDS
from ratproof.evidence.subjects import Subject
from ratproof.process.outputs import require_outputs
from theory.claim import KERNEL, Claim
from theory.registry import claim_named, claims


@dataclass(frozen=True)
class Request:
    """A request to ``ratproof verify``.

    Attributes:
        claims: Names of claims. Defaults to all claims.
        kinds: Kinds of evidence. Defaults to all kinds.
        examples: Number of random cases per test. Defaults to the test's own number.
        seed: Seed of the random cases. By default, every run of the same installation has the same cases.
        device: ``cpu`` or ``cuda``.
        text, embeddings, units: The text file, the embeddings and the number of units for tests on a corpus.
        rules: A folder with a rule file and labelled sentences, for the tests on real rules.
        only: The pairs of a claim and a kind of evidence to run. Defaults to all pairs.
        stop_early: Whether to stop at the first unexpected result.
        junit: Path of a JUnit file to write.
        jobs: Number of processes. Defaults to one per core if all claims run, and otherwise to one.
    """

    claims: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    examples: int | None = None
    seed: int | None = None
    device: str = "cpu"
    text: str | None = None
    embeddings: str | None = None
    units: int = 64
    junit: str | None = None
    jobs: int | None = None
    rules: str | None = None
    only: tuple[tuple[str, str], ...] = ()
    stop_early: bool = False

    @property
    def is_whole(self) -> bool:
        """Return whether the request is for all evidence of all claims, with default options."""
        return self == Request(junit=self.junit, jobs=self.jobs, device=self.device)

    @property
    def processes(self) -> int:
        """Return the number of processes that run the tests, including this one."""
        return self.jobs or (1 if self.claims or self.kinds or self.only else cores())

    def wants(self, claim: str, kind: str) -> bool:
        """Return whether the request includes this kind of evidence for this claim."""
        return (
            (not self.claims or claim in self.claims)
            and (not self.kinds or kind in self.kinds)
            and (not self.only or (claim, kind) in self.only)
        )


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_junit(file: str | None, reads: Iterable[str | None]) -> None:
    """Raise InputError if the file of ``--junit`` cannot be written, has no folder, or is an input."""
    if file is not None and not Path(file).absolute().parent.is_dir():
        raise InputError(f"--junit {file}: the folder {Path(file).absolute().parent} does not exist")
    require_outputs({"--junit": file}, reads)


def require_known(request: Request) -> None:
    """Raise :class:`~automata.errors.InputError` for unknown claims and kinds of evidence."""
    for name in request.claims:
        claim_named(name)
    requested = [claim_named(name) for name in request.claims or claims()]
    require_promised(request.kinds, requested, bool(request.claims))


def require_promised(
    kinds: Sequence[str], requested: Sequence[Claim | Subject], named: bool, where: str = ""
) -> None:
    """Raise InputError if a kind of evidence does not exist, or no requested claim promises it.

    A claim that was requested by name must have at least one of the kinds.

    Args:
        kinds: The kinds of evidence.
        requested: The requested claims.
        named: Whether each claim was requested by its name.
        where: The source of the claims, with which the error message begins.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"the kind of evidence must be one of {', '.join(KINDS)}, got {kind!r}")
        if not any(kind in variant.kinds for claim in requested for variant in claim.variants):
            raise InputError(f"{where}no selected claim has evidence of kind {kind!r}")
    for claim in requested if named and kinds else ():
        if not any(kind in variant.kinds for kind in kinds for variant in claim.variants):
            raise InputError(f"{where}{claim.name} has no evidence of kind {' or '.join(map(repr, kinds))}")


def require(request: Request) -> None:
    """Raise :class:`~automata.errors.InputError` if this machine cannot run the request."""
    require_known(request)
    if request.kinds == (KERNEL,):
        coq.version()
    check_device(request.device)
    if request.embeddings is not None and request.text is None:
        raise InputError("--embeddings requires --text FILE")
    require_junit(request.junit, reads=(request.text, request.embeddings, request.rules))
    if request.rules is not None:
        if not Path(request.rules).is_dir():
            raise InputError(
                f"--rules must be a folder with a rule file (.config), train.tsv, dev.tsv and test.tsv, got"
                f" {request.rules}"
            )
        rule_file_in(Path(request.rules))


def check_device(device: str) -> None:
    """Raise :class:`~automata.errors.InputError` if the device is not available."""
    if device not in ("cpu", "cuda"):
        raise InputError(f"--device must be cpu or cuda, got {device!r}")
    if device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise InputError("torch finds no CUDA device on this machine; use --device cpu")
