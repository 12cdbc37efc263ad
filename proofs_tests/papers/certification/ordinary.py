"""Random ordinary networks: layers of torch, and outputs of the networks that are recognised in them."""

from typing import Any

import numpy as np
import torch
from torch import nn

from neural.seeding import seeded
from ratproof.certification.ordinary_networks.arithmetic import Points
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

CELLS = ("rnn_tanh", "rnn_relu", "gru", "lstm")
CLASSES = {"rnn_tanh": nn.RNN, "rnn_relu": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


def random_layers(
    cell: str, inputs: int, units: int, classes: int, seed: int = 0, scale: float = 1.0, **options: Any
) -> tuple[nn.RNNBase, nn.Linear]:
    """Draw a recurrent layer, and a classifier with its weight matrix multiplied by ``scale``."""
    if cell == "rnn_relu":
        options["nonlinearity"] = "relu"
    if options.get("num_layers", 1) == 1:
        options.pop("dropout", None)
    with seeded(seed), torch.no_grad():
        rnn = CLASSES[cell](inputs, units, **options)
        linear = nn.Linear(units, classes, bias=options.get("bias", True))
        linear.weight.mul_(scale)
    return rnn, linear


def outputs_of(network: OrdinaryNetwork, codes: np.ndarray) -> np.ndarray:
    """Return the classifier's outputs after strings of shape ``(steps, strings)``."""
    state = Points(np.tile(network.start, (codes.shape[1], 1)))
    for symbols in codes:
        state = network.step(state, symbols)
    return network.logits(state).center + (network.threshold if len(network.readout) == 1 else 0)
