"""The LRU (Orvieto et al. 2023, section 3): complex x <- Lambda x + B u, and the output Re(C x) + D u."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import torch
from torch import Tensor

from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, naively, total
from neural.linear_recurrences.kind import KEYS, column


class LRUCell(LinearRecurrenceCell):
    """A cell of the LRU with the parameters Lambda = a + ib and C = c + id.

    The modulus of Lambda is a sigmoid of a parameter, and its angle is 2 arctan t, where t is the tanh of a
    parameter. B u = p + ir and D u are linear maps of the input.

    Attributes:
        doubled: whether the output is 2 Re(C x) + D u.
    """

    token = "p[N] r[N] Du"
    layer = "modulus[N] turn[N] c[N] d[N]"
    names = "a[N] b[N] c[N] d[N] p[N] r[N] Du"
    functions: ClassVar[Functions] = {"modulus": torch.sigmoid, "turn": torch.tanh}
    doubled: ClassVar[bool] = False
    per_key = 2  # the real parts come first, and then the imaginary parts

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the real and imaginary parts of Lambda, and the other gates."""
        parts: dict[str, Any] = {}
        for j in range(1, self.keys + 1):
            modulus, t = raw.pop(f"modulus[{j}]"), raw.pop(f"turn[{j}]")
            scale = modulus / (1 + t * t)
            parts |= {f"a[{j}]": (1 - t * t) * scale, f"b[{j}]": 2 * t * scale}
        return {**parts, **raw}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map x <- Lambda x + B u of a token's step, and the output Re(C x) + D u.

        The map's components are the real parts and then the imaginary parts of x. The output is
        2 Re(C x) + D u if ``doubled`` is true.
        """
        n = len(g.a)
        moves: dict[tuple[int, int], Any] = {}
        for j, (a, b) in enumerate(zip(g.a, g.b, strict=True)):
            moves |= {(j, j): a, (n + j, n + j): a, (j, n + j): b, (n + j, j): -b}
        read = [*g.c, *(-d for d in g.d)]
        return AffineStep([*g.p, *g.r], moves, [x + x for x in read] if self.doubled else read, g.Du)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states x_t, as real and imaginary parts, and the outputs."""

        def step(t: SimpleNamespace, x: list[Tensor]) -> list[Tensor]:
            re, im = complex_step(t, x)
            products = (c * u - d * v for c, d, u, v in zip(t.c, t.d, re, im, strict=True))
            real_part = total(products)
            return [*re, *im, (2 * real_part if self.doubled else real_part) + t.Du]

        return naively(step, g, first)


def complex_step(t: SimpleNamespace, x: Sequence[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    """Return the real parts and then the imaginary parts of Lambda x + B u."""
    n = len(t.a)
    rows = list(zip(t.a, t.b, t.p, t.r, x[:n], x[n:], strict=True))
    return (
        [a * re - b * im + p for a, b, p, _, re, im in rows],
        [b * re + a * im + r for a, b, _, r, re, im in rows],
    )


class LRU(Recurrent):
    """An LRU layer, whose outputs are Re(C x_k) + D u_k.

    Args:
        keys: N, the number of complex components. Defaults to 2.
    """

    cell_class = LRUCell


KIND = LayerKind("lru", LRU, options=KEYS, weights=column("re", "im", letter="N"))
