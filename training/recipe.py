"""How a network is trained: two recipes, ours and the paper's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from neural.unrolled import one_of


@dataclass(frozen=True)
class Recipe:
    """The choices of a training run; counts are of iterations, never of seconds, so that a run can be repeated.

    Attributes:
        name: as ``--recipe`` has it.
        optimiser, rate, momentum: the optimiser (``momentum`` is RMSProp's).
        clip: the largest norm of a gradient; ``None`` for no clipping.
        batch: strings an iteration.
        weighted: do both classes have the same weight?
        near_misses: which generator draws the strings.
        norm: what a centroid's norm is at first, about: entries are N(0, norm / sqrt(d)); ``None`` for uniform in [-0.5, 0.5].
        spread: input weights are N(0, spread) and recurrent ones orthogonal; ``None`` for torch's.
        noise: standard deviations of the noise on the logits; the n-th start takes the n-th, and so round again.
        shortest: the curriculum's first length; ``None`` for all strings at once.
        penalty, margin: in the finish the loss has ``penalty`` times what the gap of the two largest logits lacks of ``margin``.
        patience: iterations without a step up after which it starts again; ``None`` for never.
        finish_patience: iterations of the finish after which it does.
        every: iterations between looks at the data.
    """

    name: str
    optimiser: Literal["adam", "rmsprop"] = "adam"
    rate: float = 2e-3
    momentum: float = 0.0
    clip: float | None = 1.0
    batch: int = 64
    weighted: bool = True
    near_misses: bool = True
    norm: float | None = 1.5
    spread: float | None = 0.5
    noise: tuple[float, ...] = (1.5, 2.0, 1.0)
    shortest: int | None = 3
    penalty: float = 0.1
    margin: float = 12.0
    patience: int | None = 400
    finish_patience: int = 200
    every: int = 10

    @property
    def finishes(self) -> bool:
        """Is there a finish, which ends when the boxes close?"""
        return self.penalty > 0


OURS = Recipe("ours")
PAPER = Recipe(
    "paper", optimiser="rmsprop", rate=0.01, momentum=0.9, clip=None, weighted=False, near_misses=False, norm=None, spread=None,
    noise=(0.0,), shortest=None, penalty=0.0, patience=None,
)  # fmt: skip


def recipe(name: str, units: int) -> Recipe:
    """The recipe of that name; ours takes larger steps for smaller networks.

    >>> recipe("ours", 100).rate, recipe("ours", 10).rate, recipe("paper", 10).rate
    (0.002, 0.005, 0.01)
    """
    from dataclasses import replace

    if one_of("--recipe", name, ("ours", "paper")) == "paper":
        return PAPER
    return OURS if units > 50 else replace(OURS, rate=5e-3)
