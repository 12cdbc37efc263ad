"""Tests of the scoreboard: its figures are those of the papers and of the results, with correct verdicts."""

import copy
from dataclasses import asdict
from statistics import mean
from typing import Any

import pytest
from scipy import stats

from training.classification_with_rules.paper import RULES, SETS, TABLE_5
from training.engine.results import results_in, size_of
from training.experiment_list import record_of
from training.experiments import settings_for
from training.groups import groups_of
from training.language_recognition.paper import TABLE_11
from training.results_command import KEPT
from training.reviews.settings import TABLE_13
from training.scoreboard import _as_error, interval, scoreboard, significant_sign, smaller_than_paper

Result = dict[str, Any]


@pytest.fixture(scope="module")
def kept():
    return results_in(KEPT)


@pytest.fixture(scope="module")
def board(kept):
    return scoreboard(kept)


def runs(*accuracies: float, printed: float = 0.5, **configuration: Any) -> list[Result]:
    """Return runs on CR with these test accuracies, keyed by seed, and a printed accuracy."""
    return [
        {
            "experiment": "cr",
            "model": "lstm",
            "seed": seed,
            "metrics": {"test_accuracy": accuracy, "dev_accuracy": 0.5},
            "paper": {"test_accuracy": printed, "source": "Peng et al. 2018, Table 5"},
            "configuration": {"seed": seed, "model": "lstm", **configuration},
            "data": {"vectors": None},
        }
        for seed, accuracy in enumerate(accuracies)
    ]


@pytest.mark.parametrize(
    ("accuracies", "verdict"),
    [
        ((0.6, 0.61, 0.62), "beaten"),
        ((0.48, 0.52, 0.56), "reached"),
        ((0.44, 0.48, 0.52), "reached"),  # the interval contains the figure
        ((0.4, 0.41, 0.42), "short by 9.0"),
        ((0.6,), "reached"),
        ((0.4,), "short by 10.0"),
        ((0.6, 0.6), "beaten"),
    ],
)
def test_the_verdict_follows_from_the_interval(accuracies, verdict):
    (one,) = scoreboard(runs(*accuracies))
    assert one.verdict == verdict and one.values == pytest.approx([100 * value for value in accuracies])


def palindromes(*errors: float, printed: float = 0.3, **configuration: Any) -> list[Result]:
    """Return runs on palindromes with these test errors, keyed by seed, and a printed error."""
    paper = {"errors": {"l 500": printed}, "source": "Wang & Niepert 2019, Table 11"}
    return [
        run | {"experiment": "palindromes", "metrics": {"test_error l 500": error}, "paper": paper}
        for run, error in zip(runs(*errors, **configuration), errors, strict=True)
    ]


@pytest.mark.parametrize(("printed", "verdict"), [(0.3, "beaten"), (0.1, "short by 11.0")])
def test_for_errors_smaller_figures_are_better(printed, verdict):
    (one,) = scoreboard(palindromes(0.2, 0.21, 0.22, printed=printed))
    assert one.verdict == verdict and one.figure == "test error in %, l 500"


def test_a_seed_that_stands_twice_counts_once():
    again = copy.deepcopy(runs(0.6, 0.7))
    again[0]["seconds"] = 3.0
    (one,) = scoreboard([*runs(0.6, 0.7), *again])
    assert len(one.values) == 2


def test_of_several_recipes_the_one_that_is_best_on_dev_counts():
    better = runs(0.3, 0.31, hidden=7)
    for run in better:
        run["metrics"]["dev_accuracy"] = 0.6
    (one,) = scoreboard([*runs(0.9, 0.91), *better])  # a higher test accuracy does not matter
    assert one.values == pytest.approx((30, 31))


def test_smaller_runs_are_not_comparable(board):
    smaller = [one for one in board if one.smaller]
    assert {one.experiment for one in smaller} == {"mnist", "fashion-mnist", "imdb"}
    assert {one.verdict for one in smaller} == {"not comparable"}
    assert "side 14 instead of 28" in next(one.smaller for one in smaller if one.experiment == "mnist")
    assert not any(one.smaller for one in board if one.experiment in (*SETS, "cr", "palindromes"))


def test_the_board_has_the_papers_figures(board):
    printed = {(one.experiment, one.model, one.metric, round(one.printed, 4)) for one in board}
    for at, name in enumerate(SETS):
        assert (name, "rules", "rules_test_accuracy", RULES[at]) in printed
        for model, figures in TABLE_5.items():
            for figure in figures[3 * at : 3 * at + 3]:
                assert (name, model, "test_accuracy", figure) in printed
    for model, shares in TABLE_11.items():
        for length, share in zip((100, 200, 500), shares, strict=True):
            assert ("palindromes", model, f"test_error l {length}", round(100 * share, 4)) in printed
    errors = {one.metric: one for one in board if one.experiment == "imdb" and one.model == "sr-lstm-p"}
    # the smaller models, with GloVe's vectors, are better on the dev set
    assert errors["test_200_accuracy"].group.settings["hidden"] == 256
    assert not errors["test_200_accuracy"].smaller
    assert errors["test_200_accuracy"].printed == TABLE_13["sr-lstm-p"]["test"][200]
    assert errors["test_200_accuracy"].figure == "test error in %, 200 words"
    runs_of_it = errors["test_200_accuracy"].group.runs
    wrong = [100 - 100 * run["metrics"]["test_200_accuracy"] for run in runs_of_it]
    assert errors["test_200_accuracy"].values == pytest.approx(wrong)


def test_the_values_are_those_of_the_results(kept, board):
    one = next(one for one in board if (one.experiment, one.model) == ("subj", "lstm"))
    own = [
        100 * run["metrics"]["test_accuracy"]
        for run in kept
        if (run["experiment"], run["model"]) == ("subj", "lstm") and "test_accuracy" in run["metrics"]
    ]
    assert sorted(one.values) == pytest.approx(sorted(own)) and one.mean == pytest.approx(mean(own))
    low, high = stats.t.interval(0.95, len(own) - 1, loc=mean(own), scale=stats.sem(own))
    assert one.interval == pytest.approx((low, high)) and interval(own[:1]) is None


@pytest.mark.parametrize(
    ("one", "other", "sign"),
    [
        ((1.0, 1.1, 1.2), (2.0, 2.2, 2.1), -1),
        ((2.0, 2.2, 2.1), (1.0, 1.1, 1.2), 1),
        ((1.0, 1.1, 1.2), (1.1, 1.2, 1.3), 0),
        ((1.0, 1.0), (2.0, 2.0), -1),
        ((1.0,), (2.0, 2.1), 0),
        ((1.0, 1.0), (1.0, 1.0), 0),
    ],
)
def test_differences_larger_than_chance_are_those_of_welchs_test(one, other, sign):
    assert significant_sign(one, other) == sign
    if min(len(set(one)), len(set(other))) > 1:
        assert bool(stats.ttest_ind(one, other, equal_var=False).pvalue < 0.05) is (sign != 0)


def test_rows_of_a_table_that_print_the_same_figure_are_both_on_the_board(board):
    """Jiang et al. print 97.00 for SMS with random weights, and with random vectors."""
    table = [one for one in board if one.experiment == "sms" and "Table 6" in one.source]
    rows = [one for one in table if one.printed == 97]
    assert len({one.row for one in rows}) == len(rows) == 2


def test_an_error_that_equals_the_papers_is_reached():
    assert _as_error(0.7004) == 29.96 and _as_error(0.7283) == 27.17


@pytest.mark.parametrize(("part", "size"), [("train", 3), ("dev", 4), ("test", 2)])
def test_runs_on_fewer_sentences_than_published_are_not_comparable(part: str, size: int) -> None:
    """Such runs were made with --any-size."""
    full = {"train": 3019, "dev": 378, "test": 378}
    sizes = {"all": full, "few": full | {part: size}}
    few, every = (
        [
            run | {"data": {name: {"sentences": n} for name, n in sizes[which].items()}}
            for run in runs(0.6, 0.6)
        ]
        for which in ("few", "all")
    )
    (one,) = scoreboard(few)
    assert (one.verdict, one.smaller) == ("not comparable", f"{part} set of {size} instead of {full[part]:,}")
    assert [one.verdict for one in scoreboard(every)] == ["beaten"]
    (one,) = scoreboard([*few, *every])
    assert one.verdict == "beaten"


@pytest.mark.parametrize(("strings", "verdict"), [(2, "not comparable"), (2000, "beaten"), (5000, "beaten")])
def test_runs_on_fewer_test_strings_are_not_comparable(strings: int, verdict: str) -> None:
    settings = asdict(settings_for("palindromes", "ours", {"test_strings": strings}, "test"))
    own = {name: value for name, value in settings.items() if name not in ("seed", "model")}
    assert [one.verdict for one in scoreboard(palindromes(0, 0, **own))] == [verdict]


def test_the_stored_results_have_the_published_sizes(kept: list[Result]) -> None:
    for result in kept:
        record = record_of(result["experiment"], result["model"])
        for part, size in ({} if record is None else record.sizes).items():
            if result["experiment"] != "wikipedia" and part in result["data"]:
                assert size_of(result["data"][part]) == size, (result["experiment"], part)


def test_a_small_model_of_wikipedia_is_not_comparable() -> None:
    settings = asdict(settings_for("wikipedia", "small", {"model": "lstm"}, "test"))
    (group,) = groups_of([{**run, "experiment": "wikipedia", "configuration": settings} for run in runs(0.5)])
    assert smaller_than_paper(group).startswith("hidden 64 instead of 300")
