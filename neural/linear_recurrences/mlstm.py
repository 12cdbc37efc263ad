"""The memory of an mLSTM (Beck et al. 2024, equations 19 to 21): C <- f C + i v k^T, and the output C q."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import (
    AffineStep,
    Functions,
    LinearRecurrenceCell,
    diagonal,
    dot,
    grouped,
    naively,
    scanned,
)
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column

CAP = 16


def capped_exponential(x: Tensor) -> Tensor:
    """Return exp(CAP tanh(x / CAP)), an exponential with a soft cap that does not overflow."""
    return torch.exp(CAP * torch.tanh(x * (1 / CAP)))


class MLSTMCell(LinearRecurrenceCell):
    """A cell of the mLSTM's memory with the gates f (sigmoid) and i (exponential).

    The vectors q and k and the value v are linear maps of the input.
    """

    token = "f i q[K] k[K] v"
    functions: ClassVar[Functions] = {"f": torch.sigmoid, "i": capped_exponential}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s_j <- f s_j + i k_j v of a token's step, and the output weights q_j."""
        return AffineStep([g.i * (k * g.v) for k in g.k], diagonal([g.f for _ in g.k]), g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the memories C_t and the outputs C_t q_t."""
        s = scanned([g.f for _ in g.k], [g.i * (k * g.v) for k in g.k], first)
        return [*s, dot(g.q, s)]


class MLSTM(KeyedLayer):
    """The memory of an mLSTM, whose outputs are C_t q_t."""

    cell_class = MLSTMCell


class StabilisedMLSTMCell(MLSTMCell):
    """A cell that stores the mLSTM's memory divided by a scale M = exp(m), like the published program.

    M is part of the state. It is 1 before the first token, and each step replaces it by max(f M, i) (equation
    15). The output does not depend on M, so no gradients flow through M.
    """

    def sizes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the memory's components, the output and M, without the batch axis."""
        return [*super().sizes(), (self.hidden_size,)]

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the initial memory, a zero output, and M = 1."""
        *state, scale = super().start(batch, value)
        return (*state, torch.ones_like(scale))

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute three results at all steps: the memory divided by M, the output, and M.

        The output is that of the memory itself, because it is multiplied by M again.
        """
        memory = [*state[: self.keys], state[-1]]
        *new, scale, shown = naively(stabilised_step, grouped(gates), memory)
        return (*new, shown, scale)

    @property
    def roundings(self) -> int:
        """Return the maximum number of roundings of a monomial in one step of the network.

        The divisions by M add four roundings.
        """
        return super().roundings + 4


def stabilised_step(t: SimpleNamespace, state: list[Tensor]) -> list[Tensor]:
    """Return the next state and the output, given a token's gates and the state.

    The state is the memory divided by M, followed by M.
    """
    *memory, scale = state
    new = torch.maximum(t.f * scale, t.i).detach()
    keep, write = t.f * scale / new, t.i / new
    memory = [keep * x + write * (k * t.v) for x, k in zip(memory, t.k, strict=True)]
    return [*memory, new, new * dot(t.q, memory)]


class StabilisedMLSTM(KeyedLayer):
    """The memory of an mLSTM as in the published program, whose outputs are C_t q_t."""

    cell_class = StabilisedMLSTMCell


KIND = LayerKind("mlstm", MLSTM, options=KEYS, weights=column("s"))
STABILISED = LayerKind("mlstm-stabilised", StabilisedMLSTM, options=KEYS, weights=column("s"))
