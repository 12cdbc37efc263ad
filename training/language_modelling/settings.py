"""The settings of language modelling, and the paper's figures.

See section 6.2 and appendix E.2, Peng et al. 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from training.engine.experiment import Experiment
from training.engine.settings import Settings, setting

MODELS = ("lstm", "rrnn-b", "rrnn-b-max-plus", "rrnn-c", "rrnn-f")


@dataclass(frozen=True)
class LanguageModelling(Settings):
    """A run of language modelling; the defaults are those of the authors' program for 2 layers."""

    model: str = setting("rrnn-f", "the recurrent network", one_of=MODELS)
    batch: int = setting(32, "number of columns of text read in parallel", 1, 4096)
    rate: float = setting(
        0.5, "initial rate of stochastic gradient descent; the paper: 1, and 0.5 for C and F", 1e-8, 100
    )
    weight_decay: float = setting(1e-5, "the weight of the squared parameters in the loss", 0, 1)
    clip: float = setting(5.0, "the largest norm of a gradient", 1e-6)
    epochs: int = setting(300, "the largest number of epochs", 1, 10**6)
    patience: int = setting(300, "stop after this many epochs without improvement on the dev set", 1, 10**6)
    halve_after: int = setting(
        300, "halve the learning rate after this many epochs without improvement", 1, 10**6
    )
    decay: float = setting(0.98, "factor of the learning rate after each epoch", 0.01, 1)
    decay_after: int = setting(150, "epochs before the first decay", 0, 10**6)
    hidden: int = setting(610, "d, the size of word vectors and of each layer", 1, 8192)
    layers: int = setting(2, "recurrent layers", 1, 16)
    window: int = setting(35, "steps of backpropagation through time", 1, 10**4)
    input_dropout: float = setting(0.65, "dropout of the word vectors", 0, 0.95)
    output_dropout: float = setting(0.65, "dropout of the input of the softmax", 0, 0.95)
    vertical_dropout: float = setting(0.2, "dropout between layers, one mask per window", 0, 0.95)
    recurrent_dropout: float = setting(
        0.2, "dropout of the inputs of the gates, one mask per window", 0, 0.95
    )


PRESETS: dict[str, dict[str, Any]] = {
    "paper-10m": {},
    "paper-24m": {"hidden": 910, "layers": 3},
    "small": {
        "hidden": 200,
        "epochs": 6,
        "decay": 0.5,
        "decay_after": 3,
        "input_dropout": 0.2,
        "output_dropout": 0.2,
        "vertical_dropout": 0.1,
        "recurrent_dropout": 0.1,
    },
}
"""Named values for the fields that a command line leaves open.

They are the two sizes in the paper, and one for a CPU, whose perplexities are not comparable.
"""
PAPERS = ("paper-10m", "paper-24m")
"""The presets of the paper."""

TABLE_3: dict[int, dict[str, tuple[float, float]]] = {
    2: {
        "rrnn-b": (73.1, 69.2),
        "rrnn-b-max-plus": (75.1, 71.7),
        "rrnn-c": (72.5, 69.5),
        "rrnn-f": (69.5, 66.3),
    },
    3: {
        "rrnn-b": (68.7, 65.2),
        "rrnn-b-max-plus": (70.8, 66.9),
        "rrnn-c": (70.0, 67.0),
        "rrnn-f": (66.0, 63.1),
    },
}
"""The paper's perplexities on dev and test, keyed by the number of layers.

Models have 10 million parameters with 2 layers, and 24 million with 3.
"""


def paper(settings: LanguageModelling) -> dict[str, Any] | None:
    """Return the figures of Table 3 for a model of this size, or ``None`` if the paper has none."""
    sizes = {(o.hidden, o.layers): o.layers for o in (LanguageModelling(**PRESETS[n]) for n in PAPERS)}
    layers = sizes.get((settings.hidden, settings.layers))
    perplexities = None if layers is None else TABLE_3[layers].get(settings.model)
    if layers is None or perplexities is None:
        return None
    dev, test = perplexities
    return {
        "dev_perplexity": dev,
        "test_perplexity": test,
        "parameters": {2: "10M", 3: "24M"}[layers],
        "epochs": 300,
        "source": "Peng et al. 2018, Table 3",
    }


EXPERIMENTS = (
    Experiment(
        "ptb",
        LanguageModelling,
        PRESETS,
        "training.language_modelling.experiment:TextRun",
        does="Model the language of the Penn Treebank",
        says="""Model the language of the Penn Treebank (Peng et al. 2018, section 6.2).

        The epoch that is best on the dev part is kept, and measured on the test part. If the model is
        rational, the run then decides whether its units are equal to their automata, for the trained weights.
        """,
        example="--model rrnn-f --preset small --data data -o run",
        order=100,
        paper="Rational Recurrences, section 6.2, Table 3",
        data="ptb/ptb.train.txt or .gz, ptb.valid.txt, ptb.test.txt (Mikolov's Penn Treebank,"
        " http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz)",
        cost="not run to its end yet: a GPU for the paper's sizes; --preset small, some minutes an epoch on"
        " one core",
        models=MODELS,
        holds="ptb/",
        preset="paper-10m",
    ),
)
