"""The types that pass between the modules: weights, arrays of weights, symbols, JSON objects."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Weight: TypeAlias = Any
"""An element of a semiring: ``float``, ``int``, ``Fraction``, ``bool``, or an expression of a free semiring.

They share no base and no protocol: what plus and times are, the semiring says and not the type (over max-plus
``a + b`` is a product). So a type checker is told nothing here, and the semirings check values.
"""
Weights: TypeAlias = NDArray[Any]
"""An array of weights, of any shape: float64, bool, or objects (exact numbers, expressions)."""
Floats: TypeAlias = NDArray[np.float64]
"""An array of float64."""
Symbol: TypeAlias = Hashable
"""A symbol of an alphabet."""
String: TypeAlias = Sequence[Any]
"""A sequence of symbols: a Python string of one-letter symbols, or a list or tuple of any symbols."""
Symbols: TypeAlias = tuple[Any, ...]
"""An alphabet, or a string, as a tuple; who made the alphabet knows what its symbols are."""
JsonObject: TypeAlias = dict[str, Any]
"""A JSON object, as ``json.dumps`` takes it; its fields are those of its format (``docs/formats.md``)."""
