"""An incremental echelon form modulo a prime that eliminates each row only O(log n) times."""

from __future__ import annotations

from dataclasses import dataclass

import flint


@dataclass(frozen=True)
class _Block:
    """A matrix in reduced echelon form: its columns ``pivots`` form an identity matrix."""

    pivots: list[int]
    rows: flint.nmod_mat

    def reduce(self, rows: flint.nmod_mat, flat: list[flint.nmod] | None = None) -> flint.nmod_mat:
        """Subtract multiples of this block from ``rows`` until their entries in its pivot columns are zero.

        A caller that has ``rows.entries()`` already passes it as ``flat``.
        """
        return rows - columns(rows, self.pivots, flat) * self.rows


class Echelon:
    """The space that some row vectors span modulo a prime.

    A basis is stored in several blocks in reduced echelon form. Each block has more than twice as many rows
    as the next one, like the digits of a binary counter. Adding n rows one at a time therefore changes each
    row only O(log n) times.
    """

    def __init__(self, width: int, prime: int) -> None:
        self.width, self.prime, self.rank = width, prime, 0
        self._blocks: list[_Block] = []

    def extend(self, flat: list[flint.nmod]) -> list[int]:
        """Add rows; return the indices of those that are independent of the space and of one another."""
        rows = flint.nmod_mat(len(flat) // self.width if self.width else 0, self.width, flat, self.prime)
        for i, block in enumerate(self._blocks):
            rows = block.reduce(rows, flat if i == 0 else None)
        echelon, rank = rows.transpose().rref()
        if rank == 0:
            return []
        pivots = staircase(echelon, rank)
        fresh, _ = take_rows(rows, pivots).rref()
        self._append(_Block(staircase(fresh, rank), fresh))
        self.rank += rank
        return pivots

    def spans(self, row: list[flint.nmod]) -> bool:
        """Return whether the row is in the space of the rows that were added."""
        rest = flint.nmod_mat(1, self.width, row, self.prime)
        for block in self._blocks:
            rest = block.reduce(rest)
        return bool(rest.rank() == 0)

    def _append(self, block: _Block) -> None:
        while self._blocks and len(self._blocks[-1].pivots) <= 2 * len(block.pivots):
            before = self._blocks.pop()
            upper = block.reduce(before.rows)
            both = upper.entries() + block.rows.entries()
            pivots = before.pivots + block.pivots
            block = _Block(pivots, flint.nmod_mat(len(pivots), self.width, both, self.prime))
        self._blocks.append(block)


def staircase(echelon: flint.nmod_mat, rank: int) -> list[int]:
    """Return the pivot columns of an echelon form."""
    pivots: list[int] = []
    column = 0
    while len(pivots) < rank:
        if echelon[len(pivots), column] != 0:
            pivots.append(column)
        column += 1
    return pivots


def columns(
    matrix: flint.nmod_mat, chosen: list[int], flat: list[flint.nmod] | None = None
) -> flint.nmod_mat:
    """Return the chosen columns of a matrix modulo a prime.

    A caller that has ``matrix.entries()`` already passes it as ``flat``.
    """
    m, n = matrix.nrows(), matrix.ncols()
    flat = matrix.entries() if flat is None else flat
    picked = [flat[i + j] for i in range(0, m * n, n) for j in chosen] if n else []
    return flint.nmod_mat(m, len(chosen), picked, matrix.modulus())


def take_rows(matrix: flint.nmod_mat, chosen: list[int]) -> flint.nmod_mat:
    """Return the chosen rows of a matrix modulo a prime, in the order of ``chosen``."""
    n, flat = matrix.ncols(), matrix.entries()
    return flint.nmod_mat(
        len(chosen), n, [w for i in chosen for w in flat[i * n : (i + 1) * n]], matrix.modulus()
    )
