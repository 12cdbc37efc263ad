"""The operators' gradients: on the backend that ran forward, and under the transforms of ``torch.func`` and
in forward mode, which do not know the gradients that operators have, but those of an ``autograd.Function``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor
from torch._compile import (
    _disable_dynamo,
)  # torch.compiler.disable imports the compiler here, which takes a second
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

from neural.scan import backends


def one_precision(values: Tensor) -> AbstractContextManager[Any]:
    """Where torch's products compute in the type of what is carried, whatever autocast says: their errors
    would add up over the steps, on the backends alone that multiply so.
    """
    return torch.autocast(values.device.type, enabled=False)


def is_asked_again() -> bool:
    """May a derivative of a gradient be asked for: backward, or forward by dual tensors?"""
    return torch.is_grad_enabled() or forward_ad._current_level >= 0


def on_its_backend(
    keep: Callable[..., None], gradient: Callable[..., Any]
) -> tuple[Callable[..., None], Callable[..., Any]]:
    """The two functions of ``register_autograd``, so that a backend that was forced forward is so backward:
    of tensors on a GPU the gradients are computed in a thread of their own, where nothing is forced.
    """

    def kept(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        keep(ctx, inputs, output)
        ctx.backend = backends.forced()

    def computed(ctx: Any, *grads: Any) -> Any:
        if ctx.backend is None:
            return gradient(ctx, *grads)
        with backends.use(*ctx.backend):
            return gradient(ctx, *grads)

    return kept, computed


class Operator:
    """An operator of torch. Ordinary tensors reach its function without torch's dispatcher, whose checks in
    Python take longer than a small recurrence.

    Args:
        name: as for ``torch.library.custom_op``.
        function: computes the operator; it must not change or return its arguments.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.function = function
        self.registered: Any = torch.library.custom_op(name, function, mutates_args=())

    def __call__(self, *arguments: Any) -> Any:
        """Compute the operator, with gradients if an argument requires them."""
        if are_ordinary(arguments) and not _require_gradients(arguments):
            return self.function(*arguments)
        return self.registered(*arguments)


def operator_named(name: str) -> Callable[[Callable[..., Any]], Operator]:
    """Return a decorator that makes an :class:`Operator` of a function."""
    return lambda function: Operator(name, function)


def differentiable(
    operator: Operator, keep: Callable[..., None], gradient: Callable[..., Any], batched: Callable[[Any], Any]
) -> Any:
    """The operator, as a function that can be called under ``grad``, ``vmap``, ``jvp`` and the like, and with
    dual tensors, too.

    Args:
        operator: one of :mod:`neural.scan.operators`.
        keep: stores what the gradient needs, as for ``register_autograd``.
        gradient: the gradients of the arguments, of what was stored and that of the result.
        batched: makes the batching rule, as for ``register_vmap``, of the function that it is to call.
    """

    class Direct(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *arguments: Any) -> Any:
            output = operator.function(*arguments)
            keep(ctx, arguments, output)
            return output

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return gradient(ctx, *grads)

    class Transformable(torch.autograd.Function):
        @staticmethod
        def forward(*arguments: Any) -> Any:
            # there may be more transforms
            return (apply if _transformed() else operator.registered)(*arguments)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            keep(ctx, inputs, output)
            ctx.save_for_forward(*(x for x in inputs if isinstance(x, Tensor)))
            ctx.no_tensors = [None if isinstance(x, Tensor) else (x,) for x in inputs]

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            # with their tangents they would be pushed forward here again
            unpack: Any = forward_ad.unpack_dual
            tensors = (unpack(x).primal for x in ctx.saved_tensors)
            inputs = [next(tensors) if x is None else x[0] for x in ctx.no_tensors]
            with forward_ad._set_fwd_grad_enabled(True):  # those of transforms around this one are kept
                return _pushed_forward(apply, inputs, tangents)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return gradient(ctx, *grads)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *arguments: Any) -> Any:
            return batched(apply)(info, in_dims, *arguments)

    @_disable_dynamo
    def untraced(*arguments: Any) -> Any:
        through: Any = Transformable
        return through.apply(*arguments)

    def apply(*arguments: Any) -> Any:
        if are_ordinary(arguments):
            if not _require_gradients(arguments):
                return operator.function(*arguments)
            direct: Any = Direct
            return direct.apply(*arguments)
        if not (_transformed() or forward_ad._current_level >= 0):
            return operator.registered(*arguments)
        if torch.compiler.is_dynamo_compiling():
            torch._dynamo.graph_break(msg="a recurrence under vmap, jvp and the like is not traced, but runs")
        return untraced(*arguments)

    return apply


def _pushed_forward(function: Callable[..., Any], inputs: list[Any], tangents: tuple[Any, ...]) -> Any:
    """The derivative of the result in the direction of the tangents. The gradients of the arguments are
    linear in that of the result, so that it is the gradient of theirs.
    """
    places = [i for i, tangent in enumerate(tangents) if isinstance(tangent, Tensor)]

    def of_those(*values: Tensor) -> Any:
        arguments = list(inputs)
        for place, value in zip(places, values, strict=True):
            arguments[place] = value
        return function(*arguments)

    made: Any = torch.func.vjp(of_those, *(inputs[i] for i in places))
    output, pull_back = made
    zeros = pytree.tree_map(torch.zeros_like, output)
    push_forward: Any = torch.func.vjp(pull_back, zeros)[1]
    (derivative,) = push_forward(tuple(tangents[i] for i in places))
    return derivative


def are_ordinary(arguments: Sequence[Any]) -> bool:
    """Return whether the tensors are torch's own, and neither a compiler, a transform nor a mode watches."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._get_tracing_state() is not None
        or _transformed()
        or forward_ad._current_level >= 0
        or torch._C._len_torch_dispatch_stack()
    ) and all(map(_is_ordinary, arguments))


def _is_ordinary(argument: Any) -> bool:
    if type(argument) in (Tensor, torch.nn.Parameter):
        return not torch._C._functorch.is_legacy_batchedtensor(argument)  # of is_grads_batched
    return not isinstance(argument, Tensor)


def _require_gradients(arguments: Sequence[Any]) -> bool:
    return torch.is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in arguments)


def _transformed() -> bool:
    active = getattr(torch._C, "_are_functorch_transforms_active", None)
    return active is not None and active()
