"""Tests that no float computation exceeds the derived bounds, in any order of summation, and that the bounds
are tight.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata import batch
from automata.errors import InputError, ShapeError
from automata.forward import prefix_scores
from automata.rounding.bounds import (
    FLOAT32,
    FLOAT64,
    Deviation,
    bound_table,
    bounded,
    prefix_bounds,
    share,
    shares,
)
from automata.rounding.formats import BFLOAT16, representation_error, upper
from automata.rounding.units import unit_bounds
from automata.semirings import MAX_PLUS, MIN_PLUS, REAL
from automata.strings import encode, prefixes
from automata.testing.strategies import automata, strings
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, some_cases

in_both_formats = pytest.mark.parametrize(
    ("dtype", "kind"), [(np.float32, FLOAT32), (np.float64, FLOAT64)], ids=["float32", "float64"]
)
over_both_semirings = pytest.mark.parametrize("semiring", [REAL, MAX_PLUS], ids=["real", "max-plus"])
TIGHT = 1.5  # some computation uses more than 1 / 1.5 of its bound


def float_scores(automaton, string, dtype, rng):
    """Compute the Forward scores in this dtype, each sum in a random order with random parentheses.

    Epsilon transitions lead from lower to higher states.
    """
    k, n = automaton.semiring, automaton.states
    times, plus = (np.add, np.maximum) if k is MAX_PLUS else (np.multiply, np.add)

    def total(terms):
        terms = list(terms)
        while len(terms) > 1:
            i, j = rng.choice(len(terms), 2, replace=False)
            merged = plus(terms[i], terms[j])
            terms = [t for k, t in enumerate(terms) if k not in (i, j)] + [merged]
        return terms[0] if terms else dtype(k.zero)

    def rounded(array):
        return np.array([dtype(float(v)) for v in array.flat], dtype=dtype).reshape(array.shape)

    epsilon = rounded(np.zeros((n, 0)) if automaton.epsilon is None else automaton.epsilon)

    def closed(columns):
        after = []
        for q in range(n):
            below = [times(after[p], epsilon[p, q]) for p in range(q)] if epsilon.size else []
            after.append(total([*columns[q], *below]))
        return after

    def read_out(omega):
        return float(total(times(w, f) for w, f in zip(omega, rounded(automaton.final), strict=True)))

    omega = closed([[w] for w in rounded(automaton.initial)])
    scores = [read_out(omega)]
    for symbol in string:
        table = rounded(automaton.matrix(symbol))
        omega = closed([[times(omega[p], table[p, q]) for p in range(n)] for q in range(n)])
        scores.append(read_out(omega))
    return scores


def no_deviation(automaton):
    n = automaton.states
    return Deviation(np.zeros(automaton.matrices.shape), np.zeros(n), np.zeros(n), np.zeros((n, n)))


@in_both_formats
@over_both_semirings
@some_cases(st.data(), st.sampled_from(["none", "acyclic"]), st.booleans(), st.integers(0, 2**32 - 1))
def test_no_order_of_summation_exceeds_the_bound(dtype, kind, semiring, data, epsilon, extreme, seed):
    """Weights that the dtype cannot represent are rounded first. The reference is exact or float64."""
    automaton = data.draw(automata(semiring, most_states=4, epsilon=epsilon, extreme=extreme))
    x = data.draw(strings("ab", longest=8, run=12))
    with np.errstate(all="ignore"):
        computed = float_scores(automaton, x, dtype, np.random.default_rng(seed))
    scores, bounds = prefix_bounds(automaton, x, kind, no_deviation(automaton))
    assert scores.tolist() == prefix_scores(automaton, x).tolist()
    assert share(computed, scores, bounds) <= 1
    assert share(computed, *prefix_bounds(automaton.to_float(), x, kind, no_deviation(automaton))) <= 1


@few_cases(automata(REAL, exact=False), st.lists(strings("ab", run=12), min_size=1, max_size=4))
def test_the_compiled_loops_stay_within_the_bound_of_the_reference(automaton, xs):
    """Both computations use float64: the bound includes the reference's own rounding."""
    exact = automaton.to_exact()
    for x in xs:
        computed = batch.scores(automaton, prefixes(x))
        assert share(computed, *prefix_bounds(exact, x, FLOAT64)) <= 1
        scores, bounds = prefix_bounds(automaton, x, FLOAT64)
        assert share(computed, scores, bounds) <= 1


@over_both_semirings
@some_cases(st.data())
def test_a_batch_has_the_bounds_of_its_strings(semiring, data):
    automaton = data.draw(automata(semiring, epsilon="acyclic", extreme=True))
    xs = data.draw(st.lists(strings("ab", run=12), min_size=1, max_size=4))
    for side in (automaton, automaton.to_float()):
        read = encode(side.index, xs)
        scores, bounds = bound_table(side, read, FLOAT32, no_deviation(side))
        for row, index in enumerate(read.order.tolist()):
            one_scores, one_bounds = prefix_bounds(side, xs[index], FLOAT32, no_deviation(side))
            length = len(xs[index]) + 1
            assert np.array_equal(scores[row, :length], one_scores, equal_nan=scores.dtype != object)
            assert bounds[row, :length].tolist() == pytest.approx(one_bounds.tolist(), rel=1e-9)


@some_cases(st.data(), st.sampled_from([REAL, MAX_PLUS]), st.booleans())
def test_several_automata_have_their_individual_bounds(data, semiring, exact):
    """Some share matrices and differ in final weights; some weights may deviate."""
    least, kind = data.draw(st.sampled_from([0, 3])), data.draw(st.sampled_from(["none", "acyclic"]))
    drawn = automata(semiring, least_states=least, most_states=3, exact=exact, epsilon=kind)
    some = data.draw(st.lists(drawn, min_size=1, max_size=3))
    first = some[0]
    some += [first.replace(final=first.final[::-1].copy()), first.replace(matrices=first.matrices[::-1])]
    if first.has_epsilon:
        some.append(first.replace(epsilon=semiring.times(first.epsilon, first.epsilon)))
    xs = data.draw(st.lists(strings("ab", longest=6, run=8), min_size=1, max_size=3))
    off = data.draw(st.sampled_from([0.0, 1e-6]))
    deviations = [
        Deviation(*(np.full(shape, off) for shape in (a.matrices.shape, a.states, a.states, (a.states,) * 2)))
        for a in some
    ]
    for x, (scores, bounds) in zip(xs, unit_bounds(some, xs, FLOAT32, deviations), strict=True):
        assert scores.shape == bounds.shape == (len(x) + 1, len(some))
        for unit, (automaton, deviation) in enumerate(zip(some, deviations, strict=True)):
            one_scores, one_bounds = prefix_bounds(automaton, x, FLOAT32, deviation)
            assert scores[:, unit].tolist() == one_scores.tolist()
            assert bounds[:, unit].tolist() == pytest.approx(one_bounds.tolist(), rel=1e-9)


def test_automata_that_number_their_matrices_differently_have_their_own_scores():
    """Automata from edges merge equal matrices; then b's matrix has the index 0 in one and 1 in the other."""
    one, other = (
        WFSA.from_edges(
            REAL, 1, "abc", [(0, 1)], [(0, 1)], [(0, 0, x, w) for x, w in zip("abc", weights, strict=True)]
        )
        for weights in (("1/2", "1/2", 1), ("1/2", 1, 1))
    )
    ((scores, _),) = unit_bounds([one, other], ["b"], FLOAT32)
    assert scores[-1].tolist() == [Fraction(1, 2), 1]


@few_cases(st.data(), st.sampled_from([REAL, MAX_PLUS]), st.integers(0, 8))
def test_bounds_do_not_depend_on_the_number_of_vectors_read_out(data, semiring, at_once):
    some = data.draw(st.lists(automata(semiring, most_states=3), min_size=1, max_size=3))
    xs = data.draw(st.lists(strings("ab", longest=6, run=8), min_size=1, max_size=3))

    def tables():
        yield bound_table(some[0], encode(some[0].index, xs), FLOAT32)
        yield from unit_bounds(some, xs, FLOAT32)

    with pytest.MonkeyPatch.context() as patch:
        expected = list(tables())
        patch.setattr("automata.rounding.steps.NUMBERS_AT_ONCE", at_once)
        for (scores, bounds), (right, right_bounds) in zip(tables(), expected, strict=True):
            assert scores.tolist() == right.tolist() and bounds.tolist() == right_bounds.tolist()


@some_cases(st.lists(st.tuples(*[st.floats() | st.sampled_from([0.0, 1.0, 1 + 2.0**-52])] * 3), min_size=1))
def test_shares_are_those_of_each_number(numbers):
    computed, values, bounds = map(np.array, zip(*numbers, strict=True))
    values, bounds = np.nan_to_num(values), np.abs(bounds)
    for one, *number in zip(shares(computed, values, bounds), computed, values, bounds, strict=True):
        right = share(*([x] for x in number))
        assert (one <= 1) == (right <= 1) and one == pytest.approx(right, rel=1e-12)


def unit_of(f, u):
    """Return a unit of Example 6 with the forget gates f and the updates u, one symbol for each step."""
    tables = {t: [[1, Fraction(float(u[t]))], [0, Fraction(float(f[t]))]] for t in range(len(f))}
    return WFSA(REAL, [1, 0], [0, 1], tables)


def run(f, u, dtype):
    c = dtype(0)
    states = [c]
    for a, b in zip(f, u, strict=True):
        c = dtype(dtype(a * c) + b)
        states.append(c)
    return states


@in_both_formats
def test_the_bound_of_a_gated_unit_is_tight_within_the_stated_factor(dtype, kind):
    """Among a few hundred random units with two to four steps, the largest error is close to its bound."""
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(450):
        steps = int(rng.integers(2, 5))
        f, u = rng.random(steps).astype(dtype), rng.standard_normal(steps).astype(dtype)
        worst = max(worst, share(run(f, u, dtype), *prefix_bounds(unit_of(f, u), range(steps), kind)))
    assert 1 / TIGHT < worst <= 1


@in_both_formats
@pytest.mark.parametrize("terms", range(2, 17))
def test_additions_that_all_round_up_by_half_an_ulp_use_the_full_bound(dtype, kind, terms):
    """Each addition after the first rounds up by almost half a unit in the last place."""
    weights = [dtype(1.0), *[dtype(kind.unit * (1 + 2.0**-10))] * (terms - 1)]
    total = weights[0]
    for weight in weights[1:]:
        total = dtype(total + weight)
    exactly = [Fraction(float(w)) for w in weights]
    scores, bounds = prefix_bounds(WFSA(REAL, exactly, [1] * terms, {}), "", kind)
    assert 0.99 < share([float(total)], scores, bounds) <= 1
    into_first = [[w, *[0] * (terms - 1)] for w in exactly]
    scores, bounds = prefix_bounds(
        WFSA(REAL, [1] * terms, [1] + [0] * (terms - 1), {"a": into_first}), "a", kind
    )
    assert 0.99 < share([float(total)], scores[1:], bounds[1:]) <= 1


def test_underflow_stays_within_the_bound():
    """The product of two small values is 0 in float32, and so is the next."""
    for weight in (2.0**-100, 2.0**-140, 2.0**-149):
        small = WFSA(REAL, [1.0], [1.0], {"a": [[weight]]}).to_exact()
        computed = [1.0, weight, float(np.float32(weight) * np.float32(weight)), 0.0]
        assert share(computed, *prefix_bounds(small, "aaa", FLOAT32)) <= 1
    tiny = WFSA(REAL, [1.0], [1.0], {"a": [[2.0**-600]]}).to_exact()
    assert share([1.0, 2.0**-600, 0.0], *prefix_bounds(tiny, "aa", FLOAT64)) <= 1


def test_a_negative_bound_is_refused():
    """A negative bound would allow any difference."""
    with pytest.raises(ValueError, match=r"a bound must not be negative, got -0\.5"):
        share([1.0], [0], [-0.5])
    with pytest.raises(ValueError, match=r"a bound must not be negative, got -1\.0"):
        shares(np.array([1e6]), np.array([168.75]), np.array([-1.0]))


def test_a_float64_reference_counts_its_own_rounding():
    """Two float64 runs may err in opposite directions: the bound is twice that of one run."""
    unit = unit_of(np.array([0.3, 0.7, 0.9]), np.array([0.1, -0.2, 1.3]))
    exact, both = (
        prefix_bounds(unit, range(3), FLOAT64)[1],
        prefix_bounds(unit.to_float(), range(3), FLOAT64)[1],
    )
    assert (both[2:] >= 1.9 * exact[2:]).all()


def test_weights_that_are_not_representable_are_rounded_first():
    third = WFSA(REAL, ["1/3"], ["1/7"], {"a": [["2/3"]]})
    for dtype, kind in ((np.float32, FLOAT32), (np.float64, FLOAT64)):
        c = dtype(dtype(1) / dtype(3))
        two, seventh = dtype(dtype(2) / dtype(3)), dtype(dtype(1) / dtype(7))
        computed = [float(c * seventh), float(dtype(c * two) * seventh)]
        assert share(computed, *prefix_bounds(third, "a", kind)) <= 1


def test_epsilon_must_be_removed_first():
    with pytest.raises(InputError, match="epsilon transitions; remove them"):
        prefix_bounds(WFSA(REAL, [1.0], [1.0], {}, epsilon=[[0.5]]), "", FLOAT64)


def test_semirings_without_a_derived_bound_are_refused():
    with pytest.raises(InputError, match="the semiring must be real or max-plus, got min-plus"):
        prefix_bounds(WFSA(MIN_PLUS, [0], [0], {}), "", FLOAT64)


def test_minus_infinity_and_what_has_overflowed_make_nan():
    """2^127 + 2^127 is infinite in float32, and its sum with a final weight of -infinity is NaN. No finite
    bound holds, although the exact score is -infinity.
    """
    automaton = WFSA(MAX_PLUS, [0], [-np.inf], {"b": [[Fraction(2) ** 127]]})
    with np.errstate(all="ignore"):
        assert np.isnan(float_scores(automaton, "bb", np.float32, np.random.default_rng(0))[-1])
    _, bounds = prefix_bounds(automaton, "bb", FLOAT32)  # the bound ends at a quarter of the range
    assert bounds.tolist() == [0, np.inf, np.inf]


@over_both_semirings
@some_cases(st.data(), st.integers(0, 2**32 - 1))
def test_weights_that_deviate_stay_within_the_bound(semiring, data, seed):
    """Initial, final and transition weights may take any value within the deviation; -infinity stays."""
    automaton = data.draw(automata(semiring, most_states=3))
    x = data.draw(strings("ab", longest=6, run=0))
    rng = np.random.default_rng(seed)
    parts, slacks = {}, {}
    for name in ("matrices", "initial", "final"):
        weights = getattr(automaton, name)
        slacks[name] = rng.random(weights.shape) * 0.5 * (rng.random(weights.shape) < 0.5)
        moves = slacks[name] * rng.choice([-1.0, 0.5, 1.0], size=weights.shape)
        moved = [
            w if w == -np.inf else w + Fraction(m) for w, m in zip(weights.flat, moves.flat, strict=True)
        ]
        parts[name] = np.array([*moved, None], dtype=object)[:-1].reshape(weights.shape)
    scores, bounds = prefix_bounds(automaton, x, FLOAT64, Deviation(**slacks))
    with np.errstate(all="ignore"):
        computed = float_scores(automaton.replace(**parts).to_float(), x, np.float64, rng)
    # The rounding of the deviated weights to float64 is one more rounding for each symbol.
    assert share(computed, scores, bounds * (1 + 1e-6) + 1e-12) <= 1


def test_the_max_plus_bound_is_tight_within_the_stated_factor():
    """At least one sum of a few terms uses most of its bound, and only the largest term counts."""
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(300):
        weights = [Fraction(float(w)) for w in rng.random(3).astype(np.float32)]
        chain = WFSA(MAX_PLUS, [weights[0], -1000], [0, -1], {"a": [[weights[1], 0], ["-inf", weights[2]]]})
        worst = max(
            worst, share(float_scores(chain, "aa", np.float32, rng), *prefix_bounds(chain, "aa", FLOAT32))
        )
    assert 1 / TIGHT < worst <= 1


def test_maxima_and_additions_of_zero_are_exact():
    """Every score is one weight plus zeros, or -infinity, so all prefixes have the bound 0."""
    largest = WFSA(
        MAX_PLUS, [0, "-inf"], ["-inf", 0], {"a": [[0, 5], ["-inf", 0]], "b": [[0, "1/4"], ["-inf", 0]]}
    )
    assert prefix_bounds(largest, "abab", FLOAT32)[1].tolist() == [0, 0, 0, 0, 0]
    assert share([-np.inf, 5.0], *(v[:2] for v in prefix_bounds(largest, "a", FLOAT32))) <= 1
    assert share([0.0, 5.0], *(v[:2] for v in prefix_bounds(largest, "a", FLOAT32))) == np.inf


def test_a_term_that_may_be_the_largest_counts_with_its_error():
    """0 is compared with -1/10, which may be off by 1, so the maximum may be up to 9/10. For -3 in place of
    -1/10, the maximum is 0.
    """
    for second, right in (("-1/10", 0.9), (-3, 0.0)):
        two = WFSA(MAX_PLUS, [0, 0], [0, "-inf"], {"a": [[0, "-inf"], [second, "-inf"]]})
        slack = Deviation(np.array([[[0.0, 0.0], [1.0, 0.0]]]), np.zeros(2))
        assert right <= prefix_bounds(two, "a", FLOAT64, slack)[1][1] <= (1.001 if right else 0)


def test_a_float64_reference_counts_its_own_rounding_over_max_plus():
    chain = WFSA(MAX_PLUS, [Fraction(0.3)], [Fraction(0.7)], {"a": [[Fraction(0.1)]]})
    exact, both = prefix_bounds(chain, "aa", FLOAT64)[1], prefix_bounds(chain.to_float(), "aa", FLOAT64)[1]
    assert (both >= 1.9 * exact).all() and (exact > 0).all()


FORMATS = {
    np.float32: (FLOAT32, Fraction(1, 2**24), Fraction(1, 2**126)),
    np.float64: (FLOAT64, Fraction(1, 2**53), Fraction(1, 2**1022)),
}


def derived_real(terms, u, tiny):
    """Return the bound on a rounded sum of products.

    Each term is a tuple: a component of omega, its error, a weight, and the weight's error.
    """
    terms = [(o, e, w, s) for o, e, w, s in terms if (o or e) and (w or s)]
    additions = max(len(terms) - 1, 0)
    error = Fraction(0)
    for o, e, w, s in terms:
        multiplied = not ((abs(o) == 1 and not e) or (abs(w) == 1 and not s))
        r = multiplied + max(additions - 1, 0)
        error += e * abs(w) + (abs(o) + e) * s  # inherited error
        error += r * u / (1 - r * u) * (abs(o) + e) * (abs(w) + s) + multiplied * tiny  # own error
    if additions:
        error += u * (abs(sum(o * w for o, _, w, _ in terms)) + error)  # the last addition
    return error, error


def derived_max_plus(terms, u, tiny):
    """Return the smallest and the largest correct bound on a rounded maximum of sums.

    The largest bound also counts terms that can be the maximum only if every sum has a relative error of
    2^-38.
    """
    terms = [(o, e, w, s) for o, e, w, s in terms if -np.inf not in (o, w)]
    off = [
        e + s + ((u * (abs(o + w) + e + s) + tiny) if (o or e) and (w or s) else 0) for o, e, w, s in terms
    ]
    sums = [o + w for o, _, w, _ in terms]
    bounds = []
    for blur in (0, Fraction(1, 2**38)):
        reach = [d + blur * abs(t) for d, t in zip(off, sums, strict=True)]
        least = max((t - r for t, r in zip(sums, reach, strict=True)), default=0)
        candidates = zip(off, sums, reach, strict=True)
        bounds.append(max((d for d, t, r in candidates if t + r >= least), default=Fraction(0)))
    return tuple(bounds)


def derived(automaton, string, dtype, slack):
    """Return two lists, the smallest and the largest correct bound for each prefix of the string.

    The bounds are computed step by step, without rounding.
    """
    _, u, tiny = FORMATS[dtype]
    bound = derived_real if automaton.semiring is REAL else derived_max_plus

    def missed(w):
        return Fraction(0) if w == -np.inf else abs(Fraction(float(dtype(float(w)))) - w)

    states = range(automaton.states)
    result = []
    for which in (0, 1):
        errors = [missed(automaton.initial[q]) + Fraction(slack.initial[q]) for q in states]
        ends = [missed(automaton.final[q]) + Fraction(slack.final[q]) for q in states]
        row = []
        for length in range(len(string) + 1):
            omega = automaton.initial
            if length:
                symbol = automaton.index[string[length - 1]]
                table, off = automaton.matrices[symbol], slack.matrices[symbol]
                before = omega_of(automaton, string[: length - 1])
                omega = omega_of(automaton, string[:length])
                columns = [
                    [
                        (before[p], errors[p], table[p, q], missed(table[p, q]) + Fraction(off[p, q]))
                        for p in states
                    ]
                    for q in states
                ]
                errors = [bound(column, u, tiny)[which] for column in columns]
            row.append(
                bound([(omega[q], errors[q], automaton.final[q], ends[q]) for q in states], u, tiny)[which]
            )
        result.append(row)
    return result


def omega_of(automaton, string):
    """Return the exact Forward scores of all states after the string."""
    k, omega = automaton.semiring, automaton.initial
    for symbol in string:
        omega = k.sum(k.times(omega[:, None], automaton.matrix(symbol)), axis=0)
    return omega


@pytest.mark.parametrize("dtype", FORMATS, ids=["float32", "float64"])
@over_both_semirings
@given(st.data(), st.integers(0, 2**32 - 1))
def test_the_computed_bound_is_the_derived_one(semiring, dtype, data, seed):
    """Compared in fractions, the bound is no smaller, and larger by less than one part in a billion."""
    automaton = data.draw(automata(semiring, least_states=1))
    x = data.draw(strings("ab", longest=3, run=0))
    rng = np.random.default_rng(seed)
    parts = (getattr(automaton, name).shape for name in ("matrices", "initial", "final"))
    slack = Deviation(
        *(rng.choice([0.0, 2.0**-24, 0.5, 8.0], size=shape, p=[0.4, 0.2, 0.2, 0.2]) for shape in parts)
    )
    least, largest = derived(automaton, x, dtype, slack)
    bounds = prefix_bounds(automaton, x, FORMATS[dtype][0], slack)[1]
    for low, bound, high in zip(least, bounds.tolist(), largest, strict=True):
        assert low <= Fraction(bound) <= high * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize(("start", "weight"), [(0, 1), (1, 0)])
def test_a_sum_with_a_zero_that_may_deviate_rounds(start, weight):
    one = WFSA(MAX_PLUS, [start], [0], {"a": [[weight]]})
    slack = Deviation(np.array([[[0.5 * start]]]), np.array([0.5 * weight]))
    assert prefix_bounds(one, "a", FLOAT32, slack)[1][1] >= 0.5 + 1.5 * FLOAT32.unit


def test_terms_that_are_equal_in_float64_may_each_be_the_largest():
    """The terms are 1, which may be off by 2^-54, and 1 + 2^-60."""
    second = 1 + Fraction(1, 2**60)
    two = WFSA(MAX_PLUS, [0, 0], [0, "-inf"], {"a": [[1, "-inf"], [second, "-inf"]]})
    slack = Deviation(np.array([[[2.0**-54, 0.0], [0.0, 0.0]]]), np.zeros(2))
    assert Fraction(prefix_bounds(two, "a", FLOAT64, slack)[1][1]) >= 1 + Fraction(1, 2**54) - second


@pytest.mark.parametrize("dtype", FORMATS, ids=["float32", "float64"])
def test_formats_agree_with_numpy(dtype):
    known, kind = np.finfo(dtype), FORMATS[dtype][0]
    assert (kind.unit, kind.tiny, kind.largest) == (known.eps / 2, known.smallest_normal, known.max)


@given(
    st.lists(st.one_of(st.fractions(), st.sampled_from([Fraction(1, 10**60), Fraction(10**30)])), min_size=1)
)
def test_the_deviation_is_at_least_the_representation_error_of_the_dtype(values):
    exact = np.array([*values, None], dtype=object)[:-1]
    for dtype, (kind, _, _) in FORMATS.items():
        for value, off in zip(values, representation_error(exact, kind).tolist(), strict=True):
            missed = abs(Fraction(float(dtype(float(value)))) - value)
            assert missed <= Fraction(off) <= missed * (1 + Fraction(1, 2**52)) + Fraction(1, 2**1074)
    for value, above in zip(values, upper(exact).tolist(), strict=True):
        assert abs(value) <= Fraction(above) <= abs(value) * (1 + Fraction(1, 2**52)) + Fraction(1, 2**1074)


def test_floats_and_infinities_deviate_by_the_error_of_float32():
    floats = np.array([0.1, -0.1, 0.5, 1e300, np.inf, -np.inf])
    miss = abs(0.1 - float(np.float32(0.1)))
    assert representation_error(floats, FLOAT32).tolist() == [miss, miss, 0, np.inf, 0, 0]
    assert representation_error(floats, FLOAT64).tolist() == [0] * 6
    huge = np.array([Fraction(10**400), Fraction(10**300), np.inf, -np.inf], dtype=object)
    assert representation_error(huge, FLOAT32).tolist() == [np.inf, np.inf, 0, 0]
    assert upper(huge).tolist() == [np.inf, pytest.approx(1e300), np.inf, np.inf]
    assert upper(-floats).tolist() == upper(floats).tolist() == np.abs(floats).tolist()


@over_both_semirings
@pytest.mark.parametrize("kind", [FLOAT32, FLOAT64], ids=["float32", "float64"])
def test_a_bound_ends_at_a_quarter_of_the_largest_value(semiring, kind):
    """The number x is below the limit, but x + x may be above it.

    In the real semiring, x + x is the sum of two paths. In max-plus, it is the weight of one path.
    """
    for share_of, finite in ((0.99, True), (1.01, False)):
        half = kind.largest / 4 * share_of / 2
        if semiring is REAL:
            two = WFSA(REAL, [1, 1], [1, 0], {"a": [[half, 0], [half, 0]]}).to_exact()
        else:
            two = WFSA(MAX_PLUS, [half, 0], [0, "-inf"], {"a": [[half, "-inf"], [1, "-inf"]]}).to_exact()
        assert np.isfinite(prefix_bounds(two, "a", kind)[1]).tolist() == [True, finite]


@over_both_semirings
def test_deviations_count_towards_the_overflow_limit(semiring):
    """A weight of 1 may deviate by up to an eighth of the largest float.

    The limit is a quarter, and the deviation counts twice: in the intermediate value and in its error.
    """
    one, ends = WFSA(semiring, [1], [Fraction(1, 1024)], {"a": [[1]]}), np.zeros(1)
    for share_of, finite in ((0.12, True), (0.13, False)):
        slack = Deviation(np.full((1, 1, 1), FLOAT32.largest * share_of), ends, ends)
        assert np.isfinite(prefix_bounds(one, "a", FLOAT32, slack)[1][1]) == finite


def test_a_float64_reference_of_a_float32_computation_adds_little():
    third = WFSA(REAL, ["1/3"], ["2/3"], {"a": [["1/7"]]})
    exact, both = (
        prefix_bounds(a, "aa", FLOAT32)[1] for a in (third.to_float().to_exact(), third.to_float())
    )
    assert (exact < both).all() and (both < exact * (1 + 1e-8)).all()


def test_nothing_is_compared_without_a_bound():
    assert bounded(np.array([0.0, 1e308, np.inf, np.nan])).tolist() == [True, True, False, False]
    assert share([], [], []) == 0
    assert share([1.0], [0], [0.0]) == share([1e308], [-(10**308)], [5e-324]) == np.inf
    assert share([1.0, -3.0], [0, 0], [4.0, 4.0]) == 0.75
    assert share([1.0], [np.inf], [1.0]) == share([1.0], [-np.inf], [1.0]) == np.inf


@over_both_semirings
def test_deviations_have_the_shape_of_the_matrices(semiring):
    with pytest.raises(ShapeError, match=r"deviation\.matrices must have shape"):
        prefix_bounds(WFSA(semiring, [0], [0], {"a": [[0]]}), "a", FLOAT64, Deviation(*[np.zeros(1)] * 3))


def test_a_sum_of_too_many_terms_has_no_bound():
    """If r roundings may change a term by all of its size, the bound is infinite, not negative."""
    for states, finite in ((200, True), (257, False), (300, False)):
        a = WFSA(REAL, [0.3] * states, [0.7] * states, {"a": [[0.001] * states] * states})
        bounds = prefix_bounds(a, "a", BFLOAT16)[1]
        assert (bounded(bounds) == finite).all()
        assert (bounds > 0).all()


@over_both_semirings
def test_some_computation_with_epsilon_uses_much_of_the_bound(semiring):
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(40):
        a, b, c, d = (Fraction(float(np.float32(rng.random()))) for _ in range(4))
        arrows = [(0, 1, "a", a), (1, 1, "a", b), (0, 1, "", c), (1, 2, "", d), (0, 0, "a", semiring.one)]
        chain = WFSA.from_edges(semiring, 3, "a", [(0, semiring.one)], [(2, semiring.one)], arrows)
        sides = prefix_bounds(chain, "aaa", FLOAT32, no_deviation(chain))
        worst = max(worst, share(float_scores(chain, "aaa", np.float32, rng), *sides))
    assert 0.3 < worst <= 1


def test_deviations_of_epsilon_weights_are_in_the_bound():
    chain = WFSA(REAL, [1, 0], [0, 1], {}, epsilon=[[0, 1], [0, 0]])
    off = no_deviation(chain)
    off.epsilon[0, 1] = 1e-3
    assert prefix_bounds(chain, "", FLOAT32, no_deviation(chain))[1][0] == 0
    assert 1e-3 <= prefix_bounds(chain, "", FLOAT32, off)[1][0] < 1.1e-3


@pytest.mark.parametrize("entry", [(0, 0), (1, 0)])
def test_epsilon_leads_to_higher_states(entry):
    silent = np.zeros((2, 2))
    silent[entry] = 0.5
    back = WFSA(REAL, [1.0, 0.0], [0.0, 1.0], {}, epsilon=silent)
    with pytest.raises(InputError, match="every epsilon transition must lead to a higher-numbered state"):
        prefix_bounds(back, "", FLOAT32, no_deviation(back))
