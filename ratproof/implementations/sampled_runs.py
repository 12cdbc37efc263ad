"""Comparison of a state-regularized layer that samples its centroids with its automaton.

The probabilistic automaton has the probabilities of the cell at each centroid. There are three comparisons
per string.

- In each step of a run, the layer's probabilities alpha equal those that the cell computes at the run's
  centroid, bit for bit, in the same row of a batch of the same shape. This shows that the centroid is the
  only state of a run.
- The cell's alpha is equal to equation 2 or 3, within rounding.
- The number of runs that end at each centroid agrees with the automaton's Forward score, by a test with a
  known rate of false alarms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.forward import score
from automata.rounding.bounds import shares
from automata.semirings import REAL
from automata.strings import String
from automata.wfsa import WFSA
from neural.seeding import seeded
from neural.state_regularized.component import Transition
from neural.state_regularized.layers import KINDS, SRCell, SRLayers
from ratproof.evidence.ledger import NO_ALARM, TOO_SHORT
from ratproof.implementations.chernoff import surprise, threshold
from ratproof.implementations.comparison import Constants, Difference, StringResult, no_case, shortest_of
from ratproof.implementations.layer_spec import DTYPES, LayerSpec
from ratproof.implementations.sampled_run_files import LAYERS, checked
from ratproof.implementations.state_regularized.table_of_cells import CellTable
from theory.claim import Claim, Variant

SAMPLER = 2.0**-18
"""Assumed bound on the total variation between ``torch.multinomial`` and its row of probabilities.

Its random floats have 24 bits.
"""
MOST = {"hidden_size": 64, "input_size": 64, "k": 64, "runs": 10**6}


@dataclass(frozen=True)
class Runs:
    """The number and the seed of a layer's runs on each string.

    Attributes:
        first: Index of the first centroid.
        count: Number of runs per string.
        seed: Seed of torch's random numbers.
        tests: Number of tests that share the probability of any false alarm, one in a million.
    """

    first: int
    count: int
    seed: int
    tests: int


class SampledRuns:
    """A comparison of the random runs of a layer with a probabilistic automaton.

    The states of the automaton are the centroids. Its transition probabilities are those that the layer's
    cell computes at each centroid.

    Args:
        claim, variant: Names of the claim and its variant.
        spec: The layer, of a memory-less kind: ``"sr-elman"`` or ``"sr-gru"``, with all options except the
            transition.
        runs: The number of runs and their seed.
    """

    way = "sampled-runs"

    def __init__(self, claim: str, variant: str, spec: LayerSpec, runs: Runs) -> None:
        if spec.kind not in LAYERS or spec.dtype not in DTYPES:
            raise InputError(
                f"network must be {' or '.join(LAYERS)} in float32 or float64, got {spec.kind!r} in"
                f" {spec.dtype!r}"
            )
        for name, most in MOST.items():
            value = runs.count if name == "runs" else spec.options.get(name)
            if type(value) is not int or not 1 <= value <= most:
                raise InputError(f"{name} must be an integer from 1 to {most:,}, got {value!r}")
        self.claim, self.variant, self.spec, self.runs = claim, variant, spec, runs

    def renamed(self, names: dict[str, str]) -> SampledRuns:
        """Return the comparison for the symbols that are keys of ``names``, renamed to the values."""
        return SampledRuns(self.claim, self.variant, self.spec.renamed(names), self.runs)

    @cached_property
    def layer(self) -> SRLayers:
        """Return the torch module."""
        return self._build("sampled")

    @cached_property
    def unsampled_cell(self) -> SRCell:
        """Return a cell with the same parameters, which computes the probabilities alpha without sampling."""
        return self._build("limit").cell

    def _build(self, transition: Transition) -> SRLayers:
        spec = self.spec
        layer = KINDS[spec.kind](
            **spec.options, transition=transition, dtype=DTYPES[spec.dtype], device=spec.device
        )
        spec.load(layer.cell)
        return layer.eval()

    @cached_property
    @torch.no_grad()
    def table(self) -> dict[str, np.ndarray]:
        """Return the cell's transition probabilities for each symbol, shape ``(k, k)``.

        Row i is the distribution alpha over the next centroid that the cell computes at centroid i.
        """
        table = {}
        for symbol, vector in zip(self.spec.alphabet, self.spec.tensor(self.spec.embeddings), strict=True):
            table[symbol] = (
                self._alpha_of_all(self.unsampled_cell.part.read(vector.unsqueeze(0)))[:, 0]
                .double()
                .cpu()
                .numpy()
            )
        return table

    @cached_property
    def _equations(self) -> dict[str, tuple[Any, Any]]:
        """Return the transition probabilities by equation 2 or 3 and their rounding bounds, for each symbol.

        Both arrays have the shape ``(k, k)``.
        """
        cell_table = CellTable(self.spec.kind, [self.unsampled_cell], 1)
        table = {}
        for symbol, vector in zip(self.spec.alphabet, self.spec.tensor(self.spec.embeddings), strict=True):
            rows = [cell_table.distribution(centroid, vector) for centroid in range(self.spec.options["k"])]
            values, bounds = zip(*rows, strict=True)
            table[symbol] = np.stack(values), np.stack(bounds)
        return table

    @cached_property
    def _used(self) -> JsonObject:
        """Return the errors of the transition probabilities relative to their bounds, for each symbol.

        The arrays have the shape ``(k, k)``.
        """
        return {x: shares(self.table[x], *equation) for x, equation in self._equations.items()}

    def _alpha_of_all(self, read: Tensor) -> Tensor:
        """Return the probabilities alpha that a batch of cells computes at each centroid, for one input.

        The shape is ``(k, rows, k)``.
        """
        every = self.unsampled_cell.component.centroids.T
        return torch.stack(
            [
                self.unsampled_cell.component(
                    *self.unsampled_cell.part.step(read, (s.expand(len(read), -1),))
                )[1]
                for s in every
            ]
        )

    @cached_property
    def _automata(self) -> list[WFSA]:
        k = self.spec.options["k"]
        tables: JsonObject = {
            x: [[Fraction(float(p)) for p in row] for row in rows] for x, rows in self.table.items()
        }
        initial = [int(j == self.runs.first) for j in range(k)]
        return [WFSA(REAL, initial, [int(j == end) for j in range(k)], tables) for end in range(k)]

    def automata(self) -> list[WFSA]:
        """Return one automaton per centroid, with that centroid as its final state."""
        return self._automata

    def weights(self) -> str:
        """Describe the layer with rounded transition probabilities. The JSON object has the exact floats."""
        rows = [
            f"alpha({x}) = {np.array2string(p, precision=6, separator=', ')}".replace("\n", "")
            for x, p in self.table.items()
        ]
        options = ", ".join(f"{name} = {value}" for name, value in self.spec.options.items())
        where = f"{self.spec.kind} in {self.spec.dtype} on {self.spec.device}"
        return f"{where}, {options}, start at centroid {self.runs.first + 1}; " + "; ".join(rows)

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the centroids at the end of each string; each string counts as one case."""
        shortest = shortest_of(self.claim, self.variant)
        constants = Constants()
        for index, string in enumerate(strings):
            if len(string) < shortest:
                yield no_case(string, TOO_SHORT)
                continue
            threads = torch.get_num_threads()
            torch.set_num_threads(1)  # the batches are small, so more threads would not be faster
            try:
                with seeded(self.runs.seed + index, self.spec.device.startswith("cuda")):
                    result = self._compare(string)
            finally:
                torch.set_num_threads(threads)
            scores = np.array([[float(score(automaton, string)) for automaton in self._automata]])
            # the bounds are infinite for a string that is not a case
            bounds = np.full_like(scores, 0.0 if result.cases else np.inf)
            yield replace(result, varies=constants.exclude(scores, bounds))

    @torch.no_grad()
    def _compare(self, string: String) -> StringResult:
        rows = [self.spec.alphabet.index(x) for x in string]
        inputs = self.spec.tensor(self.spec.embeddings)[rows].unsqueeze(1).expand(-1, self.runs.count, -1)
        cell = self.layer.cell
        ran = cell.run(inputs, cell.at_centroid(self.runs.first, self.runs.count))
        read = cell.part.read(inputs)
        at = torch.full((self.runs.count,), self.runs.first, device=self.spec.device)
        tolerance = worst = 0.0
        for t, symbol in enumerate(string):
            reached = sorted(set(at.tolist()))
            used = self._used[symbol][reached]
            if (used > 1).any():
                row, unit = (int(n) for n in np.argwhere(used > 1)[0])
                sides = (self.table[symbol], *self._equations[symbol])
                computed, value, bound = (float(side[reached[row], unit]) for side in sides)
                return StringResult(
                    string, worst, Difference(t + 1, unit, repr(computed), repr(value), f"{bound:.2g}")
                )
            worst = max(worst, float(used.max()))
            alphas = self._alpha_of_all(read[t])
            expected = alphas[at, torch.arange(self.runs.count, device=self.spec.device)]
            wrong = (ran.scores[t] != expected).any(dim=1)
            if wrong.any():
                run = int(wrong.nonzero()[0])
                unit = int((ran.scores[t, run] != expected[run]).nonzero()[0])
                network, automaton = (repr(float(alpha[run, unit])) for alpha in (ran.scores[t], expected))
                return StringResult(string, None, Difference(t + 1, unit, network, automaton, "0"))
            tolerance += SAMPLER + self._spread(alphas, symbol)
            same = (ran.outputs[t].unsqueeze(1) == cell.component.centroids.T).all(dim=2)
            if not same.any(dim=1).all():
                raise RuntimeError("a sampled run must be at a centroid")
            at = same.to(torch.int8).argmax(dim=1)
        counts = torch.bincount(at, minlength=self.spec.options["k"]).tolist()
        return self._tested(string, counts, tolerance, worst)

    def _spread(self, alphas: Tensor, symbol: str) -> float:
        """Return a bound on how much rounding changes the distribution that torch samples from.

        The probabilities that are computed in a batch may differ from those of ``table``. The sampler assumes
        that they sum to 1.
        """
        table = torch.as_tensor(self.table[symbol], device=alphas.device).unsqueeze(1)
        off = (alphas.double() - table).abs().sum(dim=2) + (alphas.double().sum(dim=2) - 1).abs()
        return float(off.max())

    def _tested(self, string: String, counts: Sequence[int], tolerance: float, worst: float) -> StringResult:
        most, tells = threshold(self.runs.tests), True
        for unit, (count, automaton) in enumerate(zip(counts, self._automata, strict=True)):
            p = float(score(automaton, string))
            share = surprise(count, self.runs.count, p, tolerance) / most
            if share > 1:
                difference = Difference(
                    len(string),
                    unit,
                    f"{count} of {self.runs.count} runs",
                    f"{p:.6g}",
                    f"{tolerance:.2g}, and chance",
                )
                return StringResult(string, share, difference)
            worst = max(worst, share)
            # with few runs or much rounding, no count would raise an alarm
            tells = (
                tells and max(surprise(c, self.runs.count, p, tolerance) for c in (0, self.runs.count)) > most
            )
        return StringResult(string, worst, None) if tells else no_case(string, NO_ALARM, worst)

    def to_json(self) -> JsonObject:
        """Return the layer, the runs and the number of tests."""
        runs = {"first": self.runs.first, "runs": self.runs.count, "seed": self.runs.seed}
        return {"way": self.way, **self.spec.to_json(), **runs, "tests": self.runs.tests}

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: JsonObject) -> SampledRuns:
        """Return the comparison that :meth:`to_json` wrote, checked before anything large is allocated.

        Raises:
            InputError: If the data do not describe such a comparison.
        """
        layer = checked(data)
        return cls(
            claim.name, variant.name, layer, Runs(data["first"], data["runs"], data["seed"], data["tests"])
        )
