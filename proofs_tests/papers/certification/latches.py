"""Small networks, of every kind of cell and with chosen weights, that remember the last of two symbols."""

import json
from typing import Any

import torch
from torch import nn

from automata.moore import Moore
from neural.seeding import seeded
from ratproof.api.classifiers import classifier
from ratproof.certification.ordinary_networks.certify import OrdinaryCertification, certify_ordinary
from ratproof.certification.ordinary_networks.counterexamples import float32_decisions
from ratproof.certification.ordinary_networks.recognise import network_of_parts

ALPHABET = ("set", "reset", "keep")
MACHINE = Moore(ALPHABET, 0, ((1, 0, 0), (1, 0, 1)), (0, 1))
"""The automaton that decides whether the last symbol other than "keep" is "set"."""
LAST = Moore(("a", "b", "c"), 0, ((0, 1, 2),) * 3, (0, 1, 2))
"""The automaton whose output is the last symbol, as one of three classes."""
SEEN = Moore(("a", "b"), 0, ((0, 1), (1, 1)), (0, 1))
"""The automaton that accepts the strings with a "b"."""
SWITCH = 6.0


def latch(cell: str, layers: int = 1) -> tuple[nn.RNNBase, nn.Linear]:
    """Return a recurrent layer of two units, and a classifier, that agree with MACHINE.

    The first unit is the memory, except in a ReLU network, whose memory is the difference of the units. Small
    random weights connect the units. Every layer after the first copies the previous layer.
    """
    kind = {"rnn_tanh": nn.RNN, "rnn_relu": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[cell]
    options: dict[str, Any] = {"nonlinearity": "relu"} if cell == "rnn_relu" else {}
    with seeded(1), torch.no_grad():
        rnn, linear = kind(3, 2, num_layers=layers, **options), nn.Linear(2, 1)
        for name, parameter in rnn.named_parameters():
            parameter.mul_(0.0 if "bias" in name else 0.05)
        for layer in range(layers):
            _fill(cell, layer, dict(rnn.named_parameters()))
        readout = [1.0, -1.0] if cell == "rnn_relu" else [2.0, 0.1]
        linear.weight.copy_(torch.tensor([readout]))
        linear.bias.fill_(-0.5 if cell == "rnn_relu" else 0.0)
    return rnn, linear


def _fill(cell: str, layer: int, weights: dict[str, torch.Tensor]) -> None:
    """Set the weights of a layer that implement the memory; the others keep their small random values."""
    inputs, own = weights[f"weight_ih_l{layer}"], weights[f"weight_hh_l{layer}"]
    bias = weights[f"bias_hh_l{layer}"]
    signals = torch.tensor([SWITCH, -SWITCH, 0.0]) if layer == 0 else torch.tensor([SWITCH, 0.0])
    if cell == "rnn_tanh":
        inputs[0] += signals
        own[0, 0], bias[0] = (3.0, -0.5) if layer == 0 else (0.0, 0.0)
    elif cell == "rnn_relu":  # the units are relu(z) and relu(z - 1)
        change = signals if layer == 0 else torch.tensor([3.0, -3.0])
        inputs.copy_(torch.stack([change, change]))
        own.copy_(torch.tensor([[3.0, -3.0]] * 2) if layer == 0 else torch.zeros(2, 2))
        bias.copy_(torch.tensor([-1.0, -2.0]))
    elif cell == "gru":  # blocks: reset, update, new
        inputs[4] += signals
        own[4, 0], bias[4] = (4.0, -0.5) if layer == 0 else (0.0, 0.0)
        inputs[2] -= signals.abs() if layer == 0 else 0.0
        bias[2] = 0.0 if layer == 0 else -4.0
    else:  # blocks: input, forget, new, output
        inputs[4] += signals
        own[4, 0], bias[4] = (4.0, -0.5) if layer == 0 else (0.0, 0.0)
        inputs[2] -= signals.abs() if layer == 0 else 0.0
        bias[0] = bias[6] = 3.0
        bias[2] = 0.0 if layer == 0 else -3.0


def tiny_latch() -> tuple[nn.RNNBase, nn.Linear]:
    """Return a network with one unit that agrees with MACHINE."""
    with seeded(1), torch.no_grad():
        rnn, linear = nn.RNN(3, 1, bias=False), nn.Linear(1, 1)
        rnn.weight_ih_l0.copy_(torch.tensor([[SWITCH, -SWITCH, -0.5]]))
        rnn.weight_hh_l0.fill_(3.0)
        linear.weight.fill_(2.0)
        linear.bias.fill_(0.0)
    return rnn, linear


def state_dict(parts: tuple[nn.RNNBase, nn.Linear]) -> dict[str, torch.Tensor]:
    """Return the state dict of a module with the submodules "rnn" and "lin"."""
    named = zip(("rnn", "lin"), parts, strict=True)
    return {f"{name}.{key}": x.contiguous() for name, part in named for key, x in part.state_dict().items()}


def last_of_three() -> tuple[nn.RNNBase, nn.Linear]:
    """Return a network of three units and classes that agrees with LAST."""
    with seeded(2), torch.no_grad():
        rnn, linear = nn.RNN(3, 3), nn.Linear(3, 3)
        for parameter in (*rnn.parameters(), *linear.parameters()):
            parameter.mul_(0.1)
        rnn.weight_ih_l0 += 3 * torch.eye(3)
        linear.weight += 4 * torch.eye(3)
    return rnn, linear


def drifting(sign: int = 1) -> tuple[nn.LSTM, nn.Linear]:
    """Return an LSTM that agrees with SEEN; after a "b", each symbol adds almost ``sign`` to its memory."""
    rnn, linear = nn.LSTM(2, 1), nn.Linear(1, 1)
    with torch.no_grad():  # blocks: input, forget, new, output
        rnn.weight_ih_l0.copy_(torch.tensor([[0.0, 0.0], [0.0, 0.0], [0.0, 12.0 * sign], [0.0, 0.0]]))
        rnn.weight_hh_l0.copy_(torch.tensor([[0.0], [10.0 * sign], [4.0], [0.0]]))
        rnn.bias_ih_l0.copy_(torch.tensor([6.0, 0.0, -1.0 * sign, 6.0]))
        rnn.bias_hh_l0.zero_()
        linear.weight.fill_(2.0 * sign)
        linear.bias.zero_()
    return rnn, linear


def fading() -> tuple[nn.RNNBase, nn.Linear]:
    """Return a GRU that forgets slowly, and therefore agrees with MACHINE only up to a large length."""
    rnn, linear = latch("gru")
    with torch.no_grad():
        rnn.weight_hh_l0[4, 0] = 0.0
        rnn.weight_ih_l0[2] += torch.tensor([-SWITCH, -SWITCH, 9.0])
        rnn.bias_hh_l0[4] = 0.0
        rnn.weight_ih_l0[4, 2] = -0.5
        linear.weight[0, 1] = 0.0
        linear.bias.fill_(-0.01)
    return rnn, linear


def module_of(parts: tuple[nn.RNNBase, nn.Linear]) -> nn.Module:
    """Return the layers as one module."""
    return classifier(*parts)


def certified(
    parts: tuple[nn.RNNBase, nn.Linear],
    machine: Moore | None = MACHINE,
    alphabet: tuple[str, ...] = ALPHABET,
    seconds: float = 20.0,
) -> OrdinaryCertification:
    """Return the result of certifying these layers with one-hot inputs."""
    network = network_of_parts(*parts, torch.eye(len(alphabet)).double().numpy(), 0.0, alphabet)
    return certify_ordinary(network, machine, float32_decisions(network, *parts), seconds)


def certificate_of(answer: OrdinaryCertification) -> dict[str, Any]:
    """Return the certificate, converted to JSON and back."""
    return json.loads(json.dumps(answer.certificate()))
