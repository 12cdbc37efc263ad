"""Recognition of an ordinary recurrent network in a module of torch.

:func:`network_of_module` finds the recurrent layer, the classifier and the embedding, and confirms on random
strings that the module computes nothing else. ``state_dicts.network_of_tensors`` reads a state dict, whose
computation cannot be confirmed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn

from automata.aliases import Symbols
from automata.errors import InputError, ShapeError
from ratproof.certification.ordinary_networks.arithmetic import Array
from ratproof.certification.ordinary_networks.harden import Inputs
from ratproof.certification.ordinary_networks.module_outputs import (
    INSTEAD,
    OutputComparison,
    compared_outputs,
)
from ratproof.certification.ordinary_networks.network import GATES, Layer, OrdinaryNetwork
from ratproof.certification.ordinary_networks.torch_weights import (
    WEIGHTS,
    biases,
    checked_symbols,
    checked_threshold,
    input_vectors,
    layer_of,
    shaped,
)

Part = TypeVar("Part", bound=nn.Module)
WHERE = "module"
CELLS = {"RNN_TANH": "rnn_tanh", "RNN_RELU": "rnn_relu", "GRU": "gru", "LSTM": "lstm"}
"""The cell of each mode of ``nn.RNNBase``."""
BASES = (nn.RNN, nn.GRU, nn.LSTM, nn.Linear, nn.Embedding)
"""The classes of a module's parts. A subclass must not override ``forward``."""


@dataclass(frozen=True)
class Recognised:
    """A network that was found in a module.

    Attributes:
        network: The network, with the exact weights.
        rnn: The module's recurrent layer.
        linear: The module's classifier.
        inputs: The input vectors of the symbols.
        description: A sentence about the module's parts and its decision, without a period.
    """

    network: OrdinaryNetwork
    rnn: nn.RNNBase
    linear: nn.Linear
    inputs: Inputs
    description: str


def network_of_module(
    module: nn.Module, *, embeddings: Tensor | str | None, alphabet: Iterable[str], threshold: float = 0.0
) -> Recognised:
    """Return the recurrent network with a linear classifier that a module computes.

    The module must have one ``nn.RNN``, ``nn.GRU`` or ``nn.LSTM``, one ``nn.Linear``, at most one
    ``nn.Embedding``, and no other parameters. It may return logits, their sigmoid (one output), or their
    softmax or log-softmax (several outputs), for the last step or for all steps. This is confirmed on random
    strings, in evaluation mode.

    Args:
        module: The module. Its training mode and the random number generators keep their states.
        embeddings: The symbols' input vectors, of shape ``(symbols, input_size)``, or ``"one-hot"``. If the
            module has an embedding, the indices of the symbols' rows instead, of shape ``(symbols,)``. None
            stands for all rows in order, or for one-hot vectors without an embedding.
        alphabet: The symbols, which are distinct non-empty strings.
        threshold: With one output, the module accepts a string if the logit exceeds the threshold.

    Raises:
        InputError: If the module has other parts or computes something else.

    >>> from ratproof.api.classifiers import classifier
    >>> module = classifier(nn.GRU(2, 16), nn.Linear(16, 1))
    >>> network_of_module(module, embeddings=torch.eye(2), alphabet="ab").description
    "nn.GRU(2, 16) in 'rnn', and nn.Linear(16, 1) in 'linear', which accepts a string if its output exceeds 0"
    """
    if not isinstance(module, nn.Module):
        raise InputError(f"{WHERE}: the module must be an nn.Module, got {type(module).__name__}")
    symbols = checked_symbols(alphabet, WHERE)
    (rnn_name, rnn), (linear_name, linear), table = _parts(module)
    threshold = checked_threshold(threshold, linear.out_features, WHERE)
    if table is not None and (
        isinstance(embeddings, str) or (isinstance(embeddings, Tensor) and embeddings.is_floating_point())
    ):
        raise InputError(
            f"{WHERE}: embeddings must be None or the symbols' rows in the nn.Embedding {table[0]!r}, got"
            " vectors"
        )
    weight = None if table is None else table[1].weight
    vectors, rows = input_vectors(embeddings, weight, len(symbols), rnn.input_size, WHERE)
    network = network_of_parts(rnn, linear, vectors, threshold, symbols, (rnn_name, linear_name))
    device = linear.weight.device
    if table is None or rows is None:
        inputs = Inputs.constant(torch.tensor(vectors, dtype=torch.float32, device=device))
    else:
        inputs = Inputs(table[1], torch.tensor(rows, device=device))
    read = inputs.embedding.weight if table is None else inputs.rows
    comparison = compared_outputs(module, network, read, rnn.batch_first)
    parts = [] if table is None else [_described(table[1], table[0])]
    parts += [_described(rnn, rnn_name), f"and {_described(linear, linear_name)}"]
    if table is None and not isinstance(embeddings, Tensor):
        parts[0] += " on one-hot vectors"
    description = ", ".join(parts) + _decision(network, comparison)
    return Recognised(network, rnn, linear, inputs, description)


def _described(part: nn.RNNBase | nn.Linear | nn.Embedding, name: str) -> str:
    """Describe a submodule by its class, its sizes and its name."""
    if isinstance(part, nn.RNNBase):
        sizes = f"nn.{part.mode.partition('_')[0]}({part.input_size}, {part.hidden_size}"
        sizes += f", num_layers={part.num_layers}" if part.num_layers > 1 else ""
        sizes += ", nonlinearity='relu')" if part.mode == "RNN_RELU" else ")"
    elif isinstance(part, nn.Embedding):
        sizes = f"nn.Embedding({part.num_embeddings}, {part.embedding_dim})"
    else:
        sizes = f"nn.Linear({part.in_features}, {part.out_features})"
    return f"{sizes} in {name!r}"


def _decision(network: OrdinaryNetwork, comparison: OutputComparison) -> str:
    """Return a clause that describes the network's decision, for the description of the classifier."""
    step = " at the last step" if comparison.every_step else ""
    function = comparison.function.replace("_", "-")
    if len(network.readout) > 1:
        returned = "" if function == "logits" else f"; the module returns their {function}"
        return f", whose largest output{step} is the decision{returned}"
    text = f", which accepts a string if its output{step} exceeds {network.threshold:g}"
    if function == "logits":
        return text
    probability = 1 / (1 + math.exp(-network.threshold)) if network.threshold > -700 else 0.0
    return (
        f"{text}; the module returns the {function} of this output, so that the threshold"
        f" {network.threshold:g} corresponds to the probability {probability:g}"
    )


def _parts(
    module: nn.Module,
) -> tuple[tuple[str, nn.RNNBase], tuple[str, nn.Linear], tuple[str, nn.Embedding] | None]:
    """Return the recurrent layer, the classifier and the embedding, if there is one, with their names."""
    named = list(module.named_modules())
    rnn_name, rnn = _only(named, nn.RNNBase, "nn.RNN, nn.GRU or nn.LSTM")
    linear_name, linear = _only(named, nn.Linear, "nn.Linear")
    tables = [(name, part) for name, part in named if isinstance(part, nn.Embedding)]
    if len(tables) > 1:
        names = [name for name, _ in tables]
        raise InputError(f"{WHERE}: the module must have at most one nn.Embedding, got {names}; {INSTEAD}")
    known = {id(part) for _, part in [(rnn_name, rnn), (linear_name, linear), *tables]}
    for name, part in named:
        if id(part) in known:
            forward = next((base.forward for base in BASES if isinstance(part, base)), None)
            if type(part).forward is not forward:
                raise InputError(
                    f"{WHERE}: {name!r} must not override the forward method of its base class, but its"
                    f" class {type(part).__name__} does"
                )
        elif next(part.parameters(recurse=False), None) is not None:
            raise InputError(
                f"{WHERE}: the module must have parameters only in its recurrent layer, linear layer and"
                f" embedding, got a {type(part).__name__} in {name!r}; {INSTEAD}"
            )
    if rnn.bidirectional:
        raise InputError(f"{WHERE}: {rnn_name!r} must not be bidirectional, got bidirectional=True")
    if rnn.proj_size:
        raise InputError(f"{WHERE}: {rnn_name!r} must have proj_size=0, got {rnn.proj_size}")
    if linear.in_features != rnn.hidden_size or linear.out_features < 1:
        raise ShapeError(
            f"{WHERE}: {linear_name!r} must map the recurrent layer's {rnn.hidden_size} units to one or more"
            f" outputs, got nn.Linear({linear.in_features}, {linear.out_features})"
        )
    if tables and tables[0][1].max_norm is not None:
        raise InputError(f"{WHERE}: {tables[0][0]!r} must have max_norm=None, got {tables[0][1].max_norm}")
    return (rnn_name, rnn), (linear_name, linear), tables[0] if tables else None


def _only(named: list[tuple[str, nn.Module]], kind: type[Part], says: str) -> tuple[str, Part]:
    """Return the name and module of the only submodule of a kind, or raise InputError."""
    parts = [(name, part) for name, part in named if isinstance(part, kind)]
    if len(parts) != 1:
        names = [name for name, _ in parts] or "none"
        hint = f"; {INSTEAD}" if parts else ""
        raise InputError(f"{WHERE}: the module must have exactly one {says}, got {names}{hint}")
    return parts[0]


def network_of_parts(
    rnn: nn.RNNBase,
    linear: nn.Linear,
    embeddings: Array,
    threshold: float,
    alphabet: Symbols,
    names: tuple[str, str] = ("rnn", "linear"),
) -> OrdinaryNetwork:
    """Return the network of a recurrent layer and a classifier.

    Args:
        rnn: The recurrent layer.
        linear: The classifier.
        embeddings: The input of each symbol, of shape ``(symbols, inputs)``.
        threshold: The threshold of a single output.
        alphabet: The symbols.
        names: The names of the two parts in error messages.

    Raises:
        InputError: If a weight has another shape or dtype, or is not finite.
    """
    classes = linear.out_features
    return OrdinaryNetwork(
        cell=CELLS[rnn.mode],
        layers=tuple(_layer(rnn, index, names[0]) for index in range(rnn.num_layers)),
        embeddings=embeddings,
        readout=shaped(linear.weight, (classes, rnn.hidden_size), f"{WHERE}: {names[1]}.weight"),
        readout_bias=biases(linear.bias, classes, f"{WHERE}: {names[1]}.bias"),
        threshold=threshold,
        alphabet=alphabet,
    )


def _layer(rnn: nn.RNNBase, index: int, name: str) -> Layer:
    """Return the weights of one layer."""
    names = [f"{kind}_l{index}" for kind in WEIGHTS]
    tensors = [getattr(rnn, parameter, None) for parameter in names]
    inputs = rnn.hidden_size if index else rnn.input_size
    rows = rnn.hidden_size * GATES[CELLS[rnn.mode]]
    return layer_of(tensors, (rows, inputs, rnn.hidden_size), [f"{WHERE}: {name}.{kind}" for kind in names])
