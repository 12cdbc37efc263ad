"""Comparison of a torch network's gradients with the derivatives of its automata's scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.semirings import Semiring
from automata.strings import String
from automata.text.number_text import shorten
from neural.derivatives import FIRST, INPUTS, score_derivatives
from ratproof.evidence.ledger import IN_PART, WITHOUT_BOUND
from ratproof.implementations.comparison import Difference, StringResult, no_case
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_files import checked
from theory.claim import Claim, Variant

FACTORS = (-2.0, -1.0, 1.0, 2.0)


@dataclass(eq=False, repr=False)
class GradientComparison(LayerComparison):
    """A comparison of torch's gradients with the derivatives of the automata's scores.

    The differentiated function is a weighted sum of the scores of one unit over all prefixes. The gradients
    are with respect to the parameters, the inputs and c_0.

    Args:
        claim, variant, layer, start, automata_know_start, backend, unfused: The arguments of
            :class:`~ratproof.implementations.layer.LayerComparison`.
        seed: The seed of the weights of the sum, which also selects the unit.
    """

    way = "gradient"
    seed: int = 0

    @classmethod
    def of(cls, network: LayerComparison, seed: int) -> GradientComparison:
        """Return a comparison of the gradients of a network.

        The seed selects the unit and the weights of the sum that is differentiated.
        """
        return cls(**{field.name: getattr(network, field.name) for field in fields(network)}, seed=seed)

    @property
    def unit(self) -> int:
        """Return the unit whose scores are summed."""
        return self.seed % self.network.hidden_size

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the gradients for all strings in one batch and, if they differ, string by string."""
        share, complete, different = self._compared(strings)
        if different is None:
            reason = IN_PART if share is not None else WITHOUT_BOUND
            for string in strings:
                yield StringResult(string, share, None) if complete else no_case(string, reason, share)
            return
        alone = [self._compared([string]) for string in strings]
        if all(difference is None for _, _, difference in alone):  # the gradients differ only in the batch
            alone[0] = share, complete, different
        for string, (used, all_bounded, difference) in zip(strings, alone, strict=True):
            if difference is None and not all_bounded:
                yield no_case(string, IN_PART if used is not None else WITHOUT_BOUND, used)
            else:
                yield StringResult(string, used, difference)

    def _compared(self, strings: Sequence[String]) -> tuple[float | None, bool, Difference | None]:
        """Compare the gradients on a batch of strings.

        Returns:
            The largest error relative to its bound, or ``None`` if no gradient has a bound; whether all
            gradients have a bound; and the first difference, if any.
        """
        share, complete = None, True
        for name, computed, value, bound in self.pairs(strings):
            has = np.isfinite(bound)
            complete = complete and bool(has.all())
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                errors = np.abs(computed - value)
                used = np.where(errors == 0, 0.0, errors / bound)[has]
            if not used.size:
                continue
            share = max(share or 0.0, float(np.nanmax(used, initial=0.0)))
            wrong = np.argwhere(has & ~(np.where(errors == 0, 0.0, errors) <= bound))
            if len(wrong):
                index = tuple(wrong[0])
                label = f"d/d {name}{list(map(int, index))}"
                network, automaton = (f"{label} = {float(side[index])!r}" for side in (computed, value))
                longest = max(map(len, strings))
                return (
                    share,
                    complete,
                    Difference(longest, self.unit, network, automaton, f"{bound[index]:.2g}"),
                )
        return share, complete, None

    def pairs(self, strings: Sequence[String]) -> Iterator[tuple[str, Any, Any, Any]]:
        """Yield the gradients with respect to each parameter, the inputs and c_0.

        Each item is a name, torch's gradient, the derivative of the automata's scores, and the error bound.
        """
        cell, inputs, lengths = self.network.cell, self._inputs(strings), [len(x) for x in strings]
        leaves: dict[str, Tensor] = dict(cell.named_parameters())
        number = cell.semiring.zero if self.start is None else self.start
        start = torch.full((cell.hidden_size,), number, dtype=next(cell.parameters()).dtype)
        leaves[FIRST] = start = start.to(self.layer.device).requires_grad_()
        if not cell.reads_symbols:
            leaves[INPUTS] = inputs = inputs.clone().requires_grad_()
        first = cell.score(cell.start(len(strings), start))
        with self.running():
            scores = self.network.scores(inputs, self.network.start(len(strings), start), lengths)
            every = torch.cat([first.unsqueeze(0), scores])
            factors = self._factors(strings).to(every) * every.detach().isfinite()
            gradients = torch.autograd.grad([every], list(leaves.values()), [factors], allow_unused=True)
        derivatives = score_derivatives(cell, inputs, start, factors)
        overflowed = _may_overflow(every.detach(), leaves.values(), cell.semiring)
        for (name, leaf), computed in zip(leaves.items(), gradients, strict=True):
            of = derivatives[name]
            mine = torch.zeros_like(leaf) if computed is None else computed
            gradient, bound = _array(mine), _array(of.bound())
            if overflowed:  # with infinite scores, a gradient may be NaN even if its weight is 0
                bound = np.where(np.isnan(gradient), np.inf, bound)
            yield name, gradient, _array(of.value), bound

    def _factors(self, strings: Sequence[String]) -> Tensor:
        """Return the weights of the scores in the differentiated sum, shape ``(T + 1, strings, units)``.

        They are zero except for the selected unit, and zero after a string's end.
        """
        random = Random(self.seed)
        factors = torch.zeros(max(map(len, strings)) + 1, len(strings), self.network.hidden_size)
        for b, string in enumerate(strings):
            factors[: len(string) + 1, b, self.unit] = torch.tensor(
                random.choices(FACTORS, k=len(string) + 1)
            )
        return factors

    def weights(self) -> str:
        """Return a description of the automata's gates and the differentiated function."""
        return (
            f"{super().weights()}; the scores of unit {self.unit} are weighted with factors from seed"
            f" {self.seed}"
        )

    def to_json(self) -> JsonObject:
        """Return the network's data and the seed of the weights."""
        return {**super().to_json(), "seed": self.seed}

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: JsonObject) -> GradientComparison:
        """Return the comparison that :meth:`to_json` wrote.

        Raises:
            InputError: If the data do not describe such a comparison.
        """
        seed = data["seed"]
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise InputError(f"seed must be a non-negative integer, got {shorten(seed)}")
        return cls(claim.name, variant.name, **checked(data), seed=seed)


def _may_overflow(scores: Tensor, leaves: Iterable[Tensor], semiring: Semiring) -> bool:
    """Return whether a score overflows or, multiplied by two weights in the backward pass, may overflow.

    A score of minus infinity that is the semiring's zero does not count.
    """
    zero = scores.isneginf() if semiring.zero == -math.inf else torch.zeros_like(scores, dtype=torch.bool)
    largest = float(scores[~zero].abs().max()) if not bool(zero.all()) else 0.0
    weights = [leaf.detach()[leaf.detach().isfinite()].abs() for leaf in leaves]
    weight = max([1.0, *(float(some.max()) for some in weights if some.numel())])
    return not largest * weight**2 < torch.finfo(scores.dtype).max


def _array(values: Tensor) -> NDArray[np.float64]:
    return np.asarray(values.double().cpu().numpy())
