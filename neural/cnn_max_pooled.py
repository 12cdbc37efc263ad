"""A convolution of one layer with max-pooling over time (Schwartz et al. 2018), which section 1 of Peng et
al. (2018) calls rational: a unit's pool is the greatest score of a window of K symbols.

>>> layer = CNNMaxPooled(3, 2, width=2)
>>> h, (c, _) = layer(torch.zeros(1, 4, 3))  # no string has a window yet
>>> c[0, 0].tolist(), layer.to_automata(torch.eye(3), "abc")[0]
([-inf, -inf], <WFSA: 3 states, 3 symbols, max-plus semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import torch
from hypothesis import strategies as st
from torch import Tensor

from automata.semirings import MAX_PLUS
from neural.cell import AutomatonCell
from neural.layer import Recurrent
from neural.layer_kind import FLAG, ClaimWeights, LayerKind, Tables
from neural.pattern import ONE, START, ZERO, Pattern
from neural.rrnn_c import shifted
from neural.scan import max_plus
from neural.unrolled import one_of, whole

OUTPUTS = {"relu": torch.relu, "tanh": torch.tanh}


def one_window(width: int, padding: bool) -> Pattern:
    """States 0 to K: a path waits in state 0, reads a window, and stays in K. With padding it may begin in
    the middle.
    """
    begun = ONE if padding else ZERO
    reads = [(j - 1, j, f"f{j}") for j in range(1, width + 1)]
    return Pattern(
        initial=(ONE, *[begun] * (width - 1), START),
        final=(*[ZERO] * width, ONE),
        arrows=((0, 0, ONE), *reads, (width, width, ONE)),
    )


class CNNMaxPooledCell(AutomatonCell):
    """f_j = W_j v_t is what a symbol in place j of a window adds, and f_K = W_K v_t + b; z_j = z_{j-1} + f_j,
    with z_{j-1} of the step before and z_0 = 0; c_t = max(c_{t-1}, z_K).
    """

    semiring = MAX_PLUS

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        width: int = 3,
        padding: bool = False,
        output: Literal["relu", "tanh"] = "relu",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.width = whole("width", width)
        self.padding = one_of("padding", padding, (True, False))
        self.outputs = one_of("output", output, tuple(OUTPUTS))
        self.places = torch.nn.ModuleList(self.linear(bias and j == width) for j in range(1, width + 1))
        self.pattern = one_window(width, padding)

    def sizes(self) -> list[tuple[int, ...]]:
        """c, and z_1, ..., z_{K-1}."""
        return [(self.hidden_size,)] * self.width

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """``value`` in c, -infinity without it. No window is begun; with padding each may be, with score
        0.
        """
        c, *begun = super().start(batch, value)
        return (c, *(z if self.padding else z - torch.inf for z in begun))

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """f1, ..., fK."""
        return {f"f{j}": place(view) for j, place in enumerate(self.places, 1)}

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """All steps of one place after another, and the pool at last."""
        z = [gates["f1"]]
        for j in range(2, self.width + 1):
            z.append(shifted(state[j - 1], z[-1]) + gates[f"f{j}"])
        return (max_plus(torch.zeros_like(z[-1]), z[-1], state[0]), *z[:-1])

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """The pool through the nonlinearity, which rises, so that it may as well come before pooling."""
        return OUTPUTS[self.outputs](scores)


class CNNMaxPooled(Recurrent):
    """A max-pooled convolution; its outputs are the pools so far, through a nonlinearity, its state is
    ``(c, z_1, ..., z_{K-1})``.

    Options: ``width``, K, 3 without it; ``padding``: a window may be cut off at the string's start, without
    it the pool of a string that is shorter than K is empty, -infinity; ``output``, the nonlinearity,
    ``"relu"`` or ``"tanh"``; ``bias``: with b.
    """

    cell_class = CNNMaxPooledCell


def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """The claim's weights: f as one vector, whose last place has the bias."""
    places = range(1, len(tables) + 1)
    return ("K", len(places)), {
        "b": Fraction(0),  # added already
        "f": {x: tuple(tables[f"f{j}"][x] for j in places) for x in tables["f1"]},
    }


def kind(name: str, padding: bool) -> LayerKind:
    """The record of the layers with padding, or without."""
    options = {"width": st.integers(1, 3), "padding": st.just(padding), "bias": FLAG}
    return LayerKind(name, CNNMaxPooled, options=options, starts=st.none(), weights=weights)


KIND = kind("cnn-max-pooled", padding=False)
PADDED = kind("cnn-max-pooled-padded", padding=True)
