"""Hypothesis strategies for networks."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from neural.layer_kind import layer_kinds
from neural.state_regularized.layers import KINDS
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import spec
from ratproof.implementations.sampled_runs import Runs, SampledRuns

EDGE_CASES = [0.0, 1.0, -1.0, 0.5, 30.0, -30.0, 200.0, -200.0, 2.0**-126, 2.0**-149, 1e9, -1e9]
"""Weights for half-open, closed and saturated gates, subnormal weights, and large weights that cancel."""

MOST_CENTROIDS = 4


@lru_cache(maxsize=1024)
def _shapes(kind: str, options: tuple[tuple[str, object], ...]) -> dict[str, tuple[int, ...]]:
    return layer_kinds()[kind].shapes(dict(options))


@lru_cache
def _any_numbers(size: int) -> st.SearchStrategy[list[float]]:
    """Return a strategy for weights, many of them extreme."""
    number = st.sampled_from(EDGE_CASES) | st.floats(-4, 4, width=32)
    return st.lists(number, min_size=size, max_size=size)


@lru_cache
def _generic_numbers(size: int) -> st.SearchStrategy[list[float]]:
    """Return a strategy for weights from a seed: multiples of 1/64 between -2 and 2.

    Gates stay half open, so that no state vanishes or grows quickly.
    """
    return st.integers(0, 2**32).map(
        lambda seed: [number / 64 for number in Random(f"{seed} {size}").choices(range(-128, 129), k=size)]
    )


@st.composite
def networks(
    draw: st.DrawFn,
    alphabet: str,
    kind: str,
    claim: str,
    variant: str,
    dtype: str,
    device: str,
    automata_know_start: bool = True,
    start: Any = None,
    generic: bool = False,
) -> LayerComparison:
    """Draw networks of the given kind, with its options, and with one to three units over the alphabet.

    Args:
        draw: The draw function of Hypothesis.
        alphabet: The symbols.
        kind: The network's name in :func:`neural.layer_kind.layer_kinds`.
        claim: Name of the claim.
        variant: Name of the variant.
        dtype: Dtype of the network.
        device: Device of the network.
        automata_know_start: Whether c_0 is the initial weight of the automata.
        start: A strategy for c_0. Defaults to the semiring's zero.
        generic: Whether to avoid extreme weights and to prefer networks of three units.
    """
    symbols = layer_kinds()[kind].cls.cell_class.reads_symbols
    inputs = draw(st.integers(1, 4 if symbols else 2))
    units = draw(st.sampled_from((3, 3, 2, 1)) if generic else st.integers(1, 3))
    numbers = _generic_numbers if generic else _any_numbers
    options = {
        "input_size": inputs,
        "hidden_size": units,
        **{name: draw(values) for name, values in layer_kinds()[kind].options.items()},
    }

    def array(*shape: int) -> Any:
        return _nested(draw(numbers(prod(shape))), shape)

    parameters = {name: array(*shape) for name, shape in _shapes(kind, tuple(options.items())).items()}
    letters = len(alphabet)
    codes = st.lists(st.integers(0, inputs - 1), min_size=letters, max_size=letters)
    embeddings = draw(codes) if symbols else array(letters, inputs)
    layer = spec(kind, options, parameters, embeddings, alphabet, dtype, device)
    return LayerComparison(claim, variant, layer, None if start is None else draw(start), automata_know_start)


@st.composite
def sampled_layers(
    draw: st.DrawFn,
    alphabet: str,
    kind: str,
    claim: str,
    variant: str,
    runs: int,
    tests: int,
    dtype: str,
    device: str,
) -> SampledRuns:
    """Draw state-regularized layers that sample one of 2 to :data:`MOST_CENTROIDS` distinct centroids.

    Args:
        draw: The draw function of Hypothesis.
        alphabet: The symbols.
        kind: ``"sr-elman"`` or ``"sr-gru"``.
        claim: Name of the claim.
        variant: Name of the variant.
        runs: Number of runs per string.
        tests: Number of tests that share the probability of any false alarm, one in a million.
        dtype: Dtype of the layer.
        device: Device of the layer.
    """
    k, inputs, d = draw(st.integers(2, MOST_CENTROIDS)), draw(st.integers(1, 2)), draw(st.integers(1, 3))
    options: dict[str, Any] = {
        "input_size": inputs,
        "hidden_size": d,
        "k": k,
        "bias": draw(st.booleans()),
        "similarity": draw(st.sampled_from(["dot", "euclidean"])),
        "temperature": draw(st.sampled_from([1.0, 0.25, 4.0])),
    }
    number = st.sampled_from([0.0, 1.0, -1.0, 0.5, 30.0]) | st.floats(-2, 2, width=32)

    def array(*shape: int) -> Any:
        return _nested(draw(st.lists(number, min_size=prod(shape), max_size=prod(shape))), shape)

    shapes = KINDS[kind](**options, device="meta").cell.state_dict()
    parameters = {name: array(*values.shape) for name, values in shapes.items()}
    columns = list(zip(*parameters["component.centroids"], strict=True))
    assume(len(set(columns)) == k)
    first, seed = draw(st.integers(0, k - 1)), draw(st.integers(0, 2**32 - 1))
    layer = spec(kind, options, parameters, array(len(alphabet), inputs), alphabet, dtype, device)
    return SampledRuns(claim, variant, layer, Runs(first, runs, seed, tests))


def _nested(flat: Any, shape: tuple[int, ...]) -> Any:
    for size in reversed(shape[1:]):
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]
    return flat
