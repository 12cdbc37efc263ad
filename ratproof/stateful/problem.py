"""What is asked of a model in one case: shapes, how the inputs are cut and padded, and a seed that the inputs
follow from.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StatefulProblem:
    """One case of a law.

    Attributes:
        time: tokens of a row.
        batch: rows.
        pieces: tokens of each call, of all calls together ``time``.
        format: the name of the format that the model runs in.
        seed: of the inputs.
        pads: how many of a row's tokens are padding, all in the first piece.
        rows: the order that a cache's rows are brought into, by their numbers before.
        way: what is used again: ``model``, ``cleared`` or ``state``.
        before: tokens of each call of what is read in between.
    """

    time: int
    batch: int
    pieces: tuple[int, ...]
    format: str
    seed: int
    pads: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    way: str = ""
    before: tuple[int, ...] = (1,)

    def says(self) -> str:
        """The shapes on one line."""
        return f"B = {self.batch}, T = {self.time}, {self.format}"

    def cut(self) -> str:
        """How the inputs are cut."""
        if len(self.pieces) == 1:
            return "whole"
        if len(self.pieces) > 2 and set(self.pieces) == {1}:
            return "token by token"
        ones = 0
        while ones < len(self.pieces) and self.pieces[-1 - ones] == 1:
            ones += 1
        if ones > 2:
            first = self.pieces[: len(self.pieces) - ones]
            return f"in pieces of {', '.join(map(str, first))} tokens, and {ones} of one"
        return f"in pieces of {', '.join(map(str, self.pieces[:-1]))} and {self.pieces[-1]} tokens"

    @property
    def simplicity(self) -> tuple[int, ...]:
        """What to sort by: the shortest, then the fewest rows."""
        return self.time, self.batch, len(self.pieces), sum(self.pads), sum(self.before)
