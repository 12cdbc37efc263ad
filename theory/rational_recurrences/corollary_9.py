"""Corollary 9: the recurrence of Example 6 is rational (Definition 8), with one automaton for each unit.

Peng et al. 2018, section 3.2, equation 9. Definition 8 is about all strings, but
Proposition 7 is about nonempty ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Source, holding, refuted
from theory.induction import ONE_LETTER, Induction
from theory.rational_recurrences import proposition_7
from theory.rational_recurrences.shared import over_reals
from theory.rational_recurrences.shared.hypotheses import ANY_GATES
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights of d units: each entry is a vector with one component for each unit.


def layer(d: int, start: Sequence[Any] | None = None, feedback: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the weights of a layer of d units.

    ``start`` contains the permitted entries of c_0. ``feedback`` contains the permitted entries of a weight
    w, through which the gates also read the state. By default, the gates do not read the state.
    """
    reads = () if feedback is None else (constant("w", (d,), feedback),)
    return Signature(
        (constant("c_0", (d,), start), *reads, by_symbol("f", (d,)), by_symbol("u", (d,))),
        size=("d", d),
        most_small=400,
    )


def unit(w: Weights, i: int) -> Weights:
    """Return the weights of unit i, as in Proposition 7."""
    parts = {
        name: {x: vector[i] for x, vector in entry.items()} if isinstance(entry, dict) else entry[i]
        for name, entry in w.entries.items()
    }
    return replace(w, entries=parts, size=None)


# The recurrence of all units (equation 5c), and the construction: an automaton of Figure 1 for each unit.


def all_units(one: Recurrence) -> Recurrence:
    """Return the recurrence of d independent units, each computed by the one-unit recurrence ``one``."""
    return Recurrence(
        start=lambda w: tuple(one.start(unit(w, i)) for i in range(w.n)),
        step=lambda w, c, x: tuple(one.step(unit(w, i), c_i, x) for i, c_i in enumerate(c)),
        out=lambda w, c: c,
    )


def figures(one: Callable[[Weights], list[WFSA]]) -> Callable[[Weights], list[WFSA]]:
    """Return the function that constructs the automaton ``one`` for each unit."""
    return lambda w: [automaton for i in range(w.n) for automaton in one(unit(w, i))]


example_6 = all_units(proposition_7.example_6)
ANYWHERE = Sizes(layer, (1, 2, 3), (1, 2))
AT_ONE = Sizes(lambda d: layer(d, start=[1]), (1, 2, 3), (1, 2))
READS_STATE = Sizes(lambda d: layer(d, start=[0], feedback=[1, -1, Fraction(1, 2)]), (1, 2), (1, 2))

PROOF = Induction(
    says="after every string, the Forward vector of unit i's automaton is (1, c_i)",
    invariant=lambda w, c, i: (w.over.one, c[i]),
    states=lambda w, variable: [tuple(variable(f"c[{i + 1}]") for i in range(w.n))],
    instances=tuple((layer(d), "a") for d in (1, 2, 3)),
    enough=(
        f"{ONE_LETTER} The identities of unit i contain only the weights of unit i, so the identities of"
        " one unit cover every unit of a layer of any size."
    ),
)

CLAIM = Claim(
    name="corollary-9",
    title="The recurrence of Example 6 is rational",
    statement=(
        "The recurrence of Example 6 with d units is rational: there are d weighted automata over the real"
        " semiring whose scores are the d units, for every string, including the empty one."
    ),
    source=Source("peng2018rational", "3.2", "Corollary 9", ("9",)),
    hypotheses=proposition_7.CLAIM.hypotheses,
    variants=(
        holding(
            name="corrected",
            says="one automaton of Figure 1 per unit, with lambda(q_1) = c_0",
            reading=Equality(recurrence=example_6, construction=figures(proposition_7.figure_1_from_c_0)),
            cases=ANYWHERE.random,
            proof=PROOF,
            theorem=Theorem(
                "rational_recurrences.corollary_9.corollary_9",
                network="layer {c_0} {f} {u} {word} {unit}",
                automaton="figures {c_0} {f} {u} {unit}",
            ),
        ),
        refuted(
            name="printed",
            says="the automata of Figure 1 as drawn, with c_0 = 1, because the paper does not state c_0",
            reading=Equality(recurrence=example_6, construction=figures(proposition_7.figure_1)),
            cases=AT_ONE.random,
            theorem=Theorem(
                "rational_recurrences.corollary_9.printed_is_refuted",
                claims=(
                    "forall (K : semiring) (S : Type) d (f u : S -> 'I_d -> K) unit, one <> zero :> K "
                    "-> not (forall c_0 word, {automaton} = {network})"
                ),
                network="layer {c_0} {f} {u} {word} {unit}",
                automaton="figures (fun _ => zero) {f} {u} {unit}",
            ),
        ),
        refuted(
            name="without-memoryless-gates",
            says="forget gates that also read the previous state",
            reading=NoAutomaton(
                recurrence=all_units(proposition_7.with_feedback),
                construction=figures(proposition_7.figure_1),
                unit="sru-feedback",
            ),
            real_theorem=over_reals.FEEDBACK,
            cases=READS_STATE.random,
            theorem=Theorem(
                "rational_recurrences.corollary_9.without_memoryless_gates_is_refuted",
                claims=(
                    "forall (F : numFieldType) d (w : 'I_d -> of_ring F) (unit : 'I_d), w unit != 0%R "
                    ":> F -> not (forall (S : eqType) (f u : S -> 'I_d -> of_ring F), rational (fun "
                    "word unit => {network}))"
                ),
                network="layer_with_feedback {w} {f} {u} {word} {unit}",
            ),
        ),
    ),
    differences=(
        ANY_GATES,
        (
            "The automata have the initial weights lambda(q_1) = c_0. Figure 1 has zero there, and"
            " the paper does not state c_0."
        ),
        (
            "That plus and times take constant time and space (Definition 8) is not part of the"
            " formal statement."
        ),
    ),
    example=ANYWHERE.of(2).example(),
    uses=("proposition-7",),
    layers=("example-6",),
    layers_are_cases=False,
)
