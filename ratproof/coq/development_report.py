"""All of the development, compiled from clean and asked what it assumes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ratproof.coq import programs as coq
from ratproof.coq.assumptions import CLOSED, assumptions
from ratproof.coq.development import rebuilt
from ratproof.coq.sources import assumptions_in_words, modules
from theory.registry import claims


@dataclass(frozen=True)
class Proved:
    """What Coq said.

    Attributes:
        version: Coq's.
        seconds: how long it took, from clean.
        assumed: for each theorem what it assumes.
        wrong: what is not as it should be, a sentence each.
    """

    version: str
    seconds: float
    assumed: dict[str, str]
    wrong: list[str]


def proved(tell: Callable[[str], None]) -> Proved:
    """Compile, ask and check; :class:`~ratproof.coq.programs.NoCoq` where there is no Coq."""
    started, version = time.perf_counter(), coq.version()
    wrong = [f"something is left unproved: {where}" for where in assumptions_in_words()]
    said: dict[str, str] = {}
    try:
        root = rebuilt(tell)
        tell("asking what each theorem assumes")
        said = assumptions(root)
        tell("checking the compiled files once more with coqchk")
        wrong += [
            f"coqchk finds an axiom: {name}"
            for name in coq.checked(root, modules())
            if name.startswith("ratproof.")
        ]
        wrong += [f"{name} assumes something: {what}" for name, what in said.items() if what != CLOSED]
        wrong += [
            f"there is no theorem {name}, which {' and '.join(variants)} names"
            for name, variants in named().items()
            if name not in said
        ]
    except coq.Rejected as error:
        wrong.append(str(error))
    return Proved(version, round(time.perf_counter() - started, 1), said, wrong)


def named() -> dict[str, list[str]]:
    """For each theorem the variants that name it: ``proposition-7, corrected``."""
    found: dict[str, list[str]] = {}
    for claim in claims().values():
        for variant in claim.variants:
            if variant.theorem is not None:
                found.setdefault(variant.theorem.name, []).append(f"{claim.name}, {variant.name}")
    return found
