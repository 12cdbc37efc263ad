"""The settings of language modelling, and the paper's figures.

See section 6.2 and appendix E.2, Peng et al. 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from automata.errors import InputError
from training.engine.experiment import Experiment
from training.engine.settings import Settings, setting

AT_SMALLER_RATE, SMALLER_RATE = ("rrnn-c", "rrnn-f"), 0.5
"""The models that do not converge with the learning rate 1 (appendix E.2), and their learning rate."""
GAIN = 0.5
"""The gain with which RRNN(C) learns about as fast as RRNN(B)."""
MODELS = ("lstm", "rrnn-b", "rrnn-b-max-plus", "rrnn-c", "rrnn-f")


@dataclass(frozen=True)
class LanguageModelling(Settings):
    """The settings of a run of language modelling.

    The defaults are those of the authors' program for 2 layers. Models with the same budget have about the
    same number of parameters. Dropout keeps the same expected number of units in all of them (Peng et al.
    2018, appendix E.2).
    """

    model: str = setting("rrnn-f", "the recurrent network", one_of=MODELS)
    batch: int = setting(32, "number of columns of text read in parallel", 1, 4096)
    rate: float = setting(
        0.0, "initial rate of gradient descent; 0: the paper's, 0.5 for C and F, otherwise 1", 0, 100
    )
    weight_decay: float = setting(1e-5, "the weight of the squared parameters in the loss", 0, 1)
    clip: float = setting(5.0, "maximum norm of a gradient", 1e-6)
    epochs: int = setting(300, "maximum number of epochs", 1, 10**6)
    patience: int = setting(300, "stop after this many epochs without improvement on the dev set", 1, 10**6)
    halve_after: int = setting(
        300, "halve the learning rate after this many epochs without improvement", 1, 10**6
    )
    decay: float = setting(0.98, "factor of the learning rate after each epoch", 0.01, 1)
    decay_after: int = setting(150, "epochs before the first decay", 0, 10**6)
    budget: int = setting(
        0, "millions of parameters; dropout then keeps as many units as in an RRNN(F) of this budget; the"
        " paper: 10 or 24; 0: none", 0, 1000,
    )  # fmt: skip
    hidden: int = setting(
        610, "d, the size of word vectors and of each layer; 0: the largest within the budget", 0, 8192
    )
    layers: int = setting(2, "recurrent layers", 1, 16)
    window: int = setting(35, "steps of backpropagation through time", 1, 10**4)
    input_dropout: float = setting(0.65, "dropout of the word vectors", 0, 0.95)
    output_dropout: float = setting(0.65, "dropout of the input of the softmax", 0, 0.95)
    vertical_dropout: float = setting(0.2, "dropout between layers, one mask per window", 0, 0.95)
    recurrent_dropout: float = setting(
        0.2, "dropout of the inputs of the gates, one mask per window", 0, 0.95
    )

    gain: float = setting(
        0.0,
        "RRNN(C): initial size of a layer's outputs, relative to its inputs; 0: very small, from torch's"
        " initial weights",
        0,
        10,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model != "rrnn-c":
            object.__setattr__(self, "gain", 0.0)
        if not self.rate:
            object.__setattr__(self, "rate", SMALLER_RATE if self.model in AT_SMALLER_RATE else 1.0)
        if not self.hidden:
            object.__setattr__(self, "hidden", self._width(self.model))
            if not self.hidden:
                raise InputError(
                    f"--hidden 0 requires a --budget that allows at least one unit, got {self.budget}"
                )

    def dropped(self, dropout: float) -> float:
        """Return the dropout rate with which the expected number of kept units equals that of RRNN(F)."""
        if not self.budget:
            return dropout
        return max(0.0, 1 - (1 - dropout) * self._width("rrnn-f") / self.hidden)

    @property
    def is_of_budget(self) -> bool:
        """Return whether the model has the largest width that its budget allows."""
        return self.hidden == self._width(self.model)

    def _width(self, model: str) -> int:
        from training.language_modelling.layers import largest_width  # imports torch

        return largest_width(model, self.layers, self.budget)


PRESETS: dict[str, dict[str, Any]] = {
    "paper-10m": {"budget": 10, "hidden": 0, "gain": GAIN},
    "paper-24m": {"budget": 24, "hidden": 0, "layers": 3, "gain": GAIN},
    "small": {
        "gain": GAIN,
        "rate": 0.5,
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
"""Presets: values for the settings that the user does not pass.

There are presets for the two budgets in the paper, and a preset for a CPU (``small``), whose perplexities are
not comparable with the paper's.
"""

TABLE_3: dict[tuple[int, int], dict[str, tuple[float, float]]] = {
    (24, 2): {"lstm": (73.3, 71.4)},
    (10, 2): {
        "rrnn-b": (73.1, 69.2),
        "rrnn-b-max-plus": (75.1, 71.7),
        "rrnn-c": (72.5, 69.5),
        "rrnn-f": (69.5, 66.3),
    },
    (24, 3): {
        "lstm": (78.8, 76.2),
        "rrnn-b": (68.7, 65.2),
        "rrnn-b-max-plus": (70.8, 66.9),
        "rrnn-c": (70.0, 67.0),
        "rrnn-f": (66.0, 63.1),
    },
}
"""The paper's perplexities on dev and test, keyed by (millions of parameters, number of layers) and model."""


def paper(settings: LanguageModelling) -> dict[str, Any] | None:
    """Return the figures of Peng et al. 2018, Table 3, for a model of this size, or ``None``."""
    perplexities = TABLE_3.get((settings.budget, settings.layers), {}).get(settings.model)
    if perplexities is None or not settings.is_of_budget:
        return None
    dev, test = perplexities
    return {
        "dev_perplexity": dev,
        "test_perplexity": test,
        "parameters": f"{settings.budget}M",
        "epochs": 300,
        "source": "Peng et al. 2018, Table 3",
    }


SIZES = {"train": 929_589, "dev": 73_760, "test": 82_430}
"""The published number of tokens of each split, with one end of a sentence per line."""
EXPERIMENTS = (
    Experiment(
        "ptb",
        LanguageModelling,
        PRESETS,
        "training.language_modelling.experiment:TextRun",
        does="Train a language model on the Penn Treebank",
        says="""Train a language model on the Penn Treebank (Peng et al. 2018, section 6.2).

        The network of the best epoch on the dev set is saved, and measured on the test set. If the model is
        rational, the run then decides whether its units are equal to their automata, for the trained weights.
        """,
        example="--model rrnn-f --preset small --data data -o run",
        order=100,
        paper="Rational Recurrences, section 6.2, Table 3",
        data="ptb/ptb.train.txt or .gz, ptb.valid.txt, ptb.test.txt (Mikolov's Penn Treebank,"
        " http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz)",
        cost="no complete run yet: the paper's sizes need a GPU; --preset small takes some minutes per epoch"
        " on one core",
        models=MODELS,
        holds="ptb/",
        preset="paper-10m",
        scale=("epochs",),
        sizes=SIZES,
    ),
)
