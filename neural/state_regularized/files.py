"""Checkpoint files of an :class:`~neural.state_regularized.acceptor.Acceptor`: everything in a file is
checked before the network is built.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from automata.text.number_text import shorten
from automata.text.printable_text import has_half_a_character
from neural import checkpoints
from neural.state_regularized.acceptor import OF_CENTROIDS, Acceptor
from neural.state_regularized.layers import ALONE
from neural.unrolled import whole

KIND = "state-regularized acceptor"
DTYPES = {"float32": torch.float32, "float64": torch.float64}
FIELDS = [name for name in inspect.signature(Acceptor).parameters if name != "device"]
"""The fields of a file's network: all of them are required, and no others are allowed; without centroids it
has none of theirs (:data:`~neural.state_regularized.acceptor.OF_CENTROIDS`)."""


def save(network: Acceptor, path: str | Path, about: dict[str, Any] | None = None) -> None:
    """Write the network and a description that JSON can hold (of its training, for instance).

    Raises :class:`~automata.errors.InputError` for a network that :func:`load` would refuse; nothing is
    written then.
    """
    options = {**network.options, "dtype": str(network.embedding.weight.dtype).removeprefix("torch.")}
    try:
        build(options, network.state_dict())
    except InputError as error:
        raise InputError(f"{path}: is not written, as it could not be read: {error}") from None
    if "network" in (about or {}):
        raise InputError(f'{path}: is not written: "network" is what the file says itself')
    checkpoints.write(path, KIND, {"network": options, **(about or {})}, network.state_dict())


def load(path: str | Path) -> tuple[Acceptor, dict[str, Any]]:
    """Read a network (in evaluation mode, on the CPU) and its description.

    Raises :class:`~automata.errors.FormatError`: the file is no such checkpoint, or not all of one.
    """
    about, tensors = checkpoints.read(path, KIND)
    try:
        network = build(about["network"], tensors)
    except InputError as error:
        raise FormatError(f"{path}: {' '.join(str(error).split()):.300}") from None
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        why = " ".join(str(error).split())
        raise FormatError(
            f"{path}: its header does not describe a network ({type(error).__name__}: {why:.80})"
        ) from None
    return network, about


def build(options: dict[str, Any], tensors: dict[str, Tensor]) -> Acceptor:
    """Build the network with the given options and parameters."""
    options = dict(options)
    kind = options.get("kind")
    alone = isinstance(kind, str) and kind in ALONE
    right = [name for name in FIELDS if not (alone and name in OF_CENTROIDS)]
    for name in {**dict.fromkeys(right), **options}:
        if name not in options or name not in right:
            state = "absent" if name in right else "there"
            what = f"a network of kind {kind}" if alone else "a network"
            raise InputError(f"the field {name!r:.40} is {state}, where {what} has {', '.join(right)}")
    dtype = options.pop("dtype")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise InputError(f"dtype is {dtype!r:.40}, where {' or '.join(DTYPES)} is right")
    if not isinstance(options["alphabet"], list) or not all(
        isinstance(s, str) and s for s in options["alphabet"]
    ):
        raise InputError(f"alphabet is {options['alphabet']!r:.80}, where a list of texts is right")
    half = next((symbol for symbol in options["alphabet"] if has_half_a_character(symbol)), None)
    if half is not None:
        raise InputError(f"alphabet has {shorten(half)}, half of a character, which no file can hold")
    held = sum(tensor.numel() for tensor in tensors.values())
    # no size is larger than the number of weights, and there are no more layers than tensors: nothing larger
    # than the file is built
    for name, most in (
        ("hidden_size", held),
        ("k", held),
        ("embedding_size", held),
        ("num_layers", len(tensors)),
    ):
        if name in options and whole(name, options[name]) > most:
            raise InputError(
                f"{name} is {options[name]}, and there are {held} numbers in {len(tensors)} tensors in all"
            )
    with torch.device("meta"):
        network = Acceptor(**options, dtype=DTYPES[dtype])
    expected = {name: (tuple(p.shape), p.dtype) for name, p in network.state_dict().items()}
    actual = {name: (tuple(p.shape), p.dtype) for name, p in tensors.items()}
    for name in {**expected, **actual}:
        if actual.get(name) != expected.get(name):
            difference = " and ".join(
                f"{where} {what.get(name, 'absent')}"
                for where, what in (("is", actual), ("should be", expected))
            )
            raise InputError(f"the tensor {name} {difference}")
        if not bool(torch.isfinite(tensors[name]).all()):
            raise InputError(f"the tensor {name} has a number that is not finite")
    network.load_state_dict(tensors, assign=True)
    return network.eval()
