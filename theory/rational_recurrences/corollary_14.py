"""Corollary 14: an Elman network without its nonlinearity is rational.

It is an ISAN with the same matrix for all symbols. Peng et al. 2018, section 4.3; the Elman network
of section 3.1 is c_t = tanh(W_c c_{t-1} + W_v v_t + b_c).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.induction import ONE_LETTER, Induction
from theory.places import Concrete
from theory.rational_recurrences import proposition_13
from theory.rational_recurrences.shared import over_reals
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights: the matrix W_c, for each symbol the vector W_v v + b_c (here v), and c_0.


def elman(d: int, start: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the weights of a linear Elman network.

    The hidden size is d, and ``start`` restricts c_0.
    """
    return Signature(
        (constant("c_0", (d,), start), constant("W", (d, d)), by_symbol("v", (d,))),
        size=("d", d),
        most_small=300,
    )


def linear(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """Return the state c_t = W_c c_{t-1} + W_v v_t + b_c, computed at each index as in Proposition 13."""
    at = Concrete(w.over, w.n, {"W": w.W, "b": w.v[x], "c": c})
    return tuple(proposition_13.next_number(at, j) for j in range(1, w.n + 1))


def softsign(z: Any) -> Any:
    """Return the softsign, z / (1 + |z|), which exact numbers can compute."""
    return z / (1 + abs(z))


def squashed(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """Return the state c_t = g(W_c c_{t-1} + W_v v_t + b_c), where g is the softsign."""
    return tuple(map(softsign, linear(w, c, x)))


linear_elman = Recurrence(start=lambda w: w.c_0, step=linear, out=lambda w, c: c)
squashed_elman = Recurrence(start=lambda w: w.c_0, step=squashed, out=lambda w, c: c)


def as_isan(w: Weights) -> list[WFSA]:
    """Return Proposition 13's automaton (d + 1 states) for the ISAN with W_x = W_c and b_x = W_v v + b_c."""
    entries = {"c_0": w.c_0, "W": dict.fromkeys(w.alphabet, w.W), "b": w.v}
    return proposition_13.with_one_more_state(Weights(w.over, w.alphabet, entries, w.size))


ANYWHERE = Sizes(elman, (1, 2, 3), (1, 2))
FROM_ZERO = Sizes(lambda d: elman(d, start=[0]), (1, 2), (1, 2))

CLAIM = Claim(
    name="corollary-14",
    title="A linear Elman network is rational",
    statement=(
        "Each of the d components of the state of a single-layer Elman network without a nonlinearity is"
        " the Forward score of an automaton with d + 1 states."
    ),
    source=Source("peng2018rational", "4.3", "Corollary 14", ("16",)),
    hypotheses=(
        "There is no nonlinearity.",
        "The network starts in c_0 = 0, or the automaton has c_0 among its initial weights.",
    ),
    variants=(
        holding(
            name="corrected",
            says="the automaton of Proposition 13 with W_x = W_c and b_x = W_v v + b_c",
            reading=Equality(recurrence=linear_elman, construction=as_isan),
            cases=ANYWHERE.random,
            proof=Induction(
                says="after every string, the Forward vector is (1, c)",
                invariant=lambda w, c, unit: (w.over.one, *c),
                states=lambda w, variable: [tuple(variable(f"c[{i + 1}]") for i in range(w.n))],
                instances=tuple((elman(d), "a") for d in range(1, 6)),
                enough=(
                    f"{ONE_LETTER} For every d: the step and the automaton are those of Proposition 13 with"
                    " one W for all symbols, and its identities, in which d is a symbol, apply."
                ),
                sizes=proposition_13.with_d_plus_1_states,
            ),
            theorem=Theorem(
                "rational_recurrences.corollary_14.corollary_14",
                network="linear_elman {c_0} {W} {v} {word} {unit}",
                automaton="with_one_more_state {c_0} (fun _ : nat => {W}) {v} {unit}",
            ),
        ),
        refuted(
            name="without-linearity",
            says="with a nonlinearity, here the softsign g(z) = z / (1 + |z|)",
            reading=NoAutomaton(recurrence=squashed_elman, construction=as_isan, unit="elman"),
            real_theorem=over_reals.ELMAN,
            cases=FROM_ZERO.random,
            theorem=Theorem(
                "rational_recurrences.corollary_14.without_linearity_is_refuted",
                claims=(
                    "forall (F : numFieldType) d (unit : 'I_d), let rational_softsign : of_ring F -> "
                    "of_ring F := @softsign F in let c_0 : 'I_d -> of_ring F := fun=> zero in not "
                    "(forall (S : eqType) (W : 'I_d -> 'I_d -> of_ring F) (v : S -> 'I_d -> of_ring "
                    "F), exists (Q : finite) (A : wfa (of_ring F) S Q), forall word, score A word = "
                    "{network})"
                ),
                network="squashed_elman rational_softsign {c_0} {W} {v} {word} {unit}",
            ),
        ),
    ),
    differences=(
        "W_v v_t + b_c is any vector for each symbol.",
        (
            "The automaton is the one of d + 1 states, whose initial weights contain c_0; the paper"
            " gives no construction, and does not state c_0."
        ),
        "The statement is about all strings, including the empty one.",
    ),
    example=ANYWHERE.of(2).example(),
    uses=("proposition-13",),
    layers=("linear-elman",),
    effort=Effort(strings=20, longest=8, run=10),
)
