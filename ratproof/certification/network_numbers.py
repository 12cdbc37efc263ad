"""Functions that are shared by the certification of different networks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from torch import Tensor

from automata.aliases import Floats, Symbols
from automata.errors import InputError

LEAST_TEMPERATURE = 1e-290
T = TypeVar("T")


class TokenNumbers:
    """The tokens of a network: its symbols in order, then the start token and the end token."""

    alphabet: Symbols
    temperature: Fraction | None

    @property
    def tau(self) -> float:
        """Return the temperature as a float that is at least ``LEAST_TEMPERATURE``; 1 if there is none.

        Division by a smaller number would overflow. Only the search uses this value. The proof uses the exact
        temperature, in ball arithmetic.
        """
        return max(float(self.temperature or 1), LEAST_TEMPERATURE)

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


def only_one(cells: Sequence[T]) -> T:
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
