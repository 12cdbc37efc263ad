"""What a torch program of an FA-RNN is: how it is made of a case's weights, and how far it may be off.

Two kinds of bounds are here. Whole numbers that a format holds are added and multiplied without rounding: the
bound is 0 while every number that may occur is held. Else each weight that a step computes with is off by a
known deviation, and Forward's running bound has the rest (:mod:`automata.rounding.bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.aliases import Floats
from automata.forward import prefix_scores
from automata.recurrences.affine import flat
from automata.rounding.bounds import Deviation, Format, bound_table
from automata.strings import String, encode
from automata.wfsa import WFSA
from ratproof.evidence.ledger import MIGHT_UNDERFLOW
from theory.signature import misfit
from theory.weights import Weights

Sentences = list[tuple[str, ...]]
Network = Callable[[Sentences], Tensor]
"""From sentences of any lengths, a score for each unit, shape ``(sentences, units)``."""
Factory = dict[str, Any]
"""torch's ``dtype`` and ``device``."""


@dataclass(frozen=True)
class Reference:
    """What the automata score, and how far a program may be off.

    Attributes:
        values: for each prefix and unit, shape ``(T + 1, units)``; exact.
        bounds: of the same shape; infinite where there is none.
        left_out: why the string is not compared, where it is not: a reason of
            :data:`ratproof.evidence.ledger.LEFT_OUT`.
    """

    values: list[list[Any]]
    bounds: Floats
    left_out: str | None = None


@dataclass(frozen=True)
class FARNNProgram:
    """A torch program that stands for the network of some variants.

    Attributes:
        name: in files, and in the variants that name it.
        cases: what random weights are drawn from: has ``random`` and ``signatures``, as
            :class:`theory.signature.Signature` has.
        build: the network, from weights that the dtype holds.
        reference: from the weights, the automata, a string and a format, what is right.
        reads: the weights that the network is made of, which floats have to hold.
        takes: the signatures of all weights that it may be given; those of ``cases`` without.
    """

    name: str
    cases: Any
    build: Callable[[Weights, Factory], Network]
    reference: Callable[[Weights, Sequence[WFSA], String, Format], Reference]
    reads: tuple[str, ...]
    takes: Any = None

    def misfit(self, w: Weights) -> str | None:
        """Why the program cannot be given these weights."""
        return misfit((self.takes or self.cases).signatures(), w)


def floats(values: Any) -> Floats:
    """Exact numbers, in tuples of tuples, as an array."""
    return (
        np.array([floats(v) for v in values])
        if isinstance(values, (tuple, list))
        else np.array(float(values))
    )


def tensor(values: Any, factory: Factory) -> Tensor:
    """Exact numbers as a tensor."""
    return torch.as_tensor(floats(values), **factory)


def without_rounding(
    largest: Callable[[Weights, String], Any] | None = None,
) -> Callable[[Weights, Sequence[WFSA], String, Format], Reference]:
    """The program computes with whole numbers, and is right to the last digit.

    Args:
        largest: from weights and a string, a bound on every number that occurs on the way; at most 1 without.
    """

    def reference(w: Weights, automata: Sequence[WFSA], string: String, form: Format) -> Reference:
        values = _exact_scores(automata, string)
        held = largest is None or largest(w, string) * form.unit < 1
        bounds = np.full((len(values), len(automata)), 0.0 if held else np.inf)
        return Reference(values, bounds)

    return reference


def paths(w: Weights, string: String) -> int:
    """How many paths a rule's automaton has for the string, accepting or not: no partial sum is larger."""
    h = np.array([abs(int(v)) for v in w.alpha_0], dtype=object)
    most = int(h.sum())
    for x in string:
        h = h @ np.array([[abs(int(v)) for v in row] for row in w.T[x]], dtype=object)
        most = max(most, int(h.sum()))
    return most


def off_by(
    deviations: Callable[[Weights, Sequence[WFSA], Format], Sequence[Deviation] | None],
) -> Callable[[Weights, Sequence[WFSA], String, Format], Reference]:
    """The program computes Forward's scores with weights that are off by so much, one deviation a unit; or
    ``None``, where nothing is known.

    Nothing is compared where a product of factors that are not zero may underflow.
    """

    def reference(w: Weights, automata: Sequence[WFSA], string: String, form: Format) -> Reference:
        slack = deviations(w, automata, form)
        if slack is None:
            values = _exact_scores(automata, string)
            return Reference(values, np.full((len(values), len(automata)), np.inf))
        tables = [
            bound_table(automaton, encode(automaton.index, [string]), form, deviation)
            for automaton, deviation in zip(automata, slack, strict=True)
        ]
        values = [list(row) for row in zip(*(table[0].tolist() for table, _ in tables), strict=True)]
        bounds = np.stack([bound[0] for _, bound in tables], axis=1)
        return Reference(values, bounds, MIGHT_UNDERFLOW if _may_underflow(w, len(string), form) else None)

    return reference


def _exact_scores(automata: Sequence[WFSA], string: String) -> list[list[Any]]:
    return [list(row) for row in zip(*(prefix_scores(a, string) for a in automata), strict=True)]


def _may_underflow(w: Weights, longest: int, form: Format) -> bool:
    entries = (tuple(e.values()) if isinstance(e, dict) else e for e in w.entries.values())
    values = [abs(v) for entry in entries for v in flat(entry) if v]
    least = min([*values, 1])
    return float(least) ** (3 * longest + 2) < form.tiny


def may_overflow(values: Sequence[Any], longest: int, form: Format) -> bool:
    """May a sum of products of these weights, on the way through a string, be beyond the largest float? Each
    step has three factors, and sums of at most as many terms as there are weights.
    """
    most = max([1.0, *(abs(float(v)) for v in values)])
    return (math.log2(max(1, len(values))) + 3 * math.log2(most)) * (longest + 2) > math.log2(form.largest)


def no_deviation(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    """The program multiplies with the automata's own weights."""
    return [Deviation(np.zeros(a.matrices.shape), np.zeros(a.states)) for a in automata]
