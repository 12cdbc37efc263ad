"""Proposition 7: ``[c_t]_i = B_i[x_:t]``, as the statement says it, for every variant of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.recurrences.affine import NotAffine
from automata.semirings import REAL
from automata.testing.strategies import readings
from ratproof.evidence.ledger import ledger
from ratproof.implementations.corpus import agree_on_text
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.layer_strategies import networks
from ratproof.ladder.evidence import evidence
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.decided import decide
from theory.rational_recurrences.proposition_7 import CLAIM as CLAIMED
from theory.rational_recurrences.proposition_7 import step_with_feedback
from theory.weights import Weights

CLAIM = "proposition-7"
CORRECTED = CLAIMED.variant("corrected")


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_gates_of_the_torch_network_are_those_of_the_paper(dtype, device, data):
    """Equations 5a and 5b, computed once more by NumPy: network and automata share their gates, so this has
    to be seen apart.
    """
    drawn = data.draw(networks("abc", "example-6", CLAIM, "corrected", dtype, device))
    p, v = drawn.layer.parameters, drawn.layer.embeddings
    with np.errstate(over="ignore"):
        f = 1 / (1 + np.exp(-(v @ p["forget.weight"].T + p.get("forget.bias", 0))))
        z = v @ p["update.weight"].T + p.get("update.bias", 0)
    u = (1 - f) * (np.tanh(z) if drawn.layer.options["nonlinearity"] == "tanh" else z)
    bounds = []
    for unit, (automaton, slack) in enumerate(drawn.sides()):
        tables = automaton.to_float().matrices
        assert (abs(tables[:, 1, 1] - f[:, unit]) <= slack.matrices[:, 1, 1]).all()
        assert (abs(tables[:, 0, 1] - u[:, unit]) <= slack.matrices[:, 0, 1]).all()
        bounds.append(slack.matrices)
    ledger().add(int(np.isfinite(bounds).all()))  # where a gate might overflow there is no bound


@evidence(CLAIM, kind="sampled", variants=("printed",))
@given(st.data())
def test_a_torch_network_that_starts_in_one_is_not_the_drawn_automaton(device, data):
    """Figure 1 as drawn gives the empty string 0, whatever c_0 is: here c_0 = 1."""
    names, strings = data.draw(readings(most=100))
    network = data.draw(
        networks(
            "abc",
            "example-6",
            CLAIM,
            "printed",
            "float64",
            device,
            automata_know_start=False,
            start=st.just(1.0),
        )
    )
    agree(network.renamed(names), strings)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
def test_every_prefix_of_every_sentence_of_a_corpus(corpus, device):
    """``ratproof verify --text FILE``: the words are the alphabet, their vectors the inputs."""
    agree_on_text(CLAIM, "corrected", corpus, device)


def test_a_gate_that_reads_the_state_is_refused_with_the_states_that_show_it():
    """Without memoryless gates the recurrence is no automaton of this kind: c_t = w c_{t-1}^2 + ... is not
    affine.
    """
    variant = CLAIMED.variant("without-memoryless-gates")
    cell = Weights(
        REAL, "a", {"c_0": Fraction(0), "w": Fraction(1), "f": {"a": Fraction(0)}, "u": {"a": Fraction(1)}}
    )
    with pytest.raises(NotAffine) as refused:
        decide(ExactComparison(CLAIM, variant.name, cell))
    x, y = refused.value.pair
    after = [step_with_feedback(cell, c, "a") for c in (x[0], y[0], x[0] + y[0], Fraction(0))]
    assert refused.value.symbol == "a" and after[0] + after[1] != after[2] + after[3]
