"""Tests of the tables on the page "Trained networks and their automata"."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

EXTENSIONS = Path(__file__).parents[1] / "docs" / "_extensions"


@pytest.fixture
def page(monkeypatch):
    """Return the module that writes the tables."""
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    return importlib.import_module("ordinary_networks")


def _run(verdict: str, **fields: Any) -> dict[str, Any]:
    run: dict[str, Any] = {
        "language": "tomita4",
        "cell": "gru",
        "units": 16,
        "training": "ordinary",
        "seed": 0,
    }
    run |= {"verdict": verdict, "word": None, "right_to_11": True, "regions": None, "bounded": None}
    run |= {"seconds": 1.0, "check_seconds": None, "megabytes": None, "why": "", "oracle": None}
    return run | fields


def _oracle(has_difference: bool) -> dict[str, Any]:
    return {"found": has_difference, "queries": 10, "seconds": 1.0, "word": None}


def test_networks_that_were_not_measured_are_marked_as_such(page, tmp_path):
    assert page.pages(tmp_path) == {"claims/ordinary-figures.txt": "Not measured yet.\n"}


def test_the_headline_counts_networks_that_are_right_on_short_strings(page, tmp_path):
    runs = [
        _run("certified", regions=7, check_seconds=0.5, certificate_megabytes=0.1),
        _run("different", word=["0"] * 30 + ["1"] * 30, oracle=_oracle(False)),
        _run("different", word=["0"] * 12, oracle=_oracle(True)),
        _run("different", word=["0"], right_to_11=False),
        _run("unknown", bounded=17),
        _run("certified", training="hardened", regions=9, check_seconds=0.5, certificate_megabytes=0.1),
    ]
    (tmp_path / "bench" / "results").mkdir(parents=True)
    (tmp_path / "bench" / "results" / "ordinary.json").write_text(
        json.dumps({"networks": runs, "date": "2026-11-28", "cores": 2, "versions": "torch 2"})
    )
    text = page.pages(tmp_path)["claims/ordinary-figures.txt"]
    assert (
        "Of 4 ordinarily trained networks that are correct on every string of up to 11 symbols, 2 are" in text
    )
    assert "1 of them is certified for all strings, and 1 is unknown." in text
    assert "| GRU, ordinary | 5 | 4 | 1 | 3 | 1 | 7 | 1 |" in text
    assert "| GRU, `harden` | 1 | 1 | 1 | 0 | 0 | 9 | 1 |" in text
    strings = [line.split(" | ")[-2:] for line in text.splitlines() if line.startswith("| Tomita 4 | GRU")]
    assert strings == [["12", "`000000000000` |"], ["60", f"`{'0' * 20}…{'1' * 20}` |"]]
    assert "The extraction was tried on 2 networks with the verdict `different`." in text
    assert "missed the difference for **1**" in text
