"""The papers' equations, written out once more, against the automata that a layer reads itself off as.

Layer and automata share their gates, so a wrong gate would be on both sides. Here one side is
:mod:`proofs_tests.neural.references`.
"""

from __future__ import annotations

from typing import Any

import torch

from automata.testing.strategies import readings
from neural.layer_kind import layer_kinds
from proofs_tests.neural.references import REFERENCES
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_strategies import networks
from ratproof.ladder.rungs.agreement import agree


class OfEquations(LayerComparison):
    """The equations in the layer's number format, with the layer's parameters, against the exact scores of
    its automata.
    """

    way = "equations"

    @torch.no_grad()
    def states(self, strings: Any) -> list[Any]:
        """c_0, ..., c_T of each string, one symbol at a time."""
        cell, place = self.network.cell, {symbol: i for i, symbol in enumerate(self.layer.alphabet)}
        first = cell.score(cell.start(1, self.start))[0]
        start = torch.full(
            (self.network.hidden_size,),
            cell.semiring.zero if self.start is None else self.start,
            dtype=first.dtype,
            device=first.device,
        )
        states = []
        for string in strings:
            vectors = self.vectors[torch.tensor([place[x] for x in string], dtype=torch.long)]
            steps = [c for c, _ in REFERENCES[self.kind.name](cell, vectors, start)]
            states.append(torch.stack([first, *steps]).double().cpu().numpy())
        return states


def agree_with_equations(
    claim: str, kind: str, dtype: str, data: Any, variant: str = "corrected", device: str = "cpu"
) -> None:
    """Random layers of that kind: what their equations say stays within the derived bound of their
    automata.
    """
    names, strings = data.draw(readings(most=6))
    starts = layer_kinds()[kind].starts
    drawn = data.draw(networks("abc", kind, claim, variant, dtype, device, start=starts)).renamed(names)
    agree(
        OfEquations(drawn.claim, drawn.variant, drawn.layer, drawn.start, drawn.automata_know_start), strings
    )
