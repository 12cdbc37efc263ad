"""Error rates of a network on parentheses of many depths and lengths.

They extend Table 1 of Wang & Niepert 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import Tensor

from training.language_recognition import parentheses
from training.language_recognition.strings import Strings

DEPTHS, LENGTHS = (1, 5, 10, 20, 30, 40, 50), (120, 250, 500, 1000)
"""The depths and lengths; there are many balanced strings of the shortest length and the largest depth."""


def reach(right: Callable[[Strings], Tensor], many: int, seed: int) -> dict[str, Any]:
    """Return the error rate for each depth and length.

    Args:
        right: a function that returns whether each string is classified correctly, shape ``(N,)``.
        many: the number of strings for each depth and length; half of them are balanced.
        seed: the seed of the strings, the same for all networks.

    Returns:
        An object with ``depths``, ``lengths``, ``strings`` (the number of strings for each depth and length),
        and ``errors`` (for each depth, a list with the error rate for each length).
    """
    errors: list[list[float]] = []
    for depth in DEPTHS:
        row: list[float] = []
        for length in LENGTHS:
            column = parentheses.ParenthesesColumn("reach", (depth, depth), (length, length))
            rng = np.random.default_rng([seed, depth, length])
            strings = parentheses.draw(column, many // 2, many - many // 2, rng)
            row.append(float((~right(strings)).double().mean()))
        errors.append(row)
    return {"depths": list(DEPTHS), "lengths": list(LENGTHS), "strings": many, "errors": errors}
