"""The Viterbi score is max-times, and no max-plus."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.batch import scores
from automata.strategies import readings
from neural.fa_rnn.network import FARNN
from ratproof.record.ledger import ledger
from ratproof.runner.evidence import evidence
from ratproof.sides.layer_spec import DTYPES
from theory.fa_rnn.shared.rules import RULES, boolean

CLAIM = "fa-rnn-viterbi"


@evidence(CLAIM, kind="sampled", variants=("corrected-match",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("decomposed", [False, True])
@settings(max_examples=40)
@given(st.data())
def test_the_torch_network_is_one_exactly_on_matches(decomposed, dtype, device, data):
    """Of random rules on random sentences, in one batch: the very numbers, whatever the format."""
    names, sentences = data.draw(readings(most=20, longest=8, run=30))
    rule = boolean(data.draw(RULES.random("abc")).renamed(names))
    network = FARNN.of(rule, scoring="viterbi", decomposed=decomposed, dtype=DTYPES[dtype], device=device)
    with torch.no_grad():
        assert network(sentences)[:, 0].tolist() == [float(value) for value in scores(rule, sentences)]
    ledger().add(len(sentences))
