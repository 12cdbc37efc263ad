"""A reader of saved runs of a sampling layer, which validates the file before it allocates arrays."""

from __future__ import annotations

import numpy as np

from automata.aliases import JsonObject
from automata.checks import checked_integer
from automata.errors import InputError
from automata.text.number_text import shorten
from neural.state_regularized.layers import KINDS
from neural.unrolled import one_of
from ratproof.implementations.layer_spec import DTYPES, LayerSpec
from ratproof.implementations.state_regularized.files import FIELDS as LAYER_FIELDS
from ratproof.implementations.state_regularized.files import check_options, read_layer

FIELDS = (LAYER_FIELDS - {"program"}) | {"first", "runs", "seed", "tests"}
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
    kind = one_of("network", data["network"], LAYERS)
    dtype, options = one_of("dtype", data["dtype"], list(DTYPES)), data["options"]
    if not isinstance(options, dict) or not SIZES <= set(options) <= OPTIONS:
        raise InputError(f"options must be among {', '.join(sorted(OPTIONS))}, and must include all sizes")
    check_options(options, dict.fromkeys(SIZES, LARGEST))
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
    layer = read_layer(kind, dtype, data, KINDS[kind](**options, device="meta").cell.state_dict())
    centroids = layer.parameters["component.centroids"].astype(dtype)
    if len(np.unique(centroids, axis=1).T) != options["k"]:  # a run could be at two centroids at once
        raise InputError("parameter component.centroids: the columns must be distinct")
    return layer


LEAST = {"runs": 1, "seed": 0, "tests": 1, "first": 0}
MOST = {"runs": MOST_RUNS, "seed": 2**63 - 1, "tests": 10**9, "first": LARGEST}
