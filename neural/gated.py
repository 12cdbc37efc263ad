"""What Example 6 and its kin share: c_t = f_t * c_{t-1} + u_t, and the automaton of Figure 1 (Peng et al.
2018, section 4.1).

They differ in their gates alone: f and u.

>>> issubclass(GatedCell, Cell) and GatedCell.pattern.states
2
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from neural.cell import Cell
from neural.pattern import FIGURE_1
from neural.recurrence import elementwise


class GatedCell(Cell):
    """A cell with gates ``f`` and ``u``, whose state is c."""

    pattern = FIGURE_1

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Equation 5c."""
        return (elementwise(gates["f"], gates["u"], state[0]),)
