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
    """One or more layers of a cell whose units are automata; called as
    :class:`~neural.stacked.Stacked`, with the same arguments.
    """

    cell_class: ClassVar[type[AutomatonCell]]

    @property
    def cell(self) -> AutomatonCell:
        """The one cell of a network of one layer and one direction."""
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
        """The automata that score c_t, one a unit.

        The gates are the floats that this network computes; with ``exact`` each is the dyadic fraction that
        it is.

        Args:
            embeddings: v of each symbol, shape ``(len(vocabulary), input_size)``; where inputs are symbols,
                their numbers.
            vocabulary: the symbols.
            start: c_0, a number or one for each unit; the semiring's zero without it.
            exact: exact weights, else float64 (the same values).
            direction: 1 for the backward cells of a bidirectional network, whose automata read a string from
                its end.
        """
        return reading.to_automata(self._reader(direction), embeddings, vocabulary, start, exact)

    def deviations(
        self, embeddings: Tensor, start: float | Tensor | None = None, direction: int = 0
    ) -> list[Deviation]:
        """Bounds on how far the weights of :meth:`to_automata` may be from those of another evaluation, one a
        unit.
        """
        return reading.deviations(self._reader(direction), embeddings, start)

    def tables(
        self, embeddings: Tensor, vocabulary: Sequence[Hashable], unit: int, direction: int = 0
    ) -> dict[str, dict[tuple[Hashable, ...], Any]]:
        """The gates of one unit, the weights of its automaton, by name and window.

        A window is a tuple of the last symbols, oldest first: of K, or of less at a string's start; what no
        symbol changes has the key ``()``. The gates ``W`` and ``b`` are those of all units, as lists.
        """
        return reading.tables(self._reader(direction), embeddings, vocabulary, unit)

    def _reader(self, direction: int) -> AutomatonCell:
        if self.num_layers != 1:
            raise InputError(
                f"this network has {self.num_layers} layers, where one is right: upper layers read vectors,"
                " not symbols"
            )
        if direction not in range(self.directions):
            raise InputError(
                f"direction is {direction!r}, where {' or '.join(map(str, range(self.directions)))} is right"
            )
        cell = self._cells()[direction]
        assert isinstance(cell, AutomatonCell)
        return cell
