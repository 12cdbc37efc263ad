"""Tests that the checker of boxes accepts valid boxes and rejects every change."""

import copy
import json
from dataclasses import replace
from itertools import product

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof.checkers import check_invariant
from ratproof.checkers.table import MALFORMED
from ratproof.evidence.ledger import recording
from ratproof.implementations.exact import ExactComparison
from ratproof.ladder.rungs.invariant_boxes import _transitions, decide_by_boxes
from theory.registry import claim_named
from theory.state_regularized.shared import mixtures
from theory.state_regularized.shared.limits import transition_table

CLAIM, VARIANT = "theorem-3.2", "corrected-eq-5"
EQ_5 = claim_named(CLAIM).variant(VARIANT)
CASES = settings(max_examples=40)


def certificate(case):
    with recording() as book:
        decide_by_boxes(ExactComparison(CLAIM, VARIANT, case))
    return json.loads(json.dumps(book.certificate))


def refused(data):
    try:
        check_invariant.verdict(data)
    except MALFORMED:
        return True
    return False


@CASES
@given(EQ_5.cases("ab"), st.data())
def test_one_changed_transition_is_refused(case, data):
    good = certificate(case)
    q = data.draw(st.sampled_from(good["states"]))
    x = data.draw(st.sampled_from("ab"))
    other = data.draw(st.sampled_from([j for j in range(1, case.n + 1) if j != good["dfa"][x][q - 1]]))
    good["dfa"][x][q - 1] = other
    assert refused(good)


@CASES
@given(EQ_5.cases("ab"))
def test_swapped_letters_or_a_too_high_temperature_are_refused(case):
    good = certificate(case)
    hot = copy.deepcopy(good)
    hot["boxes"]["m"] = "1/1000"
    assert refused(hot)
    if any(good["dfa"]["a"][q - 1] != good["dfa"]["b"][q - 1] for q in good["states"]):
        assert refused({**good, "dfa": {"a": good["dfa"]["b"], "b": good["dfa"]["a"]}})


@CASES
@given(EQ_5.cases("ab"), st.lists(st.sampled_from("ab"), max_size=30))
def test_the_mixture_stays_in_the_boxes(case, string):
    """Ball arithmetic shows, independently of the checker, that alpha is at least 1 - epsilon at the DFA's
    state after every symbol. A symbol may cost eight bits, so the initial precision suffices for all.
    """
    good, now, q = certificate(case), replace(mixtures.start(case), bits=mixtures.MOST_BITS), 1
    for x in string:
        q = transition_table(case)[q, x]
        with flint.ctx.workprec(now.bits):
            alpha = mixtures.distribution(
                mixtures.scores(case, now.h, x), mixtures.ball(case.m) * flint.arb(2).log()
            )
            assert (
                alpha[q - 1]
                > 1 - mixtures.ball(check_invariant.number(good["epsilon"])) - flint.arb(2) ** -50
            )
        now = mixtures.step(case, now, x)
        assert now.label == q


def test_no_box_closes_if_the_mixture_leaves_the_dfa():
    """The cases refute the variant without a low temperature (tau = 1 / ln 2). Certificates for them are
    rejected for every epsilon from 1/64 to 31/64.
    """
    wrong, left = claim_named(CLAIM).variant("without-low-temperature"), 0
    for case in wrong.small_cases(1):
        if ExactComparison(CLAIM, "without-low-temperature", case).compare_all(4).difference is None:
            continue
        table = transition_table(case)
        states = [1]
        for q in states:
            states += [table[q, "a"]] if table[q, "a"] not in states else []
        weights = {
            name: value
            for name, value in case.to_json()["weights"].items()
            if name in ("eq", "m", "S", "U", "W")
        }
        data = {
            "format": "ratproof certificate 1",
            "claims": "follows",
            "boxes": weights,
            "states": sorted(states),
            "dfa": {"a": [table[q, "a"] for q in range(1, case.n + 1)]},
        }
        left += 1
        assert all(refused({**data, "epsilon": f"{n}/64"}) for n in range(1, 32))
    assert left > 3


def test_malformed_input_is_refused():
    good = certificate(next(EQ_5.small_cases(2)))
    for field, wrong in product(list(good), [None, 0, "x", [], {}, [[]], "1/0", True]):
        assert refused({**good, field: wrong}), (field, wrong)
    for field, wrong in product(["eq", "m", "S", "U", "W"], [None, 0, "x", [], {}, [[]], "-1"]):
        assert refused({**good, "boxes": {**good["boxes"], field: wrong}}), (field, wrong)


def test_automata_other_than_dfas_are_refused():
    case = next(EQ_5.small_cases(1))
    comparison = ExactComparison(CLAIM, VARIANT, case)
    right = EQ_5.reading
    comparison.read = replace(
        right, construction=lambda w: [a.replace(final=a.final[::-1].copy()) for a in right.construction(w)]
    )
    with pytest.raises(RuntimeError, match="must be the same DFA"):
        decide_by_boxes(comparison)


@settings(max_examples=5)
@given(EQ_5.cases("ab"), st.sampled_from([[], [1], [0] * 9]))
def test_a_table_without_one_state_per_centroid_is_reported(case, row):
    good = certificate(case)
    good["dfa"]["a"] = row
    with pytest.raises(ValueError, match="the DFA must have one next state for each centroid"):
        check_invariant.verdict(good)


def test_automata_other_than_dfas_are_reported():
    two_ways = [[1, 1], [0, 1]]
    automata = [
        WFSA(REAL, [1, 0], final, {"a": [[0, 1], [1, 0]], "b": two_ways}) for final in ([1, 0], [0, 1])
    ]
    with pytest.raises(RuntimeError, match="the automata must be deterministic"):
        _transitions(automata)
