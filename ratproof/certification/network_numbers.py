"""What the numbers of all certified networks have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from torch import Tensor

from automata.aliases import Floats, Symbols
from automata.errors import InputError


class TokenNumbers:
    """The tokens of a network: its symbols in order, and then the start and the end token."""

    alphabet: Symbols

    @property
    def start(self) -> int:
        """The start token."""
        return len(self.alphabet)

    @property
    def end(self) -> int:
        """The end token."""
        return len(self.alphabet) + 1


def array(tensor: Tensor) -> Floats:
    """Return a tensor's numbers, exactly: it holds float32 or float64."""
    return np.asarray(tensor.detach().cpu().double().numpy())


def only_one(cells: Any) -> Any:
    """Return the only layer; raise InputError if there are more."""
    if len(cells) != 1:
        raise InputError(f"the network has {len(cells)} layers, where one is right")
    return cells[0]


def positive(own: float, temperature: float | Fraction | None, hint: str = "") -> Fraction:
    """Return a temperature, or a network's own, exactly; raise InputError unless it is positive."""
    tau = Fraction(own if temperature is None else temperature)
    if tau <= 0:
        raise InputError(f"temperature is {temperature}, where a positive number is right{hint}")
    return tau


def hexadecimal(values: Any) -> Any:
    """Return floats as texts of hexadecimal digits, exactly, or lists of them; infinite ones as inf."""
    if np.ndim(values):
        return [hexadecimal(part) for part in values]
    return float(values).hex() if np.isfinite(values) else str(float(values))
