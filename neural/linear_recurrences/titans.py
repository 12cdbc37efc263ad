"""The linear memory of Titans (Behrouz et al. 2024, section 3.1), with momentum.

S <- eta S - 2 theta (M k - v) k^T, M <- (1 - alpha) M + S, o = M q.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column
from neural.linear_recurrences.momentum import momentum_step


def rate(x: Tensor) -> Tensor:
    """Return sigmoid(x) / 32, a learning rate small enough that gradient descent does not overshoot."""
    return torch.sigmoid(x) * 0.03125


class TitansCell(LinearRecurrenceCell):
    """A cell of the linear memory of Titans, whose state is the memory M and the momentum S.

    Its gates are alpha and eta (sigmoid), theta (:func:`rate`), k (tanh), and q and v (linear).
    """

    token = "alpha eta theta k[K] q[K] v"
    functions: ClassVar[Functions] = {
        **dict.fromkeys(("alpha", "eta"), torch.sigmoid),
        "theta": rate,
        "k": torch.tanh,
    }
    per_key = 2  # the memory comes first, and then the momentum

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map of a token's step, and the output weights q of the memory.

        The step is S <- eta S - 2 theta (M k - v) k^T, and then M <- (1 - alpha) M + S.
        """
        write = [2 * (g.theta * k) for k in g.k]
        left = [-x for x in write]
        return momentum_step(g.eta, 1 - g.alpha, 1, left, g.k, [x * g.v for x in write], g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the memory, the momentum and the output M_t q_t token by token.

        A step is one step of gradient descent with momentum, which also forgets a part of the memory.
        """

        def step(t: SimpleNamespace, state: list[Tensor]) -> list[Tensor]:
            m, s = state[: len(t.k)], state[len(t.k) :]
            error = dot(t.k, m) - t.v
            s = [t.eta * x - t.theta * (2 * (error * k)) for x, k in zip(s, t.k, strict=True)]
            m = [(1 - t.alpha) * x + y for x, y in zip(m, s, strict=True)]
            return [*m, *s, dot(t.q, m)]

        return naively(step, g, first)


class Titans(KeyedLayer):
    """The linear memory of Titans, whose outputs are M_t q_t."""

    cell_class = TitansCell


KIND = LayerKind("titans", Titans, options=KEYS, weights=column("m", "s"))
