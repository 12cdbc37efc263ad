"""Proofs that two automata are equivalent, as links between automata, for Coq.

A link from B to A is a matrix X with lambda_B X = lambda_A, M_B(a) X = X M_A(a) for every symbol a, and X
rho_A = rho_B. With epsilon transitions E in A, lambda_B X = lambda_A + lambda_B X E and M_B(a) X = X M_A(a) +
M_B(a) X E.

Then both automata give every word the same score over any semiring (``theory/coq/equivalence.v``). Over a
field, the certificate contains such a matrix. Over other semirings, there are two links, from a third
automaton to A and to B. The states of the third automaton are the pairs of state vectors that words lead to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from automata.aliases import Symbol, Symbols, Weight, Weights
from automata.equivalence import Different, Equivalent
from automata.equivalence.certificates import Chain, MappingProof, Simulated
from automata.errors import InputError
from automata.operations import remove_epsilon
from automata.reachability import dead_states
from automata.semirings import BOOLEAN, COUNTING, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, Semiring
from automata.wfsa import WFSA

MOST_PAIRS = 300
"""Maximum number of pairs of vectors, beyond which Coq's lists are too slow."""
COQ_SEMIRINGS = {
    REAL: "rationals",
    COUNTING: "rationals",
    BOOLEAN: "booleans",
    MAX_PLUS: "rational_max_plus",
    MIN_PLUS: "rational_min_plus",
    MAX_TIMES: "rational_max_times",
}
"""The name of each semiring in ``theory/coq/instances.v``."""
Vector = list[Weight]
Matrix = list[Vector]


@dataclass(frozen=True)
class ListedAutomaton:
    """An automaton as lists, in the form that ``theory/coq/checker.v`` reads."""

    first: Vector
    matrices: list[Matrix]
    epsilon: Matrix
    last: Vector


@dataclass(frozen=True)
class Link:
    """A link from one automaton to another, by their indices in the list of automata.

    Attributes:
        source, target: The indices of B and A.
        matrix: The matrix X.
        ranks: Ranks of A's states, which increase along its epsilon transitions.
    """

    source: int
    target: int
    matrix: Matrix
    ranks: list[int]


@dataclass(frozen=True)
class LinkProof:
    """A proof of a result for Coq: automata, and the links between them.

    Attributes:
        over: The semiring.
        alphabet: The symbols, by their indices.
        automata: The automata, beginning with A and B.
        links: The links between the automata.
        left, right: Chains of linked automata that end in A and B. If A and B are equivalent, both chains
            begin with the same automaton. Otherwise, each begins with an automaton without epsilon
            transitions.
        word: A word on which A and B differ, as indices of symbols; ``None`` if they are equivalent.
    """

    over: str
    alphabet: Symbols
    automata: list[ListedAutomaton]
    links: list[Link]
    left: list[int]
    right: list[int]
    word: list[int] | None


class LinkBuilder:
    """A builder that collects automata and the links between them."""

    def __init__(self, a: WFSA) -> None:
        self.k = a.semiring
        self.alphabet = a.alphabet
        self.automata: list[ListedAutomaton] = []
        self.links: list[Link] = []

    def add(self, automaton: WFSA) -> int:
        """Add an automaton and return its index."""
        matrices = [automaton.matrix(x).tolist() for x in self.alphabet]
        epsilon = [] if automaton.epsilon is None else automaton.epsilon.tolist()
        self.automata.append(
            ListedAutomaton(automaton.initial.tolist(), matrices, epsilon, automaton.final.tolist())
        )
        return len(self.automata) - 1

    def link(self, source: int, target: int, matrix: Matrix) -> None:
        """Add a link from one automaton to another."""
        order = ranks(self.k, self.automata[target].epsilon)
        assert order is not None
        self.links.append(Link(source, target, matrix, order))

    def identity(self, n: int) -> Matrix:
        """Return the n x n identity matrix over the semiring."""
        return [[self.k.one if i == j else self.k.zero for j in range(n)] for i in range(n)]

    def plain(self, automaton: WFSA, index: int) -> tuple[WFSA, list[int]]:
        """Return the automaton without epsilon transitions, and the chain of indices from it to ``index``.

        If the automaton has epsilon transitions, the new automaton and its link to the old one are added.
        """
        if not automaton.has_epsilon:
            return automaton, [index]
        without = remove_epsilon(automaton)
        plain = self.add(without)
        self.link(plain, index, self.identity(automaton.states))
        return without, [plain, index]


def link_proof(a: WFSA, b: WFSA, answer: Equivalent | Different, names: tuple[str, str]) -> LinkProof:
    """Return the links for a result about two automata; raise InputError if there is no proof for Coq."""
    if a.semiring not in COQ_SEMIRINGS:
        raise InputError(
            f"--kernel does not support the {a.semiring.name} semiring, whose sums are not fractions"
        )
    a, b = a.to_exact(), b.to_exact()
    builder = LinkBuilder(a)
    indices = [builder.add(side) for side in (a, b)]
    for name, index in zip(names, indices, strict=True):
        if ranks(a.semiring, builder.automata[index].epsilon) is None:
            raise InputError(f"--kernel: the epsilon transitions of {name} must not form a cycle")
    (plain_a, to_a), (plain_b, to_b) = builder.plain(a, indices[0]), builder.plain(b, indices[1])
    if isinstance(answer, Different):
        word = [list(a.alphabet).index(x) for x in answer.word]
        return LinkProof(
            COQ_SEMIRINGS[a.semiring], a.alphabet, builder.automata, builder.links, to_a, to_b, word
        )
    if isinstance(answer.certificate, MappingProof):
        left, right = _certificate_links(builder, answer.certificate, plain_a, plain_b, to_a, to_b)
    elif isinstance(answer.certificate, Chain):
        raise InputError(
            "--kernel does not support automata whose proof has several steps; use --certificate"
        )
    elif isinstance(answer.certificate, Simulated):
        raise InputError(
            "--kernel does not support proofs by simulation, such as the proof for these automata"
        )
    elif answer.certificate is not None:
        left, right = _pair_links(builder, plain_a, plain_b, to_a, to_b)
    else:
        raise InputError(f"--kernel: this result has no certificate that Coq could check ({answer.how})")
    return LinkProof(
        COQ_SEMIRINGS[a.semiring], a.alphabet, builder.automata, builder.links, left, right, None
    )


def _certificate_links(
    builder: LinkBuilder, certificate: MappingProof, a: WFSA, b: WFSA, to_a: list[int], to_b: list[int]
) -> tuple[list[int], list[int]]:
    """Add the links whose matrices the certificate contains, and return the chains that end in A and B."""
    if certificate.through is certificate.a:
        index = to_a[0]
    elif certificate.through is certificate.b:
        index = to_b[0]
    else:
        index = builder.add(certificate.through.over(a.alphabet))
    ways = []
    for matrix, way, side in ((certificate.to_a, to_a, a), (certificate.to_b, to_b, b)):
        if index != way[0]:
            identity = builder.identity(side.num_states)
            builder.link(index, way[0], identity if matrix is None else matrix.tolist())
            way = [index, *way]
        ways.append(way)
    return ways[0], ways[1]


def _pair_links(
    builder: LinkBuilder, a: WFSA, b: WFSA, to_a: list[int], to_b: list[int]
) -> tuple[list[int], list[int]]:
    """Add an automaton whose states are the pairs of vectors that words lead to, up to a factor.

    Dead states are removed first. Return the chains from the new automaton to A and to B.
    """
    (live_a, way_a), (live_b, way_b) = _live(builder, a, to_a), _live(builder, b, to_b)
    k, alphabet = builder.k, builder.alphabet
    known: dict[tuple[Weight, ...], int] = {}
    rows: list[tuple[Vector, Vector]] = []
    arrows: list[tuple[int, int, Symbol, Weight]] = []

    def state_of(pair: tuple[Vector, Vector]) -> tuple[int, Weight] | None:
        """Return the index of the scaled pair, and its factor; ``None`` if all weights are zero."""
        total = reduce(k.plus, (*pair[0], *pair[1]), k.zero)
        if total == k.zero:
            return None
        over = k.divide_numbers or (lambda weight, _: weight)
        scaled = tuple([w if w == k.zero else over(w, total) for w in vector] for vector in pair)
        key = (*scaled[0], *scaled[1])
        if key not in known:
            if len(known) == MOST_PAIRS:
                raise InputError(
                    f"--kernel does not support proofs with more than {MOST_PAIRS} pairs of Forward vectors"
                )
            known[key] = len(rows)
            rows.append((scaled[0], scaled[1]))
        return known[key], total

    start = state_of((live_a.initial.tolist(), live_b.initial.tolist()))
    for i, (x, y) in enumerate(rows):
        for symbol in alphabet:
            after = state_of(
                (
                    _row_times_matrix(k, x, live_a.matrix(symbol)),
                    _row_times_matrix(k, y, live_b.matrix(symbol)),
                )
            )
            if after is not None:
                arrows.append((i, after[0], symbol, after[1]))
    final = [(i, k.dot(np.array(x, dtype=k.dtype(True)), live_a.final)) for i, (x, _) in enumerate(rows)]
    through = WFSA.from_edges(k, len(rows), alphabet, [] if start is None else [start], final, arrows)
    middle = builder.add(through)
    builder.link(middle, way_a[0], [x for x, _ in rows])
    builder.link(middle, way_b[0], [y for _, y in rows])
    return [middle, *way_a], [middle, *way_b]


def _live(builder: LinkBuilder, automaton: WFSA, way: list[int]) -> tuple[WFSA, list[int]]:
    """Return the automaton without dead states, and the chain of automata that begins with it.

    If there are dead states, the smaller automaton is added before the first automaton of the chain ``way``,
    and a link goes from that automaton to the smaller one.
    """
    keep = np.flatnonzero(~dead_states(automaton))
    if len(keep) == automaton.states:
        return automaton, way
    matrices = automaton.matrices[:, keep][:, :, keep]
    small = automaton.replace(initial=automaton.initial[keep], final=automaton.final[keep], matrices=matrices)
    k, index = builder.k, builder.add(small)
    builder.link(
        way[0], index, [[k.one if q == p else k.zero for p in keep] for q in range(automaton.states)]
    )
    return small, [index, *way]


def _row_times_matrix(k: Semiring, row: Vector, matrix: Weights) -> Vector:
    return k.matmul(np.array([row], dtype=k.dtype(True)), matrix)[0].tolist()  # type: ignore[no-any-return]


def ranks(k: Semiring, epsilon: Matrix) -> list[int] | None:
    """Return the length of the longest epsilon path to each state, or ``None`` if there is a cycle."""
    n = len(epsilon)
    rank = [0] * n
    for _ in range(n + 1):
        after = [max([0, *(rank[p] + 1 for p in range(n) if epsilon[p][q] != k.zero)]) for q in range(n)]
        if after == rank:
            return rank
        rank = after
    return [] if n == 0 else None
