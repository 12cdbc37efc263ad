"""Tests of the requirements on every claim."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from proofs_tests.automata.examples import few
from ratproof.evidence.kinds import KINDS
from theory.claim import LADDER, PROVED, holding
from theory.papers import PAPERS
from theory.rational_recurrences.proposition_7 import ANYWHERE, two_states
from theory.registry import claim_named, claims
from theory.without import missing

SECTION_UNKNOWN = {
    "affine-errors",
    "bounded-dyck",
    "comba",
    "counting",
    "delta-product-permutations",
    "gated-delta-net-2",
    "gated-delta-product",
    "heaviside-elman",
    "hgrn",
    "hgrn2",
    "householder-products",
    "illusion-of-state",
    "longhorn",
    "mamba-3",
    "min-gru",
    "min-lstm",
    "momentum-delta-net",
    "negative-eigenvalues",
    "nonnegative-gates",
    "omlin-giles",
    "pd-ssm",
    "pd-ssm-emulation",
    "s4d",
    "saturated-lstm",
    "second-order-rnn",
}
"""Claims of papers whose section numbers could not be looked up."""
each = pytest.mark.parametrize("claim", claims().values(), ids=lambda c: c.name)


@each
def test_it_has_a_statement_and_a_source(claim):
    assert claim.statement.endswith(".") and claim.source.statement
    assert claim.source.section or claim.name in SECTION_UNKNOWN
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9.]+)*", claim.name)
    assert all(name in claims() for name in claim.uses)


@each
def test_one_variant_holds_and_names_follow_the_convention(claim):
    names = [v.name for v in claim.variants]
    assert len(names) == len(set(names))
    assert "corrected" in names and claim.variant("corrected").expected == "holds"
    for variant in claim.variants:
        assert variant.name == "corrected" or variant.name.startswith(("corrected-", "printed", "without-"))
        assert variant.expected == ("holds" if variant.name.startswith("corrected") else "refuted")
        assert ("proved" in variant.kinds) == (variant.proof is not None)
        assert set(variant.kinds) <= set(KINDS) and variant.says


@each
@few
@given(st.data())
def test_cases_are_written_and_read_back(claim, data):
    variant = data.draw(st.sampled_from(claim.variants))
    case = data.draw(variant.cases("abc")).renamed({"b": "a", "a": "b"})
    back = claim.case.from_json(json.loads(json.dumps(case.to_json())))
    assert back == case and back.alphabet == "ab"


@each
def test_small_cases_begin_with_the_simplest(claim):
    for variant in claim.variants:
        first = next(variant.small_cases(1))
        assert first.alphabet == "a"
        assert all(a.alphabet == ("a",) for a in variant.reading.construction(first))


def test_small_cases_and_the_kind_of_a_proof_follow_from_other_fields():
    parts = {"name": "corrected", "says": "it holds", "reading": None}
    variant = holding(**parts, cases=ANYWHERE.random, proof=two_states(ANYWHERE))
    assert variant.small_cases == ANYWHERE.small and variant.kinds == PROVED
    own = holding(**parts, cases=st.text, small_cases=iter)
    assert own.small_cases is iter and own.kinds == LADDER
    with pytest.raises(TypeError, match="small_cases must be given"):
        holding(**parts, cases=lambda alphabet: ANYWHERE.random(alphabet))


@each
def test_missing_evidence_has_a_reason_and_promised_evidence_has_none(claim):
    for variant in claim.variants:
        reasons = missing(variant)
        assert all(reason and not reason.endswith(".") for reason in reasons.values())
        assert set(variant.without) <= set(reasons), "a reason is given for a kind that is promised"


def test_an_unknown_claim_is_reported():
    with pytest.raises(
        InputError, match=r"there is no claim 'proposition-8'; did you mean proposition-\d+\?"
    ):
        claim_named("proposition-8")
    with pytest.raises(InputError, match="there is no claim 'x'; ratproof claims lists all claims"):
        claim_named("x")


def test_each_paper_of_a_claim_is_known_and_each_paper_has_a_claim():
    assert {claim.source.paper for claim in claims().values()} == set(PAPERS)


def test_no_paper_page_has_the_name_of_a_claim_page():
    pages = {re.sub("[^a-z0-9]+", "-", paper.title.lower()).strip("-") for paper in PAPERS.values()}
    assert len(pages) == len(PAPERS) and not pages & set(claims())
