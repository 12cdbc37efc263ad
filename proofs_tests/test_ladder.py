"""The ladder of evidence, generated from the claims: every variant on every rung that it promises."""

from __future__ import annotations

import pytest

from ratproof.evidence.ledger import ledger
from ratproof.ladder.evidence import evidence
from ratproof.ladder.steps import Step, on_device, runs_torch, steps
from theory.registry import claims

LADDER = list(steps(claims().values()))


def parameters(torch: bool) -> list[object]:
    """The steps that run torch layers, or those that do not, each marked as what it is evidence for."""
    return [
        pytest.param(
            step,
            id=step.label,
            marks=evidence(step.claim.name, kind=step.kind, variants=(step.variant.name,)),
        )
        for step in LADDER
        if runs_torch(step) == torch
    ]


def require_informative(step: Step) -> None:
    """Raise RuntimeError if fewer than half of the exhausted cases of what holds are informative."""
    book = ledger()
    counted = step.kind == "exhausted" and not step.variant.constant
    if counted and 2 * (book.informative or 0) < book.cases:
        raise RuntimeError(
            f"{step.label}: fewer than half of the cases are informative: {book.informative:,} of"
            f" {book.cases:,}"
        )


@pytest.mark.parametrize("step", parameters(torch=False))
def test_a_claim_holds_or_is_refuted_on_this_rung(step: Step) -> None:
    """The recurrence of a variant, in exact fractions or variables, against its automata."""
    step.show()
    require_informative(step)


@pytest.mark.parametrize("step", parameters(torch=True))
def test_a_torch_layer_stands_on_this_rung(step: Step, device: str) -> None:
    """Random layers with random options, weights and start: within the derived rounding bound of the automata
    that they read themselves off as, and with gates that make these automata.
    """
    on_device(step, device).show()
