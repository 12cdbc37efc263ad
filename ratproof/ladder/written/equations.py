"""Comparison of a torch layer's automata with an independent implementation of the papers' equations.

A layer and its automata share their gates, so a comparison of the two would miss an error in a gate.
Therefore, the automata are compared with :mod:`ratproof.ladder.written.references` or
:mod:`ratproof.ladder.written.linear_references`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from hypothesis import strategies as st

from automata.aliases import Floats, String
from automata.testing.strategies import readings
from neural.layer_kind import layer_kinds
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_strategies import networks
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.written.check import Inputs, WrittenCheck, drawn
from ratproof.ladder.written.linear_references import LINEAR_REFERENCES
from ratproof.ladder.written.references import REFERENCES
from theory.registry import claims

TEST = "proofs_tests/neural/test_equations.py::test_the_gates_of_a_torch_layer_are_those_of_the_paper"
EXAMPLES, LINEAR_EXAMPLES = 40, 12
"""Numbers of random layers for a network of the three papers, and for a recent linear recurrence."""
EVERY_REFERENCE = {**REFERENCES, **LINEAR_REFERENCES}


class EquationComparison(LayerComparison):
    """A comparison of a paper's equations with the exact scores of a layer's automata.

    The equations are computed with the layer's parameters, in its dtype.
    """

    way = "equations"

    @torch.no_grad()
    def states(self, strings: Sequence[String]) -> list[Floats]:
        """Compute the states c_0, ..., c_T on each string by the equations, one symbol at a time."""
        cell, index = self.network.cell, {symbol: i for i, symbol in enumerate(self.layer.alphabet)}
        first = cell.score(cell.start(1, self.start))[0]
        start = torch.full(
            (self.network.hidden_size,),
            cell.semiring.zero if self.start is None else self.start,
            dtype=first.dtype,
            device=first.device,
        )
        states = []
        for string in strings:
            vectors = self.vectors[torch.tensor([index[x] for x in string], dtype=torch.long)]
            steps = [c for c, _ in EVERY_REFERENCE[self.kind.name](cell, vectors, start)]
            states.append(torch.stack([first, *steps]).double().cpu().numpy())
        return states


def agree_with_equations(
    claim: str, kind: str, dtype: str, data: st.DataObject, variant: str = "corrected", device: str = "cpu"
) -> None:
    """Assert that the paper's equations agree with the automata of random layers, within rounding."""
    names, strings = data.draw(readings(most=6))
    starts = layer_kinds()[kind].starts
    one = data.draw(networks("abc", kind, claim, variant, dtype, device, start=starts)).renamed(names)
    agree(EquationComparison(one.claim, one.variant, one.layer, one.start, one.automata_know_start), strings)


def gates_are_those_of_the_paper(
    inputs: Inputs, data: st.DataObject, *, claim: str, variant: str, layer: str
) -> None:
    """Compare the paper's equations, implemented independently, with the layer's automata."""
    agree_with_equations(claim, layer, "float64", data, variant, inputs.device)


LAYERS = [
    (claim.name, variant.name, layer)
    for claim in claims().values()
    for variant in claim.variants
    for layer in claim.layers_of(variant)
]
CHECKS = tuple(
    WrittenCheck(
        claim,
        "sampled",
        (variant,),
        f"{TEST}[{claim}-{layer}]",
        drawn(
            f"{claim} {variant} {layer} equations",
            partial(gates_are_those_of_the_paper, claim=claim, variant=variant, layer=layer),
            LINEAR_EXAMPLES if layer in LINEAR_REFERENCES else EXAMPLES,
        ),
        draws=True,
    )
    for claim, variant, layer in LAYERS
    if layer in EVERY_REFERENCE
)
