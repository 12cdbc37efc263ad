"""Specimens of counterexample files of each kind of comparison."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from automata.semirings import REAL
from proofs_tests.mutated_files.kind import Kind


def kept(comparison: Callable[[], Any], strings: Any) -> Callable[[Path], tuple[str, ...]]:
    """Return a function that writes the counterexample of a comparison on some strings.

    If no string differs, it writes a counterexample with an invented difference.
    """

    def write(folder: Path) -> tuple[str, ...]:
        from ratproof.implementations.comparison import Difference, counterexample
        from ratproof.ladder.counterexample_files import keep

        one = comparison()
        every = list(one.compare(strings))
        pretended = replace(every[0], difference=Difference(len(every[0].string), 0, "1", "0", "0"))
        compared = next((c for c in every if c.difference is not None), pretended)
        keep(counterexample(one, compared), folder, 5, "test").rename(folder / "kept.json")
        return ("kept.json",)

    return write


def exact(claim: str, variant: str, openfst: bool = False) -> Callable[[], Any]:
    """Return a function that builds an exact comparison for a variant of a claim.

    The comparison is for a case with a weight of 1/2, if there is such a case.
    """

    def comparison() -> Any:
        from ratproof.implementations.exact import ExactComparison
        from ratproof.implementations.openfst import OpenFstComparison
        from theory.registry import claim_named

        cases = [claim_named(claim).example]
        if claim != "definition-4":
            cases = list(claim_named(claim).variant(variant).small_cases(2))
        case = next((case for case in cases if "1/2" in case.describe()), cases[-1])
        return (OpenFstComparison if openfst else ExactComparison)(claim, variant, case)

    return comparison


def torch_network() -> Any:
    from neural.layer_kind import layer_kinds
    from ratproof.implementations.layer import LayerComparison
    from ratproof.implementations.layer_spec import spec

    options = {"input_size": 2, "hidden_size": 2, "bias": True}
    shapes = layer_kinds()["example-6"].shapes(options)
    random = np.random.default_rng(1)
    parameters = {name: random.integers(-8, 8, shape) / 4 for name, shape in shapes.items()}
    layer = spec("example-6", options, parameters, [[1.0, 0.0], [0.5, -1.0]], "ab")
    return LayerComparison("proposition-7", "printed", layer, 1.0, False)


OPTIONS = {"input_size": 1, "hidden_size": 2, "k": 3, "bias": True, "similarity": "dot", "temperature": 0.5}
PARAMETERS = {
    "part.input.weight": [[1.0], [-0.5]],
    "part.input.bias": [0.25, 0.0],
    "part.hidden.weight": [[1.0, -2.0], [0.5, 1.5]],
    "part.hidden.bias": [0.0, 0.0],
    "component.centroids": [[0.5, -1.0, 1.0], [1.0, 0.25, -0.75]],
}


def sampled_runs(
    kind: str = "sr-elman", options: dict[str, Any] = OPTIONS, count: int = 100, dtype: str = "float32"
) -> Any:
    from ratproof.implementations.layer_spec import spec
    from ratproof.implementations.sampled_runs import Runs, SampledRuns

    layer = spec(kind, options, PARAMETERS, [[1.0], [-1.0]], "ab", dtype=dtype)
    return SampledRuns("theorem-3.1", "corrected", layer, Runs(first=0, count=count, seed=1, tests=480))


def fa_rnn_network() -> Any:
    from ratproof.implementations.fa_rnn.comparison import FARNNComparison
    from theory.weights import Weights

    half, one, none = Fraction(1, 2), Fraction(1), Fraction(0)
    case = Weights(
        REAL,
        "ab",
        {
            "alpha_0": (one, none),
            "D_1": ((one, half), (none, one)),
            "v": {"a": (one, half), "b": (-half, one)},
            "D_2": ((half, one), (one, none)),
            "alpha_inf": (none, one),
        },
        ("K", 2),
    )
    return FARNNComparison("fa-rnn-eq-5", "corrected", case)


def state_regularized_network() -> Any:
    from ratproof.implementations.layer_spec import spec
    from ratproof.implementations.state_regularized.comparison import CellComparison

    options = {
        "input_size": 1,
        "hidden_size": 2,
        "k": 2,
        "num_layers": 1,
        "bias": True,
        "similarity": "dot",
        "temperature": 1.0,
    }
    parameters = {
        "cells.0.part.input.weight": [[1.0], [0.5]],
        "cells.0.part.input.bias": [0.25, 0.0],
        "cells.0.part.hidden.weight": [[1.0, -2.0], [0.5, 1.5]],
        "cells.0.part.hidden.bias": [0.0, 0.0],
        "cells.0.component.centroids": [[0.5, -1.0], [1.0, 0.25]],
    }
    layer = spec("sr-elman", options, parameters, [[1.0], [-1.0]], "ab")
    return CellComparison("theorem-3.2", "corrected", "sr-limit", layer)


REPLAY = ("replay kept.json --json",)
KINDS = (
    Kind("counterexample: exact", kept(exact("proposition-7", "printed"), ["", "a", "ab"]), REPLAY),
    Kind(
        "counterexample: exact, windows", kept(exact("proposition-11-qrnn", "printed"), ["a", "ab"]), REPLAY
    ),
    Kind("counterexample: exact, matrices", kept(exact("theorem-3.1", "corrected"), ["ab"]), REPLAY),
    Kind("counterexample: exact, an automaton", kept(exact("definition-4", "printed"), ["", "ab"]), REPLAY),
    Kind(
        "counterexample: openfst",
        kept(exact("proposition-7", "printed", openfst=True), ["", "a", "ab"]),
        REPLAY,
    ),
    Kind("counterexample: network", kept(torch_network, ["", "ab"]), REPLAY, share=2),
    Kind("counterexample: sampled-runs", kept(sampled_runs, ["ab"]), REPLAY, share=2),
    Kind("counterexample: fa-rnn", kept(fa_rnn_network, ["ab"]), REPLAY),
    Kind("counterexample: sr-cells", kept(state_regularized_network, ["ab"]), REPLAY, share=2),
)
