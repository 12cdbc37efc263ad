"""A kernel with its declared properties, and its calls, whose results are checked."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from automata.errors import InputError
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import DECAYS, LinearRecurrence
from ratproof.laws.kernels.formats import FORMATS
from ratproof.laws.kernels.layouts import laid_out
from ratproof.laws.kernels.naive import Arrays
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.state_parts import Arguments, Function, with_one_state
from ratproof.laws.kernels.stepwise import as_kernel

CAPABILITIES = {
    "cu_seqlens": "packed sequences",
    "infinite-gates": "gates of -infinity",
    "empty": "empty sequences",
    "initial-state": "initial states",
    "final-state": "final states",
    "final-state-gradient": "gradients through final states",
    "gradient": "gradients",
    "decay-gradient": "gradients of decays",
    "narrow-gradient": "gradients in bfloat16 and float16",
    "scale": "values of scale other than None",
    "zero-scale": "a scale of 0",
    "int32-offsets": "int32 offsets",
    "exact": "exact sums (it clamps gates, or inverts by doubling)",
    "non-contiguous": "non-contiguous tensors",
}
"""Capabilities that ``without`` may exclude, with their descriptions."""


class Raised(InputError):
    """Raised if a kernel raised an exception, so that its results remain unknown."""


@dataclass(frozen=True)
class Kernel:
    """A kernel and its declared properties.

    Attributes:
        name: Name of the claim.
        family: The recurrence that it computes.
        function: A function of keyword arguments that returns the outputs and the final state.
        form: Recurrent or chunked.
        without: Names of :data:`CAPABILITIES` that it does not support.
        dtypes: The dtypes in which it computes.
        device: The device on which it runs.
        accumulation: The dtype of states and sums for narrow inputs; ``None`` for the inputs' own dtype.
        against: Another kernel that replaces the family's recurrence as the reference.
        cumulated: Whether it may compute the gradients of decays as sums over later tokens.
        multiple: Lengths must be multiples of this number of tokens.
        longest: Maximum number of tokens; ``None`` without a limit.
        sizes: The possible sizes of some axes, B, H, K, V or D; other axes have the default sizes.
        lengths: The lengths of all calls, in order; empty for the default lengths.
        seconds: Time limit of each check.
        gpu_memory: Limit of torch's memory on a GPU in bytes; ``None`` for half of the free memory.
        who: The kernel in messages about its calls.
    """

    name: str
    family: LinearRecurrence
    function: Function
    form: KernelForm
    without: frozenset[str] = frozenset()
    dtypes: tuple[str, ...] = ("float32", "float64")
    device: str = "cpu"
    cumulated: bool = False
    accumulation: str | None = None
    against: Function | None = None
    multiple: int = 1
    longest: int | None = None
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()
    seconds: float = 600.0
    gpu_memory: int | None = None
    who: str = "the kernel"

    def other(self) -> Kernel:
        """Return the reference as a kernel: ``against``, or the family's step run for every token."""
        if self.against is None:
            return replace(self, function=as_kernel(self.family), who="the step")
        return replace(self, function=self.against, against=None, who="the other kernel")

    @property
    def measures_gradients(self) -> bool:
        """Return whether rounding of gradients is measured, because no bound can be derived.

        This is the case for a ``step`` if the kernel may compute the gradients of decays as sums of terms
        that cancel.
        """
        decays = DECAYS & set(self.family.kinds.values())
        by_step = self.family.function is not None and not self.family.layer
        return by_step and self.cumulated and bool(decays)

    def says(self) -> str:
        """Return a one-line description of the kernel."""
        how = "step by step" if self.form.chunk is None else f"in chunks of {self.form.chunk}"
        unsupported = [CAPABILITIES[name] for name in sorted(self.without)]
        if self.multiple > 1:
            unsupported.append(f"lengths other than multiples of {self.multiple}")
        if self.longest is not None:
            unsupported.append(f"more than {self.longest} tokens")
        for axis, sizes in self.sizes.items():
            unsupported.append(f"{axis} other than {', '.join(map(str, sizes))}")
        if self.lengths:
            unsupported.append(f"lengths other than {', '.join(map(str, self.lengths))}")
        lacking = f"; not tested: {', '.join(unsupported)}" if unsupported else ""
        wider = "" if self.accumulation is None else f", with sums in {self.accumulation}"
        named = getattr(self.function, "__name__", type(self.function).__name__)
        if self.against is not None:
            other = getattr(self.against, "__name__", type(self.against).__name__)
            what = f"{named}, compared with {other}, within measured rounding"
        else:
            what = f"{named}, compared with family {self.family.name} {how}"
        return f"{what}, in {' and '.join(self.dtypes)}{wider}{lacking}"

    def source(self) -> tuple[str, str] | None:
        """Return the file that defines the kernel, and a global name of it there; ``None`` if there is none.

        A decorator or an adapter may return a function from its own file.
        """
        variables = getattr(inspect.unwrap(self.function), "__globals__", {})
        file = variables.get("__file__")
        name = next((name for name, value in variables.items() if value is self.function), None)
        return (file, name) if file and name else None

    def call(self, problem: Problem, arrays: Arrays) -> Call:
        """Call the kernel without gradients."""
        arguments = problem.arguments(arrays, self.device)
        before = _copies(arguments)
        with torch.inference_mode() if problem.mode == "inference" else torch.no_grad():
            outputs, states = self.results(problem, arrays, arguments)
        results = (outputs,) if states is None else (outputs, states)
        return Call(_array(outputs), _array(states), _changed(before, arguments), tensors=results)

    def gradients(self, problem: Problem, arrays: Arrays, weights: Arrays) -> Call:
        """Call the kernel and compute gradients with respect to all tensors except the frozen ones.

        The differentiated function is sum(o * weights["o"]) + sum(final_state * weights["final_state"]). A
        gradient is zero if this function does not depend on the argument.

        Raises:
            Raised: If the kernel raises in the forward or backward pass.
            InvalidKernelResult: If the result is not a pair of tensors with the expected shapes and dtypes.
        """
        arguments = problem.arguments(arrays, self.device)
        before = _copies(arguments)
        inputs = {n: arguments[n].requires_grad_() for n in arrays if n not in problem.frozen}
        with torch.enable_grad():
            outputs, states = self.results(problem, arrays, arguments)
        call = Call(_array(outputs), _array(states), None, {n: np.zeros(arrays[n].shape) for n in inputs})
        computed: dict[str, Any] = {"o": outputs, "final_state": states}
        flowing = [
            (computed[n], _flow_to(computed[n], w, problem))
            for n, w in weights.items()
            if computed[n].requires_grad
        ]
        if flowing:
            results, from_above = zip(*flowing, strict=True)
            again = problem.mode == "twice"
            with self._raising(problem, f"{self.who}'s gradient"):
                for _ in range(2 if again else 1):
                    every = torch.autograd.grad(
                        results, list(inputs.values()), from_above, retain_graph=again, allow_unused=True
                    )
            call.flows.update((n, _array(x)) for n, x in zip(inputs, every, strict=True) if x is not None)
        return replace(call, changed=_changed(before, arguments))

    def results(self, problem: Problem, arrays: Arrays, arguments: Arguments) -> tuple[Tensor, Tensor | None]:
        """Call the kernel and check its results.

        Raises:
            Raised: If the kernel raises an exception.
            InvalidKernelResult: If the result is not a pair of tensors with the expected shapes and dtypes.
        """
        accepted = self.accepted(arguments)
        with self._raising(problem, self.who):
            function = (
                with_one_state(self.function, problem.part_shapes) if problem.in_parts else self.function
            )
            result = function(**accepted)
        if not isinstance(result, tuple | list) or len(result) != 2:
            right = "a tuple (outputs, final_state)"
            raise InvalidKernelResult(self, problem, arrays, "result", _kind(result), right, "")
        outputs, states = result
        self._require(problem, arrays, "o", outputs, problem.shape(self.family.output_axes))
        if "final-state" in self.without or not accepted.get("output_final_state", True):
            return outputs, None
        self._require(problem, arrays, "final_state", states, problem.state_shape)
        return outputs, states

    @contextmanager
    def _raising(self, problem: Problem, who: str) -> Iterator[None]:
        """Convert an exception in the block to :class:`Raised`; its message names ``who``, error and call."""
        try:
            yield
        except Exception as error:
            message = (str(error).splitlines() or [""])[0]
            raised = f"{who} raised {type(error).__name__}{f': {message}' if message else ''}"
            # keep the traceback, because the verdict names the line of the user's file
            hint = "" if problem.time else "; without=['empty'] leaves out empty inputs"
            sentence = f"{self.name}: {raised} ({problem.says()}){hint}"
            raise Raised(sentence).with_traceback(error.__traceback__) from None

    def accepted(self, arguments: Arguments) -> Arguments:
        """Return the arguments adapted to the function's signature.

        Unused options that the function does not accept are dropped. Options that its family does not need,
        but that the function requires, are added.
        """
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            return arguments
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
            return arguments
        needed = {n for n, p in parameters.items() if p.default is inspect.Parameter.empty}
        unneeded = {"scale": 1.0, "cu_seqlens": None}
        complete = {n: unneeded[n] for n in needed & set(unneeded) - set(arguments)} | arguments
        idle = {n for n in (*unneeded, "initial_state") if complete.get(n) is None}
        idle.add("output_final_state")  # without this option, the function must always return a final state
        return {n: x for n, x in complete.items() if n in parameters or n not in idle}

    def _require(
        self, problem: Problem, arrays: Arrays, name: str, value: object, shape: tuple[int, ...]
    ) -> None:
        dtype = problem.format_of(name)
        right = f"a tensor of shape {shape} and {dtype}"
        if not isinstance(value, Tensor):
            raise InvalidKernelResult(
                self, problem, arrays, name, _kind(value), right, f"type({name}).__name__"
            )
        if tuple(value.shape) != shape or value.dtype != FORMATS[dtype].dtype:
            format_ = str(value.dtype).removeprefix("torch.")
            result = f"a tensor of shape {tuple(value.shape)} and {format_}"
            raise InvalidKernelResult(
                self, problem, arrays, name, result, right, f"(tuple({name}.shape), {name}.dtype)"
            )


class InvalidKernelResult(Exception):
    """Raised if the shape, the dtype or the type of a result violates the calling convention.

    Args:
        kernel, problem, arrays: The call.
        name: ``o``, ``final_state``, or ``result`` for both.
        result: Description of the result.
        right: Description of the required result.
        printed: An expression in ``o`` and ``final_state`` that prints the wrong property; empty if the
            result is not a pair.
    """

    def __init__(
        self,
        kernel: Kernel,
        problem: Problem,
        arrays: Arrays,
        name: str,
        result: str,
        right: str,
        printed: str,
    ) -> None:
        what = f"{kernel.who}'s {name} must be {right}"
        super().__init__(f"{kernel.name}: {what}, got {result} ({problem.says()})")
        self.kernel, self.problem, self.arrays = kernel, problem, arrays
        self.name, self.result, self.right, self.printed = name, result, right, printed


@dataclass(frozen=True)
class Call:
    """The results of a call, as arrays in the kernel's axes.

    Attributes:
        outputs: The outputs o.
        states: The final state; ``None`` if it is not requested.
        changed: Name of an argument that the kernel modified, if any.
        flows: Gradients by argument, if they are computed.
        tensors: The kernel's own tensors, which a later call must not overwrite.
    """

    outputs: NDArray[np.float64]
    states: NDArray[np.float64] | None
    changed: str | None
    flows: Arrays = field(default_factory=dict)
    tensors: tuple[Tensor, ...] = ()

    def overwritten(self) -> str | None:
        """Return the name of a result that has changed since the call, or ``None``."""
        now = zip(("o", "final_state"), map(_array, self.tensors), strict=False)
        before = self.results()
        return next((n for n, x in now if not np.array_equal(x, before[n], equal_nan=True)), None)

    def results(self) -> Arrays:
        """Return the outputs, the final state and the gradients, keyed by name."""
        states = {} if self.states is None else {"final_state": self.states}
        return {"o": self.outputs, **states, **{f"{n}.grad": flow for n, flow in self.flows.items()}}


@overload
def _array(values: None) -> None: ...
@overload
def _array(values: Tensor) -> NDArray[np.float64]: ...
def _array(values: Tensor | None) -> NDArray[np.float64] | None:
    # a copy, because a kernel may reuse its tensors
    return None if values is None else np.array(values.detach().double().cpu().numpy())


def _flow_to(result: Tensor, weights: NDArray[np.float64], problem: Problem) -> Tensor:
    """Return the gradient of a weighted sum with respect to a result, in the memory layout of the call.

    For a plain sum it is an expanded scalar, as in torch.
    """
    if problem.mode == "sum":
        return result.new_ones(()).expand(result.shape)
    return laid_out({"flow": torch.tensor(weights).to(result)}, problem.layout)["flow"]


def _copies(arguments: Arguments) -> dict[str, Tensor]:
    return {name: x.clone() for name, x in arguments.items() if isinstance(x, Tensor)}


def _changed(before: dict[str, Tensor], arguments: Arguments) -> str | None:
    """Return the name of the first tensor that has changed, or ``None``."""
    return next((n for n, x in before.items() if not _same(x, arguments[n].detach())), None)


def _same(one: Tensor, other: Tensor) -> bool:
    return torch.equal(one, other) or torch.equal(one.nan_to_num(), other.nan_to_num())


def _kind(value: object) -> str:
    if value is None:
        return "None"
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else f"a {type(value).__name__}"
