"""The settings of text classification with rules (Jiang et al. 2020, sections 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from automata.errors import InputError
from training.classification_with_rules.sources import OWN, PUBLISHED, SOURCES
from training.data_folder import Data
from training.engine.experiment import GLOVE, Experiment
from training.engine.settings import Settings, setting

FA = ("fa-rnn", "fa-gru", "bifa-rnn", "bifa-gru")
PLAIN = ("cnn", "dan", "rnn", "lstm", "gru", "birnn", "bilstm", "bigru")
ENHANCED = ("bigru+i", "bigru+o", "bigru+io", "bigru+pr", "bigru+kd")
TAUGHT_MODELS = ("bigru+pr", "bigru+kd")
"""The models whose loss includes imitation of the rules."""
MODELS = FA + PLAIN + ENHANCED


@dataclass(frozen=True)
class RuleClassification(Settings):
    """The settings of a run of text classification with rules.

    The defaults are the values of the authors' program for ATIS. Settings that the program does not define
    have a value from the paper.
    """

    model: str = setting("fa-rnn", "the network", one_of=MODELS)
    share: float = setting(
        1.0, "share of the training sentences, drawn with the seed; 0: measure the untrained network", 0, 1
    )
    batch: int = setting(200, "examples in a batch", 1, 1 << 20)
    rate: float = setting(7e-4, "initial learning rate of Adam", 1e-8, 10)
    weight_decay: float = setting(0.0, "the weight of the squared parameters in the loss", 0, 1)
    epochs: int = setting(40, "maximum number of epochs", 1, 10**6)
    patience: int = setting(40, "stop after this many epochs without improvement on the dev set", 1, 10**6)
    schedule: str = setting(
        "plateau", "schedule of the learning rate: halved if the dev set does not improve, or a cosine",
        one_of=("plateau", "cosine"),
    )  # fmt: skip
    recurrence_share: float = setting(
        1.0, "the recurrence's learning rate, as a share of the learning rate of the layers above it", 0, 100
    )
    average: float = setting(
        0.0, "the decay of a running mean of the weights, which is measured and saved; 0: none", 0, 0.99999
    )
    balance: float = setting(
        0.0, "weight of a sentence in the loss: n^-x, if n sentences have its label and x is this value", 0, 1
    )
    dropout: float = setting(0.0, "dropout of the sentence's last state", 0, 0.95)
    vector_dropout: float = setting(0.0, "dropout of the word vectors", 0, 0.95)
    word_vectors: str = setting(
        "pretrained", "word vectors: GloVe's, or random (Table 6: Rand E_w)", one_of=("pretrained", "random")
    )
    hidden: int = setting(
        100, "number of units of a model other than an FA-RNN; the paper: 50, 100, 150 or 200", 1, 4096
    )
    beta: float = setting(0.9, "beta of equation 6: 1 uses only the rules, without word vectors", 0, 1)
    extra: int = setting(0, "K', the number of states in addition to those of the rules", 0, 4096)
    drawn: int = setting(
        0, "number of sentences drawn from the rules for each epoch, with the rules' labels", 0, 10**6
    )
    activation: str = setting(
        "none", "activation between the two layers of section 3.5: none, or matches clamped to at most 1",
        one_of=("none", "clamp"),
    )  # fmt: skip
    scoring: str = setting(
        "forward", "scores are sums over paths, or maxima (Table 6: V)", one_of=("forward", "viterbi")
    )
    tensor: str = setting(
        "decomposed",
        "transition tensor: decomposed (equation 6), or whole (equation 4; Table 6: O)",
        one_of=("decomposed", "whole"),
    )
    weights: str = setting(
        "rules", "initial weights: those of the rules, or random (Table 6: Rand)", one_of=("rules", "random")
    )
    word_features: str = setting(
        "kept", "E_R: fixed by the rules, or trained (Table 6: Train E_R)", one_of=("kept", "trained")
    )
    imitation: float = setting(0.5, "models +kd and +pr: weight of the rules' labels in the loss", 0, 1)
    confidence: float = setting(6.0, "models +kd and +pr: logit of a label whose rules match", 0, 100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tensor == "whole" and (self.model != "fa-rnn" or self.beta != 1 or self.extra):
            raise InputError("--tensor whole requires --model fa-rnn, --beta 1 and --extra 0")
        if self.scoring == "viterbi" and self.model != "fa-rnn":
            raise InputError("--scoring viterbi requires --model fa-rnn, as in Table 6")
        if self.drawn and self.model not in FA:
            raise InputError(
                f"--drawn requires one of the models {', '.join(FA)}, which start from the rules"
            )

    @property
    def is_fa(self) -> bool:
        """Return whether the model is an FA-RNN."""
        return self.model in FA

    @property
    def is_classifier(self) -> bool:
        """Return whether the network's rules can be read back.

        The network must be a linear layer on the states of a recurrence that was initialised with the rules.
        """
        plain = {"activation": "none", "scoring": "forward", "tensor": "decomposed", "weights": "rules"}
        return self.model == "fa-rnn" and all(getattr(self, name) == value for name, value in plain.items())


# Presets are values for the options that the user does not pass. Except for the authors' values, they were
# chosen on the dev sets of the published data, for 1 %, 10 % and all of the training sentences. There are
# separate presets for FA-RNNs, for the CNN, for networks that imitate the rules, and for all other networks.

BETAS = {"atis": 0.9, "qc": 0.3, "sms": 0.7}
"""The values of beta in the authors' program for the published data sets."""
SHARES = {"few": 0.01, "some": 0.1, "all": 1.0}
FEW, SOME = 150, 1500
"""The preset ``few`` is for fewer than 150 training sentences, and ``some`` for fewer than 1,500.

In the published data sets, 1 %, 10 % and all of the training set are about 45, 450 and 4,500 sentences. The
limits are between these numbers, in the same ratio.
"""
_COMMON: dict[str, Any] = {"schedule": "cosine", "dropout": 0.2, "vector_dropout": 0.2}
_FEW = _COMMON | {"batch": 8, "epochs": 60, "patience": 60, "average": 0.9}
_SOME = _COMMON | {"batch": 32, "epochs": 40, "patience": 40, "average": 0.95}
_ALL = _COMMON | {"batch": 64, "epochs": 30, "patience": 10, "average": 0.98}
TAUGHT = {"confidence": 1.0}
"""The settings of networks that imitate the rules.

As in the authors' program, they imitate a softmax of the matches. With a higher confidence, the models
``+kd`` and ``+pr`` were worse on the dev sets than a network without rules.
"""
CONVOLUTIONAL = {"rate": 1e-3}
"""The settings of a CNN.

At the learning rate of the other networks, the CNN often predicted only the most frequent label, also on the
dev sets.
"""


def presets(experiment: str) -> dict[str, dict[str, Any]]:
    """Return the settings of each preset of an experiment, keyed by the preset's name.

    The preset ``zero-shot`` does not train, and counts several matches of a label once, as the rules do. The
    other presets depend on the number of training sentences and on the model. For a published data set, they
    also set the share of the training sentences, and the preset ``paper`` has the values of the authors'
    program.
    """
    beta = {"beta": BETAS[experiment]} if experiment in BETAS else {}
    ours: dict[str, dict[str, Any]] = {
        "few": _FEW | {"beta": 1.0, "rate": 1e-3, "recurrence_share": 0.1, "drawn": 100},
        "some": _SOME | beta | {"rate": 1e-3, "drawn": 100},
        "all": _ALL | beta | {"rate": 1e-3},
        "few-plain": _FEW | {"rate": 3e-3},
        "some-plain": _SOME | {"rate": 3e-3, "batch": 16},
        "all-plain": _ALL | {"rate": 2e-3},
    }
    ours |= {f"{size}-taught": ours[f"{size}-plain"] | TAUGHT for size in SHARES}
    ours |= {f"{size}-cnn": ours[f"{size}-plain"] | CONVOLUTIONAL for size in SHARES}
    untrained = {"zero-shot": {"share": 0.0, "beta": 1.0, "activation": "clamp"}}
    if experiment not in BETAS:
        return untrained | ours
    shared = {name: {"share": SHARES[name.partition("-")[0]]} | recipe for name, recipe in ours.items()}
    return {"paper": beta} | untrained | shared


def preset_for(sentences: int, model: str) -> str:
    """Return the name of the preset for a model and a number of training sentences.

    >>> preset_for(45, "fa-gru"), preset_for(450, "bigru"), preset_for(0, "fa-rnn")
    ('few', 'some-plain', 'zero-shot')
    >>> preset_for(4500, "bigru+kd")
    'all-taught'
    >>> preset_for(4500, "cnn")
    'all-cnn'
    """
    if not sentences:
        return "zero-shot"
    size = "few" if sentences < FEW else "some" if sentences < SOME else "all"
    if model in FA:
        return size
    if model == "cnn":
        return f"{size}-cnn"
    return f"{size}-taught" if model in TAUGHT_MODELS else f"{size}-plain"


def preset_of(data: Data, options: dict[str, Any]) -> str:
    """Return the name of the preset for the user's own sentences."""
    from neural.fa_rnn.sentences import part_of
    from training.classification_with_rules.data import drawn_indices

    default = RuleClassification()
    share, seed = options.get("share", default.share), options.get("seed", default.seed)
    taken = drawn_indices(len(part_of(data.folder / "train.tsv")), share, seed)
    return preset_for(len(taken), options.get("model", default.model))


EXPERIMENTS = (
    Experiment(
        OWN,
        RuleClassification,
        presets(OWN),
        "training.classification_with_rules.experiment:RuleRun",
        does="Train an FA-RNN that is initialised from your own rules",
        says="""Train an FA-RNN that is initialised from your rules on your labelled sentences (Jiang et
        al. 2020, section 4.4).

        --model names another network. The network of the best epoch on the dev set is saved, and measured on
        the test set. --share 0 does not train; --vectors one-hot gives each word its own vector. The exit
        status is 1 if the time limit was reached first.
        """,
        example="--data home -o house",
        order=65,
        options=("data", "vectors", "rules"),
        holds="train.tsv, dev.tsv and test.tsv: label<TAB>words",
        preset="by the number of sentences",
        choose=preset_of,
    ),
    *(
        Experiment(
            name,
            RuleClassification,
            presets(name),
            "training.classification_with_rules.experiment:RuleRun",
            does=f"Classify the sentences of {name.upper()} with rules",
            says=f"""Classify the sentences of {name.upper()} with rules (Jiang et al. 2020, section 4).

            An FA-RNN is initialised from the rules; the other networks are the baselines of the paper. The
            network of the best epoch on the dev set is saved, and measured on the test set. --share 0 does
            not train.
            """,
            example="--model bifa-rnn --share 0.1 --data data -o run",
            order=order,
            paper="FA-RNN, section 5, Tables 4 to 6",
            data=f"re2rnn/{folder}: train.tsv, dev.tsv, test.tsv and rules in a .config ({PUBLISHED});"
            f" {GLOVE}",
            cost="most runs seconds to 2 minutes on one core; with Viterbi scores up to 40 minutes",
            models=MODELS,
            options=("data", "vectors", "any_size"),
            holds="re2rnn/ and glove/",
            sizes=SOURCES[name].sizes,
        )
        for order, name, folder in ((70, "atis", "ATIS"), (80, "qc", "TREC"), (90, "sms", "SMS"))
    ),
)
