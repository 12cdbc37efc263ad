"""Equation 7: a bound on the distance of an FA-GRU from its FA-RNN.

Jiang et al. 2020, section 3.4, make the gates' biases large "to ensure that the initialized FA-GRU
is approximately equivalent to the FA-RNN". The gates read h, which counts paths. If counts grow
with the sentence, U h exceeds every bias, and the distance may be large. Small counts are not enough either:
each word adds a small error, so the distance of the scores may exceed 1/2 after a long sentence.

The bound: T is nonnegative, so h is also nonnegative. Let u be an upper bound on h. Then every gate is at
least 1 - e, where 1 - e = sigma(b - max |W z| - max over j of the sum over i of |U[i, j]| u[i]). Let h_1 be
the state after BOS. If all components of f and r are in [1 - e, 1], then, elementwise,

    (1 - e)^2 h T  <=  (1 - f) o h + f o (((1 - r) o h_1 + r o h) T)  <=  e h + (h + e h_1) T

The bounds l and u are both h_1 at the start. Each word changes them to l' = (1 - e)^2 l T and
u' = e u + (u + e h_1) T. Then the states of the FA-GRU stay between l and u. So do those of the FA-RNN,
because its gates are 1. Any larger e that is at most 1 also gives valid bounds.

The values of sigma are irrational, so everything is computed in ball arithmetic: each ball contains the true
value. Two balls that contain the same value overlap and cannot be compared, so the comparison of a state that
attains its bound would be undecided. The computed e is therefore multiplied by 1 + 2^-64, up to at most 1,
which leaves a gap between the state and its bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from theory.claim import Claim, Effort, Misprint, Source, holding, refuted
from theory.fa_rnn.shared.networks import BITS, Vector, dot, in_line, step_4, tensor
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.state_regularized.shared.limits import always_one
from theory.weights import Weights

PRECISION = 256
WORD = (0, 1, -1, Fraction(1, 2), Fraction(-3, 2))
FAR = Fraction(1, 2)
ROOM = Fraction(1, 2**64)


def gated(k: int) -> Signature:
    """Return the names and shapes of the weights of a rule's automaton and of the two gates of an FA-GRU.

    The automaton starts in the state after BOS. Each gate has a vector W z for each word and a matrix U. Both
    gates have the same bias b.
    """
    start, table, end = tensor(k, BITS)
    words = (by_symbol("Wf", (k,), WORD), by_symbol("Wr", (k,), WORD))
    gates = (constant("Uf", (k, k), WORD), constant("Ur", (k, k), WORD), constant("b", only=(7, 0, 2, 10)))
    return Signature((start, table, *words, *gates, end), size=("K", k), most_small=150)


def at_ten(k: int) -> Signature:
    """Return the names and shapes of the weights of a rule's automaton and of gates with bias 10.

    Only the update gate reads h, and no gate reads the word.
    """
    start, _, end = (
        constant(e.name, derived=lambda w, at=at: tuple(int(i == at % w.n) for i in range(w.n)))
        for e, at in zip(tensor(k), (0, 0, -1), strict=True)
    )
    zeros = tuple((0,) * k for _ in range(k))
    words = [by_symbol(name, derived=lambda w, x: (0,) * w.n) for name in ("Wf", "Wr")]
    gates = (
        constant("Uf", (k, k), (0, -1)),
        constant("Ur", derived=lambda w: zeros),
        constant("b", only=(10,)),
    )
    return Signature(
        (start, by_symbol("T", (k, k), BITS), *words, *gates, end), size=("K", k), most_small=600
    )


@dataclass(frozen=True)
class Run:
    """The states of the two networks.

    Attributes:
        gru: h of the FA-GRU, in ball arithmetic.
        plain: h of the FA-RNN.
        lower, upper: the bounds, in ball arithmetic.
    """

    gru: Vector
    plain: Vector
    lower: Vector
    upper: Vector


def ball(value: Any) -> Any:
    """Convert a weight to a ball."""
    exact = Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def sigma(value: Any) -> Any:
    """Return the sigmoid of the value, with a small relative error also if it is almost 0."""
    if value < 0:  # the exponential of a large positive number would have no finite ball
        power = value.exp()
        return power / (1 + power)
    return 1 / (1 + (-value).exp())


def start(w: Weights) -> Run:
    """Return the state after BOS: both networks and both bounds have the vector alpha_0."""
    first = tuple(map(ball, w.alpha_0))
    return Run(first, w.alpha_0, first, first)


def step(w: Weights, now: Run, x: str) -> Run:
    """Return the states and the bounds after one more word."""
    with flint.ctx.workprec(PRECISION):
        e = room(1 - least_gate(w, now, x))
        first, table = tuple(map(ball, w.alpha_0)), [[ball(v) for v in row] for row in w.T[x]]
        lower = tuple((1 - e) ** 2 * v for v in times(now.lower, table))
        more = tuple(u + e * a for u, a in zip(now.upper, first, strict=True))
        upper = tuple(e * u + v for u, v in zip(now.upper, times(more, table), strict=True))
        return Run(gated_step(w, now.gru, first, table, x), step_4(w, now.plain, x), lower, upper)


def room(e: Any) -> Any:
    """Return a number that is slightly larger than e, but at most 1, so that the bounds remain valid."""
    return (e * (1 + ball(ROOM))).min(ball(1))


def gated_step(w: Weights, h: Vector, first: Vector, table: Any, x: str) -> Vector:
    """Return the next state of the FA-GRU by equation 7; ``first`` is h_1, the state after BOS."""
    f, r = (
        tuple(
            ball(a) + v + ball(w.b)
            for a, v in zip(words[x], times(h, [[ball(v) for v in row] for row in u]), strict=True)
        )
        for words, u in ((w.Wf, w.Uf), (w.Wr, w.Ur))
    )
    back = mix(r, first, h)
    return mix(f, h, times(back, table))


def mix(z: Vector, old: Vector, new: Vector) -> Vector:
    """Return (1 - g) o old + g o new for the gates g = sigma(z), where 1 - g is computed as sigma(-z).

    A difference 1 - g would have an absolute error, and the balls of small states would contain 0.
    """
    return tuple(sigma(-a) * v + sigma(a) * w for a, v, w in zip(z, old, new, strict=True))


def times(h: Vector, table: Any) -> Vector:
    """Return a row times a matrix, in ball arithmetic."""
    return tuple(
        sum((v * row[j] for v, row in zip(h, table, strict=True)), start=flint.arb(0))
        for j in range(len(table[0]))
    )


def least_gate(w: Weights, now: Run, x: str) -> Any:
    """Return a lower bound on all components of both gates after word x.

    The bound is sigma(b - max |W z| - max over j of the sum over i of |U[i, j]| u[i]).
    """
    read = max(abs(v) for words in (w.Wf, w.Wr) for v in words[x])
    terms = [
        sum((abs(ball(row[j])) * u for row, u in zip(matrix, now.upper, strict=True)), start=flint.arb(0))
        for matrix in (w.Uf, w.Ur)
        for j in range(w.n)
    ]
    most = terms[0]
    for value in terms[1:]:
        most = most.max(value)
    return sigma(ball(w.b) - ball(read) - most)


class Unsettled(ValueError):
    """Raised if two balls overlap, so that their order is undecided."""


def at_most(a: Any, b: Any) -> bool:
    """Return whether a <= b holds with certainty; raise Unsettled if the balls overlap."""
    if a <= b:
        return True
    if a > b:
        return False
    raise Unsettled(f"the balls {a} and {b} must not overlap")


def between(w: Weights, now: Run) -> tuple[int]:
    """Return 1 if all components of both networks' states are between the bounds, else 0."""
    with flint.ctx.workprec(PRECISION):
        sides = [now.gru, tuple(map(ball, now.plain))]
        within = all(
            at_most(low, h) and at_most(h, up)
            for side in sides
            for low, h, up in zip(now.lower, side, now.upper, strict=True)
        )
        return (int(within),)


def near(w: Weights, now: Run) -> tuple[int]:
    """Return 0 if the scores of the two networks certainly differ by more than 1/2, else 1."""
    with flint.ctx.workprec(PRECISION):
        (gated,) = times(now.gru, [[ball(v)] for v in w.alpha_inf])
        distance = abs(gated - ball(dot(w.over, now.plain, w.alpha_inf)))
        return (int(not distance > ball(FAR)),)


def network(out: Callable[[Weights, Run], tuple[int]]) -> Recurrence:
    """Return a recurrence that runs both networks; ``out`` compares them and is its output."""
    return Recurrence(start=start, step=step, out=out)


KINDS = ("sampled", "exhausted")
ANY, SMALL = Sizes(gated, (1, 2, 3), ()), Sizes(lambda k: in_line(gated(k), 150), (), (1, 2))
TEN = Sizes(at_ten, (2,), (1, 2))

SIGMOIDS = {
    "cross-checked": "the values of a sigmoid are irrational: the comparison is between balls, not scores",
    "decided": "the gates are sigmoids of the state, so the step is not an affine function",
}

CLAIM = Claim(
    name="fa-rnn-gru-start",
    title="how close an untrained FA-GRU is to its FA-RNN",
    statement=(
        "With e_t = 1 - sigma(b - |W z_t| - |U|^T u_{t-1}), every component of the state of an FA-GRU lies"
        " between those of l_t = (1 - e_t)^2 l_{t-1} T and u_t = e_t u_{t-1} + (u_{t-1} + e_t h_1) T. The"
        " state of the FA-RNN is also between them. The two networks are close while counts are small"
        " compared with the bias and the number of words is small compared with 1/e_t."
    ),
    source=Source("jiang2020cold", "3.4", "Equation 7", ("7",)),
    hypotheses=(
        "The weights of T are nonnegative, and the biases of the gates are equal.",
        "For two close networks: the counts stay small compared with the bias, and the sentence is short."
        " Every word adds an error, also if the automaton is deterministic.",
    ),
    variants=(
        holding(
            name="corrected",
            without={
                **SIGMOIDS,
                "proved": "the bound is an inequality, and this check supports only identities",
                "kernel-checked": (
                    "the bound requires the reals and a sigmoid, which the development does not have"
                ),
            },
            constant="the score is whether both networks are between the bounds, which is always true",
            says="both networks are between l and u, after every sentence and for any weights of the gates",
            reading=Equality(recurrence=network(between), construction=always_one),
            cases=ANY.random,
            small_cases=SMALL.small,
            programs=("fa-gru",),
            kinds=KINDS,
        ),
        refuted(
            name="printed-uniform",
            without={
                **SIGMOIDS,
                "kernel-checked": "the counterexample is a long run of a gated network in ball arithmetic",
            },
            says=(
                "approximately equivalent means within 1/2 after every sentence, for the bias 10; both"
                " numbers are our interpretation, because the paper states none"
            ),
            reading=Equality(recurrence=network(near), construction=always_one),
            cases=TEN.random,
            kinds=KINDS,
            effort=Effort(examples=200, strings=5, longest=4, run=40, exhausted=20, letters=1),
        ),
    ),
    differences=(
        (
            "Approximately equivalent is replaced by computed bounds for both networks. The paper"
            " states no number; in the variant printed-uniform, 1/2 and the bias 10 are ours."
        ),
        (
            "The weights of T are nonnegative and the biases of all gates are equal, which the paper"
            " does not state."
        ),
        (
            "h_1 is the score after BOS, and equation 7 holds from the second word on. As printed,"
            " h_1 is defined by itself at t = 1."
        ),
        "The products W z are any vectors for each word.",
    ),
    example=ANY.of(2).example("a"),
    uses=("fa-rnn-beta-1",),
    effort=Effort(examples=50, strings=5, longest=8, run=20, exhausted=3),
    misprints=(
        Misprint(
            printed=(
                "the reset gate refers to h_1, the score after BOS, but at t = 1 equation 7 defines h_1 in"
                " terms of itself, and may have no solution"
            ),
            right="h_1 is h_0 T[BOS], without gates, and equation 7 holds from the second word on",
            test="proofs_tests/fa_rnn/test_gru_start.py::test_equation_7_at_the_first_word_may_have_no_solution",
        ),
    ),
)
