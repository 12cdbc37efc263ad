"""A reader of saved state-regularized layers, which validates the file before it allocates arrays."""

from __future__ import annotations

import torch

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.text.number_text import shorten
from neural.state_regularized.component import checked_temperature
from neural.state_regularized.layers import KINDS
from neural.unrolled import checked_integer, one_of
from ratproof.implementations.layer_files import check_inputs, check_symbols, device_of, numbers
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
    for name, most in LARGEST.items():
        if checked_integer(name, options[name], 2 if name == "k" else 1) > most:
            raise InputError(f"{name} must be at most {most}, got {options[name]}")
    one_of("bias", options["bias"], (True, False))
    one_of("similarity", options["similarity"], ("dot", "euclidean"))
    checked_temperature(options["temperature"])
    most_float = torch.finfo(DTYPES[dtype]).max
    embeddings = numbers("embeddings", data["embeddings"], most_float)
    check_symbols(data["alphabet"])
    check_inputs(embeddings, (len(data["alphabet"]), options["input_size"]))
    parameters = data["parameters"]
    if not isinstance(parameters, dict):
        raise InputError("parameters must be an object of arrays")
    shapes = {
        name: numbers(f"parameter {shorten(name)}", values, most_float).shape
        for name, values in parameters.items()
    }
    right = {
        name: tuple(values.shape)
        for name, values in KINDS[kind](**options, device="meta").state_dict().items()
    }
    if shapes != right:
        raise InputError(f"parameters must have the shapes {right!s:.300}, got {shapes!s:.300}")
    return spec(kind, options, parameters, embeddings, data["alphabet"], dtype, device_of(data["device"]))
