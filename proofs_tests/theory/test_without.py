"""Tests that every kind of evidence that a variant cannot have has a reason."""

import pytest

from theory.registry import claims
from theory.without import missing

VARIANTS = [(claim, variant) for claim in claims().values() for variant in claim.variants]


@pytest.mark.parametrize(
    ("claim", "variant"), [pytest.param(c, v, id=f"{c.name}-{v.name}") for c, v in VARIANTS]
)
def test_missing_evidence_has_a_reason_and_promised_evidence_has_none(claim, variant):
    reasons = missing(variant)
    assert all(reason and not reason.endswith(".") for reason in reasons.values())
    assert set(variant.without) <= set(reasons), "a reason is given for a kind that is promised"
