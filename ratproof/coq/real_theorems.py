"""Coq's answers about the theorems over the real numbers, and the derivation of claims from them."""

from __future__ import annotations

import hashlib
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
LIBRARIES = re.compile(
    r"^From (?:Coq|mathcomp|mathcomp\.analysis|ratproof|ratproof\.[\w.]+) Require Import [\w ]+\.$",
    re.MULTILINE,
)
"""The imports of a file that are not files of ``theory/coq_reals``."""


@dataclass(frozen=True)
class TheoryAnswers:
    """Coq's answers about the theorems of a group of theories (:class:`~ratproof.coq.reals.RealTheory`).

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


def ask_theory(real_theory: reals.RealTheory, root: Path) -> TheoryAnswers:
    """Return Coq's answers about a theory, which is compiled with its group of :data:`reals.TOGETHER`.

    Args:
        real_theory: The theory.
        root: The folder of the compiled ``theory/coq``.

    Raises:
        NoLibrary: If the library that the theorems need is not installed.
        Rejected: If Coq does not accept a file, or a proposition of a claim uses an unknown name.
    """
    group = next(group for group in reals.TOGETHER if real_theory in group)
    return ask_theories(group, root)


@cache
def ask_theories(group: tuple[reals.RealTheory, ...], root: Path) -> TheoryAnswers:
    """Return Coq's answers about theories that are compiled as one file; see :func:`ask_theory`."""
    names = [name for real_theory in group for name in real_theory.theorems]
    for real_theory in group:
        real_theory.require_library()
    variants = [(key, theorem) for key, theorem in real_variants().items() if theorem.name in names]
    lines = [
        # the propositions come before the files, which could otherwise redefine their names
        *(_proposition(number, theorem) for number, (_, theorem) in enumerate(variants)),
        reals.inline_modules(dict.fromkeys(file for real_theory in group for file in real_theory.files)),
        OPENING,
    ]
    # the mark is a hash of the files, so the files cannot print it
    mark = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    lines.append(f'Goal True. idtac "{mark}". Abort.')
    for name in names:
        lines += queries(name, name)
    lines.append(f'Goal True. idtac "{mark}". Abort.')
    lines += (_tie(number, theorem) for number, (_, theorem) in enumerate(variants))
    _, answers, ties = coq.output_of("\n".join(lines) + "\n", root).split(f"{mark}\n")
    return TheoryAnswers(answers_in(answers), {variants[int(number)][0] for number in ties.split()})


def _proposition(number: int, theorem: RealTheorem) -> str:
    """Return the Coq module that defines the proposition of the claim with this number."""
    file = reals.source_folder() / f"{theorem.name.partition('.')[0]}.v"
    imports = "\n".join(LIBRARIES.findall(file.read_text(encoding="utf-8")))
    return (
        f"Module Claim{number}.\n{imports}\nLocal Open Scope ring_scope.\n"
        f"Definition proposition : Prop := {theorem.claims}.\nEnd Claim{number}."
    )


def _tie(number: int, theorem: RealTheorem) -> str:
    """Return the Coq command that prints ``number`` if the theorem implies the claim's proposition."""
    return (
        f"Goal True. tryif (let proof := constr:(@{theorem.name} : Claim{number}.proposition) in idtac)"
        f' then idtac "{number}" else idtac. Abort.'
    )
