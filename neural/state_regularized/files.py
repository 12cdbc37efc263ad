"""A kept :class:`~neural.state_regularized.acceptor.Acceptor`: everything in the file is checked before the network is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from neural import checkpoints
from neural.state_regularized.acceptor import Acceptor

KIND = "state-regularized acceptor"
DTYPES = {"float32": torch.float32, "float64": torch.float64}


def save(network: Acceptor, path: str | Path, about: dict[str, Any] | None = None) -> None:
    """Keep the network, and what else JSON can say about it (how it was trained, say)."""
    dtype = str(network.embedding.weight.dtype).removeprefix("torch.")
    said = {"network": {**network.options, "dtype": dtype}, **(about or {})}
    checkpoints.write(path, KIND, said, network.state_dict())


def load(path: str | Path) -> tuple[Acceptor, dict[str, Any]]:
    """The network, ready to be asked (in evaluation mode, on the CPU), and what was said about it.

    Raises :class:`~automata.errors.FormatError`: the file is no such checkpoint, or not all of one.
    """
    about, tensors = checkpoints.read(path, KIND)
    try:
        network = made(about["network"], tensors)
    except InputError as error:
        raise FormatError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise FormatError(f"{path}: its header does not describe a network ({type(error).__name__}: {error!s:.80})") from None
    return network, about


def made(options: dict[str, Any], tensors: dict[str, Tensor]) -> Acceptor:
    """The network of those options with those parameters."""
    options = dict(options)
    dtype = options.pop("dtype")
    if dtype not in DTYPES:
        raise InputError(f"dtype is {dtype!r:.40}, where {' or '.join(DTYPES)} is right")
    if not isinstance(options["alphabet"], list) or not all(isinstance(s, str) and s for s in options["alphabet"]):
        raise InputError("alphabet is no list of symbols")
    held = sum(tensor.numel() for tensor in tensors.values())
    for name in ("hidden_size", "k", "embedding_size", "num_layers"):
        # no size is larger than the number of weights, so nothing larger than the file is made
        if isinstance(options[name], int) and not options[name] <= held:
            raise InputError(f"{name} is {options[name]}, and the file holds {held} numbers in all")
    with torch.device("meta"):
        network = Acceptor(**options, dtype=DTYPES[dtype])
    right = {name: (tuple(p.shape), p.dtype) for name, p in network.state_dict().items()}
    found = {name: (tuple(p.shape), p.dtype) for name, p in tensors.items()}
    for name in {**right, **found}:
        if found.get(name) != right.get(name):
            shown = " and ".join(f"{where} {what.get(name, 'absent')}" for where, what in (("is", found), ("should be", right)))
            raise InputError(f"the tensor {name} {shown}")
        if not bool(torch.isfinite(tensors[name]).all()):
            raise InputError(f"the tensor {name} has a number that is not finite")
    network.load_state_dict(tensors, assign=True)
    return network.eval()
