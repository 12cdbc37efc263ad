"""Where labelled sentences and rules are: of the published sets, and of one's own."""

from __future__ import annotations

from dataclasses import dataclass, field

PUBLISHED = "https://github.com/jeffchy/RE2RNN"
OWN = "fa-rnn"
"""The experiment whose sentences and rules are the user's own."""


@dataclass(frozen=True)
class RuleSource:
    """A set.

    Attributes:
        folder: with ``train.tsv``, ``dev.tsv``, ``test.tsv`` and a file of rules, below the user's folder.
        title: of the set.
        published: where; ``None`` for one's own.
        sizes: how many sentences its parts have as they are published; none for one's own, of any size.
        positive: the label whose precision and recall count, of a set with two; ``None`` for another set.
    """

    folder: str
    title: str
    published: str | None = PUBLISHED
    sizes: dict[str, int] = field(default_factory=dict)
    positive: str | None = None

    @property
    def at(self) -> str:
        """Where it is published, as the end of a sentence."""
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
    OWN: RuleSource(".", "a set of one's own", published=None),
}
"""By experiment."""
