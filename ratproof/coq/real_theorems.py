"""Coq's answers about the theorems over the real numbers, and the derivation of claims from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ratproof.coq import programs as coq
from ratproof.coq import reals
from ratproof.coq.sources import Statement, statements_in
from ratproof.coq.theorems import TheoremAnswer, answers_in, axioms_in_words, queries
from theory.registry import claims
from theory.theorem import RealTheorem

OPENING = """\
From Coq Require Import Reals.
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths.
Unset Printing Implicit Defensive.
Set Printing Depth 1000000.
"""
MARK = "tied "


@dataclass(frozen=True)
class TheoryAnswers:
    """Coq's answers about the theorems of a :class:`~ratproof.coq.reals.RealTheory`.

    Attributes:
        theorems: The answer about each theorem.
        tied: The claims and variants whose propositions Coq derives from their theorems.
    """

    theorems: dict[str, TheoremAnswer]
    tied: set[tuple[str, str]]

    def problem(self, name: str) -> str:
        """Return why a theorem is not accepted, or an empty string."""
        statement = real_statements().get(name)
        if statement is None:
            return f"the theorem {name} does not exist in theory/coq_reals"
        return self.theorems[name].problem(statement, axioms_in_words(theory_of(name).axioms))


@cache
def real_statements() -> dict[str, Statement]:
    """Return every theorem of ``theory/coq_reals`` by its name."""
    return statements_in(reals.source_folder())


def real_variants() -> dict[tuple[str, str], RealTheorem]:
    """Return the theorem of each variant that has one over the real numbers, keyed by claim and variant."""
    return {
        (claim.name, variant.name): variant.real_theorem
        for claim in claims().values()
        for variant in claim.variants
        if variant.real_theorem is not None
    }


def theory_of(name: str) -> reals.RealTheory:
    """Return the theory that contains a theorem."""
    return next(real_theory for real_theory in reals.THEORIES if name in real_theory.theorems)


@cache
def ask_theory(real_theory: reals.RealTheory, root: Path) -> TheoryAnswers:
    """Return Coq's answers about a theory, with the compiled ``theory/coq`` at ``root``.

    Raises:
        NoLibrary: If the library that the theorems need is not installed.
        Rejected: If Coq does not accept a file, or a proposition of a claim uses an unknown name.
    """
    real_theory.require_library()
    version = (coq.library_folder() / real_theory.needs).stat().st_size  # outputs are cached by the text
    lines = [f"(* {real_theory.needs}, {version} bytes *)", real_theory.inlined(), OPENING]
    for name in real_theory.theorems:
        lines += queries(name, name)
    variants = [
        (key, theorem) for key, theorem in real_variants().items() if theorem.name in real_theory.theorems
    ]
    for number, (_, theorem) in enumerate(variants):
        lines += _tie(number, theorem)
    output = coq.output_of("\n".join(lines) + "\n", root)
    tied = {int(number) for number in re.findall(rf"^{MARK}(\d+)$", output, re.MULTILINE)}
    return TheoryAnswers(answers_in(output), {variants[number][0] for number in tied})


def _tie(number: int, theorem: RealTheorem) -> list[str]:
    """Return the commands that derive a claim's proposition, and print a mark if that succeeds."""
    file = reals.inline_module(theorem.name.partition(".")[0])
    return [
        f"Module Tie{number}.",
        *re.findall(r"^(?:From \S+ Require )?Import .*\.$", file, re.MULTILINE),
        f"Import {theorem.name.partition('.')[0]}.",
        "Local Open Scope ring_scope.",
        f"Goal True. Proof. tryif (let proof := constr:(ltac:(exact @{theorem.name}) : {theorem.claims})"
        f' in pose proof proof) then idtac "{MARK}{number}" else idtac. exact I. Qed.',
        f"End Tie{number}.",
    ]
