"""Builders for the weights, variants and theorems of claims about linear recurrences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from automata.wfsa import WFSA
from theory.claim import LADDER, PROVED, Effort, Variant
from theory.linear_recurrences.shared.affine import AffineLayer, AtPlace, Output
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, entries
from theory.theorem import Theorem
from theory.weights import Weights

EFFORT = Effort(examples=25, strings=8, longest=8, run=10, exhausted=3, layers=8, gradients=(4, 1))
REFUTED = Effort(examples=25, strings=5, longest=4, run=4, exhausted=3)
"""The effort for refuted variants, whose counterexamples are short."""
NOT_STATED = "other checks find a counterexample, and Coq has theorems only about properties that hold"
CORRECTED_IS = (
    "OpenFst scores the automata of the corrected variant, from which these differ only in the broken part"
)
COLUMN_STATES = "the automaton with K + 2 states: 1, the components of the column, and the output"
PROOF_SIZES = (1, 2, 3)


@dataclass(frozen=True, eq=False)  # hashed by identity, because strategies are cached by signature
class Names:
    """The weights of a unit, in the notation of :func:`~theory.signature.entries`.

    In a layer that subtracts, the weight ``minus`` is the constant -1. In proofs, ``minus`` is a variable, so
    no proof depends on subtraction.

    Attributes:
        names: a line with the names of the constants, a bar, and the names of the weights of a token.
        only: the allowed values of weights.
        derived: the formulas of the weights that are computed from other weights.
        most_small: the maximum number of small cases.
    """

    names: str
    only: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    derived: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    most_small: int = 150

    def __call__(self, size: int, **only: Sequence[Any]) -> Signature:
        """Return the names and shapes of these weights, with vectors of length ``size``.

        ``only`` restricts further weights to a few values.
        """
        letters = re.findall(r"\[(\w)\]", self.names)
        return Signature(
            entries(self.names, size, {"minus": (-1,), **self.only, **only}, self.derived),
            size=(letters[0], size) if letters else None,
            most_small=self.most_small,
        )

    def in_chunks(self, letter: str) -> Callable[..., Signature]:
        """Return a function that returns the names and shapes of these weights for a layer in chunks.

        The argument of the function is a pair: the chunk length and the length of the vectors. In cases, the
        chunk length is called ``letter``.
        """

        def weights(size: tuple[int, int], most: int = 60, **only: Sequence[Any]) -> Signature:
            return replace(self(size[1], **only), size=(letter, size[0]), most_small=most)

        return weights


def unit(names: str, **options: Any) -> Signature:
    """Return the names and shapes of the weights of one unit, which are all scalars."""
    return Names(names, most_small=400, **options)(1)


def sizes(of: Callable[[int], Signature]) -> Sizes:
    """Return random cases of K = 1, 2 and 3, and exhaustive small cases of K = 1 and 2."""
    return Sizes(of, (1, 2, 3), (1, 2))


def narrow(of: Names, small: tuple[int, ...] = (1, 2), **only: Sequence[Any]) -> Sizes:
    """Return cases in which some weights are restricted to the values in ``only``.

    With restricted weights, a counterexample with many nonzero weights is among the first small cases. The
    small cases have the sizes ``small``.
    """
    return Sizes(lambda size: of(size, **only), (1, 2, 3), small)


# One column of a matrix memory S: a token writes key times value, and a query reads.

READ = Output(printed=lambda t: t.sum(lambda i: t.q[i] * t.s[i]), weight=lambda t, i: t.q[i])
"""S^T q for one column s: the query reads the state after its update."""


def write(t: Any, j: Any) -> Any:
    """Return component j of the update k v^T in one column of the memory: k_j v, with a scalar v."""
    return t.k[j] * t.v


def decayed(gate: AtPlace) -> AffineLayer:
    """Return the layer S <- diag(gate) S + k v^T, o = S^T q."""
    return AffineLayer(
        step=lambda t, j: gate(t, j) * t.s[j] + write(t, j), update=write, decay=gate, reading=READ
    )


# Variants and their theorems.


def theorem(file: str, weights: str, shape: str = "{}_output", name: str = "", **options: Any) -> Theorem:
    """Return the Coq theorem that a layer equals its automaton.

    Args:
        file: the Coq file, which is also the prefix of its definitions.
        weights: the names of the weights, in the order of Coq's definitions.
        shape: a pattern for the network's name in Coq, in which ``{}`` stands for ``file``. The automaton's
            name ends with ``_automaton``.
        name: the theorem's name, if it is not the file's.
        options: further fields of the theorem.
    """
    terms = " ".join(f"{{{w}}}" if w.isidentifier() else w for w in weights.split())
    network = shape.format(file)
    automaton = network.removesuffix("_output").removesuffix("_unit") + "_automaton"
    return Theorem(
        f"linear_recurrences.{file}.{name or file}",
        **{"network": f"{network} {terms} {{word}}", "automaton": f"{automaton} {terms}", **options},
    )


def corrected(
    layer: AffineLayer,
    cases: Sizes | Signature,
    says: str,
    theorem: Theorem,
    name: str = "corrected",
    layers: tuple[str, ...] = (),
) -> Variant:
    """Return the variant that claims that the layer equals its automata, with a proof for all sizes."""
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
        layers=layers,
    )


def refuted(
    name: str,
    says: str,
    network: AffineLayer | Recurrence,
    automata: AffineLayer | Callable[[Weights], Sequence[WFSA]],
    cases: Sizes | Signature,
    small: Sizes | Signature | None = None,
) -> Variant:
    """Return a variant that a counterexample refutes.

    Args:
        name: the variant's name.
        says: its statement.
        network: the layer, or the recurrence that runs it.
        automata: the layer whose automata are compared, or the function that constructs them.
        cases: its cases.
        small: its small cases, if they differ from those of ``cases``.
    """
    return Variant(
        name=name,
        expected="refuted",
        says=says,
        reading=Equality(
            recurrence=network.recurrence if isinstance(network, AffineLayer) else network,
            construction=automata.automata if isinstance(automata, AffineLayer) else automata,
        ),
        cases=cases.random,
        small_cases=(cases if small is None else small).small,
        kinds=tuple(kind for kind in LADDER if kind != "cross-checked"),
        effort=REFUTED,
        without={"kernel-checked": NOT_STATED, "cross-checked": CORRECTED_IS},
    )


def reads_old(layer: AffineLayer, cases: Sizes, small: Sizes | None = None) -> Variant:
    """Return the refuted variant in which the automaton's output reads the state before the update."""
    says = (
        "an automaton whose output reads the state before the token, whereas the layer reads it after the"
        " token"
    )
    return refuted("without-update-first", says, layer, layer.reading_first(True), cases, small)
