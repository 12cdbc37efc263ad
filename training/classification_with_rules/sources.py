"""Where the labelled sentences and rules of the sets are, and how they are published."""

from __future__ import annotations

from dataclasses import dataclass

PUBLISHED = "https://github.com/jeffchy/RE2RNN"


@dataclass(frozen=True)
class Source:
    """A set.

    Attributes:
        folder: with ``train.tsv``, ``dev.tsv``, ``test.tsv`` and a file of rules, below the user's folder.
        title: of the set.
        sizes: how many sentences its parts have as they are published.
        positive: the label whose precision and recall count, of a set with two; ``None`` for another set.
    """

    folder: str
    title: str
    sizes: dict[str, int]
    positive: str | None = None


SOURCES = {
    "atis": Source("re2rnn/ATIS", "ATIS (Hemphill et al. 1990)", {"train": 3982, "dev": 996, "test": 893}),
    "qc": Source(
        "re2rnn/TREC", "question classification (Li and Roth 2002)", {"train": 4965, "dev": 500, "test": 500}
    ),
    "sms": Source(
        "re2rnn/SMS", "SMS spam (Alberto et al. 2015)", {"train": 4502, "dev": 500, "test": 500}, "spam"
    ),
}
"""By experiment."""
