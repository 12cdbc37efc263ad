"""An ordinary recurrent network with a linear classifier, as float64 arrays of its exact float32 weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from automata.aliases import Symbol
from ratproof.certification.ordinary_networks.arithmetic import Array, Duals, Forms, Points
from ratproof.certification.ordinary_networks.slopes import Slopes

Vectors = TypeVar("Vectors", Points, Duals, Forms, Slopes)
GATES = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "lstm": 4}
"""The cells, with the number of blocks of their weights."""


@dataclass(frozen=True)
class Layer:
    """The weights of one layer of G blocks (gates) of H units.

    Attributes:
        input_weight: Shape ``(G * H, inputs)``.
        weight: The recurrent weight, of shape ``(G * H, H)``.
        input_bias: Shape ``(G * H,)``; zeros without biases.
        bias: The recurrent bias, of shape ``(G * H,)``.
    """

    input_weight: Array
    weight: Array
    input_bias: Array
    bias: Array


@dataclass(frozen=True)
class OrdinaryNetwork:
    """An ``nn.RNN``, ``nn.GRU`` or ``nn.LSTM`` with a linear classifier of its last output.

    A state is the concatenation of ``h`` of each layer, or of ``h`` and ``c`` of each layer of an LSTM. The
    network starts with zeros.

    Attributes:
        cell: One of :data:`GATES`.
        layers: One or more layers, the first one first.
        embeddings: The input vector of each symbol, of shape ``(symbols, inputs)``.
        readout: The classifier's weight, of shape ``(classes, H)``.
        readout_bias: Shape ``(classes,)``.
        threshold: With one class, a string is accepted if the classifier's output exceeds it.
        alphabet: The symbols.
        spread: If symbols stand for groups of symbols: for each of them, the largest distance of the first
            layer's inputs from their center, of shape ``(symbols, G * H)``; otherwise None.
    """

    cell: str
    layers: tuple[Layer, ...]
    embeddings: Array
    readout: Array
    readout_bias: Array
    threshold: float
    alphabet: tuple[Symbol, ...]
    spread: Array | None = None

    @property
    def units(self) -> int:
        """The number of units of a layer, H."""
        return int(self.layers[0].weight.shape[1])

    @property
    def size(self) -> int:
        """The number of entries of a state, D."""
        return self.units * len(self.layers) * (2 if self.cell == "lstm" else 1)

    @property
    def decisions(self) -> int:
        """The number of different decisions: 2 with a threshold, otherwise the number of classes."""
        return max(2, len(self.readout))

    def step(self, state: Vectors, symbols: Sequence[int] | np.ndarray) -> Vectors:
        """Return the next states: each row of ``state`` reads the symbol with its index in ``symbols``."""
        vectors = self._lift(self.embeddings[np.asarray(symbols)], state)
        parts: list[Vectors] = []
        width = self.units * (2 if self.cell == "lstm" else 1)
        for index, layer in enumerate(self.layers):
            old = state[index * width : (index + 1) * width]
            terms = layer.input_weight.shape[1] + self.units + 2
            received = vectors.linear(layer.input_weight, layer.input_bias, terms)
            if self.spread is not None and index == 0 and isinstance(received, Forms):
                received = received.widened(self.spread[np.asarray(symbols)])
            if self.cell == "lstm":
                hidden, memory = self._lstm(layer, received, old, terms)
                parts += [hidden, memory]
            else:
                hidden = (self._gru if self.cell == "gru" else self._rnn)(layer, received, old, terms)
                parts.append(hidden)
            vectors = hidden
        return parts[0].joined(*parts[1:])

    def logits(self, state: Vectors) -> Vectors:
        """Return the classifier's outputs, minus the threshold if there is one."""
        width = self.units * (2 if self.cell == "lstm" else 1)
        start = (len(self.layers) - 1) * width
        hidden = state[start : start + self.units]
        bias = self.readout_bias - (self.threshold if len(self.readout) == 1 else 0)
        return hidden.linear(self.readout, bias, self.units + 2)

    def margins(self, state: Vectors, decisions: np.ndarray) -> Vectors:
        """Return numbers that are positive if and only if the network takes these decisions.

        Args:
            state: N states.
            decisions: N decisions: 0 or 1 with a threshold, otherwise a class.

        Returns:
            One column with a threshold, otherwise one for each class; the column of the decision itself is 1.
        """
        values = self.logits(state)
        if len(self.readout) == 1:
            return values * self._lift(np.where(decisions > 0, 1.0, -1.0)[:, None], state)
        rows = np.arange(len(decisions))[:, None]
        others = np.arange(len(self.readout))[None, :] + np.zeros_like(rows)
        gaps = values.take(rows, decisions[:, None] + np.zeros_like(others)) - values.take(rows, others)
        own = (others == decisions[:, None]).astype(float)
        return gaps + self._lift(own, state)

    def decide(self, states: Array) -> np.ndarray:
        """Return the decision at each state: 0 or 1 with a threshold, otherwise the class."""
        values = self.logits(Points(states)).center
        return (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else values.argmax(1)

    @cached_property
    def start(self) -> Array:
        """The state before the first symbol, of shape ``(D,)``."""
        return np.zeros(self.size)

    @staticmethod
    def _lift(values: Array, like: Vectors) -> Vectors:
        """Return constants in the arithmetic of ``like``: points, Jacobians, affine forms or slopes."""
        if isinstance(like, Points):
            return Points(values)
        if isinstance(like, Slopes):
            return Slopes.region(values, np.zeros((*values.shape, like.slope.shape[-1])))
        zeros = np.zeros((*values.shape, like.generators.shape[-1]))
        if isinstance(like, Duals):
            return Duals(values, zeros)
        return Forms.region(values, zeros, like.box)

    def _rnn(self, layer: Layer, received: Vectors, old: Vectors, terms: int) -> Vectors:
        total = received + old.linear(layer.weight, layer.bias, terms)
        return total.tanh() if self.cell == "rnn_tanh" else total.relu()

    def _gru(self, layer: Layer, received: Vectors, old: Vectors, terms: int) -> Vectors:
        n = self.units
        recurrent = old.linear(layer.weight, layer.bias, terms)
        reset = (received[:n] + recurrent[:n]).sigmoid()
        update = (received[n : 2 * n] + recurrent[n : 2 * n]).sigmoid()
        new = (received[2 * n :] + reset * recurrent[2 * n :]).tanh()
        return old.blend(new, update)

    def _lstm(self, layer: Layer, received: Vectors, old: Vectors, terms: int) -> tuple[Vectors, Vectors]:
        n = self.units
        total = received + old[:n].linear(layer.weight, layer.bias, terms)
        entry, forget, output = total[:n].sigmoid(), total[n : 2 * n].sigmoid(), total[3 * n :].sigmoid()
        memory = forget * old[n:] + entry * total[2 * n : 3 * n].tanh()
        return output * memory.tanh(), memory
