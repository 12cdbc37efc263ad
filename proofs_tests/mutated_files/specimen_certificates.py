"""Specimens of certificates of every kind: stored ones, and one that lumps states."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from automata.io import files
from automata.semirings import MAX_PLUS
from automata.wfsa import WFSA
from proofs_tests.mutated_files.kind import Kind, run, writer_for
from proofs_tests.ratproof.certificate_files import FILES, certificate
from ratproof.checkers.table import checker_of


def stored(name: str, folder: Path) -> None:
    shutil.copy(FILES[name], folder / "c.json")


def lumped(folder: Path) -> None:
    arrows = [(0, 1, "a", 1), (0, 2, "a", "1/2"), (1, 0, "b", 2), (2, 0, "b", 2)]
    files.write(WFSA.from_edges(MAX_PLUS, 3, "ab", [(0, 0)], [(1, 1), (2, 1)], arrows), folder / "A.json")
    arrows = [(0, 1, "a", 1), (1, 0, "b", 2)]
    files.write(WFSA.from_edges(MAX_PLUS, 2, "ab", [(0, 0)], [(1, 1)], arrows), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")


STORED = (
    "equivalent-real-epsilon",
    "equivalent-real-chain",
    "different-real",
    "minimal-real",
    "equivalent-boolean",
    "different-max-plus",
    "hankel-elman",
    "counter-lstm",
    "boxes-sr-elman-euclidean",
    "regions-rnn",
    "follows-eq-2",
)
"""The names of stored certificates, at least one for each checker."""


def checked(name: str, write: Callable[[Path], None], checker: str) -> Kind:
    """Return the :class:`Kind` of a certificate, which the command and a stand-alone checker read."""
    lines = ("check-certificate c.json --json", f"{checker.rpartition('.')[2]} c.json")
    return Kind(f"certificate: {name}", writer_for(write, "c.json"), lines, agree=True)


KINDS = (
    checked("lumped", lumped, "check_bisimulation"),
    *(checked(name, partial(stored, name), checker_of(certificate(name)).__name__) for name in STORED),
)
