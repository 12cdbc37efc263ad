"""The base class of cells with c_t = f_t * c_{t-1} + u_t, whose units are the automaton of Figure 1 (Peng et
al. 2018, section 4.1).

Example 6 and its kin differ in their gates alone: f and u.

>>> issubclass(GatedCell, AutomatonCell) and GatedCell.pattern.states
2
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from neural.cell import AutomatonCell
from neural.pattern import FIGURE_1
from neural.scan import elementwise, gated


class GatedCell(AutomatonCell):
    """A cell with a forget gate ``f`` and an update ``u``, whose state is c."""

    pattern = FIGURE_1

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Equation 5c."""
        return (elementwise(gates["f"], gates["u"], state[0]),)


class ComplementaryCell(GatedCell):
    """A cell with f = sigmoid of a linear map ``forget``, and u = (1 - f) * z."""

    forget: nn.Linear
    update: nn.Linear

    def new(self, view: Tensor) -> Tensor:
        """z, here of a linear map ``update`` alone."""
        z: Tensor = self.update(view)
        return z

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """The gate f, and u = (1 - f) * z."""
        f = torch.sigmoid(self.forget(view))
        return {"f": f, "u": (1 - f) * self.new(view)}

    def recur(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Equation 5c, with the gates' sigmoids and products in the same pass over memory; not in a subclass
        that has gates or steps of its own.
        """
        own = type(self)
        if own.gates is not ComplementaryCell.gates or own.steps is not GatedCell.steps:
            return super().recur(view, state)
        return (gated(self.forget(view), self.new(view), state[0]),)
