"""A network as exact numbers, as all three commands need it."""

from __future__ import annotations

from typing import Any

from automata.errors import InputError
from ratproof.certification.soft_networks.numbers import Numbers, numbers_of


def numbers_at(path: str, network: Any, temperature: float | None) -> Numbers:
    """A network's numbers at that temperature, its own without."""
    if temperature is not None and not 0 < temperature < float("inf"):
        raise InputError(
            f"--temperature is {temperature}, where a positive number is right; ratproof extract gives the"
            " automaton of the limit 0"
        )
    try:
        return numbers_of(network, temperature)
    except InputError as error:
        raise error.about(path) from None
