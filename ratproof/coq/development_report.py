"""The whole development, compiled from clean, with the assumptions of every theorem."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ratproof.coq import programs as coq
from ratproof.coq.assumptions import CLOSED, theorem_assumptions
from ratproof.coq.development import rebuild
from ratproof.coq.sources import modules, unproved_commands
from theory.registry import claims


@dataclass(frozen=True)
class DevelopmentReport:
    """Coq's answers about the whole development.

    Attributes:
        version: Coq's.
        seconds: of the build from clean.
        assumptions: of each theorem.
        problems: a sentence for each; none where everything is proved.
    """

    version: str
    seconds: float
    assumptions: dict[str, str]
    problems: list[str]


def check_development(tell: Callable[[str], None]) -> DevelopmentReport:
    """Compile the development, print the assumptions and run coqchk; :class:`~ratproof.coq.programs.NoCoq`
    where there is no Coq.
    """
    started, version = time.perf_counter(), coq.version()
    problems = [f"something is left unproved: {where}" for where in unproved_commands()]
    assumptions: dict[str, str] = {}
    try:
        root = rebuild(tell)
        tell("asking what each theorem assumes")
        assumptions = theorem_assumptions(root)
        tell("checking the compiled files once more with coqchk")
        problems += [
            f"coqchk finds an axiom: {name}"
            for name in coq.run_coqchk(root, modules())
            if name.startswith("ratproof.")
        ]
        problems += [
            f"{name} assumes something: {what}" for name, what in assumptions.items() if what != CLOSED
        ]
        problems += [
            f"there is no theorem {name}, which {' and '.join(variants)} names"
            for name, variants in theorem_variants().items()
            if name not in assumptions
        ]
    except coq.Rejected as error:
        problems.append(str(error))
    return DevelopmentReport(version, round(time.perf_counter() - started, 1), assumptions, problems)


def theorem_variants() -> dict[str, list[str]]:
    """For each theorem the variants that name it: ``proposition-7, corrected``."""
    variants: dict[str, list[str]] = {}
    for claim in claims().values():
        for variant in claim.variants:
            if variant.theorem is not None:
                variants.setdefault(variant.theorem.name, []).append(f"{claim.name}, {variant.name}")
    return variants
