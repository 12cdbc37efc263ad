"""Strings of one batch as rows, step by step, as torch packs them: the first symbols of all strings, then the
second ones of those that have one, and so on, in one order, in which lengths fall.

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

CACHED = 1 << 16
"""So many numbers of a tensor are worked on together: they stay in a core's cache."""


@dataclass(frozen=True)
class Rows:
    """How many strings have a t-th symbol, for each t from the first on; N rows in all.

    Attributes:
        sizes: the numbers, none of them 0, which fall.
    """

    sizes: tuple[int, ...]

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The row behind each step's last one."""
        return tuple(accumulate(self.sizes))

    @property
    def alike(self) -> bool:
        """Are all strings equally long?"""
        return self.sizes[0] == self.sizes[-1]

    @cached_property
    def before(self) -> Tensor:
        """For each row that of the same string's step before, shape ``(N,)``, where a row for each string's
        first state comes before all others.
        """
        starts = [0, *(self.sizes[0] + end - size for end, size in zip(self.ends, self.sizes, strict=True))]
        return torch.cat(
            [torch.arange(start, start + size) for start, size in zip(starts, self.sizes, strict=False)]
        )

    def split(self, values: Tensor) -> Sequence[Tensor]:
        """The rows of each step."""
        return torch.split(values, list(self.sizes))

    def previous(self, values: Tensor) -> Tensor:
        """For each row from the second step on, that of the step before."""
        if self.alike:
            return values[: len(values) - self.sizes[0]]
        return values[(self.before[self.sizes[0] :] - self.sizes[0]).to(values.device)]

    def later(self, values: Tensor) -> Tensor:
        """The rows from the second step on."""
        return values[self.sizes[0] :]

    def first(self, values: Tensor) -> Tensor:
        """The rows of the first step."""
        return values[: self.sizes[0]]

    def again(
        self,
        steps: Callable[..., tuple[Tensor | None, ...]],
        ctx: Any,
        values: tuple[Tensor | None, ...],
        grads: tuple[Tensor | None, ...],
    ) -> tuple[Tensor | None, ...]:
        """The gradients of a function, as autograd has them, so that they have gradients themselves.

        Args:
            steps: the function, of the values and these rows.
            ctx: says which values' gradients are needed.
            values: its arguments.
            grads: of its results; ``None``: of no use.
        """
        needed = [i for i, wanted in enumerate(ctx.needs_input_grad[: len(values)]) if wanted]
        # one argument may have been computed from another, whose gradient must not have the share of both
        values = tuple(value if value is None else value.view_as(value) for value in values)
        made = steps(*values, self)
        used = [
            (one, grad) for one, grad in zip(made, grads, strict=True) if one is not None and grad is not None
        ]
        outputs: Any = [one for one, _ in used]
        inputs: Any = [values[i] for i in needed]
        found = torch.autograd.grad(
            outputs, inputs, [grad for _, grad in used], create_graph=True, allow_unused=True
        )
        gradients: list[Tensor | None] = [None] * len(values)
        for place, gradient in zip(needed, found, strict=True):
            gradients[place] = gradient
        return tuple(gradients)


def blocks(rows: Rows, width: int) -> Iterator[range]:
    """The steps from the last to the first, in groups whose rows of that width stay in the cache."""
    group = max(1, CACHED // (rows.sizes[0] * width))
    last = len(rows.sizes) - 1
    for high in range(last, -1, -group):
        yield range(high, max(high - group, -1), -1)


def added(to: Tensor, values: Tensor | None) -> None:
    """Add rows to the first ones of a tensor."""
    if values is not None:
        (to if len(values) == len(to) else to[: len(values)]).add_(values)


def softmax_backward(grad: Tensor, alpha: Tensor) -> None:
    """Put the gradient of the logits in the place of that of ``alpha = softmax(logits)``."""
    grad.copy_(torch._softmax_backward_data(grad, alpha, 1, alpha.dtype))
