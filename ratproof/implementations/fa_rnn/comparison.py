"""Comparison of an FA-RNN in float arithmetic with the automata of its weights.

The prefixes of a string are the sentences of one batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.recurrences.affine import flat
from automata.rounding.bounds import Format, bounded, share
from automata.strings import String
from automata.text.number_text import shorten
from automata.wfsa import WFSA
from neural.rounding import format_of
from ratproof.evidence.ledger import MIGHT_OVERFLOW
from ratproof.implementations.comparison import (
    Constants,
    Difference,
    StringResult,
    no_case,
    no_difference,
    shortest_of,
)
from ratproof.implementations.fa_rnn.program import Factory, FARNNProgram, Network, may_overflow
from ratproof.implementations.fa_rnn.table import PROGRAMS
from ratproof.implementations.layer_files import device_of
from ratproof.implementations.layer_spec import DTYPES
from theory.claim import Claim, Variant
from theory.registry import claim_named
from theory.weights import Weights


class FARNNComparison:
    """A comparison of a torch program's scores with those of the variant's automata.

    Args:
        claim, variant: Names of the claim and its variant.
        case: Weights that the dtype can represent.
        program: The program's name in :data:`ratproof.implementations.fa_rnn.table.PROGRAMS`.
        dtype, device: The dtype and the device of the network.
    """

    way = "fa-rnn"

    def __init__(
        self,
        claim: str,
        variant: str,
        case: Weights,
        program: str = "fa-rnn-factors",
        dtype: str = "float32",
        device: str = "cpu",
    ) -> None:
        if program not in PROGRAMS:
            raise InputError(f"program must be {' or '.join(PROGRAMS)}, got {program!r}")
        self.claim, self.variant, self.case = claim, variant, case
        self.name, self.dtype, self.device = program, dtype, device

    @property
    def program(self) -> FARNNProgram:
        """Return the program that implements the network."""
        return PROGRAMS[self.name]

    @cached_property
    def network(self) -> Network:
        """Return the torch network with the case's weights."""
        return self.program.build(self.case, self._factory)

    @property
    def _factory(self) -> Factory:
        return {"dtype": DTYPES[self.dtype], "device": self.device}

    @cached_property
    def _automata(self) -> Sequence[WFSA]:
        return claim_named(self.claim).variant(self.variant).reading.construction(self.case)

    def automata(self) -> Sequence[WFSA]:
        """Return the automata that the claim's construction builds from the weights."""
        return self._automata

    def weights(self) -> str:
        """Return a readable description of the weights."""
        return self.case.describe()

    @property
    def _read(self) -> list[object]:
        """Return all numbers in the weights that the program reads, as a flat list."""
        entries = [self.case.entries[name] for name in self.program.reads]
        return [
            v
            for entry in entries
            for part in (entry.values() if isinstance(entry, dict) else [entry])
            for v in flat(part)
        ]

    @property
    def _format(self) -> Format:
        return format_of(DTYPES[self.dtype])

    @torch.no_grad()
    def outputs(self, string: String) -> NDArray[np.float64]:
        """Return the network's scores of all prefixes of a string, shape ``(T + 1, units)``."""
        prefixes = [tuple(string[:t]) for t in range(len(string) + 1)]
        outputs: NDArray[np.float64] = self.network(prefixes).double().cpu().numpy()
        if self.program.judge is not None:
            outputs = self.program.judge(self.case, tuple(string), outputs, self._factory)
        if outputs.shape != (len(prefixes), len(self.automata())):
            raise ValueError(
                f"the network's scores must have shape {(len(prefixes), len(self.automata()))}, got"
                f" {outputs.shape}"
            )
        return outputs

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the scores of every prefix of every string, within the program's error bound."""
        shortest = shortest_of(self.claim, self.variant)
        constants = Constants()
        for string in strings:
            right = self.program.reference(self.case, self.automata(), string, self._format)
            if right.left_out is not None:
                yield no_case(string, right.left_out)
                continue
            outputs = self.outputs(string)
            if not np.isfinite(outputs).all() and may_overflow(self._read, len(string), self._format):
                yield no_case(string, MIGHT_OVERFLOW)
                continue
            result = self._compared(string, outputs, right.values, right.bounds, shortest)
            values = np.array(right.values, dtype=object)[shortest:]
            yield replace(result, varies=constants.exclude(values, right.bounds[shortest:]))

    def _compared(
        self, string: String, outputs: np.ndarray, values: Any, bounds: np.ndarray, shortest: int
    ) -> StringResult:
        worst = 0.0
        for t in range(shortest, len(string) + 1):
            for unit, (output, value, bound) in enumerate(
                zip(outputs[t].tolist(), values[t], bounds[t].tolist(), strict=True)
            ):
                used = share([output], [value], [bound])
                if used > 1:
                    score = self.automata()[unit].semiring.format(value)
                    difference = Difference(t, unit, repr(output), score, f"{bound:.2g}")
                    return StringResult(string, worst, difference)
                worst = max(worst, used)
        return no_difference(string, worst, bounded(bounds)[shortest:])

    def to_json(self) -> JsonObject:
        """Return the fields of the comparison as JSON."""
        return {
            "way": self.way,
            "case": self.case.to_json(),
            "program": self.name,
            "dtype": self.dtype,
            "device": self.device,
        }

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: JsonObject) -> FARNNComparison:
        """Return the comparison that :meth:`to_json` wrote.

        Raises:
            InputError: If the data do not describe such a comparison.
        """
        # older files have the field 'cell'
        name = f"fa-rnn-{data['cell']}" if "cell" in data else data["program"]
        if name not in variant.programs:
            programs = [name for name in variant.programs if name in PROGRAMS]
            if not programs:
                raise InputError(f"{claim.name}, {variant.name} has no FA-RNN program, got {name!r:.60}")
            raise InputError(f"program must be {' or '.join(programs)}, got {name!r:.60}")
        if data["dtype"] not in DTYPES:
            raise InputError(f"dtype must be {' or '.join(DTYPES)}, got {data['dtype']!r:.40}")
        case, device = Weights.from_json(data["case"]), device_of(data["device"])
        comparison = cls(claim.name, variant.name, case, name, data["dtype"], device)
        comparison.check()
        return comparison

    def check(self) -> None:
        """Check that the weights match the program, and that the dtype can represent them.

        Otherwise the comparison would run a different network.

        Raises:
            InputError: If the weights do not match, or the dtype cannot represent one of them.
        """
        wrong = self.program.misfit(self.case)
        if wrong is not None or not self.case.alphabet:
            raise InputError(
                f"the weights do not match {self.claim}, {self.variant}: {wrong or 'there are no symbols'}"
            )
        inexact = next((v for v in self._read if not _holds(self.dtype, v)), None)
        if inexact is not None:
            raise InputError(f"{self.dtype} cannot represent the weight {shorten(str(inexact))}")


def _holds(dtype: str, value: Any) -> bool:
    """Return whether the value is exactly representable in the dtype."""
    try:
        number = float(np.dtype(dtype).type(float(value)))
    except OverflowError:
        return False
    return bool(np.isfinite(number)) and number == value
