"""Whether a model gives the same to the same calls: where it does not, a difference shows nothing of a law,
and rounding cannot be measured.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import torch
from torch import Tensor

MANY = 12
"""Repetitions that are not all equal by chance."""


class Repeated(Enum):
    """What the same calls gave to a fresh model."""

    SAME = ""
    RANDOM = (
        "two equal calls differ, and the model draws random numbers, in evaluation mode too: there is no"
        " function for a law to be about"
    )
    UNEQUAL = "two equal calls of fresh models differ, so that this law says nothing; reuse is about that"


def repeated(run: Callable[[], Tensor], before: Tensor, allowed: float, times: int = 1) -> Repeated:
    """Make the same calls again; often where random numbers are drawn, which may be equal by chance.

    A model that draws from torch's generators is no function of its inputs. One that differs from itself and
    draws nothing there keeps something: that is what ``reuse`` refutes, and no other law.

    Args:
        run: calls a fresh model.
        before: what that gave before.
        allowed: the largest difference that says nothing.
        times: how often the calls are made, at least.
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
    """The states of torch's generators of random numbers."""
    on_gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return [torch.get_rng_state(), *on_gpus]
