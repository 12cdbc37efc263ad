"""A one-layer convolution with max-pooling over time (Schwartz et al. 2018).

Section 1 of Peng et al. (2018) calls it rational: a unit's pooled value is the maximum score of a window of K
symbols.

>>> layer = CNNMaxPooled(3, 2, width=2)
>>> h, (c, _) = layer(torch.zeros(1, 4, 3))  # the sequences are shorter than a window
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

from automata.checks import checked_integer
from automata.semirings import MAX_PLUS
from neural.cell import AutomatonCell
from neural.layer import Recurrent
from neural.layer_kind import FLAG, ClaimWeights, LayerKind, Tables
from neural.pattern import ONE, START, ZERO, Pattern
from neural.rrnn_c import shifted
from neural.scan import max_plus
from neural.unrolled import one_of

OUTPUTS = {"relu": torch.relu, "tanh": torch.tanh}


def one_window(width: int, padding: bool) -> Pattern:
    """Return the pattern of a unit's automaton, which has the states 0 to K (the width).

    A path waits in state 0, reads a window of K symbols, and stays in state K. With padding, a path may start
    in any state, because the first window may be truncated.
    """
    begun = ONE if padding else ZERO
    reads = [(j - 1, j, f"f{j}") for j in range(1, width + 1)]
    return Pattern(
        initial=(ONE, *[begun] * (width - 1), START),
        final=(*[ZERO] * width, ONE),
        arrows=((0, 0, ONE), *reads, (width, width, ONE)),
    )


class CNNMaxPooledCell(AutomatonCell):
    """A cell that computes c_t = max(c_{t-1}, z_K) with z_j = z_{j-1} + f_j.

    Here z_{j-1} belongs to the previous step, and z_0 = 0. The score of a symbol at position j of a window is
    f_j = W_j v_t, except f_K = W_K v_t + b.
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
        self.width = checked_integer("width", width)
        self.padding = one_of("padding", padding, (True, False))
        self.outputs = one_of("output", output, tuple(OUTPUTS))
        self.places = torch.nn.ModuleList(self.linear(bias and j == width) for j in range(1, width + 1))
        self.pattern = one_window(width, padding)

    def sizes(self) -> list[tuple[int, ...]]:
        """Return the shapes of c and z_1, ..., z_{K-1}."""
        return [(self.hidden_size,)] * self.width

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the initial state (c, z_1, ..., z_{K-1}); c is ``value``, or -infinity by default.

        Without padding, every z_j is -infinity, because no window has started. With padding, every z_j is 0.
        """
        c, *begun = super().start(batch, value)
        return (c, *(z if self.padding else z - torch.inf for z in begun))

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the scores f1, ..., fK of a symbol at each position of a window."""
        return {f"f{j}": linear(view) for j, linear in enumerate(self.places, 1)}

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute z_1, ..., z_K one after another, each at all time steps, and then the pooled values c."""
        z = [gates["f1"]]
        for j in range(2, self.width + 1):
            z.append(shifted(state[j - 1], z[-1]) + gates[f"f{j}"])
        return (max_plus(torch.zeros_like(z[-1]), z[-1], state[0]), *z[:-1])

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Apply the nonlinearity to the pooled values; it is monotonic, so it commutes with pooling."""
        return OUTPUTS[self.outputs](scores)


class CNNMaxPooled(Recurrent):
    """A max-pooled convolution.

    Its outputs are the pooled values so far, after the nonlinearity. Its state is ``(c, z_1, ..., z_{K-1})``.

    Args:
        bias: whether to use the bias b. Defaults to ``True``.
        width: K, the width of the window. Defaults to 3.
        padding: whether a window may be truncated at the start of the sequence. If ``False`` (the default),
            the pool of a sequence shorter than K is empty, which is -infinity.
        output: the nonlinearity, ``"relu"`` (the default) or ``"tanh"``.
    """

    cell_class = CNNMaxPooledCell


def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the weights of the layer's claim: the size K, the bias b and the vector f(x) of each symbol x.

    Here b is 0, because the last entry of each vector includes the bias.
    """
    indices = range(1, len(tables) + 1)
    return ("K", len(indices)), {
        "b": Fraction(0),  # already added
        "f": {x: tuple(tables[f"f{j}"][x] for j in indices) for x in tables["f1"]},
    }


def kind(name: str, padding: bool) -> LayerKind:
    """Return the record of max-pooled convolutions, either all with padding or all without."""
    options = {"width": st.integers(1, 3), "padding": st.just(padding), "bias": FLAG}
    return LayerKind(name, CNNMaxPooled, options=options, starts=st.none(), weights=weights)


KIND = kind("cnn-max-pooled", padding=False)
PADDED = kind("cnn-max-pooled-padded", padding=True)
