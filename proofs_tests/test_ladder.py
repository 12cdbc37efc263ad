"""Tests of the ladder of evidence, generated from the claims: every variant has every promised kind of
evidence.
"""

import pytest

from ratproof.evidence.results import Observation, require_expected
from ratproof.ladder.steps import Step, on_device, runs_torch, steps
from theory.registry import claims

LADDER = list(steps(claims().values()))
EXACT = [pytest.param(step, id=step.label) for step in LADDER if not runs_torch(step)]
TORCH = [pytest.param(step, id=step.label) for step in LADDER if runs_torch(step)]


def require_informative(step: Step, seen: Observation) -> None:
    """Raise ``RuntimeError`` if fewer than half of the exhausted cases of a claim that holds are informative.
    Small cases whose scores are mostly zero do not distinguish networks.
    """
    counted = step.kind == "exhausted" and step.variant.expected == "holds" and not step.variant.constant
    if counted and 2 * (seen.informative or 0) < seen.cases:
        raise RuntimeError(
            f"{step.label}: fewer than half of the cases are informative: {seen.informative or 0:,} of"
            f" {seen.cases:,}"
        )


@pytest.mark.parametrize("step", EXACT)
def test_a_claim_holds_or_is_refuted_on_this_rung(step):
    """The recurrence of a variant is compared with its automata, with exact fractions or with variables."""
    (seen,) = step.run()
    require_expected([seen])
    require_informative(step, seen)


@pytest.mark.parametrize("step", TORCH)
def test_a_torch_layer_stands_on_this_rung(step, device):
    """The outputs of random layers are within the derived rounding bound of their automata, and the claim's
    recurrence with the layer's gates equals these automata.
    """
    require_expected(on_device(step, device).run())
