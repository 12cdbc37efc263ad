"""The papers whose claims these are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        key: in ``docs/references.bib``.
        title: what it is called for short.
        cited: authors and year.
        letters: two letters that stand for it where there is no room.
    """

    key: str
    title: str
    cited: str
    letters: str

    def __str__(self) -> str:
        return f"{self.title} ({self.cited})"


PAPERS = {
    paper.key: paper
    for paper in (
        Paper("peng2018rational", "Rational Recurrences", "Peng et al. 2018", "RR"),
        Paper("wang2019state", "State-Regularized RNNs", "Wang and Niepert 2019", "SR"),
        Paper("jiang2020cold", "FA-RNN", "Jiang et al. 2020", "FA"),
    )
}
"""Every paper by its key, in the order of their years."""
