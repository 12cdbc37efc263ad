"""The steps of families whose outputs are not linear in the state.

Their signatures are those of the ``step`` of :func:`ratproof.kernel_claim`.
"""

from __future__ import annotations

from torch import Tensor

from ratproof.laws.kernels.state_parts import Arguments

State = tuple[Tensor, Tensor]


def mlstm(state: State, x: Arguments) -> tuple[State, Tensor]:
    """Return a step of mLSTM (Beck et al. 2024, eqs. 19 to 27).

    The step restarts the stabilizer m with 0 in every token: its state is (C exp(m), n exp(m)) for a kernel's
    state (C, n, m). m does not change the results. The gradients through m cancel, but the bounds include
    their rounding.
    """
    memory, normaliser = state
    forget = x["f"].sigmoid().log()
    m = forget.maximum(x["i"])
    old, new = (forget - m).exp(), (x["i"] - m).exp()[..., None] * x["k"]
    memory = old[..., None, None] * memory + new[..., None] * x["v"][..., None, :]
    normaliser = old[..., None] * normaliser + new
    read = (memory * x["q"][..., None]).sum(-2)
    divisor = (normaliser * x["q"]).sum(-1).abs().maximum((-m).exp())
    scale = m.exp()[..., None]
    return (scale[..., None] * memory, scale * normaliser), read / divisor[..., None]


def gsa(state: State, x: Arguments) -> tuple[State, Tensor]:
    """Return a step of gated slot attention (Zhang et al. 2024), whose slots hold keys and values."""
    keys, values = state
    decay, share = x["g"].exp()[..., None], x["s"][..., None]
    keys = decay * keys + share * x["k"][..., None, :]
    values = decay * values + share * x["v"][..., None, :]
    weights = (keys * x["q"][..., None, :]).sum(-1).softmax(-1)
    return (keys, values), (values * weights[..., None]).sum(-2)
