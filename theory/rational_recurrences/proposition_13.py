"""Proposition 13: the input switched affine network (ISAN) is rational; d + 1 states do.

Peng et al. 2018, section 4.3, equations 16 to 18, and appendix C, whose initial weights stand at the wrong half of the states.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy

from automata.polynomials import RATIONAL
from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import PROVED, Claim, Recurrence, Row, Source, Variant
from theory.induction import Identity, Induction
from theory.rational_recurrences.proposition_7 import ONE_LETTER
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.weights import Weights, added, product

# The weights: for each symbol a matrix W and a vector b, and c_0.


def isan(d: int, start: Any = None) -> Signature:
    """An ISAN of hidden size d; c_0 among some values."""
    return Signature((constant("c_0", (d,), start), by_symbol("W", (d, d)), by_symbol("b", (d,))), size=("d", d), most_small=300)


# The recurrence, as printed.


def step(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """c_t = W_{x_t} c_{t-1} + b_{x_t} (equation 16)."""
    return added(w.over, product(w.over, w.W[x], c), w.b[x])


isan_recurrence = Recurrence(start=lambda w: w.c_0, step=step, out=lambda w, c: c)


# Appendix C's construction: d states Q_1 (here 0 to d - 1) and d states Q_2 (d to 2d - 1), with eta = b and mu = W.


def doubled(w: Weights, initial: Any) -> list[WFSA]:
    """tau(q_i, q_j) = 1 for i = j in Q_2, eta_j for i = j + d, and mu_{j,i} in Q_1; the automaton G_i has the final state q_i."""
    k, d = w.over, w.n

    def weight(i: int, j: int, x: str) -> Any:
        if i >= d:
            return k.one if i == j else w.b[x][j] if i == j + d else k.zero
        return w.W[x][j][i] if j < d else k.zero

    tables = {x: [[weight(i, j, x) for j in range(2 * d)] for i in range(2 * d)] for x in w.alphabet}
    return [WFSA(k, initial, [k.one if j == i else k.zero for j in range(2 * d)], tables) for i in range(d)]


def printed(w: Weights) -> list[WFSA]:
    """lambda(q_i) = 1 for i = 1, ..., d: these are the states Q_1."""
    return doubled(w, [w.over.one] * w.n + [w.over.zero] * w.n)


def corrected(w: Weights) -> list[WFSA]:
    """lambda(q_i) = 1 for i = d + 1, ..., 2d, and lambda(q_i) = [c_0]_i in Q_1."""
    return doubled(w, [*w.c_0] + [w.over.one] * w.n)


def with_one_more_state(w: Weights) -> list[WFSA]:
    """D + 1 states: one for the constant 1, which all of Q_2 may be at once, and one for each number in c."""
    k, d = w.over, w.n
    tables = {
        x: [[k.one, *w.b[x]], *([k.zero, *(w.W[x][j][i] for j in range(d))] for i in range(d))] for x in w.alphabet
    }  # fmt: skip
    initial = [k.one, *w.c_0]
    return [WFSA(k, initial, [k.zero, *(k.one if j == i else k.zero for j in range(d))], tables) for i in range(d)]


# The proofs; with d a symbol, as sums over i = 1, ..., d at a generic place j.


def sums(rest: int) -> list[Identity]:
    """The step for every d, by sympy: at place j of c the sum is sum over i of W_{j,i} c_i + b_j, and the rest stay 1.

    Args:
        rest: with how many states for the constant 1: d (0 here) or one.
    """
    j, more = sympy.Symbol("j", integer=True, positive=True), sympy.Symbol("m", integer=True, nonnegative=True)
    i, d = sympy.Symbol("i", integer=True), j + more
    matrix, b, c = sympy.IndexedBase("W"), sympy.IndexedBase("b"), sympy.IndexedBase("c")
    among = sympy.Sum(c[i] * matrix[j, i], (i, 1, d))  # tau(q_i, q_j) = W_{j,i} in Q_1
    constant_part = b[j] if rest else sympy.summation(from_constant(i, j, b), (i, 1, d))
    kept = sympy.Integer(1) if rest else sympy.summation(among_constants(i, j), (i, 1, d))
    left, right = sympy.simplify(among + constant_part), among + b[j]
    where = "at every place j of c, 1 <= j <= d"
    return [
        Identity(
            "step", where, str(left).replace("j + m", "d"), str(right).replace("j + m", "d"), sympy.simplify(left - right) == 0
        ),
        Identity("step", "at every other place", str(kept), "1", sympy.simplify(kept) == 1),
    ]


def from_constant(i: Any, j: Any, b: Any) -> Any:
    """tau(q_{d+i}, q_j) of appendix C: eta_j where i = j."""
    return sympy.KroneckerDelta(i, j) * b[j]


def among_constants(i: Any, j: Any) -> Any:
    """tau(q_{d+i}, q_{d+j}): one where i = j."""
    return sympy.KroneckerDelta(i, j)


def same_as_the_construction(construction: Any, rest: int, d: int) -> Identity:
    """That these are the entries of the matrix which the construction makes, for that d."""
    w = isan(d).variables("a", RATIONAL)
    places = [sympy.Integer(i) for i in range(1, d + 1)]
    matrix = sympy.Matrix(w.W["a"])
    b = (None, *w.b["a"])
    inner = [[matrix[j - 1, i - 1] for j in places] for i in places]
    if rest:
        expected = [[1, *b[1:]], *([0, *row] for row in inner)]
    else:
        outer = [[from_constant(i, j, b) for j in places] + [among_constants(i, j) for j in places] for i in places]
        expected = [*(row + [0] * d for row in inner), *outer]
    made = construction(w)[0].matrix("a").tolist()
    return Identity("step", f"d = {d}", "tau as in these sums", "the construction's matrix", made == expected)


def proof(construction: Any, rest: int, says: str, invariant: Any) -> Induction:
    """By the invariant, for d = 1 to 5 and for d a symbol."""
    return Induction(
        says=says,
        invariant=invariant,
        states=lambda w, variable: [tuple(variable(f"c[{i + 1}]") for i in range(w.n))],
        instances=tuple((isan(d), "a") for d in range(1, 6)),
        enough=f"{ONE_LETTER} For every d the step at a place j is one identity of sums, with j and d symbols.",
        sizes=lambda: [*sums(rest), *(same_as_the_construction(construction, rest, d) for d in range(1, 6))],
    )


ANYWHERE = Sizes(isan, (1, 2, 3), (1, 2))
FROM_ZERO = Sizes(lambda d: isan(d, start=[0]), (1, 2, 3), (1, 2))

CLAIM = Claim(
    name="proposition-13",
    title="ISAN is rational",
    statement=(
        "Each of the d numbers in the state of a single-layer ISAN is the Forward score of an automaton with 2d states; d + 1 states "
        "suffice."
    ),
    source=Source("peng2018rational", "4.3", "Proposition 13", ("16", "17", "18")),
    hypotheses=("The network starts in c_0 = 0, or the automaton has c_0 among its initial weights.",),
    variants=(
        Variant(
            name="corrected",
            expected="holds",
            says="appendix C with lambda(q_i) = 1 for i = d + 1, ..., 2d, and lambda(q_i) = [c_0]_i before",
            recurrence=isan_recurrence,
            construction=corrected,
            cases=ANYWHERE.random,
            small_cases=ANYWHERE.small,
            kinds=PROVED,
            proof=proof(
                corrected,
                0,
                "after every string, Forward's vector is (c, 1, ..., 1)",
                lambda w, c, unit: (*c, *[w.over.one] * w.n),
            ),
        ),
        Variant(
            name="corrected-with-fewer-states",
            expected="holds",
            says="an automaton with d + 1 states: one for the constant 1 in place of d",
            recurrence=isan_recurrence,
            construction=with_one_more_state,
            cases=ANYWHERE.random,
            small_cases=ANYWHERE.small,
            kinds=PROVED,
            proof=proof(
                with_one_more_state,
                1,
                "after every string, Forward's vector is (1, c)",
                lambda w, c, unit: (w.over.one, *c),
            ),
        ),
        Variant(
            name="printed",
            expected="refuted",
            says="appendix C as printed: lambda(q_i) = 1 for i = 1, ..., d, which are the states Q_1",
            recurrence=isan_recurrence,
            construction=printed,
            cases=FROM_ZERO.random,
            small_cases=FROM_ZERO.small,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "c_0": (Fraction(0), Fraction(0)),
            "W": {
                "a": ((Fraction(1), Fraction(2)), (Fraction(0), Fraction(1))),
                "b": ((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))),
            },
            "b": {"a": (Fraction(1), Fraction(0)), "b": (Fraction(0), Fraction(-1))},
        },
        ("d", 2),
    ),
    row=Row("1", ("ISAN", "c_t = W_{x_t} c_{t-1} + b_{x_t}", "D_1, D_2")),
)
