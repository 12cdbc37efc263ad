"""The reference for a recurrence that is given as a Python step: results in float64, and derived bounds.

The step runs in float64 on tensors that carry the sums of the magnitudes of their monomials
(:mod:`neural.any_order`). A monomial is a product of elements of the state, of the token's tensors, and of
values of functions such as exp. The error of a step is

* the error of the state, propagated as in exact arithmetic, and
* n u times the sum of the magnitudes of the monomials, where u is the unit roundoff and n the number of
  roundings of a monomial. For a kernel that computes step by step, n = 2 k + 16 if a monomial passes through
  k operations of the step. This covers every order of the step's sums and products and the expansion of
  factors that are sums, for example x - f x for (1 - f) x.

For chunks of C tokens, n is larger by C + 8 + (2 C + 1) G. C covers the sums and products over the tokens of
a chunk. G is the largest sum, over C consecutive tokens, of the largest absolute logarithm of an exponential,
a sigmoid or a decay in a step. The term with G covers decays that are exponentials of differences of
cumulative logarithms. In a chunked kernel, a factor that is a sum must be computed as in the step.

Elements without a useful bound do not count. The bound is infinite for a quotient whose divisor may be 0, and
for a logarithm whose argument may be 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from automata.errors import InputError
from automata.rounding.formats import FLOAT64
from neural.any_order import ReorderingBound, derivatives, evaluating
from neural.rounding import FORMATS as TORCH_FORMATS
from neural.tracked import BoundedTensor, in_order, operation_of
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import LinearRecurrence
from ratproof.laws.kernels.formats import FORMATS
from ratproof.laws.kernels.naive import Arrays, groups
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.state_parts import Arguments, Step, joined, separate, shapes_of


class _Exponents(TorchFunctionMode):
    """A context that records the largest argument of each exponential, and logarithm of each sigmoid."""

    def __init__(self) -> None:
        super().__init__()
        self.largest: list[float] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function; if it is an exponential or a sigmoid, record its largest logarithm."""
        if (operation := operation_of(func)) in ("exp", "sigmoid"):
            (argument,) = in_order(args, kwargs or {})
            self.record(argument if operation == "exp" else functional.logsigmoid(argument))
        return func(*args, **(kwargs or {}))

    def record(self, logarithms: Tensor) -> None:
        """Record the largest finite absolute value."""
        finite = logarithms[logarithms.isfinite()].abs()
        self.largest.append(float(finite.max()) if finite.numel() else 0.0)


def as_kernel(family: LinearRecurrence) -> Callable[..., tuple[Tensor, object]]:
    """Return a kernel that runs the step of a family for every token."""
    axes, step = family.tensors, _step_of(family)

    def kernel(
        *, initial_state: Any = None, cu_seqlens: Tensor | None = None, **tensors: Tensor
    ) -> tuple[Tensor, Any]:
        sizes: dict[str, int] = {}
        for name, axes_of in axes.items():
            sizes |= dict(zip(axes_of, tensors[name].shape, strict=True))
        like = tensors[family.value]
        ends = [0, sizes["T"]] if cu_seqlens is None else cu_seqlens.tolist()
        rows = sizes["B"] if cu_seqlens is None else len(ends) - 1
        parts = shapes_of(family.state, sizes) if isinstance(family.state, tuple) else None
        if parts is not None:
            size = sum(map(prod, parts))
            initial_state = (
                like.new_zeros(rows, sizes["D" if family.lanes else "H"], size)
                if initial_state is None
                else joined(initial_state)
            )
        elif initial_state is None:
            initial_state = like.new_zeros(rows, *(sizes[axis] for axis in family.state))
        outputs, states = [], []
        for row, (begin, end) in enumerate(pairwise(ends)):
            state = initial_state if cu_seqlens is None else initial_state[row : row + 1]
            for t in range(begin, end):
                state, output = step(state, _token({n: tensors[n] for n in axes}, axes, t))
                outputs.append(output)
            states.append(state)
        final = torch.cat(states)
        stacked = torch.stack(outputs, 1) if outputs else torch.zeros_like(like)
        return stacked, final if parts is None else separate(final, parts)

    return kernel


def _step_of(family: LinearRecurrence) -> Step:
    assert family.function is not None
    return family.function


def _token(tensors: Mapping[str, Tensor], axes: Mapping[str, str], t: int) -> Arguments:
    return {name: x[:, t] if "T" in axes[name] else x for name, x in tensors.items()}


def stepwise(
    problem: Problem,
    arrays: Arrays,
    form: KernelForm,
    weights: Mapping[str, NDArray[np.float64]] | None = None,
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the outputs ``o`` and the ``final_state`` of a call, each with its bound.

    Args:
        problem: The call.
        arrays: The values of its arguments.
        form: The kernel's declared form.
        weights: The factors of the outputs and of the final states in the sum that is differentiated. The
            results then include the gradients, for example ``q.grad``.
    """
    family, axes = problem.family, problem.family.tensors
    shapes = {"o": problem.shape(axes[family.value]), "final_state": problem.state_shape}
    if weights is not None:
        shapes |= {f"{name}.grad": problem.shape(own) for name, own in axes.items()}
        shapes["initial_state.grad"] = problem.state_shape
    results = {name: (np.zeros(shape), np.zeros(shape)) for name, shape in shapes.items()}

    def store(name: str, where: Any, number: ReorderingBound) -> None:
        results[name][0][where], results[name][1][where] = number.value.numpy(), number.error.numpy()

    kind = TORCH_FORMATS[FORMATS[problem.accumulation].dtype]
    initial = arrays.get("initial_state", np.zeros(problem.state_shape))
    shared: dict[str, ReorderingBound] = {}
    most = 0
    for group in groups(problem):
        tensors = {
            name: torch.tensor(array[group.rows, group.tokens] if "T" in axes[name] else array)
            for name, array in arrays.items()
            if name != "initial_state"
        }
        begin = torch.tensor(initial[group.states])
        more = 0 if form.chunk is None else _roundings_of_chunks(family, tensors, begin, form)
        most = max(most, more)
        states = [ReorderingBound.leaf(begin, kind)]
        tokens = list(_by_token(axes, tensors))
        for t, own in enumerate(tokens):
            _, state, output = _run_step(family, states[-1], own)
            store("o", (group.rows, group.tokens.start + t), output.rounded(more))
            states.append(state.rounded(more))
        store("final_state", group.states, states[-1])
        if weights is None:
            continue
        bar = ReorderingBound.leaf(torch.tensor(weights["final_state"][group.states]), kind)
        for t, own in reversed(list(enumerate(tokens))):
            where = group.rows, group.tokens.start + t
            leaves, state, output = _run_step(family, states[t], own)
            of_output = ReorderingBound.leaf(torch.tensor(weights["o"][where]), kind)
            of_state, *flows = derivatives([(output, of_output), (state, bar)], [states[t], *leaves.values()])
            bar = of_state.rounded(more)
            for name, flow in zip(leaves, flows, strict=True):
                if "T" in axes[name]:
                    store(f"{name}.grad", where, flow.rounded(more))
                else:
                    shared[name] = shared[name] + flow if name in shared else flow
        store("initial_state.grad", group.states, bar)
    for name, flow in shared.items():
        store(f"{name}.grad", ..., flow.rounded(most))
    return results


def _run_step(
    family: LinearRecurrence, state: ReorderingBound, tensors: Mapping[str, Tensor]
) -> tuple[dict[str, ReorderingBound], ReorderingBound, ReorderingBound]:
    """Run one step, and return the token's tensors as leaves of the graph, the next state and the output."""
    leaves = {name: ReorderingBound.leaf(x, state.kind) for name, x in tensors.items()}
    with evaluating(state.kind):
        return leaves, *_step_of(family)(state, leaves)


def _by_token(axes: Mapping[str, str], tensors: Mapping[str, Tensor]) -> Iterator[dict[str, Tensor]]:
    time = next(x.shape[1] for name, x in tensors.items() if "T" in axes[name])
    return (_token(tensors, axes, t) for t in range(time))


def _roundings_of_chunks(
    family: LinearRecurrence, tensors: Mapping[str, Tensor], state: Tensor, form: KernelForm
) -> int:
    """Return the number of additional roundings of a term if the kernel computes in chunks."""
    assert form.chunk is not None
    by_token = []
    decays = [name for name, kind in family.kinds.items() if kind == "decay"]
    for own in _by_token(family.tensors, tensors):
        with _Exponents() as exponents:
            state, _ = _step_of(family)(state, own)
        for name in decays:
            exponents.record(own[name].log())
        by_token.append(max(exponents.largest, default=0.0))
    if not by_token:
        return 0
    window = float(np.convolve(by_token, np.ones(min(form.chunk, len(by_token))), "valid").max())
    return math.ceil(form.chunk + 8 + (form.roundings() + 2) * window)


_SIZES = {"B": 2, "H": 3, "K": 4, "V": 5, "M": 6, "D": 3}


def require_rules(
    name: str, step: Step, tensors: Mapping[str, str], value: str, state: str | tuple[str, ...]
) -> None:
    """Raise InputError unless the step runs with the expected shapes and has a rule for each operation."""
    own = state if isinstance(state, tuple) else (state,)

    def ones(axes: str) -> ReorderingBound:
        return ReorderingBound.leaf(torch.ones(_shape(axes)), FLOAT64)

    before = tuple(ones("B" + axes) for axes in own)
    sizes = ", ".join(f"{axis} = {size}" for axis, size in _SIZES.items())
    try:
        with evaluating(FLOAT64):
            inputs = {tensor: ones(axes) for tensor, axes in tensors.items()}
            after, output = step(before if isinstance(state, tuple) else before[0], inputs)
    except Exception as error:
        message = (str(error).splitlines() or [""])[0]
        if "no rule bounds" in message:
            hint = f"the step's {message}; rewrite it, or pass against= for measured rounding"
        else:
            hint = f"the step raised {type(error).__name__} for {sizes}: {message}"
        raise InputError(f"{name}: {hint}").with_traceback(error.__traceback__) from None
    if isinstance(state, tuple) and (not isinstance(after, tuple | list) or len(after) != len(state)):
        raise InputError(f"{name}: the step's state must be a tuple of {len(state)} tensors")
    states = zip(after if isinstance(state, tuple) else (after,), ("B" + axes for axes in own), strict=True)
    results = [*(("state", *pair) for pair in states), ("output", output, tensors[value])]
    for what, result, axes in results:
        shape = tuple(result.shape) if isinstance(result, BoundedTensor | Tensor) else type(result).__name__
        if shape != _shape(axes):
            letters = axes.replace("T", "")
            raise InputError(
                f"{name}: the step's {what} must have the axes {letters}, shape {_shape(axes)} for {sizes},"
                f" got {shape}"
            )


def _shape(axes: str) -> tuple[int, ...]:
    return tuple(_SIZES[axis] for axis in axes if axis != "T")
