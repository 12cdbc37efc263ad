"""Certificates of decisions, which independent programs can check without shared code.

``ratproof/checkers/check_certificate.py`` checks certificates over fields,
``ratproof/checkers/check_chain.py`` chains over a field, and
``ratproof/checkers/check_bisimulation.py`` other semirings. A certificate is a JSON object: the
format, two automata A and B, the claim about them, and its proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from automata.aliases import JsonObject, String, Symbol, Symbols, Weight, Weights
from automata.equivalence.epsilon_links import without_epsilon
from automata.equivalence.links import ChainLink
from automata.equivalence.rationals import RationalMatrix
from automata.io.json_format import to_json
from automata.semirings import REAL
from automata.truth import NoTruthValue
from automata.wfsa import WFSA

FORMAT = "ratproof certificate 1"


class _Certificate(NoTruthValue):
    ask = ".to_json()"


@dataclass(frozen=True)
class MappingProof(_Certificate):
    """A proof that two automata over a field are equivalent, by a third automaton that maps to both.

    C maps to A by a matrix X if lambda_C X = lambda_A, M_C(a) X = X M_A(a) for every symbol a, and
    rho_C = X rho_A. Then lambda_C M_C(w) rho_C = lambda_A M_A(w) rho_A for every string w.

    Attributes:
        a, b: the automata.
        through: C; this is ``a`` or ``b`` itself if one of them maps to the other.
        to_a, to_b: the matrices X that map C to ``a`` and to ``b``, as fractions, shape
            ``(states of C, n)``; ``None`` for the identity.
    """

    a: WFSA
    b: WFSA
    through: WFSA
    to_a: Weights | None
    to_b: Weights | None

    def to_json(self) -> JsonObject:
        """Return the certificate as a JSON object."""
        through: str | JsonObject = (
            "A" if self.through is self.a else "B" if self.through is self.b else to_json(self.through)
        )
        matrices = {
            name: _entries(x) for name, x in (("to A", self.to_a), ("to B", self.to_b)) if x is not None
        }
        return _frame("equivalent", self.a, self.b) | {"through": through} | matrices


@dataclass(frozen=True)
class Minimal(_Certificate):
    """A proof that B has the same scores as A and that no automaton with these scores has fewer states.

    The scores of all strings prefix + suffix form a matrix of full rank, a block of the Hankel matrix.

    Attributes:
        link: the proof that A and B have the same scores.
        prefixes, suffixes: strings, one of each for each state of B.
    """

    link: MappingProof
    prefixes: tuple[String, ...]
    suffixes: tuple[String, ...]

    def to_json(self) -> JsonObject:
        """Return the certificate as a JSON object."""
        strings = {"prefixes": [list(x) for x in self.prefixes], "suffixes": [list(x) for x in self.suffixes]}
        return self.link.to_json() | {"claims": "minimal"} | strings


@dataclass(frozen=True)
class Distinguished(_Certificate):
    """A certificate with a string, not necessarily the first, that two automata score differently."""

    a: WFSA
    b: WFSA
    word: Symbols
    scores: tuple[Weight, Weight]

    def to_json(self) -> JsonObject:
        """Return the certificate as a JSON object."""
        k = self.a.semiring
        return _frame("different", self.a, self.b) | {
            "word": list(self.word),
            "scores": [k.format(w) for w in self.scores],
        }


@dataclass(frozen=True)
class Bisimulation(_Certificate):
    """A proof that two automata are equal: a list of all pairs of Forward vectors that a string can reach.

    The two vectors of each pair have equal scores. A common factor of both vectors does not matter. Over the
    booleans, a pair that a string reaches may also follow from the listed pairs by equivalence and union.

    Attributes:
        a, b: the automata.
        pairs: pairs of a Forward vector of ``a`` and one of ``b``. Each vector is a dictionary from state to
            weight, without the states from which no final state is reachable.
    """

    a: WFSA
    b: WFSA
    pairs: list[tuple[dict[int, Weight], dict[int, Weight]]]

    def to_json(self) -> JsonObject:
        """Return the certificate as a JSON object."""
        write = self.a.semiring.format
        pairs = [
            [[[q, write(w)] for q, w in sorted(vector.items())] for vector in pair] for pair in self.pairs
        ]
        return _frame("equivalent", self.a, self.b) | {"pairs": pairs}


@dataclass(frozen=True)
class Lumped(_Certificate):
    """A proof that two automata over any semiring are equal: both map to the same automaton C.

    The states of C are classes of states of both automata.

    With X[q, c] = 1 if q is in class c, the equations are lambda_A X = lambda_C, M_A(a) X = X M_C(a)
    for every symbol a, and rho_A = X rho_C. For mirrored automata, with X[c, q] = 1 if q is in class c,
    they are lambda_A = lambda_C X, X M_A(a) = M_C(a) X, and X rho_A = rho_C.

    Attributes:
        a, b: the automata, without epsilon.
        through: C.
        of_a, of_b: the class of each state; some states have no class.
        mirrored: whether the classes are those of the mirrored automata.
    """

    a: WFSA
    b: WFSA
    through: WFSA
    of_a: dict[int, int]
    of_b: dict[int, int]
    mirrored: bool

    def to_json(self) -> JsonObject:
        """Return the certificate as a JSON object."""
        classes = {
            side: sorted([q, c] for q, c in of.items()) for side, of in (("A", self.of_a), ("B", self.of_b))
        }
        lumped = {"through": to_json(self.through), "classes": classes, "mirrored": int(self.mirrored)}
        return _frame("equivalent", self.a, self.b) | lumped


@dataclass(frozen=True)
class Simulation:
    """A simulation of an automaton without epsilon by another.

    Attributes:
        weights: the weights c, keyed by pairs (p, q) of a state of the first automaton and a state of the
            second. The score of each string from p is at most c times its score from q, where x is at most y
            if x (+) y = y.
        mirrored: whether this holds for the mirror images of both automata.
    """

    weights: Mapping[tuple[int, int], Weight]
    mirrored: bool


@dataclass(frozen=True)
class Simulated:
    """A proof that two automata over max-plus, min-plus or max-times are equal: each simulates the other.

    Attributes:
        a, b: the automata.
        a_in_b, b_in_a: the simulations, of the automata after their epsilon transitions are removed.
    """

    a: WFSA
    b: WFSA
    a_in_b: Simulation
    b_in_a: Simulation

    def to_json(self) -> JsonObject:
        """Return the certificate as a JSON object."""
        write = self.a.semiring.format
        sides = {"A": self.a_in_b, "B": self.b_in_a}
        rows = {
            name: [[p, q, write(c)] for (p, q), c in sorted(side.weights.items())]
            for name, side in sides.items()
        }
        mirrored = [name for name, side in sides.items() if side.mirrored]
        return _frame("equivalent", self.a, self.b) | {"simulation": rows, "mirrored": mirrored}


@dataclass(frozen=True)
class Chain(_Certificate):
    """A proof that two automata over a field are equal: a chain of links from their difference to zero.

    The difference is the direct sum of A and of B with negated initial weights. Each link leads to a
    representation with the same scores. The last representation has no initial or no final weights.

    Attributes:
        a, b: the automata.
        links: the links, in order.
        index: for each symbol, the index of its matrix in every representation.
        figures: sizes and times, for display.
    """

    a: WFSA
    b: WFSA
    links: tuple[ChainLink, ...]
    index: dict[Symbol, int]
    figures: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Return the certificate as a JSON object."""
        return _heading("automata over a field, by a chain", "equivalent", self.a, self.b) | {
            "links": [self._link(link) for link in self.links],
            "figures": {name: str(value) for name, value in self.figures.items()},
        }

    def _link(self, link: ChainLink) -> JsonObject:
        matrix = {} if link.matrix is None else {"matrix": _sparse_entries(link.matrix)}
        bound = {} if link.bound is None else {"bound": [REAL.format(w) for w in link.bound]}
        of, steps = link.to, [_sparse_entries(step) for step in link.to.steps]
        to = {
            "states": of.states,
            "initial": [[q, w] for _, q, w in _sparse_entries(of.initial)],
            "final": [[q, w] for q, _, w in _sparse_entries(of.final)],
            "transitions": [[p, q, s, w] for s, index in self.index.items() for p, q, w in steps[index]],
        }
        return {"kind": link.kind} | matrix | bound | {"to": to}


Certificate = MappingProof | Minimal | Distinguished | Bisimulation | Lumped | Simulated | Chain


def _heading(about: str, claims: str, a: WFSA, b: WFSA) -> JsonObject:
    return {"format": FORMAT, "about": about, "claims": claims, "A": to_json(a), "B": to_json(b)}


def _frame(claims: str, a: WFSA, b: WFSA) -> JsonObject:
    if not a.semiring.is_field:
        return _heading("automata over a semiring that is no field", claims, a, b)
    plain = {
        name: _without_epsilon(side.to_exact()) for name, side in (("A", a), ("B", b)) if side.has_epsilon
    }
    return _heading("automata over a field", claims, a, b) | ({"without epsilon": plain} if plain else {})


def _without_epsilon(automaton: WFSA) -> JsonObject:
    """Return the automaton without its epsilon transitions E, and a vector v that bounds the epsilon paths.

    The vector v is abs(E)* applied to the all-ones vector 1. It proves that all sums over epsilon paths
    converge, because abs(E) v = v - 1 < v.
    """
    plain, v = without_epsilon(automaton)
    return {"automaton": to_json(plain), "bound": [REAL.format(w) for w in v]}


def _entries(matrix: Weights) -> list[list[int | str]]:
    return [[int(i), int(j), REAL.format(matrix[i, j])] for i, j in np.argwhere(matrix != 0)]


def _sparse_entries(matrix: RationalMatrix) -> list[list[int | str]]:
    entries = zip(matrix.rows.tolist(), matrix.columns.tolist(), map(str, matrix.weights), strict=True)
    return [list(entry) for entry in entries]
