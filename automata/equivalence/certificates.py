"""Certificates: what a decision rests on, in a form that programs which share no code with this one can
check.

``ratproof/checkers/check_certificate.py`` is the one for fields, ``ratproof/checkers/check_chain.py`` for
chains over a field, ``ratproof/checkers/check_bisimulation.py`` for other semirings. A certificate is a JSON
object: the format, two automata A and B, what it claims of them, and what shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from automata.aliases import JsonObject, String, Symbols, Weight, Weights
from automata.equivalence.chain import FORMAT as FORMAT
from automata.equivalence.chain import Chain
from automata.equivalence.epsilon_links import without_epsilon
from automata.io.json_format import to_json
from automata.semirings import REAL
from automata.wfsa import WFSA


@dataclass(frozen=True)
class Linked:
    """Two automata over a field that are equal, since a third one goes to both, or one of them to the other.

    C goes to A by a matrix X where lambda_C X = lambda_A, M_C(a) X = X M_A(a) for every symbol a, and rho_C =
    X rho_A: then lambda_C M_C(w) rho_C = lambda_A M_A(w) rho_A for every string w.

    Attributes:
        a, b: the automata.
        through: C; the very automaton ``a`` or ``b`` where one goes to the other.
        to_a, to_b: the matrices, shape ``(states of C, n)``, fractions; ``None`` for the identity.
    """

    a: WFSA
    b: WFSA
    through: WFSA
    to_a: Weights | None
    to_b: Weights | None

    def to_json(self) -> JsonObject:
        """As a JSON object."""
        through: str | JsonObject = (
            "A" if self.through is self.a else "B" if self.through is self.b else to_json(self.through)
        )
        matrices = {
            name: _entries(x) for name, x in (("to A", self.to_a), ("to B", self.to_b)) if x is not None
        }
        return _frame("equivalent", self.a, self.b) | {"through": through} | matrices


@dataclass(frozen=True)
class Minimal:
    """B is equal to A and no automaton over a field has fewer states: the Hankel block of these strings has
    full rank.

    Attributes:
        link: equality.
        prefixes, suffixes: as many strings as B has states.
    """

    link: Linked
    prefixes: tuple[String, ...]
    suffixes: tuple[String, ...]

    def to_json(self) -> JsonObject:
        """As a JSON object."""
        strings = {"prefixes": [list(x) for x in self.prefixes], "suffixes": [list(x) for x in self.suffixes]}
        return self.link.to_json() | {"claims": "minimal"} | strings


@dataclass(frozen=True)
class Distinguished:
    """A string that two automata score differently; that no smaller one does is not part of the
    certificate.
    """

    a: WFSA
    b: WFSA
    word: Symbols
    scores: tuple[Weight, Weight]

    def to_json(self) -> JsonObject:
        """As a JSON object."""
        k = self.a.semiring
        return _frame("different", self.a, self.b) | {
            "word": list(self.word),
            "scores": [k.format(w) for w in self.scores],
        }


@dataclass(frozen=True)
class Bisimulation:
    """Pairs of vectors of Forward that every string leads to, up to a common factor, and with equal scores on
    both sides.

    Over the booleans, a pair that every string leads to may also follow from the listed ones by equivalence
    and union.

    Attributes:
        a, b: the automata.
        pairs: for each side weights by state; states that lead to no final state have none.
    """

    a: WFSA
    b: WFSA
    pairs: list[tuple[dict[int, Weight], dict[int, Weight]]]

    def to_json(self) -> JsonObject:
        """As a JSON object."""
        write = self.a.semiring.format
        pairs = [
            [[[q, write(w)] for q, w in sorted(vector.items())] for vector in pair] for pair in self.pairs
        ]
        return _frame("equivalent", self.a, self.b) | {"pairs": pairs}


@dataclass(frozen=True)
class Lumped:
    """Two automata over any semiring that are equal, since both go to a third one, whose states are classes
    of theirs.

    With X[q, c] = 1 where q is of class c: lambda_A X = lambda_C, M_A(a) X = X M_C(a) for every symbol a, and
    rho_A = X rho_C; in the mirror with X[c, q], lambda_A = lambda_C X, X M_A(a) = M_C(a) X, and X rho_A =
    rho_C.

    Attributes:
        a, b: the automata, without epsilon.
        through: C.
        of_a, of_b: the class of each state that has one.
        mirrored: is it the mirror's?
    """

    a: WFSA
    b: WFSA
    through: WFSA
    of_a: dict[int, int]
    of_b: dict[int, int]
    mirrored: bool

    def to_json(self) -> JsonObject:
        """As a JSON object."""
        classes = {
            side: sorted([q, c] for q, c in of.items()) for side, of in (("A", self.of_a), ("B", self.of_b))
        }
        lumped = {"through": to_json(self.through), "classes": classes, "mirrored": int(self.mirrored)}
        return _frame("equivalent", self.a, self.b) | lumped


Certificate = Linked | Minimal | Distinguished | Bisimulation | Lumped | Chain


def _frame(claims: str, a: WFSA, b: WFSA) -> JsonObject:
    of_field = a.semiring.is_field
    about = "automata over a field" if of_field else "automata over a semiring that is no field"
    frame = {"format": FORMAT, "about": about, "claims": claims, "A": to_json(a), "B": to_json(b)}
    if not of_field:
        return frame
    plain = {
        name: _without_epsilon(side.to_exact()) for name, side in (("A", a), ("B", b)) if side.has_epsilon
    }
    return frame | ({"without epsilon": plain} if plain else {})


def _without_epsilon(automaton: WFSA) -> JsonObject:
    """The automaton without epsilon, and v = |E|* 1: then v > 0 and |E| v = v - 1 < v, so all sums over
    silent ways converge.
    """
    plain, v = without_epsilon(automaton)
    return {"automaton": to_json(plain), "bound": [REAL.format(w) for w in v]}


def _entries(matrix: Weights) -> list[list[int | str]]:
    return [[int(i), int(j), REAL.format(matrix[i, j])] for i, j in np.argwhere(matrix != 0)]
