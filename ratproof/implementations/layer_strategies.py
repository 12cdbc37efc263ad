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

CORNERS = [0.0, 1.0, -1.0, 0.5, 30.0, -30.0, 200.0, -200.0, 2.0**-126, 2.0**-149, 1e9, -1e9]
"""Weights that leave gates half open, shut, or saturated, subnormal ones, and large ones that cancel each
other.
"""

MOST_CENTROIDS = 4


@lru_cache(maxsize=1024)
def _shapes(kind: str, options: tuple[tuple[str, Any], ...]) -> dict[str, tuple[int, ...]]:
    return layer_kinds()[kind].shapes(dict(options))


@lru_cache
def _any_numbers(size: int) -> st.SearchStrategy[list[float]]:
    """Weights, many of them extreme."""
    number = st.sampled_from(CORNERS) | st.floats(-4, 4, width=32)
    return st.lists(number, min_size=size, max_size=size)


@lru_cache
def _generic_numbers(size: int) -> st.SearchStrategy[list[float]]:
    """Weights from a seed, multiples of 1/64 between -2 and 2: gates stay half open, and no state is lost or
    grows soon.
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
    """Networks of one kind with one to three units over the alphabet, and with its options.

    Args:
        draw: given by Hypothesis.
        alphabet: the symbols.
        kind: the network's name in :func:`neural.layer_kind.layer_kinds`.
        claim: what they are compared for.
        variant: of the claim.
        dtype: of the network.
        device: of the network.
        automata_know_start: have the automata c_0 for an initial weight?
        start: a strategy for c_0; the semiring's zero without it.
        generic: are no weights extreme, and most networks of three units?
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
    """State-regularized layers that sample their centroids, of 2 to :data:`MOST_CENTROIDS` different ones.

    Args:
        draw: given by Hypothesis.
        alphabet: the symbols.
        kind: ``"sr-elman"`` or ``"sr-gru"``.
        claim: what they are compared for.
        variant: of the claim.
        runs: how many, of each string.
        tests: among how many tests an alarm may be false.
        dtype: of the layer.
        device: of the layer.
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

    made = KINDS[kind](**options, device="meta").cell.state_dict()
    parameters = {name: array(*values.shape) for name, values in made.items()}
    columns = list(zip(*parameters["component.centroids"], strict=True))
    assume(len(set(columns)) == k)
    first, seed = draw(st.integers(0, k - 1)), draw(st.integers(0, 2**32 - 1))
    layer = spec(kind, options, parameters, array(len(alphabet), inputs), alphabet, dtype, device)
    return SampledRuns(claim, variant, layer, Runs(first, runs, seed, tests))


def _nested(flat: Any, shape: tuple[int, ...]) -> Any:
    for size in reversed(shape[1:]):
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]
    return flat
