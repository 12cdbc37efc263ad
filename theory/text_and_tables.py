"""Sentences of papers that contradict the papers' own tables, which are shown next to our results.

>>> [sentence.paper for sentence in SENTENCES if sentence.agrees(sentence.rows)]
[]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

Rows = dict[str, tuple[Decimal, ...]]


def rows(**figures: str) -> Rows:
    """Return figures by model, exactly as printed."""
    return {name: tuple(map(Decimal, text.split())) for name, text in figures.items()}


@dataclass(frozen=True)
class Sentence:
    """A sentence about a table, with the figures of the table.

    Attributes:
        paper: the key in ``docs/references.bib``.
        section, table: the section of the sentence, and the number of the table.
        says: the paraphrased sentence.
        has: the table's content.
        rows: the figures that this depends on, by model.
        agrees: a function from the rows to whether the sentence is true.
    """

    paper: str
    section: str
    table: str
    says: str
    has: str
    rows: Rows
    agrees: Callable[[Rows], bool]


def by_more_than(margin: str) -> Callable[[Rows], bool]:
    """Return a function that tests whether all other perplexities exceed that of model F by ``margin``."""

    def agrees(models: Rows) -> bool:
        others = min(v for name, (v,) in models.items() if name != "F")
        return others - models["F"][0] > Decimal(margin)

    return agrees


def below_all_in_most(model: str) -> Callable[[Rows], bool]:
    """Return a function that tests whether the model has the lowest accuracy in most columns."""

    def agrees(models: Rows) -> bool:
        columns = list(zip(*(v for name, v in models.items() if name != model), strict=True))
        below = [own < min(others) for own, others in zip(models[model], columns, strict=True)]
        return 2 * below.count(True) > len(below)

    return agrees


def never_worse(models: Rows) -> bool:
    """Return whether SR-LSTM never has a higher error than LSTM."""
    return all(own <= other for own, other in zip(models["SR_LSTM"], models["LSTM"], strict=True))


def best_in_most(models: Rows) -> bool:
    """Return whether k = 2 has the fewest errors in most rows of the table."""
    columns = list(zip(*models.values(), strict=True))
    best = [own == min(column) for own, column in zip(models["k_2"], columns, strict=True)]
    return 2 * best.count(True) > len(best)


def above_all(models: Rows) -> bool:
    """Return whether FA-RNN has the highest accuracy."""
    return all(models["FA_RNN"] > v for name, v in models.items() if name != "FA_RNN")


SENTENCES = (
    Sentence(
        "peng2018rational",
        "6.2",
        "3",
        "with two layers, RRNN(F) outperforms all others by more than 2.9 perplexity points",
        "by 2.9: 66.3 against RRNN(B)'s 69.2",
        rows(B="69.2", B_max_plus="71.7", C="69.5", F="66.3"),
        by_more_than("2.9"),
    ),
    Sentence(
        "peng2018rational",
        "6.2",
        "3",
        "with three layers, RRNN(F) outperforms all others by more than 2.1 perplexity points",
        "by 2.1: 63.1 against RRNN(B)'s 65.2",
        rows(B="65.2", B_max_plus="66.9", C="67.0", F="63.1"),
        by_more_than("2.1"),
    ),
    Sentence(
        "peng2018rational",
        "6.3",
        "5",
        "RRNN(B) over max-plus underperforms all other models in most cases",
        "in 2 of 4 data sets, Amazon and subj",
        rows(
            LSTM="91.2 85.1 93.3 82.4",
            B="92.4 85.8 93.9 84.1",
            C="92.8 84.8 93.8 84.5",
            B_max_plus="89.2 84.9 92.6 84.3",
            F="92.7 86.5 94.8 85.1",
        ),
        below_all_in_most("B_max_plus"),
    ),
    Sentence(
        "wang2019state",
        "4.2",
        "1",
        "SR-LSTM extrapolates better than LSTM",
        "with the large training set SR-LSTM has more errors than LSTM in 3 of 6 rows",
        rows(LSTM="0.005 0.334 0.341 0.002 0.207 0.543", SR_LSTM="0.038 0.255 0.313 0.044 0.227 0.540"),
        never_worse,
    ),
    Sentence(
        "wang2019state",
        "4.2",
        "2",
        "k = 2 is the best for most test sets",
        "in 3 of 6 rows",
        rows(
            k_2="0.019 0.096 0.097 0.014 0.038 0.399",
            k_5="0.017 0.189 0.196 0.015 0.138 0.380",
            k_10="0.021 0.205 0.213 0.012 0.154 0.432",
            k_50="0.034 0.192 0.191 0.047 0.128 0.410",
        ),
        best_in_most,
    ),
    Sentence(
        "jiang2020cold",
        "4.4",
        "5",
        "FA-RNNs outperform all other methods in the low-resource settings",
        "on QC with 10 % of the data FA-RNN has 79.6, below GRU, BiGRU and all five rule-enhanced BiGRUs",
        rows(
            FA_RNN="79.6",
            GRU="79.75",
            BiGRU="80.05",
            BiGRU_i="80.25",
            BiGRU_o="80.2",
            BiGRU_io="79.65",
            BiGRU_pr="80.45",
            BiGRU_kd="80.3",
        ),
        above_all,
    ),
)
