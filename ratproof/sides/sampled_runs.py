"""A state-regularized torch layer that samples its centroids (equation 4) against the probabilistic automaton
that it is asked for.

Two things are compared for each string. The alpha that the layer computes in its runs is, float for float,
what its cell says when it is asked at the centroid the run is at, in the same row of a batch of the same
shape: so nothing else goes from step to step. And how many runs end at each centroid is what the automaton's
Forward score says, by a test with a stated rate of false alarms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.errors import InputError
from automata.forward import score
from automata.semirings import REAL
from automata.strings import String
from automata.wfsa import WFSA
from neural.state_regularized.component import Transition
from neural.state_regularized.layers import KINDS, SRCell, SRLayers
from ratproof.record.ledger import NO_ALARM, TOO_SHORT
from ratproof.sides.chernoff import surprise, threshold
from ratproof.sides.comparison import Compared, Difference, no_case, shortest_of
from ratproof.sides.network_kinds import DTYPES
from ratproof.sides.sampled_run_files import checked

SAMPLER = 2.0**-18
"""How far, in total variation, ``torch.multinomial`` may be from the row it is given: its random floats have
24 bits. An assumption.
"""
MOST = {"hidden_size": 64, "input_size": 64, "k": 64, "runs": 10**6}


class SampledRuns:
    """Runs of one layer, and the automaton by asking its cell at each centroid.

    Args:
        claim, variant: what is compared.
        kind: a layer without memory, ``"sr-elman"`` or ``"sr-gru"``.
        options: its arguments, besides transition, dtype and device.
        parameters: its cell's parameters by name.
        embeddings: the input of each symbol, shape ``(symbols, input_size)``.
        alphabet: the symbols.
        first: the centroid that it starts at, from 0.
        runs: how many, of each string.
        seed: of torch's random numbers.
        tests: among how many tests an alarm may be false one time in a million.
        dtype, device: of the layer.
    """

    way = "sampled-runs"

    def __init__(
        self,
        claim: str,
        variant: str,
        kind: str,
        options: dict[str, Any],
        parameters: dict[str, Any],
        embeddings: Any,
        alphabet: Sequence[str],
        first: int,
        runs: int,
        seed: int,
        tests: int,
        dtype: str = "float32",
        device: str = "cpu",
    ) -> None:
        if kind not in ("sr-elman", "sr-gru") or dtype not in DTYPES:
            raise InputError(
                f"the network is {kind!r} in {dtype!r}, where a layer without memory in float32 or float64 is"
                " right"
            )
        for name, most in MOST.items():
            value = runs if name == "runs" else options.get(name)
            if type(value) is not int or not 1 <= value <= most:
                raise InputError(f"{name} is {value!r}, where an integer from 1 to {most:,} is right")
        self.claim, self.variant, self.kind, self.options = claim, variant, kind, options
        self.parameters, self.embeddings, self.alphabet = parameters, embeddings, list(alphabet)
        self.first, self.runs, self.seed, self.tests, self.dtype, self.device = (
            first,
            runs,
            seed,
            tests,
            dtype,
            device,
        )

    def renamed(self, names: dict[str, str]) -> SampledRuns:
        """The same layer with the inputs of the letters named, under their new names."""
        rows = [self.embeddings[self.alphabet.index(old)] for old in names]
        return SampledRuns(
            self.claim,
            self.variant,
            self.kind,
            self.options,
            self.parameters,
            rows,
            list(names.values()),
            self.first,
            self.runs,
            self.seed,
            self.tests,
            self.dtype,
            self.device,
        )

    @cached_property
    def layer(self) -> SRLayers:
        """The torch module."""
        return self._made("sampled")

    @cached_property
    def asked(self) -> SRCell:
        """A cell with the same parameters, to be asked: it draws no random numbers."""
        return self._made("limit").cell

    def _made(self, transition: Transition) -> SRLayers:
        layer = KINDS[self.kind](
            **self.options, transition=transition, dtype=DTYPES[self.dtype], device=self.device
        )
        layer.cell.load_state_dict({name: self._tensor(values) for name, values in self.parameters.items()})
        return layer.eval()

    def _tensor(self, values: Any) -> Tensor:
        return torch.as_tensor(values, dtype=DTYPES[self.dtype], device=self.device)

    @cached_property
    @torch.no_grad()
    def table(self) -> dict[str, np.ndarray[Any, Any]]:
        """For each symbol the k x k floats that the cell says, asked at each centroid."""
        found = {}
        for symbol, vector in zip(self.alphabet, self._tensor(self.embeddings), strict=True):
            found[symbol] = self._told(self.asked.part.read(vector.unsqueeze(0)))[:, 0].double().cpu().numpy()
        return found

    def _told(self, read: Tensor) -> Tensor:
        """Alpha in every row of a batch, if all were at one centroid: for each of them, shape
        ``(k, rows, k)``.
        """
        every = self.asked.component.centroids.T
        return torch.stack(
            [self.asked.component(*self.asked.part.step(read, (s.expand(len(read), -1),)))[1] for s in every]
        )

    @cached_property
    def _automata(self) -> list[WFSA]:
        k = self.options["k"]
        tables: dict[str, Any] = {
            x: [[Fraction(float(p)) for p in row] for row in rows] for x, rows in self.table.items()
        }
        initial = [int(j == self.first) for j in range(k)]
        return [WFSA(REAL, initial, [int(j == end) for j in range(k)], tables) for end in range(k)]

    def automata(self) -> list[WFSA]:
        """One for each centroid, which is its final state."""
        return self._automata

    def weights(self) -> str:
        """The table, rounded for reading; the floats are in the JSON."""
        rows = [
            f"alpha({x}) = {np.array2string(p, precision=6, separator=', ')}".replace("\n", "")
            for x, p in self.table.items()
        ]
        options = ", ".join(f"{name} = {value}" for name, value in self.options.items())
        return (
            f"{self.kind} in {self.dtype} on {self.device}, {options}, start at centroid {self.first + 1}; "
            + "; ".join(rows)
        )

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Each string, at its end; a string counts as one case."""
        shortest = shortest_of(self.claim, self.variant)
        for place, string in enumerate(strings):
            if len(string) < shortest:
                yield no_case(string, TOO_SHORT)
                continue
            threads = torch.get_num_threads()
            torch.set_num_threads(1)  # the batches are small: threads would only wait for each other
            try:
                with torch.random.fork_rng(devices=[self.device] if self.device != "cpu" else []):
                    torch.manual_seed(self.seed + place)
                    found = self._compare(string)
            finally:
                torch.set_num_threads(threads)
            yield found

    @torch.no_grad()
    def _compare(self, string: String) -> Compared:
        rows = [self.alphabet.index(x) for x in string]
        inputs = self._tensor(self.embeddings)[rows].unsqueeze(1).expand(-1, self.runs, -1)
        cell = self.layer.cell
        ran = cell.run(inputs, cell.at_centroid(self.first, self.runs))
        read = cell.part.read(inputs)
        at = torch.full((self.runs,), self.first, device=self.device)
        apart = 0.0
        for t, symbol in enumerate(string):
            told = self._told(read[t])
            expected = told[at, torch.arange(self.runs, device=self.device)]
            wrong = (ran.scores[t] != expected).any(dim=1)
            if wrong.any():
                run = int(wrong.nonzero()[0])
                unit = int((ran.scores[t, run] != expected[run]).nonzero()[0])
                network, automaton = (repr(float(alpha[run, unit])) for alpha in (ran.scores[t], expected))
                return Compared(string, None, Difference(t + 1, unit, network, automaton, "0"))
            apart += SAMPLER + self._spread(told, symbol)
            same = (ran.outputs[t].unsqueeze(1) == cell.component.centroids.T).all(dim=2)
            if not same.any(dim=1).all():
                raise RuntimeError("a sampled run is at no centroid")
            at = same.to(torch.int8).argmax(dim=1)
        counts = torch.bincount(at, minlength=self.options["k"]).tolist()
        return self._tested(string, counts, apart)

    def _spread(self, told: Tensor, symbol: str) -> float:
        """How far rows of the batch, which the sampler takes as if they summed to one, are from the table's:
        by rounding, in all.
        """
        table = torch.as_tensor(self.table[symbol], device=told.device).unsqueeze(1)
        off = (told.double() - table).abs().sum(dim=2) + (told.double().sum(dim=2) - 1).abs()
        return float(off.max())

    def _tested(self, string: String, counts: Sequence[int], apart: float) -> Compared:
        most, worst, tells = threshold(self.tests), 0.0, True
        for unit, (count, automaton) in enumerate(zip(counts, self._automata, strict=True)):
            p = float(score(automaton, string))
            share = surprise(count, self.runs, p, apart) / most
            if share > 1:
                found = Difference(
                    len(string), unit, f"{count} of {self.runs} runs", f"{p:.6g}", f"{apart:.2g}, and chance"
                )
                return Compared(string, share, found)
            worst = max(worst, share)
            # with few runs, or much rounding, every count is as likely as not
            tells = tells and max(surprise(c, self.runs, p, apart) for c in (0, self.runs)) > most
        return Compared(string, worst, None) if tells else no_case(string, NO_ALARM, worst)

    def to_json(self) -> dict[str, Any]:
        """Everything."""
        return {
            "way": self.way,
            "network": self.kind,
            "options": self.options,
            "parameters": self.parameters,
            "embeddings": self.embeddings,
            "alphabet": self.alphabet,
            "first": self.first,
            "runs": self.runs,
            "seed": self.seed,
            "tests": self.tests,
            "dtype": self.dtype,
            "device": self.device,
        }

    @classmethod
    def from_json(cls, claim: str, variant: str, data: dict[str, Any]) -> SampledRuns:
        """What :meth:`to_json` wrote; :class:`~automata.errors.InputError` for anything else, before anything
        large is made.
        """
        return cls(claim, variant, *checked(data))
