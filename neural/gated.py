"""The base class of cells with c_t = f_t * c_{t-1} + u_t.

Each unit is the automaton of Figure 1 (Peng et al. 2018, section 4.1). Example 6 and its variants differ only
in their gates f and u = (1 - f) * z.

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
    """A cell that computes c_t = f_t * c_{t-1} + (1 - f_t) * z_t.

    By default, f is the sigmoid of the linear map ``forget`` of the window, and the candidate z is the linear
    map ``update`` of the window. Subclasses may override ``gates`` and ``new``.
    """

    pattern = FIGURE_1
    forget: nn.Linear
    update: nn.Linear

    def new(self, view: Tensor) -> Tensor:
        """Compute the candidate z; by default, it is the linear map ``update`` of the window."""
        z: Tensor = self.update(view)
        return z

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gate f, and u = (1 - f) * z."""
        f = torch.sigmoid(self.forget(view))
        return {"f": f, "u": (1 - f) * self.new(view)}

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute c_t = f_t * c_{t-1} + u_t at all steps (equation 5c)."""
        return (elementwise(gates["f"], gates["u"], state[0]),)

    def fused(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """Compute all c_t directly from the linear maps, in one pass over memory."""
        return (gated(self.forget(view), self.new(view), state[0]),)
