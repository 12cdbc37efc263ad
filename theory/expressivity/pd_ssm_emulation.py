"""A PD-SSM layer of size N can be any automaton with N states and one transition per state and symbol.

Terzic et al. 2025: x_t = P(u_t) D(u_t) x_{t-1} with one 1 in each column of P and a diagonal D. Column i of
P(u) has its 1 in the row of the state to which the symbol u leads from state i.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from automata.semirings import Semiring
from automata.wfsa import WFSA
from theory.claim import QUOTED, Claim, Effort, Source, holding, refuted
from theory.expressivity.heaviside_elman import maps_in_coq
from theory.fa_rnn.shared.networks import Vector, dot
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, entries
from theory.theorem import Theorem
from theory.weights import Weights

Matrix = tuple[Vector, ...]


def layer(n: int, **only: Sequence[int]) -> Signature:
    """Return the names and shapes of the weights of a layer with n components.

    ``only`` restricts weights to some values.
    """
    names = "x_0[N] c[N] | delta[N] d[N]"
    return Signature(entries(names, n, {"delta": range(n), **only}), size=("N", n), most_small=300)


def automaton(w: Weights) -> list[WFSA]:
    """Return the automaton in which symbol u leads from state i to delta(u)[i] with weight d(u)[i]."""
    k, states = w.over, range(len(w.c))
    tables = {
        u: [[w.d[u][i] if w.delta[u][i] == j else k.zero for j in states] for i in states] for u in w.alphabet
    }
    return [WFSA(k, w.x_0, w.c, tables)]


def column_one_hot(w: Weights, u: str) -> Matrix:
    """Return the rows of P(u): column i has its 1 in row delta(u)[i]."""
    k, states = w.over, range(len(w.c))
    return tuple(tuple(k.one if w.delta[u][i] == j else k.zero for i in states) for j in states)


def transposed(w: Weights, u: str) -> Matrix:
    """Return the rows of the transpose of P(u), each of which contains a single 1."""
    return tuple(zip(*column_one_hot(w, u), strict=True))


def moved(k: Semiring, matrix: Matrix, diagonal: Vector, x: Vector) -> Vector:
    """Return P D x, the product of ``matrix``, ``diagonal`` and the state x."""
    scaled = tuple(k.times(d, value) for d, value in zip(diagonal, x, strict=True))
    return tuple(dot(k, row, scaled) for row in matrix)


def pd_ssm(matrix: Any = column_one_hot, start: Any = lambda w: w.x_0) -> Recurrence:
    """Return the layer with a linear output c x; ``matrix`` returns P(u), and ``start`` returns x_0."""
    return Recurrence(
        start=start,
        step=lambda w, x, u: moved(w.over, matrix(w, u), w.d[u], x),
        out=lambda w, x: (dot(w.over, w.c, x),),
    )


def counting(w: Weights, modulus: int) -> list[WFSA]:
    """Return the automaton whose score is 1 if ``modulus`` divides the number of letters a, else 0."""
    k, states = w.over, range(modulus)
    first = [k.one, *[k.zero] * (modulus - 1)]

    def moves(by: int) -> list[list[Any]]:
        return [[k.one if j == (i + by) % modulus else k.zero for j in states] for i in states]

    return [WFSA(k, first, first, {u: moves(int(u == "a")) for u in w.alphabet})]


def counter(w: Weights) -> list[WFSA]:
    """Return the automaton that counts the letter a modulo N + 1, for a layer with N components."""
    return counting(w, len(w.c) + 1)


def in_coq(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq's terms, with delta as a table of state indices."""
    return {**w.entries, **maps_in_coq(w, len(w.c))}


LAYERS = Sizes(layer, (1, 2, 3), (1, 2))
UNWEIGHTED = Sizes(lambda n: layer(n, d=(1,), x_0=(0, 1), c=(0, 1)), (1, 2, 3), (1, 2))
GIVEN = "(Q := {Q}) (S := {S}) {delta} {d:finite} {x_0} {c}"
NO_THEOREM = {"kernel-checked": "the counterexample is one word, which the suite computes"}

CLAIM = Claim(
    name="pd-ssm-emulation",
    title="one PD-SSM layer emulates any deterministic automaton",
    statement=(
        "Every automaton with N states, in which a symbol leads from each state to one state with any weight,"
        " is a PD-SSM layer with N components, x_t = P(u_t) D(u_t) x_{t-1}, and a linear output. For every N,"
        " no linear layer with fewer components counts a letter modulo N."
    ),
    source=Source("terzic2025structured", "", "FSA emulation"),
    hypotheses=(
        "One layer over symbols, in exact arithmetic, without the term B u_t.",
        "Column i of P(u) has its 1 in the row of the state to which u leads from state i.",
        "The layer starts in x_0, the vector of initial weights.",
        "The output is a linear function of the state: a row of the paper's N x N read-out.",
        "Weights commute, and in the lower bound they are in a field.",
    ),
    variants=(
        holding(
            name="corrected",
            says="for any number of states, any weights of transitions, and any initial and final weights",
            reading=Equality(pd_ssm(), automaton),
            cases=LAYERS.random,
            small_cases=LAYERS.near_generic,
            programs=("pd-ssm-emulation",),
            theorem=Theorem(
                "expressivity.pd_ssm_emulation.pd_ssm_emulation",
                network=f"pd_layer {GIVEN} {{letters}}",
                automaton=f"of_maps {GIVEN}",
                score=f"{{score}} (of_maps {GIVEN}) {{letters}}",
                claims=(
                    "forall (K : semiring) (Q S : finite) (delta : S -> Q -> Q) (d : S -> Q -> K)"
                    " (x_0 c : Q -> K) letters, commutative (@times K) ->"
                    " {automaton} = {network}"
                ),
                values=in_coq,
            ),
        ),
        refuted(
            name="without-initial-state",
            says="the layer starts in x_0 = 0: then its state is always 0",
            without=NO_THEOREM,
            reading=Equality(pd_ssm(start=lambda w: (w.over.zero,) * len(w.c)), automaton),
            cases=LAYERS.random,
        ),
        refuted(
            name="without-orientation",
            says="P transposed, which has one 1 in each row instead of each column",
            without=NO_THEOREM,
            reading=Equality(pd_ssm(transposed), automaton),
            cases=LAYERS.random,
            small_cases=UNWEIGHTED.small,
        ),
        refuted(
            name="without-size",
            says=(
                "every layer with N - 1 components counts a modulo N, as an automaton with N states does; one"
                " layer refutes this, and Coq shows that no linear layer of this size does"
            ),
            reading=Equality(pd_ssm(), counter),
            cases=LAYERS.random,
            theorem=Theorem(
                "expressivity.pd_ssm_emulation.without_size_is_refuted",
                untied="the theorem is about linear layers of any size over any field",
            ),
        ),
    ),
    differences=(
        "The term B u_t is left out, and the output is one row of the paper's N x N read-out.",
        "The first state is the vector of initial weights, which the paper does not state.",
        (
            "Column i of P(u) has its 1 in the row of the next state. Weights of transitions are any"
            " numbers, in place of 1."
        ),
        "The lower bound of N components for counting modulo N is about linear layers over a field.",
        QUOTED,
    ),
    example=layer(2).example(),
    uses=("pd-ssm",),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
