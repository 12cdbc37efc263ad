"""S4D (Gu et al. 2022) after its discretisation: the recurrence of the LRU with N conjugate pairs.

Only one component of each pair is stored, so the output is 2 Re(C x) + D u.
"""

from __future__ import annotations

from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.linear_recurrences.kind import KEYS, column
from neural.linear_recurrences.lru import LRUCell


class S4DCell(LRUCell):
    """An S4D cell, which is a cell of the LRU with the output 2 Re(C x) + D u."""

    doubled = True


class S4D(Recurrent):
    """An S4D layer, whose outputs are 2 Re(C x_k) + D u_k.

    Args:
        keys: N, the number of conjugate pairs. Defaults to 2.
    """

    cell_class = S4DCell


KIND = LayerKind("s4d", S4D, options=KEYS, weights=column("re", "im", letter="N"))
