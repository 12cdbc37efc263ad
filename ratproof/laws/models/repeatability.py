"""The test that a model gives the same outputs for equal calls.

If it does not, a difference is no evidence that a law is broken, and rounding cannot be measured.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import torch
from torch import Tensor

MANY = 12
"""Number of repetitions; large enough that equal results are unlikely to be a coincidence."""


class Repeated(Enum):
    """The result of repeating the same calls with fresh models."""

    SAME = ""
    RANDOM = (
        "two equal calls differ, because the model draws random numbers even in evaluation mode, so it is"
        " not a function of its inputs"
    )
    UNEQUAL = "two equal calls of fresh models differ, so this law cannot be tested; see the reuse law"


def repeated(run: Callable[[], Tensor], before: Tensor, allowed: Tensor, times: int = 1) -> Repeated:
    """Repeat the same calls and compare; repeat more often if the model draws random numbers.

    A model that draws from torch's generators is not a function of its inputs. If a model differs from itself
    without random numbers, it has hidden state. Only the ``reuse`` law is refuted by hidden state.

    Args:
        run: A function that calls a fresh model and returns the outputs.
        before: The earlier outputs.
        allowed: The largest difference of each element that counts as equal.
        times: Minimum number of repetitions.
    """
    generators = _generators()
    done, drew = 0, False
    while done < (MANY if drew else times):
        again = run()
        done += 1
        drew = any(not torch.equal(a, b) for a, b in zip(generators, _generators(), strict=True))
        same = ((again - before).abs() <= allowed) | (again == before)
        if not bool(same.all()):
            return Repeated.RANDOM if drew else Repeated.UNEQUAL
    return Repeated.SAME


def _generators() -> list[Tensor]:
    """Return the states of torch's random number generators."""
    on_gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return [torch.get_rng_state(), *on_gpus]
