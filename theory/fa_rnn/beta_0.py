"""Equation 6 at beta = 0: with G = pinv(E_w) E_R, the network is the automaton under a rank condition.

For each word, E_w has the pretrained vector u as a row, and E_R has the row v of the automaton's factors. The
columns of E_R must lie in the column space of E_w. Jiang et al. 2020, section 3.3, state that "the
initialized RNN still tries to mimic the FA".
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.fa_rnn.shared.networks import (
    BITS,
    Matrix,
    Vector,
    factors,
    in_line,
    score,
    times,
    with_factors,
    with_rebuilt_tensor,
)
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# Exact linear algebra: the pseudo-inverse (Moore-Penrose) by a factorisation of full rank, A = B C.


def exact_matrix(rows: Any) -> flint.fmpq_mat:
    """Convert rows of fractions to a matrix over the rational numbers."""
    values = [[flint.fmpq(Fraction(v).numerator, Fraction(v).denominator) for v in row] for row in rows]
    return flint.fmpq_mat(len(values), len(values[0]), [v for row in values for v in row])


def fractions(matrix: flint.fmpq_mat) -> Matrix:
    """Return the rows of a matrix over the rational numbers, as fractions."""
    return tuple(tuple(Fraction(int(v.p), int(v.q)) for v in row) for row in matrix.tolist())


def pseudo_inverse(rows: Any) -> flint.fmpq_mat:
    """Return the pseudo-inverse C^T (C C^T)^-1 (B^T B)^-1 B^T of the matrix A with these rows.

    C has the nonzero rows of A's reduced row echelon form, and B has the columns of A at the pivots. The
    pseudo-inverse of zero is zero.
    """
    a = exact_matrix(rows)
    reduced, rank = a.rref()
    if rank == 0:
        return flint.fmpq_mat(a.ncols(), a.nrows())
    table = reduced.tolist()
    c = flint.fmpq_mat(table[:rank])
    pivots = [next(j for j, v in enumerate(row) if v) for row in table[:rank]]
    b = flint.fmpq_mat([[row[j] for j in pivots] for row in a.tolist()])
    ct, bt = c.transpose(), b.transpose()
    return ct * (c * ct).inv() * (bt * b).inv() * bt


def rank(rows: Any) -> int:
    """Return the rank of a matrix."""
    return int(exact_matrix(rows).rref()[1])


def by_word(w: Weights, name: str) -> list[Vector]:
    """Return the rows of the table ``name`` in the order of the words in the alphabet."""
    return [w.entries[name][x] for x in w.alphabet]


def turn(w: Weights) -> Matrix:
    """Return G = pinv(E_w) E_R, a least-squares solution of E_w G = E_R."""
    return fractions(pseudo_inverse(by_word(w, "u")) * exact_matrix(by_word(w, "v")))


# The weights: factors, a vector u for each word, and G.


def _turned_by(w: Weights, g: Matrix) -> bool:
    """Return whether E_w g = E_R, that is, whether u g = v for every word."""
    return all(times(w.over, u, g) == v for u, v in zip(by_word(w, "u"), by_word(w, "v"), strict=True))


def with_any_vectors(size: tuple[int, int, int], only: tuple[Any, ...] | None = None) -> Signature:
    """Return the names and shapes of factors with K states and r columns, word vectors u of size D, and G."""
    k, r, d = size
    # G is computed from all words, but no claim about these weights needs this, so words may be dropped
    free = constant("G", derived=turn, follows=lambda w: True)
    entries = (*factors(k, r, only), by_symbol("u", (d,), only), free)
    return Signature(entries, size=("K", k), most_small=300)


def with_vectors_that_span(size: tuple[int, int, int]) -> Signature:
    """Return the names and shapes of word vectors u and of factors for which E_R = E_w M for some M.

    The columns of E_R then lie in the column space of E_w.
    """
    k, r, d = size
    start, before, _, after, end = factors(k, r)
    v = by_symbol("v", (r,), derived=lambda w, x: times(w.over, w.u[x], w.M))
    entries = (
        start,
        before,
        by_symbol("u", (d,)),
        constant("M", (d, r)),
        v,
        after,
        end,
        constant("G", derived=turn, follows=lambda w: _turned_by(w, w.G)),
    )
    return Signature(entries, size=("K", k), most_small=150)


def step_0(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t = ((h_{t-1} D_1) o (u_t G)) D_2^T: equation 6 at beta = 0."""
    return with_factors(w, h, times(w.over, w.u[x], w.G))


network = Recurrence(start=lambda w: w.alpha_0, step=step_0, out=score)


# Necessity: the equivalence of two conditions on E_w and E_R. Each condition is 1 or 0, and is written as a
# network or an automaton that ignores its input.


def lies_in_column_space(w: Weights) -> bool:
    """Return whether appending the columns of E_R to E_w leaves its rank unchanged."""
    e_w, e_r = by_word(w, "u"), by_word(w, "v")
    return rank([(*u, *v) for u, v in zip(e_w, e_r, strict=True)]) == rank(e_w)


condition = Recurrence(
    start=lambda w: (int(lies_in_column_space(w)),), step=lambda w, c, x: c, out=lambda w, c: c
)


def exactness(w: Weights) -> list[WFSA]:
    """Return a one-state automaton whose weight is 1 if E_w pinv(E_w) E_R = E_R, and 0 otherwise."""
    return [WFSA(REAL, [int(_turned_by(w, turn(w)))], [1], {x: [[1]] for x in w.alphabet})]


SIZES = ((1, 1, 1), (2, 2, 1), (2, 2, 2), (2, 1, 3))
SMALL_SIZES = ((1, 1, 1), (2, 1, 1))
ANY, SPAN = Sizes(with_any_vectors, SIZES, ()), Sizes(with_vectors_that_span, SIZES, SMALL_SIZES)
SMALL_ANY = Sizes(lambda size: in_line(with_any_vectors(size, BITS)), (), SMALL_SIZES)
ONE, NOTHING = Fraction(1), Fraction(0)

FACTORS_IN_COQ = (
    "(S D Q C : finite) (D_1 D_2 : Q -> C -> K) (alpha_0 alpha_inf : Q -> K) (u : S -> D -> K)"
    " (v : S -> C -> K) (P : D -> S -> K)"
)

TERMS: dict[str, Any] = {
    "network": "score_at_0 (S := {S}) {D_1} {D_2} {alpha_0} {alpha_inf} {u:finite} {G} {letters}",
    "automaton": "automaton_of {alpha_0} {alpha_inf} (of_factors {D_1} {D_2} {v})",
    "values": lambda w: {**w.entries, "S": f"(place {len(w.alphabet)})"},
}

CLAIM = Claim(
    name="fa-rnn-beta-0",
    title="with pretrained vectors alone",
    statement=(
        "At beta = 0 and G = pinv(E_w) E_R, the network is the automaton of its factors if the columns of"
        " E_R lie in the column space of E_w, and only then is E_w G = E_R."
    ),
    source=Source("jiang2020cold", "3.3", "Equation 6 at beta = 0", ("6",)),
    hypotheses=(
        (
            "The columns of E_R lie in the column space of E_w; this is always true if the word vectors are"
            " linearly independent."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="if the columns of E_R lie in the column space of E_w, the network is the automaton",
            reading=Equality(recurrence=network, construction=with_rebuilt_tensor),
            cases=SPAN.random,
            small_cases=SPAN.near_generic,
            programs=("fa-rnn-vectors",),
            theorem=Theorem(
                "fa_rnn.beta_0.beta_0",
                claims=(
                    f"forall (K : semiring) {FACTORS_IN_COQ} (M : D -> C -> K) letters,"
                    " generalized_inverse u P -> equal_tables v (product u M) ->"
                    " let G := product P v in {automaton} = {network}"
                ),
                **TERMS,
            ),
        ),
        holding(
            name="corrected-only-then",
            constant=(
                "the variant is about weights and reads no sentence: the score is 1 in some cases and 0 in"
                " others"
            ),
            says="E_w G = E_R if and only if appending E_R to E_w does not increase the rank",
            reading=Equality(recurrence=condition, construction=exactness),
            cases=ANY.random,
            small_cases=SMALL_ANY.small,
            theorem=Theorem(
                "fa_rnn.beta_0.beta_0_only_then",
                untied=("the rank of a matrix over an arbitrary field cannot be computed"),
            ),
        ),
        refuted(
            name="printed",
            says="for any vectors, the network is the automaton",
            reading=Equality(recurrence=network, construction=with_rebuilt_tensor),
            cases=ANY.random,
            small_cases=SMALL_ANY.small,
            theorem=Theorem(
                "fa_rnn.beta_0.printed_is_refuted",
                claims=(
                    f"forall K : semiring, one <> zero :> K -> not (forall {FACTORS_IN_COQ} letters,"
                    " pseudo_inverse u P -> let G := product P v in {automaton} = {network})"
                ),
                **TERMS,
            ),
        ),
    ),
    differences=(
        (
            "The columns of E_R lie in the column space of E_w. The paper has no hypothesis, and"
            " states that the network approximates the automaton."
        ),
        (
            '"Mimics" is read as equality, and the variant corrected-only-then shows that the'
            " hypothesis is necessary for E_w G = E_R."
        ),
    ),
    example=SPAN.of((2, 2, 1)).example(),
    uses=("fa-rnn-eq-5", "fa-rnn-beta-1"),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
