"""Reading kept state-regularized layers: everything in the file is checked before anything large is made of
it.
"""

from __future__ import annotations

from typing import Any

import torch

from automata.errors import InputError
from automata.text.number_text import shorten
from neural.state_regularized.component import checked_temperature
from neural.state_regularized.layers import KINDS
from neural.unrolled import one_of, whole
from ratproof.implementations.layer_files import check_inputs, check_symbols, device_of, numbers
from ratproof.implementations.layer_spec import DTYPES, LayerSpec, spec

FIELDS = {"way", "program", "network", "options", "parameters", "embeddings", "alphabet", "dtype", "device"}
LARGEST = {"input_size": 64, "hidden_size": 64, "k": 64, "num_layers": 4}
OPTIONS = {*LARGEST, "bias", "similarity", "temperature"}


def checked(data: dict[str, Any]) -> LayerSpec:
    """The layers of :class:`~ratproof.implementations.state_regularized.comparison.CellComparison`, as its
    ``to_json`` wrote them.

    Raises :class:`~automata.errors.InputError` for anything else.
    """
    if set(data) != FIELDS:
        raise InputError(f"the fields of a state-regularized network are {', '.join(sorted(FIELDS))}")
    kind = one_of("network", data["network"], list(KINDS))
    dtype, options = one_of("dtype", data["dtype"], list(DTYPES)), data["options"]
    if not isinstance(options, dict) or set(options) != OPTIONS:
        raise InputError(f"options are {', '.join(sorted(OPTIONS))}")
    for name, most in LARGEST.items():
        if whole(name, options[name], 2 if name == "k" else 1) > most:
            raise InputError(f"{name} is {options[name]}, where at most {most} is right")
    one_of("bias", options["bias"], (True, False))
    one_of("similarity", options["similarity"], ("dot", "euclidean"))
    checked_temperature(options["temperature"])
    most_float = torch.finfo(DTYPES[dtype]).max
    embeddings = numbers("embeddings", data["embeddings"], most_float)
    check_symbols(data["alphabet"])
    check_inputs(embeddings, (len(data["alphabet"]), options["input_size"]))
    parameters = data["parameters"]
    if not isinstance(parameters, dict):
        raise InputError("parameters are no object of arrays")
    shapes = {
        name: numbers(f"parameter {shorten(name)}", values, most_float).shape
        for name, values in parameters.items()
    }
    right = {
        name: tuple(values.shape)
        for name, values in KINDS[kind](**options, device="meta").state_dict().items()
    }
    if shapes != right:
        raise InputError(f"parameters have the shapes {shapes!s:.300}, where {right!s:.300} are right")
    return spec(kind, options, parameters, embeddings, data["alphabet"], dtype, device_of(data["device"]))
