"""Reading a kept network: everything in the file is checked before anything large is made of it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from automata.errors import InputError
from automata.text.number_text import shorten
from neural.layer_kind import layer_kinds
from neural.scan.backends import BACKENDS, Backend
from neural.stacked import options_of
from ratproof.implementations.layer_spec import DTYPES, spec


def checked(data: dict[str, Any]) -> dict[str, Any]:
    """The arguments of :class:`~ratproof.implementations.layer.LayerComparison` that its ``to_json`` wrote.

    Raises :class:`~automata.errors.InputError` for anything else.
    """
    kind = data["network"]
    if not isinstance(kind, str) or kind not in layer_kinds():
        raise InputError(f"there is no network {shorten(kind)}; there are {', '.join(layer_kinds())}")
    rest = {
        name: data[name]
        for name in (
            "options",
            "parameters",
            "embeddings",
            "alphabet",
            "start",
            "automata_know_start",
            "dtype",
            "device",
        )
    }
    if not isinstance(rest["dtype"], str) or rest["dtype"] not in DTYPES:
        raise InputError(f"there is no dtype {shorten(rest['dtype'])}; there are {', '.join(DTYPES)}")
    largest = torch.finfo(DTYPES[rest["dtype"]]).max
    if not isinstance(rest["parameters"], dict):
        raise InputError("parameters are no object of arrays")
    rest["parameters"] = {
        str(name): numbers(f"parameter {name}", values, largest)
        for name, values in rest["parameters"].items()
    }
    _check_shapes(kind, rest["options"], rest["parameters"])
    rest["embeddings"] = numbers("embeddings", rest["embeddings"], largest)
    check_alphabet(kind, rest["options"], rest["embeddings"], rest["alphabet"])
    if not isinstance(rest["automata_know_start"], bool):
        raise InputError(
            f"automata_know_start is {shorten(rest['automata_know_start'])}, where true or false is right"
        )
    start = rest["start"]
    if start is not None and (
        isinstance(start, bool) or not isinstance(start, (int, float)) or not abs(start) <= largest
    ):
        raise InputError(
            f"start is {shorten(start)}, where null or a number that is finite in {rest['dtype']} is right"
        )
    unfused = data.get("unfused", False)  # older files have none
    if not isinstance(unfused, bool):
        raise InputError(f"unfused is {shorten(unfused)}, where true or false is right")
    rest["device"] = device_of(rest["device"])
    backend = backend_of(data.get("backend"))
    kept = ("options", "parameters", "embeddings", "alphabet", "dtype", "device")
    layer = spec(kind, **{name: rest[name] for name in kept})
    start = None if start is None else float(start)  # an integer may be larger than torch takes
    return {
        "layer": layer,
        "start": start,
        "automata_know_start": rest["automata_know_start"],
        "backend": backend if layer.device == rest["device"] else None,
        "unfused": unfused,
    }


def backend_of(kept: Any) -> Backend | None:
    """The backend that a file names; ``None`` where it names none, or none that is here."""
    if kept is None:
        return None
    if not isinstance(kept, dict) or set(kept) != {"name", "chunk"} or kept["name"] not in BACKENDS:
        raise InputError(f"backend is {shorten(kept)}, where null, or a name and a chunk, is right")
    chunk = kept["chunk"]
    if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
        raise InputError(f"chunk is {shorten(chunk)}, where null or a number from 1 on is right")
    if BACKENDS[kept["name"]].lacking():
        warnings.warn(
            f"kept with the backend {kept['name']}, which is not here: another one runs", stacklevel=4
        )
        return None
    return Backend(kept["name"], chunk)


def device_of(name: Any) -> str:
    """The device, or the CPU where it is not here."""
    if not isinstance(name, str) or re.fullmatch(r"cpu|cuda(:\d{1,3})?", name) is None:
        raise InputError(f"device is {shorten(name)}, where cpu or cuda is right")
    number = int(name.partition(":")[2] or 0)
    if name != "cpu" and number >= torch.cuda.device_count():
        warnings.warn(f"kept on {name}, which is not here: it runs on the CPU", stacklevel=3)
        return "cpu"
    return name


def numbers(what: str, values: Any, largest: float) -> NDArray[np.float64]:
    """The values as an array of numbers that the network's format holds."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} is no array of numbers") from None
    if not all(type(value) in (int, float) for value in _leaves(values)):
        raise InputError(f"{what} has something in it that is no number")
    if not (np.abs(array) <= largest).all():
        raise InputError(f"{what} has a number that is not finite in the network's format")
    return array


def _leaves(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def _check_shapes(kind: str, options: Any, parameters: dict[str, NDArray[np.float64]]) -> None:
    """The options are the network's own, and the parameters have the shapes that they ask for."""
    known = options_of(layer_kinds()[kind].cls.cell_class) | {"input_size", "hidden_size", "bias"}
    if not isinstance(options, dict) or not {"input_size", "hidden_size"} <= set(options) <= known:
        raise InputError(f"options of {kind} are {', '.join(sorted(known))}, the sizes among them")
    weights = sum(values.size for values in parameters.values())
    for name, value in options.items():
        # no size is larger than the number of weights, so nothing larger than the file is made
        if isinstance(value, (int, float)) and not abs(value) <= max(1, weights):
            raise InputError(f"options ask for a larger network than there are parameters: {name} is {value}")
    right = layer_kinds()[kind].shapes(options)
    actual = {name: values.shape for name, values in parameters.items()}
    if actual != right:
        raise InputError(f"parameters have the shapes {actual}, where {right} are right")


def check_alphabet(
    kind: str, options: dict[str, Any], embeddings: NDArray[np.float64], alphabet: Any
) -> None:
    """The alphabet is one, and each symbol has an input."""
    check_symbols(alphabet)
    symbols = layer_kinds()[kind].cls.cell_class.reads_symbols
    check_inputs(embeddings, (len(alphabet),) if symbols else (len(alphabet), options["input_size"]))
    if symbols and not np.isin(embeddings, np.arange(options["input_size"])).all():
        raise InputError(f"embeddings are not all numbers of symbols, 0 to {options['input_size'] - 1}")


def check_symbols(alphabet: Any) -> None:
    """The alphabet is a list of different symbols (a string, of its letters)."""
    if (
        not isinstance(alphabet, (list, str))
        or not alphabet
        or not all(isinstance(s, str) and s for s in alphabet)
    ):
        raise InputError("alphabet is no list of symbols")
    if len(set(alphabet)) != len(alphabet):
        raise InputError("alphabet names a symbol twice")


def check_inputs(embeddings: NDArray[np.float64], right: tuple[int, ...]) -> None:
    """The embeddings have that shape."""
    if embeddings.shape != right:
        raise InputError(f"embeddings have shape {embeddings.shape}, where {right} is right")
