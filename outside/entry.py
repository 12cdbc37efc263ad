"""One published layer, kernel or model, and how to test it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ratproof.evidence.subjects import Subject


@dataclass(frozen=True)
class Entry:
    """A published program.

    Attributes:
        name: the name of the claim, and of the file with the verdict; unique on each device.
        library: the distribution that contains it.
        path: the dotted path of the program in the library.
        claim: a function that imports the library and creates the claim. Its argument is the maximum number
            of seconds of each check, which claims about models ignore.
        interpreted: whether it runs Triton kernels under Triton's interpreter.
        hides: packages that are hidden from the library, which then runs its own fallback.
        cases: the number of random cases per kind of evidence; ``None`` for the default.
        remark: a note on how it is called.
        not_run: the reason why it is not run; empty if it is run.
        device: the device of its tensors: ``cpu`` or ``cuda``.
    """

    name: str
    library: str
    path: str
    claim: Callable[[float], Subject] | None
    interpreted: bool = False
    hides: tuple[str, ...] = ()
    cases: int | None = None
    remark: str = ""
    not_run: str = ""
    device: str = "cpu"

    @property
    def key(self) -> str:
        """Return ``device/name``: the path of the file with the verdict, without its suffix."""
        return f"{self.device}/{self.name}"
