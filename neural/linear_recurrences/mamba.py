"""Mamba (S6, Gu and Dao 2023, algorithm 2): h <- exp(Delta A) h + Delta B x, and the output C h + D x.

Delta, B, C and x depend on the last w tokens, like the outputs of a convolution of width w.
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
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, diagonal, dot, scanned
from neural.linear_recurrences.kind import KEYS, column


class MambaCell(LinearRecurrenceCell):
    """A Mamba cell, where Delta = softplus(z), and z, B, C and x are linear maps of the window.

    A is the log-sigmoid of a parameter, so it is negative, and D is a parameter.
    """

    token = "z B[N] C[N] x"
    layer = "D A[N]"
    names = "a[N] B[N] C[N] x D"
    functions: ClassVar[Functions] = {"A": functional.logsigmoid}

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the gates of the step: a = exp(Delta A), Delta B (named ``B``), C, x and D."""
        delta = -functional.logsigmoid(-raw["z"])
        decays = {f"a[{j}]": torch.exp(delta * raw[f"A[{j}]"]) for j in range(1, self.keys + 1)}
        keys = {f"B[{j}]": delta * raw[f"B[{j}]"] for j in range(1, self.keys + 1)}
        others = {name: value for name, value in raw.items() if name[0] in "CxD"}
        return {**decays, **keys, **others}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h_j <- a_j h_j + B_j x of a token's step, and the output C h + D x.

        Here B is the gate Delta B of :meth:`derived`.
        """
        return AffineStep([b * g.x for b in g.B], diagonal(g.a), g.C, g.D * g.x)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states h_t by the selective scan, and the outputs C_t h_t + D x_t."""
        h = scanned(g.a, [b * g.x for b in g.B], first)
        return [*h, dot(g.C, h) + g.D * g.x]


class Mamba(Recurrent):
    """A Mamba layer, whose outputs are C_t h_t + D x_t.

    Args:
        keys: N, the size of the state. Defaults to 2.
        window: w, the number of tokens that the gates read. Defaults to 1, without a convolution.
    """

    cell_class = MambaCell


KIND = LayerKind(
    "mamba",
    Mamba,
    options={"keys": st.integers(1, 2), "window": st.integers(1, 2)},
    weights=column("h", letter="w", size="window"),
)
WITHOUT_CONVOLUTION = LayerKind(
    "mamba-without-convolution", Mamba, options=KEYS, weights=column("h", letter="N")
)
