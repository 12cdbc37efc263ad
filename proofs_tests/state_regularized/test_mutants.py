"""Tests that mutations of state-regularized claims are refuted or leave something unproved."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from proofs_tests import breaks
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.kinds import Verdict
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.implementation import ExactRecurrence
from ratproof.ladder.rungs.certified import no_initial_distribution
from ratproof.ladder.rungs.exhausted import exhaust
from ratproof.ladder.rungs.invariant_boxes import decide_by_boxes
from ratproof.ladder.rungs.sampled import sampled
from ratproof.ladder.written import written_checks
from ratproof.ladder.written.check import Inputs
from theory.claim import Effort
from theory.registry import claim_named
from theory.state_regularized import extraction, no_drift, theorem_3_1
from theory.state_regularized.shared import bound, limits, memory, networks
from theory.state_regularized.shared.mixtures import distribution
from theory.weights import Weights

HAS_THE_BOUND = written_checks()[
    "proofs_tests/state_regularized/test_theorem_3_2.py"
    "::test_the_automaton_has_the_bound_and_nothing_negative"
]


def exhausted(claim, name, letters=2):
    exhaust(claim, claim_named(claim).variant(name), longest=3, letters=letters)


@pytest.fixture
def broken(monkeypatch):
    """Return a function that replaces parts of a variant for the duration of the test."""
    return partial(breaks.put, monkeypatch)


def squared_distance(w, u):
    return tuple(
        -(sum((a - b) ** 2 for a, b in zip(u, s, strict=True)) if w.eq == 3 else -inner(u, s)) for s in w.S
    )


def inner(u, s):
    return sum(a * b for a, b in zip(u, s, strict=True))


@pytest.mark.parametrize("name", ["corrected", "corrected-start-token", "corrected-one-more-state"])
def test_probabilities_that_violate_equation_3_are_refuted(unshrunk, monkeypatch, name):
    monkeypatch.setattr(networks, "similarities", squared_distance)
    claim = claim_named("theorem-3.1")
    with pytest.raises(Disagreement):
        sampled(claim, claim.variant(name), ExactRecurrence(), claim.effort)


def another_temperature(w, b):
    return networks.softmax(Weights(w.over, w.alphabet, {**w.entries, "m": w.m + 1}, w.size), b)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("softmax", another_temperature),
        ("softmax", networks.limit),
        ("similarities", lambda w, u: tuple(-b for b in networks.similarities(w, u))),
        ("component", networks.inside),
    ],
    ids=["another temperature", "no temperature", "another sign", "no activation"],
)
def test_a_cell_that_differs_from_the_networks_is_refuted(monkeypatch, function, wrong):
    """The mutated cell gives another initial distribution than the network's cell."""
    monkeypatch.setattr(theorem_3_1, function, wrong)
    variant = claim_named("theorem-3.1").variant("corrected-start-token")

    few = Effort(examples=60, strings=3, run=0)
    with pytest.raises(Disagreement):
        sampled(claim_named("theorem-3.1"), variant, ExactRecurrence(), few)


def test_memory_that_is_reset_gives_no_counterexample(broken):
    """If c is the same before each symbol the cell is memoryless, and its table is right."""
    broken("theorem-3.1", "without-memoryless", recurrence=lambda r: networks.sampled(answer=memory.at_zero))
    exhausted("theorem-3.1", "without-memoryless")


def test_an_initial_state_that_some_distribution_makes_right_has_no_certificate():
    variant = claim_named("theorem-3.1").variant("without-centroid-start")
    one = Fraction(1)
    entries = {
        "eq": 2 * one,
        "m": one,
        "S": ((-one,), (one,)),
        "U": ((one,),),
        "W": {"a": (0 * one,)},
        "h_0": (0 * one,),
    }
    comparison = ExactComparison(
        "theorem-3.1", variant.name, Weights(next(variant.small_cases(1)).over, "a", entries, ("k", 2))
    )
    automata = [a.replace(initial=np.array([one, 0 * one], dtype=object)) for a in comparison.automata()]
    comparison.__dict__["_automata"] = automata
    compared = comparison.compare_all(1)
    assert compared.difference is not None  # 1/2 lies between the values of the two centroids
    assert no_initial_distribution(variant, comparison, compared) is None


def test_a_bound_with_another_exponent_or_number_of_centroids_is_detected(monkeypatch):
    """The mutations use the minimum instead of the maximum, halved powers, and k instead of k - 1."""

    def one_more(w, x):
        parts = {name: getattr(w, name)[x] for name in ("top", "x", "s", "scale")}
        return bound.Concrete(
            w.over, w.n, {**parts, "x": (*parts["x"], parts["x"][-1]), "s": (*parts["s"], parts["s"][-1])}
        )

    plain = bound.others
    for name, wrong in (
        ("others", lambda w, x: tuple(sorted(bound.powers(w, x))[1:])),
        ("others", lambda w, x: tuple(v / 2 for v in plain(w, x))),
        ("at_symbol", one_more),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(bound, name, wrong)
            (seen,) = HAS_THE_BOUND.run(Inputs())
            assert seen.verdict == Verdict.REFUTED
    (seen,) = HAS_THE_BOUND.run(Inputs())
    assert seen.verdict == Verdict.HOLDS


def test_a_temperature_that_is_too_high_leaves_boxes_open(monkeypatch):
    case = next(
        w
        for w in claim_named("theorem-3.2").variant("corrected-eq-5").small_cases(2)
        if limits.slope(w) and w.m > 4
    )
    decide_by_boxes(ExactComparison("theorem-3.2", "corrected-eq-5", case))
    hot = replace(case, entries={**case.entries, "m": Fraction(1)})
    with pytest.raises(RuntimeError, match="boxes do not show"):
        decide_by_boxes(ExactComparison("theorem-3.2", "corrected-eq-5", hot))
    monkeypatch.setattr("ratproof.ladder.rungs.invariant_boxes.epsilon", lambda w: Fraction(49, 100))
    with pytest.raises(RuntimeError, match="boxes do not show"):
        decide_by_boxes(ExactComparison("theorem-3.2", "corrected-eq-5", case))


def test_admitted_ties_refute_the_corrected_theorem(broken):
    printed = claim_named("theorem-3.2").variant("printed")
    broken("theorem-3.2", "corrected", small_cases=lambda plain: printed.small_cases)
    with pytest.raises(Disagreement):
        exhausted("theorem-3.2", "corrected")


def test_counts_of_longer_data_or_of_the_minimum_are_refuted(broken, monkeypatch):
    claim, name = "extraction", "corrected-seen-pairs"
    longer = lambda w: extraction.seen(
        replace(w, entries={**w.entries, "longest": w.longest + 1}), extraction.hard_run
    )
    broken(claim, name, construction=lambda plain: extraction.automata(longer))
    with pytest.raises(Disagreement):
        exhausted(claim, name)
    least = lambda w: {
        pair: min(range(1, w.n + 1), key=lambda j: extraction.counted(w, extraction.hard_run)[(*pair, j)])
        for pair in extraction.seen(w, extraction.hard_run)
    }
    broken(claim, name, construction=lambda plain: extraction.automata(least))
    with pytest.raises(Disagreement):
        exhausted(claim, name)


def test_without_softness_the_soft_run_is_the_hard_one(broken):
    """At a low temperature, the soft and the hard reading of Algorithm 1 count the same transitions."""
    low = claim_named("theorem-3.2").variant("corrected-eq-5")

    @settings(max_examples=30, phases=[Phase.generate])
    @given(low.cases("ab"), st.integers(0, 3))
    def run(w, longest):
        w = replace(w, entries={**w.entries, "longest": Fraction(longest)})
        assert extraction.seen(w, extraction.soft_run) == extraction.seen(w, extraction.hard_run)

    run()


def test_without_reset_is_right_if_each_string_starts_in_the_initial_state(monkeypatch):
    """The missing reset is the cause of the refutation: with a reset, all cases agree."""
    runs = lambda w: (t for string in extraction.data(w) for t in extraction.hard_run(w, string))
    monkeypatch.setattr(extraction, "without_reset", runs)
    exhausted("extraction", "printed-without-reset")


def test_a_second_layer_that_reads_the_previous_state_of_the_first_is_refuted(broken):
    def reads_before(w, law, x):
        """Return the next distribution if layer 2 moves before layer 1."""
        second, size = theorem_3_1.second_layer(w), range(w.n)
        both = [Fraction(0)] * w.n**2
        for i, j, after, last in product(size, repeat=4):
            first = networks.soft(w, w.S[i], None, x)[0][after]
            both[after * w.n + last] += (
                law[i * w.n + j] * first * networks.soft(second, w.S_2[j], None, str(i))[0][last]
            )
        return tuple(both)

    broken("theorem-3.1", "corrected-layers", recurrence=lambda r: replace(r, step=reads_before))
    with pytest.raises(Disagreement):
        exhausted("theorem-3.1", "corrected-layers")


def test_equation_4_instead_of_equation_5_is_not_refuted(broken):
    broken("theorem-3.1", "without-equation-4", recurrence=lambda _: theorem_3_1.from_centroid)
    exhausted("theorem-3.1", "without-equation-4")


def test_a_mixture_with_a_sum_above_one_is_refuted(monkeypatch):
    monkeypatch.setattr(no_drift, "distribution", lambda b, m: tuple(2 * p for p in distribution(b, m)))
    with pytest.raises(Disagreement):
        exhausted("no-drift", "corrected")


@pytest.mark.parametrize("name", ["combinations", "longest"])
def test_another_remainder_is_refuted(broken, monkeypatch, name):
    """The mutations omit the distances between centroids, or use the shortest centroid instead of the
    longest.
    """
    with monkeypatch.context() as patch:
        wrong = {"combinations": lambda *_: [], "longest": lambda w: min(map(no_drift.square, w.S))}[name]
        automata = no_drift.remainder_automaton

        def construction(w):
            with patch.context() as inside:
                inside.setattr(no_drift, name, wrong)
                return automata(w)

        broken("no-drift", "corrected-identity", construction=lambda _: construction)
        with pytest.raises(Disagreement):
            exhausted("no-drift", "corrected-identity")
