"""The conclusions of the three papers, each with a verdict that is computed from our results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from training.classification_with_rules.settings import ENHANCED, PLAIN
from training.classification_with_rules.tables import Cells, cell_of, cells
from training.groups import RunGroup, groups_of
from training.language_recognition.tables import rows_of as recognition_rows
from training.scoreboard import preference, significant_sign, smaller_than_paper
from training.state_regularized.tables import is_learned
from training.tables import ResultRow

Pair = tuple[Sequence[float], Sequence[float]]
"""The results of a model that a paper prefers, and those of another model, per seed. Larger is better."""
SETS = {"atis": "ATIS", "qc": "QC", "sms": "SMS"}
SMALLER = " (smaller runs)"
PENG, WANG, JIANG = "Peng et al. 2018", "Wang & Niepert 2019", "Jiang et al. 2020"
NOT_RUN = "not run"


@dataclass(frozen=True)
class Conclusion:
    """A conclusion of a paper.

    Attributes:
        paper, section: the paper and the section.
        says: the paraphrased conclusion.
        verdict: ``confirmed``, ``confirmed in part``, ``mixed`` if other results contradict it, ``not
            confirmed``, ``contradicted``, ``not shown`` or ``not run``.
        evidence: a sentence about ratproof's results.
    """

    paper: str
    section: str
    says: str
    verdict: str
    evidence: str


def conclusions(
    kept: Sequence[dict[str, Any]], texts: Mapping[str, Mapping[str, ResultRow]]
) -> list[Conclusion]:
    """Return the conclusions of the papers.

    Args:
        kept: the results of all experiments.
        texts: the table rows for text classification, keyed by data set and model. Their settings come from
            the search on SST-2.
    """
    return [*_peng(kept, texts), *_wang(kept), *_jiang(cells(kept))]


def compared(pairs: Mapping[str, Pair], is_enough: int = 1) -> tuple[str, str]:
    """Return the verdict on the conclusion that one model is better than others, and an explanation.

    Args:
        pairs: the results of the model and of another one, keyed by the name of the comparison.
        is_enough: 1 if the model must be clearly better, or 0 if it must not be clearly worse.
    """
    if not pairs:
        return NOT_RUN, "There is no result."
    by_sign: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for name, (one, other) in pairs.items():
        by_sign[significant_sign(one, other)].append(name)
    holds = sum(len(names) for sign, names in by_sign.items() if sign >= is_enough)
    verdict = "contradicted" if by_sign[-1] else "not confirmed"
    if holds:
        verdict = "confirmed" if holds == len(pairs) else "mixed" if by_sign[-1] else "confirmed in part"
    words = {1: "clearly better in", 0: "without a clear difference in", -1: "clearly worse in"}
    parts = [
        f"{words[sign]} {len(names)} of {len(pairs)}" + (f" ({', '.join(names)})" if len(names) < 10 else "")
        for sign, names in by_sign.items()
        if names
    ]
    return verdict, f"It is {'; '.join(parts)}."


def _peng(kept: Sequence[dict[str, Any]], texts: Mapping[str, Mapping[str, ResultRow]]) -> list[Conclusion]:
    titles = {"sst2": "SST-2", "subj": "subj", "cr": "CR"}

    def pairs(model: str, others: Sequence[str]) -> dict[str, Pair]:
        return {
            f"{titles[name]}: {other}": (rows[model].accuracies, rows[other].accuracies)
            for name, rows in texts.items()
            for other in others
            if model in rows and other in rows
        }

    best = pairs("rrnn-f", ("lstm", "rrnn-b", "rrnn-c", "rrnn-b-max-plus"))
    full = [run for run in kept if run["experiment"] == "ptb" and run["paper"]]
    language = (NOT_RUN, "No model of 10 or 24 million parameters was trained to its end here.")
    if full:
        language = ("open", f"There are {len(full)} runs at the paper's size; see the figures above.")
    return [
        Conclusion(PENG, "6.2", "RRNN(F) has the lowest perplexity in both budgets.", *language),
        Conclusion(PENG, "6.3", "RRNN(F) outperforms all other models on SST, subj and CR.", *compared(best)),
        Conclusion(
            PENG,
            "6.3",
            "RRNN(B) over the real semiring outperforms RRNN(B) over max-plus.",
            *compared(pairs("rrnn-b", ("rrnn-b-max-plus",))),
        ),
    ]


def _wang(kept: Sequence[dict[str, Any]]) -> list[Conclusion]:
    says = "State-regularized LSTMs extrapolate better than LSTMs on balanced parentheses."
    errors = _errors(kept, "parentheses", "d 20, l 1000")
    rows = [
        Conclusion(WANG, "4.2", says, *compared(errors)),
        Conclusion(
            WANG,
            "4.2",
            "State-regularized LSTMs generalise better than LSTMs on palindromes.",
            *compared(_errors(kept, "palindromes", "l 500")),
        ),
    ]
    measured = {"imdb": "test_200_accuracy", "mnist": "test_accuracy"}
    for name, says in (
        ("imdb", "On IMDB, models trained on 10 words extrapolate better with state regularisation."),
        ("mnist", "On MNIST, the SR-LSTM-P is better than the LSTM."),
    ):
        groups = [
            group
            for group in groups_of(run for run in kept if run["experiment"] == name)
            if all(measured[name] in run["metrics"] for run in group.runs)
        ]
        pairs = _compared_with_lstm(groups, measured[name])
        verdict, evidence = compared({title: values for title, (values, _) in pairs.items()})
        smaller = any(smaller for _, smaller in pairs.values())
        rows.append(Conclusion(WANG, "4.3", says, verdict + SMALLER * smaller, evidence))
    wikipedia = (NOT_RUN, "The data were not available.")
    says = "On Wikipedia, state-regularized LSTMs have a lower perplexity."
    return [*_learned(kept), *rows, Conclusion(WANG, "C.2", says, *wikipedia)]


def _learned(kept: Sequence[dict[str, Any]]) -> list[Conclusion]:
    """Return the conclusions about learning the Tomita grammars."""
    runs = [run for run in kept if is_learned(run) and run["experiment"] == "tomita"]
    printed = [run for run in runs if run["recipe"] == "paper" and run["language"][-1] in "12347"]
    grammars = sorted({run["language"] for run in printed if run["exact"]})
    exact, ours = sum(run["exact"] for run in printed), [run for run in runs if run["recipe"] == "ours"]
    recovered = NOT_RUN
    if printed:
        recovered = "confirmed" if exact == len(printed) else "confirmed in part" if exact else "contradicted"
    used = [
        (run["language"], len(run["automaton"]["centroids"]), run["states"])
        for run in ours
        if run.get("automaton")
    ]
    least = sum(states == minimal for _, states, minimal in used)
    minimal = NOT_RUN
    if used:
        minimal = "confirmed" if least == len(used) else "contradicted"
    shown = {name[-1]: f"{states} against {most}" for name, states, most in reversed(used)}
    states = ", ".join(f"{grammar}: {text}" for grammar, text in sorted(shown.items()))
    return [
        Conclusion(
            WANG,
            "4.1",
            "The minimal DFA of grammars 1 to 4 and 7 is recovered in all cases.",
            recovered,
            f"With the paper's recipe, {exact} of {len(printed)} runs on these grammars are exact, and"
            f" {len(grammars)} of 5 grammars are recovered at least once. With ours,"
            f" {sum(run['exact'] for run in ours)} of {len(ours)} runs on all seven grammars are exact.",
        ),
        Conclusion(
            WANG,
            "4.1",
            "The SR-GRU uses only the minimal number of states.",
            minimal,
            f"With our recipe, {least} of {len(used)} networks do. States of the first network, and the"
            f" minimal number, by grammar: {states}.",
        ),
    ]


def _errors(kept: Sequence[dict[str, Any]], experiment: str, column: str) -> dict[str, Pair]:
    """Return the accuracies of state-regularized models paired with those of LSTMs.

    The keys name the model, the training method and the data set.
    """
    rows = [
        row
        for row in recognition_rows([run for run in kept if run["experiment"] == experiment])
        if row.method in ("ours", "the paper's") and row.centroids in (None, 5)
    ]
    plain = {(row.size, row.method, row.settings.get("finish")): row for row in rows if row.model == "lstm"}
    pairs = {}
    for row in rows:
        other = plain.get((row.size, row.method, row.settings.get("finish")))
        if row.model in ("sr-lstm", "sr-lstm-p") and other is not None:
            size = f" on the {row.size} set" if experiment == "parentheses" else ""
            method = "our method" if row.method == "ours" else "the paper's method"
            one, two = ([1 - error for error in each.errors[column]] for each in (row, other))
            pairs[f"{row.model} by {method}{size}"] = one, two
    return pairs


def _compared_with_lstm(groups: Sequence[RunGroup], metric: str) -> dict[str, tuple[Pair, bool]]:
    """Return the values of each pair of models, and whether one of them is smaller than the paper's."""

    def values(group: RunGroup) -> list[float]:
        return [run["metrics"][metric] for run in group.runs]

    ranked = sorted(groups, key=preference)
    orders = dict.fromkeys(group.settings.get("order", "") for group in groups)
    pairs = {}
    for order in orders:
        own = {group.model: group for group in ranked if group.settings.get("order", "") == order}
        models = ("sr-lstm-p",) if order else ("sr-lstm", "sr-lstm-p")
        for model in models:
            if model in own and "lstm" in own:
                smaller = any(smaller_than_paper(own[name]) for name in (model, "lstm"))
                pair = values(own[model]), values(own["lstm"])
                pairs[f"{order} order" if order else model] = pair, smaller
    return pairs


def _jiang(every: Cells) -> list[Conclusion]:
    def pairs(others: Sequence[str], share: float) -> dict[str, Pair]:
        return {
            f"{title}: {other}": (one.metric("test_accuracy"), two.metric("test_accuracy"))
            for name, title in SETS.items()
            for other in others
            if (one := cell_of(every, name, "fa-rnn", share)) is not None
            and (two := cell_of(every, name, other, share)) is not None
        }

    def variants(which: str) -> dict[str, Pair]:
        return {
            title: (one.metric("test_accuracy"), two.metric("test_accuracy"))
            for name, title in SETS.items()
            if (one := cell_of(every, name, "fa-rnn", 1.0)) is not None
            and (two := cell_of(every, name, "fa-rnn", 1.0, which)) is not None
        }

    constant = [title for title, (_, values) in variants("V-Rand").items() if len(set(values)) == 1]
    random, evidence = compared(variants("F-Rand"))
    if constant:
        random = "not shown"
        evidence += (
            f" But the random networks are not a fair comparison: on {' and '.join(constant)}, V-Rand has the"
            " same accuracy with every seed, because it predicts only the most frequent label."
        )
    all_others = PLAIN + ENHANCED
    rows = [
        ("4.3", "Without training, the FA-RNN is much better than BiGRUs with rules.", ENHANCED, 0.0),
        (
            "4.4",
            "With 1 % of the sentences, the FA-RNN outperforms all other methods.",
            PLAIN + ENHANCED,
            0.01,
        ),
        ("4.4", "With 10 % of the sentences, the FA-RNN outperforms all others.", all_others, 0.1),
        ("4.4", "With all sentences, it is better than RNN, DAN and CNN.", ("rnn", "dan", "cnn"), 1.0),
    ]
    as_good = compared(pairs(("bilstm", "bigru"), 1.0), 0)
    ablations = [
        ("Forward scores are better than Viterbi scores.", "V", 1),
        ("The decomposed tensor is better than the whole one.", "F-O", 1),
        ("Pretrained word vectors are better than random ones.", "F-Rand E_w", 1),
        ("Fixed features of the words are as good as trained ones.", "Train E_R", 0),
    ]
    return [
        *(Conclusion(JIANG, part, says, *compared(pairs(others, at))) for part, says, others, at in rows),
        Conclusion(JIANG, "4.4", "With all sentences, it is as good as BiLSTM and BiGRU.", *as_good),
        *(
            Conclusion(JIANG, "5", says, *compared(variants(which), enough))
            for says, which, enough in ablations
        ),
        Conclusion(JIANG, "5", "Rules are better initial weights than random ones.", random, evidence),
    ]
