"""A reader of saved state-regularized layers, which validates the file before it allocates arrays."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from automata.aliases import JsonObject
from automata.checks import checked_integer
from automata.errors import InputError
from neural.state_regularized.component import checked_temperature
from neural.state_regularized.layers import KINDS
from neural.unrolled import one_of
from ratproof.implementations.layer_files import (
    check_inputs,
    check_shapes,
    check_symbols,
    device_of,
    numbers,
    read_parameters,
)
from ratproof.implementations.layer_spec import DTYPES, LayerSpec, spec

FIELDS = {"way", "program", "network", "options", "parameters", "embeddings", "alphabet", "dtype", "device"}
LARGEST = {"input_size": 64, "hidden_size": 64, "k": 64, "num_layers": 4}
OPTIONS = {*LARGEST, "bias", "similarity", "temperature"}


def checked(data: JsonObject) -> LayerSpec:
    """Validate a JSON object that ``CellComparison.to_json`` wrote, and return the layers.

    Raises:
        InputError: If the data do not describe such layers.
    """
    if set(data) != FIELDS:
        raise InputError(
            f"the fields of a state-regularized network must be exactly {', '.join(sorted(FIELDS))}"
        )
    kind = one_of("network", data["network"], list(KINDS))
    dtype, options = one_of("dtype", data["dtype"], list(DTYPES)), data["options"]
    if not isinstance(options, dict) or set(options) != OPTIONS:
        raise InputError(f"the fields of 'options' must be exactly {', '.join(sorted(OPTIONS))}")
    check_options(options, LARGEST)
    return read_layer(kind, dtype, data, KINDS[kind](**options, device="meta").state_dict())


def check_options(options: JsonObject, largest: Mapping[str, int]) -> None:
    """Check the options of a layer, and that its sizes are at most ``largest``."""
    for name, most in largest.items():
        if checked_integer(name, options[name], 2 if name == "k" else 1) > most:
            raise InputError(f"{name} must be at most {most}, got {options[name]}")
    one_of("bias", options.get("bias", True), (True, False))
    one_of("similarity", options.get("similarity", "dot"), ("dot", "euclidean"))
    checked_temperature(options.get("temperature", 1.0))


def read_layer(kind: str, dtype: str, data: JsonObject, parameters: Mapping[str, Tensor]) -> LayerSpec:
    """Read a layer from a JSON object. Its parameters must have the shapes of those in ``parameters``."""
    largest = torch.finfo(DTYPES[dtype]).max
    embeddings = numbers("embeddings", data["embeddings"], largest)
    check_symbols(data["alphabet"])
    check_inputs(embeddings, (len(data["alphabet"]), data["options"]["input_size"]))
    arrays = read_parameters(data["parameters"], largest)
    check_shapes(arrays, {name: tuple(values.shape) for name, values in parameters.items()})
    device = device_of(data["device"])
    return spec(kind, data["options"], arrays, embeddings, data["alphabet"], dtype, device)
