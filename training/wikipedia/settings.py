"""Settings of language modelling on Wikipedia, and the results of Wang & Niepert 2019 (Table 14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from training.engine.experiment import Experiment
from training.engine.settings import setting
from training.language_modelling.settings import LanguageModelling

MODELS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p")


@dataclass(frozen=True)
class WikipediaModelling(LanguageModelling):
    """The settings of a run on Wikipedia.

    The paper specifies the data, 300 units, 1,000 centroids and 77,000 words. For other settings, it refers
    to Daniluk et al. (2017), who do not specify them. We chose the values of ``batch``, ``window``, ``rate``
    and ``clip``.
    """

    model: str = setting("sr-lstm-p", "the recurrent network", one_of=MODELS)
    batch: int = setting(64, "number of columns of text read in parallel", 1, 4096)
    rate: float = setting(1e-3, "initial learning rate of Adam", 1e-8, 10)
    weight_decay: float = setting(0.0, "the weight of the squared parameters in the loss", 0, 1)
    epochs: int = setting(20, "maximum number of epochs", 1, 10**6)
    patience: int = setting(3, "stop after this many epochs without improvement on the dev set", 1, 10**6)
    halve_after: int = setting(
        1, "halve the learning rate after this many epochs without improvement", 1, 10**6
    )
    decay: float = setting(1.0, "factor of the learning rate after each epoch", 0.01, 1)
    decay_after: int = setting(0, "epochs before the first decay", 0, 10**6)
    budget: int = setting(0, "not used, because the paper states the width", 0, 0)
    hidden: int = setting(300, "d, the size of word vectors and of each layer; the paper: 300", 1, 8192)
    layers: int = setting(1, "recurrent layers; the paper: 1", 1, 16)
    window: int = setting(20, "steps of backpropagation through time", 1, 10**4)
    input_dropout: float = setting(0.0, "dropout of the word vectors; the paper: none", 0, 0.95)
    output_dropout: float = setting(0.0, "dropout of the input of the softmax; the paper: none", 0, 0.95)
    vertical_dropout: float = setting(0.0, "dropout between layers, one mask per window", 0, 0.95)
    recurrent_dropout: float = setting(
        0.0, "dropout of the inputs of the gates, one mask per window", 0, 0.95
    )
    k: int = setting(1000, "centroids of a state-regularized model; the paper: 1,000", 2, 10**5)
    temperature: float = setting(1.0, "tau of a state-regularized model; the paper: 1", 1e-9, 1e9)
    vocabulary: int = setting(
        77_000, "vocabulary size: the most frequent words of the training set; the paper: 77k", 1, 10**7
    )


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "small": {"hidden": 64, "k": 50, "vocabulary": 5000, "batch": 32, "epochs": 5},
}
"""Presets by name, which are values for the settings that the user does not pass."""

TABLE_14 = {"lstm": (83.2, 85.2), "lstm-p": (85.8, 86.9), "sr-lstm": (81.8, 83.0), "sr-lstm-p": (82.3, 84.5)}
"""The paper's perplexities on the dev and the test set, by model."""


def paper(settings: WikipediaModelling) -> dict[str, Any]:
    """Return the figures of Table 14 for a model."""
    dev, test = TABLE_14[settings.model]
    parameters = "47.3M" if settings.model.startswith("sr-") else "47.0M"
    return {
        "dev_perplexity": dev,
        "test_perplexity": test,
        "parameters": parameters,
        "source": "Wang & Niepert 2019, Table 14",
    }


EXPERIMENTS = (
    Experiment(
        "wikipedia",
        WikipediaModelling,
        PRESETS,
        "training.wikipedia.experiment:WikipediaRun",
        does="Train a language model on Wikipedia's articles",
        says="""Train a language model on Wikipedia's articles (Wang & Niepert 2019, appendix C.2).

        The network of the best epoch on the dev set is saved, and measured on the test set.
        """,
        example="--model sr-lstm --data data -o run",
        order=160,
        paper="State-Regularized RNNs, section 4, appendix C.2, Table 14",
        data="wikipedia/train.txt, valid.txt, test.txt, or .gz: the corpus of Daniluk et al. 2017"
        " (https://goo.gl/s8cyYa)",
        cost="not run yet, because we do not have the data",
        models=MODELS,
        holds="wikipedia/",
        scale=("hidden", "vocabulary", "k", "layers"),
        # the paper's rounded numbers of words, less the accepted deviation
        sizes={"train": 21_375_000, "dev": 1_140_000, "test": 1_140_000},
    ),
)
