"""Networks with ReLU can count; networks with bounded units of finite precision cannot.

Weiss, Goldberg and Yahav 2018. LSTMs count, too: see the claim about saturated LSTMs. With finite precision,
the units of a GRU and of an Elman network with a squashing function take finitely many values.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

from automata.wfsa import WFSA
from theory.claim import LADDER, PARAPHRASED, Claim, Effort, Source, holding, refuted
from theory.expressivity.heaviside_elman import indices_in_coq
from theory.expressivity.saturated_lstm import BOTH, difference
from theory.fa_rnn.shared.networks import Vector, dot, times
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights
from theory.without import NO_AUTOMATON

Finite = tuple[int, tuple[()]]
"""The value of a bounded unit with p binary places, multiplied by 2^p, and an empty tuple."""
NONNEGATIVE = (0, 1, Fraction(1, 2), 2)


# An Elman network with ReLU.


def network(k: int, values: tuple[Any, ...] = NONNEGATIVE) -> Signature:
    """Return the names and shapes of the weights of an Elman network with k units.

    All weights except r are among ``values``.
    """
    matrices = constant("W", (k, k), values), by_symbol("u", (k,), values)
    return Signature(
        (*matrices, constant("h_0", (k,), values), constant("r", (k,))), size=("K", k), most_small=60
    )


def elman_step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the next units, max(0, h W + u(x))."""
    sums = map(w.over.plus, times(w.over, h, w.W), w.u[x])
    return tuple(max(w.over.zero, value) for value in sums)


def automaton(w: Weights) -> list[WFSA]:
    """Return the automaton with a state that is always 1, and a state for each unit."""
    k = w.over
    tables = {x: [[k.one, *w.u[x]], *([k.zero, *row] for row in w.W)] for x in w.alphabet}
    return [WFSA(k, [k.one, *w.h_0], [k.zero, *w.r], tables)]


elman = Recurrence(lambda w: w.h_0, elman_step, lambda w, h: (dot(w.over, w.r, h),))
unit = Recurrence(
    lambda w: w.over.zero, lambda w, h, x: max(w.over.zero, w.over.plus(h, w.step[x])), lambda w, h: (h,)
)
"""One unit with negative inputs."""


# A GRU whose gates read only the letter, in fixed-point arithmetic with p binary places.


def values(p: int, low: int) -> tuple[Fraction, ...]:
    """Return the multiples of 2^-p from 1 down to ``low``."""
    return tuple(Fraction(k, 2**p) for k in range(2**p, low * 2**p - 1, -1))


def gru(p: int, keeps: bool = True) -> Signature:
    """Return the names and shapes of gates z, candidates g, and an output for each value of the unit.

    Args:
        p: the number of binary places.
        keeps: whether z may be 1, so that the unit keeps its value.
    """
    entries = by_symbol("z", only=values(p, 0)[not keeps :]), by_symbol("g", only=values(p, -1))
    return Signature((*entries, constant("rho", (2 ** (p + 1) + 1,))), size=("P", p), most_small=200)


def counting_gru(p: int) -> Signature:
    """Return the names and shapes of the weights of a GRU that counts.

    It adds 2^-p times the step of a letter while its value is within ±1/2.
    """
    z = by_symbol("z", derived=lambda w, x: Fraction(1) - abs(w.step[x]) / 2**w.n)
    g = by_symbol("g", derived=lambda w, x: w.step[x])
    rho = constant(
        "rho", (2 ** (p + 1) + 1,), derived=lambda w: tuple(Fraction(k) for k in range(-(2**w.n), 2**w.n + 1))
    )
    return Signature((by_symbol("step", only=(1, -1)), z, g, rho), size=("P", p))


def gru_step(w: Weights, state: Finite, x: str) -> Finite:
    """Return the unit's next value, z(x) c + (1 - z(x)) g(x) for the value c.

    It is rounded to the nearest multiple of 2^-p; ties are rounded up.
    """
    value = w.z[x] * state[0] + (1 - w.z[x]) * w.g[x] * 2**w.n
    return floor(value + Fraction(1, 2)), ()


def of_values(w: Weights) -> list[WFSA]:
    """Return the automaton whose states are the values of the unit."""
    states = range(-(2**w.n), 2**w.n + 1)
    tables = {
        x: [[int(gru_step(w, (q, ()), x)[0] == to) for to in states] for q in states] for x in w.alphabet
    }
    return [WFSA(w.over, [int(q == 0) for q in states], w.rho, tables)]


def table(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq's terms, for the automaton of the GRU's values."""
    low, size = -(2**w.n), 2 ** (w.n + 1) + 1
    rows = [[gru_step(w, (low + q, ()), x)[0] - low for q in range(size)] for x in w.alphabet]
    return {
        "D": f"(place {size})",
        "next": indices_in_coq(rows, size, f"(q : place {size}) (x : nat)"),
        "start": f"(nth (ord0 : place {size}) (places {size}) {-low}%N)",
        "rho": w.rho,
    }


in_fixed_point = Recurrence(
    lambda w: (0, ()), gru_step, lambda w, state: (w.rho[state[0] + 2**w.n],), modes=True
)


# An Elman unit with a squashing function, the hardtanh, in fixed-point arithmetic with p binary places.


def squashed_step(w: Weights, state: Finite, x: str) -> Finite:
    """Return the unit's next value, c + 2^-p step, clamped to [-1, 1].

    Values are stored as multiples of 2^-p.
    """
    return max(-(2**w.n), min(2**w.n, state[0] + int(w.step[x]))), ()


squashed = Recurrence(lambda w: (0, ()), squashed_step, lambda w, state: (Fraction(state[0]),), modes=True)

NETWORKS, GRUS = Sizes(network, (1, 2, 3), (1, 2)), Sizes(gru, (1, 2), ())
MOVING = Sizes(lambda p: gru(p, keeps=False), (), (1,))
COUNTING, SQUASHED = (
    Sizes(counting_gru, (1, 2, 3), (1, 2)),
    Sizes(lambda p: Signature((by_symbol("step", only=(1, -1)),), size=("P", p)), (1,), (1,)),
)
ELMAN = "{W} {u} {h_0} {r}"
FINITE = "(D := {D}) {next} {start} {rho}"
RELU = "relu_of_rationals"

CLAIM = Claim(
    name="counting",
    title="ReLU networks count, and finite-precision GRUs do not",
    statement=(
        "An Elman network with ReLU and K units whose weights are not negative is a weighted automaton with"
        " K + 1 states, so it counts letters. A GRU or a squashed Elman network with finite precision has"
        " finitely many states, and its output is not the number of letters."
    ),
    source=Source("weiss2018practical", "", "Counting in finite precision"),
    hypotheses=(
        "The weights of the output may be negative, so two units compute #a - #b.",
        "Exact core: finite precision means fixed-point numbers with p binary places, and the units are"
        " bounded by 1. The number of states is 2^(p+1) + 1 for one unit. The units that count have exact"
        " arithmetic.",
        "The theorems are about any step of a network with finitely many states. The cases are units whose"
        " gates read only the letter.",
        "The claim saturated-lstm shows that LSTMs count. `ratproof certify` proves that a trained SR-LSTM"
        " counts parentheses up to a height.",
        "The abstract was available, and the statement is paraphrased. The paper's counter machines and its"
        " training are not part of the claim.",
    ),
    variants=(
        holding(
            name="corrected",
            says="an Elman network with ReLU and K units, as an automaton with K + 1 states",
            without={"decided": "ReLU is not an affine step; the Coq theorem is about all strings"},
            reading=Equality(elman, automaton),
            cases=NETWORKS.random,
            small_cases=NETWORKS.near_generic,
            kinds=LADDER[:3],
            programs=("relu-elman",),
            theorem=Theorem(
                "expressivity.counting.counting",
                network=f"relu_elman (n := {{n}}) {{relu}} {ELMAN} {{word}}",
                automaton=f"relu_automaton (n := {{n}}) {ELMAN}",
                values=lambda w: {**w.entries, "n": w.n, "relu": RELU},
                claims=(
                    "forall (K : semiring) (S : Type) n (relu : K -> K) (W : 'I_n -> 'I_n -> K)"
                    " (u : S -> 'I_n -> K) (h_0 r : 'I_n -> K) (nonnegative : K -> Prop) word,"
                    " nonnegative zero ->"
                    " (forall a b, nonnegative a -> nonnegative b -> nonnegative (plus a b)) ->"
                    " (forall a b, nonnegative a -> nonnegative b -> nonnegative (times a b)) ->"
                    " (forall a, nonnegative a -> relu a = a) -> (forall i j, nonnegative (W i j)) ->"
                    " (forall x j, nonnegative (u x j)) -> (forall j, nonnegative (h_0 j)) ->"
                    " {automaton} = {network}"
                ),
            ),
        ),
        holding(
            name="corrected-finite",
            says="one unit of a GRU with p places, as an automaton with 2^(p+1) + 1 states",
            reading=Equality(in_fixed_point, of_values),
            cases=GRUS.random,
            small_cases=MOVING.near_generic,
            theorem=Theorem(
                "expressivity.counting.counting_finite",
                network=f"finite_network {FINITE} {{word}}",
                automaton=f"finite_automaton {FINITE}",
                values=table,
                claims=(
                    "forall (K : semiring) (S : Type) (D : finite) (next : D -> S -> D) (start : D)"
                    " (rho : D -> K) word, {automaton} = {network}"
                ),
            ),
        ),
        refuted(
            name="without-nonnegative-weights",
            says="a unit with negative inputs, the counter max(0, c + step), is an automaton over a field",
            without=NO_AUTOMATON,
            reading=NoAutomaton(unit, difference),
            cases=BOTH.random,
            kinds=LADDER[:3],
            effort=Effort(examples=100, strings=20, longest=6, run=4),
            theorem=Theorem(
                "expressivity.counting.without_nonnegative_weights_is_refuted",
                network="unit_after (K := {over}) {relu} {minus} {step:sign} {word}",
                values=lambda w: {**w.entries, "relu": RELU, "minus": Fraction(-1)},
                claims=(
                    "forall (F : numFieldType) (relu : of_ring F -> of_ring F), let over := of_ring F in"
                    " let minus := GRing.opp (GRing.one F) in"
                    " (forall c, relu (saturated_lstm.of_count (of_ring F) c) ="
                    " saturated_lstm.of_count (of_ring F) c) -> relu minus = zero ->"
                    " not (forall (S : eqType) (step_sign : S -> option bool), exists (Q : finite)"
                    " (A : wfa over S Q), forall word, ratproof.automaton.score A word = {network})"
                ),
            ),
        ),
        refuted(
            name="without-unbounded-cells",
            says="a GRU with p places, which adds 2^-p times the step between -1/2 and 1/2, counts",
            reading=Equality(in_fixed_point, difference),
            cases=COUNTING.random,
            theorem=Theorem(
                "expressivity.counting.without_unbounded_cells_is_refuted",
                untied="the theorem is about every network with finitely many states, and about one count",
            ),
        ),
        refuted(
            name="without-relu",
            says="an Elman unit with p places and the hardtanh, which adds 2^-p times the step, counts",
            without={"kernel-checked": "the theorem of the variant without-unbounded-cells covers it, too"},
            reading=Equality(squashed, difference),
            cases=SQUASHED.random,
        ),
    ),
    differences=(
        PARAPHRASED,
        (
            "Finite precision is read as fixed-point numbers with p binary places, and the units are"
            " bounded by 1."
        ),
        (
            "The cases have gates that read only the letter; the theorems are about any step of a"
            " network with finitely many states."
        ),
        "The paper's counter machines, LSTMs and training are left out.",
    ),
    example=network(2).example(),
    uses=("saturated-lstm",),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=4),
)
