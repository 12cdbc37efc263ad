"""Hypothesis strategies for networks."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from neural.state_regularized.layers import KINDS
from ratproof.sides.layer import OfNetwork
from ratproof.sides.network_kinds import NETWORKS, shapes
from ratproof.sides.sampled_runs import SampledRuns

CORNERS = [0.0, 1.0, -1.0, 0.5, 30.0, -30.0, 200.0, -200.0, 2.0**-126, 2.0**-149, 1e9, -1e9]
"""Weights that leave gates half open, shut, or saturated, subnormal ones, and large ones that cancel each
other.
"""

MOST_CENTROIDS = 4

_FLAG = st.booleans()
_NONLINEARITY = st.sampled_from(["tanh", "identity"])
_GATED = {"output_gate": _FLAG, "bias": _FLAG}
OPTIONS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "example-6": {"nonlinearity": _NONLINEARITY, "bias": _FLAG},
    "rrnn-b": _GATED,
    "rrnn-b-max-plus": _GATED,
    "rrnn-c": _GATED,
    "rrnn-f": _GATED,
    "sru": {"nonlinearity": _NONLINEARITY, "bias": _FLAG},
    "qrnn": {"window": st.integers(1, 3), **_GATED},
    "t-rnn": {"bias": _FLAG},
    "t-gru": {"bias": _FLAG},
    "t-lstm": {"bias": _FLAG},
    "scrn": {"alpha": st.none() | st.sampled_from([0.0, 0.5, 0.95, 1.0]) | st.floats(0, 1)},
    "rcnn": {
        "order": st.integers(1, 4),
        "nonlinearity": _NONLINEARITY,
        "decay": st.sampled_from(["input", "constant"]),
        "bias": _FLAG,
    },
    "isan": {"bias": _FLAG},
    "linear-elman": {"bias": _FLAG},
}
"""The options that change what is scored, or how: drawn for each kind of network."""


@lru_cache(maxsize=1024)
def _shapes(kind: str, options: tuple[tuple[str, Any], ...]) -> dict[str, tuple[int, ...]]:
    return shapes(kind, dict(options))


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
) -> OfNetwork:
    """Networks of one kind with one to three units over the alphabet, and with its options.

    Args:
        draw: given by Hypothesis.
        alphabet: the symbols.
        kind: the network's name in :data:`ratproof.sides.network_kinds.NETWORKS`.
        claim: what they are compared for.
        variant: of the claim.
        dtype: of the network.
        device: of the network.
        automata_know_start: have the automata c_0 for an initial weight?
        start: a strategy for c_0; the semiring's zero without it.
    """
    symbols = NETWORKS[kind].cell_class.reads_symbols
    inputs, units = draw(st.integers(1, 4 if symbols else 2)), draw(st.integers(1, 3))
    options = {
        "input_size": inputs,
        "hidden_size": units,
        **{name: draw(values) for name, values in OPTIONS[kind].items()},
    }
    number = st.sampled_from(CORNERS) | st.floats(-4, 4, width=32)

    def array(*shape: int) -> Any:
        return _nested(draw(st.lists(number, min_size=prod(shape), max_size=prod(shape))), shape)

    parameters = {name: array(*shape) for name, shape in _shapes(kind, tuple(options.items())).items()}
    letters = len(alphabet)
    numbers = st.lists(st.integers(0, inputs - 1), min_size=letters, max_size=letters)
    embeddings = draw(numbers) if symbols else array(letters, inputs)
    return OfNetwork(
        claim,
        variant,
        kind,
        options,
        parameters,
        embeddings,
        alphabet,
        None if start is None else draw(start),
        automata_know_start,
        dtype,
        device,
    )


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
        "bias": draw(_FLAG),
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
    return SampledRuns(
        claim,
        variant,
        kind,
        options,
        parameters,
        array(len(alphabet), inputs),
        alphabet,
        first,
        runs,
        seed,
        tests,
        dtype,
        device,
    )


def _nested(flat: Any, shape: tuple[int, ...]) -> Any:
    for size in reversed(shape[1:]):
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]
    return flat
