"""Tests of the exact statements of claims, and of how they differ from the papers."""

import json
import re
from dataclasses import replace

import pytest

from ratproof.main import run
from ratproof.report.quantifiers import scopes, statement, weights
from theory.claim import AS_PRINTED
from theory.rational_recurrences import proposition_11_qrnn
from theory.registry import claims
from theory.signature import Signature, Sizes, constant

EVERY = pytest.mark.parametrize("claim", [pytest.param(c, id=name) for name, c in claims().items()])
VARIANT = re.compile(r"\b(?:corrected|printed|without)-[a-z0-9-]*(?:[0-9.]*[a-z0-9])")


@EVERY
def test_every_claim_states_how_it_differs_from_the_paper(claim):
    assert claim.differences, "the differences must be listed, or AS_PRINTED"
    assert len(set(claim.differences)) == len(claim.differences)
    if claim.differences != AS_PRINTED:
        assert all(re.fullmatch(r"[A-Za-z\"].*\.", text) for text in claim.differences)


@EVERY
def test_differences_name_only_variants_of_the_claim(claim):
    named = {name for text in claim.differences for name in VARIANT.findall(text)}
    assert named <= {variant.name for variant in claim.variants}


@EVERY
def test_every_kind_of_evidence_of_a_variant_has_a_scope(claim):
    for variant in claim.variants:
        every = scopes(claim, variant)
        assert set(every) == set(variant.kinds) and all(every.values())
        assert statement(variant) and weights(variant)


@pytest.mark.parametrize("name", ["proposition-11-qrnn", "proposition-12", "fa-rnn-eq-5", "theorem-3.2"])
def test_the_scope_of_exhausted_has_the_sizes_of_the_small_cases(name):
    claim = claims()[name]
    for variant in claim.variants:
        ((letter, first, last),) = re.findall(
            r"with (\w) = (\d+)(?: to (\d+))?", scopes(claim, variant)["exhausted"]
        )
        sizes = {case.size for case in variant.small_cases(1)}
        assert sizes == {(letter, n) for n in range(int(first), int(last or first) + 1)}


def test_the_scopes_follow_from_the_code():
    claim = proposition_11_qrnn.CLAIM
    variant = claim.variant("corrected")
    sizes = Sizes(lambda n: Signature((constant("c", only=[0, 1]),), size=("K", n)), (2, 5), (4,))
    changed = replace(
        variant,
        cases=sizes.random,
        small_cases=sizes.small,
        effort=replace(claim.effort_of(variant), exhausted=7, letters=1, longest=99),
        reading=replace(variant.reading, shortest=3),
    )
    every = scopes(claim, changed)
    assert "K = 2 and 5" in every["sampled"] and "up to 99 symbols" in every["sampled"]
    assert "K = 2 and 5" in every["decided"]
    message = "all strings of up to 7 symbols over 1 letter, for the simplest weights with K = 4"
    assert message in every["exhausted"]
    assert statement(changed).startswith("on every string of at least 3 symbols,")
    assert weights(changed) == "c (is 0 or 1); in the real semiring"


def test_the_command_shows_the_differences_and_the_scopes(capsys):
    claim = claims()["proposition-7"]
    assert run(["claims", claim.name]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert run(["claims", claim.name, "--json"]) == 0
    (described,) = json.loads(capsys.readouterr().out)["claims"]
    assert described["differences"] == list(claim.differences)
    assert all(text in output for text in claim.differences)
    for variant, other in zip(claim.variants, described["variants"], strict=True):
        assert other["scopes"] == scopes(claim, variant) and other["statement"] == statement(variant)
        assert all(f"{kind}: {scope}" in output for kind, scope in scopes(claim, variant).items())
