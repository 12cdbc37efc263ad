"""Hypothesis strategies for state-regularized networks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from neural.state_regularized.layers import KINDS
from ratproof.implementations.layer_spec import spec
from ratproof.implementations.state_regularized.comparison import CellComparison

TEMPERATURES = {"sr-mixture": (2.0**-4, 2.0**-7, 2.0**-10, 2.0**-14), "sr-sampled": (2.0**-12, 2.0**-16)}
"""Temperatures that are low enough for many networks of these programs; other programs use 1."""
ONE_LAYER = ("sr-asked", "sr-counted")
MOST_SEEDS = 16
"""Maximum number of networks that are tried to find one whose state has a lasting effect."""
SHUT = -200.0
"""The bias of a closed forget gate, which makes an LSTM memory-less."""
_GRID = st.integers(-128, 128).map(lambda n: n / 64)
_NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, -1.5]) | _GRID | st.floats(-2, 2, width=32)

_ONE_BY_ONE = st.integers(0, 3).map(lambda n: n == 0)


class Choices:
    """A source that draws each value separately from Hypothesis.

    Hypothesis can simplify counterexamples from this source. Many values are equal or 0, so the networks are
    often trivial.
    """

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def choice(self, options: Sequence[Any]) -> Any:
        """Return one of the options."""
        return self._draw(st.sampled_from(options))

    def array(self, *shape: int) -> Any:
        """Return weights between -2 and 2, many of which are simple, such as 0, 1 and 1/2."""
        size = prod(shape)
        return np.array(self._draw(st.lists(_NUMBERS, min_size=size, max_size=size))).reshape(shape)


class Seeded:
    """A source that draws all values from one seed, so that networks rarely repeat."""

    def __init__(self, seed: int | str) -> None:
        self._random = Random(seed)

    def choice(self, options: Sequence[Any]) -> Any:
        """Return one of the options."""
        return self._random.choice(options)

    def array(self, *shape: int) -> Any:
        """Return multiples of 1/64 between -2 and 2."""
        return np.array([self._random.randint(-128, 128) / 64 for _ in range(prod(shape))]).reshape(shape)


@st.composite
def networks(
    draw: st.DrawFn,
    alphabet: str,
    claim: str,
    variant: str,
    program: str,
    dtype: str,
    device: str,
    remembers: bool = False,
) -> CellComparison:
    """Draw networks of one or two layers of any kind, with two to four centroids each.

    Most LSTMs have closed forget gates, and input gates that do not read c. In other LSTMs, c may take many
    values, so that few centroids are determined.

    Args:
        draw: The draw function of Hypothesis.
        alphabet: The symbols.
        claim: Name of the claim.
        variant: Name of the variant.
        program: Name of the program that runs the network.
        dtype: Dtype of the layers.
        device: Device of the layers.
        remembers: Whether to prefer networks whose first state has an effect after any number of symbols.
    """
    where = alphabet, claim, variant, program, dtype, device
    if not remembers and draw(_ONE_BY_ONE):
        return _network(Choices(draw), 0, *where)
    seed = draw(st.integers(0, 2**32))
    some = (_network(Seeded(f"{seed} {i}" if i else seed), 1, *where) for i in range(MOST_SEEDS))
    first = next(some)
    if not remembers or first.remembers():
        return first
    return next((network for network in some if network.remembers()), first)


def _network(
    source: Choices | Seeded,
    least: int,
    alphabet: str,
    claim: str,
    variant: str,
    program: str,
    dtype: str,
    device: str,
) -> CellComparison:
    """Return a network drawn from a source.

    If ``least`` is 1, the smallest networks are not drawn, because they rarely expose errors and often
    repeat.
    """
    kind = source.choice(list(KINDS))
    inputs, d = source.choice((1, 2)), source.choice((1, 2, 3)[least:])
    options: dict[str, Any] = {
        "input_size": inputs,
        "hidden_size": d,
        "k": source.choice((2, 3, 4)[least:]),
        "num_layers": 1 if program in ONE_LAYER else source.choice((1, 2)),
        "bias": kind.startswith("sr-lstm") or source.choice((False, True)),
        "similarity": source.choice(("dot", "euclidean")),
        "temperature": source.choice(TEMPERATURES.get(program, (1.0,))),
    }
    shapes = KINDS[kind](**options, device="meta").state_dict()
    parameters = {name: source.array(*values.shape) for name, values in shapes.items()}
    if source.choice((False, True, True, True)):
        for name, values in parameters.items():
            if name.endswith("part.input.bias") and kind.startswith("sr-lstm"):
                values[d : 2 * d] = SHUT
            if name.endswith("peepholes"):
                values[0] = 0.0
    layer = spec(kind, options, parameters, source.array(len(alphabet), inputs), alphabet, dtype, device)
    return CellComparison(claim, variant, program, layer)
