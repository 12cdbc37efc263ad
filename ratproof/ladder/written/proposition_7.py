"""Checks of Proposition 7: the gates of the torch network, its initial state, and the scores on a corpus."""

from __future__ import annotations

from functools import partial

import numpy as np
from hypothesis import strategies as st

from automata.testing.strategies import readings
from ratproof.evidence.ledger import ledger
from ratproof.implementations.corpus import agree_on_text
from ratproof.implementations.layer_strategies import networks
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.written.check import Inputs, WrittenCheck, drawn

CLAIM = "proposition-7"
FILE = "proofs_tests/rational_recurrences/test_proposition_7.py"


def gates_are_those_of_the_paper(inputs: Inputs, data: st.DataObject, *, dtype: str) -> None:
    """Compare Equations 5a and 5b, computed by NumPy, with the gates of the automata.

    The network and the automata share their gates, so the gates are checked separately.
    """
    network = data.draw(networks("abc", "example-6", CLAIM, "corrected", dtype, inputs.device))
    p, v = network.layer.parameters, network.layer.embeddings
    with np.errstate(over="ignore"):
        f = 1 / (1 + np.exp(-(v @ p["forget.weight"].T + p.get("forget.bias", 0))))
        z = v @ p["update.weight"].T + p.get("update.bias", 0)
    u = (1 - f) * (np.tanh(z) if network.layer.options["nonlinearity"] == "tanh" else z)
    bounds = []
    for unit, (automaton, slack) in enumerate(network.sides()):
        tables = automaton.to_float().matrices
        assert (abs(tables[:, 1, 1] - f[:, unit]) <= slack.matrices[:, 1, 1]).all()
        assert (abs(tables[:, 0, 1] - u[:, unit]) <= slack.matrices[:, 0, 1]).all()
        bounds.append(slack.matrices)
    ledger().add(int(np.isfinite(bounds).all()))  # there is no bound if a gate might overflow


def start_in_one_is_not_the_drawn_automaton(inputs: Inputs, data: st.DataObject) -> None:
    """Assert that a network with c_0 = 1 agrees with the automaton that is drawn in Figure 1.

    This fails, because the drawn automaton gives the empty string the score 0 for any c_0.
    """
    names, strings = data.draw(readings(most=100))
    one, layer = st.just(1.0), ("abc", "example-6", CLAIM, "printed", "float64", inputs.device)
    network = data.draw(networks(*layer, automata_know_start=False, start=one))
    agree(network.renamed(names), strings)


def every_prefix_of_a_corpus(inputs: Inputs) -> None:
    """Compare the layer with its automata on the text of ``ratproof verify --text FILE``."""
    assert inputs.corpus is not None  # this check runs only with --text
    agree_on_text(CLAIM, "corrected", inputs.corpus, inputs.device)


CHECKS = (
    *(
        WrittenCheck(
            CLAIM,
            "sampled",
            ("corrected",),
            f"{FILE}::test_the_gates_of_the_torch_network_are_those_of_the_paper[{dtype}]",
            drawn(f"{CLAIM} gates {dtype}", partial(gates_are_those_of_the_paper, dtype=dtype)),
            draws=True,
        )
        for dtype in ("float32", "float64")
    ),
    WrittenCheck(
        CLAIM,
        "sampled",
        ("printed",),
        f"{FILE}::test_a_torch_network_that_starts_in_one_is_not_the_drawn_automaton",
        drawn(f"{CLAIM} starts in one", start_in_one_is_not_the_drawn_automaton),
        draws=True,
    ),
    WrittenCheck(
        CLAIM,
        "sampled",
        ("corrected",),
        f"{FILE}::test_every_prefix_of_every_sentence_of_a_corpus",
        every_prefix_of_a_corpus,
        needs="corpus",
    ),
)
