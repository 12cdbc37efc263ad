"""Evaluation of a theorem's network and automaton by Coq, for cases and words.

A theorem about definitions that differ from our code's would prove nothing about it. Therefore, each
definition in ``theory/coq`` that can run is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from automata.strings import String
from ratproof.coq.development import build
from ratproof.coq.programs import output_of
from ratproof.coq.sources import requirements, statements
from ratproof.coq.terms import PLACEHOLDER, fill, list_term
from theory.theorem import Theorem

Case: TypeAlias = Any
"""A case of a claim: usually :class:`~theory.weights.Weights`; a claim may define its own type."""
ORDINAL = "(@Ordinal {} {} isT)"
PRINTERS = {
    "rationals": "fun v : rationals => Some (Qnum (this v), Qden (this v))",
    "rational_max_plus": "fun v : rational_max_plus => omap (fun a => (Qnum (this a), Qden (this a))) v",
    "fractions": ("fun v : fractions => let b := of_mathcomp v in Some (Qnum (this b), Qden (this b))"),
    "fractions_max_plus": (
        "fun v : fractions_max_plus =>"
        " omap (fun a => let b := of_mathcomp a in (Qnum (this b), Qden (this b))) v"
    ),
    "rational_max_times": (
        "fun v : rational_max_times => omap (fun a => (Qnum (this (val a)), Qden (this (val a)))) v"
    ),
}
"""Coq functions that print a value as numerator and denominator, or None."""
Value = Fraction | float
"""A weight that Coq prints: a fraction, or minus infinity."""
ZEROS: dict[str, Value] = {
    "rational_max_plus": float("-inf"),
    "fractions_max_plus": float("-inf"),
    "rational_max_times": Fraction(0),
}
RUNS, FEW = 2, 40
"""The number of parallel runs of Coq, and the minimum number of lists of terms per run.

Few lists are not divided, because each run loads mathcomp again.
"""


@dataclass(frozen=True, eq=False)
class Question:
    """A request to compute a theorem's terms in Coq, for the weights of a case, some words and each unit."""

    theorem: Theorem
    case: Case
    words: Sequence[String]
    units: int = 1


Side: TypeAlias = tuple[Question, list[str]]
"""A question, and the terms of the network or of the automaton."""


@dataclass(frozen=True)
class Values:
    """The values of a network and of its automaton for each word and unit, as Coq computes them.

    They are ``None`` if Coq cannot evaluate the definition of the network or the automaton, respectively.

    Attributes:
        network: Values of the network.
        automaton: Scores of the automaton.
    """

    network: list[list[Value]] | None
    automaton: list[list[Value]] | None


def evaluate(questions: Sequence[Question], root: Path | None = None) -> list[Values]:
    """Let Coq compute the terms of all questions, and return the values for each question."""
    sides = [(q, terms) for q in questions for terms in (network_terms(q), automaton_terms(q))]
    values = iter(_compute([(question, terms) for question, terms in sides if terms], root))
    by_word = [_split_by_word(next(values), question.units) if terms else None for question, terms in sides]
    return [Values(*by_word[i : i + 2]) for i in range(0, len(by_word), 2)]


def network_terms(question: Question) -> list[str]:
    """Return the terms of the network's value for each word and unit."""
    return _terms(question, question.theorem.network)


def automaton_terms(question: Question) -> list[str]:
    """Return the terms of the automaton's score for each word and unit."""
    theorem = question.theorem
    if theorem.score:
        return _terms(question, theorem.score)
    return _terms(question, f"{{score}} ({theorem.automaton}) {{word}}") if theorem.automaton else []


def _terms(question: Question, term: str) -> list[str]:
    if not term:
        return []
    theorem, case = question.theorem, question.case
    values, term = placeholder_values(theorem, case, term)
    letters = {x: i for i, x in enumerate(case.alphabet)}
    filled = fill(re.sub(r"\{(word|letters|unit)\}", r"<\1>", term), values, theorem.over)
    return [
        filled.replace("<word>", list_term(f"{letters[x]}%N" for x in word))
        .replace(
            "<letters>",
            f"({list_term(ORDINAL.format(len(letters), letters[x]) for x in word)} : seq 'I_{len(letters)})",
        )
        .replace("<unit>", ORDINAL.format(question.units, unit))
        for word in question.words
        for unit in range(question.units)
    ]


COMPUTED = {
    "score": "computed_score",
    "epsilon_score": "computed_epsilon_score",
    "sampled": "computed_sampled",
}
"""Computable replacements of definitions; ``theory/coq`` proves that they are equal."""


def placeholder_values(
    theorem: Theorem, case: Case, term: str, texts: Mapping[str, str] = COMPUTED
) -> tuple[dict[str, object], str]:
    """Return the values for a term's placeholders, and the term.

    In the returned term, placeholders for sizes, integers and pieces of Coq text are already replaced. The
    others, such as those for weights, are still in the term, and the returned values are for them.
    """
    values = dict(case.entries if theorem.values is None else theorem.values(case))
    sizes = {"r": len(values["D_1"][0])} if "D_1" in values else {}
    sizes |= {case.size[0]: case.n} if case.size is not None else {}
    written = {name: value for name, value in values.items() if isinstance(value, str) or type(value) is int}
    written = {"over": theorem.over, **texts, **sizes, **written}
    while True:
        longer = PLACEHOLDER.sub(lambda match: str(written.get(match[1], match[0])), term)
        if longer == term:
            return values, term
        term = longer


def _compute(sides: Sequence[Side], root: Path | None) -> list[list[Value]]:
    """Let Coq compute lists of terms, in several parallel runs if there are many, and return the values."""
    if not sides:
        return []
    root = build() if root is None else root
    many = max(FEW, -(-len(sides) // RUNS))
    portions = [sides[i : i + many] for i in range(0, len(sides), many)]
    with ThreadPoolExecutor(RUNS) as pool:
        return [values for part in pool.map(partial(_run, root=root), portions) for values in part]


def _run(sides: Sequence[Side], root: Path) -> list[list[Value]]:
    """Let Coq compute each list of terms in one run, and return the values.

    Each list is in its own module, because files reuse names.
    """
    modules = {question: statements()[question.theorem.name].module for question, _ in sides}
    lines = [
        "From Coq Require Import QArith Qcanon.",
        "From mathcomp Require Import all_ssreflect.",
        "From ratproof Require Import semiring sums automaton paths instances fractions evaluation.",
        *(f"Require {module}." for module in dict.fromkeys(modules.values())),
        "Set Printing Width 1000000. Set Printing Depth 1000000.",
    ]
    for i, (question, terms) in enumerate(sides):
        over = question.theorem.over
        command = f"Eval vm_compute in map ({PRINTERS[over]}) ({list_term(terms)} : seq {over})."
        lines += [
            f"Module Side{i}.",
            *requirements(modules[question]),
            f"Import {modules[question]}.",
            command,
            f"End Side{i}.",
        ]
    outputs = output_of("\n".join(lines) + "\n", root).split("     = ")[1:]
    return [_read(part, question.theorem.over) for part, (question, _) in zip(outputs, sides, strict=True)]


VALUE = re.compile(r"Some \(\(?(-?\d+)\)?(?:%\w+)?, (\d+)(?:%\w+)?\)|None")


def _read(output: str, over: str) -> list[Value]:
    return [
        Fraction(int(match[1]), int(match[2])) if match[1] else ZEROS[over]
        for match in VALUE.finditer(output)
    ]


def _split_by_word(values: list[Value], units: int) -> list[list[Value]]:
    return [values[i : i + units] for i in range(0, len(values), units)]
