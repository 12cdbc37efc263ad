"""Random state-regularized components and networks, and a comparison of their results with the equations."""

import numpy as np
import pytest
import torch
from hypothesis import strategies as st

from neural.state_regularized.component import StochasticComponent
from neural.state_regularized.layers import ALONE, KINDS
from proofs_tests.neural import sr_equations
from proofs_tests.neural.sr_equations import close, exactly

F, D = torch.float32, torch.float64
LAYERS = {**KINDS, **ALONE}

every = pytest.mark.parametrize("kind", LAYERS)
regularized = pytest.mark.parametrize("kind", KINDS)
both_similarities = pytest.mark.parametrize("similarity", ["dot", "euclidean"])
both_dtypes = pytest.mark.parametrize("dtype", [F, D], ids=str)
temperatures = st.floats(-3, 3).map(lambda x: 10**x)


def randomly(module, seed, spread=0.7):
    """Replace all parameters of a module, including biases, by random values."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.randn(p.shape, generator=generator, dtype=D) * spread)
    return module.eval()


def vectors(seed, *shape, dtype=D):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=D).to(dtype)


@st.composite
def components(draw, **fixed):
    """Draw a component with random centroids, and a vector u."""
    dtype, d, k = draw(st.sampled_from([F, D])), draw(st.integers(1, 5)), draw(st.integers(2, 6))
    options = {
        "similarity": draw(st.sampled_from(["dot", "euclidean"])),
        "temperature": draw(temperatures),
    } | fixed
    component = randomly(StochasticComponent(k, d, dtype=dtype, **options), draw(st.integers(0, 2**20)))
    return component, vectors(draw(st.integers(0, 2**20)), d, dtype=dtype) * draw(
        st.sampled_from([0.0, 0.01, 1.0, 8.0])
    )


@st.composite
def networks(draw):
    """Draw a network of any kind and shape with random weights, its kind and options, and input sequences."""
    kind, dtype, bidirectional = (
        draw(st.sampled_from(list(LAYERS))),
        draw(st.sampled_from([F, D])),
        draw(st.booleans()),
    )
    sizes = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    shape = {
        "num_layers": draw(st.integers(1, 3)),
        "bias": draw(st.booleans()),
        "bidirectional": bidirectional,
    }
    options = {}
    if kind in KINDS:
        options = {
            "similarity": draw(st.sampled_from(["dot", "euclidean"])),
            "temperature": draw(temperatures),
        }
        shape["k"] = draw(st.integers(2, 4))
    network = randomly(LAYERS[kind](*sizes, dtype=dtype, **shape, **options), draw(st.integers(0, 2**20)))
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    strings = [vectors(seed, n, sizes[0], dtype=dtype) for seed, n in enumerate(lengths)]
    return network, kind, options, strings


def zeros(network):
    """Return the initial state of every cell, for :mod:`proofs_tests.neural.sr_equations`."""
    d, dtype = network.hidden_size, sr_equations.dtype_of(network)
    return [(exactly(np.zeros(d), dtype), exactly(np.zeros(d), dtype)) for _ in network.cells]


def computes(network, kind, options, string, output, ends, states=None):
    """Assert that a network's outputs and last state equal those of the equations, within their bounds."""
    first = zeros(network) if states is None else states
    values, last, alpha = sr_equations.layers(network, kind, string.tolist(), first, **options)
    assert output.shape == (len(string), network.hidden_size * network.directions)
    assert output.dtype == next(network.parameters()).dtype
    for h, near in zip(output, values, strict=True):
        close(h, near)
    ends = (ends,) if isinstance(ends, torch.Tensor) else ends
    for number, part in enumerate(ends):
        for value, state in zip(part, last, strict=True):
            close(value, state[number])
    return alpha
