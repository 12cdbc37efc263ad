"""Proposition 12: the n-gram RCNN is a chain of n + 1 states.

Peng et al. 2018, section 4.2, equations 14a, 14b and 15, and appendix B, which starts with z^(j) = 0 for all j.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import NO_AUTOMATON, PROVED, Claim, Recurrence, Row, Source, Variant
from theory.induction import Identity, Induction
from theory.rational_recurrences.proposition_7 import ONE_LETTER
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.weights import Weights

# The weights of one unit: lambda_t (here f) and u^(1), ..., u^(n) as functions of the symbol, and c^(1)_0, ..., c^(n)_0.


def rcnn(n: int, start: Any = None) -> Signature:
    """An n-gram unit with a lambda that depends on the symbol."""
    return Signature((constant("c_0", (n,), start), by_symbol("f"), by_symbol("u", (n,))), size=("n", n), most_small=300)


def rcnn_with_constant_lambda(n: int) -> Signature:
    """An n-gram unit with a constant lambda."""
    return Signature((constant("c_0", (n,)), constant("f"), by_symbol("u", (n,))), size=("n", n), most_small=300)


def rcnn_with_feedback(n: int) -> Signature:
    """An n-gram unit whose lambda reads c^(n)_{t-1} with weight w."""
    reads = constant("w", only=[1, -1, Fraction(1, 2)])
    return Signature((constant("c_0", (n,), [0]), reads, by_symbol("f"), by_symbol("u", (n,))), size=("n", n), most_small=300)


# The recurrence, as printed, for any n.


def step(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """c^(1) = c^(1) lambda + u^(1) (equation 14a), and c^(j) = c^(j) lambda + c^(j-1) u^(j) (equation 14b), from those at t - 1."""
    return chained(w, c, w.f[x] if isinstance(w.f, dict) else w.f, w.u[x])


def chained(w: Weights, c: Any, lam: Any, u: Any) -> tuple[Any, ...]:
    """Equations 14a and 14b for a value of lambda."""
    k = w.over
    first = k.plus(k.times(c[0], lam), u[0])
    return first, *(k.plus(k.times(c[j], lam), k.times(c[j - 1], u[j])) for j in range(1, w.n))


def step_with_feedback(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """The same with lambda_t = f(x_t) + w c^(n)_{t-1}."""
    return chained(w, c, w.f[x] + w.w * c[-1], w.u[x])


rcnn_recurrence = Recurrence(start=lambda w: w.c_0, step=step, out=lambda w, c: (c[-1],))
with_feedback = Recurrence(start=lambda w: w.c_0, step=step_with_feedback, out=lambda w, c: (c[-1],))


# The construction of appendix B, with mu_j = u^(j) and phi = lambda (equation 15).


def chain(w: Weights, initial: Any) -> list[WFSA]:
    """q_0 loops with one, q_1 to q_n loop with phi, and q_{j-1} goes to q_j with mu_j; q_n is final."""
    k, n = w.over, w.n

    def weight(i: int, j: int, x: str) -> Any:
        if i == j:
            return k.one if i == 0 else w.f[x] if isinstance(w.f, dict) else w.f
        return w.u[x][i] if j == i + 1 else k.zero

    tables = {x: [[weight(i, j, x) for j in range(n + 1)] for i in range(n + 1)] for x in w.alphabet}
    return [WFSA(k, initial, [k.zero] * n + [k.one], tables)]


def corrected(w: Weights) -> list[WFSA]:
    """lambda(q_0) = 1 and lambda(q_j) = c^(j)_0: short strings need no padding."""
    return chain(w, [w.over.one, *w.c_0])


def printed(w: Weights) -> list[WFSA]:
    """As the proof has it: before the first symbol z^(j) = 0 for all j, q_0 included."""
    return chain(w, [w.over.zero] * (w.n + 1))


# The proof; with n a symbol, the step at a generic place j.


def for_every_n() -> list[Identity]:
    """With 1 <= j <= n and both of them symbols: sum over i of c_i tau(q_i, q_j), by sympy, is c_j phi + c_{j-1} mu_j.

    Here c_0 = 1, and the sum runs over all n + 1 states; :func:`tau` is the construction's matrix.
    """
    j, more = sympy.Symbol("j", integer=True, positive=True), sympy.Symbol("m", integer=True, nonnegative=True)
    i, n = sympy.Symbol("i", integer=True), j + more
    c, mu, phi = sympy.IndexedBase("c"), sympy.IndexedBase("mu"), sympy.Symbol("phi")
    left = sympy.simplify(sympy.summation(c[i] * tau(i, j, phi, mu), (i, 0, n)))
    right = c[j] * phi + c[j - 1] * mu[j]
    first = sympy.simplify(sympy.summation(c[i] * tau_to_first(i), (i, 0, n)))
    return [
        Identity("step", "at every j with 1 <= j <= n", str(left), str(right), sympy.expand(left - right) == 0),
        Identity("step", "at j = 0", str(first), "c[0]", first == c[0]),
    ]


def tau(i: Any, j: Any, phi: Any, mu: Any) -> Any:
    """The weight from q_i to q_j, for j >= 1, as one expression in the places i and j (appendix B's cases)."""
    return sympy.KroneckerDelta(i, j) * phi + sympy.KroneckerDelta(i, j - 1) * mu[j]


def tau_to_first(i: Any) -> Any:
    """The weight to q_0: one from q_0, zero from elsewhere."""
    return sympy.KroneckerDelta(i, 0)


def same_as_the_construction(n: int) -> Identity:
    """That the expression is the matrix which the construction makes, for that n."""
    from automata.polynomials import RATIONAL

    w = rcnn(n).variables("a", RATIONAL)
    (automaton,) = corrected(w)
    mu = (None, *w.u["a"])
    expected = [
        [tau_to_first(i) if j == 0 else tau(sympy.Integer(i), sympy.Integer(j), w.f["a"], mu) for j in range(n + 1)]
        for i in range(n + 1)
    ]
    made = automaton.matrix("a").tolist()
    return Identity("step", f"n = {n}", "tau as in these sums", "the construction's matrix", made == expected)


def sizes() -> list[Identity]:
    """The step for every n, and that it speaks of the construction."""
    return [*for_every_n(), *(same_as_the_construction(n) for n in range(1, 9))]


def chain_proof(of: Any) -> Induction:
    """Omega is (1, c^(1), ..., c^(n))."""
    return Induction(
        says="after every string, Forward's vector is (1, c^(1), ..., c^(n))",
        invariant=lambda w, c, unit: (w.over.one, *c),
        states=lambda w, variable: [tuple(variable(f"c[{j + 1}]") for j in range(w.n))],
        instances=tuple((of(n), "a") for n in range(1, 7)),
        enough=(
            f"{ONE_LETTER} For every n: into q_j lead q_j and q_(j-1) alone, so the step at place j is one identity, with j and n symbols."
        ),
        sizes=sizes,
    )


ANYWHERE = Sizes(rcnn, (1, 2, 3, 4, 5, 6), (1, 2, 3))
CONSTANT = Sizes(rcnn_with_constant_lambda, (1, 2, 3, 4, 5, 6), (1, 2, 3))
FROM_ZERO = Sizes(lambda n: rcnn(n, start=[0]), (1, 2, 3), (1, 2, 3))
FEEDBACK = Sizes(rcnn_with_feedback, (1, 2), (1, 2))
C_0 = "Before the string c^(j)_0 = 0 for all j >= 1, or the automaton has the initial weights lambda(q_j) = c^(j)_0."

CLAIM = Claim(
    name="proposition-12",
    title="The n-gram RCNN is rational",
    statement=(
        "A unit of the single-layer n-gram RCNN, whose lambda_t is constant or depends on the symbol alone, is the Forward score of a "
        "chain of n + 1 states, for every n."
    ),
    source=Source("peng2018rational", "4.2", "Proposition 12", ("14a", "14b", "15")),
    hypotheses=("lambda_t is a constant, or depends on x_t alone.", C_0),
    variants=(
        Variant(
            name="corrected",
            expected="holds",
            says="with lambda(q_0) = 1 and lambda(q_j) = c^(j)_0; lambda_t depends on the symbol",
            recurrence=rcnn_recurrence,
            construction=corrected,
            cases=ANYWHERE.random,
            small_cases=ANYWHERE.small,
            kinds=PROVED,
            proof=chain_proof(rcnn),
        ),
        Variant(
            name="corrected-constant-lambda",
            expected="holds",
            says="the same with a constant lambda",
            recurrence=rcnn_recurrence,
            construction=corrected,
            cases=CONSTANT.random,
            small_cases=CONSTANT.small,
            kinds=PROVED,
            proof=chain_proof(rcnn_with_constant_lambda),
        ),
        Variant(
            name="printed",
            expected="refuted",
            says="appendix B's start, z^(j) = 0 for all j: no path begins anywhere",
            recurrence=rcnn_recurrence,
            construction=printed,
            cases=FROM_ZERO.random,
            small_cases=FROM_ZERO.small,
        ),
        Variant(
            name="without-input-only-lambda",
            expected="refuted",
            says="lambda_t also reads the state before it, here as lambda_t = f(x_t) + w c^(n)_{t-1} with w not 0",
            recurrence=with_feedback,
            construction=corrected,
            cases=FEEDBACK.random,
            small_cases=FEEDBACK.small,
            kinds=NO_AUTOMATON,
            no_automaton=True,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "c_0": (Fraction(0), Fraction(0)),
            "f": {"a": Fraction(1, 2), "b": Fraction(1)},
            "u": {"a": (Fraction(3), Fraction(1)), "b": (Fraction(-1), Fraction(2))},
        },
        ("n", 2),
    ),
    uses=("model-c",),
    row=Row("1", ("RCNN", "c^(1)_t = c^(1)_{t-1} l_t + u^(1)_t, c^(2)_t = c^(2)_{t-1} l_t + c^(1)_{t-1} u^(2)_t", "C")),
)
