"""Tests of signatures: shapes of drawn weights, the order of small cases, and malformed files."""

import json
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import InputError
from automata.recurrences.polynomials import POLYNOMIALS
from automata.semirings import MAX_PLUS, REAL
from proofs_tests.automata.examples import some_cases
from theory.registry import claims
from theory.signature import GRID, Signature, Sizes, by_symbol, by_window, constant, misfit, signatures_of
from theory.weights import Weights

MIXED = Signature(
    (constant("c_0", (2,)), constant("start", only=[0]), by_symbol("W", (2, 2)), by_window("f", 2)),
    size=("d", 2),
)


@given(st.data())
def test_random_weights_have_the_shape_of_the_signature(data):
    w = data.draw(MIXED.random("ab"))
    assert len(w.c_0) == 2 and w.start == 0 and w.n == 2
    assert set(w.W) == set("ab") and all(len(row) == 2 for row in w.W["a"])
    assert list(w.f) == ["a", "b", "aa", "ab", "ba", "bb"]
    assert Weights.from_json(w.to_json()) == w


def test_small_cases_are_complete_and_the_simplest_come_first():
    small = list(Signature((constant("c_0"), by_symbol("f")), most_small=10**6).small(2))
    assert len(small) == len({w.describe() for w in small}) == 4**3
    others = [sum(v != 0 for v in (w.c_0, *w.f.values())) for w in small]
    assert others == sorted(others)


def test_small_cases_end_at_the_requested_size():
    assert len(list(Signature((by_symbol("f"), by_symbol("u")), most_small=7).small(2))) == 7


def test_an_entry_with_few_values_has_no_others():
    small = list(Signature((constant("w", only=[1, -1]), by_symbol("f"))).small(1))
    assert {w.w for w in small} == {1, -1} and len(small) == 8


@given(st.data())
def test_a_derived_entry_follows_from_the_others_except_in_proofs(data):
    tied = Signature((by_symbol("f"), by_symbol("u", derived=lambda w, x: 1 - w.f[x])))
    for w in (data.draw(tied.random("ab")), *islice(tied.small(2), 20)):
        assert all(w.u[x] == 1 - w.f[x] for x in "ab")
    assert tied.variables("a", POLYNOMIALS).u["a"] == POLYNOMIALS.variable("u(a)")


def test_a_zero_that_is_the_only_value_stays_zero_in_proofs():
    at_zero = Signature((constant("c_0", only=[MAX_PLUS.zero]), by_symbol("f")), MAX_PLUS)
    assert at_zero.variables("a", POLYNOMIALS).c_0 == POLYNOMIALS.zero
    assert next(at_zero.small(1)).f["a"] == MAX_PLUS.zero


def test_in_proofs_every_weight_is_a_separate_variable():
    def leaves(value):
        parts = value.values() if isinstance(value, dict) else value
        return (
            [x for part in parts for x in leaves(part)] if isinstance(value, (dict, tuple)) else [str(value)]
        )

    names = leaves(MIXED.variables("ab", POLYNOMIALS).entries)
    assert len(names) == len(set(names)) == 2 + 1 + 2 * 4 + 6


def test_sizes_come_in_order():
    sizes = Sizes(lambda n: Signature((by_symbol("u", (n,)),), size=("n", n)), (1, 2), (1, 2, 3))
    assert [w.n for w in sizes.small(1)] == sorted(w.n for w in sizes.small(1))
    assert {w.n for w in sizes.small(1)} == {1, 2, 3}


@given(st.data())
def test_letters_are_renamed_in_windows_too(data):
    w = data.draw(MIXED.random("abc"))
    renamed = w.renamed({"c": "a", "a": "b"})
    assert renamed.alphabet == "ab" and set(renamed.f) == {"a", "b", "aa", "ab", "ba", "bb"}
    assert renamed.f["ab"] == w.f["ca"] and renamed.W["a"] == w.W["c"] and renamed.c_0 == w.c_0


@pytest.mark.parametrize(
    "spoil", [{"semiring": "complex"}, {"alphabet": 3}, {"size": ["d", "2"]}, {"weights": {"f": {"a": 1}}}]
)
def test_a_damaged_object_is_refused(spoil):
    good = Weights(MAX_PLUS, "a", {"f": {"a": GRID[0]}}).to_json()
    with pytest.raises(InputError):
        Weights.from_json({**good, **spoil})


def test_a_missing_weight_is_reported():
    with pytest.raises(AttributeError, match="no weight named 'g'; the weights are f"):
        _ = Weights(MAX_PLUS, "a", {"f": {}}).g


@given(st.data())
def test_a_hypothesis_is_checked_before_weights_are_derived(data):
    """Constants may be derived, including from other derived ones; in proofs all are free."""
    odds = Signature(
        (
            constant("q", only=[0, 1, 2, 3]),
            constant("half", derived=lambda w: 1 / w.q),
            by_symbol("f", derived=lambda w, x: w.half + 1),
        ),
        where=lambda w: w.q != 0,
        most_small=2,
    )
    w = data.draw(odds.random("ab"))
    assert w.q != 0 and w.half == 1 / w.q and w.f == {"a": w.half + 1, "b": w.half + 1}
    assert [w.q for w in odds.small(1)] == [1, 2]
    assert odds.variables("a", POLYNOMIALS).half == POLYNOMIALS.variable("half")


SIGNED = [
    (claim, variant) for claim in claims().values() for variant in claim.variants if signatures_of(variant)
]


@pytest.mark.parametrize(("claim", "variant"), SIGNED, ids=lambda x: x.name)
@settings(max_examples=5)
@given(st.data())
def test_every_case_belongs_to_its_variant_when_renamed_or_saved(claim, variant, data):
    drawn = data.draw(variant.cases("abc"))
    for case in (*islice(variant.small_cases(2), 3), drawn, drawn.renamed({"b": "d", "a": "c"})):
        copy = Weights.from_json(json.loads(json.dumps(case.to_json())))
        assert copy == case and misfit(signatures_of(variant), copy) is None


def derived_in(signature):
    """Return the names of the weights that must equal their derivation exactly."""
    return {entry.name for entry in signature.entries if entry.derived and not entry.follows}


DERIVED = [(claim, variant) for claim, variant in SIGNED if all(map(derived_in, signatures_of(variant)))]


@pytest.mark.parametrize(("claim", "variant"), DERIVED, ids=lambda x: x.name)
@settings(max_examples=5)
@given(st.data())
def test_a_weight_that_contradicts_its_derivation_is_refused(claim, variant, data):
    """Otherwise a case that violates a hypothesis would refute a true claim."""
    case = data.draw(variant.cases("ab"))
    names = set.intersection(*(derived_in(s) for s in signatures_of(variant) if s.mismatch(case) is None))
    name = data.draw(st.sampled_from(sorted(names)))
    changed = case.changed(**{name: _doubled(case.entries[name])})
    if changed != case:
        wrong = misfit(signatures_of(variant), changed)
        assert wrong is not None and "follow" in wrong


def _doubled(value):
    if isinstance(value, dict):
        return {key: _doubled(one) for key, one in value.items()}
    return tuple(map(_doubled, value)) if isinstance(value, tuple) else 2 * value + 1


def test_factors_that_do_not_reconstruct_the_tensor_are_refused():
    """D_1, v and D_2 depend on all words together. For fewer words they are exact factors, but not those of
    the construction.
    """
    variant = claims()["fa-rnn-eq-5"].variant("corrected-large-enough")
    case = signatures_of(variant)[0].generic("ab").renamed({"b": "b"})
    assert misfit(signatures_of(variant), case) is None
    assert "must follow from the others" in misfit(signatures_of(variant), case.changed(v=_doubled(case.v)))


@some_cases(st.data())
def test_a_temperature_may_be_lower_than_necessary_but_not_higher(data):
    """It depends on all letters: without one of them, a higher one would suffice."""
    variant = claims()["theorem-3.2"].variant("corrected-eq-5")
    case = data.draw(variant.cases("ab"))
    for m, fits in ((case.m + 1, True), (case.m, True), (case.m - 1, False)):
        assert (misfit(signatures_of(variant), case.changed(m=m)) is None) == fits


def test_weights_have_the_length_of_their_size():
    sizes = Sizes(lambda k: Signature((constant("h", (k,)),), size=("K", k)), (1, 2), ())
    two = Weights(REAL, "a", {"h": (1, 2)}, ("K", 2))
    assert misfit(sizes.signatures(), two) is None
    assert "h must have the length K = 1" in misfit(sizes.signatures(), replace(two, size=("K", 1)))
    assert misfit(sizes.signatures(), Weights(REAL, "a", {"h": (1, 2, 3)}, ("K", 3))) is None


def test_weights_belong_to_one_signature():
    drawn = Signature((constant("h", only=(0, 1)),))
    first = Signature((constant("h", derived=lambda w: 7),))
    for h, fits in ((0, True), (7, True), (5, False)):
        assert (misfit([drawn, first], Weights(REAL, "a", {"h": h})) is None) == fits


def test_weights_of_another_signature_are_reported():
    """Disallowed values and windows of a different length are reported for signatures of all sizes."""
    sizes = Sizes(
        lambda k: Signature((by_window("f", k), constant("c_0", (k,), [0])), size=("K", k)), (1, 2), ()
    )
    fine = next(sizes.of(2).small(2))
    assert misfit(sizes.signatures(), fine) is None
    changes = {
        "one value for each window": {"f": {key: w for key, w in fine.f.items() if key != "ab"}},
        "c_0 must be one of 0, got '1'": {"c_0": (0, 1)},
        "c_0 must have the same shape": {"c_0": 0},
        "the weights must be f, c_0; 'c_0' is missing": {},
    }
    for says, change in changes.items():
        entries = {**fine.entries, **change} if change else {"f": fine.f}
        assert says in misfit(sizes.signatures(), Weights(fine.over, "ab", entries, fine.size))
    assert "the size must be K and a number, got ('d', 2)" in misfit(
        sizes.signatures(), Weights(fine.over, "ab", fine.entries, ("d", 2))
    )
    positive = Signature((constant("q"),), where=lambda w: w.q > 0)
    assert "hypothesis" in misfit([positive], Weights(fine.over, "a", {"q": -1})) and misfit([], fine) is None


def test_a_size_may_be_a_pair():
    pairs = Sizes(lambda size: Signature((constant("M", size),), most_small=1), (), ((1, 2), (2, 1)))
    assert [w.M for w in pairs.small(1)] == [((0, 0),), ((0,), (0,))]
