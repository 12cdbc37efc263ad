"""The lowest precision that a program computes in, seen from the results of torch's operators.

>>> model = torch.nn.Linear(2, 2)
>>> sorted(map(str, formats_in(lambda: model(torch.ones(2)).bfloat16() * 2)))
['torch.bfloat16', 'torch.float32']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

FORMATS = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
"""The formats that may be declared, by name."""


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the formats of all floats that operators make."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        self.seen |= {x.dtype for x in tree_leaves(made) if isinstance(x, Tensor) and x.is_floating_point()}
        return made


def formats_in(program: Callable[[], Any]) -> set[torch.dtype]:
    """The formats of the floats that operators make in it. What a kernel does inside, and what is done by
    other means than torch, is not seen.
    """
    watch = _Watch()
    with watch:
        program()
    return watch.seen


def unit_of(formats: set[torch.dtype]) -> float:
    """The largest unit in the last place, of numbers from 1 to 2, among these formats."""
    return max((torch.finfo(format_).eps for format_ in formats), default=torch.finfo(torch.float32).eps)
