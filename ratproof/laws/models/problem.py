"""One case of a law: its shapes, how its inputs are divided into calls, its padding, and its seed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StatefulProblem:
    """One case of a law.

    A detour (:mod:`~ratproof.laws.models.detours`) is the inputs that are read between two uses of the model
    or its state, before a rewind, or after a snapshot.

    Attributes:
        time: Number of tokens of a row.
        batch: Number of rows.
        pieces: Number of tokens of each call; they sum to ``time``.
        format: Name of the dtype in which the model runs.
        seed: Seed of the inputs.
        pads: Number of padding tokens of each row of the first piece, all in this piece; 0 in each row for
            masks that are true everywhere, and empty without a mask.
        side: Side of the padding in the first piece, ``left`` or ``right``.
        orders: For each piece after the first, the indices of the state's rows from which it continues; empty
            if the rows are not reordered.
        prompt_rows: Number of rows of the first piece, if there are ``orders``.
        way: How the law runs, if it has several ways. For ``reuse``, this is the object that is used again:
            ``model``, ``cleared`` (a cleared state) or ``state``.
        before: Number of tokens of each call in the detour.
        before_rows: Number of rows of the calls in the detour; 0 for ``batch`` rows.
        uses: Number of times that the detour is read before a second use, each time without a previous state.
        shared: Number of first tokens that the detour has in common with the inputs that replace it or, for
            the law ``batch``, that all rows have in common. The next token differs.
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
    shared: int = 0

    def says(self) -> str:
        """Return the shapes on one line."""
        return f"B = {self.batch}, T = {self.time}, {self.format}"

    def cut(self) -> str:
        """Return a description of how the inputs are divided into calls."""
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

    def detour(self) -> str:
        """Return a description of the inputs between two uses, before a rewind, or after a snapshot."""
        number = sum(self.before)
        tokens = f"{number} other token{'' if number == 1 else 's'}"
        if self.uses > 1:
            return f"{self.uses} uses of {tokens}"
        if self.shared:
            same = "all" if self.shared == number else f"the first {self.shared} of them"
            tokens = f"{number} token{'' if number == 1 else 's'}, {same} the same"
        if self.before_rows in (0, self.batch):
            return tokens
        return f"{tokens}{',' if self.shared else ''} in a batch of {self.before_rows}"

    def reordered(self) -> str:
        """Return a description of how the rows of the state are reordered."""
        rows = self.prompt_rows
        first, *later = self.orders
        listed = ", ".join(map(str, first))
        words = f"after the state's rows were reordered to {listed}"
        if rows != len(first):
            words = f"after rows {listed} were selected from a state of {rows} row{'' if rows == 1 else 's'}"
        words += ", and again later" if any(later) else ""
        return f"{words}, with padding on the {self.side}" if any(self.pads) else words

    def position(self, row: int, index: int, compared: int) -> int:
        """Return the token index of a compared output.

        Args:
            row: The row of the batch.
            index: The index of the output among the compared outputs of the row.
            compared: The number of compared outputs of a row.
        """
        if self.side == "right" and not self.orders:
            return index if index < self.pieces[0] - self.pads[row] else index + self.pads[row]
        return self.time - compared + index

    @property
    def simplicity(self) -> tuple[int, ...]:
        """Return a sort key, so that cases with few tokens, and then few rows, come first."""
        orders = sum(map(bool, self.orders))
        read = self.uses * sum(self.before)
        rows = max(self.batch, self.before_rows)
        return self.time, rows, len(self.pieces), orders, sum(self.pads), read
