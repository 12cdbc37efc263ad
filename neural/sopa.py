"""The soft patterns of SoPa (Schwartz et al. 2018), which section 1 of Peng et al. (2018) calls rational.

A unit matches a pattern of n words anywhere in a sequence. Self-loops match additional words, and epsilon
transitions skip words of the pattern.

>>> layer = Sopa(3, 2, words=4, dtype=torch.float64)
>>> c, state = layer(torch.zeros(5, 1, 3, dtype=torch.float64))  # T = 5 steps, a batch of 1
>>> c.shape, len(state)  # h_1, ..., h_4, and c
(torch.Size([5, 1, 2]), 5)
>>> layer.to_automata(torch.eye(3, dtype=torch.float64), "abc")[0]
<WFSA: 6 states, 3 symbols, real semiring, exact, with epsilon>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

from automata.checks import checked_integer
from neural.cell import AutomatonCell
from neural.layer import Recurrent
from neural.layer_kind import FLAG, ClaimWeights, LayerKind, Tables
from neural.pattern import ONE, START, ZERO, Pattern
from neural.rrnn_c import shifted
from neural.scan import elementwise


def one_row(words: int) -> Pattern:
    """Return the pattern of a unit's automaton, where n is the number of words.

    State j, from 0 to n, is the position in the soft pattern. A complete match moves from state n to the
    final state n + 1 by an epsilon transition, and stays there.
    """
    indices = range(1, words + 1)
    reads = [arrow for j in indices for arrow in ((j - 1, j, f"m{j}"), (j, j, f"s{j}"))]
    return Pattern(
        initial=(ONE, *[START] * (words + 1)),
        final=(*[ZERO] * (words + 1), ONE),
        arrows=((0, 0, ONE), *reads, (words + 1, words + 1, ONE)),
        epsilon=(*((j - 1, j, f"e{j}") for j in indices), (words, words + 1, ONE)),
    )


class SopaCell(AutomatonCell):
    """A cell whose units score a match of a pattern of n words.

    The gate m_j = sigmoid(W_j v_t + b_j) matches word j of the pattern. The gate s_j = sigmoid(U_j v_t + d_j)
    matches an additional word at position j. The gate e_j = sigmoid(a_j) skips word j. With h_0 = 1, h_j is
    the score of the matches that end at position j: h_j = h_{j-1} m_j + h_j s_j + h_{j-1} e_j. The first two
    terms use h of the previous step; the third term uses h of this step. A unit's score is
    c_t = c_{t-1} + h_n.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        words: int = 3,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.words = checked_integer("words", words)
        self.moves = nn.ModuleList(self.linear(bias) for _ in range(words))
        self.loops = nn.ModuleList(self.linear(bias) for _ in range(words))
        self.skips = nn.ParameterList(self.vector() for _ in range(words))
        self.pattern = one_row(words)

    @property
    def c_states(self) -> int:
        """Return the number of c-states: h_1, ..., h_n and c."""
        return self.words + 1

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute m1, ..., mn, s1, ..., sn, and e1, ..., en, which do not depend on the symbol."""
        moves = {f"m{j}": self.weight(move(view)) for j, move in enumerate(self.moves, 1)}
        loops = {f"s{j}": self.weight(loop(view)) for j, loop in enumerate(self.loops, 1)}
        return moves | loops | {f"e{j}": e for j, e in enumerate(self.left_out(), 1)}

    def left_out(self) -> list[Tensor]:
        """Return the epsilon weights e_1, ..., e_n, each of shape ``(hidden_size,)``."""
        return [self.weight(skip) for skip in self.skips]

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the initial state (h_1, ..., h_n, c).

        It is the state after any number of epsilon transitions from a state whose components are all
        ``value``, by default the semiring's zero.
        """
        *scores, c = super().start(batch, value)
        h: list[Tensor] = []
        for own, e in zip(scores, self.left_out(), strict=True):
            h.append(self.plus(own, self.times(h[-1], e) if h else e))
        return (*h, self.plus(c, h[-1]))

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute h_1, ..., h_n one after another, each at all time steps, and then c."""
        h: list[Tensor] = []
        for j in range(1, self.words + 1):
            came, e = gates[f"m{j}"], gates[f"e{j}"]
            if h:
                came, e = self.times(shifted(state[j - 2], h[-1]), came), self.times(h[-1], e)
            h.append(self.recurrence(gates[f"s{j}"], self.plus(came, e), state[j - 1]))
        return (*h, self.recurrence(torch.full_like(h[-1], self.semiring.one), h[-1], state[-1]))

    # The methods below depend on the semiring.

    def weight(self, score: Tensor) -> Tensor:
        """Return the weight of a transition: the sigmoid of its score."""
        return torch.sigmoid(score)

    def times(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the semiring's product."""
        return a * b

    def plus(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the semiring's sum."""
        return a + b

    def recurrence(self, forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
        """Compute x_1, ..., x_T of x_t = forget_t * x_{t-1} + update_t, where x_0 is ``start``."""
        return elementwise(forget, update, start)


class Sopa(Recurrent):
    """A layer of soft patterns, in which a path may use several epsilon transitions in a row.

    Its outputs are c_t, and its state is ``(h_1, ..., h_n, c)``.

    Args:
        bias: whether to use the biases b and d. Defaults to ``True``.
        words: n, the number of words of a pattern. Defaults to 3.
    """

    cell_class = SopaCell


OPTIONS: dict[str, st.SearchStrategy[Any]] = {"words": st.integers(1, 3), "bias": FLAG}


def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the size n and the weights of the claim: m and s as one vector per symbol, and the vector e.

    They do not include ``start``, because the claim is only about layers that start from zero.
    """
    indices = range(1, layer.cell.c_states)
    by_symbol = {
        name: {x: tuple(tables[f"{name}{j}"][x] for j in indices) for x in tables["m1"]} for name in "ms"
    }
    return ("n", len(indices)), {**by_symbol, "e": tuple(tables[f"e{j}"] for j in indices)}


KIND = LayerKind("sopa", Sopa, options=OPTIONS, starts=st.none(), weights=weights)
