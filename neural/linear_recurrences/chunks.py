"""The base classes of cells and layers that run in chunks of C tokens, and functions for their decays.

The states and outputs of a chunk's tokens are computed from the state before the chunk.

>>> decays = products([[torch.tensor(0.5)], [torch.tensor(0.25)]])
>>> [float(decay) for (decay,) in decays]  # of both tokens, of the second token, and of no token
[0.125, 0.25, 1.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from automata.checks import checked_integer
from neural.linear_recurrence_cell import LinearRecurrenceCell, at, flat, stacked, total
from neural.linear_recurrences.kind import KEYS, KeyedLayer

Tokens = Sequence[SimpleNamespace]
CHUNKS = {**KEYS, "chunk": st.integers(1, 3)}


class ChunkedCell(LinearRecurrenceCell):
    """A cell that runs in chunks; the last chunk of a call may be shorter."""

    in_order = False

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        keys: int = 2,
        chunk: int = 2,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, keys, device, dtype)
        self.chunk = checked_integer("chunk", chunk)

    @property
    def roundings(self) -> int:
        """Return the maximum number of roundings of a monomial, for each step that the monomial spans."""
        return super().roundings + self.chunk

    def run_chunk(self, tokens: Tokens, first: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return the components of the state after each token of a chunk, and the output at each token."""
        raise NotImplementedError

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Run the chunks in order; each chunk starts from the state after the previous one."""
        time = next(len(x) for x in flat(g) if x.dim() > 1)
        state, rows = first, list[list[Tensor]]()
        for begin in range(0, time, self.chunk):
            rows += self.run_chunk([at(g, t) for t in range(begin, min(begin + self.chunk, time))], state)
            state = rows[-1][: len(first)]
        return stacked(rows, first)


class ChunkedLayer(KeyedLayer):
    """The base class of layers that run in chunks.

    Args:
        keys: K, the length of a key vector. Defaults to 2.
        chunk: C, the number of tokens of a chunk. Defaults to 2.
    """


def prefixes(run: Callable[[Tokens], list[Tensor]], tokens: Tokens) -> list[list[Tensor]]:
    """Return the results of ``run`` for every nonempty prefix of a chunk."""
    return [run(tokens[:length]) for length in range(1, len(tokens) + 1)]


def products(gates: Sequence[Sequence[Tensor]]) -> list[list[Tensor]]:
    """Return the products of the gates of tokens i + 1 to r, for i = 0, ..., r.

    Args:
        gates: for each of the tokens 1 to r, a list with one gate for each component of the state.

    Returns:
        For each i, a list with one product for each component. The last list contains ones.
    """
    result = [[torch.ones_like(gate) for gate in gates[-1]]]
    for row in reversed(gates):
        result.append([a * b for a, b in zip(row, result[-1], strict=True)])
    return result[::-1]


def written(decays: Sequence[Sequence[Tensor]], rows: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """Return the sum of ``decays[i][j] * rows[i][j]`` over i, for each component j of the state."""
    terms = [[d * x for d, x in zip(*pair, strict=True)] for pair in zip(decays, rows, strict=True)]
    return [total(column) for column in zip(*terms, strict=True)]
