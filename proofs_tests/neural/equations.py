"""The papers' equations, written out once more, against the automata that a layer reads itself off as.

Layer and automata share their gates, so a wrong gate would be on both sides. Here one side is
:mod:`proofs_tests.neural.references`.
"""

from __future__ import annotations

from typing import Any

import torch

from automata.strategies import readings
from proofs_tests.neural.references import REFERENCES
from ratproof.rungs.agreement import agree
from ratproof.rungs.network_ladder import starts
from ratproof.sides.layer import OfNetwork
from ratproof.sides.strategies import networks


class OfEquations(OfNetwork):
    """The equations in the layer's number format, with the layer's parameters, against the exact scores of
    its automata.
    """

    way = "equations"

    @torch.no_grad()
    def states(self, strings: Any) -> list[Any]:
        """c_0, ..., c_T of each string, one symbol at a time."""
        cell, place = self.network.cell, {symbol: i for i, symbol in enumerate(self.alphabet)}
        first = cell.score(cell.start(1, self.start))[0]
        start = torch.full(
            (self.network.hidden_size,),
            cell.semiring.zero if self.start is None else self.start,
            dtype=first.dtype,
        )
        found = []
        for string in strings:
            vectors = self.vectors[torch.tensor([place[x] for x in string], dtype=torch.long)]
            steps = [c for c, _ in REFERENCES[self.kind](cell, vectors, start)]
            found.append(torch.stack([first, *steps]).double().numpy())
        return found


def agree_with_equations(claim: str, kind: str, dtype: str, data: Any) -> None:
    """Random layers of that kind: what their equations say stays within the derived bound of their
    automata.
    """
    names, strings = data.draw(readings(most=6))
    drawn = data.draw(networks("abc", kind, claim, "corrected", dtype, "cpu", start=starts(kind))).renamed(
        names
    )
    agree(
        OfEquations(
            drawn.claim,
            drawn.variant,
            drawn.kind,
            drawn.options,
            drawn.parameters,
            drawn.embeddings,
            drawn.alphabet,
            drawn.start,
            drawn.automata_know_start,
            drawn.dtype,
            drawn.device,
        ),
        strings,
    )
