"""HGRN (Qin et al. 2023): h <- f exp(i theta) h + (1 - f) c with complex states.

Without theta, the states are real.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import torch
from torch import Tensor

from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, UnitCell, diagonal, naively, scanned
from neural.linear_recurrences.kind import unit
from neural.pattern import ONE, ZERO, Windows, WindowWeights, arrays


class HGRNCell(UnitCell):
    """An HGRN cell, whose state h is complex.

    The score of a unit is the real part of its h if the unit's index is even, and the imaginary part if it is
    odd. The gate f is a sigmoid, and c is a linear map of the input. The angle is theta = 2 arctan t, where t
    is the tanh of a parameter.
    """

    token = "f c_re c_im"
    layer = "turn"
    names = "cos sin f c_re c_im"
    functions: ClassVar[Functions] = {"f": torch.sigmoid, "turn": torch.tanh}
    per_key = 2  # the real and the imaginary part

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the gates cos theta and sin theta, computed from t, and the other gates."""
        t = raw.pop("turn")
        scale = 1 / (1 + t * t)
        return {"cos": (1 - t * t) * scale, "sin": 2 * t * scale, **raw}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h <- f exp(i theta) h + (1 - f) c of a token's step.

        Its components are the real and the imaginary part of h.
        """
        keep, turn = g.f * g.cos, g.f * g.sin
        moves = {(0, 0): keep, (1, 1): keep, (0, 1): turn, (1, 0): -turn}
        return AffineStep([(1 - g.f) * g.c_re, (1 - g.f) * g.c_im], moves)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute h_t = f exp(i theta) h_{t-1} + (1 - f) c token by token, as real and imaginary parts."""

        def step(t: SimpleNamespace, h: list[Tensor]) -> list[Tensor]:
            re, im = h
            return [
                t.f * (t.cos * re - t.sin * im) + (1 - t.f) * t.c_re,
                t.f * (t.sin * re + t.cos * im) + (1 - t.f) * t.c_im,
            ]

        return naively(step, g, first)[:2]

    def shown_state(self, unit: int) -> int:
        """Return the index of the automaton's state whose weight is the unit's score.

        It is 1 (the real part) if ``unit`` is even, and 2 (the imaginary part) if it is odd.
        """
        return 1 + unit % 2

    def score(self, state: Sequence[Tensor]) -> Tensor:
        """Return the real parts for units with an even index, and the imaginary parts for the other units."""
        odd = torch.arange(self.hidden_size, device=state[0].device) % 2 == 1
        return torch.where(odd, state[1], state[0])

    def arrays(self, weights: WindowWeights, windows: Windows) -> list[Any]:
        """Return the arrays ``(initial, final, matrices)`` of each unit's automaton.

        The final state is the real part for units with an even index, and the imaginary part for the others.
        """
        finals = (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)
        parts = [
            arrays(replace(self.pattern, final=final), weights, windows, self.hidden_size) for final in finals
        ]
        return [parts[unit % 2][unit] for unit in range(self.hidden_size)]


class HGRN(Recurrent):
    """An HGRN layer, whose outputs alternate between the real and imaginary parts of h_t."""

    cell_class = HGRNCell


class RealHGRNCell(UnitCell):
    """An HGRN cell without theta, whose gates are f (sigmoid) and c (linear)."""

    token = "f c"
    functions: ClassVar[Functions] = {"f": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h <- f h + (1 - f) c of a token's step."""
        return AffineStep([(1 - g.f) * g.c], diagonal([g.f]))

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute h_t = f_t h_{t-1} + (1 - f_t) c_t."""
        return scanned([g.f], [(1 - g.f) * g.c], first)


class RealHGRN(Recurrent):
    """An HGRN layer without theta, whose outputs are h_t."""

    cell_class = RealHGRNCell


KIND = LayerKind("hgrn", HGRN, options={}, weights=unit("re", "im"))
REAL = LayerKind("hgrn-real", RealHGRN, options={}, weights=unit("h"))
