"""The operators' gradients: on the backend that ran forward, and under the transforms of ``torch.func``,
which do not know the gradients that operators have, but those of an ``autograd.Function``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from neural.scan import backends


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


def differentiable(
    operator: Any, keep: Callable[..., None], gradient: Callable[..., Any], batched: Callable[[Any], Any]
) -> Any:
    """The operator, as a function that can be called under ``grad``, ``vmap``, ``jacrev`` and the like, too.

    Args:
        operator: one of :mod:`neural.scan.operators`.
        keep: stores what the gradient needs, as for ``register_autograd``.
        gradient: the gradients of the arguments, of what was stored and that of the result.
        batched: makes the batching rule, as for ``register_vmap``, of the function that it is to call.
    """

    class Transformable(torch.autograd.Function):
        @staticmethod
        def forward(*arguments: Any) -> Any:
            return apply(*arguments)  # one transform is done; there may be more

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            keep(ctx, inputs, output)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return gradient(ctx, *grads)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *arguments: Any) -> Any:
            return batched(apply)(info, in_dims, *arguments)

    def apply(*arguments: Any) -> Tensor:
        run = Transformable.apply if _transformed() else operator
        result: Tensor = run(*arguments)
        return result

    return apply


def _transformed() -> bool:
    active = getattr(torch._C, "_are_functorch_transforms_active", None)
    return active is not None and active()
