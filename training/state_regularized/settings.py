"""The settings of a network that learns a language and is certified.

There are three recipes: our recipe, a recipe for larger automata, and the recipe of Wang & Niepert 2019
(section 4.1). They count iterations instead of seconds, so that a run can be repeated. An iteration is a step
of the training engine.

After the curriculum, training has a final phase, the finish. It ends when the boxes close: when a set of
boxes, which contains the states after all strings, is closed under the network's steps. This is computed in
floats; the certification proves it after training.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from automata.errors import InputError
from automata.text.number_text import shorten
from training.engine.experiment import Experiment
from training.engine.settings import Settings, setting

SR_GRU = "sr-gru"
NEVER = 10**9


@dataclass(frozen=True)
class Recipe(Settings):
    """The settings of a state-regularized GRU that learns a language; the defaults are our recipe.

    An epoch is a number of iterations, after which a line is written to the logs.
    """

    model: str = setting(SR_GRU, "the network whose automaton is certified", one_of=(SR_GRU,))
    seed: int = setting(0, "seed of strings, weights and noise", 0, 2**31 - 1)
    units: int = setting(100, "d, the size of the hidden state", 1, 4096)
    centroids: int = setting(50, "k, the maximum number of states", 2, 4096)
    batch: int = setting(64, "strings in a batch", 1, 1 << 20)
    optimiser: str = setting("adam", "the optimiser", one_of=("adam", "rmsprop"))
    rate: float = setting(0.0, "learning rate; 0 selects 0.005 for up to 50 units, otherwise 0.002", 0, 10)
    smoothing: float = setting(0.9, "the smoothing of RMSProp's mean of squares", 0, 1)
    weight_decay: float = setting(0.0, "the weight of the squared parameters in the loss", 0, 1)
    clip: float = setting(1.0, "maximum norm of a gradient; larger gradients are scaled down to it", 1e-6)
    weighted: bool = setting(True, "give both classes the same weight")
    near_misses: bool = setting(True, "half of the rejected strings are one edit away from an accepted one")
    norm: float = setting(
        1.5, "approximate initial norm of a centroid; 0: entries are uniform in [-0.5, 0.5]", 0, 1e6
    )
    spread: float = setting(
        0.5, "initial standard deviation of input weights (recurrent: orthogonal); 0: as in torch", 0, 1e6
    )
    noise: str = setting(
        "1.5,2,1",
        "standard deviations of noise on the centroids' logits, or with --clusters on the states, in"
        " training; the n-th start uses the n-th value, cyclically",
    )
    shortest: int = setting(3, "length of the strings with which the curriculum begins", 0, NEVER)
    penalty: float = setting(
        0.1,
        "in the finish, the weight in the loss of gaps below --margin between the two largest logits",
        0,
        1e6,
    )
    margin: float = setting(12.0, "required gap between the two largest logits, in the finish", 0, 1e6)
    restart_after: int = setting(
        400, "restart after this many iterations without a step of the curriculum", 1, NEVER
    )
    restart_finish_after: int = setting(200, "restart after this many iterations of the finish", 1, NEVER)
    look_every: int = setting(10, "iterations between checks of all strings", 1, NEVER)
    review: float = setting(0.0, "the share of a batch for strings that were wrong at the last check", 0, 1)
    tries: int = setting(1, "number of partitions to try until the boxes close", 1, 10**6)
    clusters: bool = setting(
        False, "train only the recurrent part, and place centroids at clusters of its states in the finish"
    )
    cluster_every: int = setting(100, "iterations of the finish between clusterings", 1, NEVER)
    mastered: float = setting(
        0.95,
        "with clusters: the share of a batch that must be classified correctly before noise increases",
        0,
        1,
    )
    louder: float = setting(1.01, "factor by which the noise is increased", 1, 100)
    softer: float = setting(0.95, "factor by which the noise is decreased", 0, 1)
    loudest: float = setting(1.0, "maximum noise", 0, 1e6)
    steps: int = setting(100, "iterations in an epoch", 1, 1 << 20)
    epochs: int = setting(10**5, "maximum number of epochs", 1, 10**6)
    # the score is the number of iterations, which always increases, so that the last weights are used
    patience: int = setting(10**6, "stop after this many epochs without improvement on the dev set", 1, 10**6)
    halve_after: int = setting(
        10**6, "halve the learning rate after this many epochs without improvement on the dev set", 1, 10**6
    )
    precision: str = setting("32-true", "precision", one_of=("32-true",))
    device: str = setting("cpu", "device for torch and for the noise", one_of=("cpu",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.rate:
            object.__setattr__(self, "rate", 5e-3 if self.units <= 50 else 2e-3)
        if not self.noises:
            raise InputError(
                f"--noise must be non-negative numbers separated by commas, got {shorten(self.noise)}"
            )

    @property
    def noises(self) -> tuple[float, ...]:
        """Return the noise level of each start; empty if an entry is not a non-negative number.

        >>> Recipe().noises
        (1.5, 2.0, 1.0)
        """
        try:
            numbers = tuple(map(float, self.noise.split(",")))
        except ValueError:
            return ()
        return numbers if all(0 <= number < math.inf for number in numbers) else ()

    @property
    def finishes(self) -> bool:
        """Return whether training has a final phase (the finish), which ends when the boxes close."""
        return self.penalty > 0 or self.clusters


@dataclass(frozen=True)
class TomitaGrammar(Recipe):
    """Settings for learning a Tomita grammar."""

    model: str = setting(SR_GRU, "the network", one_of=(SR_GRU,))
    grammar: int = setting(1, "which Tomita grammar", 1, 7)


@dataclass(frozen=True)
class Nested(Recipe):
    """Settings for learning balanced parentheses up to a depth."""

    depth: int = setting(4, "maximum number of parentheses that are open at once", 1, 100)


@dataclass(frozen=True)
class FromFile(Recipe):
    """Settings for learning the language of an automaton in a file."""

    file: str = setting("", "a boolean automaton, .json or .att, in the folder with the data")


_CLUSTERS = {
    "noise": "0.1",
    "rate": 2e-3,
    "penalty": 0.0,
    "restart_after": 1500,
    "restart_finish_after": 3000,
    "review": 0.25,
    "tries": 3,
    "clusters": True,
}
# With this value of ``clip``, gradients are not clipped.
_PAPER = {
    "optimiser": "rmsprop",
    "rate": 0.01,
    "clip": 1e9,
    "weighted": False,
    "near_misses": False,
    "norm": 0.0,
    "spread": 0.0,
    "noise": "0",
    "shortest": NEVER,
    "penalty": 0.0,
    "restart_after": NEVER,
}
PRESETS: dict[str, dict[str, Any]] = {"ours": {}, "clusters": _CLUSTERS, "paper": _PAPER}
"""The recipes: ours, the recipe for larger automata (``clusters``), and the paper's."""
RUNS = ("model", "seed", "units", "centroids", "steps", "epochs")
"""The settings that are not part of a recipe."""


def recipe_of(settings: Recipe) -> str:
    """Return the name of the recipe that matches the settings.

    >>> recipe_of(TomitaGrammar(grammar=3, units=8)), recipe_of(Nested(**PRESETS["clusters"]))
    ('ours', 'clusters')
    >>> recipe_of(Nested(depth=2, penalty=0.2))
    'own'
    """
    plain = Recipe(**{one.name: getattr(settings, one.name) for one in fields(Recipe)})
    own = {name: getattr(settings, name) for name in RUNS}
    named = (name for name, values in PRESETS.items() if plain == Recipe(**{**values, **own}))
    return next(named, "own")


CERTIFICATE = "certificate.json"


def _experiment(name: str, settings: type[Recipe], does: str, about: str, **more: Any) -> Experiment:
    return Experiment(
        name,
        settings,
        PRESETS,
        "training.state_regularized.experiment:LanguageRun",
        does=does,
        says=f"{does}{about}.",
        options=(),
        recipes="; clusters for larger automata",
        minutes=10.0,
        # importing TensorBoard takes longer than training a small network
        tensorboard=False,
        folder="a folder for checkpoint, logs, network and result (default: trained/LANGUAGE-RECIPE-SEED)",
        files=(CERTIFICATE,),
        **more,
    )


EXPERIMENTS = (
    _experiment(
        "tomita",
        TomitaGrammar,
        "Learn a Tomita grammar",
        """ (Wang & Niepert 2019, section 4.1).

        An SR-GRU has its own recipes, and restarts if it makes no progress. Other models (lstm, lstm-p, gru,
        sr-lstm, sr-lstm-p) are trained on the same strings, with the recipe of parentheses but without
        noise""",
        only_model=SR_GRU,
        example="--grammar 5 --seed 0 -o five",
        order=50,
        required=("grammar",),
        preset="ours",
    ),
    _experiment(
        "nested",
        Nested,
        "Learn balanced parentheses up to a depth",
        ", with a letter between them (Figure 1)",
        example="--depth 2 -o nested",
        order=51,
        preset="clusters",
    ),
    _experiment(
        "dfa",
        FromFile,
        "Learn the language of an automaton in a file",
        "",
        example="even.json -o even",
        order=52,
        file="a boolean automaton, .json or .att",
        preset="clusters",
    ),
)
