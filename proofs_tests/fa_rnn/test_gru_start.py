"""An FA-GRU stays between derived bounds of its FA-RNN, which may be far apart."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ratproof import ladder
from ratproof.evidence import evidence
from theory.fa_rnn import gru_start
from theory.registry import claim_named

CLAIM = "fa-rnn-gru-start"
CORRECTED, PRINTED = (claim_named(CLAIM).variant(name) for name in ("corrected", "printed"))


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@settings(max_examples=50)
@given(st.data())
def test_the_gated_network_stays_between_the_bounds(data):
    """For random rules, gates and sentences, at every prefix, in balls that hold the true values."""
    ladder.sampled(CLAIM, CORRECTED, data, most=5, longest=8, run=20)


@evidence(CLAIM, kind="sampled", variants=("printed",))
@settings(max_examples=200)
@given(st.data())
def test_a_count_outgrows_a_bias_of_ten_somewhere(data):
    """Random rules and gates on long runs of one word."""
    ladder.sampled(CLAIM, PRINTED, data, most=5, longest=4, run=40)


@evidence(CLAIM, kind="exhausted", variants=("corrected",))
def test_it_stays_between_them_on_every_sentence_up_to_length_three():
    """Small rules and gates, all sentences of one and two words."""
    ladder.exhausted(CLAIM, CORRECTED, longest=3)


@evidence(CLAIM, kind="exhausted", variants=("printed",))
def test_a_count_outgrows_a_bias_of_ten():
    """All small rules and gates, sentences of one word again and again: the shortest on which the scores are more than 1/2 apart."""
    ladder.exhausted(CLAIM, PRINTED, longest=20, letters=1)


@given(CORRECTED.cases("ab").filter(lambda w: w.b >= 7 and all(sum(row) <= 1 for table in w.T.values() for row in table)))
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_the_bound_is_near_while_counts_stay_small(case):
    """With a bias of 7 or more and an automaton whose counts do not grow: after four words the bounds are within 1 of one another."""
    now = gru_start.start(case)
    for word in "abab":
        now = gru_start.step(case, now, word)
    most = sum(case.alpha_0)
    assert all(up - low <= gru_start.ball(2 * most) for low, up in zip(now.lower, now.upper, strict=True))
    e = 1 - gru_start.least_gate(case, gru_start.start(case), "a")
    first = gru_start.step(case, gru_start.start(case), "a")
    for low, h in zip(first.lower, first.plain, strict=True):
        assert abs(low - gru_start.ball(h) * (1 - e) ** 2) < 1e-9
