"""Layers with nonnegative gates do not recognise parity.

Sarrof, Veitsman and Hahn 2024: if the letter a is read n times, the score is a sum of geometric sequences in
n. With gates of at least 0, the sign of such a sum changes finitely often, but parity changes at each letter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.claim import LADDER, PARAPHRASED, Claim, Effort, Source, Variant, holding, refuted
from theory.expressivity.illusion_of_state import DIAGONAL, layer_with_offset
from theory.expressivity.second_order import scaled_sign, sign
from theory.fa_rnn.shared.networks import Vector, dot
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, entries
from theory.theorem import Theorem
from theory.weights import Weights, total

GATES = tuple(map(Fraction, ("0", "1", "1/2", "2", "3/4", "1/3")))
"""Gates of at least 0."""


def layer(m: int, r: Sequence[Any] = GATES, **only: Sequence[Any]) -> Signature:
    """Return the names and shapes of the weights of a layer with m units.

    The gates r and the offsets b are the same for all symbols.
    """
    allowed = {"minus": (-1,), "r": r, **only}
    return Signature(entries("minus r[M] b[M] h_0[M] c[M] c_0", m, allowed), size=("M", m), most_small=100)


def step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the next units, r h + b."""
    k = w.over
    return tuple(k.plus(k.times(r, value), b) for r, value, b in zip(w.r, h, w.b, strict=True))


def read(w: Weights, h: Vector) -> Any:
    """Return the score of the state h, c_0 + c h."""
    return w.over.plus(w.c_0, dot(w.over, w.c, h))


network = Recurrence(lambda w: w.h_0, step, lambda w, h: (read(w, h),))


# The automaton of the factors E - 1 and E - r_i, where E is the shift of the scores of a^n.


def remaining(w: Weights, h: Vector, count: int) -> Any:
    """Apply shift operators to the sequence of scores from state h on, and return its first term.

    The operators are E - 1, and E - r_i for the first ``count`` gates r_i. The shift E drops the first term
    of a sequence.
    """
    k = w.over
    changes = (k.plus(after, k.times(w.minus, value)) for after, value in zip(step(w, h, ""), h, strict=True))
    terms = []
    for c, r, change in zip(w.c, w.r, changes, strict=True):
        term = k.times(c, change)
        for root in w.r[:count]:
            term = k.times(term, k.plus(r, k.times(w.minus, root)))
        terms.append(term)
    return total(k, terms)


def of_factors(w: Weights) -> list[WFSA]:
    """Return the automaton with a state for the factor E - 1, and a state for each factor E - r_i.

    E is the shift of a sequence. Each state has a loop, whose weight is its factor's root, and a transition
    to the previous state.
    """
    k, roots = w.over, (w.over.one, *w.r)
    states = range(len(roots))
    matrix = [[roots[i] if i == j else k.one if i == j + 1 else k.zero for j in states] for i in states]
    initial = [read(w, w.h_0), *(remaining(w, w.h_0, count) for count in range(len(w.r)))]
    return [WFSA(k, initial, [k.one, *[k.zero] * len(w.r)], dict.fromkeys(w.alphabet, matrix))]


# The number of changes of the score between "positive" and "not positive".

Counted = tuple[tuple[bool, int], Vector]
"""Whether the score is positive, the number of changes, and the state of the layer."""


def count_changes(w: Weights, state: Counted, x: str) -> Counted:
    """Return the state after symbol x: whether the score is positive, the number of changes, the layer."""
    (positive, count), h = state
    h = step(w, h, x)
    after = read(w, h) > 0
    return (after, count + (after != positive)), h


more_changes = Recurrence(
    lambda w: ((read(w, w.h_0) > 0, 0), w.h_0),
    count_changes,
    lambda w, state: (w.over.one if state[0][1] > len(w.r) + 1 else w.over.zero,),
    modes=True,
)
"""The output is 1 after more than m + 1 changes."""


def never(w: Weights) -> list[WFSA]:
    """Return the automaton whose score is 0 for every string."""
    k = w.over
    return [WFSA(k, [k.one], [k.zero], {x: [[k.one]] for x in w.alphabet})]


# One unit with the gate -1 for the letter a recognises parity, and layers with nonnegative gates do not.


def unit(m: int) -> Signature:
    """Return the names and shapes of the weights of a layer with m units.

    The gate of each unit is -1 for the letter a, and 1 for other letters.
    """
    return Signature(entries("s_0[M] c[M]", m), size=("M", m), most_small=100)


def negative_gate(w: Weights, s: Vector, x: str) -> Vector:
    """Return the next state: -s for the letter a, and s for other letters."""
    return tuple(-value for value in s) if x == "a" else s


flipped = Recurrence(lambda w: w.s_0, negative_gate, lambda w, s: (dot(w.over, w.c, s),))


def with_gates(m: int) -> Signature:
    """Return the names and shapes of the weights of a layer with m units.

    Each symbol has nonnegative gates, and offsets.
    """
    signature = layer_with_offset(m)
    gates = by_symbol("g", (m,), GATES)
    kept = tuple(gates if entry.name == "g" else entry for entry in signature.entries)
    return Signature(kept, size=signature.size, most_small=100)


LAYERS = Sizes(layer, (1, 2, 3), (1, 2))
ANY_GATES = Sizes(lambda m: layer(m, (*GATES, *(-g for g in GATES[1:]))), (1, 2, 3), ())
HOMOGENEOUS = layer(1, r=(1, -1), b=(0,), c_0=(0,))
NEGATIVE = Sizes(unit, (1, 2, 3), (1, 2))
BY_SYMBOL = Sizes(with_gates, (1, 2, 3), (1, 2))
GIVEN = "{minus} {r} {b} {h_0} {c} {c_0}"
NOT_LINEAR = {"decided": "whether a score is positive is not a linear function of the state"}
COUNTS: dict[str, Any] = {"kinds": LADDER[:3], "effort": Effort(examples=25, strings=10, longest=8, run=12)}


def changes(
    name: str, expected: Any, says: str, cases: Sizes, small: Callable[..., Any], **more: Any
) -> Variant:
    """Return a variant about how often a layer's score changes between positive and not positive."""
    return Variant(name, expected, says, Equality(more_changes, never), cases.random, small, **COUNTS, **more)


CLAIM = Claim(
    name="nonnegative-gates",
    title="parity needs a negative gate",
    statement=(
        "The scores of a^n of a layer with m gates of at least 0 and a linear output change between positive"
        " and not positive at most m + 1 times, because each gate r gives them a factor E - r, where E is the"
        " shift, and the output's constant gives them E - 1. So no layer of any size with such gates has"
        " positive scores exactly for the words with an even number of a. One unit with the gate -1 does."
    ),
    source=Source("sarrof2024expressive", "", "Parity"),
    hypotheses=(
        "One diagonal layer over symbols, in exact arithmetic, with any offsets: the paper's theorem is about"
        " any depth and finite precision.",
        "A word is accepted if a linear function of the last state, plus a constant, is positive.",
        "The abstract of version 3 on arXiv was available, and the statement is paraphrased.",
    ),
    variants=(
        holding(
            name="corrected",
            says=(
                "the layer is an automaton with m + 1 states, one for each factor E - 1, E - r_1, ...,"
                " E - r_m, which has the factor's root as the weight of its loop"
            ),
            reading=Equality(network, of_factors),
            cases=LAYERS.random,
            small_cases=LAYERS.near_generic,
            programs=("nonnegative-gates",),
            theorem=Theorem(
                "expressivity.nonnegative_gates.nonnegative_gates",
                network=f"gated_layer (m := {{m}}) {GIVEN.removeprefix('{minus} ')} {{word}}",
                automaton=f"of_factors nat (m := {{m}}) {GIVEN}",
                values=lambda w: {**w.entries, "m": len(w.r)},
                claims=(
                    "forall (K : semiring) m (minus : K) (r b h_0 c : 'I_m -> K) (c_0 : K) word,"
                    " commutative (@times K) -> plus one minus = zero -> {automaton} = {network}"
                ),
            ),
        ),
        changes(
            "corrected-changes",
            "holds",
            "the scores of a^n change between positive and not positive at most m + 1 times",
            LAYERS,
            LAYERS.near_generic,
            without=NOT_LINEAR,
            constant="more than m + 1 changes never occur, which is the statement",
            theorem=Theorem(
                "expressivity.nonnegative_gates.nonnegative_gates_changes",
                untied="the theorem is about the sign of scores, in any ordered ring",
            ),
        ),
        holding(
            name="corrected-parity",
            says="with the gate -1 for a and 1 for other letters, the score is (-1)^n times the first score",
            without={"proved": "proofs use polynomials without -1; the Coq theorem covers every ring"},
            reading=Equality(flipped, lambda w: scaled_sign(w, dot(w.over, w.s_0, w.c))),
            cases=NEGATIVE.random,
            small_cases=NEGATIVE.near_generic,
            theorem=Theorem(
                "expressivity.nonnegative_gates.nonnegative_gates_parity",
                untied="the theorem is about words over two letters, in any commutative ring",
            ),
        ),
        changes(
            "without-nonnegative-gates",
            "refuted",
            "layers with any gates: the gate -1 changes the sign with every letter",
            ANY_GATES,
            HOMOGENEOUS.small,
            without={
                **NOT_LINEAR,
                "kernel-checked": "the counterexample is one word, which the suite computes",
            },
        ),
        refuted(
            name="without-negative-gates",
            says=(
                "every layer with gates of at least 0 has the score (-1)^n after n letters a; one layer"
                " refutes this, and Coq shows that no layer has even the same signs"
            ),
            reading=Equality(DIAGONAL, sign),
            cases=BY_SYMBOL.random,
            theorem=Theorem(
                "expressivity.nonnegative_gates.without_negative_gates_is_refuted",
                untied="the theorem is about layers of any size, and about the sign of their scores",
            ),
        ),
    ),
    differences=(
        PARAPHRASED,
        (
            "There is one layer over symbols, in exact arithmetic. The paper's theorem is about any"
            " depth and finite precision."
        ),
        "Recognition is read as: a linear function of the last state, plus a constant, is positive.",
    ),
    example=layer(2).example(),
    uses=("illusion-of-state",),
    effort=Effort(examples=25, strings=10, longest=8, run=10),
)
