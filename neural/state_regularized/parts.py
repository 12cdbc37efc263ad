"""The recurrent components u_t = f(h_{t-1}, c_{t-1}, x_t) of cells (Wang & Niepert 2019, section 3).

A component has the parameters of one step of an Elman network, a GRU or an LSTM. :meth:`RecurrentPart.read`
computes the linear maps of the input separately, so that a layer can call it once for all steps. The gates
are in torch's order.

>>> part = GRUPart(3, 2)
>>> part.step(part.read(torch.zeros(4, 3)), (torch.zeros(4, 2),))[0].shape
torch.Size([4, 2])
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn


class RecurrentPart(nn.Module):
    """The base class of recurrent components, which compute u_t from the state (h, c) and the input x_t.

    Args:
        input_size: the size of x_t.
        hidden_size: d.
        bias: whether to use biases.
        device, dtype: as in torch.
    """

    gates: ClassVar[int]
    has_cell_state: ClassVar[bool] = False

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        factory_kwargs = {"device": device, "dtype": dtype}
        self.input = nn.Linear(input_size, self.gates * hidden_size, bias=bias, **factory_kwargs)
        self.hidden = nn.Linear(hidden_size, self.gates * hidden_size, bias=bias, **factory_kwargs)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def read(self, inputs: Tensor) -> Tensor:
        """Compute the linear maps W x + b of the input x for all gates, shape ``(..., gates * d)``."""
        maps: Tensor = self.input(inputs)
        return maps

    def step(self, read: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Compute u_t, and the new cell state if there is one, shape ``(..., d)`` each.

        ``read`` is the result of :meth:`read` for this step. ``state`` is ``(h,)`` or ``(h, c)``.
        """
        raise NotImplementedError


class ElmanPart(RecurrentPart):
    """A component that computes u = tanh(W x + U h + b)."""

    gates = 1

    def step(self, read: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return ``(u_t,)``; see :meth:`RecurrentPart.step`."""
        return (torch.tanh(read + self.hidden(state[0])),)


class GRUPart(RecurrentPart):
    """A component that computes u = (1 - z) n + z h, as in torch.

    The gates are r, z = sigma(W x + U h + b) and n = tanh(W_n x + b_n + r (U_n h + b'_n)).
    """

    gates = 3

    def step(self, read: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return ``(u_t,)``; see :meth:`RecurrentPart.step`."""
        h = state[0]
        d = h.shape[-1]
        inside = self.hidden(h)
        r, z = torch.sigmoid(read[..., : 2 * d] + inside[..., : 2 * d]).chunk(2, dim=-1)
        n = torch.tanh(read[..., 2 * d :] + r * inside[..., 2 * d :])
        if n.dtype != h.dtype:  # under autocast
            dtype = torch.promote_types(n.dtype, h.dtype)
            n, h, z = n.to(dtype), h.to(dtype), z.to(dtype)
        return (torch.lerp(n, h, z),)


class LSTMPart(RecurrentPart):
    """A component that computes c = f c + i g and u = o tanh(c).

    The gates are i, f, o = sigma(W x + R h + b) and g = tanh(W_g x + R_g h + b_g).
    """

    gates = 4
    has_cell_state = True

    def step(self, read: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return ``(u_t, c_t)``; see :meth:`RecurrentPart.step`."""
        h, c = state
        i, f, g, o = (read + self.hidden(h)).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class PeepholePart(LSTMPart):
    """The component of an LSTM with peepholes, whose gates also read the cell state.

    The gates are computed by equations 6 (forget gate), 7 (input gate) and 8 (output gate). The forget gate
    and the input gate read c_{t-1}, and the output gate reads c_t.

    Attributes:
        peepholes: p^i, p^f and p^o, shape ``(3, d)``.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.peepholes = nn.Parameter(torch.empty(3, hidden_size, device=device, dtype=dtype))
        nn.init.uniform_(self.peepholes, -(hidden_size**-0.5), hidden_size**-0.5)

    def step(self, read: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return ``(u_t, c_t)``; see :meth:`RecurrentPart.step`."""
        h, before = state
        i, f, g, o = (read + self.hidden(h)).chunk(4, dim=-1)
        see_i, see_f, see_o = self.peepholes.unbind(0)
        c = torch.sigmoid(f + see_f * before) * before + torch.sigmoid(i + see_i * before) * torch.tanh(g)
        return torch.sigmoid(o + see_o * c) * torch.tanh(c), c
