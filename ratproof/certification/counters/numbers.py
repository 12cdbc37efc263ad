"""The weights of a network with a cell state, as float64 arrays, and its bracket symbols.

Float64 represents the weights of float32 and float64 networks exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from automata.aliases import Floats, Symbols
from automata.errors import InputError
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.layers import SRCell
from ratproof.certification.network_numbers import TokenNumbers, array, only_one, positive

KINDS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p")
"""Kinds of networks whose cell may count."""
OPEN, CLOSE = "(", ")"


@dataclass(frozen=True)
class CounterNumbers(TokenNumbers):
    """The weights of a network with d units, a cell state, and optionally k centroids.

    Attributes:
        kind: One of :data:`KINDS`.
        temperature: tau; ``None`` if there are no centroids.
        alphabet: The symbols; the start token and the end token follow.
        start_token: Whether the network reads a start token.
        embedding: One row per token.
        W, b, U, c: Weights and biases of the input and of h, with the gates i, f, g, o stacked, of shapes
            ``(4 d, size)``, ``(4 d,)``, ``(4 d, d)`` and ``(4 d,)``.
        P: The peepholes of i, f and o, shape ``(3, d)``; zero if there are none.
        S: The centroids as columns, shape ``(d, k)``; ``None`` if there are none.
        w, v: Weights of the classifier, shapes ``(d,)`` and ``()``, which accepts if w u + v > 0.
    """

    kind: str
    temperature: Fraction | None
    alphabet: Symbols
    start_token: bool
    embedding: Floats
    W: Floats
    b: Floats
    U: Floats
    c: Floats
    P: Floats
    S: Floats | None
    w: Floats
    v: Floats

    @property
    def d(self) -> int:
        """Return the number of units."""
        return len(self.w)

    @property
    def opening(self) -> int:
        """Return the token of ``(``."""
        return self.alphabet.index(OPEN)

    @property
    def closing(self) -> int:
        """Return the token of ``)``."""
        return self.alphabet.index(CLOSE)

    @property
    def first_h(self) -> Floats:
        """Return the first state h: zero, or centroid 0 if there are centroids and no start token."""
        return np.zeros(self.d) if self.start_token or self.S is None else self.S[:, 0]

    def depth_change(self, token: int) -> int:
        """Return the number that a symbol adds to the depth: 1 for ``(``, -1 for ``)``, otherwise 0."""
        return (token == self.opening) - (token == self.closing)


def counts(network: Acceptor) -> bool:
    """Return whether the network is of a kind that has a cell state and may therefore count."""
    return network.kind in KINDS


def numbers_of(network: Acceptor, temperature: float | Fraction | None = None) -> CounterNumbers:
    """Return the network's weights, with the given temperature or the network's own.

    Raises:
        InputError: If the network does not have one layer with a cell state, its alphabet lacks a bracket, or
            it chooses centroids instead of mixing them.
    """
    if not counts(network):
        raise InputError(
            f"the network must have a cell state: its kind must be one of {', '.join(KINDS)}, got"
            f" {network.kind}"
        )
    cell = only_one(network.recurrent_cells)
    lacking = [symbol for symbol in (OPEN, CLOSE) if symbol not in network.alphabet]
    if lacking:
        raise InputError(
            f"the alphabet must contain '(' and ')', got an alphabet without {lacking[0]!r}; a network"
            f" with a cell state ({network.kind}) is certified for the language of balanced parentheses"
        )
    tau, centroids = None, None
    if isinstance(cell, SRCell):
        component = cell.component
        if (component.transition, component.similarity) != ("mixture", "dot"):
            raise InputError(
                "the network must have the transition 'mixture' (equation 5) and the similarity 'dot'"
                f" (equation 2), got {component.transition!r} and {component.similarity!r}"
            )
        tau = positive(component.temperature, temperature)
        centroids = array(component.centroids)
    elif temperature is not None:
        raise InputError(
            f"temperature must not be set for a network of kind {network.kind}, which has no centroids, got"
            f" {temperature}"
        )
    part = cell.part
    peepholes = getattr(part, "peepholes", None)
    return CounterNumbers(
        network.kind,
        tau,
        network.alphabet,
        network.start_token,
        array(network.embedding.weight),
        array(part.input.weight),
        array(part.input.bias),
        array(part.hidden.weight),
        array(part.hidden.bias),
        np.zeros((3, part.hidden.in_features)) if peepholes is None else array(peepholes),
        centroids,
        array(network.classifier.weight[0]),
        array(network.classifier.bias[0]),
    )
