"""Tests that formulas on the pages are recognised in the claims' plain text and can be shown as MathML."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from ratproof.evidence.ledger import recording
from ratproof.ladder.rungs.proved import prove
from ratproof.report.proof_text import paragraphs
from ratproof.report.quantifiers import scopes, weights
from theory.registry import claims

EXTENSIONS = Path(__file__).parents[1] / "docs" / "_extensions"


@pytest.fixture
def formulas(monkeypatch):
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    return importlib.import_module("formulas")


@pytest.mark.parametrize("module", ["formulas", "proof_formulas"])
def test_the_examples(formulas, module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0


PROVED = {
    "corollary-10-sru": "corrected",
    "cnn-max-pooled": "corrected",
    "sopa": "corrected-one-epsilon",
    "model-b": "corrected",
    "proposition-12": "corrected",
}


@pytest.mark.parametrize("claim", PROVED)
def test_the_proof_on_a_page_is_mathml(formulas, claim):
    tex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml").tex2mathml
    with recording() as book:
        prove(next(v for v in claims()[claim].variants if v.name == PROVED[claim]))
    proof = book.certificate
    result = {"claim": claim, "variant": PROVED[claim], "kind": "proved", "certificate": proof}
    verdicts = importlib.import_module("verdicts").Verdicts([result])
    claim_pages, page_text = map(importlib.import_module, ("claim_pages", "page_text"))
    claim_pages.use(verdicts)
    page = page_text.render("proofs", claim=claims()[claim])
    assert "```text" not in page
    written = re.findall(r"\{math\}(?:`([^`]+)`|\s+([^`]+?)\s+```)", page)
    assert len(written) >= sum(len(lines) for says, lines in paragraphs(proof) if lines)
    assert all(tex2mathml((inline or block).strip()).startswith("<math") for inline, block in written)


@pytest.mark.parametrize("line", ["c = [", "step: c = 1 2)", "c & d", "unit 0: Sum(c, i) = c", "= c"])
def test_a_malformed_formula_of_a_proof_is_refused(formulas, line):
    with pytest.raises(ValueError, match="of a proof"):
        importlib.import_module("proof_formulas").markdown(line)


def test_an_apostrophe_is_not_a_prime(formulas):
    assert formulas.in_latex("appendix B's z_0 = 0") == ["appendix B's ", "z_{0}=0", ""]
    assert formulas.in_latex("where c'_t = 0")[1] == "c'_{t}=0"


def test_every_formula_of_the_claims_is_mathml(formulas):
    tex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml").tex2mathml
    for claim in claims().values():
        stated = [text for v in claim.variants for text in (v.says, weights(v), *scopes(claim, v).values())]
        for text in (claim.title, claim.statement, *claim.hypotheses, *claim.differences, *stated):
            for formula in formulas.in_latex(text)[1::2]:
                assert tex2mathml(formula.strip()).startswith("<math")


def test_prose_is_not_a_formula(formulas):
    for text in ("a DFA, at most 3 of them", "the i-th unit (in the paper: a nonempty one)", "I am a", ""):
        assert formulas.in_latex(text) == [text]
