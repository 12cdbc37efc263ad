"""The locations of labelled sentences and rules: published data sets, and the user's own data."""

from __future__ import annotations

from dataclasses import dataclass, field

PUBLISHED = "https://github.com/jeffchy/RE2RNN"
OWN = "fa-rnn"
"""The experiment that uses the user's own sentences and rules."""


@dataclass(frozen=True)
class RuleSource:
    """A data set of labelled sentences with rules.

    Attributes:
        folder: the folder below the user's folder with ``train.tsv``, ``dev.tsv``, ``test.tsv`` and a file of
            rules.
        title: the title of the set.
        published: where the data set is published; ``None`` for the user's own data.
        sizes: the published number of sentences of each split; empty for the user's own data.
        positive: the label for precision and recall, if the data set has two labels; otherwise ``None``.
    """

    folder: str
    title: str
    published: str | None = PUBLISHED
    sizes: dict[str, int] = field(default_factory=dict)
    positive: str | None = None

    @property
    def at(self) -> str:
        """Return a suffix for error messages that states where the data set is published."""
        return f"; {self.title} is published at {self.published}" if self.published else ""


SOURCES = {
    "atis": RuleSource(
        "re2rnn/ATIS", "ATIS (Hemphill et al. 1990)", sizes={"train": 3982, "dev": 996, "test": 893}
    ),
    "qc": RuleSource(
        "re2rnn/TREC",
        "question classification (Li and Roth 2002)",
        sizes={"train": 4965, "dev": 500, "test": 500},
    ),
    "sms": RuleSource(
        "re2rnn/SMS",
        "SMS spam (Alberto et al. 2015)",
        sizes={"train": 4502, "dev": 500, "test": 500},
        positive="spam",
    ),
    OWN: RuleSource(".", "your own data", published=None),
}
"""The sources by experiment."""
