"""Mamba-3 (Lahoti et al. 2026, Proposition 1) with one input and one output, and a state of rotating pairs.

The step is h_t = a h_{t-1} + (1 - lambda) Delta a B_{t-1} x_{t-1} + lambda Delta B_t x_t, where a = exp(Delta
A). The output is C_t^T h_t.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, naively
from neural.linear_recurrences.kind import column


class Mamba3Cell(LinearRecurrenceCell):
    """A Mamba-3 cell, whose state consists of pairs of components that rotate.

    Its gates are z, B, E, C and x (linear), A (log-sigmoid) and lambda (sigmoid), and Delta is softplus(z). A
    pair is a complex number. Its input is B x + i E x, and it rotates by the angle 2 arctan t, where t is the
    tanh of a linear map.
    """

    token = "z A lambda turn[N] B[N] E[N] c[N] d[N] x"
    names = "a[N] b[N] beta gamma p[N] r[N] c[N] d[N]"
    functions: ClassVar[Functions] = {"A": functional.logsigmoid, "lambda": torch.sigmoid, "turn": torch.tanh}
    per_key = 4  # the real and imaginary parts of the state, and then of the previous token's input

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the gates of the step h_t = (a + ib) (h_{t-1} + beta u_{t-1}) + gamma u_t, where u = p + ir.

        The modulus of a + ib is exp(Delta A), u is the input of a pair, beta is (1 - lambda) Delta, and gamma
        is lambda Delta. The gates c and d of the output are returned unchanged.
        """
        delta = -functional.logsigmoid(-raw["z"])
        decay = torch.exp(delta * raw["A"])
        parts: dict[str, Any] = {}
        for j in range(1, self.keys + 1):
            t = raw[f"turn[{j}]"]
            scale = decay / (1 + t * t)
            parts |= {f"a[{j}]": (1 - t * t) * scale, f"b[{j}]": 2 * t * scale}
            parts |= {f"p[{j}]": raw[f"B[{j}]"] * raw["x"], f"r[{j}]": raw[f"E[{j}]"] * raw["x"]}
        read = {name: value for name, value in raw.items() if name[0] in "cd"}
        return {**parts, **read, "beta": (1 - raw["lambda"]) * delta, "gamma": raw["lambda"] * delta}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map of a token's step, and the output weights C.

        The map decays and rotates the pairs of the state, and adds the current and the previous input. The
        state of the map also contains the previous input.
        """
        n = len(g.a)
        moves: dict[tuple[int, int], Any] = {}
        for j, (a, b) in enumerate(zip(g.a, g.b, strict=True)):
            moves |= {(j, j): a, (n + j, n + j): a, (j, n + j): b, (n + j, j): -b}
        moves |= {(2 * n + i, j): g.beta * move for (i, j), move in moves.items()}
        update = [*(g.gamma * x for x in (*g.p, *g.r)), *g.p, *g.r]
        return AffineStep(update, moves, [*g.c, *g.d])

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states h_t, the inputs u_t and the outputs C_t^T h_t token by token.

        The states and inputs are complex; their real and imaginary parts are separate.
        """

        def step(t: SimpleNamespace, state: list[Tensor]) -> list[Tensor]:
            n = len(t.a)
            re, im = (
                [x + t.beta * y for x, y in zip(state[k : k + n], state[k + 2 * n : k + 3 * n], strict=True)]
                for k in (0, n)
            )
            rows = list(zip(t.a, t.b, re, im, t.p, t.r, strict=True))
            new = [
                *(a * x - b * y + t.gamma * p for a, b, x, y, p, _ in rows),
                *(b * x + a * y + t.gamma * r for a, b, x, y, _, r in rows),
            ]
            return [*new, *t.p, *t.r, dot([*t.c, *t.d], new)]

        return naively(step, g, first)


class Mamba3(Recurrent):
    """A Mamba-3 layer with one input and one output, whose outputs are C_t^T h_t.

    Args:
        keys: N, the number of pairs of components. Defaults to 2.
    """

    cell_class = Mamba3Cell


KIND = LayerKind(
    "mamba-3",
    Mamba3,
    options={"keys": st.integers(1, 2)},
    weights=column("re", "im", "last_re", "last_im", letter="N"),
)
