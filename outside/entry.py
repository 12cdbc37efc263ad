"""One published layer, kernel or model, and how it is held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ratproof.evidence.subjects import Subject


@dataclass(frozen=True)
class Entry:
    """A program that somebody else published.

    Attributes:
        name: of the claim, and of the file with the verdict.
        library: the distribution that it is from.
        path: the module and name that it has there.
        claim: makes the claim; it imports the library.
        interpreted: does it run Triton kernels, here under Triton's interpreter?
        hides: packages that the library must not find, so that its own fallback runs.
        cases: random cases a rung; ``None`` for the usual number.
        remark: what a reader should know of how it is called.
        not_run: why it is not run at all; empty where it is.
        device: where its tensors are: ``cpu`` or ``cuda``.
    """

    name: str
    library: str
    path: str
    claim: Callable[[], Subject] | None
    interpreted: bool = False
    hides: tuple[str, ...] = ()
    cases: int | None = None
    remark: str = ""
    not_run: str = ""
    device: str = "cpu"
