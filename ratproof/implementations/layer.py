"""Comparison of a torch network in float arithmetic with the exact scores of its automata."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MethodType
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.rounding.bounds import Deviation, Format, bounded, share
from automata.rounding.units import unit_bounds
from automata.strings import String
from automata.wfsa import WFSA
from neural.cell import AutomatonCell
from neural.derivatives import any_order_scores
from neural.layer import Recurrent
from neural.layer_kind import LayerKind, layer_kinds
from neural.linear_recurrence_cell import LinearRecurrenceCell
from neural.reading import magnitudes
from neural.rounding import format_of
from neural.scan import use
from neural.scan.backends import Backend
from ratproof.implementations.comparison import (
    Constants,
    Difference,
    StringResult,
    no_difference,
    require_units,
    shortest_of,
    within_bounds,
)
from ratproof.implementations.layer_files import checked
from ratproof.implementations.layer_spec import DTYPES, LayerSpec
from ratproof.implementations.polynomial_bounds import polynomial_bounds
from theory.claim import Claim, Variant
from theory.weights import Weights

# a factor that covers the rounding of a difference in float64
_OUTWARD = 1 + 2.0**-50
MOST_SHOWN = 60  # maximum number of gates in one description


@dataclass(eq=False, repr=False)
class LayerComparison:
    """A comparison of a network's states with the exact scores of its automata, within the rounding bound.

    Args:
        claim, variant: Names of the claim and its variant.
        layer: The network, whose kind is one of :func:`neural.layer_kind.layer_kinds`.
        start: c_0, the same for all units. Defaults to the semiring's zero.
        automata_know_start: Whether c_0 is the initial weight of the automata.
        backend: The backend of the recurrences and the length of its chunks, or None for the default backend.
        unfused: Whether a layer that fuses gates and steps into one pass computes them separately.
    """

    way = "network"
    claim: str
    variant: str
    layer: LayerSpec
    start: float | None = None
    automata_know_start: bool = True
    backend: Backend | None = None
    unfused: bool = False

    def __post_init__(self) -> None:
        if self.start == -math.inf:  # -inf is only used as the zero of max-plus
            self.start = None

    def renamed(self, names: dict[str, str]) -> Self:
        """Return the comparison for the symbols in ``names``, each renamed from its key to its value."""
        return replace(self, layer=self.layer.renamed(names))

    @property
    def kind(self) -> LayerKind:
        """Return the properties of the layer's kind."""
        return layer_kinds()[self.layer.kind]

    @cached_property
    def network(self) -> Recurrent:
        """Return the torch module."""
        network = self.kind.cls(
            **self.layer.options, dtype=DTYPES[self.layer.dtype], device=self.layer.device
        )
        self.layer.load(network.cell)
        if self.unfused:  # a subclass that overrides gates or steps runs without fusion
            object.__setattr__(network.cell, "fused", MethodType(AutomatonCell.fused, network.cell))
        return network

    @property
    def can_fuse(self) -> bool:
        """Return whether the layer can compute gates and steps in one pass over memory."""
        return self.kind.cls.cell_class.fused is not AutomatonCell.fused

    @cached_property
    def vectors(self) -> Tensor:
        """Return the embeddings as the network reads them."""
        if self.kind.cls.cell_class.reads_symbols:
            return torch.as_tensor(self.layer.embeddings, dtype=torch.long, device=self.layer.device)
        return self.layer.tensor(self.layer.embeddings)

    @property
    def _known_start(self) -> float | None:
        return self.start if self.automata_know_start else None

    @cached_property
    def _automata(self) -> list[WFSA]:
        automata = self.network.to_automata(self.vectors, self.layer.alphabet, self._known_start)
        require_units(len(automata))
        return automata

    @cached_property
    def _shortest(self) -> int:
        return shortest_of(self.claim, self.variant)

    def automata(self) -> list[WFSA]:
        """Return the automata of the layer: one exact automaton per unit."""
        return self._automata

    def tables(self, unit: int) -> dict[str, dict[tuple[Any, ...], Any]]:
        """Return the gates of a unit's automaton; see :meth:`neural.layer.Recurrent.tables`."""
        return self.network.tables(self.vectors, self.layer.alphabet, unit)

    def weights(self) -> str:
        """Return a description of the automata's gates."""
        lines = []
        for unit in range(self.network.hidden_size):
            entries = [
                (window, f"{name}({' '.join(map(str, window))})" if window else name, value)
                for name, table in self.tables(unit).items()
                for window, value in table.items()
            ]
            order = {window: i for i, window in enumerate(dict.fromkeys(window for window, _, _ in entries))}
            entries.sort(key=lambda entry: order[entry[0]])
            gates = [f"{label} = {_written(value)}" for _, label, value in entries[:MOST_SHOWN]]
            start = self.network.cell.semiring.zero if self.start is None else self.start
            more = [f"and {len(entries) - MOST_SHOWN} more"] if len(entries) > MOST_SHOWN else []
            lines.append(f"unit {unit}: c_0 = {start:g}, " + ", ".join(gates + more))
        ran = "" if self.backend is None else f" by {self.backend}"
        ran += ", unfused" if self.unfused else ""
        return f"{self.layer.kind} in {self.layer.dtype} on {self.layer.device}{ran}; " + "; ".join(lines)

    @torch.no_grad()
    def states(self, strings: Sequence[String]) -> list[NDArray[np.float64]]:
        """Return c_0, ..., c_T of each string, shape ``(T + 1, units)``, from one padded batch."""
        lengths = [len(x) for x in strings]
        start = self.network.start(len(strings), self.start)
        with self.running():
            c = self.network.scores(self._inputs(strings), start, lengths)
        first = self.network.cell.score(self.network.cell.start(len(strings), self.start))
        every = torch.cat([first.unsqueeze(0), c]).double().cpu().numpy()
        return [every[: n + 1, b] for b, n in enumerate(lengths)]

    def _inputs(self, strings: Sequence[String]) -> Tensor:
        """Return the network's input for a padded batch.

        The shape is ``(T, strings, input_size)``, or ``(T, strings)`` for the indices of symbols.
        """
        codes = {symbol: i for i, symbol in enumerate(self.layer.alphabet)}
        padded = torch.zeros(max(map(len, strings), default=0), len(strings), dtype=torch.long)
        for b, string in enumerate(strings):
            padded[: len(string), b] = torch.tensor([codes[s] for s in string], dtype=torch.long)
        return self.vectors[padded.to(self.layer.device)]

    def running(self) -> AbstractContextManager[None]:
        """Return a context in which the chosen backend computes the recurrences."""
        return nullcontext() if self.backend is None else use(self.backend.name, self.backend.chunk)

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the states after every prefix of every string, within the rounding bound.

        If the backend runs chunks of steps in parallel, the order of its sums is not specified. In this case,
        the bound covers any order.
        """
        if self.backend is not None and self.backend.chunk is not None:
            return self._compare_in_any_order(strings)
        return self._compare_sequentially(strings)

    @torch.no_grad()
    def _compare_in_any_order(self, strings: Sequence[String]) -> Iterator[StringResult]:
        start = torch.tensor(self.network.cell.semiring.zero if self.start is None else self.start)
        values, bounds = any_order_scores(
            self.network.cell, self._inputs(strings), start.to(self._dtype).to(self.layer.device)
        )
        constants = Constants()
        for index, c in enumerate(self.states(strings)):
            scores, off = (x[: len(c), index].cpu().numpy() for x in (values, bounds))
            c, scores, off = (side[self._shortest :] for side in (c, scores, off))
            result = within_bounds(strings[index], c, scores, off, self._shortest)
            yield replace(result, varies=constants.exclude(scores, off))

    def _compare_sequentially(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the states after every prefix of every string, within the bound for sequential steps.

        The automata are scored in float64 first, and the bound includes the rounding of these scores. If an
        error exceeds this bound, the string is scored exactly.
        """
        constants = Constants()
        near = self._bounded_scores(strings, exact=False)
        for index, (c, (scores, bounds)) in enumerate(zip(self.states(strings), near, strict=True)):
            if c.shape != scores.shape:
                raise ValueError(f"the network's states must have shape {scores.shape}, got {c.shape}")
            has = bounded(bounds)
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                # -infinity minus -infinity is NaN, but the values are equal
                errors = np.where(c == scores, 0.0, np.abs(c - scores)) * _OUTWARD
                used = np.where((errors == 0) | ~has, 0.0, errors / bounds)[self._shortest :]
            if (used <= 1).all():
                result = no_difference(strings[index], float(used.max(initial=0.0)), has[self._shortest :])
            else:
                result = self._exactly(strings[index], c)
            varies = constants.exclude(scores[self._shortest :], bounds[self._shortest :])
            yield replace(result, varies=varies)

    def _bounded_scores(
        self, strings: Sequence[String], exact: bool
    ) -> list[tuple[np.ndarray, NDArray[np.float64]]]:
        """Return the automata's scores of each string's prefixes, and bounds on the network's errors.

        Both arrays have the shape ``(T + 1, units)``. The scores are fractions if ``exact`` is true, and
        float64 otherwise.
        """
        sides = self.sides()
        automata = [a if exact else a.to_float() for a, _ in sides]
        deviations = [slack for _, slack in sides]
        cell = self.network.cell
        if not isinstance(cell, LinearRecurrenceCell):
            return unit_bounds(automata, strings, self._format, deviations)
        every = magnitudes(cell, self.vectors, self.layer.alphabet, self._known_start)
        if cell.in_order:
            every = [(a.to_float(), factors) for a, (_, factors) in zip(automata, every, strict=True)]
        results = polynomial_bounds(every, deviations, strings, self._format)
        if cell.in_order and not exact:
            return results
        scores = unit_bounds(automata, strings, self._format)
        return [(values, bound) for (values, _), (_, bound) in zip(scores, results, strict=True)]

    @property
    def _dtype(self) -> torch.dtype:
        return DTYPES[self.layer.dtype]

    @property
    def _format(self) -> Format:
        return format_of(self._dtype)

    def sides(self) -> list[tuple[WFSA, Deviation]]:
        """Return each unit's automaton, and bounds on the deviations of the network's weights from it."""
        slack = self.network.deviations(self.vectors, self._known_start)
        return list(zip(self._automata, slack, strict=True))

    def _exactly(self, string: String, states: np.ndarray) -> StringResult:
        ((scores, bounds),) = self._bounded_scores([string], exact=True)
        worst = 0.0
        for t in range(self._shortest, len(string) + 1):
            for unit in range(scores.shape[1]):
                used = share([states[t, unit]], [scores[t, unit]], [bounds[t, unit]])
                if used > 1:
                    network, automaton = repr(float(states[t, unit])), repr(float(scores[t, unit]))
                    return StringResult(
                        string, worst, Difference(t, unit, network, automaton, f"{bounds[t, unit]:.2g}")
                    )
                worst = max(worst, used)
        return no_difference(string, worst, bounded(bounds)[self._shortest :])

    def claim_weights(self, unit: int) -> Weights:
        """Return the gates of a unit in the form of the claim's weights, with each float as a fraction.

        If units read each other, the gates of all units are returned.
        """
        tables: JsonObject = {}
        for name, table in self.tables(unit).items():
            exact = {"".join(window): _exact(value) for window, value in table.items()}
            tables[name] = exact[""] if set(exact) == {""} else exact
        size, entries = self.kind.weights(self.network, tables, self._exact_start())
        return Weights(self.network.cell.semiring, "".join(self.layer.alphabet), entries, size)

    def _exact_start(self) -> Any:
        """Return c_0 exactly as the layer's dtype represents it."""
        if self.start is None or not self.automata_know_start:
            return self.network.cell.semiring.zero
        return Fraction(float(next(self.network.parameters()).new_tensor(self.start)))

    def to_json(self) -> JsonObject:
        """Return all arguments, with the parameters as exact decimals."""
        return {
            "way": self.way,
            **self.layer.to_json(),
            "start": self.start,
            "automata_know_start": self.automata_know_start,
            "backend": None if self.backend is None else self.backend._asdict(),
            "unfused": self.unfused,
        }

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: JsonObject) -> LayerComparison:
        """Return the comparison that :meth:`to_json` wrote, checked before anything large is allocated.

        Raises:
            InputError: If the data do not describe such a comparison.
        """
        network = cls(claim.name, variant.name, **checked(data))
        if not network.automata_know_start and variant.expected == "holds":
            raise InputError(
                f"automata_know_start must be true for {claim.name}, {variant.name}, whose automata use c_0"
                " as their initial weight"
            )
        return network


def _exact(value: Any) -> Any:
    return tuple(map(_exact, value)) if isinstance(value, list) else Fraction(value)


def _written(value: Any) -> str:
    return "[" + ", ".join(map(_written, value)) + "]" if isinstance(value, list) else f"{value:.9g}"
