"""The reference for a recurrence that is given as a Python step: results in float64, and derived bounds.

The step runs a second time on tensors that carry a bound on their rounding error (:mod:`neural.tracked`), in
the kernel's accumulation dtype, from token to token. Let u be the unit roundoff and A the sum of the absolute
values of all terms of a result. The running error is at least u A: each product is charged relative to its
size, and a sum that cancels is charged before, because no term is larger than the sums before and after it
together. A kernel that multiplies out the terms and sums them in another order rounds each term at most n
times, so its error is at most n u A, that is, n times the running error. Here

* n = m for a kernel that computes step by step, where m is the number of operations of a step that round,
* n = m + C + 8 + (2 C + 1) G for chunks of C tokens. C covers the sums and products over the tokens of a
  chunk, and G is the largest sum, over C consecutive tokens, of the largest absolute argument of an
  exponential in a step. It covers decays that are exponentials of differences of cumulative logarithms.

A factor of a term that is itself a sum, such as 1 - f, must be computed as in the step: if a kernel computes
1 - f times u as u - f u, its error is relative to u, which this bound does not cover.

Terms of second order are omitted; elements without a useful bound do not count. A bound of a quotient or
logarithm whose argument may be 0 is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.overrides import TorchFunctionMode

from automata.errors import InputError
from neural.tracked import RULES, RunningErrorTensor, operation_of, tracking
from ratproof.laws.kernels.bounds.rounding import OUTWARD, KernelForm
from ratproof.laws.kernels.family import LinearRecurrence
from ratproof.laws.kernels.formats import FORMATS
from ratproof.laws.kernels.naive import Arrays, groups
from ratproof.laws.kernels.problem import Problem

Step = Callable[[Any, dict[str, Any]], tuple[Any, Any]]
"""A step: from a state and the tensors of a token to the next state and an output."""


class Operations(TorchFunctionMode):
    """A context that counts the operations that round, and notes the largest arguments of exponentials."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds = 0
        self.exponents: list[float] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function, and note its operation."""
        operation = operation_of(func)
        self.rounds += operation in RULES
        if operation == "exp":
            finite = args[0][args[0].isfinite()].abs()
            self.exponents.append(float(finite.max()) if finite.numel() else 0.0)
        return func(*args, **(kwargs or {}))


def as_kernel(family: LinearRecurrence) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the step of a family as a kernel, which runs it for every token."""
    axes, step = family.tensors, _step_of(family)

    def kernel(
        *, initial_state: Tensor | None = None, cu_seqlens: Tensor | None = None, **tensors: Tensor
    ) -> tuple[Tensor, Tensor]:
        sizes: dict[str, int] = {}
        for name, axes_of in axes.items():
            sizes |= dict(zip(axes_of, tensors[name].shape, strict=True))
        like = tensors[family.value]
        ends = [0, sizes["T"]] if cu_seqlens is None else cu_seqlens.tolist()
        rows = sizes["B"] if cu_seqlens is None else len(ends) - 1
        if initial_state is None:
            initial_state = like.new_zeros(rows, *(sizes[axis] for axis in family.state))
        outputs, states = [], []
        for row, (begin, end) in enumerate(pairwise(ends)):
            state = initial_state if cu_seqlens is None else initial_state[row : row + 1]
            for t in range(begin, end):
                state, output = step(state, _token({n: tensors[n] for n in axes}, axes, t))
                outputs.append(output)
            states.append(state)
        return torch.stack(outputs, 1) if outputs else torch.zeros_like(like), torch.cat(states)

    return kernel


def _step_of(family: LinearRecurrence) -> Step:
    assert family.function is not None
    return family.function


def _token(tensors: Mapping[str, Any], axes: Mapping[str, str], t: int) -> dict[str, Any]:
    return {name: x[:, t] if "T" in axes[name] else x for name, x in tensors.items()}


def stepwise(
    problem: Problem, arrays: Arrays, form: KernelForm
) -> dict[str, tuple[Any, NDArray[np.float64]]]:
    """Return the outputs ``o`` and the ``final_state`` of a call, each with its bound.

    Raises:
        InputError: If no rule bounds an operation of the step.
    """
    family = problem.family
    value = np.zeros(problem.shape(family.tensors[family.value]))
    state = np.zeros(problem.state_shape)
    results = {"o": (value, value.copy()), "final_state": (state, state.copy())}
    narrow = FORMATS[problem.accumulation].dtype
    for group in groups(problem):
        own = {
            name: array[group.rows, group.tokens] if "T" in family.tensors[name] else array
            for name, array in arrays.items()
            if name != "initial_state"
        }
        begin = arrays.get("initial_state", np.zeros(problem.state_shape))[group.states]
        with Operations() as operations:
            wide = _run(_step_of(family), family.tensors, _tensors(own, torch.float64), torch.tensor(begin))
        tensors = {n: RunningErrorTensor.exact(x) for n, x in _tensors(own, narrow).items()}
        first = RunningErrorTensor.exact(torch.tensor(begin, dtype=narrow))
        with tracking():
            tracked = _run(_step_of(family), family.tensors, tensors, first)
        factor = _factor(operations, form, len(wide[0])) * OUTWARD
        if problem.accumulation == "float64":
            factor += 1  # the reference rounds, too
        for t, (output, bounded) in enumerate(zip(wide[0], tracked[0], strict=True)):
            where = (group.rows, group.tokens.start + t)
            results["o"][0][where], results["o"][1][where] = output.numpy(), factor * bounded.error.numpy()
        results["final_state"][0][group.states] = wide[1].numpy()
        results["final_state"][1][group.states] = factor * tracked[1].error.numpy()
    return results


def _tensors(arrays: Arrays, dtype: torch.dtype) -> dict[str, Tensor]:
    return {name: torch.tensor(array, dtype=dtype) for name, array in arrays.items()}


def _run(step: Any, axes: Mapping[str, str], tensors: Mapping[str, Any], state: Any) -> tuple[list[Any], Any]:
    """Return the outputs of all tokens, and the final state."""
    outputs = []
    for t in range(next(x.shape[1] for name, x in tensors.items() if "T" in axes[name])):
        state, output = step(state, _token(tensors, axes, t))
        outputs.append(output)
    return outputs, state


def _factor(operations: Operations, form: KernelForm, time: int) -> float:
    """Return the number of roundings of a term."""
    if not time:
        return 1.0
    rounds = operations.rounds / time
    if form.chunk is None:
        return rounds
    by_token = np.array(operations.exponents).reshape(time, -1).max(axis=1, initial=0.0)
    window = np.convolve(by_token, np.ones(min(form.chunk, time)), "valid").max()
    return float(rounds + form.chunk + 8 + (form.roundings() + 2) * window)


def require_rules(name: str, step: Step, tensors: Mapping[str, str], value: str, state: str) -> None:
    """Raise InputError unless the step runs, gives the right shapes, and has a rule for each operation."""
    sizes = {"B": 2, "T": 1, "H": 3, "K": 4, "V": 5, "D": 3}

    def ones(axes: str) -> RunningErrorTensor:
        return RunningErrorTensor.exact(torch.ones(tuple(sizes[axis] for axis in axes)))

    inputs = {n: ones(axes) for n, axes in tensors.items()}
    try:
        with tracking():
            (output,), last = _run(step, tensors, inputs, ones("B" + state))
    except Exception as error:
        message = (str(error).splitlines() or [""])[0]
        if "no rule bounds" in message:
            hint = f"the step's {message}; rewrite it, or pass against= for measured rounding"
        else:
            hint = (
                f"the step raised {type(error).__name__} for B = 2, H = 3, K = 4, V = 5 and D = 3: {message}"
            )
        raise InputError(f"{name}: {hint}").with_traceback(error.__traceback__) from None
    for what, result, axes in (("state", last, "B" + state), ("output", output, tensors[value])):
        right = tuple(sizes[axis] for axis in axes if axis != "T")
        if tuple(result.shape) != right:
            letters = axes.replace("T", "")
            raise InputError(
                f"{name}: the step's {what} must have the axes {letters}, shape {right} for B = 2, H = 3,"
                f" K = 4, V = 5 and D = 3, got {tuple(result.shape)}"
            )
