"""A torch network against the automata that it says it is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from automata.rounding import Deviation, Format, bound_table, bounded, prefix_bounds, share
from automata.strings import String, encode
from automata.wfsa import WFSA
from neural.layer import Recurrent
from neural.rounding import format_of
from ratproof.sides.comparison import Compared, Difference, no_difference, require_units, shortest_of
from ratproof.sides.layer_files import checked
from ratproof.sides.network_kinds import DTYPES, NETWORKS

# of a difference that is taken in float64
_OUTWARD = 1 + 2.0**-50
MOST_SHOWN = 60  # gates in one description


class OfNetwork:
    """The fast network's states against the exact scores of its automata, within the derived rounding bound.

    Args:
        claim, variant: what is compared.
        kind: the network's name in :data:`ratproof.sides.network_kinds.NETWORKS`.
        options: its arguments, besides dtype and device.
        parameters: its parameters by name, as arrays.
        embeddings: v of each symbol, shape ``(symbols, input_size)``; where inputs are symbols, their
            numbers.
        alphabet: the symbols.
        start: c_0, the same for all units, and whether the automata know it; ``None`` is the semiring's zero.
        dtype, device: of the network.
    """

    way = "network"

    def __init__(
        self,
        claim: str,
        variant: str,
        kind: str,
        options: dict[str, Any],
        parameters: dict[str, Any],
        embeddings: Any,
        alphabet: Sequence[str],
        start: float | None = None,
        automata_know_start: bool = True,
        dtype: str = "float32",
        device: str = "cpu",
    ) -> None:
        self.claim, self.variant, self.kind, self.options = claim, variant, kind, options
        self.parameters = {name: np.asarray(values, dtype=np.float64) for name, values in parameters.items()}
        self.embeddings = np.asarray(embeddings, dtype=np.float64)
        self.alphabet, self.automata_know_start = alphabet, automata_know_start
        self.start = None if start == -math.inf else start  # only max-plus has it, and there it is the zero
        self.dtype, self.device = dtype, device

    def renamed(self, names: dict[str, str]) -> OfNetwork:
        """The same network with the vectors of the letters named, under their new names."""
        rows = [list(self.alphabet).index(old) for old in names]
        return OfNetwork(
            self.claim,
            self.variant,
            self.kind,
            self.options,
            self.parameters,
            self.embeddings[rows],
            list(names.values()),
            self.start,
            self.automata_know_start,
            self.dtype,
            self.device,
        )

    def _tensor(self, values: Any) -> Tensor:
        return torch.as_tensor(values, dtype=DTYPES[self.dtype], device=self.device)

    @cached_property
    def network(self) -> Recurrent:
        """The torch module."""
        made = NETWORKS[self.kind](**self.options, dtype=DTYPES[self.dtype], device=self.device)
        made.cell.load_state_dict({name: self._tensor(values) for name, values in self.parameters.items()})
        return made

    @cached_property
    def vectors(self) -> Tensor:
        """The embeddings as the network reads them."""
        if NETWORKS[self.kind].cell_class.reads_symbols:
            return torch.as_tensor(self.embeddings, dtype=torch.long, device=self.device)
        return self._tensor(self.embeddings)

    @property
    def _known_start(self) -> float | None:
        return self.start if self.automata_know_start else None

    @cached_property
    def _automata(self) -> list[WFSA]:
        made = self.network.to_automata(self.vectors, self.alphabet, self._known_start)
        require_units(len(made))
        return made

    @cached_property
    def _shortest(self) -> int:
        return shortest_of(self.claim, self.variant)

    def automata(self) -> list[WFSA]:
        """What the network reads itself off as: one exact automaton a unit."""
        return self._automata

    def tables(self, unit: int) -> dict[str, dict[tuple[Any, ...], Any]]:
        """The gates of a unit's automaton, by name and window: as :meth:`neural.layer.Recurrent.tables`."""
        return self.network.tables(self.vectors, self.alphabet, unit)

    def weights(self) -> str:
        """The gates that the automata have."""
        lines = []
        for unit in range(self.network.hidden_size):
            entries = [
                (window, f"{name}({' '.join(map(str, window))})" if window else name, value)
                for name, table in self.tables(unit).items()
                for window, value in table.items()
            ]
            places = {window: i for i, window in enumerate(dict.fromkeys(window for window, _, _ in entries))}
            entries.sort(key=lambda entry: places[entry[0]])
            gates = [f"{label} = {_written(value)}" for _, label, value in entries[:MOST_SHOWN]]
            start = self.network.cell.semiring.zero if self.start is None else self.start
            more = [f"and {len(entries) - MOST_SHOWN} more"] if len(entries) > MOST_SHOWN else []
            lines.append(f"unit {unit}: c_0 = {start:g}, " + ", ".join(gates + more))
        return f"{self.kind} in {self.dtype} on {self.device}; " + "; ".join(lines)

    @torch.no_grad()
    def states(self, strings: Sequence[String]) -> list[NDArray[np.float64]]:
        """c_0, ..., c_T of each string, in one padded batch: arrays of shape ``(T + 1, units)``."""
        codes = {symbol: i for i, symbol in enumerate(self.alphabet)}
        lengths = [len(x) for x in strings]
        padded = torch.zeros(max(lengths, default=0), len(strings), dtype=torch.long)
        for b, string in enumerate(strings):
            padded[: len(string), b] = torch.tensor([codes[s] for s in string], dtype=torch.long)
        start = self.network.start(len(strings), self.start)
        c = self.network.scores(self.vectors[padded.to(self.device)], start, lengths)
        first = self.network.cell.score(self.network.cell.start(len(strings), self.start))
        every = torch.cat([first.unsqueeze(0), c]).double().cpu().numpy()
        return [every[: n + 1, b] for b, n in enumerate(lengths)]

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Every prefix of every string, within the derived bound.

        The automata are scored in float64 first, whose own rounding is in the bound; what leaves that is
        scored exactly.
        """
        batch = encode(self._automata[0].index, strings)
        row_of = {place: row for row, place in enumerate(batch.order.tolist())}
        states = self.states(strings)
        near = [bound_table(a.to_float(), batch, self._format, slack) for a, slack in self.sides()]
        for place, found in enumerate(states):
            row, length = row_of[place], len(found)
            scores = np.stack([values[row, :length] for values, _ in near], axis=1)
            bounds = np.stack([bound[row, :length] for _, bound in near], axis=1)
            if found.shape != scores.shape:
                raise ValueError(
                    f"the network gives states of shape {found.shape}, where {scores.shape} is right"
                )
            has = bounded(bounds)
            with np.errstate(invalid="ignore", divide="ignore"):
                # -infinity less itself is no number, and no difference
                apart = np.where(found == scores, 0.0, np.abs(found - scores)) * _OUTWARD
                used = np.where((apart == 0) | ~has, 0.0, apart / bounds)[self._shortest :]
            if (used <= 1).all():
                yield no_difference(strings[place], float(used.max(initial=0.0)), has[self._shortest :])
            else:
                yield self._exactly(strings[place], found)

    @property
    def _format(self) -> Format:
        return format_of(DTYPES[self.dtype])

    def sides(self) -> list[tuple[WFSA, Deviation]]:
        """Each unit's automaton, and how far its weights may be from those of another evaluation of the
        gates.
        """
        slack = self.network.deviations(self.vectors, self._known_start)
        return list(zip(self._automata, slack, strict=True))

    def _exactly(self, string: String, states: NDArray[Any]) -> Compared:
        sides = [prefix_bounds(a, string, self._format, slack) for a, slack in self.sides()]
        worst = 0.0
        for t in range(self._shortest, len(string) + 1):
            for unit, (scores, bounds) in enumerate(sides):
                used = share(states[t : t + 1, unit], scores[t : t + 1], bounds[t : t + 1])
                if used > 1:
                    network, automaton = repr(float(states[t, unit])), repr(float(scores[t]))
                    return Compared(
                        string, worst, Difference(t, unit, network, automaton, f"{bounds[t]:.2g}")
                    )
                worst = max(worst, used)
        return no_difference(
            string, worst, np.stack([bounded(bounds) for _, bounds in sides], axis=1)[self._shortest :]
        )

    def to_json(self) -> dict[str, Any]:
        """Everything, with the parameters as exact decimals."""
        return {
            "way": self.way,
            "network": self.kind,
            "options": self.options,
            "parameters": {name: values.tolist() for name, values in self.parameters.items()},
            "embeddings": self.embeddings.tolist(),
            "alphabet": list(self.alphabet),
            "start": self.start,
            "automata_know_start": self.automata_know_start,
            "dtype": self.dtype,
            "device": self.device,
        }

    @classmethod
    def from_json(cls, claim: str, variant: str, data: dict[str, Any]) -> OfNetwork:
        """What :meth:`to_json` wrote; :class:`~automata.errors.InputError` for anything else, before anything
        large is made.
        """
        return cls(claim, variant, **checked(data))


def _written(value: Any) -> str:
    return "[" + ", ".join(map(_written, value)) + "]" if isinstance(value, list) else f"{value:.9g}"
