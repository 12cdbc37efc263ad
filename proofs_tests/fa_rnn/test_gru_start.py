"""An FA-GRU stays between derived bounds of its FA-RNN, which may be far apart."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ratproof.rungs import ladder
from ratproof.runner.evidence import evidence
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
    """All small rules and gates, sentences of one word again and again: the shortest on which the scores are
    more than 1/2 apart.
    """
    ladder.exhausted(CLAIM, PRINTED, longest=20, letters=1)


@given(
    CORRECTED.cases("ab").filter(lambda w: all(sum(row) <= 1 for table in w.T.values() for row in table)),
    st.text("ab", max_size=6),
)
@settings(max_examples=50, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_the_bounds_are_near_while_counts_stay_small(case, sentence):
    """With rows of T that sum to at most 1 and m = sum of h_1: after t words, and e the largest so far, sum
    of (u - l) <= 4 e t m (1 + e)^t.
    """
    now, m, largest = gru_start.start(case), gru_start.ball(sum(case.alpha_0)), gru_start.ball(0)
    for t, word in enumerate(sentence, start=1):
        largest = largest.max(
            (1 - gru_start.least_gate(case, now, word)) * (1 + gru_start.ball(gru_start.ROOM))
        )
        now = gru_start.step(case, now, word)
        apart = sum((up - low for low, up in zip(now.lower, now.upper, strict=True)), start=gru_start.ball(0))
        assert not apart > 4 * largest * t * m * (1 + largest) ** t


@given(CORRECTED.cases("ab"))
def test_the_lower_bound_is_two_gates_times_the_recurrence(case):
    """After one word: (1 - e)^2 h_1 T."""
    now = gru_start.start(case)
    e, first = 1 - gru_start.least_gate(case, now, "a"), gru_start.step(case, now, "a")
    for low, h in zip(first.lower, first.plain, strict=True):
        assert abs(low - gru_start.ball(h) * (1 - e) ** 2) < 1e-9
