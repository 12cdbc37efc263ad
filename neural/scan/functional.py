"""Registration of torch operators with gradients.

The class :class:`Operation` registers an operator with ``torch.library``: its shapes, gradients and batching
rules. The gradient runs on the backend that computed the operator. For speed, the gradient is another
operator. If second derivatives are required, differentiable functions compute the gradient instead. The
transforms of ``torch.func`` and forward-mode differentiation do not support the gradients of operators. For
them, the operator runs inside an ``autograd.Function``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

# torch.compiler.disable would import the compiler here, which takes a second
from torch._compile import _disable_dynamo
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

from neural.scan import backends


def one_precision(values: Tensor) -> AbstractContextManager[Any]:
    """Return a context that disables autocast, so that torch computes products in the arguments' precision.

    In a lower precision, errors would accumulate over the steps, and only on some backends.
    """
    return torch.autocast(values.device.type, enabled=False)


class Operator:
    """A function that is registered as a torch operator, with the name ``ratproof::`` and its own name.

    For plain tensors that require no gradients, a call bypasses torch's dispatcher, because its checks in
    Python take longer than a small recurrence.

    Args:
        function: computes the operator; it must not change or return its arguments.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        name = f"ratproof::{function.__name__}"
        self.registered: Any = torch.library.custom_op(name, function, mutates_args=())

    def __call__(self, *arguments: Any) -> Any:
        """Call the function, through torch's dispatcher if necessary."""
        if are_ordinary(arguments) and not _require_gradients(arguments):
            return self.function(*arguments)
        return self.registered(*arguments)


class Operation(Operator):
    """A differentiable torch operator, whose gradient is computed by another operator.

    Args:
        forward: computes the operator's results: a tensor or a tuple of tensors.
        backward: computes the gradients of the arguments that are floating-point tensors or ``None``; the
            gradient of ``None`` is an empty tensor. The arguments of ``backward`` are the gradients of the
            results, followed by the arguments of ``forward``, among which the results are inserted.
        again: computes the same gradients with differentiable functions.
        results_at: the number of arguments of ``forward`` before the inserted results.
        like: maps the arguments to uninitialised tensors with the shapes and dtypes of the results.
        axes: the position of the batch axis of each tensor argument under ``vmap``.
        result_axes: the positions of the batch axes of the results.
        batched: custom ``vmap`` rules for ``forward`` and ``backward``, instead of axes.
    """

    def __init__(
        self,
        forward: Callable[..., Any],
        backward: Callable[..., Any],
        again: Callable[..., Any],
        results_at: int,
        like: Callable[..., Any],
        axes: Sequence[int] = (),
        result_axes: tuple[int, ...] = (),
        batched: Sequence[Callable[[Any], Any]] | None = None,
    ) -> None:
        super().__init__(forward)
        self.backward, self._again = Operator(backward), again
        self._at, self._results = results_at, max(1, len(result_axes))
        if batched is None:
            all_axes = (*result_axes, *axes[:results_at], *result_axes, *axes[results_at:])
            one = result_axes if len(result_axes) > 1 else result_axes[0]
            batched = (_along(axes, one), _along(all_axes, tuple(axes)))
        self._batched = batched[0]
        self.registered.register_fake(like)
        self.registered.register_autograd(self._gradient, setup_context=self._keep)
        self.registered.register_vmap(batched[0](super().__call__))
        self.backward.registered.register_fake(self._like_arguments)
        self.backward.registered.register_vmap(batched[1](self.backward))
        self._direct, self._transformable = self._functions()

    def __call__(self, *arguments: Any) -> Any:
        """Compute the operator's results.

        The call supports ``grad``, ``vmap`` and ``jvp`` of ``torch.func``, dual tensors, and compilers.
        """
        if are_ordinary(arguments):
            if not _require_gradients(arguments):
                return self.function(*arguments)
            return self._direct.apply(*arguments)
        if not (_transformed() or forward_ad._current_level >= 0):
            return self.registered(*arguments)
        if torch.compiler.is_dynamo_compiling():
            torch._dynamo.graph_break(msg="a recurrence under vmap or jvp is not traced, but runs eagerly")
        return self._untraced(*arguments)

    @_disable_dynamo
    def _untraced(self, *arguments: Any) -> Any:
        return self._transformable.apply(*arguments)

    def _keep(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        outputs = output if isinstance(output, tuple) else (output,)
        at, ctx.results = self._at, len(outputs)
        values = (*inputs[:at], *outputs, *inputs[at:])
        count = len(values)
        while not (values[count - 1] is None or isinstance(values[count - 1], Tensor)):
            count -= 1
        ctx.save_for_backward(*values[:count])
        ctx.rest = values[count:]
        if len(outputs) > 1:
            ctx.set_materialize_grads(False)  # otherwise an unused result would allocate an array of zeros
        # on a GPU, gradients are computed in a separate thread, in which :func:`backends.use` has no effect
        ctx.backend = backends.forced()

    def _gradient(self, ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        values = *grads, *ctx.saved_tensors, *ctx.rest
        # Use differentiable functions if the gradient may be differentiated, in backward or forward mode.
        again = torch.is_grad_enabled() or forward_ad._current_level >= 0
        with nullcontext() if ctx.backend is None else backends.use(*ctx.backend):
            gradients = iter((self._again if again else self.backward)(*values))
        inputs = self._inputs(values, len(grads))
        floats = (next(gradients) if _has_gradient(x) else None for x in inputs)
        return tuple(None if x is None else y for x, y in zip(inputs, floats, strict=True))

    def _inputs(self, values: Sequence[Any], results: int) -> list[Any]:
        """Return those of ``values``, the arguments of ``backward``, that are arguments of ``forward``.

        ``results`` is the number of the results of ``forward``.
        """
        return [*values[results : results + self._at], *values[2 * results + self._at :]]

    def _like_arguments(self, *values: Any) -> tuple[Tensor, ...]:
        inputs = self._inputs(values, self._results)
        like = next(x for x in inputs if isinstance(x, Tensor))
        return tuple(like.new_empty(0 if x is None else x.shape) for x in inputs if _has_gradient(x))

    def _functions(self) -> tuple[Any, Any]:
        operation = self

        class Direct(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *arguments: Any) -> Any:
                output = operation.function(*arguments)
                operation._keep(ctx, arguments, output)
                return output

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                return operation._gradient(ctx, *grads)

        class Transformable(torch.autograd.Function):
            @staticmethod
            def forward(*arguments: Any) -> Any:
                # Outer transforms may still be active.
                return (operation if _transformed() else operation.registered)(*arguments)

            @staticmethod
            def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
                operation._keep(ctx, inputs, output)
                ctx.save_for_forward(*(x for x in inputs if isinstance(x, Tensor)))
                ctx.no_tensors = [None if isinstance(x, Tensor) else (x,) for x in inputs]

            @staticmethod
            def jvp(ctx: Any, *tangents: Any) -> Any:
                # Use primals: dual tensors would call this method again.
                unpack: Any = forward_ad.unpack_dual
                tensors = (unpack(x).primal for x in ctx.saved_tensors)
                inputs = [next(tensors) if x is None else x[0] for x in ctx.no_tensors]
                # Do not unwrap the tensors of surrounding transforms.
                with forward_ad._set_fwd_grad_enabled(True):
                    return _pushed_forward(operation, inputs, tangents)

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                return operation._gradient(ctx, *grads)

            @staticmethod
            def vmap(info: Any, in_dims: Any, *arguments: Any) -> Any:
                return operation._batched(operation)(info, in_dims, *arguments)

        return Direct, Transformable


def _has_gradient(argument: Any) -> bool:
    return argument is None or (isinstance(argument, Tensor) and argument.is_floating_point())


def _along(axes: Sequence[int], result_axes: Any) -> Callable[[Any], Any]:
    """Return the rule for :func:`torch.vmap` of an operator that accepts an additional axis in each tensor.

    Args:
        axes: the position of the batch axis in each of the first arguments.
        result_axes: the position of the batch axis in each result.
    """

    def batched(operator: Any) -> Any:
        def rule(info: Any, in_dims: Sequence[int | None], *arguments: Any) -> tuple[Any, Any]:
            moved = list(arguments)
            for i, axis in enumerate(axes):
                moved[i] = spread(arguments[i], in_dims[i], axis, info.batch_size)
            return operator(*moved), result_axes

        return rule

    return batched


def spread(values: Any, dim: int | None, axis: int, size: int) -> Any:
    """Move the batch axis of a tensor from ``dim`` to ``axis``.

    If ``dim`` is ``None``, the tensor has no batch axis, and is expanded along a new axis of this size.
    Values other than tensors are returned unchanged.
    """
    if not isinstance(values, Tensor):
        return values
    if dim is not None:
        return values.movedim(dim, axis)
    return values.unsqueeze(axis).expand(*values.shape[:axis], size, *values.shape[axis:])


def _pushed_forward(function: Callable[..., Any], inputs: list[Any], tangents: tuple[Any, ...]) -> Any:
    """Return the derivative of the function's result in the direction of the tangents.

    The function must have gradients in backward mode. They are a linear map of the result's gradient. The
    derivative is the transpose of this map, applied to the tangents.
    """
    indices = [i for i, tangent in enumerate(tangents) if isinstance(tangent, Tensor)]

    def restricted(*values: Tensor) -> Any:
        arguments = list(inputs)
        for index, value in zip(indices, values, strict=True):
            arguments[index] = value
        return function(*arguments)

    vjp: Any = torch.func.vjp(restricted, *(inputs[i] for i in indices))
    output, pull_back = vjp
    zeros = pytree.tree_map(torch.zeros_like, output)
    push_forward: Any = torch.func.vjp(pull_back, zeros)[1]
    (derivative,) = push_forward(tuple(tangents[i] for i in indices))
    return derivative


def are_ordinary(arguments: Sequence[Any]) -> bool:
    """Return whether the tensors are plain tensors, with no compiler, transform or mode active."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._get_tracing_state() is not None
        or _transformed()
        or forward_ad._current_level >= 0
        or torch._C._len_torch_dispatch_stack()
    ) and all(map(_is_ordinary, arguments))


def _is_ordinary(argument: Any) -> bool:
    if type(argument) in (Tensor, torch.nn.Parameter):
        return not torch._C._functorch.is_legacy_batchedtensor(argument)  # used by is_grads_batched
    return not isinstance(argument, Tensor)


def _require_gradients(arguments: Sequence[Any]) -> bool:
    return torch.is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in arguments)


def _transformed() -> bool:
    active = getattr(torch._C, "_are_functorch_transforms_active", None)
    return active is not None and active()
