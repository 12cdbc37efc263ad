"""How a network is trained: our recipe, one for larger automata, and the paper's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from neural.unrolled import one_of


@dataclass(frozen=True)
class Clusters:
    """The recurrent part learns alone, with noise on its states; in the finish centroids are put where they
    cluster.

    Attributes:
        right: the share of a batch that must be right for more noise.
        louder, softer: what the noise is multiplied by then, and what else; ``loudest``: the most.
        every: iterations between looks at whether the clusters make a network that is done.
    """

    right: float = 0.95
    louder: float = 1.01
    softer: float = 0.95
    loudest: float = 1.0
    every: int = 100


@dataclass(frozen=True)
class Recipe:
    """The choices of a training run; counts are of iterations, never of seconds, so that a run can be
    repeated.

    Attributes:
        name: as ``--recipe`` has it.
        optimiser, rate: the optimiser; ``smoothing``: RMSProp's, of the squares' mean.
        clip: the largest norm of a gradient; ``None`` for no clipping.
        batch: strings an iteration.
        weighted: do both classes have the same weight?
        near_misses: which generator draws the strings.
        norm: what a centroid's norm is at first, about: entries are N(0, norm / sqrt(d)); ``None`` for
            uniform in [-0.5, 0.5].
        spread: input weights are N(0, spread) and recurrent ones orthogonal; ``None`` for torch's.
        noise: standard deviations of the noise on the logits, or on the states of a recurrent part that
            learns alone; the n-th start takes the n-th, and so round again.
        shortest: the curriculum's first length; ``None`` for all strings at once.
        penalty, margin: in the finish the loss has ``penalty`` times what the gap of the two largest logits
            lacks of ``margin``.
        patience: iterations without a step up after which it starts again; ``None`` for never.
        finish_patience: iterations of the finish after which it does.
        every: iterations between looks at the data.
        review: the share of a batch that comes from the strings that were wrong when last looked at.
        tries: how many partitions are tried when boxes are to close.
        clusters: how the recurrent part learns alone and gets its centroids; ``None``: it learns with its
            component.
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
    tries: int = 1
    clusters: Clusters | None = None

    @property
    def finishes(self) -> bool:
        """Is there a finish, which ends when the boxes close?"""
        return self.penalty > 0 or self.clusters is not None


OURS = Recipe("ours")
# The paper's "momentum of 0.9" is read as the smoothing, Theano's rho: with torch's momentum of 0.9, which
# multiplies the steps by 10, it learned neither grammar 1 nor 2.
PAPER = Recipe(
    "paper",
    optimiser="rmsprop",
    rate=0.01,
    smoothing=0.9,
    clip=None,
    weighted=False,
    near_misses=False,
    norm=None,
    spread=None,
    noise=(0.0,),
    shortest=None,
    penalty=0.0,
    patience=None,
)
CLUSTERS = Recipe(
    "clusters",
    noise=(0.1,),
    penalty=0.0,
    patience=1500,
    finish_patience=3000,
    review=0.25,
    tries=3,
    clusters=Clusters(),
)
RECIPES = {recipe.name: recipe for recipe in (OURS, CLUSTERS, PAPER)}


def recipe(name: str, units: int) -> Recipe:
    """The recipe of that name; ours takes larger steps for smaller networks.

    >>> recipe("ours", 100).rate, recipe("ours", 10).rate, recipe("paper", 10).rate
    (0.002, 0.005, 0.01)

    Args:
        name: ``"ours"``, ``"clusters"`` or ``"paper"``.
        units: the network's size.
    """
    chosen = RECIPES[one_of("--recipe", name, tuple(RECIPES))]
    rate = 5e-3 if chosen is OURS and units <= 50 else chosen.rate
    return replace(chosen, rate=rate)
