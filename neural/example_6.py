"""Example 6 (Peng et al. 2018, equations 5a to 5c): the gated recurrent layer behind SRU, QRNN and their kin.

>>> layer = Example6(3, 2, dtype=torch.float64)
>>> c, c_n = layer(torch.zeros(5, 4, 3, dtype=torch.float64))  # T = 5 steps, a batch of 4
>>> c.shape, c_n.shape
(torch.Size([5, 4, 2]), torch.Size([4, 2]))
>>> layer.to_automata(torch.eye(3, dtype=torch.float64), "abc")[0]
<WFSA: 2 states, 3 symbols, real semiring, exact>
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from automata.errors import InputError
from automata.rounding import Deviation
from automata.semirings import REAL
from automata.wfsa import WFSA
from neural import rounding
from neural.recurrence import elementwise


class Example6(nn.Module):
    """f_t = sigmoid(W_f v_t + b_f), u_t = (1 - f_t) * g(W_u v_t + b_u), c_t = f_t * c_{t-1} + u_t.

    It returns c_t itself, before any output nonlinearity: that is what the automata score.

    Args:
        input_size: the size of v_t.
        hidden_size: d, the number of units.
        nonlinearity: g, ``"tanh"`` or ``"identity"``.
        bias: with b_f and b_u.
        batch_first: inputs and outputs have the shape ``(B, T, ...)`` in place of ``(T, B, ...)``.
        device, dtype: as in torch; float32 or float64.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        nonlinearity: Literal["tanh", "identity"] = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if nonlinearity not in ("tanh", "identity"):
            raise InputError(f'nonlinearity is {nonlinearity!r}, where "tanh" or "identity" is right')
        self.input_size, self.hidden_size = input_size, hidden_size
        self.nonlinearity, self.batch_first = nonlinearity, batch_first
        self.forget = nn.Linear(input_size, hidden_size, bias=bias, device=device, dtype=dtype)
        self.update = nn.Linear(input_size, hidden_size, bias=bias, device=device, dtype=dtype)

    def extra_repr(self) -> str:
        """The arguments, for printing."""
        return f"{self.input_size}, {self.hidden_size}, nonlinearity={self.nonlinearity!r}, batch_first={self.batch_first}"

    def gates(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """F and u (equations 5a, 5b) of inputs of shape ``(..., input_size)``, each ``(..., hidden_size)``."""
        f = torch.sigmoid(self.forget(inputs))
        z = self.update(inputs)
        g = torch.tanh(z) if self.nonlinearity == "tanh" else z
        return f, (1 - f) * g

    def forward(
        self, inputs: Tensor | PackedSequence, c_0: Tensor | None = None, lengths: Tensor | Sequence[int] | None = None
    ) -> tuple[Any, Tensor]:
        """Run the layer.

        Args:
            inputs: v, shape ``(T, B, input_size)`` (``(B, T, input_size)`` with ``batch_first``), or ``(T, input_size)``
                for one string, or a packed sequence.
            c_0: the first state, shape ``(B, hidden_size)``; zero without it.
            lengths: the strings' lengths, where they differ; what is behind a string's end is ignored.

        Returns:
            ``(c, c_n)``: all states, in the shape of ``inputs`` with ``hidden_size`` last (zero behind a string's end), and
            each string's last state, shape ``(B, hidden_size)``; c_0 where a string is empty.
        """
        if isinstance(inputs, PackedSequence):
            padded, sizes = pad_packed_sequence(inputs, batch_first=self.batch_first)
            c, c_n = self(padded, c_0, sizes)
            packed = pack_padded_sequence(c, sizes, batch_first=self.batch_first, enforce_sorted=False)
            return packed, c_n
        if inputs.dim() == 2:
            axis = 0 if self.batch_first else 1
            c, c_n = self(inputs.unsqueeze(axis), None if c_0 is None else c_0.reshape(1, -1), lengths)
            return c.squeeze(axis), c_n.squeeze(0)
        if inputs.dim() != 3 or inputs.shape[-1] != self.input_size:
            right = "(batch, time, input)" if self.batch_first else "(time, batch, input)"
            raise InputError(f"inputs have shape {tuple(inputs.shape)}, where {right} with input = {self.input_size} is right")
        v = inputs.transpose(0, 1) if self.batch_first else inputs
        time, batch = v.shape[:2]
        start = v.new_zeros(batch, self.hidden_size) if c_0 is None else c_0
        if start.shape != (batch, self.hidden_size):
            raise InputError(f"c_0 has shape {tuple(start.shape)}, where ({batch}, {self.hidden_size}) is right")
        c = elementwise(*self.gates(v), start)
        ends = torch.full((batch,), time) if lengths is None else torch.as_tensor(lengths)
        ends = ends.to(device=v.device, dtype=torch.long)
        if ends.shape != (batch,) or (batch and not (int(ends.min()) >= 0 and int(ends.max()) <= time)):
            raise InputError(f"lengths are {ends.tolist()}, where {batch} numbers from 0 to {time} are right")
        states = torch.cat([start.unsqueeze(0), c])
        c_n = states[ends, torch.arange(batch, device=v.device)]
        if lengths is not None:
            c = c.masked_fill(torch.arange(time, device=v.device)[:, None, None] >= ends[None, :, None], 0)
        return (c.transpose(0, 1) if self.batch_first else c), c_n

    @torch.no_grad()
    def to_automata(
        self, embeddings: Tensor, vocabulary: Sequence[Hashable], c_0: Tensor | None = None, exact: bool = True
    ) -> list[WFSA]:
        """The automata of Figure 1, one a unit: mu = u and phi = f of each symbol (equation 7), lambda(q_1) = c_0.

        The gates are the floats that this layer computes; with ``exact`` each is the dyadic fraction that it is.

        Args:
            embeddings: v of each symbol, shape ``(len(vocabulary), input_size)``.
            vocabulary: the symbols.
            c_0: shape ``(hidden_size,)``; zero without it.
            exact: exact weights, else float64 (the same values).
        """
        if embeddings.shape != (len(vocabulary), self.input_size):
            right = (len(vocabulary), self.input_size)
            raise InputError(f"embeddings have shape {tuple(embeddings.shape)}, where {right} is right")
        f, u = (gate.double().cpu().numpy() for gate in self.gates(embeddings))
        start = np.zeros(self.hidden_size) if c_0 is None else c_0.double().cpu().numpy()
        index = {symbol: i for i, symbol in enumerate(vocabulary)}
        automata = []
        for i in range(self.hidden_size):
            matrices = np.zeros((len(vocabulary), 2, 2))
            matrices[:, 0, 0], matrices[:, 0, 1], matrices[:, 1, 1] = 1.0, u[:, i], f[:, i]
            unit = WFSA.from_arrays(REAL, np.array([1.0, start[i]]), np.array([0.0, 1.0]), matrices, index)
            automata.append(unit.to_exact() if exact else unit)
        return automata

    @torch.no_grad()
    def deviations(self, embeddings: Tensor) -> list[Deviation]:
        """For each unit, how far the gates of one evaluation may be from those of another: :mod:`neural.rounding`."""
        kind = rounding.format_of(embeddings.dtype)
        function = rounding.tanh if self.nonlinearity == "tanh" else rounding.identity
        f, _ = self.gates(embeddings)
        z = self.update(embeddings)
        g = torch.tanh(z) if self.nonlinearity == "tanh" else z
        f_error = rounding.sigmoid(f, rounding.affine(self.forget.weight, self.forget.bias, embeddings), kind)
        g_error = function(g, rounding.affine(self.update.weight, self.update.bias, embeddings), kind)
        u_error = rounding.product(1 - f, rounding.complement(f, f_error, kind), g, g_error, kind)
        # Each evaluation is this far from the truth at most, so two are twice as far from each other.
        f_apart, u_apart = (2 * e.cpu().numpy() for e in (f_error, u_error))
        slack = np.zeros((self.hidden_size, len(embeddings), 2, 2))
        slack[:, :, 0, 1], slack[:, :, 1, 1] = u_apart.T, f_apart.T
        return [Deviation(matrices=unit, initial=np.zeros(2)) for unit in slack]
