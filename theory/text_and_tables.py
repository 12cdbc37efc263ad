"""Contradictions within a paper, between its text, tables and figures, as listed on the page of errata.

>>> [sentence.paper for sentence in SENTENCES if sentence.agrees(sentence.rows)]
[]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from operator import le
from typing import Any

Rows = dict[str, tuple[Decimal, ...]]
Parts = dict[str, tuple[str, ...]]


def rows(**figures: str) -> Rows:
    """Return, for each keyword argument, the numbers in a string such as "69.2 71.7" as decimals."""
    return {name: tuple(map(Decimal, text.split())) for name, text in figures.items()}


@dataclass(frozen=True)
class Sentence:
    """A sentence of a paper, and another part of the paper that contradicts it.

    Attributes:
        paper: the key in ``docs/references.bib``.
        section: the section of the sentence.
        part: the table, figure or section that contradicts it.
        says: the paraphrased sentence.
        has: the contradicting statement of the other part.
        rows: the printed numbers or words that ``agrees`` compares, each list with its name.
        agrees: a function from the rows to whether the sentence is true.
    """

    paper: str
    section: str
    part: str
    says: str
    has: str
    rows: Any
    agrees: Callable[[Any], bool]


def parts(**words: str) -> Parts:
    """Return, for each keyword argument, the words in a string."""
    return {name: tuple(text.split()) for name, text in words.items()}


def all_equal(named: Parts) -> bool:
    """Return whether all parts of the paper have the same words."""
    return len(set(named.values())) == 1


def by_more_than(margin: str) -> Callable[[Rows], bool]:
    """Return a function that tests whether all other perplexities exceed F's by more than ``margin``."""

    def agrees(models: Rows) -> bool:
        others = min(v for name, (v,) in models.items() if name != "F")
        return others - models["F"][0] > Decimal(margin)

    return agrees


def lowest_in_most(model: str) -> Callable[[Rows], bool]:
    """Return a function that tests whether ``model`` has the lowest number in most columns, or shares it."""

    def agrees(models: Rows) -> bool:
        columns = list(zip(*models.values(), strict=True))
        lowest = [own == min(column) for own, column in zip(models[model], columns, strict=True)]
        return 2 * lowest.count(True) > len(lowest)

    return agrees


def above_all(models: Rows) -> bool:
    """Return whether FA-RNN has the highest accuracy."""
    return all(models["FA_RNN"] > v for name, v in models.items() if name != "FA_RNN")


def closer_to_lstm(models: Rows) -> bool:
    """Return whether LSTM-P's error rates are closer to LSTM's than to SR-LSTM's in most columns."""
    closer = [
        abs(own - plain) < abs(own - regularised)
        for own, plain, regularised in zip(models["LSTM_P"], models["LSTM"], models["SR_LSTM"], strict=True)
    ]
    return 2 * closer.count(True) > len(closer)


def above_guesses(models: Rows) -> bool:
    """Return whether BiGRU+o and BiGRU+io exceed the methods that the text calls random guesses."""
    guesses = max(v for name in ("BiGRU_i", "BiGRU_pr", "BiGRU_kd") for v in models[name])
    return min(*models["BiGRU_o"], *models["BiGRU_io"]) > guesses


SENTENCES = (
    Sentence(
        "peng2018rational",
        "6.1",
        "Appendix D",
        "the inputs of all models are u^(j)_t = W^(j)_u v^(j)_t",
        "one v_t for every j, as in the rest of the paper",
        parts(text="v^(j)_t", appendix="v_t"),
        all_equal,
    ),
    Sentence(
        "peng2018rational",
        "6.2",
        "Table 3",
        "with two layers, RRNN(F) outperforms all others by more than 2.9 perplexity points",
        "by 2.9: 66.3 against RRNN(B)'s 69.2",
        rows(B="69.2", B_max_plus="71.7", C="69.5", F="66.3"),
        by_more_than("2.9"),
    ),
    Sentence(
        "peng2018rational",
        "6.2",
        "Table 3",
        "with three layers, RRNN(F) outperforms all others by more than 2.1 perplexity points",
        "by 2.1: 63.1 against RRNN(B)'s 65.2",
        rows(B="65.2", B_max_plus="66.9", C="67.0", F="63.1"),
        by_more_than("2.1"),
    ),
    Sentence(
        "peng2018rational",
        "6.3",
        "Table 5",
        "RRNN(B) over max-plus underperforms all other models in most cases",
        "in 2 of 4 data sets, Amazon and subj",
        rows(
            LSTM="91.2 85.1 93.3 82.4",
            B="92.4 85.8 93.9 84.1",
            C="92.8 84.8 93.8 84.5",
            B_max_plus="89.2 84.9 92.6 84.3",
            F="92.7 86.5 94.8 85.1",
        ),
        lowest_in_most("B_max_plus"),
    ),
    Sentence(
        "peng2018rational",
        "E.3",
        "Table 6",
        "the hyperparameters are searched in the intervals of the table",
        "[1e-2, 1e-4] for the learning rate and [1e-5, 1e-7] for l2: the larger end comes first",
        rows(learning_rate="1e-2 1e-4", l2="1e-5 1e-7"),
        lambda models: all(low <= high for low, high in models.values()),
    ),
    Sentence(
        "wang2019state",
        "4.2",
        "Table 1",
        "SR-LSTM extrapolates better than LSTM",
        "with the large training set SR-LSTM has more errors than LSTM in 3 of 6 rows",
        rows(LSTM="0.005 0.334 0.341 0.002 0.207 0.543", SR_LSTM="0.038 0.255 0.313 0.044 0.227 0.540"),
        lambda models: all(map(le, models["SR_LSTM"], models["LSTM"])),
    ),
    Sentence(
        "wang2019state",
        "4.2",
        "Table 2",
        "k = 2 is the best for most test sets",
        "in 3 of 6 rows",
        rows(
            k_2="0.019 0.096 0.097 0.014 0.038 0.399",
            k_5="0.017 0.189 0.196 0.015 0.138 0.380",
            k_10="0.021 0.205 0.213 0.012 0.154 0.432",
            k_50="0.034 0.192 0.191 0.047 0.128 0.410",
        ),
        lowest_in_most("k_2"),
    ),
    Sentence(
        "wang2019state",
        "4.2",
        "Figure 6 and Table 9",
        "an SR-LSTM with 10 units is trained on balanced parentheses, and its states are shown in Figure 6",
        "Figure 6 shows an SR-LSTM-P, and all networks for this task have 100 units",
        parts(text="SR-LSTM 10", figure="SR-LSTM-P 100"),
        all_equal,
    ),
    Sentence(
        "wang2019state",
        "4.2",
        "Equations 6 to 8",
        "Figures 6 and 13: the gates of the SR-LSTM-P are saturated at +1 and -1",
        "gates are sigmoids, which are saturated at 0 and 1",
        rows(saturated="-1 1", sigmoid="0 1"),
        lambda models: (
            models["sigmoid"][0]
            <= min(models["saturated"])
            <= max(models["saturated"])
            <= models["sigmoid"][1]
        ),
    ),
    Sentence(
        "wang2019state",
        "4.3",
        "Table 7",
        "on pixel-by-pixel MNIST, the SR-LSTM-P does not reach the accuracy of the state of the art",
        "with k = 100 it has 99.2 on images in the usual order, as has the best of the other methods",
        rows(
            IRNN="97.0",
            URNN="95.1",
            sTANH_RNN="98.1",
            RWA="98.1",
            Skip_LSTM="97.3",
            BN_LSTM="99.0",
            Dilated_GRU="99.2",
            SR_LSTM_P="99.2",
        ),
        lambda models: models["SR_LSTM_P"][0] < max(v[0] for v in models.values()),
    ),
    Sentence(
        "wang2019state",
        "B",
        "Table 5",
        "Table 9: the networks on whole IMDB reviews have k = 2, 5 or 10",
        "an SR-LSTM-P with k = 50",
        parts(table_5="10 50", table_9="2 5 10"),
        lambda named: {*named["table_5"]} <= {*named["table_9"]},
    ),
    Sentence(
        "wang2019state",
        "B",
        "Table 2",
        "Table 9: the networks on the small set of parentheses have k = 2, 5, 10, 50 or 100",
        "no column for k = 100",
        parts(table_2="2 5 10 50", table_9="2 5 10 50 100"),
        all_equal,
    ),
    Sentence(
        "wang2019state",
        "4.2",
        "Table 10",
        "the palindromes are w followed by w reversed, which have even lengths",
        "lengths from 1 to 25 in training, from 26 to 50 in validation, and from 50 to 500 in the tests",
        rows(train="1 25", valid="26 50", test="50 500"),
        lambda models: all(
            n % 2 == 0 for low, high in models.values() for n in range(int(low), int(high) + 1)
        ),
    ),
    Sentence(
        "wang2019state",
        "C.1",
        "Table 11",
        "LSTM-P has results similar to those of LSTM",
        "on palindromes, its error rates are closer to those of SR-LSTM at all three lengths",
        rows(LSTM="31.2 42.0 47.7", LSTM_P="28.4 36.2 41.5", SR_LSTM="28.0 36.0 44.6"),
        closer_to_lstm,
    ),
    Sentence(
        "wang2019state",
        "C.1",
        "Table 13",
        "LSTM-P has results similar to those of LSTM",
        "on IMDB reviews, its four error rates are closer to those of SR-LSTM, and below them",
        rows(
            LSTM="29.23 32.77 29.96 33.19",
            LSTM_P="25.50 29.05 28.02 30.12",
            SR_LSTM="27.17 31.72 28.82 32.88",
        ),
        closer_to_lstm,
    ),
    Sentence(
        "wang2019state",
        "D",
        "Table 9",
        "SR-GRUs are trained if the GRU reaches a training accuracy of 100 %: on grammars 1 to 4 and 7",
        "SR-GRUs on all seven grammars, and the next sentence of D has the accuracy of those on 5 and 6",
        parts(text="1 2 3 4 7", table_9="1 2 3 4 5 6 7"),
        all_equal,
    ),
    Sentence(
        "wang2019state",
        "D",
        "Algorithm 1",
        "the first loop, over all x in the alphabet, initialises the counts T[(c_i, x_t, c_j)]",
        "the last loop reads T[(i, x, j)]; x_t and c_i are not defined in the first loop",
        parts(loop="i x j", key="c_i x_t c_j"),
        all_equal,
    ),
    Sentence(
        "wang2019state",
        "D",
        "Algorithm 1",
        "the inner loop computes the probabilities {p_j} of the token",
        "the next line reads p_i, as after the start token, and then sets j",
        parts(computed="p_j", read="p_i"),
        all_equal,
    ),
    Sentence(
        "wang2019state",
        "C.2",
        "Table 14",
        "the perplexity of SR-LSTMs does not reach that of the methods of the state of the art",
        "on the test set, 83.0 is below the 120.5 and 97.1 of two of them",
        rows(SR_LSTM="83.0", FOFE="120.5", gated="97.1", RM="80.1", attention="82.0", key_value="78.2"),
        lambda models: all(models["SR_LSTM"] > v for name, v in models.items() if name != "SR_LSTM"),
    ),
    Sentence(
        "wang2019state",
        "F.2",
        "Figure 13",
        "the section on sentiment analysis",
        "it shows balanced parentheses, with the caption of Figure 6; the text does not refer to it",
        parts(section="sentiment analysis", figure="balanced parentheses"),
        all_equal,
    ),
    Sentence(
        "wang2019state",
        "E",
        "Figures 9 and 10",
        '"the SR-LSTM and SR-LSTM" have k = 5 (Figure 9) and k = 10 (Figure 10), and do not overfit',
        "the second one is SR-LSTM-P",
        parts(figure_9="SR-LSTM SR-LSTM", figure_10="SR-LSTM SR-LSTM"),
        lambda named: all(len(set(names)) == len(names) for names in named.values()),
    ),
    Sentence(
        "wang2019state",
        "F.1",
        "Figure 12",
        "the networks whose hidden states Figure 12 shows have k = 5 centroids",
        "the caption says k = 10",
        parts(text="5", caption="10"),
        all_equal,
    ),
    Sentence(
        "wang2019state",
        "F.2",
        "Table 16",
        "Table 16 lists words for each of the 5 centroids of an SR-LSTM-P with k = 10",
        "10 centroids",
        parts(text="5", table="10"),
        all_equal,
    ),
    Sentence(
        "jiang2020cold",
        "4.3",
        "Table 4",
        "without training, RE-enhanced BiGRUs guess, but the matches improve those of +o and +io",
        "on SMS, +o has 50.75 and +io 68.30, below +i with 71.15; +o is also below +pr and +kd",
        rows(BiGRU_i="71.15", BiGRU_o="50.75", BiGRU_io="68.30", BiGRU_pr="65.95", BiGRU_kd="65.95"),
        above_guesses,
    ),
    Sentence(
        "jiang2020cold",
        "4.4",
        "Table 5",
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
    Sentence(
        "jiang2020cold",
        "4.4",
        "Table 5",
        "FA-RNNs outperform all other methods in the low-resource settings",
        "on SMS with 10 % of the data FA-RNN has 96.75, as have BiGRU+i and BiGRU+io, and BiFA-RNN has 96.7",
        rows(FA_RNN="96.75", BiGRU="95.95", BiGRU_i="96.75", BiGRU_io="96.75", BiGRU_pr="96.05"),
        above_all,
    ),
    Sentence(
        "jiang2020cold",
        "6",
        "Table 4",
        "on ATIS, the reconstructed rules have an accuracy of 87.45, 0.45 above the original rules",
        "the original rules have 87.01, and the difference is 0.44",
        rows(original="87.01", reconstructed="87.45", gain="0.45"),
        lambda models: models["reconstructed"][0] - models["original"][0] == models["gain"][0],
    ),
)
