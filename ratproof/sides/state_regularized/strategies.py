"""Hypothesis strategies for state-regularized networks."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from neural.state_regularized.layers import KINDS
from ratproof.sides.layer_spec import spec
from ratproof.sides.state_regularized.comparison import OfCells

TEMPERATURES = {"sr-mixture": (2.0**-4, 2.0**-7, 2.0**-10, 2.0**-14), "sr-sampled": (2.0**-12, 2.0**-16)}
"""Low enough for many of these networks; any other program's is 1."""
ONE_LAYER = ("sr-asked", "sr-counted")
SHUT = -200.0
"""The bias of a forget gate that keeps nothing of c: such an LSTM is memory-less."""
_GRID = st.integers(-128, 128).map(lambda n: n / 64)
_NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, -1.5]) | _GRID | st.floats(-2, 2, width=32)


@st.composite
def networks(
    draw: st.DrawFn, alphabet: str, claim: str, variant: str, program: str, dtype: str, device: str
) -> OfCells:
    """Networks of one or two layers of any kind, with two to four centroids each.

    The forget gates of most LSTMs are shut, and the input gates do not see c: else what c may be leaves few
    centroids certain.

    Args:
        draw: given by Hypothesis.
        alphabet: the symbols.
        claim: what they are compared for.
        variant: of the claim.
        program: how they are run.
        dtype: of the layers.
        device: of the layers.
    """
    kind = draw(st.sampled_from(list(KINDS)))
    inputs, d = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    options: dict[str, Any] = {
        "input_size": inputs,
        "hidden_size": d,
        "k": draw(st.integers(2, 4)),
        "num_layers": 1 if program in ONE_LAYER else draw(st.integers(1, 2)),
        "bias": True if kind.startswith("sr-lstm") else draw(st.booleans()),
        "similarity": draw(st.sampled_from(["dot", "euclidean"])),
        "temperature": draw(st.sampled_from(TEMPERATURES.get(program, (1.0,)))),
    }

    def array(*shape: int) -> Any:
        size = prod(shape)
        return np.array(draw(st.lists(_NUMBERS, min_size=size, max_size=size))).reshape(shape)

    made = KINDS[kind](**options, device="meta").state_dict()
    parameters = {name: array(*values.shape) for name, values in made.items()}
    if draw(st.integers(0, 3)):
        for name, values in parameters.items():
            if name.endswith("part.input.bias") and kind.startswith("sr-lstm"):
                values[d : 2 * d] = SHUT
            if name.endswith("peepholes"):
                values[0] = 0.0
    layer = spec(kind, options, parameters, array(len(alphabet), inputs), alphabet, dtype, device)
    return OfCells(claim, variant, program, layer)
