"""Type aliases shared by the modules: weights, arrays of weights, symbols, JSON objects."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Weight: TypeAlias = Any
"""An element of a semiring: ``float``, ``int``, ``Fraction``, ``bool``, or an expression of a free semiring.

These types have no common base or protocol. The semiring defines plus and times, not the type; over
max-plus, ``a + b`` is a product. The alias is therefore ``Any``, and semirings check values at run
time.
"""
Weights: TypeAlias = NDArray[Any]
"""An array of weights, of any shape: float64, bool, or objects (exact numbers, expressions)."""
WeightsLike: TypeAlias = ArrayLike | Sequence[Any]
"""Weights as a user writes them, such as ``[[1, 1], [0, "1/2"]]``; NumPy's type excludes mixed lists."""
Floats: TypeAlias = NDArray[np.float64]
"""An array of float64."""
Symbol: TypeAlias = Hashable
"""A symbol of an alphabet."""
String: TypeAlias = Sequence[Any]
"""A sequence of symbols: a Python string of one-letter symbols, or a list or tuple of any symbols."""
Symbols: TypeAlias = tuple[Any, ...]
"""An alphabet or a string, as a tuple; the types of its symbols are not checked statically."""
JsonObject: TypeAlias = dict[str, Any]
"""A JSON object for ``json.dumps``; its fields are those of its format (``docs/reference/formats.md``)."""
