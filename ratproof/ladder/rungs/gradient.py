"""``gradient`` evidence, which compares torch's gradients with the derivatives of the automata's scores."""

from __future__ import annotations

from hypothesis import strategies as st

from ratproof.evidence.random_cases import for_random_cases
from ratproof.implementations.implementation import Implementation, Layer
from ratproof.ladder.rungs.agreement import agree
from theory.claim import GRADIENT, Claim, Effort, Variant


def gradient(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert that torch's gradients of random layers equal the derivatives, within the rounding bound.

    Raises:
        Disagreement: If a gradient differs.
    """
    assert isinstance(side, Layer)

    def one_case(data: st.DataObject) -> None:
        agree(*side.gradients(claim, variant, data))

    name = f"{claim.name} {variant.name} {GRADIENT} {side.label}"
    short, long = effort.gradients or (side.gradient_examples, side.long_examples)
    for_random_cases(name, short, one_case)
    for_random_cases(f"{name} long", long, lambda data: agree(*side.long_gradients(claim, variant, data)))
