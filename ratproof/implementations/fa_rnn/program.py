"""The interface of a torch program of an FA-RNN, which is built from weights and has error bounds.

There are two kinds of bounds.

The bound is 0 if the program computes with integers and the dtype can represent every possible value.
Otherwise each weight of a step has a known deviation, and the running bound of Forward gives the error
(:mod:`automata.rounding.bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.aliases import Floats, Weight
from automata.forward import prefix_scores
from automata.recurrences.affine import flat
from automata.rounding.bounds import Deviation, Format
from automata.rounding.units import unit_bounds
from automata.strings import String
from automata.wfsa import WFSA
from ratproof.evidence.ledger import MIGHT_UNDERFLOW
from theory.signature import misfit
from theory.weights import Weights

Words = tuple[str, ...]
Sentences = list[Words]
Network = Callable[[Sentences], Tensor]
"""A function from sentences of any length to scores, shape ``(sentences, units)``."""
Factory = dict[str, Any]
"""The ``dtype`` and ``device`` arguments of torch."""


@dataclass(frozen=True)
class Reference:
    """The exact scores of the automata, and the error bounds of a program.

    Attributes:
        values: Exact score of each prefix and unit, shape ``(T + 1, units)``.
        bounds: Error bounds of the same shape; infinite if there is none.
        left_out: The reason, from :data:`ratproof.evidence.ledger.LEFT_OUT`, if the string is not compared.
    """

    values: list[list[Weight]]
    bounds: Floats
    left_out: str | None = None


@dataclass(frozen=True)
class FARNNProgram:
    """A torch program that implements the network of some variants.

    Attributes:
        name: Name of the program in files and variants.
        cases: Source of random weights, with ``random`` and ``signatures`` as in
            :class:`theory.signature.Signature`.
        build: A function that returns the network for weights that the dtype can represent.
        reference: A function that returns the reference for the weights, the automata, a string and a dtype.
        reads: Names of the weights that the network reads, which the dtype must represent exactly.
        takes: The signatures of all supported weights. Defaults to the signatures of ``cases``.
        long_cases: Source of random weights for long strings. Defaults to ``cases``.
        judge: A function that returns the scores to compare, shape ``(T + 1, units)``. Its arguments are the
            weights, a string, the network's scores of all prefixes, and torch's ``dtype`` and ``device``. By
            default, the network's scores are compared.
    """

    name: str
    cases: Any
    build: Callable[[Weights, Factory], Network]
    reference: Callable[[Weights, Sequence[WFSA], String, Format], Reference]
    reads: tuple[str, ...]
    takes: Any = None
    long_cases: Any = None
    judge: Callable[[Weights, String, Floats, Factory], Floats] | None = None

    def misfit(self, w: Weights) -> str | None:
        """Return why the program does not support these weights, or ``None`` if it does."""
        return misfit((self.takes or self.cases).signatures(), w)


def floats(values: Any) -> Floats:
    """Convert nested tuples of exact numbers to a float64 array."""
    return (
        np.array([floats(v) for v in values])
        if isinstance(values, (tuple, list))
        else np.array(float(values))
    )


def tensor(values: Any, factory: Factory) -> Tensor:
    """Convert nested tuples of exact numbers to a tensor."""
    return torch.as_tensor(floats(values), **factory)


def without_rounding(
    largest: Callable[[Weights, String], Any] | None = None,
) -> Callable[[Weights, Sequence[WFSA], String, Format], Reference]:
    """Return a function that computes the reference of a program that does not round.

    Such a program computes with integers that the dtype can represent.

    Args:
        largest: A function of the weights and a string that bounds every intermediate value. Defaults to 1.
    """

    def reference(w: Weights, automata: Sequence[WFSA], string: String, form: Format) -> Reference:
        values = _exact_scores(automata, string)
        held = largest is None or largest(w, string) * form.unit < 1
        bounds = np.full((len(values), len(automata)), 0.0 if held else np.inf)
        return Reference(values, bounds)

    return reference


def paths(w: Weights, string: String) -> int:
    """Return the largest number of paths that read a prefix of the string, which bounds all partial sums.

    Accepting and other paths are counted.
    """
    h = np.array([abs(int(v)) for v in w.alpha_0], dtype=object)
    most = int(h.sum())
    for x in string:
        h = h @ np.array([[abs(int(v)) for v in row] for row in w.T[x]], dtype=object)
        most = max(most, int(h.sum()))
    return most


def off_by(
    deviations: Callable[[Weights, Sequence[WFSA], Format], Sequence[Deviation] | None], factors: int = 3
) -> Callable[[Weights, Sequence[WFSA], String, Format], Reference]:
    """Return a function that computes the reference of a program whose rounding acts like deviating weights.

    A string is not compared if a product of nonzero factors may underflow on it.

    Args:
        deviations: A function that returns one deviation per unit, or ``None`` if no bound is known.
        factors: Number of weights in one product of a step.
    """

    def reference(w: Weights, automata: Sequence[WFSA], string: String, form: Format) -> Reference:
        slack = deviations(w, automata, form)
        if slack is None:
            values = _exact_scores(automata, string)
            return Reference(values, np.full((len(values), len(automata)), np.inf))
        ((scores, bounds),) = unit_bounds(automata, [string], form, slack)
        small = _may_underflow(w, factors * len(string) + 2, form)
        return Reference(scores.tolist(), bounds, MIGHT_UNDERFLOW if small else None)

    return reference


def _exact_scores(automata: Sequence[WFSA], string: String) -> list[list[Weight]]:
    return [list(row) for row in zip(*(prefix_scores(a, string) for a in automata), strict=True)]


def _may_underflow(w: Weights, factors: int, form: Format) -> bool:
    """Return whether a product of ``factors`` nonzero weights may underflow.

    1 - beta also counts as a weight.
    """
    entries = [tuple(e.values()) if isinstance(e, dict) else e for e in w.entries.values()]
    if "beta" in w.entries:
        entries.append(1 - w.beta)
    values = [abs(v) for entry in entries for v in flat(entry) if v]
    least = min([*values, 1])
    return float(least) ** factors < form.tiny


def may_overflow(values: Sequence[Weight], longest: int, form: Format) -> bool:
    """Return whether a sum of products of these weights may exceed the largest float on a string.

    Each term of a step has three factors, and a sum has at most as many terms as there are weights.
    """
    most = max([1.0, *(abs(float(v)) for v in values)])
    return (math.log2(max(1, len(values))) + 3 * math.log2(most)) * (longest + 2) > math.log2(form.largest)


def no_deviation(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    """Return zero deviations for all automata, because the program uses their exact weights."""
    return [Deviation(np.zeros(a.matrices.shape), np.zeros(a.states)) for a in automata]
