"""A model while it is asked: its calls, whose results are looked at first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from ratproof.laws.models.copies import fresh
from ratproof.laws.models.inputs import Inputs
from ratproof.laws.models.model import StatefulModel
from ratproof.laws.models.precision import NarrowRounding, moved
from ratproof.laws.models.problem import StatefulProblem


class Unusable(Exception):
    """A model raised, or gave what cannot be compared: nothing is shown of it, and one sentence says why."""


class Unequal(Unusable):
    """A model differs from itself: no case of a law shows anything."""


@dataclass(frozen=True)
class Perturbation:
    """How a run is perturbed.

    Attributes:
        unit: by which inputs are moved, the unit in the last place of numbers from 1 to 2.
        seed: of the signs.
        operators: what moves results of operators; ``None`` if they stay.
    """

    unit: float
    seed: int
    operators: NarrowRounding | None


class Session:
    """A model that is asked about one problem.

    Args:
        model: what is called; it keeps what its calls leave in it.
        inputs: what it reads.
        problem: shapes, and the seed of the inputs.
        dtype: of inputs that are floats.
        device: where inputs are.
        perturbed: how the run is perturbed, if it is.
    """

    def __init__(
        self,
        model: StatefulModel,
        inputs: Inputs,
        problem: StatefulProblem,
        dtype: torch.dtype,
        device: str = "cpu",
        perturbed: Perturbation | None = None,
    ) -> None:
        self.model, self.inputs, self.problem = model, inputs, problem
        self.dtype, self.device, self.perturbed = dtype, device, perturbed
        self.calls = 0

    def anew(self) -> Session:
        """The same with a fresh model, in which these calls have left nothing."""
        model = fresh(self.model)
        return Session(model, self.inputs, self.problem, self.dtype, self.device, self.perturbed)

    def tokens(self) -> Tensor:
        """Return the inputs of the problem."""
        return self._drawn(self.problem.batch, self.problem.time, 0)

    def between(self) -> Tensor:
        """Return other inputs, which are read between two uses."""
        return self._drawn(self.problem.before_rows or self.problem.batch, sum(self.problem.before), 1)

    def _drawn(self, batch: int, time: int, other: int) -> Tensor:
        drawn = self.inputs.draw(batch, time, self.problem.seed + 7_919 * other, self.dtype)
        if self.perturbed is not None:
            generator = torch.Generator().manual_seed(self.perturbed.seed + other)
            drawn = moved(drawn, self.perturbed.unit, generator)
        return drawn.to(self.device)

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """One call, without gradients.

        Raises :class:`Unusable`: the model raised, or did not return outputs of shape ``(B, T, ...)`` and a
        state.
        """
        self.calls += 1
        made = self._asked("the model", lambda: self.model.run(inputs, state, mask))
        if not isinstance(made, tuple | list) or len(made) != 2:
            raise Unusable(
                f"{self._where()}: the model returned {_kind(made)}, where (outputs, state) is right"
            )
        outputs, state = made
        shape = tuple(inputs.shape[:2])
        right = f"floats of shape ({shape[0]}, {shape[1]}, ...) are right"
        if not isinstance(outputs, Tensor):
            raise Unusable(f"{self._where()}: the outputs are {_kind(outputs)}, where {right}")
        if tuple(outputs.shape[:2]) != shape or not outputs.is_floating_point():
            format_ = str(outputs.dtype).removeprefix("torch.")
            raise Unusable(
                f"{self._where()}: the outputs have shape {tuple(outputs.shape)} and {format_}, where {right}"
            )
        return outputs.detach().clone(), state

    def read(
        self, inputs: Tensor, pieces: Sequence[int], state: Any = None, masks: Sequence[Tensor] = ()
    ) -> tuple[Tensor, Any]:
        """Calls of so many tokens each, the state handed from one to the next: all outputs, and the last
        state. Masks are of the first calls, in order.
        """
        outputs = []
        for part, mask in zip_longest(torch.split(inputs, list(pieces), 1), masks):
            made, state = self.run(part, state, mask)
            outputs.append(made)
            if made.shape[2:] != outputs[0].shape[2:]:
                shapes = f"{tuple(outputs[0].shape)}, and then {tuple(made.shape)}"
                raise Unusable(f"{self._where()}: the outputs of two calls have shapes {shapes}")
        return torch.cat(outputs, 1), state

    def reorder(self, state: Any, rows: Sequence[int]) -> Any:
        """The state with its rows in that order."""
        order = torch.tensor(rows, dtype=torch.int64, device=self.device)
        return self._asked("reorder", lambda: self.model.reorder(state, order))

    def clear(self, state: Any) -> Any:
        """The state, cleared."""
        return self._asked("clear", lambda: self.model.clear(state))

    def _asked(self, who: str, call: Any) -> Any:
        try:
            with torch.no_grad(), (self.perturbed and self.perturbed.operators) or nullcontext():
                return call()
        except Exception as error:
            said = (str(error).splitlines() or [""])[0]
            sentence = f"{self._where()}: {who} raised {type(error).__name__}{f': {said}' if said else ''}"
            # the traceback leads to the line of the user's file, which the verdict names
            raise Unusable(sentence).with_traceback(error.__traceback__) from None

    def _where(self) -> str:
        return f"for {self.problem.says()}"


def _kind(value: Any) -> str:
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else f"a {type(value).__name__}"
