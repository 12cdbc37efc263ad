"""A reader of saved runs of a sampling layer, which validates the file before it allocates arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.text.number_text import shorten
from neural.state_regularized.component import checked_temperature
from neural.state_regularized.layers import KINDS
from neural.unrolled import checked_integer, one_of
from ratproof.implementations.layer_files import check_inputs, check_symbols, device_of, numbers
from ratproof.implementations.layer_spec import DTYPES, LayerSpec, spec

FIELDS = {
    "way",
    "network",
    "options",
    "parameters",
    "embeddings",
    "alphabet",
    "first",
    "runs",
    "seed",
    "tests",
    "dtype",
    "device",
}
SIZES = {"input_size", "hidden_size", "k"}
OPTIONS = SIZES | {"bias", "similarity", "temperature"}
LARGEST = 64
"""Maximum of each size."""
MOST_RUNS = 10**6
MOST_AT_ONCE = 1 << 26
"""Maximum of the number of runs times k^2, for k centroids with k probabilities each."""
LAYERS = ("sr-elman", "sr-gru")


def checked(data: JsonObject) -> LayerSpec:
    """Validate a JSON object that ``SampledRuns.to_json`` wrote, and return the layer.

    Raises:
        InputError: If the data do not describe such runs.
    """
    if set(data) != FIELDS:
        raise InputError(f"the fields of sampled runs must be exactly {', '.join(sorted(FIELDS))}")
    kind, dtype, options = (
        one_of("network", data["network"], LAYERS),
        one_of("dtype", data["dtype"], list(DTYPES)),
        data["options"],
    )
    if not isinstance(options, dict) or not SIZES <= set(options) <= OPTIONS:
        raise InputError(f"options must be among {', '.join(sorted(OPTIONS))}, and must include all sizes")
    for name in SIZES:
        if checked_integer(name, options[name], 2 if name == "k" else 1) > LARGEST:
            raise InputError(f"{name} must be at most {LARGEST}, got {options[name]}")
    one_of("bias", options.get("bias", True), (True, False))
    one_of("similarity", options.get("similarity", "dot"), ("dot", "euclidean"))
    checked_temperature(options.get("temperature", 1.0))
    for name in ("runs", "seed", "tests", "first"):
        if not LEAST[name] <= checked_integer(name, data[name], LEAST[name]) <= MOST[name]:
            raise InputError(
                f"{name} must be an integer from {LEAST[name]} to {MOST[name]:,}, got {shorten(data[name])}"
            )
    if data["first"] >= options["k"]:
        raise InputError(f"first must be a centroid from 0 to {options['k'] - 1}, got {data['first']}")
    if data["runs"] * options["k"] ** 2 > MOST_AT_ONCE:
        raise InputError(
            f"runs times k squared must be at most {MOST_AT_ONCE:,}, got {data['runs']} runs with k ="
            f" {options['k']}"
        )
    parameters, embeddings = (
        data["parameters"],
        numbers("embeddings", data["embeddings"], torch.finfo(DTYPES[dtype]).max),
    )
    check_symbols(data["alphabet"])
    check_inputs(embeddings, (len(data["alphabet"]), options["input_size"]))
    _check_parameters(kind, options, parameters, dtype)
    device = device_of(data["device"])
    return spec(kind, options, parameters, embeddings, data["alphabet"], dtype, device)


LEAST = {"runs": 1, "seed": 0, "tests": 1, "first": 0}
MOST = {"runs": MOST_RUNS, "seed": 2**63 - 1, "tests": 10**9, "first": LARGEST}


def _check_parameters(kind: str, options: JsonObject, parameters: Any, dtype: str) -> None:
    """Check that the parameters match the layer, and that all centroids differ in its dtype.

    Otherwise a run could be at two centroids at once.
    """
    if not isinstance(parameters, dict):
        raise InputError("parameters must be an object of arrays")
    right = {
        name: tuple(values.shape)
        for name, values in KINDS[kind](**options, device="meta").cell.state_dict().items()
    }
    arrays = {
        name: numbers(f"parameter {shorten(name)}", values, torch.finfo(DTYPES[dtype]).max)
        for name, values in parameters.items()
    }
    shapes = {name: values.shape for name, values in arrays.items()}
    if shapes != right:
        raise InputError(f"parameters must have the shapes {right}, got {shapes!s:.300}")
    centroids = arrays["component.centroids"].astype(dtype)
    if len(np.unique(centroids, axis=1).T) != options["k"]:
        raise InputError("parameter component.centroids: the columns must be distinct")
