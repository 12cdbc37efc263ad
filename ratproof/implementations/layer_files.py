"""A reader of saved networks, which validates the file before it allocates large arrays."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from automata.aliases import JsonObject, Symbol
from automata.errors import InputError
from automata.text.number_text import shorten
from neural.layer_kind import layer_kinds
from neural.scan.backends import BACKENDS, Backend
from neural.stacked import options_of
from ratproof.implementations.layer_spec import DTYPES, spec

Arrays = dict[str, NDArray[np.float64]]


def checked(data: JsonObject) -> JsonObject:
    """Validate a JSON object that ``LayerComparison.to_json`` wrote, and return the class's arguments.

    Raises:
        InputError: If the data do not describe such a comparison.
    """
    kind = data["network"]
    if not isinstance(kind, str) or kind not in layer_kinds():
        raise InputError(f"network must be one of {', '.join(layer_kinds())}, got {shorten(kind)}")
    dtype, options, start = data["dtype"], data["options"], data["start"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise InputError(f"dtype must be one of {', '.join(DTYPES)}, got {shorten(dtype)}")
    largest = torch.finfo(DTYPES[dtype]).max
    parameters = read_parameters(data["parameters"], largest)
    _check_options(kind, options, parameters)
    check_shapes(parameters, layer_kinds()[kind].shapes(options))
    embeddings = numbers("embeddings", data["embeddings"], largest)
    check_alphabet(kind, options, embeddings, data["alphabet"])
    know_start = data["automata_know_start"]
    if not isinstance(know_start, bool):
        raise InputError(f"automata_know_start must be true or false, got {shorten(know_start)}")
    if start is not None and (
        isinstance(start, bool) or not isinstance(start, (int, float)) or not abs(start) <= largest
    ):
        raise InputError(f"start must be null or finite in {dtype}, got {shorten(start)}")
    unfused = data.get("unfused", False)  # files of older versions do not have this field
    if not isinstance(unfused, bool):
        raise InputError(f"unfused must be true or false, got {shorten(unfused)}")
    device, backend = device_of(data["device"]), backend_of(data.get("backend"))
    return {
        "layer": spec(kind, options, parameters, embeddings, data["alphabet"], dtype, device),
        "start": None if start is None else float(start),  # torch does not support arbitrarily large integers
        "automata_know_start": know_start,
        "backend": backend,
        "unfused": unfused,
    }


def backend_of(kept: object) -> Backend | None:
    """Return the backend that a file names, or ``None`` for the default backend.

    If the named backend is not available on this machine, warn and return ``None``.
    """
    if kept is None:
        return None
    if not isinstance(kept, dict) or set(kept) != {"name", "chunk"} or kept["name"] not in BACKENDS:
        raise InputError(f"backend must be null or an object of name and chunk, got {shorten(kept)}")
    chunk = kept["chunk"]
    if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
        raise InputError(f"chunk must be null or a positive integer, got {shorten(chunk)}")
    if BACKENDS[kept["name"]].lacking():
        warnings.warn(
            f"backend {kept['name']} is not available; the default backend runs instead", stacklevel=4
        )
        return None
    return Backend(kept["name"], chunk)


def device_of(name: object) -> str:
    """Return the device that a file names. If it is not available, warn and return the CPU."""
    if not isinstance(name, str) or re.fullmatch(r"cpu|cuda(:\d{1,3})?", name) is None:
        raise InputError(f"device must be cpu or cuda, got {shorten(name)}")
    number = int(name.partition(":")[2] or 0)
    if name != "cpu" and number >= torch.cuda.device_count():
        warnings.warn(f"device {name} is not available; the network runs on the CPU", stacklevel=3)
        return "cpu"
    return name


def numbers(what: str, values: object, largest: float) -> NDArray[np.float64]:
    """Convert values from a file to an array.

    Raises:
        InputError: If a value is not a number, or its magnitude exceeds ``largest``.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} must be an array of numbers") from None
    if not all(type(value) in (int, float) for value in _leaves(values)):
        raise InputError(f"{what} must have only numbers")
    if not (np.abs(array) <= largest).all():
        raise InputError(f"all values in {what} must be finite in the network's dtype")
    return array


def _leaves(values: object) -> Iterator[object]:
    if isinstance(values, list):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def read_parameters(data: object, largest: float) -> Arrays:
    """Convert the parameters in a file to arrays.

    Raises:
        InputError: If a value is not a number, or its magnitude exceeds ``largest``.
    """
    if not isinstance(data, dict):
        raise InputError("'parameters' must be a JSON object whose values are arrays")
    return {name: numbers(f"parameter {name:.60}", values, largest) for name, values in data.items()}


def check_shapes(parameters: Arrays, right: Mapping[str, tuple[int, ...]]) -> None:
    """Check that the parameters have the expected shapes."""
    shapes = {name: values.shape for name, values in parameters.items()}
    if shapes != right:
        raise InputError(f"parameters must have the shapes {right!s:.300}, got {shapes!s:.300}")


def _check_options(kind: str, options: object, parameters: Arrays) -> None:
    """Check that the options match the network, and that no size exceeds the number of weights."""
    known = options_of(layer_kinds()[kind].cls.cell_class) | {"input_size", "hidden_size", "bias"}
    if not isinstance(options, dict) or not {"input_size", "hidden_size"} <= set(options) <= known:
        raise InputError(
            f"options of {kind} must be among {', '.join(sorted(known))}, and must include both sizes"
        )
    weights = sum(values.size for values in parameters.values())
    for name, value in options.items():
        # if no size exceeds the number of weights, nothing larger than the file is allocated
        if isinstance(value, (int, float)) and not abs(value) <= max(1, weights):
            raise InputError(
                f"option {name} must be at most the number of weights, {max(1, weights)}, got {value}"
            )


def check_alphabet(
    kind: str, options: JsonObject, embeddings: NDArray[np.float64], alphabet: Sequence[Symbol]
) -> None:
    """Check the alphabet, and that each symbol has an input."""
    check_symbols(alphabet)
    symbols = layer_kinds()[kind].cls.cell_class.reads_symbols
    check_inputs(embeddings, (len(alphabet),) if symbols else (len(alphabet), options["input_size"]))
    wrong = embeddings[~np.isin(embeddings, np.arange(options["input_size"]))]
    if symbols and len(wrong):
        raise InputError(
            f"embeddings must contain symbol indices from 0 to {options['input_size'] - 1}, got {wrong[0]:g}"
        )


def check_symbols(alphabet: object) -> None:
    """Check that the alphabet is a list of distinct symbols, or a string of distinct letters."""
    if (
        not isinstance(alphabet, (list, str))
        or not alphabet
        or not all(isinstance(s, str) and s for s in alphabet)
    ):
        raise InputError("alphabet must be a list of nonempty strings")
    if len(set(alphabet)) != len(alphabet):
        raise InputError("alphabet must not repeat a symbol")


def check_inputs(embeddings: NDArray[np.float64], right: tuple[int, ...]) -> None:
    """Check the shape of the embeddings."""
    if embeddings.shape != right:
        raise InputError(f"embeddings must have shape {right}, got {embeddings.shape}")
