"""Every rung that a variant cannot have has its reason."""

from __future__ import annotations

import pytest

from theory.registry import claims
from theory.without import missing

VARIANTS = [(claim, variant) for claim in claims().values() for variant in claim.variants]


@pytest.mark.parametrize(
    ("claim", "variant"), [pytest.param(c, v, id=f"{c.name}-{v.name}") for c, v in VARIANTS]
)
def test_a_missing_kind_has_its_reason_and_one_that_is_promised_has_none(claim, variant):
    reasons = missing(variant)
    assert all(reason and not reason.endswith(".") for reason in reasons.values())
    assert set(variant.without) <= set(reasons), "a reason is given for a kind that is promised"
