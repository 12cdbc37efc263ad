"""Hypothesis strategies for networks."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ratproof.networks import OfNetwork

CORNERS = [0.0, 1.0, -1.0, 0.5, 30.0, -30.0, 200.0, -200.0, 2.0**-126, 2.0**-149, 1e9, -1e9]
"""Weights that leave gates half open, shut, or saturated, subnormal ones, and large ones that cancel each other."""


@st.composite
def example_6_networks(
    draw: st.DrawFn,
    alphabet: str,
    claim: str,
    variant: str,
    dtype: str,
    device: str,
    automata_know_start: bool = True,
    start: Any = None,
) -> OfNetwork:
    """Layers of Example 6 with one to three units over the alphabet, with or without tanh.

    Args:
        draw: given by Hypothesis.
        alphabet: the symbols.
        claim: what they are compared for.
        variant: of the claim.
        dtype: of the network.
        device: of the network.
        automata_know_start: is lambda(q_1) = c_0?
        start: a strategy for c_0; zero without it.
    """
    inputs, units = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    number = st.sampled_from(CORNERS) | st.floats(-4, 4, width=32)

    def array(rows: int, columns: int) -> list[list[float]]:
        flat = draw(st.lists(number, min_size=rows * columns, max_size=rows * columns))
        return [flat[i * columns : (i + 1) * columns] for i in range(rows)]

    parameters = {
        f"{gate}.{name}": array(units, inputs) if name == "weight" else array(1, units)[0]
        for gate in ("forget", "update")
        for name in ("weight", "bias")
    }
    options = {"input_size": inputs, "hidden_size": units, "nonlinearity": draw(st.sampled_from(["tanh", "identity"]))}
    return OfNetwork(
        claim, variant, "example-6", options, parameters, array(len(alphabet), inputs), alphabet,
        0.0 if start is None else draw(start), automata_know_start, dtype, device,
    )  # fmt: skip
