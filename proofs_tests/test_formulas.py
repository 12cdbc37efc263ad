"""The formulas on the pages: recognised in the claims' plain text, and such as MathML can show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from theory.registry import claims

EXTENSIONS = Path(__file__).parents[1] / "docs" / "_extensions"


@pytest.fixture
def formulas(monkeypatch):
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    return importlib.import_module("formulas")


def test_the_examples(formulas):
    assert doctest.testmod(formulas).failed == 0


def test_every_formula_of_the_claims_is_mathml(formulas):
    tex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml").tex2mathml
    for claim in claims().values():
        for text in (claim.title, claim.statement, *claim.hypotheses, *(v.says for v in claim.variants)):
            for formula in formulas.in_latex(text)[1::2]:
                assert tex2mathml(formula.strip()).startswith("<math")


def test_prose_is_no_formula(formulas):
    for text in ("a DFA, at most 3 of them", "the i-th unit (in the paper: a nonempty one)", "I am a", ""):
        assert formulas.in_latex(text) == [text]
