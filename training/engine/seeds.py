"""Seeds that are derived from several numbers, such as the run's seed and the epoch.

>>> mixed(0, 1) == mixed(0, 1) != mixed(1, 0)
True
"""

from __future__ import annotations

import numpy as np


def mixed(*numbers: int) -> int:
    """Return a seed of 63 bits from several non-negative numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))
