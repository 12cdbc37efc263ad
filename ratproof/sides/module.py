"""A torch module's outputs, in floats, against the scores of automata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.rounding import Deviation, Format, bounded, prefix_bounds, share
from automata.strings import String
from automata.wfsa import WFSA
from neural.rounding import format_of
from ratproof.record.ledger import TOO_SHORT, ledger
from ratproof.sides.comparison import (
    Difference,
    NotAFunction,
    StringResult,
    no_case,
    no_difference,
    shortest_of,
)
from ratproof.sides.module_runs import embedded, outputs_of, program_of
from theory.claim import Claim, Variant


class OfModule:
    """A module's outputs against the scores of automata, within the derived bound: in evaluation mode, one
    string a batch.
    """

    way = "module"

    def __init__(
        self,
        claim: str,
        variant: str,
        module: nn.Module,
        embeddings: Tensor,
        automata: Sequence[WFSA],
        deviations: Sequence[Deviation],
        slack: float = 0.0,
    ) -> None:
        self.claim, self.variant, self.module, self.embeddings = claim, variant, module, embeddings
        self._automata, self.deviations, self.slack = automata, deviations, slack
        self.place = {symbol: i for i, symbol in enumerate(automata[0].alphabet)}

    def automata(self) -> Sequence[WFSA]:
        """Those that the module is believed to be."""
        return self._automata

    def weights(self) -> str:
        """What there is to say of it."""
        return f"of the module {type(self.module).__name__}, in the file with the claim"

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Every nonempty prefix of every string; a module says nothing of the empty one, which counts as no
        case.
        """
        shortest = max(1, shortest_of(self.claim, self.variant))
        ledger().facts["module"] = self.ran
        for string in strings:
            yield self._compare(string, shortest)

    @property
    def ran(self) -> str:
        """What was run, and how."""
        room = f", with a slack of {self.slack:g} for its weights" if self.slack else ""
        return (
            f"{type(self.module).__name__} in evaluation mode, one string a batch, within the rounding of"
            f" {self._format.name}{room}"
        )

    def _compare(self, string: String, shortest: int) -> StringResult:
        if len(string) < shortest:
            return no_case(string, TOO_SHORT)
        states = self.states(string)
        sides = [
            prefix_bounds(automaton, string, self._format, apart)
            for automaton, apart in zip(self._automata, self.deviations, strict=True)
        ]
        worst = 0.0
        for t in range(shortest, len(string) + 1):
            for unit, (scores, bounds) in enumerate(sides):
                used = share(states[t - 1 : t, unit], scores[t : t + 1], bounds[t : t + 1])
                if used > 1:
                    network, score = repr(float(states[t - 1, unit])), repr(float(scores[t]))
                    return StringResult(
                        string, worst, Difference(t, unit, network, score, f"{bounds[t]:.2g}")
                    )
                worst = max(worst, used)
        return no_difference(
            string, worst, np.stack([bounded(bounds) for _, bounds in sides], axis=1)[shortest:]
        )

    def confirm(self, compared: StringResult) -> None:
        """Raise :class:`~ratproof.sides.comparison.NotAFunction` where a difference that was difference is
        another one when the string is run again.
        """
        difference = compared.difference
        if difference is None:
            return
        string = compared.string[: difference.length]
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
        known = next(self.module.parameters(), self.embeddings)
        return known.dtype if known.is_floating_point() else torch.float32

    def states(self, string: String) -> NDArray[np.float64]:
        """c_1, ..., c_T as the module computes them, shape ``(T, units)``."""
        inputs = embedded(self.embeddings, self.place, [string])
        outputs = outputs_of(self.module, inputs, len(self._automata))
        return np.asarray(outputs[:, 0].double().cpu().numpy())

    def to_json(self) -> dict[str, Any]:
        """The way: the module is in the file that brought the claim."""
        return {"way": self.way}

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: dict[str, Any]) -> OfModule:
        """The module of the claim, which the user's file brought.

        Raises :class:`~automata.errors.InputError`: the claim is about no module.
        """
        return program_of(cls, claim, variant, "a module's scores")
