"""A report on the whole development, compiled from scratch, with Coq's answer about every theorem."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ratproof.coq import programs as coq
from ratproof.coq import reals
from ratproof.coq.development import rebuild
from ratproof.coq.real_theorems import ask_theories, real_variants
from ratproof.coq.sources import kept_statements, modules, source_folder, statements
from ratproof.coq.theorems import TheoremAnswer, theorem_answers
from ratproof.coq.ties import untied
from theory.registry import claims


@dataclass(frozen=True)
class DevelopmentReport:
    """Coq's answers about the whole development.

    Attributes:
        version: Version of Coq.
        seconds: Duration of the clean build.
        answers: Coq's answer about each theorem.
        reals: For each theorem over the real numbers, its axioms, or why it did not run.
        problems: A sentence for each problem; empty if everything is proved.
    """

    version: str
    seconds: float
    answers: dict[str, TheoremAnswer]
    reals: dict[str, str]
    problems: list[str]


def check_development(progress: Callable[[str], None]) -> DevelopmentReport:
    """Compile the development, query each theorem and run coqchk; raise NoCoq without Coq."""
    start_time, version = time.perf_counter(), coq.version()
    problems: list[str] = []
    answers: dict[str, TheoremAnswer] = {}
    over_reals: dict[str, str] = {}
    try:
        root = rebuild(progress)
        progress("querying each theorem, and checking the compiled files again with coqchk")
        with ThreadPoolExecutor(2) as pool:
            checked = pool.submit(coq.run_coqchk, root, modules())
            groups = [pool.submit(_check_theories, group, root) for group in reals.TOGETHER]
            answers, loose = theorem_answers(root), untied(root)
            for task in groups:
                lines, wrong = task.result()
                over_reals |= lines
                problems += wrong
            axioms = [name for name in checked.result() if name.startswith("ratproof.")]
        problems += [f"coqchk finds an axiom: {name}" for name in axioms]
        problems += filter(None, (answer.problem(statements()[name]) for name, answer in answers.items()))
        problems += [
            f"no theorem implies the statement of {claim}, {variant}" for claim, variant in sorted(loose)
        ]
        problems += [
            f"the theorem {name} does not exist, which {' and '.join(of)}"
            for name, of in _expected().items()
            if name not in answers
        ]
    except coq.Rejected as error:
        problems.append(str(error))
    return DevelopmentReport(
        version, round(time.perf_counter() - start_time, 1), answers, over_reals, problems
    )


def _check_theories(group: tuple[reals.RealTheory, ...], root: Path) -> tuple[dict[str, str], list[str]]:
    """Return, for each theorem over the real numbers, its axioms or why it did not run, and the problems."""
    axioms = {
        name: ", ".join(axiom.rpartition(".")[2] for axiom in theory.axioms)
        for theory in group
        for name in theory.theorems
    }
    try:
        answers = ask_theories(group, root)
    except reals.NoLibrary as error:
        return dict.fromkeys(axioms, f"not run: {error}"), []
    problems = {name: answers.problem(name) for name in axioms}
    loose = [
        f"{theorem.name} does not imply the statement of {', '.join(key)} over the real numbers"
        for key, theorem in real_variants().items()
        if theorem.name in axioms and key not in answers.tied
    ]
    lines = {
        name: problem or f"accepted with the axioms {axioms[name]}" for name, problem in problems.items()
    }
    return lines, [*filter(None, problems.values()), *loose]


def _expected() -> dict[str, list[str]]:
    """Return the theorems that must exist, with the variants and files that refer to each."""
    named = {
        name: [f"{variant} names" for variant in variants] for name, variants in theorem_variants().items()
    }
    return {name: ["statements.txt contains"] for name in kept_statements(source_folder())} | named


def theorem_variants() -> dict[str, list[str]]:
    """Return, for each theorem, the variants that refer to it, as in ``proposition-7, corrected``."""
    variants: dict[str, list[str]] = {}
    for claim in claims().values():
        for variant in claim.variants:
            if variant.theorem is not None:
                variants.setdefault(variant.theorem.name, []).append(f"{claim.name}, {variant.name}")
    return variants
