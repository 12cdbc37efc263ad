"""RG-LRU (De et al. 2024, section 2.4): h <- a h + sqrt(1 - a^2) (i x) with a = sigmoid(Lambda)^(8 r).

The published program sets its state to zero before the first token, and does not multiply this token by
sqrt(1 - a^2).
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
from neural.linear_recurrence_cell import AffineStep, Functions, UnitCell, diagonal, scanned
from neural.linear_recurrences.kind import unit
from neural.pattern import ONE, START, ZERO, Pattern

C = 8
"""The constant c of De et al. 2024."""


class RGLRUCell(UnitCell):
    """An RG-LRU cell with the gates r and i (sigmoid), and x (linear)."""

    token = "r i x"
    layer = "Lambda"
    names = "a m ix"
    functions: ClassVar[Functions] = {"r": torch.sigmoid, "i": torch.sigmoid, "Lambda": functional.logsigmoid}

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the gates a, m = sqrt(1 - a^2), and i x."""
        a = torch.exp(C * raw["r"] * raw["Lambda"])
        return {"a": a, "m": torch.sqrt(1 - a * a), "ix": raw["i"] * raw["x"]}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h <- a h + m i x of a token's step."""
        return AffineStep([g.m * g.ix], diagonal([g.a]))

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute h_t = a_t h_{t-1} + m_t i_t x_t (equation 4)."""
        return scanned([g.a], [g.m * g.ix], first)


class RGLRU(Recurrent):
    """An RG-LRU layer as in the paper, whose outputs are h_t."""

    cell_class = RGLRUCell


class RGLRUAsProgrammedCell(RGLRUCell):
    """An RG-LRU cell that does not multiply the first token by m = sqrt(1 - a^2), like the published program.

    An additional component s of the state is 0 before the first token and 1 afterwards. The step of h is
    h <- a h + i x + s (m - 1) i x.
    """

    per_key = 2  # s and h

    @property
    def pattern(self) -> Pattern:  # type: ignore[override]
        """Return the pattern of the automaton, whose states are the constant 1, s and h; s starts at zero."""
        return Pattern((ONE, ZERO, START), (ZERO, ZERO, ONE), super().pattern.arrows)

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the first state: s = 0, and h = ``value``, which must be zero."""
        s, h = super().start(batch, value)
        return torch.zeros_like(s), h

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s <- 1, h <- a h + i x + s (m - 1) i x of a token's step."""
        return AffineStep([1, g.ix], {(0, 1): (g.m - 1) * g.ix, (1, 1): g.a})

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute s and h at all steps; h is computed by equation 4, but without the factor m if s is 0."""
        later = torch.ones_like(g.ix)
        seen = torch.cat([first[0].unsqueeze(0), later])[: len(later)]
        return [later, *scanned([g.a], [torch.where(seen == 0, g.ix, g.m * g.ix)], first[1:])]


class RGLRUAsProgrammed(Recurrent):
    """An RG-LRU layer as in the published program, whose outputs are h_t."""

    cell_class = RGLRUAsProgrammedCell


KIND = LayerKind("rg-lru", RGLRU, options={}, weights=unit("h"))
AS_PROGRAMMED = LayerKind(
    "rg-lru-as-programmed", RGLRUAsProgrammed, options={}, starts=st.none(), weights=unit("h")
)
