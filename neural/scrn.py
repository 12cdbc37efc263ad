"""SCRN (Mikolov et al. 2014): slowly changing context units and ordinary hidden units.

Corollary 10 of Peng et al. 2018 states that the whole network is rational, but only its context units s_t
are. The scores of this layer are s_t.

>>> layer = SCRN(3, 2, hidden_units=7)
>>> h, (s_n, h_n) = layer(torch.zeros(5, 4, 3))
>>> h.shape, s_n.shape, layer.to_automata(torch.eye(3), "abc")[0]
(torch.Size([5, 4, 7]), torch.Size([1, 4, 2]), <WFSA: 2 states, 3 symbols, real semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

from automata.checks import checked_integer
from automata.errors import InputError
from neural.gated import GatedCell
from neural.layer import Recurrent
from neural.layer_kind import ClaimWeights, LayerKind, Tables, constant
from neural.unrolled import CellOutput


class SCRNCell(GatedCell):
    """A cell that computes s_t = (1 - alpha) * B v_t + alpha * s_{t-1}.

    Its outputs are h_t = sigmoid(P s_t + A v_t + R h_{t-1}).
    """

    alpha: Tensor

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        hidden_units: int | None = None,
        alpha: float | None = 0.95,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.output_size = (
            hidden_size if hidden_units is None else checked_integer("hidden_units", hidden_units)
        )
        if alpha is not None and not (isinstance(alpha, (int, float)) and 0 <= alpha <= 1):
            raise InputError(f"alpha must be a number from 0 to 1, or None for learned values, got {alpha!r}")
        self.logit = self.vector() if alpha is None else None
        self.register_buffer(
            "alpha",
            None if alpha is None else torch.full((hidden_size,), alpha, **self.factory_kwargs),
            persistent=False,
        )
        self.context = self.linear(bias=False)
        self.inputs = self.linear(bias=False, outputs=self.output_size)
        self.from_context = nn.Linear(hidden_size, self.output_size, bias=False, **self.factory_kwargs)
        self.recurrent = nn.Linear(self.output_size, self.output_size, bias=False, **self.factory_kwargs)

    def sizes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the context s and the hidden units h, without the batch axis."""
        return [(self.hidden_size,), (self.output_size,)]

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the decay f = alpha, and u = (1 - alpha) * B v_t."""
        f = self.alpha if self.logit is None else torch.sigmoid(self.logit)
        return {"f": f.expand(*view.shape[:-1], self.hidden_size), "u": (1 - f) * self.context(view)}

    def run(self, inputs: Tensor, state: Sequence[Tensor]) -> CellOutput:
        """Compute the context at all steps at once, then the hidden units step by step."""
        (s,) = self.recur(inputs, state)
        h, hidden = state[1], []
        for x in (self.from_context(s) + self.inputs(inputs)).unbind(0):
            h = torch.sigmoid(torch.addmm(x, h, self.recurrent.weight.T))
            hidden.append(h)
        outputs = torch.stack(hidden) if hidden else inputs.new_zeros(*inputs.shape[:2], self.output_size)
        return CellOutput(s, outputs, (s, outputs))


class SCRN(Recurrent):
    """An SCRN layer, whose outputs are h_t.

    Its state is ``(s, h)``. The layer has no biases; ``bias`` is ignored.

    Args:
        hidden_units: the size of h. Defaults to ``hidden_size``.
        alpha: a number from 0 to 1, or ``None`` for the sigmoid of a learned value per unit. Defaults to
            0.95, as in Mikolov et al.
    """

    cell_class = SCRNCell


ALPHAS = st.none() | st.sampled_from([0.0, 0.5, 0.95, 1.0]) | st.floats(0, 1)


def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the weights of the claim about the context units: c_0, u, and one alpha for all symbols."""
    return None, {"c_0": start, "alpha": constant(tables["f"]), "u": tables["u"]}


KIND = LayerKind("scrn", SCRN, options={"alpha": ALPHAS}, weights=weights)
