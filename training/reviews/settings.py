"""The settings of sentiment analysis, and the figures of Wang & Niepert 2019.

See section 4.3 and Tables 4, 5 and 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from automata.errors import InputError
from training.engine.experiment import GLOVE, Experiment
from training.engine.settings import setting
from training.sequences.settings import MODELS, SequenceClassification

EMBEDDINGS = ("learned", "glove")


@dataclass(frozen=True)
class Sentiment(SequenceClassification):
    """The settings of a run on IMDB; the defaults are the paper's values, if it states them."""

    head: str = setting(
        "max-h",
        "the classifier's input: the last h, the last c, both, or each unit's largest h; c of all layers is"
        " used, and a GRU has none",
        one_of=("h", "c", "h-c", "max-h"),
    )
    length: int = setting(0, "number of words of a review that are read, from its start; 0: all", 0, 10**6)
    measured_at: str = setting(
        "", "numbers of words, separated by commas: also measure on reviews that are cut to these lengths"
    )
    tokens: bool = setting(True, "a start token and an end token around a review (section 3.3)")
    vocabulary: int = setting(
        30_000, "vocabulary size: the most frequent words of the training set", 1, 10**7
    )
    embedding: str = setting("learned", "word vectors: learned from the start, or GloVe's", one_of=EMBEDDINGS)
    fixed: bool = setting(False, "word vectors are not trained")
    width: int = setting(100, "size of learned word vectors", 1, 4096)
    scale: float = setting(1.0, "the length of each of GloVe's vectors", 1e-3, 1e3)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(part.isdecimal() and int(part) > 0 for part in self._lengths()):
            raise InputError(
                "--measured-at must be positive integers separated by commas, as in 100,200, got"
                f" {self.measured_at!r:.40}"
            )

    def _lengths(self) -> list[str]:
        return self.measured_at.split(",") if self.measured_at else []

    @property
    def lengths(self) -> tuple[int, ...]:
        """Return the lengths, in words, to which reviews are truncated for additional measurements."""
        return tuple(map(int, self._lengths()))


CPU: dict[str, Any] = {
    "hidden": 64,
    "k": 10,
    "optimiser": "adam",
    "rate": 5e-3,
    "clip": 1.0,
    "batch": 64,
    "forget_bias": 1.0,
    "embedding": "glove",
    "fixed": True,
    "scale": 5.0,
    "patience": 3,
    "halve_after": 1,
}
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "paper-short": {"length": 10, "measured_at": "100,200", "head": "h"},
    "small": {**CPU, "length": 100, "epochs": 3},
    "small-short": {**CPU, "length": 10, "measured_at": "100,200", "head": "h", "epochs": 5},
}
"""Presets: values for the settings that the user does not pass.

``paper`` is for complete reviews (Table 5), and ``paper-short`` for training on the first 10 words (Table 4).
``small`` and ``small-short`` are the corresponding presets for a CPU.
"""

TABLE_5: dict[tuple[str, int | None, str, int], float] = {
    ("lstm", None, "max-h", 1): 10.1,
    ("lstm-p", None, "max-h", 1): 10.3,
    ("sr-lstm", 10, "max-h", 1): 9.4,
    ("sr-lstm-p", 50, "max-h", 1): 9.8,
    ("sr-lstm-p", 10, "max-h", 1): 9.2,
    ("sr-lstm-p", 10, "c", 2): 9.4,
}
"""The paper's test errors in %, by model, number of centroids, input of the classifier, and layers."""

TABLE_13: dict[str, dict[str, dict[int, float]]] = {
    "lstm": {"train": {100: 29.23, 200: 32.77}, "test": {100: 29.96, 200: 33.19}},
    "sr-lstm": {"train": {100: 27.17, 200: 31.72}, "test": {100: 28.82, 200: 32.88}},
    "lstm-p": {"train": {100: 25.50, 200: 29.05}, "test": {100: 28.02, 200: 30.12}},
    "sr-lstm-p": {"train": {100: 23.30, 200: 24.67}, "test": {100: 26.04, 200: 26.21}},
}
"""The paper's errors in %, by model, split and length, after training on the first 10 words.

Table 4 has the same errors, except for LSTM-P.
"""

TABLE_8 = (
    ("1", "but (0.97) hadn (0.905) college (0.87) even (0.853)"),
    ("2", "not (0.997) or (0.997) italian (0.995) never (0.993)"),
    ("3", "loved (0.998) definitely (0.996) 8 (0.993) realistic (0.992)"),
    ("4", "no (1.0) worst (1.0) terrible (1.0) poorly (1.0)"),
)
"""The paper's words with the highest mean probability of each centroid."""

TABLE_16 = (
    ("0", "piece (0.465) instead (0.453) slow (0.453) surface (0.443) artificial (0.37)"),
    ("1", "told (0.752) mr. (0.647) their (0.616) she (0.584) though (0.561)"),
    ("2", "just (0.943) absolutely (0.781) extremely (0.708) general (0.663) sitting (0.587)"),
    ("3", "worst (1.0) bad (1.0) pointless (1.0) boring (1.0) poorly (1.0)"),
    ("4", "jean (0.449) bug (0.406) mind (0.399) start (0.398) league (0.386)"),
    ("5", "not (0.997) never (0.995) might (0.982) at (0.965) had (0.962)"),
    ("6", "against (0.402) david (0.376) to (0.376) saying (0.357) wave (0.349)"),
    ("7", "simply (0.961) totally (0.805) c (0.703) once (0.656) simon (0.634)"),
    ("8", "10 (0.994) best (0.992) loved (0.99) 8 (0.987) highly (0.987)"),
    ("9", "you (0.799) strong (0.735) magnificent (0.726) 30 (0.714) honest (0.69)"),
)
"""The paper's words for the ten centroids of an SR-LSTM-P."""
EPOCHS_TOOK = {"lstm": 400.29, "lstm-p": 410.29, "sr-lstm": 429.15, "sr-lstm-p": 466.10}
"""The paper's seconds per epoch for training on the first 10 words (Tables 4 and 13)."""


def paper(settings: Sentiment) -> dict[str, Any] | None:
    """Return the paper's figures for a model, or ``None`` if there are none."""
    s = settings
    if s.length == 10:
        by_part = TABLE_13.get(s.model)
        if by_part is None:
            return None
        errors = {f"{part}_error_{n}": e for part, by in by_part.items() for n, e in by.items()}
        return errors | {"source": "Wang & Niepert 2019, Tables 4 and 13"}
    error = TABLE_5.get((s.model, s.k if s.regularized else None, s.head, s.layers))
    if error is None:
        return None
    return {"test_accuracy": round(1 - error / 100, 4), "source": "Wang & Niepert 2019, Table 5"}


EXPERIMENTS = (
    Experiment(
        "imdb",
        Sentiment,
        PRESETS,
        "training.reviews.experiment:ReviewRun",
        does="Classify the reviews of IMDB word by word",
        says="""Classify the reviews of IMDB word by word (Wang & Niepert 2019, section 4.3).

        The network of the best epoch on the dev set is saved, and measured on the test set. The dev set is a
        tenth of the training file. The result of a state-regularized model has the words of each centroid.
        """,
        example="--model sr-lstm-p --preset small --data data -o run",
        order=130,
        paper="State-Regularized RNNs, section 4.3, Tables 4, 5, 8, 13 and 16",
        data=f"imdb/train.tsv.gz, test.tsv.gz (https://ai.stanford.edu/~amaas/data/sentiment/); {GLOVE}",
        cost="the paper's size: a GPU; --preset small, the first 100 words of a review: minutes on one core",
        models=MODELS,
        options=("data", "vectors", "any_size"),
        holds="imdb/ and glove/",
        examples="reviews",
        scale=("length", "hidden", "embedding"),
        sizes={"train": 22_500, "dev": 2500, "test": 25_000},
    ),
)
