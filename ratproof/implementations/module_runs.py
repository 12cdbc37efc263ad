"""Functions that run a user's torch module on strings, in evaluation mode and without gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

import torch
from torch import Tensor, nn

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.strings import String
from neural.layer import Recurrent
from theory.claim import Claim, Variant


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Run the block with the module in evaluation mode, without gradients; restore the modes afterwards."""
    training = {part: part.training for part in module.modules()}
    module.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for part, was in training.items():
            part.training = was


def outputs_of(
    module: nn.Module,
    inputs: Tensor,
    units: int | None = None,
    *,
    batch_first: bool = False,
    last: bool = False,
) -> Tensor:
    """Return the outputs of a module, shape ``(T, B, units)``, for inputs of shape ``(T, B, input_size)``.

    The module must return its outputs, or a tuple whose first item is the outputs. For a layer of
    :mod:`neural`, the outputs are its scores.

    Args:
        module: The module, called in evaluation mode.
        inputs: The inputs.
        units: The required number of units. Defaults to any number.
        batch_first: Whether the module reads and returns ``(B, T, ...)`` instead.
        last: Whether to also accept outputs of shape ``(B, units)``, which belong to the last symbol. They
            are returned with T = 1.

    Raises:
        InputError: If the module returns anything else.
    """
    taken = inputs.transpose(0, 1) if batch_first else inputs
    with evaluating(module):
        answer: Any = module.scores(taken) if isinstance(module, Recurrent) else module(taken)
    outputs = answer[0] if isinstance(answer, tuple) else answer
    if last and isinstance(outputs, Tensor) and outputs.dim() == 2 and len(outputs) == inputs.shape[1]:
        outputs = outputs.unsqueeze(1 if batch_first else 0)
        fits = True
    else:
        fits = isinstance(outputs, Tensor) and outputs.dim() == 3 and outputs.shape[:2] == taken.shape[:2]
    if not fits or units not in (None, outputs.shape[2]):
        shape = tuple(outputs.shape) if isinstance(outputs, Tensor) else type(outputs).__name__
        right = ", ".join(map(str, (*taken.shape[:2], "units" if units is None else units)))
        layout = "(B, T, units)" if batch_first else "(T, B, units)"
        alone = " or, for the last symbol only, (B, units)" if last else ""
        raise InputError(f"the module's outputs must have shape {layout} = ({right}){alone}, got {shape}")
    if not outputs.is_floating_point():
        raise InputError(
            f"the dtype of the module's outputs must be a floating-point type, got"
            f" {str(outputs.dtype).removeprefix('torch.')}"
        )
    result: Tensor = outputs.transpose(0, 1) if batch_first else outputs
    return result


def embedded(embeddings: Tensor, index: dict[object, int], strings: Sequence[String]) -> Tensor:
    """Return the inputs for several strings of the same length, shape ``(T, B, input_size)``."""
    numbers = torch.tensor([[index[symbol] for symbol in string] for string in strings], dtype=torch.long)
    return embeddings[numbers.to(embeddings.device)].transpose(0, 1)


class ModuleRun:
    """A comparison that runs a torch module. The user's file with the claim defines this module.

    Attributes:
        way: The name of the comparison in files.
        subject: What a claim with this comparison is about, for messages.
        module: The module.
        batch_first: Whether the module reads and returns ``(B, T, ...)`` instead of ``(T, B, ...)``.
    """

    way: str
    subject: str
    module: nn.Module
    batch_first: bool

    def weights(self) -> str:
        """Return a sentence that describes the weights."""
        return f"the weights are those of the module {type(self.module).__name__}"

    def in_other_layout(self) -> Self:
        """Return the same comparison for a module with the other order of the axes time and batch."""
        other = copy(self)
        other.batch_first = not self.batch_first
        return other

    def to_json(self) -> JsonObject:
        """Return only the field ``way``. The module itself is in the file that defines the claim."""
        return {"way": self.way}

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: JsonObject) -> Self:
        """Return the comparison that the claim in the user's file contains.

        Raises:
            InputError: If the claim is not about the subject of this comparison.
        """
        comparison = getattr(claim, "comparison", None)
        if not isinstance(comparison, cls):
            raise InputError(f"{getattr(claim, 'name', claim)} is not a claim about {cls.subject}")
        return comparison
