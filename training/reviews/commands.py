"""The command line's ``train imdb``."""

from __future__ import annotations

from training.experiment_command import experiment_command
from training.reviews.settings import PRESETS, Sentiment
from training.sequences.shown import show

imdb = experiment_command(
    "imdb",
    Sentiment,
    PRESETS,
    show,
    """Classify the reviews of IMDB word by word (Wang & Niepert 2019, section 4.3).

    The epoch that is best on the dev part, a tenth of the training file, is kept, and measured on the test
    part. A state-regularized model's result has the words that lead to each centroid.
    """,
    holds="imdb/ and glove/",
    options=("data", "vectors", "any_size"),
)
