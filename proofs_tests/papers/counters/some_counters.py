"""Hand-written counters, and variants with planted faults."""

from collections.abc import Callable

import torch

from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.counters.numbers import KINDS

BIG = 16.0
"""Minimum distance of a gate's pre-activation from zero, except for the terms that read h."""
Change = Callable[[Acceptor], None]


def counter(kind: str = "lstm", letters: str = "a", start_token: bool = True, big: float = BIG) -> Acceptor:
    """Return a network of 3 units that decides balanced parentheses.

    Unit 0 counts: a bracket opens its input gate, and its candidate is +1 or -1. Unit 1 decreases if a ``)``
    is read at depth 0, which its input gate reads from h. Unit 2 is 1 from the start token on, as a reference
    for the centroids. The classifier requires that unit 0 is not above zero and that unit 1 is zero.
    """
    assert kind in KINDS
    mixes, d, n = kind.startswith("sr-"), 3, len(letters)
    options = {"k": 2} if mixes else {}
    network = Acceptor(
        (*letters, "(", ")"),
        kind,
        d,
        embedding_size=n + 4,
        start_token=start_token,
        dtype=torch.float64,
        **options,
    )
    opening, closing, start = n, n + 1, n + 2
    i, f, g, o = range(0, 4 * d, d)
    part = network.recurrent_cells[0].part
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.embedding.weight.copy_(torch.eye(n + 4))
        reads, bias, inner = part.input.weight, part.input.bias, part.hidden.weight
        bias[i : i + d], bias[f : f + d], bias[o : o + d] = -big, big, big
        reads[i, opening] = reads[i, closing] = 2 * big
        reads[g, opening], reads[g, closing] = big, -big
        bias[g + 1] = -big
        if mixes:  # h is 20 or -20 at unit 0: it encodes whether the depth is above zero
            bias[i + 1], reads[i + 1, closing], inner[i + 1, 0] = -2 * big, 2 * big, -big / 20
            network.cells[0].component.centroids.copy_(torch.tensor([[20.0, -20.0], [0, 0], [-10.0, 10.0]]))
        else:
            reads[i + 1, closing], inner[i + 1, 0] = 2.5 * big, -4 * big
        reads[i + 2, start], bias[g + 2] = 2 * big, big
        network.classifier.weight[0] = torch.tensor([-10.0, 40.0, 0.0])
        network.classifier.bias[0] = 4.0
    return network.eval()


def broken(change: Change, kind: str = "lstm", **options: object) -> Acceptor:
    """Return a counter with a change to its weights."""
    network = counter(kind, **options)  # type: ignore[arg-type]
    with torch.no_grad():
        change(network)
    return network


def wrong_sign(network: Acceptor) -> None:
    """Change the classifier so that it accepts strings that it should reject."""
    network.classifier.weight.neg_()
    network.classifier.bias.neg_()


def leaking_letter(network: Acceptor) -> None:
    """Make each letter add one to the count."""
    part = network.recurrent_cells[0].part
    part.input.weight[0, 0], part.input.weight[6, 0] = 2 * BIG, BIG


def slow_leak(network: Acceptor) -> None:
    """Make each letter add about 0.02 to the count, which has no effect on short strings."""
    part = network.recurrent_cells[0].part
    part.input.weight[0, 0], part.input.weight[6, 0] = BIG - 4, BIG


def no_memory_of_death(network: Acceptor) -> None:
    """Make the network accept strings whose count fell below zero and returned."""
    network.classifier.weight[0, 1] = 0.0


def closing_peephole(network: Acceptor) -> None:
    """Make the input gate close when the count grows, so that counting stops above some height."""
    network.recurrent_cells[0].part.peepholes[0, 0] = -5.0
