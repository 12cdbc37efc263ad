"""How a network is trained: our recipe, two gentle ones for larger automata, and the paper's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from neural.unrolled import one_of


@dataclass(frozen=True)
class Gentle:
    """A network climbs while it is soft and nearly without noise, and hardens in the finish, as fast as it stays right.

    Attributes:
        temperature: while it climbs; ``cooling``: an iteration of the finish multiplies it, down to 1.
        right: the share of a batch that must be right for more noise and a larger margin.
        louder, softer: how much more noise then, and how much less else; ``loudest``: the most.
        slower: what 100 iterations of the finish multiply the rate by.
        from_noise: the noise from which on there is a penalty; its margin is 0 at first.
        wider, narrower: how much larger the margin is then, and how much smaller else.
        every: iterations between looks at whether boxes close, and ``tries``: how many partitions are tried then.
    """

    temperature: float
    cooling: float
    louder: float
    softer: float
    slower: float
    right: float = 0.95
    loudest: float = 2.0
    from_noise: float = 1.4
    wider: float = 0.01
    narrower: float = 0.05
    every: int = 50
    tries: int = 6


@dataclass(frozen=True)
class Recipe:
    """The choices of a training run; counts are of iterations, never of seconds, so that a run can be repeated.

    Attributes:
        name: as ``--recipe`` has it.
        optimiser, rate: the optimiser; ``smoothing``: RMSProp's, of the squares' mean.
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
        review: the share of a batch that comes from the strings that were wrong when last looked at.
        prefixes: has every prefix of a training string a label, or only the whole string?
        gentle: how the finish comes bit by bit; ``None``: all at once.
    """

    name: str
    optimiser: Literal["adam", "rmsprop"] = "adam"
    rate: float = 2e-3
    smoothing: float = 0.9
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
    review: float = 0.0
    prefixes: bool = False
    gentle: Gentle | None = None

    @property
    def finishes(self) -> bool:
        """Is there a finish, which ends when the boxes close?"""
        return self.penalty > 0


OURS = Recipe("ours")
# The paper's "momentum of 0.9" is read as the smoothing, Theano's rho: with torch's momentum of 0.9, which multiplies the steps by 10, it
# learned neither grammar 1 nor 2.
PAPER = Recipe(
    "paper", optimiser="rmsprop", rate=0.01, smoothing=0.9, clip=None, weighted=False, near_misses=False, norm=None, spread=None,
    noise=(0.0,), shortest=None, penalty=0.0, patience=None,
)  # fmt: skip
GENTLE = Recipe(
    "gentle", norm=3.0, noise=(0.5,), penalty=0.01, patience=1500, finish_patience=2500, review=0.25,
    gentle=Gentle(temperature=1.5, cooling=0.99, louder=0.005, softer=0.02, slower=0.93),
)  # fmt: skip
PREFIXES = Recipe(
    "prefixes", norm=4.0, noise=(0.1,), penalty=0.01, shortest=6, patience=5000, finish_patience=6000, review=0.25, prefixes=True,
    gentle=Gentle(temperature=2.0, cooling=0.9995, louder=0.001, softer=0.004, slower=0.98),
)  # fmt: skip
RECIPES = {made.name: made for made in (OURS, GENTLE, PREFIXES, PAPER)}


def recipe(name: str, units: int) -> Recipe:
    """The recipe of that name; ours takes larger steps for smaller networks.

    >>> recipe("ours", 100).rate, recipe("ours", 10).rate, recipe("paper", 10).rate
    (0.002, 0.005, 0.01)

    Args:
        name: ``"ours"``, ``"gentle"``, ``"prefixes"`` or ``"paper"``.
        units: the network's size.
    """
    found = RECIPES[one_of("--recipe", name, tuple(RECIPES))]
    rate = 5e-3 if found is OURS and units <= 50 else found.rate
    return replace(found, rate=rate)
