"""The exact weights of a state-regularized acceptor, independent of torch, as in certificates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from automata.aliases import Floats, Symbols
from automata.errors import InputError
from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.network_numbers import TokenNumbers, array, only_one, positive

ARRAYS = ("embedding", "W", "b", "U", "c", "S", "w", "v")


@dataclass(frozen=True)
class Numbers(TokenNumbers):
    """The weights of one layer without a cell state that mixes its centroids (equation 5).

    Attributes:
        kind: ``"sr-elman"`` or ``"sr-gru"``.
        similarity: ``"dot"`` (equation 2) or ``"euclidean"`` (equation 3).
        temperature: tau, exactly.
        alphabet: The symbols; token i is the i-th.
        start_token: Whether a start token is read first; otherwise alpha starts as the one-hot vector of
            centroid 0.
        embedding: Shape ``(tokens, e)``; the last two tokens are start and end.
        W, b: Weights of the input, shapes ``(g d, e)`` and ``(g d,)``, with g = 1 gate (Elman) or 3 (GRU: r,
            z, n).
        U, c: Weights of the hidden state, shapes ``(g d, d)`` and ``(g d,)``.
        S: The centroids as columns, shape ``(d, k)``.
        w, v: Weights of the classifier, shapes ``(d,)`` and ``()``, which accepts if w u + v > 0.
    """

    kind: str
    similarity: str
    temperature: Fraction
    alphabet: Symbols
    start_token: bool
    embedding: Floats
    W: Floats
    b: Floats
    U: Floats
    c: Floats
    S: Floats
    w: Floats
    v: Floats

    @property
    def k(self) -> int:
        """Return the number of centroids."""
        return int(self.S.shape[1])


def numbers_of(network: Acceptor, temperature: float | Fraction | None = None) -> Numbers:
    """Return the network's weights, with the given temperature or the network's own.

    Raises:
        InputError: If the network does not have one layer without a cell state that mixes centroids.
    """
    cell = only_one(network.cells)
    if not cell.memoryless:
        raise InputError(
            "the network must have no cell state (kind sr-elman or sr-gru), because a cell state can take"
            f" infinitely many values, got kind {network.kind}"
        )
    component = cell.component
    if component.transition != "mixture":
        why = {
            "sampled": (
                "with equation 4, the probability that the network leaves its automaton tends to 1 as the"
                " string grows"
            ),
            "limit": "the network is equal to its automaton; use ratproof extract",
        }[component.transition]
        raise InputError(
            f"the network's transition must be 'mixture' (equation 5), got {component.transition!r}: {why}"
        )
    hint = "; use ratproof extract for the automaton of the limit 0"
    tau = positive(component.temperature, temperature, hint)
    return Numbers(
        network.kind,
        component.similarity,
        tau,
        network.alphabet,
        network.start_token,
        array(network.embedding.weight),
        array(cell.part.input.weight),
        array(cell.part.input.bias),
        array(cell.part.hidden.weight),
        array(cell.part.hidden.bias),
        array(component.centroids),
        array(network.classifier.weight[0]),
        array(network.classifier.bias[0]),
    )
