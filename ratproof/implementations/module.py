"""Comparison of a torch module's outputs, in float arithmetic, with the scores of automata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.aliases import Floats, Weights
from automata.errors import InputError
from automata.minimise import rank
from automata.operations import trim
from automata.rounding.bounds import Deviation, Format
from automata.rounding.formats import FLOAT64, representation_error
from automata.rounding.units import unit_bounds
from automata.strings import String
from automata.testing.distinguishing_strings import TestStrings, weighted_strings
from automata.wfsa import WFSA
from neural.rounding import format_of
from ratproof.evidence.ledger import TOO_SHORT, ledger
from ratproof.implementations.comparison import Constants, NotAFunction, StringResult, no_case, within_bounds
from ratproof.implementations.module_runs import ModuleRun, embedded, outputs_of

MOST_EXACT = 200
"""Maximum number of symbols times transitions per symbol for exact scores.

The fractions become longer with every symbol. Above this number, scores are computed in float64, and the
bound includes the error of this computation.
"""

MOST_TEST_STRINGS, MOST_TEST_SYMBOLS = 500, 10_000
"""The maximum number of distinguishing strings, and of all their symbols; each string is run separately."""

FEW = 32
"""Number of roundings. For a smaller difference, the message suggests that the user pass ``slack``."""


class ModuleComparison(ModuleRun):
    """A comparison of a module's outputs with the scores of automata, within the derived bound.

    The module runs in evaluation mode, with one string per batch.
    """

    way = "module"
    subject = "the scores of a module"

    def __init__(
        self,
        claim: str,
        variant: str,
        module: nn.Module,
        embeddings: Tensor,
        automata: Sequence[WFSA],
        deviations: Sequence[Deviation],
        slack: float = 0.0,
        batch_first: bool = False,
    ) -> None:
        self.claim, self.variant, self.module, self.embeddings = claim, variant, module, embeddings
        self.batch_first = batch_first
        self._automata, self.deviations, self.slack = automata, deviations, slack
        self.index = {symbol: i for i, symbol in enumerate(automata[0].alphabet)}

    def automata(self) -> Sequence[WFSA]:
        """Return the automata that the module is claimed to equal."""
        return self._automata

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the outputs on every nonempty prefix of every string.

        The empty string does not count as a case, because a module has no output for it.
        """
        facts = ledger().facts
        facts["module"] = self.ran
        if not self.slack:
            facts["few"] = [FEW * torch.finfo(self._dtype).eps, self._format.name]
        facts.setdefault("not_zero", 0)
        sides = iter(self._sides([string for string in strings if len(string)]))
        constants = Constants()
        for string in strings:
            if not len(string):
                yield no_case(string, TOO_SHORT)
                continue
            scores, bounds = (side[1:] for side in next(sides))
            facts["not_zero"] += bool((scores[-1] != self._automata[0].semiring.zero).any())
            result = within_bounds(string, self.states(string), scores, bounds, 1)
            yield replace(result, varies=constants.exclude(scores, bounds))

    @property
    def ran(self) -> str:
        """Return a sentence that describes how the module ran."""
        slack = f", with a slack of {self.slack:g} for its weights" if self.slack else ""
        return (
            f"{type(self.module).__name__} in evaluation mode, one string per batch, within the rounding of"
            f" {self._format.name}{slack}"
        )

    def _sides(self, strings: Sequence[String]) -> list[tuple[Weights, Floats]]:
        """Return, for each string, the automata's scores of its prefixes and bounds on the module's errors.

        Both arrays have the shape ``(T + 1, units)``.
        """
        sides: list[Any] = [None] * len(strings)
        # float64 scores suffice for a module in float32, whose own error is much larger
        most = MOST_EXACT // max(1, self._automata[0].states ** 2) if self._format is FLOAT64 else 0
        for exact in (True, False):
            indices = [i for i, string in enumerate(strings) if (len(string) <= most) == exact]
            if not indices:
                continue
            automata, deviations = (self._automata, self.deviations) if exact else self._nearby
            some = unit_bounds(automata, [strings[i] for i in indices], self._format, deviations)
            for index, side in zip(indices, some, strict=True):
                sides[index] = side
        return sides

    @cached_property
    def _nearby(self) -> tuple[list[WFSA], list[Deviation]]:
        """Return the automata in float64, and bounds on the deviations of the module's weights from them."""
        automata = [automaton.to_float() for automaton in self._automata]
        rounded = [
            Deviation(
                deviation.matrices + representation_error(automaton.matrices, FLOAT64),
                deviation.initial + representation_error(automaton.initial, FLOAT64),
                (0.0 if deviation.final is None else deviation.final)
                + representation_error(automaton.final, FLOAT64),
                None
                if automaton.epsilon is None or deviation.epsilon is None
                else deviation.epsilon + representation_error(automaton.epsilon, FLOAT64),
            )
            for automaton, deviation in zip(self._automata, self.deviations, strict=True)
        ]
        return automata, rounded

    def confirm(self, compared: StringResult) -> None:
        """Raise NotAFunction if a second run on the string gives a different output."""
        difference = compared.difference
        if difference is None:
            return
        string = compared.string[: difference.length]
        if len(string) < len(compared.string):
            (alone,) = self.compare([string])
            if alone.difference is None:
                value = repr(float(self.states(string)[difference.length - 1, difference.unit]))
                what = "the output after a prefix depends on the symbols that follow"
                raise NotAFunction(string, difference.network, value, what)
        again = repr(float(self.states(compared.string)[difference.length - 1, difference.unit]))
        if again != difference.network:
            raise NotAFunction(
                string, difference.network, again, "the module is not a function of its inputs"
            )

    @property
    def _format(self) -> Format:
        return format_of(self._dtype)

    @property
    def _dtype(self) -> torch.dtype:
        groups = {"parameters": self.module.parameters(), "buffers": self.module.buffers()}
        floats = {what: [x.dtype for x in group if x.is_floating_point()] for what, group in groups.items()}
        what = "parameters" if floats["parameters"] else "buffers"
        dtypes = dict.fromkeys(floats[what])
        if len(dtypes) > 1:
            names = " and ".join(map(str, dtypes))
            raise InputError(f"the module's {what} must have one floating-point dtype, got {names}")
        if self.embeddings.is_floating_point():
            dtypes.setdefault(self.embeddings.dtype)
        return next(iter(dtypes), torch.float32)

    def states(self, string: String) -> NDArray[np.float64]:
        """Return c_1, ..., c_T as the module computes them, shape ``(T, units)``."""
        inputs = embedded(self.embeddings, self.index, [string])
        outputs = outputs_of(self.module, inputs, len(self._automata), batch_first=self.batch_first)
        return np.asarray(outputs[:, 0].double().cpu().numpy())

    def test_strings(self) -> TestStrings:
        """Return strings that distinguish the automata from other automata of bounded size."""
        return weighted_strings(self._automata, MOST_TEST_STRINGS, MOST_TEST_SYMBOLS)

    def pumped_strings(self) -> Sequence[String]:
        """Return no strings, because :meth:`test_strings` already includes long strings."""
        return ()

    def constant(self) -> str:
        """Return a message if the automata are known to score every string zero, otherwise ""."""
        zero = all(trim(a).states == 0 or (a.semiring.is_field and rank(a) == 0) for a in self._automata)
        return "the automaton scores every string zero" if zero else ""
