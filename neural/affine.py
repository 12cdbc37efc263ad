"""Affine recurrences with a full matrix, c_t = W_t c_{t-1} + b_t, and their automata.

Each automaton has d + 1 states (Peng et al. 2018, section 4.3). State 0 carries the constant 1, and state 1 +
i carries unit i. All units therefore have the same transitions and differ only in their final states.
(Appendix C draws 2 d states; d + 1 suffice.)

>>> from neural.elman import LinearElman
>>> units = LinearElman(3, 2).to_automata(torch.eye(3), "abc")
>>> units[0].states, units[0].matrices is units[1].matrices
(3, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neural.cell import AutomatonCell
from neural.pattern import Windows, WindowWeights
from neural.rounding import format_of, reduction
from neural.scan import matrix_scan
from neural.tracked import RunningErrorTensor


class AffineCell(AutomatonCell):
    """A cell that computes c_t = W_t c_{t-1} + b_t.

    Its gates are ``W``, shape ``(..., d, d)``, and ``b``, shape ``(..., d)``.
    """

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute c_t = W_t c_{t-1} + b_t with a separate matrix for each step of each sequence."""
        b = gates["b"]
        each = torch.arange(b.shape[:2].numel(), device=b.device).reshape(b.shape[:2])
        return self.recurrence(gates["W"].flatten(0, 1), each, state[0], b)

    def recurrence(
        self, matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None
    ) -> tuple[Tensor, ...]:
        """Compute c_1, ..., c_T of c_t = W_{x_t} c_{t-1} + b_t, where the symbol x_t selects a matrix.

        Args:
            matrices: W, a matrix for each of S symbols, shape ``(S, d, d)``.
            symbols: x, shape ``(T, B)``.
            start: c_0, shape ``(B, d)``.
            offsets: b, shape ``(T, B, d)``; zero if it is ``None``.
        """
        return (matrix_scan(matrices.transpose(1, 2), symbols, start, offsets),)

    def arrays(self, weights: WindowWeights, windows: Windows) -> list[Any]:
        """Return ``(initial, final, matrices)`` for each unit; all units share one array of matrices."""
        d = self.hidden_size
        matrices = np.full((windows.symbols, d + 1, d + 1), weights.zero, dtype=np.float64)
        matrices[:, 0, 0] = weights.one
        matrices[:, 0, 1:] = weights.gates["b"]
        # an automaton multiplies row vectors from the left
        matrices[:, 1:, 1:] = np.swapaxes(weights.gates["W"], -1, -2)
        initial = np.array([weights.one, *weights.start], dtype=np.float64)
        return [(initial, weights.one * row, matrices) for row in np.eye(d + 1)[1:]]

    def epsilon_matrices(self, weights: WindowWeights) -> list[Any]:
        """Return ``None`` for each unit, because these automata have no epsilon transitions."""
        return [None] * self.hidden_size

    def automata_size(self, windows: Windows) -> tuple[int, int]:
        """Return the number of states of each automaton, and the number of weights, which all units share."""
        states = self.hidden_size + 1
        return states, windows.symbols * states**2

    def slack(self, gates: dict[str, RunningErrorTensor]) -> dict[str, Tensor]:
        """Bound the difference between two evaluations of each gate.

        The bound on W also covers the rounding of the products W c to reduced precision.
        """
        bounds = super().slack(gates)
        weight = gates["W"].value
        bounds["W"] = bounds["W"] + reduction(format_of(weight.dtype)) * weight.double().abs()
        return bounds
