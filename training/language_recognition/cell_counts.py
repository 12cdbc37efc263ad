"""The depth (number of open brackets) as a linear function of the cell state c_t.

The function is fitted on some strings and tested on other strings. The results state Figures 6 and 13 of Wang
& Niepert 2019 in numbers.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from training.language_recognition import parentheses
from training.language_recognition.network import TrainedAcceptor
from training.language_recognition.strings import Strings

FITTED = parentheses.ParenthesesColumn("fitted", (1, 5), (100, 100))
MEASURED = parentheses.ParenthesesColumn("measured", (20, 20), (1000, 1000))
FEW, MANY = 50, 200


def counted(network: TrainedAcceptor, seed: int) -> dict[str, float]:
    """Measure how well the cell state encodes the depth in balanced strings.

    The linear function is fitted on strings with depths up to 5 and length 100.

    Returns:
        ``r_squared``: the coefficient of determination on these strings. ``largest_error``: the largest error
        on strings of depth 20 and length 1,000. ``largest_error_of_one_cell``: the same for the best function
        of a single cell. ``drift_a_symbol``: the slope of the error against the position in the long strings.
    """
    rng = np.random.default_rng([seed, 0xC0])
    cells, depths, _ = _states(network, parentheses.draw(FITTED, MANY, 0, rng))
    with_one = np.column_stack([cells, np.ones(len(cells))])
    weights, *_ = np.linalg.lstsq(with_one, depths, rcond=None)
    squared = ((with_one @ weights - depths) ** 2).mean() / depths.var()
    single = [np.polyfit(cells[:, i], depths, 1) for i in range(cells.shape[1])]
    best = int(
        np.argmin([((np.polyval(one, cells[:, i]) - depths) ** 2).mean() for i, one in enumerate(single)])
    )
    far, deep, positions = _states(network, parentheses.draw(MEASURED, FEW, 0, rng))
    errors = np.column_stack([far, np.ones(len(far))]) @ weights - deep
    alone = np.polyval(single[best], far[:, best]) - deep
    return {
        "r_squared": float(1 - squared),
        "largest_error": float(np.abs(errors).max()),
        "largest_error_of_one_cell": float(np.abs(alone).max()),
        "drift_a_symbol": float(np.polyfit(positions, errors, 1)[0]),
    }


def _states(network: TrainedAcceptor, strings: Strings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cell state and the depth after each symbol of all strings, and the symbol's position."""
    tokens, lengths, _ = strings.at(torch.arange(len(strings)))
    with torch.no_grad():
        _, cells = network.states(tokens)
    steps = (tokens == parentheses.OPEN).long() - (tokens == parentheses.CLOSE).long()
    depths = torch.cumsum(steps, dim=0)
    there: Tensor = torch.arange(len(tokens))[:, None] < lengths
    positions = torch.arange(len(tokens))[:, None].expand_as(tokens)
    return (
        cells[1:][there].double().numpy(),
        depths[there].double().numpy(),
        positions[there].double().numpy(),
    )
