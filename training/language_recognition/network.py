"""A network that accepts or rejects strings, for training in batches with noise and margins.

The noise is added to the inputs of the gates and to the centroids' logits. A margin is the distance of a
gate's pre-activation from zero, or the difference between the two largest logits of the centroids. Margins
are computed without noise.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from neural.seeding import seeded
from neural.state_regularized import fast_steps
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.layers import PartCell, SRCell
from neural.state_regularized.parts import GRUPart, LSTMPart, PeepholePart, RecurrentPart
from training.engine.noise import Noise
from training.engine.seeds import mixed
from training.language_recognition.settings import Recognition

GATES, LOGITS, AT_THE_END = range(3)  # streams of random numbers
STATE_MARGIN = 12.0


class NetworkAnswer(NamedTuple):
    """The outputs of a network for B strings.

    Attributes:
        logits: positive means accept, shape ``(B,)``.
        lacking: how far the margins of gates and centroids are below the required margins, averaged over the
            steps of each string, shape ``(B,)``. It is zero if margins were not requested.
    """

    logits: Tensor
    lacking: Tensor


class TrainedAcceptor(nn.Module):
    """An acceptor with one layer that adds noise in training.

    Args:
        acceptor: the network.
        settings: the settings of the noise.
    """

    def __init__(self, acceptor: Acceptor, settings: Recognition) -> None:
        super().__init__()
        self.acceptor = acceptor
        self.gate_noise, self.state_noise = settings.gate_noise, settings.state_noise
        self.gate_margin = settings.gate_margin

    @property
    def cell(self) -> SRCell | PartCell:
        """Return the cell of the only layer."""
        (cell,) = self.acceptor.recurrent_cells
        return cell

    def forward(
        self, tokens: Tensor, lengths: Tensor, noise: Noise | None = None, margins: bool = False
    ) -> NetworkAnswer:
        """Return the network's output for a batch of strings.

        Args:
            tokens: shape ``(T, B)``; values after a string's end have no effect.
            lengths: shape ``(B,)``.
            noise: the noise of the step, or ``None``.
            margins: whether to compute ``lacking``, the shortfall of the margins of gates and centroids.
        """
        acceptor, part, batch = self.acceptor, self.cell.part, tokens.shape[1]
        embedded, there = self.embedded(tokens), _there(tokens, lengths)
        first = self.cell.start(batch)
        states = self._unrolled(embedded, there, noise)
        rows = torch.arange(batch, device=tokens.device)
        last = tuple(state[lengths, rows] for state in states)
        at_end = part.read(acceptor.embedding.weight[len(acceptor.alphabet) + 1]).expand(batch, -1)
        noisy_end = at_end
        if noise is not None and self.gate_noise:
            noisy_end = at_end + self.gate_noise * noise.normal(AT_THE_END, at_end.shape[1:], at_end.dtype)
        u, *_ = part.step(noisy_end, last)
        logits = acceptor.classifier(u).squeeze(-1)
        if not margins:
            return NetworkAnswer(logits, torch.zeros_like(logits))
        before = tuple(torch.cat([one[None], many[:-1]]) for one, many in zip(first, states, strict=True))
        lacking = self._lacking(part.read(embedded), before, there.to(logits))
        ones = torch.ones_like(logits)[None]
        return NetworkAnswer(
            logits, lacking + self._lacking(at_end[None], tuple(one[None] for one in last), ones, False)
        )

    def states(self, tokens: Tensor) -> tuple[Tensor, ...]:
        """Return the state after the start token and after each symbol, without noise.

        Each part has shape ``(T + 1, B, d)``.
        """
        embedded = self.embedded(tokens)
        return self._unrolled(embedded, embedded.new_ones(embedded.shape[:2], dtype=torch.bool), None)

    def embedded(self, tokens: Tensor) -> Tensor:
        """Return the embeddings of the start token and of the symbols, shape ``(T + 1, B, size)``."""
        start = torch.full((1, tokens.shape[1]), len(self.acceptor.alphabet), device=tokens.device)
        embedded: Tensor = self.acceptor.embedding(torch.cat([start, tokens]))
        return embedded

    def _unrolled(self, inputs: Tensor, there: Tensor, noise: Noise | None) -> tuple[Tensor, ...]:
        """Return the state after each step, shape ``(T + 1, B, d)`` per part, zero after a string's end."""
        on_gates, on_logits = self._drawn(inputs, noise)
        order = there.sum(dim=0).argsort(descending=True, stable=True)
        packed = there[:, order]
        gate_noise, logit_noise = (
            None if one is None else one[:, order][packed] for one in (on_gates, on_logits)
        )
        sizes, first = packed.sum(dim=1).tolist(), self.cell.start(inputs.shape[1])
        run = fast_steps.steps if fast_steps.computes(self.cell) else _one_by_one
        steps = run(self.cell, inputs[:, order][packed], first, sizes, logit_noise, gate_noise)
        back = order.argsort()
        states = []
        for rows in (steps.h, steps.c):
            if rows is not None:
                padded = rows.new_zeros(*packed.shape, rows.shape[-1])
                padded[packed] = rows
                states.append(padded[:, back])
        return tuple(states)

    def _drawn(self, inputs: Tensor, noise: Noise | None) -> tuple[Tensor | None, Tensor | None]:
        """Draw the noise on the gates and the noise on the logits, each of shape ``(T + 1, B, ...)``.

        A noise is ``None`` if its standard deviation is 0, if ``noise`` is ``None``, or if there are no gates
        or logits.
        """
        cell, steps, drawn = self.cell, len(inputs), list[Tensor | None]()
        width = cell.part.gates * cell.hidden_size
        k = cell.component.k if isinstance(cell, SRCell) else 0
        for stream, size, deviation in ((GATES, width, self.gate_noise), (LOGITS, k, self.state_noise)):
            if noise is None or not deviation or not size:
                drawn.append(None)
            else:
                drawn.append(deviation * noise.normal(stream, (steps, size), inputs.dtype).transpose(0, 1))
        return drawn[0], drawn[1]

    def _lacking(
        self, read: Tensor, before: tuple[Tensor, ...], there: Tensor, of_states: bool = True
    ) -> Tensor:
        """Return the shortfall of the margins, averaged over the steps of each string, shape ``(B,)``."""
        part, cell = self.cell.part, self.cell
        inside = gates(part, read, before)
        lacking = functional.relu(self.gate_margin - inside.abs()).mean(dim=-1)
        if of_states and isinstance(cell, SRCell):
            u, *_ = part.step(read, before)
            two = (cell.component.similarities(u) / cell.component.temperature).topk(2, dim=-1).values
            lacking = lacking + functional.relu(STATE_MARGIN - (two[..., 0] - two[..., 1]))
        return (lacking * there).sum(dim=0) / there.sum(dim=0)


def untrained(alphabet: Sequence[Hashable], settings: Recognition, restarts: int = 0) -> TrainedAcceptor:
    """Return the untrained network; each number of restarts gives different initial weights."""
    options: dict[str, Any] = {"k": settings.centroids} if settings.model.startswith("sr-") else {}
    with seeded(mixed(settings.seed, 3, *([restarts] if restarts else []))):
        return TrainedAcceptor(Acceptor(alphabet, settings.model, settings.units, **options), settings)


def gates(part: RecurrentPart, read: Tensor, before: tuple[Tensor, ...]) -> Tensor:
    """Compute the pre-activations of the gates, shape ``(..., gates * d)``, from the previous state."""
    inside = part.hidden(before[0])
    d = before[0].shape[-1]
    if isinstance(part, GRUPart):
        r = torch.sigmoid(read[..., :d] + inside[..., :d])
        return torch.cat(
            [read[..., : 2 * d] + inside[..., : 2 * d], read[..., 2 * d :] + r * inside[..., 2 * d :]], -1
        )
    assert isinstance(part, LSTMPart)
    total: Tensor = read + inside
    if isinstance(part, PeepholePart):
        see_i, see_f, see_o = part.peepholes.unbind(0)
        _, after = part.step(read, before)
        c = before[1]
        total = total + torch.cat([see_i * c, see_f * c, torch.zeros_like(c), see_o * after], dim=-1)
    return total


def _there(tokens: Tensor, lengths: Tensor) -> Tensor:
    """Return whether each string has a symbol or the start token at each step, shape ``(T + 1, B)``."""
    return torch.arange(len(tokens) + 1, device=tokens.device)[:, None] <= lengths


def _one_by_one(
    cell: SRCell | PartCell,
    inputs: Tensor,
    state: tuple[Tensor, ...],
    sizes: list[int],
    noise: Tensor | None,
    gate_noise: Tensor | None,
) -> fast_steps.Steps:
    """Run a GRU without centroids step by step; the interface is that of ``fast_steps.steps``."""
    assert noise is None
    read = cell.part.read(inputs)
    states = list[tuple[Tensor, ...]]()
    for maps in torch.split(read if gate_noise is None else read + gate_noise, sizes):
        state = cell.part.step(maps, tuple(one[: len(maps)] for one in state))
        states.append(state)
    parts = [torch.cat(rows) for rows in zip(*states, strict=True)]
    return fast_steps.Steps(parts[0], parts[0], None, parts[1] if len(parts) > 1 else None)
