"""Where a variant stands in ``theory/coq``, and what of it Coq can run on numbers.

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
    """A theorem, and how its definitions are run on a case.

    Attributes:
        name: its file below ``theory/coq`` and its own name, with dots.
        network: a Coq term for the value of the network. In it ``{f}`` stands for the weights named f,
            ``{word}`` for the word and ``{unit}`` for the number of the unit; empty where the theorem speaks
            of what cannot be run (any real exponential).
        automaton: a Coq term for the constructed automaton, whose score is computed; empty where there is
            none to be run.
        score: a Coq term for its score, where it is computed in another way.
        over: the semiring, as ``theory/coq/instances.v`` names it.
        values: from a case the values that the terms name, where they are not the case's own weights.
        refutes: it says that the variant is false.
    """

    name: str
    network: str = ""
    automaton: str = ""
    score: str = ""
    over: str = "rationals"
    values: Callable[[Any], Mapping[str, Any]] | None = None
    refutes: bool = False
    claims: str = ""
    given: tuple[str, ...] = ()
    proved_over: str = ""
    untied: str = ""
