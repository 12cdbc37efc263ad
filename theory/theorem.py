"""References to theorems in ``theory/coq``, with the terms that Coq evaluates.

>>> from theory.rational_recurrences.proposition_7 import CLAIM
>>> CLAIM.variant("corrected").theorem.name
'rational_recurrences.proposition_7.proposition_7'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Theorem:
    """A Coq theorem, the terms that run its definitions on a case, and the proposition to derive.

    Attributes:
        name: its file below ``theory/coq`` and its own name, separated by dots.
        network: a Coq term for the value of the network. In it, ``{f}`` stands for the weights named f,
            ``{word}`` for the word, ``{letters}`` for the word over a finite alphabet, and ``{unit}`` for the
            index of the unit. It is empty if the theorem is about something that cannot be run.
        automaton: a Coq term for the constructed automaton, whose score is computed; empty if there
            is none.
        score: a Coq term for the automaton's score, if Coq does not compute it from ``automaton``. In a term,
            ``{score}``, ``{epsilon_score}`` and ``{sampled}`` stand for forms of these definitions that Coq
            can evaluate.
        over: the semiring's name in ``theory/coq/instances.v`` or ``fractions.v``; in a term, ``{over}``
            stands for it.
        values: a function from a case to the values of the terms' placeholders, if they are not the case's
            weights. A string is Coq text.
        refutes: whether it shows that the variant is false; it does if its name ends with ``_is_refuted``.
        claims: the proposition that Coq must derive from the theorem. ``{network}`` and
            ``{automaton}`` stand for the two sides; each other placeholder is a variable of its
            name, which the proposition binds. If empty, the proposition is that both sides are equal for
            all words, and for all weights that have the shapes of a case's weights.
        hypotheses: hypotheses on the weights, if ``claims`` is empty.
        proved_over: the semiring in which Coq derives the proposition, if it is not ``over``.
        untied: the reason why Coq derives nothing from the theorem. The theorem is then compared only with
            its stored statement.
    """

    name: str
    network: str = ""
    automaton: str = ""
    score: str = ""
    over: str = "rationals"
    values: Callable[[Any], Mapping[str, Any]] | None = None
    refutes: bool = False
    claims: str = ""
    hypotheses: tuple[str, ...] = ()
    proved_over: str = ""
    untied: str = ""

    def __post_init__(self) -> None:
        if self.name.endswith("_is_refuted"):
            object.__setattr__(self, "refutes", True)


@dataclass(frozen=True)
class RealTheorem:
    """A Coq theorem over the real numbers, which depends on Coq's axioms of the real numbers.

    Attributes:
        name: its file in ``theory/coq_reals`` and its own name, separated by a dot.
        claims: the proposition about the real numbers that Coq must derive from the theorem. The scope of
            numbers is mathcomp's ``ring_scope``.
        refutes: whether it shows that the variant is false.
        about: the network of the theorem, if it differs from the variant's network, which has exact numbers.
    """

    name: str
    claims: str
    refutes: bool = False
    about: str = ""
