"""Whether a model gives the same to the same calls: where it does not, a difference shows nothing of a
law.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

RANDOM = (
    "two equal calls differ, and the model draws random numbers, in evaluation mode too: there is no function"
    " for a law to be about"
)
UNEQUAL = "two equal calls of fresh models differ, so that this law says nothing; reuse is about that"


def why_not_repeatable(run: Callable[[], Tensor], rounding: float, kind: str) -> str:
    """Why a difference is no refutation; empty where the same calls give the same.

    A model that draws from torch's generators is no function of its inputs. One that differs from itself and
    draws nothing there keeps something: that is what ``reuse`` refutes, and no other law.

    Args:
        run: calls a fresh model in the plain way.
        rounding: the largest difference that rounding explains.
        kind: of the law.
    """
    before = _generators()
    one = run()
    draws = any(not torch.equal(a, b) for a, b in zip(before, _generators(), strict=True))
    two = run()
    same = ((one - two).abs() <= rounding) | (one == two)
    if bool(same.all()):
        return ""
    if draws:
        return RANDOM
    return "" if kind == "reuse" else UNEQUAL


def _generators() -> list[Tensor]:
    """The states of torch's generators of random numbers."""
    on_gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return [torch.get_rng_state(), *on_gpus]
