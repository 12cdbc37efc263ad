"""The layout of a batch of sequences as rows, one for each symbol, in the order of torch's packed sequences.

The first symbols of all sequences come first, then the second symbols of all sequences with at least two
symbols, and so on. The sequences are sorted by decreasing length.

>>> rows = Rows((3, 2, 2))
>>> rows.ends, rows.alike, rows.before.tolist()
((3, 5, 7), False, [0, 1, 2, 3, 4, 6, 7])
>>> Rows((2, 2)).alike
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from neural.scan.functional import are_ordinary

CACHED = 1 << 16
"""The number of elements that are processed together, so that they fit into the cache of a core."""


@dataclass(frozen=True)
class Rows:
    """The layout of a batch of sequences as N rows, one for each symbol of each sequence.

    Attributes:
        sizes: for each t, the number of sequences with at least t symbols; positive and in decreasing order.
    """

    sizes: tuple[int, ...]

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Return, for each step, the index after the step's last row."""
        return tuple(accumulate(self.sizes))

    @property
    def alike(self) -> bool:
        """Return whether all sequences have the same length."""
        return self.sizes[0] == self.sizes[-1]

    @cached_property
    def before(self) -> Tensor:
        """Return the index of the state before each symbol, shape ``(N,)``.

        The indices refer to the B initial states of the sequences, followed by the states after each symbol
        in the order of the rows.
        """
        starts = [0, *(self.sizes[0] + end - size for end, size in zip(self.ends, self.sizes, strict=True))]
        return torch.cat(
            [torch.arange(start, start + size) for start, size in zip(starts, self.sizes, strict=False)]
        )

    def split(self, values: Tensor) -> Sequence[Tensor]:
        """Split a tensor with N rows into one tensor for each step."""
        return torch.split(values, list(self.sizes))

    def previous(self, values: Tensor) -> Tensor:
        """Return the row of the previous step of the same sequence, for each row after the first step.

        ``values`` has N rows. The result has one row for each row of :meth:`later`.
        """
        if self.alike:
            return values[: len(values) - self.sizes[0]]
        return values[(self.before[self.sizes[0] :] - self.sizes[0]).to(values.device)]

    def later(self, values: Tensor) -> Tensor:
        """Return the rows of ``values``, a tensor with N rows, that belong to all steps but the first."""
        return values[self.sizes[0] :]

    def first(self, values: Tensor) -> Tensor:
        """Return the rows of ``values``, a tensor with N rows, that belong to the first step."""
        return values[: self.sizes[0]]

    def again(
        self,
        steps: Callable[..., tuple[Tensor | None, ...]],
        ctx: Any,
        values: tuple[Tensor | None, ...],
        grads: tuple[Tensor | None, ...],
    ) -> tuple[Tensor | None, ...]:
        """Return the gradients of a function by autograd, so that they are differentiable again.

        Args:
            steps: the function, which is called with the values and these rows.
            ctx: the autograd context, which specifies the values that require gradients.
            values: the arguments of ``steps``.
            grads: the gradients of the results; ``None`` if a result is unused.

        Returns:
            The gradient of each value, or ``None`` if it is not required.
        """
        graph = torch.is_grad_enabled()
        needed = [i for i, wanted in enumerate(ctx.needs_input_grad[: len(values)]) if wanted]
        # Views are new tensors: if an argument b was computed from an argument a, the gradient of a must not
        # include the path through b.
        with torch.enable_grad():
            values = tuple(value if value is None else value.view_as(value) for value in values)
            results = steps(*values, self)
        used = [
            (one, grad)
            for one, grad in zip(results, grads, strict=True)
            if one is not None and grad is not None
        ]
        outputs: Any = [one for one, _ in used]
        inputs: Any = [values[i] for i in needed]
        needed_gradients = torch.autograd.grad(
            outputs, inputs, [grad for _, grad in used], create_graph=graph, allow_unused=True
        )
        gradients: list[Tensor | None] = [None] * len(values)
        for index, gradient in zip(needed, needed_gradients, strict=True):
            gradients[index] = gradient
        return tuple(gradients)


def needs_differentiable_steps(grads: tuple[Tensor | None, ...]) -> bool:
    """Return whether autograd must differentiate all steps, instead of the hand-written gradient.

    This is the case if the gradients will be differentiated again, or if they are a batch of gradients
    (``is_grads_batched``), in which torch does not allow writing in place.
    """
    return torch.is_grad_enabled() or not are_ordinary(grads)


def blocks(rows: Rows, width: int) -> Iterator[range]:
    """Yield the indices of the steps, from last to first, in groups whose rows fit into the cache.

    ``width`` is the number of elements of a row.
    """
    group = max(1, CACHED // (rows.sizes[0] * width))
    last = len(rows.sizes) - 1
    for high in range(last, -1, -group):
        yield range(high, max(high - group, -1), -1)


def added(to: Tensor, values: Tensor | None) -> None:
    """Add ``values`` to the first rows of the tensor ``to``, in place."""
    if values is not None:
        (to if len(values) == len(to) else to[: len(values)]).add_(values)


def softmax_backward(grad: Tensor, alpha: Tensor) -> None:
    """Replace the gradient ``grad`` of alpha by the gradient of the logits, in place.

    Here alpha is the softmax of the logits.
    """
    grad.copy_(torch._softmax_backward_data(grad, alpha, 1, alpha.dtype))
