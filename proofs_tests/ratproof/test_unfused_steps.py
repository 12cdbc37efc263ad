"""Tests that the evidence also runs the separate gates and steps of fused layers, which subclasses use."""

import json

import pytest

from neural.layer_kind import layer_kinds
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.implementation import Layer
from ratproof.implementations.table import side_named
from ratproof.ladder.rungs.gradient import gradient
from ratproof.ladder.rungs.sampled import sampled
from theory.claim import GRADIENT
from theory.registry import claims

STEPS = {
    "model-b": "rrnn-b",
    "model-c": "rrnn-c",
    "model-f": "rrnn-f",
    "corollary-14": "linear-elman",
    "proposition-13": "isan",
}
RUNGS = {"sampled": sampled, GRADIENT: gradient}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("rung", RUNGS.values(), ids=RUNGS)
@pytest.mark.parametrize(("claim", "kind"), STEPS.items(), ids=STEPS)
def test_wrong_unfused_steps_are_refuted(monkeypatch, claim, kind, rung):
    cell, own_claim = layer_kinds()[kind].cls.cell_class, claims()[claim]
    steps = cell.steps
    wrong = lambda self, gates, state: tuple(2 * c for c in steps(self, gates, state))
    monkeypatch.setattr(cell, "steps", wrong)
    with pytest.raises(Disagreement) as error:
        rung(own_claim, own_claim.variant("corrected"), Layer(kind, "float64"), own_claim.effort)
    kept = json.loads(json.dumps(error.value.counterexample.comparison))
    again = side_named(kept["way"]).from_json(own_claim, own_claim.variant("corrected"), kept)
    assert kept["unfused"] and again.unfused
    (result,) = again.compare([tuple(error.value.counterexample.string)])
    assert result.difference is not None
