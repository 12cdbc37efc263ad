"""Conversion of a network to exact numbers, which all three commands use."""

from __future__ import annotations

from automata.errors import InputError
from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.soft_networks.numbers import Numbers, numbers_of
from ratproof.commands.terminal import naming


def numbers_at(path: str, network: Acceptor, temperature: float | None) -> Numbers:
    """Return a network as exact numbers, at the given temperature or at its own temperature if it is None."""
    if temperature is not None and not 0 < temperature < float("inf"):
        raise InputError(
            f"--temperature must be positive, got {temperature}; use ratproof extract for the"
            " automaton of the limit 0"
        )
    with naming(path):
        return numbers_of(network, temperature)
