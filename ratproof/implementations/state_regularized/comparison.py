"""Comparison of state-regularized layers in torch with the automaton that Theorem 3.2 constructs.

The layers run on padded batches of strings of unequal lengths.

A state that is a centroid has no rounding error. Therefore, the comparison is between centroids: the centroid
of the last layer after every symbol, and the last state of each string. The theorem assumes that there are no
ties. Strings on which two similarities are too close, exactly or in float arithmetic, are therefore omitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import torch
from torch import Tensor

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.semirings import REAL
from automata.strings import String
from automata.wfsa import WFSA
from neural.state_regularized.layers import KINDS, SRLayers
from ratproof.evidence.ledger import NO_MARGIN
from ratproof.implementations.comparison import Difference, StringResult, no_case
from ratproof.implementations.layer_spec import DTYPES, LayerSpec
from ratproof.implementations.state_regularized.files import checked
from ratproof.implementations.state_regularized.table_of_cells import (
    CellTable,
    State,
    always_certain,
    followed,
    settled,
    transitions,
)
from theory.claim import Claim, Variant

Places = list[int | None]
"""The index of the last layer's centroid after each prefix of a string; ``None`` if it is unknown."""
COUNTED = 3
"""Maximum length of the strings over which Algorithm 1 counts transitions."""


class CellComparison:
    """A comparison of a state-regularized network of one or two layers with its automaton.

    Args:
        claim, variant: Names of the claim and its variant.
        program: The program that runs. ``"sr-limit"`` is the network for temperature -> 0. ``"sr-mixture"``
            (equation 5) and ``"sr-sampled"`` (equation 4) are the network at a low temperature.
            ``"sr-asked"`` reads the transitions from torch's cell at each centroid. ``"sr-counted"`` reads
            them from runs of the torch network by Algorithm 1.
        spec: The layers, with all options except the transition.
    """

    way = "sr-cells"
    transitions: ClassVar[dict[str, str]] = {
        "sr-limit": "limit",
        "sr-mixture": "mixture",
        "sr-sampled": "sampled",
        "sr-asked": "limit",
        "sr-counted": "limit",
    }

    def __init__(self, claim: str, variant: str, program: str, spec: LayerSpec) -> None:
        self.claim, self.variant, self.program, self.spec = claim, variant, program, spec

    def renamed(self, names: dict[str, str]) -> CellComparison:
        """Return the comparison for the symbols that are keys of ``names``, renamed to the values."""
        return CellComparison(self.claim, self.variant, self.program, self.spec.renamed(names))

    @cached_property
    def layer(self) -> SRLayers:
        """Return the torch module."""
        spec = self.spec
        layer = KINDS[spec.kind](
            **spec.options,
            transition=self.transitions[self.program],
            dtype=DTYPES[spec.dtype],
            device=spec.device,
        )
        layer.load_state_dict({name: spec.tensor(values) for name, values in spec.parameters.items()})
        return layer.eval()

    @cached_property
    def inputs(self) -> dict[str, Tensor]:
        """Return the input of each symbol."""
        return dict(zip(self.spec.alphabet, self.spec.tensor(self.spec.embeddings), strict=True))

    @property
    def _start(self) -> State:
        return (0,) * len(self.layer.cells)

    def _cell_table(self, longest: int) -> CellTable:
        return CellTable(self.spec.kind, list(self.layer.cells), longest)  # type: ignore[arg-type]

    def automata(self) -> list[WFSA]:
        """Return one automaton per centroid of the last layer, with that centroid as its final state.

        The states are the tuples of centroids, one per layer, that strings lead to.
        """
        steps = [
            (state, symbol, after)
            for state, symbol, after, _ in transitions(self._cell_table(16), self.inputs, self._start)
            if after is not None
        ]
        order = list(dict.fromkeys([self._start, *(after for *_, after in steps)]))
        arrows = [(order.index(state), order.index(after), symbol, 1) for state, symbol, after in steps]
        return [
            WFSA.from_edges(
                REAL,
                len(order),
                self.spec.alphabet,
                [(0, 1)],
                [(q, 1) for q, state in enumerate(order) if state[-1] == centroid],
                arrows,
            )
            for centroid in range(self.spec.options["k"])
        ]

    def remembers(self) -> bool:
        """Return whether the state affects the output after arbitrarily many symbols.

        This is the case if some symbol leads two states to different centroids. The states are the first one,
        and those after long strings. The result is false if the next centroids are not proved.
        """
        cell_table = self._cell_table(16)
        if self._epsilon(cell_table) is None:
            return False
        after = dict[tuple[State, str], State]()
        for state, symbol, target, _ in transitions(cell_table, self.inputs, self._start):
            if target is None:
                return False
            after[state, symbol] = target
        late = {self._start, *after.values()}
        for _ in range(len(late)):
            late = {after[state, symbol] for state in late for symbol in self.inputs}
        return any(len({after[q, symbol][-1] for q in {self._start, *late}}) > 1 for symbol in self.inputs)

    def weights(self) -> str:
        """Return the kind and the sizes of the network; the weights are in the JSON object."""
        options = ", ".join(f"{name} = {value}" for name, value in self.spec.options.items())
        return f"{self.spec.kind} run as {self.program} in {self.spec.dtype} on {self.spec.device}, {options}"

    @torch.no_grad()
    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare every prefix of every string; all strings are one batch."""
        cell_table = self._cell_table(max(map(len, strings), default=0))
        epsilon = self._epsilon(cell_table)
        right = [
            None if epsilon is None else settled(cell_table, self.inputs, x, self._start) for x in strings
        ]
        slack = cell_table.slack(len(cell_table.cells) - 1, epsilon or 0.0)
        outputs = self._visited(strings, slack)
        alone = self._alone(slack)
        seen = self._seen(cell_table) if self.program == "sr-counted" else None
        ends: set[int | None] = set()
        for string, states, visited in zip(strings, right, outputs, strict=True):
            unclear = states is None or not all(state[-1] in alone for state in states)
            if states is None or unclear or (self.program == "sr-counted" and seen is None):
                yield no_case(string, NO_MARGIN)
                continue
            wanted: Places = [state[-1] for state in states]
            if seen is not None:
                wanted = _while_seen(string, wanted, seen)
            ends.update(wanted)
            yield replace(_compared(string, visited, wanted), varies=len(ends) > 1)

    def _epsilon(self, cell_table: CellTable) -> float | None:
        """Return a proved bound on 1 - alpha for the automaton's centroid, or ``None`` if there is no proof.

        alpha is the weight of this centroid in the network's state.
        """
        temperature = cell_table.cells[0].component.temperature
        if self.program == "sr-mixture":
            return followed(cell_table, self.inputs, self._start, temperature)
        if self.program == "sr-sampled":
            return 0.0 if always_certain(cell_table, self.inputs, self._start, temperature) else None
        return 0.0

    def _visited(self, strings: Sequence[String], slack: float) -> list[Places]:
        if self.program == "sr-asked":
            table = self._table()
            return [_read(table, string) for string in strings]
        if self.program == "sr-counted":
            table = self._counted()
            return [_read(table, string) for string in strings]
        return self._run(strings, slack)

    def _run(self, strings: Sequence[String], slack: float) -> list[Places]:
        """Return the centroid of the network after each prefix of each string, from one padded batch.

        The index is -1 if an output is not at a centroid, or if the last state differs from the last output.
        """
        lengths = [len(x) for x in strings]
        first = next(iter(self.inputs.values()))
        padded = first.new_zeros(max(lengths, default=0), len(strings), len(first))
        for b, string in enumerate(strings):
            for t, symbol in enumerate(string):
                padded[t, b] = self.inputs[symbol]
        outputs, last = self.layer(padded, self._first_state(len(strings)), lengths)
        h = last[0] if isinstance(last, tuple) else last
        centroids = self.layer.components[-1].centroids.T
        distances, nearest = (outputs.unsqueeze(2) - centroids).abs().amax(dim=3).min(dim=2)
        visited = torch.where(distances <= slack, nearest, -1).cpu().tolist()
        all_visited: list[Places] = []
        for b, length in enumerate(lengths):
            own: Places = [0, *(visited[t][b] for t in range(length))]
            if length and not torch.equal(outputs[length - 1, b], h[-1, b]):
                own[-1] = -1
            all_visited.append(own)
        return all_visited

    def _alone(self, slack: float) -> set[int]:
        """Return the last layer's centroids that are far enough from all others to be identified."""
        centroids = self.layer.components[-1].centroids.T.double()
        distances = (centroids.unsqueeze(1) - centroids).abs().amax(dim=2)
        distances.fill_diagonal_(torch.inf)
        return set(torch.nonzero(distances.amin(dim=1) > 2 * slack).flatten().tolist())

    def _first_state(self, batch: int) -> object:
        h = torch.stack([part.centroids[:, 0].expand(batch, -1) for part in self.layer.components])
        return h if self.layer.cells[0].memoryless else (h, torch.zeros_like(h))

    def _table(self) -> dict[tuple[int, str], int]:
        """Return the next centroid for every centroid and symbol, from one batch through torch's cell."""
        cell, k = self.layer.cell, self.spec.options["k"]
        pairs = list(product(range(k), self.inputs))
        x = torch.stack([self.inputs[symbol] for _, symbol in pairs])
        h = cell.component.centroids.T[[centroid for centroid, _ in pairs]]
        u, *_ = cell.part.step(cell.part.read(x), (h, *([] if cell.memoryless else [torch.zeros_like(h)])))
        _, alpha = cell.component(u)
        return dict(zip(pairs, alpha.argmax(dim=1).tolist(), strict=True))

    def _counted(self) -> dict[tuple[int, str], int]:
        """Return the transitions that Algorithm 1 extracts from the network's runs.

        The algorithm counts how often one centroid follows another on a symbol, and keeps the most frequent
        one.
        """
        data = [x for length in range(COUNTED + 1) for x in product(self.inputs, repeat=length)]
        counts: dict[tuple[int, str], dict[Any, int]] = {}
        for string, visited in zip(data, self._run(data, 0.0), strict=True):
            for before, symbol, after in zip(visited, string, visited[1:], strict=False):
                row = counts.setdefault((int(before or 0), symbol), {})
                row[after] = row.get(after, 0) + 1
        return {pair: max(sorted(row), key=row.__getitem__) for pair, row in counts.items()}

    def _seen(self, cell_table: CellTable) -> set[tuple[int, str]] | None:
        """Return the pairs of a centroid and a symbol that occur in the strings that Algorithm 1 counts.

        The result is ``None`` if the next centroid of some state could not be determined.
        """
        states, pairs = {self._start}, set()
        for _ in range(COUNTED):
            after = set()
            for state in states:
                for symbol, x in self.inputs.items():
                    pairs.add((state[-1], symbol))
                    following, _ = cell_table.after(state, x)
                    if following is None:
                        return None
                    after.add(following)
            states = after
        return pairs

    def to_json(self) -> JsonObject:
        """Return the network, its program and its weights."""
        return {"way": self.way, "program": self.program, **self.spec.to_json()}

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: JsonObject) -> CellComparison:
        """Return the comparison that :meth:`to_json` wrote, checked before anything large is allocated.

        Raises:
            InputError: If the data do not describe such a comparison.
        """
        spec = checked(data)
        if data["program"] not in variant.programs or data["program"] not in cls.transitions:
            programs = " or ".join(variant.programs) or "none"
            raise InputError(f"program must be {programs}, got {data['program']!r:.60}")
        return cls(claim.name, variant.name, data["program"], spec)


def _read(table: dict[tuple[int, str], int], string: String) -> Places:
    """Return the centroids after each prefix of a string, by a transition table.

    They are ``None`` after a pair of a centroid and a symbol that is not in the table.
    """
    visited: Places = [0]
    for symbol in string:
        before = visited[-1]
        visited.append(None if before is None else table.get((before, str(symbol))))
    return visited


def _while_seen(string: String, visited: Places, seen: set[tuple[int, str]]) -> Places:
    """Replace the centroids by ``None`` after the first pair of a centroid and a symbol not in ``seen``."""
    result: Places = [visited[0]]
    for before, symbol, after in zip(visited, string, visited[1:], strict=False):
        lost = result[-1] is None or (before, symbol) not in seen
        result.append(None if lost else after)
    return result


def _compared(string: String, visited: Places, wanted: Places) -> StringResult:
    for t, (centroid, right) in enumerate(zip(visited, wanted, strict=True)):
        if centroid != right:
            unit = 0 if right is None else right
            return StringResult(string, None, Difference(t, unit, _named(centroid), _named(right), "0"))
    return StringResult(string, None, None)


def _named(centroid: int | None) -> str:
    return (
        "nothing seen" if centroid is None else "no centroid" if centroid < 0 else f"centroid {centroid + 1}"
    )
