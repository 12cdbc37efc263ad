"""The gates of a unit of RRNN(C) or RRNN(F), which has a state (c1, c2).

Peng et al. 2018, section 6.1 and appendix D, equations 25 and 26.
"""

from __future__ import annotations

from theory.signature import WeightEntry, by_symbol
from theory.weights import Weights

GATES: tuple[WeightEntry, ...] = (
    *(by_symbol(name) for name in ("f1", "z1", "f2", "z2")),
    by_symbol("u1", derived=lambda w, x: (1 - w.f1[x]) * w.z1[x]),
    by_symbol("u2", derived=lambda w, x: (1 - w.f2[x]) * w.z2[x]),
)
"""The gates f1 and f2, the inputs z1 and z2 (W_u v), and the updates u_j = (1 - f_j) z_j.

In proofs, the updates are any weights.
"""


def without_complements(w: Weights) -> Weights:
    """Return the weights with the updates u_j = z_j = W_u v instead of u_j = (1 - f_j) z_j."""
    return w.changed(u1=w.z1, u2=w.z2)
