"""An FA-RNN in floats against the automaton of its weights, within a derived rounding bound.

Equation 5 multiplies three factors and sums twice. Computed, the number j of a step is the sum over i and s
of h[i] D_1[i, s] v[s] D_2[j, s] (1 + t), where t has at most K - 1 + 1 + 1 + r - 1 + 1 roundings, in whatever
order the sums are made (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1). So it is an exact
step with a tensor that is off by at most gamma_{K+r+1} times the same sum of magnitudes, which is a deviation
of the automaton's weights. Nothing underflows where no product of factors that are not zero is as small as
the format's smallest normal number; else nothing is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from automata.affine import flat
from automata.errors import InputError
from automata.number_text import shorten
from automata.rounding import Deviation, bound_table, bounded, share
from automata.semirings import REAL
from automata.strings import String, encode
from automata.wfsa import WFSA
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.factors import Factors
from neural.fa_rnn.network import FARNN
from neural.rounding import format_of
from ratproof.record.ledger import MIGHT_UNDERFLOW
from ratproof.sides.comparison import Difference, StringResult, no_case, no_difference, shortest_of
from ratproof.sides.layer_files import device_of
from ratproof.sides.layer_spec import DTYPES
from theory.claim import Claim, Variant
from theory.registry import claim_named
from theory.weights import Weights

Equation = Literal["tensor", "factors"]
CELLS = ("tensor", "factors")


class OfFARNN:
    """The torch network's scores against Forward's of the variant's automaton, every prefix of a string as a
    sentence of one batch.

    Args:
        claim, variant: what is compared.
        case: weights that the dtype holds; ``T``, or ``D_1``, ``v`` and ``D_2``, and the ends.
        cell: equation 4 or equation 5.
        dtype, device: of the network.
    """

    way = "fa-rnn"

    def __init__(
        self,
        claim: str,
        variant: str,
        case: Weights,
        cell: Equation = "factors",
        dtype: str = "float32",
        device: str = "cpu",
    ) -> None:
        if cell not in CELLS:
            raise InputError(f"the cell is {cell!r}, where {' or '.join(CELLS)} is right")
        self.claim, self.variant, self.case = claim, variant, case
        self.cell, self.dtype, self.device = cell, dtype, device

    @cached_property
    def network(self) -> FARNN:
        """The torch module."""
        made: dict[str, Any] = {"dtype": DTYPES[self.dtype], "device": self.device}
        w = self.case
        if self.cell == "tensor":
            (automaton,) = self.automata()
            return FARNN.of(automaton.to_float(), decomposed=False, **made)
        nothing = np.zeros((len(w.alpha_0), len(w.alpha_0)))
        stands = np.zeros(len(w.alphabet))
        factors = Factors(
            _floats([w.v[x] for x in w.alphabet]), _floats(w.D_1), _floats(w.D_2), nothing, stands
        )
        initial, final = (torch.as_tensor(_floats(values), **made) for values in (w.alpha_0, w.alpha_inf))
        return FARNN(tuple(w.alphabet), FactoredCell(factors, **made), initial, final.unsqueeze(0))

    @cached_property
    def _automata(self) -> Sequence[WFSA]:
        return claim_named(self.claim).variant(self.variant).equality.construction(self.case)

    def automata(self) -> Sequence[WFSA]:
        """What the construction makes of the case."""
        return self._automata

    def weights(self) -> str:
        """The case's own words."""
        return self.case.describe()

    def deviation(self) -> Deviation:
        """By how much the weights that the computation is an exact one with may be off: the module's first
        lines.
        """
        (automaton,) = self.automata()
        k = automaton.states
        none = np.zeros(k)
        if self.cell == "tensor":
            return Deviation(np.zeros(automaton.matrices.shape), none)
        w, form = self.case, format_of(DTYPES[self.dtype])
        one, other = np.abs(_floats(w.D_1)), np.abs(_floats(w.D_2))
        off = np.zeros(automaton.matrices.shape)
        for x in w.alphabet:
            size = (one * np.abs(_floats(w.v[x]))) @ other.T
            place = automaton.index[x]
            off[place] = np.maximum(off[place], form.gamma(k + one.shape[1] + 1) * size * (1 + 2.0**-40))
        return Deviation(off, none)

    def _may_underflow(self, longest: int) -> bool:
        entries = (tuple(e.values()) if isinstance(e, dict) else e for e in self.case.entries.values())
        values = [abs(v) for entry in entries for v in flat(entry) if v]
        least = min([*values, 1])
        return float(least) ** (3 * longest + 2) < format_of(DTYPES[self.dtype]).tiny

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Every prefix of every string, within the bound."""
        (automaton,) = self.automata()
        form, deviation = format_of(DTYPES[self.dtype]), self.deviation()
        shortest = shortest_of(self.claim, self.variant)
        for string in strings:
            prefixes = [tuple(string[:t]) for t in range(len(string) + 1)]
            with torch.no_grad():
                outputs = self.network(prefixes)[:, 0].double().cpu().numpy()
            values, bounds = (
                table[0]
                for table in bound_table(automaton, encode(automaton.index, [string]), form, deviation)
            )
            if self._may_underflow(len(string)):
                yield no_case(string, MIGHT_UNDERFLOW)
                continue
            used = [
                share([one], [value], [bound])
                for one, value, bound in zip(outputs.tolist(), values, bounds, strict=True)
            ]
            first = next((t for t, part in enumerate(used) if part > 1 and t >= shortest), None)
            worst = max(used[shortest:], default=0.0)
            if first is None:
                yield no_difference(string, worst, bounded(bounds)[shortest:, None])
            else:
                network, score = repr(float(outputs[first])), automaton.semiring.format(values[first])
                yield StringResult(
                    string, worst, Difference(first, 0, network, score, f"{bounds[first]:.2g}")
                )

    def to_json(self) -> dict[str, Any]:
        """The way, the case, and how it is run."""
        return {
            "way": self.way,
            "case": self.case.to_json(),
            "cell": self.cell,
            "dtype": self.dtype,
            "device": self.device,
        }

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: dict[str, Any]) -> OfFARNN:
        """What :meth:`to_json` wrote; :class:`~automata.errors.InputError` for anything else."""
        if data["cell"] not in CELLS or data["dtype"] not in DTYPES:
            raise InputError(f"cell is {' or '.join(CELLS)}, and dtype {' or '.join(DTYPES)}")
        made = cls(
            claim.name,
            variant.name,
            Weights.from_json(data["case"]),
            data["cell"],
            data["dtype"],
            device_of(data["device"]),
        )
        made.check()
        return made

    def check(self) -> None:
        """The weights are those of one automaton, and the network's floats hold them: else it would be
        compared with another one.

        Raises :class:`~automata.errors.InputError`.
        """
        names = set(self.case.entries)
        wanted = {"alpha_0", "alpha_inf"} | ({"T"} if self.cell == "tensor" else {"D_1", "v", "D_2"})
        if self.case.over is not REAL or not wanted <= names:
            raise InputError(
                f"the case has the weights {', '.join(map(shorten, sorted(names)))}, where"
                f" {', '.join(sorted(wanted))} are right"
            )
        automata = self.automata()
        if len(automata) != 1 or not self.case.alphabet:
            raise InputError(f"{self.claim}, {self.variant}, is not about one automaton over some symbols")
        entries = [self.case.entries[name] for name in wanted]
        values = [
            v
            for entry in entries
            for part in (entry.values() if isinstance(entry, dict) else [entry])
            for v in flat(part)
        ]
        if self.cell == "tensor":
            values += automata[0].matrices.ravel().tolist()
        wrong = next((v for v in values if not _holds(self.dtype, v)), None)
        if wrong is not None:
            raise InputError(f"the weight {shorten(str(wrong))} is not one that {self.dtype} holds")


def _holds(dtype: str, value: Any) -> bool:
    """Is there a float that is exactly this?"""
    try:
        number = float(np.dtype(dtype).type(float(value)))
    except OverflowError:
        return False
    return bool(np.isfinite(number)) and number == value


def _floats(values: Any) -> NDArray[np.float64]:
    return (
        np.array([_floats(v) for v in values])
        if isinstance(values, (tuple, list))
        else np.array(float(values))
    )
