"""Calls of a model under test, whose results are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import zip_longest

import torch
from torch import Tensor

from ratproof.laws.models.copies import fresh
from ratproof.laws.models.inputs import Inputs
from ratproof.laws.models.model import State, StatefulModel
from ratproof.laws.models.precision import OperatorRounding, moved
from ratproof.laws.models.problem import StatefulProblem


class Unusable(Exception):
    """Raised if a model raises an exception, or if its outputs cannot be compared.

    The message has one line.
    """


class Unequal(Unusable):
    """Raised if a model is not deterministic, because laws cannot be tested for such a model."""


class ModifiedInputs(Unusable):
    """Raised if a model changes its inputs in place.

    Attributes:
        index: Index of the first element that changed.
        before, after: Its values.
    """

    def __init__(self, where: str, before: Tensor, after: Tensor) -> None:
        self.index = tuple((before != after).nonzero()[0].tolist())
        self.before, self.after = before[self.index], after[self.index]
        super().__init__(f"{where}: the model must not change its inputs in place")


@dataclass(frozen=True)
class Perturbation:
    """The changes of a run's inputs and results by which its rounding is measured.

    Attributes:
        unit: The change of inputs, as the unit in the last place of values from 1 to 2.
        seed: Seed of the signs.
        operators: The mode that perturbs the results of operators; ``None`` if they are not perturbed.
    """

    unit: float
    seed: int
    operators: OperatorRounding | None


class Session:
    """A model that runs on one problem.

    Args:
        model: The model, which may have hidden state from earlier calls.
        inputs: Kind of its inputs.
        problem: Shapes, and the seed of the inputs.
        dtype: Dtype of floating-point inputs.
        device: Device of the inputs.
        perturbed: The perturbation of the run, if any.
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
        self.differentiable = False
        """Whether outputs and states keep the graph of their gradients."""

    def anew(self) -> Session:
        """Return a session for the same problem with a fresh model, which has no hidden state."""
        model = fresh(self.model)
        return Session(model, self.inputs, self.problem, self.dtype, self.device, self.perturbed)

    def tokens(self) -> Tensor:
        """Return the inputs of the problem."""
        problem = self.problem
        drawn = self._drawn(problem.batch, problem.time, 0)
        if problem.way or not problem.shared:
            return self.placed(drawn, 0)
        first = drawn[:1].expand(len(drawn) - 1, *drawn.shape[1:])
        return self.placed(torch.cat([drawn[:1], self._sharing(drawn[1:], first)]), 0)

    def between(self) -> Tensor:
        """Return the inputs of the calls between two uses of the same object."""
        problem = self.problem
        drawn = self._drawn(problem.before_rows or problem.batch, sum(problem.before), 1)
        if problem.shared:
            begin = 0 if problem.way in ("model", "cleared") else problem.pieces[0]
            tokens = self._drawn(problem.batch, problem.time, 0)[:, begin:]
            drawn = self._sharing(drawn, tokens[torch.arange(len(drawn)) % len(tokens)])
        return self.placed(drawn, 1)

    def _sharing(self, drawn: Tensor, tokens: Tensor) -> Tensor:
        """Return inputs that share their first tokens with ``tokens`` and then differ."""
        shared = self.problem.shared
        own = drawn[:, shared:]
        if own.shape[1] and shared < tokens.shape[1]:
            next_ = self.inputs.unlike(own[:, :1], tokens[:, shared : shared + 1])
            own = torch.cat([next_, own[:, 1:]], 1)
        return torch.cat([tokens[:, :shared], own], 1)

    def _drawn(self, batch: int, time: int, other: int) -> Tensor:
        return self.inputs.draw(batch, time, self.problem.seed + 7_919 * other, self.dtype)

    def placed(self, drawn: Tensor, other: int) -> Tensor:
        """Return random numbers on the session's device, perturbed if the session is.

        Args:
            drawn: The numbers.
            other: A number that is added to the seed of the perturbation.
        """
        if self.perturbed is not None:
            generator = torch.Generator().manual_seed(self.perturbed.seed + other)
            drawn = moved(drawn, self.perturbed.unit, generator)
        return drawn.to(self.device)

    def run(self, inputs: Tensor, state: State = None, mask: Tensor | None = None) -> tuple[Tensor, State]:
        """Call the model.

        Raises:
            Unusable: If the model raises an exception, or does not return outputs of shape ``(B, T, ...)``
                and a state.
            ModifiedInputs: If the model changes its inputs in place.
        """
        self.calls += 1
        before = inputs.detach().clone()
        result = self._call("the model", lambda: self.model.run(inputs, state, mask))
        if not torch.equal(before, inputs):
            raise ModifiedInputs(self._where(), before, inputs.detach())
        if not isinstance(result, tuple | list) or len(result) != 2:
            raise Unusable(
                f"{self._where()}: the model must return a pair (outputs, state), got {_kind(result)}"
            )
        outputs, state = result
        shape = tuple(inputs.shape[:2])
        right = f"floats of shape ({shape[0]}, {shape[1]}, ...)"
        if not isinstance(outputs, Tensor):
            raise Unusable(f"{self._where()}: the outputs must be {right}, got {_kind(outputs)}")
        if tuple(outputs.shape[:2]) != shape or not outputs.is_floating_point():
            format_ = str(outputs.dtype).removeprefix("torch.")
            raise Unusable(
                f"{self._where()}: the outputs must be {right}, got {format_} of shape {tuple(outputs.shape)}"
            )
        return (outputs.clone() if self.differentiable else outputs.detach().clone()), state

    def read(
        self, inputs: Tensor, pieces: Sequence[int], state: State = None, masks: Sequence[Tensor] = ()
    ) -> tuple[Tensor, State]:
        """Read the inputs in several calls, each with the state of the previous one.

        Args:
            inputs: The inputs of all calls.
            pieces: The number of tokens of each call.
            state: The state for the first call; ``None`` at the beginning.
            masks: The masks of the first calls, in order. The other calls have none.

        Returns:
            All outputs, and the last state.
        """
        outputs = []
        for part, mask in zip_longest(torch.split(inputs, list(pieces), 1), masks):
            part_outputs, state = self.run(part, state, mask)
            outputs.append(part_outputs)
            if part_outputs.shape[2:] != outputs[0].shape[2:]:
                shapes = f"{tuple(outputs[0].shape)} and then {tuple(part_outputs.shape)}"
                raise Unusable(
                    f"{self._where()}: the outputs of all calls must have the same shape after (B, T), got"
                    f" {shapes}"
                )
        return torch.cat(outputs, 1), state

    def reorder(self, state: State, rows: Sequence[int]) -> State:
        """Return the state with its rows reordered."""
        order = torch.tensor(rows, dtype=torch.int64, device=self.device)
        return self._call("reorder", lambda: self.model.reorder(state, order))

    def clear(self, state: State) -> State:
        """Return a cleared state."""
        return self._call("clear", lambda: self.model.clear(state))

    def rewind(self, state: State, tokens: int) -> State:
        """Return the state before its last tokens."""
        return self._call("rewind", lambda: self.model.rewind(state, tokens))

    def snapshot(self, state: State) -> State:
        """Return a snapshot of the state."""
        return self._call("snapshot", lambda: self.model.snapshot(state))

    def restore(self, snapshot: State) -> State:
        """Return the state of a snapshot."""
        return self._call("restore", lambda: self.model.restore(snapshot))

    def derivative(self, outputs: Tensor, weights: Tensor, of: Sequence[Tensor]) -> list[Tensor]:
        """Return the gradients of the outputs' weighted sum, or zeros for tensors that do not affect it."""
        if not outputs.requires_grad:
            return [torch.zeros_like(tensor) for tensor in of]
        flows = self._call(
            "the gradient",
            lambda: torch.autograd.grad(outputs, list(of), weights.to(outputs), allow_unused=True),
        )
        return [torch.zeros_like(x) if flow is None else flow for x, flow in zip(of, flows, strict=True)]

    def _call(self, who: str, call: Callable[[], State]) -> State:
        gradients = torch.set_grad_enabled(self.differentiable)
        try:
            with gradients, (self.perturbed and self.perturbed.operators) or nullcontext():
                return call()
        except Exception as error:
            message = (str(error).splitlines() or [""])[0]
            sentence = (
                f"{self._where()}: {who} raised {type(error).__name__}{f': {message}' if message else ''}"
            )
            # keep the traceback, because the verdict names the line of the user's file
            raise Unusable(sentence).with_traceback(error.__traceback__) from None

    def _where(self) -> str:
        return f"for {self.problem.says()}"


def _kind(value: object) -> str:
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else f"a {type(value).__name__}"
