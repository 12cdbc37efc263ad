"""The base class of cells with one layer and one direction, whose units are automata.

A cell defines its gates (``gates``: the automata's weights, a function of the symbols alone) and its
recurrence (``steps``, or ``fused`` if one kernel computes both). It also defines the score as a function of
the state (``score``) and the outputs (``output``). This class implements everything else.

>>> from neural.rrnn_b import RRNNBCell
>>> cell = RRNNBCell(3, 2)
>>> result = cell.run(torch.zeros(5, 4, 3), cell.start(4))  # T = 5 steps, a batch of 4
>>> result.scores.shape, result.outputs.shape, sorted(cell.gates(torch.zeros(4, 3)))
(torch.Size([5, 4, 2]), torch.Size([5, 4, 2]), ['f', 'u'])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.checks import checked_integer
from automata.semirings import REAL, Semiring
from neural.pattern import Pattern, Windows, WindowWeights, arrays, epsilon_matrices
from neural.tracked import RunningErrorTensor
from neural.unrolled import CellOutput, RecurrentCell, one_of

NONLINEARITIES: dict[str, Callable[[Any], Any]] = {"tanh": torch.tanh, "identity": lambda z: z}


class AutomatonCell(RecurrentCell):
    """A cell with one layer and one direction whose units are automata.

    Args:
        input_size: the size of v_t.
        hidden_size: d, the number of units.
        device, dtype: as in torch; float32 or float64.
        window: K, the number of symbols that the gates read. These are the last K symbols, padded with zeros
            at the start.
    """

    semiring: ClassVar[Semiring] = REAL
    pattern: Pattern  # the automaton of one unit; cells with coupled units override ``arrays``

    def __init__(
        self, input_size: int, hidden_size: int, device: Any = None, dtype: Any = None, window: int = 1
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.window = checked_integer("window", window)

    def linear(self, bias: bool, outputs: int | None = None) -> nn.Linear:
        """Return a new linear map from the window to the units, for a gate."""
        return nn.Linear(
            self.window * self.input_size, outputs or self.hidden_size, bias=bias, **self.factory_kwargs
        )

    def output_gate(self, has: bool, bias: bool) -> nn.Linear | None:
        """Return the linear map of an output gate, or ``None`` if the cell has none."""
        return self.linear(bias) if one_of("output_gate", has, (True, False)) else None

    def vector(self) -> nn.Parameter:
        """Return a parameter with one value per unit, initialised with zeros."""
        return nn.Parameter(torch.zeros(self.hidden_size, **self.factory_kwargs))

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gates, which are the weights of the automata, for a window of symbols.

        Args:
            view: the window, oldest first, shape ``(..., window * input_size)`` (symbols: ``(...)``).

        Returns:
            Gates by name. Each has shape ``(..., hidden_size)``, or ``(hidden_size,)`` if it does not
            depend on the symbol; matrices have shape ``(..., hidden_size, hidden_size)``. Implementations
            call only torch functions, so that they also run on tracked values (:mod:`neural.tracked`).
        """
        raise NotImplementedError

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute the c-states c_1, ..., c_T from the gates and the first state.

        Returns:
            Tensors of shape ``(T, B, hidden_size)``.
        """
        raise NotImplementedError

    def fused(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """Compute the c-states from the windows and the first state with one kernel.

        The rounding bounds of :meth:`steps` also hold for the kernel. Return ``None`` if the cell has no
        kernel. A subclass that overrides ``gates`` or ``steps`` has no kernel unless it also overrides this
        method.
        """
        return None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if {"gates", "steps"} & set(vars(cls)) and "fused" not in vars(cls):
            cls.fused = AutomatonCell.fused  # type: ignore[method-assign]

    def recur(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute the c-states from the windows and the first state."""
        states = self.fused(view, state)
        return self.steps(self.gates(view), state) if states is None else states

    def score(self, state: Sequence[Tensor]) -> Tensor:
        """Return the score that each unit's automaton has in this state.

        Subclasses may override this method; the base class returns the last c-state. The tensors of the state
        may have leading axes, for example a time axis.
        """
        return state[self.c_states - 1]

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Compute the outputs from the scores and the windows; by default, return the scores."""
        return scores

    @property
    def c_states(self) -> int:
        """Return the number of c-states, which are the values of the recurrence, such as c1_t and c2_t.

        They are the first tensors of the state.
        """
        return 1

    def sizes(self) -> list[tuple[int, ...]]:
        """Return the shape of each tensor of the state, without the batch axis.

        The c-states come first, then the previous inputs of the window.
        """
        shapes: list[tuple[int, ...]] = [(self.hidden_size,)] * self.c_states
        return [*shapes, (self.window - 1, self.input_size)] if self.window > 1 else shapes

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the initial state of each sequence.

        The c-states are ``value``, by default the semiring's zero; the previous inputs are zeros.
        """
        like = next(self.parameters())
        zeros = [torch.zeros(batch, *size, dtype=like.dtype, device=like.device) for size in self.sizes()]
        number = value.to(like) if isinstance(value, Tensor) else value
        number = self.semiring.zero if number is None else number
        return tuple(s + number if i < self.c_states else s for i, s in enumerate(zeros))

    def run(self, inputs: Tensor, state: Sequence[Tensor]) -> CellOutput:
        """Run the cell on B sequences of T symbols.

        Args:
            inputs: shape ``(T, B, input_size)``.
            state: the state, as returned by :meth:`start`.
        """
        view, before = inputs, list[Tensor]()
        if self.window > 1:
            padded = torch.cat([state[-1].transpose(0, 1), inputs])
            view = self.windows(padded)
            before = [padded.unfold(0, self.window - 1, 1)[1:].transpose(-1, -2)]
        c = self.recur(view, state)
        scores = self.score(c)
        return CellOutput(scores, self.output(scores, view), (*c, *before))

    def windows(self, padded: Tensor) -> Tensor:
        """Return the window at each of T steps, shape ``(T, B, window * input_size)``.

        ``padded`` holds the ``window - 1`` inputs before the first step, then the T inputs.
        """
        time = padded.shape[0] - self.window + 1
        return torch.cat([padded[k : k + time] for k in range(self.window)], dim=-1)

    def arrays(self, weights: WindowWeights, windows: Windows) -> list[Any]:
        """Return the arrays ``(initial, final, matrices)`` of each unit's automaton."""
        return arrays(self.pattern, weights, windows, self.hidden_size)

    def epsilon_matrices(self, weights: WindowWeights) -> list[Any]:
        """Return each unit's matrix of epsilon transitions, shape ``(n, n)``, or ``None`` if it has none."""
        return epsilon_matrices(self.pattern, weights, self.hidden_size)

    def exact_weights(self, gates: Mapping[str, NDArray[np.float64]]) -> Mapping[str, NDArray[Any]]:
        """Compute the weights of the automata from the gates without rounding.

        By default, the weights are the gates.
        """
        return gates

    def automata_size(self, windows: Windows) -> tuple[int, int]:
        """Return the number of states of the largest automaton, and the number of weights of all automata."""
        states = windows.histories * self.pattern.states
        return states, self.hidden_size * windows.symbols * states**2

    def slack(self, gates: dict[str, RunningErrorTensor]) -> dict[str, Tensor]:
        """Bound the difference between two evaluations of each gate.

        The bound is twice the error of one evaluation.
        """
        return {name: 2 * gate.error for name, gate in gates.items()}
