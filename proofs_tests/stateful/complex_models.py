"""A linear recurrent unit: a diagonal recurrence of complex numbers, whole by powers and step by step."""

import torch
from torch import nn

from proofs_tests.stateful.tensor_state import TensorState
from ratproof import Vectors

SIZE, STATES = 4, 8


class LinearRecurrentUnit(TensorState):
    """h = l h + B x with outputs Re(C h).

    Args:
        by_powers: Whether a call computes all of its states from powers of l, instead of step by step.
        loses_phase_gradient: Whether calls that continue a state detach the imaginary part of l.
    """

    inputs, without = Vectors(SIZE), frozenset({"padding"})

    def __init__(self, by_powers=False, loses_phase_gradient=False):
        self.by_powers, self.loses_phase_gradient = by_powers, loses_phase_gradient
        eigenvalues = torch.polar(0.9 + 0.1 * torch.rand(STATES), 6.28 * torch.rand(STATES))
        read, write = (
            torch.randn(STATES, SIZE, dtype=torch.cfloat),
            torch.randn(STATES, 3, dtype=torch.cfloat),
        )
        self.module = nn.ParameterDict({"l": eigenvalues, "B": read, "C": write})

    def run(self, inputs, state=None, mask=None):
        eigenvalues, read = self.module["l"], self.module["B"]
        if state is not None and self.loses_phase_gradient:
            eigenvalues = torch.complex(eigenvalues.real, eigenvalues.imag.detach())
        driven = inputs.to(read.dtype) @ read.T
        state = torch.zeros_like(driven[:, 0]) if state is None else state
        states = (self._by_powers if self.by_powers else self._step_by_step)(eigenvalues, driven, state)
        return (states @ self.module["C"]).real, states[:, -1]

    def _by_powers(self, eigenvalues, driven, state):
        time = torch.arange(driven.shape[1])
        ages = time[:, None] - time
        powers = torch.where(ages[..., None] >= 0, eigenvalues ** ages.clamp(min=0)[..., None], 0)
        return (
            torch.einsum("tsn,bsn->btn", powers, driven) + eigenvalues ** (time + 1)[:, None] * state[:, None]
        )

    def _step_by_step(self, eigenvalues, driven, state):
        states = []
        for token in driven.unbind(1):
            state = eigenvalues * state + token
            states.append(state)
        return torch.stack(states, 1)
