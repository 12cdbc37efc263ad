"""The base class of cells with c_t = f_t * c_{t-1} + u_t, whose units are the automaton of Figure 1 (Peng et
al. 2018, section 4.1).

Example 6 and its kin differ in their gates alone: f and u.

>>> issubclass(GatedCell, AutomatonCell) and GatedCell.pattern.states
2
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from neural.cell import AutomatonCell
from neural.pattern import FIGURE_1
from neural.recurrence import elementwise


class GatedCell(AutomatonCell):
    """A cell with a forget gate ``f`` and an update ``u``, whose state is c."""

    pattern = FIGURE_1

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Equation 5c."""
        return (elementwise(gates["f"], gates["u"], state[0]),)
