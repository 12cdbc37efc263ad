"""The variants that claims about linear recurrences have, made of a layer and its weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.claim import LADDER, PROVED, Effort, Variant
from theory.linear_recurrences.shared.affine import Layer
from theory.reading import Equality, Recurrence
from theory.signature import Entry, Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

EFFORT = Effort(examples=25, strings=8, longest=8, run=10, exhausted=3)
REFUTED = Effort(examples=25, strings=5, longest=4, run=4, exhausted=3)
"""A counterexample to what is refuted here is short."""
NOT_STATED = (
    "a counterexample is found by other rungs, and Coq has theorems of what holds of these layers alone"
)
CORRECTED_IS = "OpenFst scores the corrected variant's automata, which these are but for what is broken"
MINUS = constant("minus", only=(-1,))
"""The number -1, where a layer subtracts: in proofs any number, so that nothing there is subtracted."""
PROOF_SIZES = (1, 2, 3)


def memory(*entries: Entry, first: str = "s", size: int = 1, start: Sequence[Any] | None = None) -> Signature:
    """The weights of one column of a state of K numbers: where it starts, and what a token brings."""
    return Signature((constant(f"{first}_0", (size,), start), *entries), size=("K", size), most_small=150)


def vectors(*names: str, size: int) -> tuple[Entry, ...]:
    """For each symbol a vector of K numbers of each of these names."""
    return tuple(by_symbol(name, (size,)) for name in names)


def sizes(of: Callable[[int], Signature]) -> Sizes:
    """Random cases of K = 1 to 3, and small cases of 1 and 2."""
    return Sizes(of, (1, 2, 3), (1, 2))


def narrow(of: Callable[[int], Signature], small: tuple[int, ...] = (1, 2), **only: Sequence[Any]) -> Sizes:
    """The same random cases, and small ones of which these weights have only these values: what a
    counterexample takes many weights for is then among the first.
    """

    def narrowed(size: int) -> Signature:
        signature = of(size)
        exact = {name: exactly(*values) for name, values in only.items()}
        return replace(
            signature,
            entries=tuple(
                replace(e, only=exact[e.name]) if e.name in exact else e for e in signature.entries
            ),
        )

    return replace(sizes(narrowed), random_sizes=(1, 2, 3), small_sizes=small)


def corrected(
    layer: Layer, cases: Sizes | Signature, says: str, theorem: Theorem, name: str = "corrected"
) -> Variant:
    """The layer is its automata, proved for all weights and sizes."""
    signatures = [cases] if isinstance(cases, Signature) else [cases.of(size) for size in PROOF_SIZES]
    return Variant(
        name=name,
        expected="holds",
        says=says,
        reading=Equality(recurrence=layer.recurrence, construction=layer.automata),
        cases=cases.random,
        small_cases=cases.near_generic,
        kinds=PROVED,
        proof=layer.proof(*signatures),
        theorem=theorem,
    )


def refuted(
    name: str,
    says: str,
    recurrence: Recurrence,
    construction: Callable[[Weights], Sequence[WFSA]],
    cases: Sizes | Signature,
    small: Sizes | Signature | None = None,
) -> Variant:
    """A reading that a counterexample refutes; its small cases may be others."""
    return Variant(
        name=name,
        expected="refuted",
        says=says,
        reading=Equality(recurrence=recurrence, construction=construction),
        cases=cases.random,
        small_cases=(cases if small is None else small).small,
        kinds=tuple(kind for kind in LADDER if kind != "cross-checked"),
        effort=REFUTED,
        without={"kernel-checked": NOT_STATED, "cross-checked": CORRECTED_IS},
    )


def exactly(*numbers: Any) -> tuple[Fraction, ...]:
    """A vector of fractions."""
    return tuple(map(Fraction, numbers))
