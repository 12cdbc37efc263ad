"""Tests of the pages about the experiments of State-Regularized RNNs: the paper's tables, and actual runs."""

import copy
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from training.engine.results import results_in
from training.language_recognition.paper import TABLE_1, TABLE_2, TABLE_11
from training.language_recognition.tables import FIRST, method_of
from training.scoreboard import scoreboard

ROOT = Path(__file__).parents[1]
EXTENSIONS = ROOT / "docs" / "_extensions"
KEPT = ROOT / "training" / "results"


@pytest.fixture
def pages(monkeypatch):
    """Return the page of an experiment and its pictures, for the results of some runs."""
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    for module in ("pictures", "comparison_plots"):
        monkeypatch.setattr(importlib.import_module(module), "plotted", unsaved)
    return importlib.import_module("experiment_pages").page_of


def unsaved(draw, rows, columns, *sizes):
    """Draw on panels as ``plotted`` does, but do not render them, which takes most of the time."""
    draw(Figure(layout="constrained").subplots(rows, columns, squeeze=False))
    return "<svg/>"


@pytest.fixture(scope="module")
def parentheses():
    return [run for run in results_in(KEPT / "memory") if run["experiment"] == "parentheses"]


@pytest.fixture(scope="module")
def memory(parentheses):
    """Return the runs of our method on the large set of parentheses."""
    return [
        run for run in parentheses if run["configuration"]["size"] == "large" and method_of(run) == "ours"
    ]


def _lines(page: str, title: str) -> list[list[str]]:
    """Return the cells of the first table below a title, without its header."""
    rows = [
        line for line in page.split(f"## {title}\n", 1)[1].split("\n## ")[0].split("\n") if line[:2] == "| "
    ]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]


def test_experiments_that_did_not_run_are_marked_as_such(pages):
    files = pages("parentheses", []) | pages("palindromes", [])
    assert set(files) == {"parentheses.md", "palindromes.md"}
    table_1 = _lines(files["parentheses.md"], "Tables 1 and 12: the large set")
    expected = [["LSTM", "ours", "not run"], ["LSTM", "the paper's", "not run"]]
    assert [row[:3] for row in table_1[:2]] == expected
    assert {row[0] for row in table_1} == {"LSTM", "LSTM-P", "SR-LSTM", "SR-LSTM-P"}
    assert table_1[0][3:9] == [f"{100 * share:.1f} / ·" for share in TABLE_1["large", "lstm"]]
    table_2 = _lines(files["parentheses.md"], "Table 2: numbers of centroids")
    assert [row[0] for row in table_2 if row[1] == "ours"] == [
        f"SR-LSTM-P, k = {k}" for k in (2, 5, 10, 50, 100)
    ]
    assert table_2[0][3:9] == [f"{100 * share:.1f} / ·" for share in TABLE_2[2]]
    table_11 = _lines(files["palindromes.md"], "Tables 3 and 11")
    assert {row[0]: row[3] for row in table_11}["LSTM-P"] == f"{100 * TABLE_11['lstm-p'][0]:.1f} / ·"


def test_results_are_shown_with_their_seeds_and_time(pages, memory):
    files = pages("parentheses", memory)
    own = [run for run in memory if run["model"] == "lstm-p"]
    (row,) = [
        row
        for row in _lines(files["parentheses.md"], "Tables 1 and 12: the large set")
        if row[:2] == ["LSTM-P", "ours"]
    ]
    error = sum(run["metrics"]["test_error d 20, l 1000"] for run in own) / len(own)
    assert row[2] == (f"{len(own)} of 5" if len(own) < 5 else "5") and row[8] == f"49.6 / {100 * error:.2f}"
    assert row[-1] == f"{sum(run['seconds'] for run in own) / len(own):.0f}"
    for picture in ("curves-large", "errors", "reach", "states-ours", "centroids-ours"):
        assert files[f"parentheses-{picture}.svg"] == "<svg/>"
        assert f"```{{image}} parentheses-{picture}.svg" in files["parentheses.md"]
    assert "The small set (Figure 9, right): not run." in files["parentheses.md"]


def test_the_initial_version_of_our_method_has_its_own_table(pages, parentheses):
    page = pages("parentheses", parentheses)["parentheses.md"]
    rows = _lines(page, "The first recipe")
    first = [run for run in parentheses if method_of(run).startswith(FIRST)]
    assert first and sum(int(row[3].split(" of ")[0]) for row in rows) == len(first)
    for title in ("Tables 1 and 12: the large set", "Table 1: the small set", "Each seed"):
        assert {row[1] for row in _lines(page, title)} == {"ours", "the paper's"}


@pytest.mark.parametrize(
    ("experiment", "one_letter", "exchanged", "language"),
    [
        (
            "palindromes",
            0.004,
            0.996,
            "random strings and one letter: sums of letters with alternating signs",
        ),
        (
            "exchanges",
            0.01,
            0.01,
            "random strings, one letter and exchanged: palindromes, as far as these kinds of strings show",
        ),
        # As in SR-LSTM by the paper's method, sums would reveal a changed letter.
        ("palindromes", 0.538, 0.954, "random strings and one letter: neither palindromes nor sums"),
        ("palindromes", 0.25, 0.3, "random strings and one letter: neither palindromes nor sums"),
    ],
)
def test_the_page_states_which_language_was_learned(
    pages, memory, experiment, one_letter, exchanged, language
):
    run = copy.deepcopy(memory[0]) | {"experiment": experiment, "paper": None}
    run["metrics"] = {
        f"test_error l {n}{x}": exchanged / 2 if x else one_letter / 4
        for x in ("", ", exchanged")
        for n in (100, 200, 500)
    }
    kinds = {"palindrome": 0.0, "random": 0.002, "one letter": one_letter}
    run["errors"] = {f"l {n}": kinds for n in (100, 200, 500)}
    run["errors"] |= {f"l {n}, exchanged": {"exchanged": exchanged} for n in (100, 200, 500)}
    page = pages("palindromes", [run])["palindromes.md"]
    (summary,) = [line for line in page.splitlines() if line.startswith("- LSTM")]
    assert language in summary
    (row,) = _lines(page, "Kinds of strings")
    assert row[4:] == ["0.00", "0.20", *(f"{100 * share:.2f}" for share in (one_letter, exchanged))]


def test_the_certified_claim_is_printed(pages, memory):
    theorem = {"proved": True, "height": 20, "length": 1000, "boxes": 652, "why": None}
    why = {"why": "they grow", "word": ["(", "(", ")"]}
    open_one = {"proved": False, "height": 50, "length": None, "boxes": None} | why
    run = copy.deepcopy(memory[0]) | {
        "certified": {
            "verdict": "different",
            "word": ["(", *"lllll", ")", ")"],
            "soft": theorem,
            "saturated": open_one,
            "seconds": 7.2,
            "checked": True,
        }
    }
    (row,) = _lines(pages("parentheses", [run])["parentheses.md"], "Certified networks")
    assert row[4:] == ["proved, 652 boxes", "not proved: they grow; wrong on `( ( )`", "`( l^5 ) )`", "7"]


def test_runs_on_all_images_have_a_table_of_their_own(pages):
    page = pages("mnist", results_in(KEPT / "sequences"))["mnist.md"]
    for title, seeds in (("In the normal order", 3), ("With all training images", 2)):
        rows = {row[0]: row for row in _lines(page, title)}
        assert [len(rows[model][4].split()) for model in ("LSTM", "SR-LSTM-P")] == [seeds, seeds]


@pytest.mark.parametrize(
    "name", ["sst2", "ptb", "qc", "mnist", "fashion-mnist", "imdb", "wikipedia", "tomita"]
)
def test_every_experiment_of_the_papers_has_a_page(pages, name):
    page = pages(name, [])[f"{name}.md"]
    assert re.search(r"\| not run \||Not run yet|There are no results", page)
    assert name != "tomita" or "No run has saved its automaton." in page


@pytest.mark.usefixtures("pages")
def test_the_scoreboard_has_each_figure_and_each_conclusion():
    results = results_in(KEPT)
    files = importlib.import_module("experiment_pages")._scoreboard(results)
    scoreboard_page, figures = files.pop("scoreboard.md"), scoreboard(results)
    assert len(files) == 3 and all(f"{{image}} {picture}" in scoreboard_page for picture in files)
    lines = [line for line in scoreboard_page.splitlines() if line.endswith((" |", "|"))]
    cells = [line.removesuffix(" |").split(" | ") for line in lines]
    verdicts = Counter(row[-1].split(" by")[0] for row in cells if len(row) == 10)
    for verdict, count in Counter(one.verdict.split(" by")[0] for one in figures).items():
        assert verdicts[verdict] == count, verdict
    for section, words, verdict in (
        ("6.2", "lowest perplexity in both budgets", "not run"),
        ("6.3", "RRNN(F) outperforms all other models", "confirmed in part"),
        ("4.1", "only the minimal number of states", "contradicted"),
        ("4.2", "on palindromes", "mixed"),
        ("4.3", "On MNIST", "contradicted (smaller runs)"),
        ("5", "better initial weights than random ones", "not shown"),
    ):
        (line,) = (line for line in lines if line.startswith(f"| {section} |") and words in line)
        assert f"| {verdict} |" in line
    assert "1: 4 against 2, 2: 5 against 3, 3: 7 against 5, 4: 4 against 4, 5: 7 against 4" in scoreboard_page


@pytest.mark.parametrize(
    ("pairs", "verdict"),
    [
        ({"a": ((2, 2), (1, 1)), "b": ((3, 3), (1, 1))}, "confirmed"),
        ({"a": ((2, 2), (1, 1)), "b": ((1, 1), (1, 1))}, "confirmed in part"),
        ({"a": ((2, 2), (1, 1)), "b": ((1, 1), (2, 2))}, "mixed"),
        ({"b": ((1, 1), (2, 2))}, "contradicted"),
        ({"b": ((1, 1), (1, 1))}, "not confirmed"),
        ({}, "not run"),
    ],
)
def test_the_verdict_of_a_conclusion_counts_its_comparisons(pairs, verdict, monkeypatch):
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    compared = importlib.import_module("conclusions").compared
    assert compared(pairs)[0] == verdict
    if verdict == "not confirmed":
        assert compared(pairs, is_enough=0)[0] == "confirmed"


def test_grammars_are_drawn_with_their_minimal_automata(pages):
    files = pages("tomita", results_in(KEPT / "languages"))
    for number in range(1, 8):
        for what in ("extracted", "least", "over-time"):
            assert f"tomita-{number}-{what}.svg" in files


def test_a_model_has_one_colour_and_the_papers_method_is_dashed(monkeypatch):
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    names = [f"{model}, {method}" for method in ("ours", "the paper's") for model in ("A", "B", "C", "D")]
    drawn = importlib.import_module("pictures").errors({n: [[0.1, 0.2]] for n in names}, ["a", "b"])
    lines = re.findall(r"stroke-dasharray[^;]*;[^\"]*stroke: (#\w+)|stroke: (#\w+); stroke-width: 1.4", drawn)
    dashed, plain = ({one[i] for one in lines if one[i]} for i in (0, 1))
    assert len(dashed) == len(plain) == 4 and dashed == plain
