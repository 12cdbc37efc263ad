"""State-regularized layers (Wang & Niepert 2019): Elman, GRU, LSTM and LSTM with peepholes.

The module also has the GRU and the LSTMs without state regularization.

>>> layer = SRGRU(3, 2, k=5, num_layers=2)
>>> output, h = layer(torch.zeros(7, 4, 3))  # T = 7 steps, a batch of 4
>>> output.shape, h.shape
(torch.Size([7, 4, 2]), torch.Size([2, 4, 2]))
>>> SRGRU(3, 2, k=5).scores(torch.zeros(7, 4, 3)).shape  # the transition probabilities alpha
torch.Size([7, 4, 5])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from automata.errors import InputError
from neural.stacked import Stacked
from neural.state_regularized import fast_steps
from neural.state_regularized.component import Similarity, StochasticComponent, Transition
from neural.state_regularized.parts import ElmanPart, GRUPart, LSTMPart, PeepholePart, RecurrentPart
from neural.unrolled import CellOutput, RecurrentCell


class PartCell(RecurrentCell):
    """A cell whose hidden state h is the result u of a recurrent component.

    Args:
        input_size, hidden_size, bias, device, dtype: as in torch.
    """

    part_class: ClassVar[type[RecurrentPart]]

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.part = self.part_class(input_size, hidden_size, bias, **self.factory_kwargs)

    def sizes(self) -> list[tuple[int, ...]]:
        """Return the shape of the hidden state h, and of the cell state c if there is one."""
        return [(self.hidden_size,)] * (1 + self.part.has_cell_state)

    def run(self, inputs: Tensor, state: Sequence[Tensor]) -> CellOutput:
        """Run the cell on B sequences of T symbols.

        In the result, both ``scores`` and ``outputs`` contain the hidden states h.
        """
        if fast_steps.can_run(self, inputs, state):
            _, h, _, c = fast_steps.steps(self, inputs, state)
            assert c is not None
            return CellOutput(h, h, (h, c))
        now, states = tuple(state), list[tuple[Tensor, ...]]()
        for read in self.part.read(inputs).unbind(0):
            now = self.part.step(read, now)
            states.append(now)
        after = stacked_states(states, now)
        return CellOutput(after[0], after[0], after)


class SRCell(PartCell):
    """A cell whose step is a recurrent component followed by a stochastic component.

    The recurrent component computes u, and the stochastic component maps u to the new hidden state h.

    Args:
        input_size, hidden_size, bias, device, dtype: as in torch.
        k, similarity, transition, temperature, noise: as in
            :class:`~neural.state_regularized.component.StochasticComponent`.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        k: int = 10,
        similarity: Similarity = "dot",
        transition: Transition = "mixture",
        temperature: float = 1.0,
        noise: float = 0.0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.component = StochasticComponent(
            k, hidden_size, similarity, transition, temperature, noise, **self.factory_kwargs
        )

    @property
    def memoryless(self) -> bool:
        """Return whether h is the complete state, so that there is no cell state c.

        See Wang & Niepert 2019, section 3.
        """
        return not self.part.has_cell_state

    def at_centroid(self, index: int, batch: int = 1) -> tuple[Tensor, ...]:
        """Return the state in which h is the centroid with this index.

        If the cell has a cell state c, it is zero.
        """
        if index not in range(self.component.k):
            raise InputError(
                f"the centroid index must be between 0 and {self.component.k - 1}, got {index!r}"
            )
        _, *rest = self.start(batch)
        return (self.component.centroids[:, index].expand(batch, -1), *rest)

    def run(self, inputs: Tensor, state: Sequence[Tensor]) -> CellOutput:
        """Run the cell on B sequences of T symbols.

        In the result, ``scores`` contains the probabilities alpha, and ``outputs`` contains the hidden states
        h.
        """
        if fast_steps.can_run(self, inputs, state):
            return self._run_fast(inputs, state)
        now = tuple(state)
        alphas: list[tuple[Tensor, ...]] = []
        states: list[tuple[Tensor, ...]] = []
        for read in self.part.read(inputs).unbind(0):
            u, *rest = self.part.step(read, now)
            h, alpha = self.component(u)
            now = (h, *rest)
            alphas.append((alpha,))
            states.append(now)
        after = stacked_states(states, now)
        (alpha,) = stacked_states(alphas, (inputs.new_zeros(inputs.shape[1], self.component.k),))
        return CellOutput(alpha, after[0], after)

    def _run_fast(self, inputs: Tensor, state: Sequence[Tensor]) -> CellOutput:
        """Run the cell with the hand-written gradient of :mod:`neural.state_regularized.fast_steps`."""
        noise, like = None, inputs.new_empty(inputs.shape[1], self.component.k)
        if self.training and self.component.noise:
            noise = self.component.noise * torch.stack([torch.randn_like(like) for _ in inputs])
        result = fast_steps.steps(self, inputs, state, noise=noise)
        assert result.alpha is not None
        states = (result.h,) if result.c is None else (result.h, result.c)
        return CellOutput(result.alpha, result.h, states)


class SRElmanCell(SRCell):
    """A cell with an Elman step, u = tanh(W x + U h + b), followed by a stochastic component."""

    part_class = ElmanPart


class SRGRUCell(SRCell):
    """A cell with the step of a GRU followed by a stochastic component."""

    part_class = GRUPart


class SRLSTMCell(SRCell):
    """A cell with the step of an LSTM followed by a stochastic component.

    The stochastic component reads the output of the LSTM, not its cell state.
    """

    part_class = LSTMPart


class SRLSTMPCell(SRCell):
    """A cell with the step of an LSTM with peepholes, followed by a stochastic component.

    The step is computed by equations 6 to 8.
    """

    part_class = PeepholePart


class GRUAloneCell(PartCell):
    """The cell of a GRU without centroids."""

    part_class = GRUPart


class LSTMAloneCell(PartCell):
    """The cell of an LSTM without centroids."""

    part_class = LSTMPart


class LSTMPCell(PartCell):
    """The cell of an LSTM with peepholes (equations 6 to 8) and without centroids."""

    part_class = PeepholePart


def stacked_states(states: list[tuple[Tensor, ...]], like: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Stack the states after each of T steps into one tensor ``(T, B, ...)`` for each tensor of the state.

    ``like`` is a state that determines the shapes if T is 0.
    """
    if not states:
        return tuple(part.new_zeros(0, *part.shape) for part in like)
    return tuple(torch.stack(parts) for parts in zip(*states, strict=True))


class SRLayers(Stacked):
    """A network of one or more state-regularized layers, whose outputs are the hidden states h.

    Args:
        bias: whether to use biases. Defaults to ``True``.
        k: the number of centroids. Defaults to 10.
        similarity: ``"dot"`` (equation 2, the default) or ``"euclidean"`` (equation 3).
        transition: ``"mixture"`` (equation 5, the default), ``"sampled"`` (equation 4) or ``"limit"``
            (temperature -> 0).
        temperature: the temperature of the softmax. Defaults to 1.
        noise: the standard deviation of Gaussian noise on the logits, in training only. Defaults to 0.
    """

    @property
    def cell(self) -> SRCell:
        """Return the cell of a network with one layer and one direction."""
        cell = super().cell
        assert isinstance(cell, SRCell)
        return cell

    @property
    def components(self) -> list[StochasticComponent]:
        """Return the stochastic components of all layers, from the first layer on."""
        return [cell.component for cell in self._cells() if isinstance(cell, SRCell)]


class SRElman(SRLayers):
    """An Elman network with a stochastic component; its state is h."""

    cell_class = SRElmanCell


class SRGRU(SRLayers):
    """A GRU with a stochastic component; its state is h."""

    cell_class = SRGRUCell


class SRLSTM(SRLayers):
    """An LSTM with a stochastic component; its state is ``(h, c)``."""

    cell_class = SRLSTMCell


class SRLSTMP(SRLayers):
    """An LSTM with peepholes and a stochastic component; its state is ``(h, c)``."""

    cell_class = SRLSTMPCell


class GRUAlone(Stacked):
    """A GRU without centroids; its state is h.

    Args:
        bias: whether to use biases. Defaults to ``True``.
    """

    cell_class = GRUAloneCell


class LSTMAlone(Stacked):
    """An LSTM without centroids; its state is ``(h, c)``.

    Args:
        bias: whether to use biases. Defaults to ``True``.
    """

    cell_class = LSTMAloneCell


class LSTMP(Stacked):
    """An LSTM with peepholes and without centroids; its state is ``(h, c)``.

    Args:
        bias: whether to use biases. Defaults to ``True``.
    """

    cell_class = LSTMPCell


KINDS: dict[str, type[SRLayers]] = {
    "sr-elman": SRElman,
    "sr-gru": SRGRU,
    "sr-lstm": SRLSTM,
    "sr-lstm-p": SRLSTMP,
}
"""The state-regularized layers by their names in checkpoints."""
ALONE: dict[str, type[Stacked]] = {"gru": GRUAlone, "lstm": LSTMAlone, "lstm-p": LSTMP}
"""The baseline layers of the paper, without centroids, keyed by name."""
