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
        pads: how many of a row's tokens are padding, all in the first piece; 0 in each row for masks that
            mask nothing.
        side: where the padding of the first piece is, ``left`` or ``right``.
        orders: for each piece after the first, the rows of the state that it goes on from, by their numbers;
            empty if the state stays as it is.
        prompt_rows: rows of the first piece, if ``orders`` are given.
        way: what is used again: ``model``, ``cleared`` or ``state``.
        before: tokens of each call of what is read in between.
        before_rows: rows of what is read in between; 0 for as many as ``batch``.
        uses: how often that is read, each time from no state.
    """

    time: int
    batch: int
    pieces: tuple[int, ...]
    format: str
    seed: int
    pads: tuple[int, ...] = ()
    side: str = "left"
    orders: tuple[tuple[int, ...], ...] = ()
    prompt_rows: int = 0
    way: str = ""
    before: tuple[int, ...] = (1,)
    before_rows: int = 0
    uses: int = 1

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

    def reordered(self) -> str:
        """Return how the rows of the state are reordered, in words."""
        rows = self.prompt_rows
        first, *later = self.orders
        listed = ", ".join(map(str, first))
        words = f"after the state's rows were reordered to {listed}"
        if rows != len(first):
            words = f"after rows {listed} were selected from a state of {rows} row{'' if rows == 1 else 's'}"
        return f"{words}, and again later" if any(later) else words

    def position(self, row: int, index: int, compared: int) -> int:
        """Return the token of a row whose output is at that index of the outputs that are compared."""
        if self.side == "right":
            return index if index < self.pieces[0] - self.pads[row] else index + self.pads[row]
        return self.time - compared + index

    @property
    def simplicity(self) -> tuple[int, ...]:
        """What to sort by: the fewest tokens, then the fewest rows."""
        orders = sum(map(bool, self.orders))
        read = self.uses * sum(self.before)
        rows = max(self.batch, self.before_rows)
        return self.time, rows, len(self.pieces), orders, sum(self.pads), read
