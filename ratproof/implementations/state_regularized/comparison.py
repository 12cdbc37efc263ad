"""State-regularized layers in torch, run on batches of strings of unequal lengths, against the automaton that
Theorem 3.2 constructs: which centroid of the last layer each prefix leads to.

A network does not round where it ends at a centroid: what is compared are centroids, after every symbol, and
each string's last state. Where exact arithmetic, or the floats' rounding, leaves two centroids too near one
another, the string is left out: the theorem asks for no ties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import torch
from torch import Tensor

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
    State,
    TableQuestion,
    always_certain,
    followed,
    settled,
)
from theory.claim import Claim, Variant

Places = list[int | None]
"""The centroid of the last layer after each prefix, from 0; ``None`` where a table has none."""
COUNTED = 3
"""Algorithm 1 counts over all strings of at most so many symbols."""


class CellComparison:
    """A network of one or two layers and its automaton.

    Args:
        claim, variant: what is compared.
        program: how it is run: ``"sr-limit"``, for temperature -> 0; ``"sr-mixture"`` (equation 5) and
            ``"sr-sampled"`` (equation 4) at a low temperature; ``"sr-asked"``, the automaton that asking
            torch's cell gives; ``"sr-counted"``, the one that Algorithm 1 counts over torch's runs.
        spec: the layers; their options are all but the transition.
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
        """The same layers with the inputs of the letters named, under their new names."""
        return CellComparison(self.claim, self.variant, self.program, self.spec.renamed(names))

    @cached_property
    def layer(self) -> SRLayers:
        """The torch module."""
        spec = self.spec
        made = KINDS[spec.kind](
            **spec.options,
            transition=self.transitions[self.program],
            dtype=DTYPES[spec.dtype],
            device=spec.device,
        )
        made.load_state_dict({name: spec.tensor(values) for name, values in spec.parameters.items()})
        return made.eval()

    @cached_property
    def inputs(self) -> dict[str, Tensor]:
        """The input of each symbol."""
        return dict(zip(self.spec.alphabet, self.spec.tensor(self.spec.embeddings), strict=True))

    @property
    def _start(self) -> State:
        return (0,) * len(self.layer.cells)

    def _asked(self, longest: int) -> TableQuestion:
        return TableQuestion(self.spec.kind, list(self.layer.cells), longest)  # type: ignore[arg-type]

    def automata(self) -> list[WFSA]:
        """The automaton on the tuples of centroids that strings lead to; one for each centroid of the last
        layer, which is final.
        """
        asked, order, arrows = self._asked(16), [self._start], []
        for state in order:
            for symbol, x in self.inputs.items():
                after, _ = asked.after(state, x)
                if after is not None:
                    if after not in order:
                        order.append(after)
                    arrows.append((order.index(state), order.index(after), symbol, 1))
        return [
            WFSA.from_edges(
                REAL,
                len(order),
                self.spec.alphabet,
                [(0, 1)],
                [(q, 1) for q, state in enumerate(order) if state[-1] == place],
                arrows,
            )
            for place in range(self.spec.options["k"])
        ]

    def weights(self) -> str:
        """Its kind and sizes; the numbers are in the JSON."""
        options = ", ".join(f"{name} = {value}" for name, value in self.spec.options.items())
        return f"{self.spec.kind} run as {self.program} in {self.spec.dtype} on {self.spec.device}, {options}"

    @torch.no_grad()
    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Every prefix of every string; all strings are one batch."""
        asked = self._asked(max(map(len, strings), default=0))
        epsilon = self._epsilon(asked)
        right = [None if epsilon is None else settled(asked, self.inputs, x, self._start) for x in strings]
        slack = asked.slack(len(asked.cells) - 1, epsilon or 0.0)
        outputs = self._places(strings, slack)
        alone = self._alone(slack)
        seen = self._seen(asked) if self.program == "sr-counted" else None
        ends: set[int | None] = set()
        for string, states, places in zip(strings, right, outputs, strict=True):
            unclear = states is None or not all(state[-1] in alone for state in states)
            if states is None or unclear or (self.program == "sr-counted" and seen is None):
                yield no_case(string, NO_MARGIN)
                continue
            wanted: Places = [state[-1] for state in states]
            if seen is not None:
                wanted = _while_seen(string, wanted, seen)
            ends.update(wanted)
            yield replace(_compared(string, places, wanted), varies=len(ends) > 1)

    def _epsilon(self, asked: TableQuestion) -> float | None:
        """How much of alpha may be off the automaton's centroid; ``None`` where that is not known."""
        temperature = asked.cells[0].component.temperature
        if self.program == "sr-mixture":
            return followed(asked, self.inputs, self._start, temperature)
        if self.program == "sr-sampled":
            return 0.0 if always_certain(asked, self.inputs, self._start, temperature) else None
        return 0.0

    def _places(self, strings: Sequence[String], slack: float) -> list[Places]:
        if self.program == "sr-asked":
            table = self._table()
            return [_read(table, string) for string in strings]
        if self.program == "sr-counted":
            table = self._counted()
            return [_read(table, string) for string in strings]
        return self._run(strings, slack)

    def _run(self, strings: Sequence[String], slack: float) -> list[Places]:
        """Where the network is after each prefix, in one padded batch; no centroid is -1, and so is a last
        state that is not the last output.
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
        apart, nearest = (outputs.unsqueeze(2) - centroids).abs().amax(dim=3).min(dim=2)
        places = torch.where(apart <= slack, nearest, -1).cpu().tolist()
        all_places: list[Places] = []
        for b, length in enumerate(lengths):
            own: Places = [0, *(places[t][b] for t in range(length))]
            if length and not torch.equal(outputs[length - 1, b], h[-1, b]):
                own[-1] = -1
            all_places.append(own)
        return all_places

    def _alone(self, slack: float) -> set[int]:
        """The centroids of the last layer that no other one is so near that a mixture might be mistaken."""
        centroids = self.layer.components[-1].centroids.T.double()
        apart = (centroids.unsqueeze(1) - centroids).abs().amax(dim=2)
        apart.fill_diagonal_(torch.inf)
        return set(torch.nonzero(apart.amin(dim=1) > 2 * slack).flatten().tolist())

    def _first_state(self, batch: int) -> Any:
        h = torch.stack([part.centroids[:, 0].expand(batch, -1) for part in self.layer.components])
        return h if self.layer.cells[0].memoryless else (h, torch.zeros_like(h))

    def _table(self) -> dict[tuple[int, str], int]:
        """The next centroid by asking torch's cell at all of them, with all symbols, at once."""
        cell, k = self.layer.cell, self.spec.options["k"]
        pairs = list(product(range(k), self.inputs))
        x = torch.stack([self.inputs[symbol] for _, symbol in pairs])
        h = cell.component.centroids.T[[place for place, _ in pairs]]
        u, *_ = cell.part.step(cell.part.read(x), (h, *([] if cell.memoryless else [torch.zeros_like(h)])))
        _, alpha = cell.component(u)
        return dict(zip(pairs, alpha.argmax(dim=1).tolist(), strict=True))

    def _counted(self) -> dict[tuple[int, str], int]:
        """Algorithm 1: T counts how often a centroid followed another with a symbol, over the network's
        runs.
        """
        data = [x for length in range(COUNTED + 1) for x in product(self.inputs, repeat=length)]
        counts: dict[tuple[int, str], dict[Any, int]] = {}
        for string, places in zip(data, self._run(data, 0.0), strict=True):
            for before, symbol, after in zip(places, string, places[1:], strict=False):
                row = counts.setdefault((int(before or 0), symbol), {})
                row[after] = row.get(after, 0) + 1
        return {pair: max(sorted(row), key=row.__getitem__) for pair, row in counts.items()}

    def _seen(self, asked: TableQuestion) -> set[tuple[int, str]] | None:
        """The pairs that strings of the data take, by exact arithmetic; ``None`` where one is not settled."""
        states, pairs = {self._start}, set()
        for _ in range(COUNTED):
            after = set()
            for state in states:
                for symbol, x in self.inputs.items():
                    pairs.add((state[-1], symbol))
                    following, _ = asked.after(state, x)
                    if following is None:
                        return None
                    after.add(following)
            states = after
        return pairs

    def to_json(self) -> dict[str, Any]:
        """Everything."""
        return {"way": self.way, "program": self.program, **self.spec.to_json()}

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: dict[str, Any]) -> CellComparison:
        """The comparison that :meth:`to_json` wrote; :class:`~automata.errors.InputError` for anything else,
        before anything large is allocated.
        """
        spec = checked(data)
        if data["program"] not in variant.programs or data["program"] not in cls.transitions:
            programs = " or ".join(variant.programs) or "none"
            raise InputError(f"the program is {data['program']!r:.60}, where {programs} is right")
        return cls(claim.name, variant.name, data["program"], spec)


def _read(table: dict[tuple[int, str], int], string: String) -> Places:
    """Where a table leads; ``None`` from a pair on that it lacks."""
    places: Places = [0]
    for symbol in string:
        before = places[-1]
        places.append(None if before is None else table.get((before, str(symbol))))
    return places


def _while_seen(string: String, places: Places, seen: set[tuple[int, str]]) -> Places:
    """The places up to the first pair that is not seen; ``None`` from there on."""
    result: Places = [places[0]]
    for before, symbol, after in zip(places, string, places[1:], strict=False):
        lost = result[-1] is None or (before, symbol) not in seen
        result.append(None if lost else after)
    return result


def _compared(string: String, places: Places, wanted: Places) -> StringResult:
    for t, (place, right) in enumerate(zip(places, wanted, strict=True)):
        if place != right:
            unit = 0 if right is None else right
            return StringResult(string, None, Difference(t, unit, _named(place), _named(right), "0"))
    return StringResult(string, None, None)


def _named(place: int | None) -> str:
    """In words."""
    return "nothing seen" if place is None else "no centroid" if place < 0 else f"centroid {place + 1}"
