"""Functions that are shared by the certification of different networks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from torch import Tensor

from automata.aliases import Floats, Symbols
from automata.errors import InputError


class TokenNumbers:
    """The tokens of a network: its symbols in order, then the start token and the end token."""

    alphabet: Symbols

    @property
    def start(self) -> int:
        """Return the start token."""
        return len(self.alphabet)

    @property
    def end(self) -> int:
        """Return the end token."""
        return len(self.alphabet) + 1


def array(tensor: Tensor) -> Floats:
    """Return a tensor's float32 or float64 values, exactly."""
    return np.asarray(tensor.detach().cpu().double().numpy())


def only_one(cells: Any) -> Any:
    """Return the only layer of a network; raise InputError if there are more."""
    if len(cells) != 1:
        raise InputError(f"the network must have one layer, got {len(cells)}")
    return cells[0]


def positive(own: float, temperature: float | Fraction | None, hint: str = "") -> Fraction:
    """Return a temperature as a positive exact number; the default is the temperature of the network."""
    tau = Fraction(own if temperature is None else temperature)
    if tau <= 0:
        raise InputError(f"temperature must be positive, got {temperature}{hint}")
    return tau


def hexadecimal(values: Any) -> Any:
    """Return floats, or nested lists of floats, as exact hexadecimal strings; infinity becomes ``"inf"``."""
    if np.ndim(values):
        return [hexadecimal(part) for part in values]
    return float(values).hex() if np.isfinite(values) else str(float(values))
