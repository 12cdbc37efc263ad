"""Tests that automata with dominated paths are decided, with a certificate that the checker accepts."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.equivalence import domination, equivalent
from automata.equivalence.certificates import Simulated
from automata.forward import score
from automata.hankel import shortlex
from automata.io.json_format import from_json
from automata.operations import sum_of
from automata.semirings import MAX_PLUS, MAX_TIMES, MIN_PLUS
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over
from ratproof.checkers import check_bisimulation

DEARER = {MIN_PLUS: (0, 1, 3), MAX_PLUS: (0, -1, -3), MAX_TIMES: (1, "1/2", "1/3")}
each = over(DEARER)


def with_a_dearer_copy(automaton, factors):
    """Return the automaton with an additional copy whose paths are all worse by the given factors."""
    k = automaton.semiring
    first, step, last = (k.exact(k.parse(str(w))) for w in factors)
    edges = [(*edge[:3], k.times(edge.weight, step)) for edge in automaton.edges()]
    ends = [
        [(q, k.times(w, factor)) for q, w in enumerate(part.tolist())]
        for part, factor in ((automaton.initial, first), (automaton.final, last))
    ]
    return sum_of(automaton, WFSA.from_edges(k, automaton.num_states, automaton.alphabet, *ends, edges))


@each
@few_cases(st.data())
def test_a_more_expensive_copy_makes_no_difference(k, data):
    automaton = data.draw(automata(k, epsilon="none", extreme=False))
    factors = data.draw(st.permutations(DEARER[k]))
    both = with_a_dearer_copy(automaton, factors)
    answer = domination.decide(automaton, both)
    assert answer is not None and equivalent(automaton, both).verdict == "equivalent"
    assert check_bisimulation.verdict(answer.certificate.to_json()) == "equivalent"


@each
@few_cases(st.data())
def test_a_simulation_implies_equality_and_is_accepted(k, data):
    a, b = (data.draw(automata(k, epsilon="none", extreme=False)) for _ in range(2))
    a, b = (side.over(dict.fromkeys([*a.alphabet, *b.alphabet])) for side in (a, b))
    answer = domination.decide(a, b)
    if answer is not None:
        assert all(score(a, x) == score(b, x) for x in shortlex(a.alphabet, 4))
        assert check_bisimulation.verdict(answer.certificate.to_json()) == "equivalent"


def two_words_and_a_cycle():
    """Return an ambiguous automaton whose weights diverge, so that neither the search nor lumping
    terminates.
    """
    table = {"a": [["0", "1"], ["2", "inf"]], "b": [["inf", "1"], ["1", "0"]]}
    return WFSA(MIN_PLUS, ["0", "inf"], ["inf", "0"], table)


def test_a_lexicon_with_a_worse_copy_is_equivalent_and_with_a_better_copy_is_not():
    lexicon = two_words_and_a_cycle()
    answer = equivalent(lexicon, with_a_dearer_copy(lexicon, (0, 1, 3)))
    assert answer.verdict == "equivalent" and isinstance(answer.certificate, Simulated)
    assert equivalent(lexicon, with_a_dearer_copy(lexicon, (0, -1, 3))).verdict == "different"


def early_and_late(k=MAX_PLUS):
    """Return two automata that score a string by its best two adjacent symbols.

    The first automaton chooses where the two symbols begin. The second remembers the last symbol, and chooses
    where they end.
    """
    first, second = {"a": 3, "b": 1}, {"a": 1, "b": 7}
    early = [(q, q, x, k.one) for q in (0, 2) for x in "ab"]
    early += [(0, 1, x, first[x]) for x in "ab"] + [(1, 2, x, second[x]) for x in "ab"]
    late = [(q, 1 + "ab".index(x), x, k.one) for q in range(3) for x in "ab"]
    late += [(1 + i, 3, x, first[y] + second[x]) for i, y in enumerate("ab") for x in "ab"]
    late += [(3, 3, x, k.one) for x in "ab"]
    ends = [(0, k.one)]
    return (
        WFSA.from_edges(k, 3, "ab", ends, [(2, k.one)], early),
        WFSA.from_edges(k, 4, "ab", ends, [(3, k.one)], late),
    )


def test_an_early_and_a_late_choice_are_equal_by_one_simulation_from_the_end():
    early, late = early_and_late()
    for a, b, mirrored in ((early, late, ["B"]), (late, early, ["A"])):
        proof = domination.decide(a, b).certificate.to_json()
        assert proof["mirrored"] == mirrored
        assert check_bisimulation.verdict(proof) == "equivalent"
        for wrong in ([], ["A", "B"]):
            with pytest.raises(ValueError, match=r"simulate|better than"):
                check_bisimulation.verdict(proof | {"mirrored": wrong})


def test_an_early_and_a_late_choice_of_other_weights_are_not_equal():
    early, late = early_and_late()
    for edge in late.edges():
        if edge.target == 3 and edge.source != 3:
            edges = [
                (e.source, e.target, e.symbol, e.weight - 1 if e == edge else e.weight) for e in late.edges()
            ]
            other = WFSA.from_edges(MAX_PLUS, 4, "ab", [(0, 0)], [(3, 0)], edges)
            assert domination.decide(early, other) is None


@each
@few_cases(st.data())
def test_epsilon_transitions_are_removed_by_both_sides(k, data):
    automaton = data.draw(automata(k, epsilon="acyclic", extreme=False))
    both = with_a_dearer_copy(automaton, data.draw(st.permutations(DEARER[k])))
    answer = domination.decide(automaton, both)
    assert answer is not None
    proof = answer.certificate.to_json()
    assert check_bisimulation.verdict(proof) == "equivalent"
    without = proof | {"A": proof["A"] | {"transitions": [t for t in proof["A"]["transitions"] if t[2]]}}
    try:
        check_bisimulation.verdict(without)
    except ValueError:
        return
    a, b = (from_json(without[name]) for name in "AB")
    assert all(score(a, x) == score(b, x) for x in shortlex(a.alphabet, 4))


def certificate():
    lexicon = two_words_and_a_cycle()
    return domination.decide(lexicon, with_a_dearer_copy(lexicon, (0, 1, 3))).certificate.to_json()


@pytest.mark.parametrize("side", ["A", "B"])
def test_a_certificate_with_a_better_weight_or_without_a_pair_is_rejected(side):
    """The certificate contains the smallest possible weights, so a smaller one proves nothing."""
    assert check_bisimulation.verdict(certificate()) == "equivalent"
    empty = certificate()
    empty["simulation"][side] = []
    with pytest.raises(ValueError, match="no state simulates the initial state"):
        check_bisimulation.verdict(empty)
    dearer = certificate()
    for row in dearer["simulation"][side]:
        row[2] = str(int(row[2]) + 5)
    with pytest.raises(ValueError, match=r"simulate|better than"):
        check_bisimulation.verdict(dearer)


@given(st.data())
def test_changed_automata_are_rejected_unless_they_are_equivalent(data):
    """A certificate is accepted for another automaton only if that automaton is equivalent."""
    changed = copy.deepcopy(certificate())
    rows = changed[data.draw(st.sampled_from("AB"))]["transitions"]
    row = data.draw(st.sampled_from(rows))
    row[3] = str(int(row[3]) + data.draw(st.sampled_from([-2, -1, 1, 2])))
    try:
        check_bisimulation.verdict(changed)
    except ValueError:
        return
    a, b = (from_json(changed[name]) for name in "AB")
    assert all(score(a, x) == score(b, x) for x in shortlex("ab", 6))
