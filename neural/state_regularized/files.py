"""Checkpoint files of an :class:`~neural.state_regularized.acceptor.Acceptor`.

Everything in a file is checked before the network is built.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.checks import checked_integer
from automata.errors import InputError
from automata.text.number_text import shorten
from automata.text.printable_text import has_half_a_character
from neural import checkpoints
from neural.state_regularized.acceptor import OF_CENTROIDS, Acceptor
from neural.state_regularized.layers import ALONE

KIND = "state-regularized acceptor"
DTYPES = {"float32": torch.float32, "float64": torch.float64}
FIELDS = [name for name in inspect.signature(Acceptor).parameters if name != "device"]
"""The names of the fields that describe a network in a file.

All are required, and no others are allowed. A network without centroids omits
:data:`~neural.state_regularized.acceptor.OF_CENTROIDS`.
"""


def save(network: Acceptor, path: str | Path, about: dict[str, Any] | None = None) -> None:
    """Write the network, with a description that JSON can represent, to a checkpoint file.

    Raises:
        InputError: If :func:`load` would reject the network; then nothing is written.
    """
    options = {**network.options, "dtype": str(network.embedding.weight.dtype).removeprefix("torch.")}
    try:
        build(options, network.state_dict())
    except InputError as error:
        raise InputError(f"{path}: the network must be loadable to be written: {error}") from None
    if "network" in (about or {}):
        raise InputError(f'{path}: the description must not contain "network", which the file reserves')
    checkpoints.write(path, KIND, {"network": options, **(about or {})}, network.state_dict())


def load(path: str | Path) -> tuple[Acceptor, dict[str, Any]]:
    """Read a network (in evaluation mode, on the CPU) and its description.

    Raises:
        FormatError: If the file is not a complete checkpoint of an acceptor.
    """
    about, tensors = checkpoints.read(path, KIND)
    with checkpoints.describing(path, "a network"):
        network = build(about["network"], tensors)
    return network, about


def build(options: dict[str, Any], tensors: dict[str, Tensor]) -> Acceptor:
    """Build a network from the options and the parameters in a file.

    Raises:
        InputError: If the options or the parameters are invalid, or do not match.
    """
    options = dict(options)
    kind = options.get("kind")
    alone = isinstance(kind, str) and kind in ALONE
    fields = [name for name in FIELDS if not (alone and name in OF_CENTROIDS)]
    for name in {**dict.fromkeys(fields), **options}:
        if name not in options or name not in fields:
            problem = "a missing" if name in fields else "the additional"
            what = f"a network of kind {kind}" if alone else "a network"
            raise InputError(
                f"{what} must have the fields {', '.join(fields)}, got {problem} field {name!r:.40}"
            )
    dtype = options.pop("dtype")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise InputError(f"dtype must be {' or '.join(DTYPES)}, got {dtype!r:.40}")
    if not isinstance(options["alphabet"], list) or not all(
        isinstance(s, str) and s for s in options["alphabet"]
    ):
        raise InputError(f"alphabet must be a list of non-empty strings, got {options['alphabet']!r:.80}")
    half = next((symbol for symbol in options["alphabet"] if has_half_a_character(symbol)), None)
    if half is not None:
        raise InputError(f"alphabet must not contain an unpaired surrogate, got {shorten(half)}")
    held = sum(tensor.numel() for tensor in tensors.values())
    # Prevent a network that is larger than the file: no size exceeds the number of weights, and there are at
    # most as many layers as tensors.
    for name, most in (
        ("hidden_size", held),
        ("k", held),
        ("embedding_size", held),
        ("num_layers", len(tensors)),
    ):
        if name in options and checked_integer(name, options[name]) > most:
            raise InputError(
                f"{name} must be at most {most}, because the file has only {held} weights in {len(tensors)}"
                f" tensors, got {options[name]}"
            )
    with torch.device("meta"):
        network = Acceptor(**options, dtype=DTYPES[dtype])
    expected = {name: (tuple(p.shape), p.dtype) for name, p in network.state_dict().items()}
    actual = {name: (tuple(p.shape), p.dtype) for name, p in tensors.items()}
    for name in {**expected, **actual}:
        if actual.get(name) != expected.get(name):
            raise InputError(
                f"the tensor {name} must be {_described(expected.get(name))}, got"
                f" {_described(actual.get(name))}"
            )
        if not bool(torch.isfinite(tensors[name]).all()):
            raise InputError(f"all entries of the tensor {name} must be finite")
    network.load_state_dict(tensors, assign=True)
    return network.eval()


def _described(tensor: tuple[tuple[int, ...], torch.dtype] | None) -> str:
    return "absent" if tensor is None else f"{tensor[1]} of shape {tensor[0]}"
