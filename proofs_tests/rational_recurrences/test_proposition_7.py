"""Proposition 7: ``[c_t]_i = B_i[x_:t]``, as the statement says it, for every variant of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.affine import NotAffine
from automata.semirings import REAL
from automata.strategies import readings
from ratproof.papers.not_rational.refutation import refute
from ratproof.record.ledger import ledger
from ratproof.rungs import ladder, network_ladder
from ratproof.rungs.agreement import agree
from ratproof.rungs.decided import decide
from ratproof.runner.evidence import evidence
from ratproof.sides.comparison import Exact
from ratproof.sides.corpus import agree_on_text
from ratproof.sides.strategies import networks
from theory.rational_recurrences.proposition_7 import CLAIM as CLAIMED
from theory.rational_recurrences.proposition_7 import step_with_feedback
from theory.weights import Weights

CLAIM = "proposition-7"
CORRECTED = CLAIMED.variant("corrected")


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_unit_is_the_forward_score_in_exact_fractions(variant, data):
    """``c_t = B[x_:t]`` for random weights and strings, every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_every_unit_of_the_torch_network_is_its_automaton(dtype, device, data):
    """The fast network stays within the derived rounding bound of the automata that it reads itself off
    as.
    """
    network_ladder.sampled(CLAIM, CORRECTED, "example-6", dtype, device, data, most=100)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_gates_of_the_torch_network_are_those_of_the_paper(dtype, device, data):
    """Equations 5a and 5b, computed once more by NumPy: network and automata share their gates, so this has
    to be seen apart.
    """
    drawn = data.draw(networks("abc", "example-6", CLAIM, "corrected", dtype, device))
    p, v = drawn.parameters, drawn.embeddings
    with np.errstate(over="ignore"):
        f = 1 / (1 + np.exp(-(v @ p["forget.weight"].T + p.get("forget.bias", 0))))
        z = v @ p["update.weight"].T + p.get("update.bias", 0)
    u = (1 - f) * (np.tanh(z) if drawn.options["nonlinearity"] == "tanh" else z)
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


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's score of the automaton, within OpenFst's derived
    bound.
    """
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_six(variant):
    """All weights among 0, 1, -1, 1/2, all strings over one and two letters: nothing else, or a minimal
    counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=6)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
def test_every_prefix_of_every_sentence_of_a_corpus(corpus, device):
    """``ratproof verify --text FILE``: the words are the alphabet, their vectors the inputs."""
    agree_on_text(CLAIM, "corrected", corpus, device)


@evidence(CLAIM, kind="decided")
@given(st.data())
def test_the_unit_is_the_forward_score_on_all_strings(variant, data):
    """For random rational weights, the recurrence read as an automaton is decided to be the constructed
    one.
    """
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="decided", variants=("without-memoryless-gates",))
def test_no_automaton_with_fewer_than_63_states_computes_it():
    """With the paper's own nonlinearity, f_t = sigma(w x_t + v c_{t-1} + b): a Hankel determinant of size 63,
    in ball arithmetic, is not 0.
    """
    refute("sru-feedback")


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, for all weights and strings: Omega is (1, c)."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)


@evidence(CLAIM, kind="decided", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_gates_of_a_torch_network_make_its_automata_on_all_strings(dtype, device, data):
    """For the float weights of a torch module: equation 5c with the gates that it computes, each the fraction
    that it is.
    """
    network_ladder.decided(CLAIM, CORRECTED, "example-6", dtype, device, data)


def test_a_gate_that_reads_the_state_is_refused_with_the_states_that_show_it():
    """Without memoryless gates the recurrence is no automaton of this kind: c_t = w c_{t-1}^2 + ... is not
    affine.
    """
    variant = CLAIMED.variant("without-memoryless-gates")
    cell = Weights(
        REAL, "a", {"c_0": Fraction(0), "w": Fraction(1), "f": {"a": Fraction(0)}, "u": {"a": Fraction(1)}}
    )
    with pytest.raises(NotAffine) as refused:
        decide(Exact(CLAIM, variant.name, cell))
    x, y = refused.value.pair
    after = [step_with_feedback(cell, c, "a") for c in (x[0], y[0], x[0] + y[0], Fraction(0))]
    assert refused.value.symbol == "a" and after[0] + after[1] != after[2] + after[3]
