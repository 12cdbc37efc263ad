"""The base class of all cells whose units are automata: one layer that reads in one direction.

A cell defines its gates (``gates``, the automata's weights, a function of the symbols alone), its recurrence
(``steps``; ``fused``, if one kernel computes both), which state is scored (``score``) and its outputs
(``output``). The rest is here.

>>> from neural.rrnn_b import RRNNBCell
>>> cell = RRNNBCell(3, 2)
>>> result = cell.run(torch.zeros(5, 4, 3), cell.start(4))  # T = 5 steps, a batch of 4
>>> result.scores.shape, result.outputs.shape, sorted(cell.gates(torch.zeros(4, 3)))
(torch.Size([5, 4, 2]), torch.Size([5, 4, 2]), ['f', 'u'])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from automata.semirings import REAL, Semiring
from neural.pattern import Pattern, Windows, WindowWeights, arrays, silent
from neural.tracked import RunningErrorTensor
from neural.unrolled import CellOutput, RecurrentCell, one_of, whole

NONLINEARITIES: dict[str, Callable[[Any], Any]] = {"tanh": torch.tanh, "identity": lambda z: z}


class AutomatonCell(RecurrentCell):
    """One layer, one direction, whose units are automata.

    Args:
        input_size: the size of v_t.
        hidden_size: d, the number of units.
        device, dtype: as in torch; float32 or float64.
        window: K, how many symbols the gates read: the last K, zeros before the first.
    """

    semiring: ClassVar[Semiring] = REAL
    pattern: Pattern  # the automaton of one unit; cells whose units are not apart have their own arrays

    def __init__(
        self, input_size: int, hidden_size: int, device: Any = None, dtype: Any = None, window: int = 1
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.window = whole("window", window)

    def linear(self, bias: bool, outputs: int | None = None) -> nn.Linear:
        """A linear map from the window to the units, for a gate."""
        return nn.Linear(
            self.window * self.input_size, outputs or self.hidden_size, bias=bias, **self.factory_kwargs
        )

    def output_gate(self, has: bool, bias: bool) -> nn.Linear | None:
        """The linear map of an output gate, if the cell has one."""
        return self.linear(bias) if one_of("output_gate", has, (True, False)) else None

    def vector(self) -> nn.Parameter:
        """A parameter for each unit, initialised with zero."""
        return nn.Parameter(torch.zeros(self.hidden_size, **self.factory_kwargs))

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """The gates: the weights of the automata.

        Args:
            view: the window, oldest first, shape ``(..., window * input_size)`` (symbols: ``(...)``).

        Returns:
            Gates by name, each of shape ``(..., hidden_size)``, those that no symbol changes
            ``(hidden_size,)``; matrices ``(..., hidden_size, hidden_size)``. Only functions of torch are
            used, so that it runs on tracked values (:mod:`neural.tracked`) as well.
        """
        raise NotImplementedError

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The c-states c_1, ..., c_T, each of shape ``(T, B, hidden_size)``, from the gates and the first
        state.
        """
        raise NotImplementedError

    def fused(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """The c-states, from the windows and the first state, without ``gates`` and ``steps``, but within the
        same bounds; ``None`` if the cell has no such kernel. A subclass with gates or steps of its own has
        none, unless it defines one.
        """
        return None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if {"gates", "steps"} & set(vars(cls)) and "fused" not in vars(cls):
            cls.fused = AutomatonCell.fused  # type: ignore[method-assign]

    def recur(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The c-states, from the windows and the first state."""
        states = self.fused(view, state)
        return self.steps(self.gates(view), state) if states is None else states

    def score(self, state: Sequence[Tensor]) -> Tensor:
        """The automata's scores in a state (or in many, along leading axes): the last of the c-states."""
        return state[self.c_states - 1]

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """The outputs, from the scores c and the window."""
        return scores

    @property
    def c_states(self) -> int:
        """The number of tensors of the state that belong to the recurrence; they come first."""
        return 1

    def sizes(self) -> list[tuple[int, ...]]:
        """The shape of each tensor of the state, without the batch: the c-states, and the window's previous
        inputs.
        """
        shapes: list[tuple[int, ...]] = [(self.hidden_size,)] * self.c_states
        return [*shapes, (self.window - 1, self.input_size)] if self.window > 1 else shapes

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """The first state of each string: ``value`` (the semiring's zero without it) in the c-states, zeros
        elsewhere.
        """
        like = next(self.parameters())
        zeros = [torch.zeros(batch, *size, dtype=like.dtype, device=like.device) for size in self.sizes()]
        number = self.semiring.zero if value is None else value
        return tuple(s + number if i < self.c_states else s for i, s in enumerate(zeros))

    def run(self, inputs: Tensor, state: Sequence[Tensor]) -> CellOutput:
        """Read T symbols of B strings: inputs of shape ``(T, B, input_size)``, the state as ``start`` makes
        it.
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
        """The window at each of T steps, shape ``(T, B, window * input_size)``, from the inputs, and the
        ``window - 1`` before them.
        """
        time = padded.shape[0] - self.window + 1
        return torch.cat([padded[k : k + time] for k in range(self.window)], dim=-1)

    def arrays(self, weights: WindowWeights, windows: Windows) -> list[Any]:
        """The arrays ``(initial, final, matrices)`` of each unit's automaton."""
        return arrays(self.pattern, weights, windows, self.hidden_size)

    def silent(self, weights: WindowWeights) -> list[Any]:
        """The epsilon transitions of each unit's automaton, shape ``(n, n)``, or ``None`` where it has
        none.
        """
        return silent(self.pattern, weights, self.hidden_size)

    def automata_size(self, windows: Windows) -> tuple[int, int]:
        """The number of states of the largest automaton, and the number of weights of all together."""
        states = windows.histories * self.pattern.states
        return states, self.hidden_size * windows.symbols * states**2

    def slack(self, gates: dict[str, RunningErrorTensor]) -> dict[str, Tensor]:
        """A bound on the difference between two evaluations of each gate: each is off from the truth by its
        error at most.
        """
        return {name: 2 * gate.error for name, gate in gates.items()}
