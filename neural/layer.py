"""The base class of torch layers whose units are automata.

>>> import torch
>>> from neural.qrnn import QRNN
>>> network = QRNN(3, 2, num_layers=2, bidirectional=True, batch_first=True, window=2)
>>> output, state = network(torch.zeros(4, 7, 3), lengths=[7, 5, 1, 0])
>>> output.shape, state[0].shape
(torch.Size([4, 7, 4]), torch.Size([4, 4, 2]))
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from torch import Tensor

from automata.errors import InputError
from automata.rounding.bounds import Deviation
from automata.wfsa import WFSA
from neural import reading
from neural.cell import AutomatonCell
from neural.stacked import Stacked


class Recurrent(Stacked):
    """A network of one or more layers whose units are automata.

    Its arguments are those of :class:`~neural.stacked.Stacked`.
    """

    cell_class: ClassVar[type[AutomatonCell]]

    @property
    def cell(self) -> AutomatonCell:
        """Return the cell of a network with one layer and one direction."""
        cell = super().cell
        assert isinstance(cell, AutomatonCell)
        return cell

    def to_automata(
        self,
        embeddings: Tensor,
        vocabulary: Sequence[Hashable],
        start: float | Tensor | None = None,
        exact: bool = True,
        direction: int = 0,
    ) -> list[WFSA]:
        """Return one automaton per unit, which computes the scores c_t of the unit.

        The gates are the floats that this network computes. With ``exact``, each is represented as a dyadic
        fraction.

        Args:
            embeddings: v of each symbol, shape ``(len(vocabulary), input_size)``; if the inputs are symbols,
                their indices, shape ``(len(vocabulary),)``.
            vocabulary: the symbols.
            start: c_0, a scalar or one value per unit. Defaults to the semiring's zero.
            exact: whether weights are exact instead of float64; the values are the same.
            direction: 1 for the backward cells of a bidirectional network, whose automata read the reversed
                string.
        """
        return reading.to_automata(self._reader(direction), embeddings, vocabulary, start, exact)

    def deviations(
        self, embeddings: Tensor, start: float | Tensor | None = None, direction: int = 0
    ) -> list[Deviation]:
        """Bound, for each unit, the difference between the weights of :meth:`to_automata` and the network's.

        They may differ because the network computes its gates for tensors of other shapes, and may therefore
        sum products in another order.
        """
        return reading.deviations(self._reader(direction), embeddings, start)

    def tables(
        self, embeddings: Tensor, vocabulary: Sequence[Hashable], unit: int, direction: int = 0
    ) -> dict[str, dict[tuple[Hashable, ...], Any]]:
        """Return the values of one unit's gates, which are the weights of its automaton.

        The result maps the name of each gate to a table of its values, keyed by window. A window is a tuple
        of the last symbols, oldest first: K symbols, or fewer at the start of a string. A gate that does not
        depend on the symbol has the only key ``()``. The gates ``W`` and ``b`` of an affine cell contain the
        values of all units, as lists.
        """
        return reading.tables(self._reader(direction), embeddings, vocabulary, unit)

    def _reader(self, direction: int) -> AutomatonCell:
        if self.num_layers != 1:
            raise InputError(
                f"this network must have one layer, got {self.num_layers}: upper layers read vectors, not"
                " symbols"
            )
        if direction not in range(self.directions):
            raise InputError(
                f"direction must be {' or '.join(map(str, range(self.directions)))}, got {direction!r}"
            )
        cell = self._cells()[direction]
        assert isinstance(cell, AutomatonCell)
        return cell
