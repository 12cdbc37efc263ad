"""Tests of the exact laws of the semirings (Definition 1), and of the deviation from each law in float64."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError, WeightError
from automata.rounding.bounds import FLOAT64
from automata.semirings import (
    BOOLEAN,
    COUNTING,
    LOG,
    MAX_PLUS,
    MAX_TIMES,
    MIN_PLUS,
    REAL,
    SEMIRINGS,
    semiring,
)
from automata.testing.strategies import weights
from proofs_tests.automata.examples import few_cases, over, some_cases

EXACT = [k for k in SEMIRINGS.values() if not k.float_only]
U, G2 = FLOAT64.unit, FLOAT64.gamma(2)


def three(k):
    return st.tuples(weights(k), weights(k), weights(k))


each = over(EXACT)
moderate = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-6)
positive = moderate.map(abs)


LAWS = {
    "plus is associative": lambda k, a, b, c: (k.plus(k.plus(a, b), c), k.plus(a, k.plus(b, c))),
    "plus is commutative": lambda k, a, b, c: (k.plus(a, b), k.plus(b, a)),
    "times is associative": lambda k, a, b, c: (k.times(k.times(a, b), c), k.times(a, k.times(b, c))),
    "times is commutative": lambda k, a, b, c: (k.times(a, b), k.times(b, a)),
    "distributive": lambda k, a, b, c: (k.times(a, k.plus(b, c)), k.plus(k.times(a, b), k.times(a, c))),
    "zero and one are identities": lambda k, a, b, c: (k.plus(a, k.zero), k.times(a, k.one)),
    "one is an identity": lambda k, a, b, c: (k.times(a, k.one), a),
    "zero annihilates": lambda k, a, b, c: (k.times(a, k.zero), k.zero),
}


@each
@pytest.mark.parametrize("law", LAWS)
@some_cases(st.data())
def test_a_law_holds(k, law, data):
    left, right = LAWS[law](k, *data.draw(three(k)))
    assert left == right


@each
@few_cases(st.data())
def test_an_array_and_a_number_are_combined_elementwise(k, data):
    several, b = data.draw(st.lists(weights(k, extreme=False), min_size=1, max_size=3)), data.draw(weights(k))
    array = np.array([*several, None], dtype=object)[:-1].astype(k.dtype(exact=True))
    for operation in (k.plus, k.times):
        assert operation(array, b).tolist() == [operation(a, b) for a in several]
        assert operation(b, array).tolist() == [operation(b, a) for a in several]


@over([MAX_PLUS, MIN_PLUS])
def test_an_infinity_is_added_to_fractions_beyond_all_floats(k):
    array = np.array([Fraction(10**400), k.zero, Fraction(1)], dtype=object)
    assert k.times(array, k.zero).tolist() == k.times(k.zero, array).tolist() == [k.zero] * 3
    assert k.times(Fraction(10**400), k.zero) == k.times(k.zero, Fraction(10**400)) == k.zero


@over([REAL, MAX_PLUS, MIN_PLUS, MAX_TIMES])
@few_cases(st.data())
def test_division_inverts_multiplication_exactly(k, data):
    a, b = data.draw(weights(k)), data.draw(weights(k).filter(lambda w: w != k.zero))
    assert k.divide_numbers(k.times(a, b), b) == a
    assert k.divide_numbers(3, 7) == (-4 if k in (MAX_PLUS, MIN_PLUS) else Fraction(3, 7))


@over(SEMIRINGS.values())
@few_cases(st.data())
def test_parse_reads_what_format_writes(k, data):
    a = data.draw(weights(k))
    assert k.parse(k.format(a)) == a


@over(SEMIRINGS.values())
def test_a_semiring_is_found_by_its_name_and_survives_pickling(k):
    assert semiring(k.name) is k is pickle.loads(pickle.dumps(k))


@given(st.tuples(moderate, moderate, moderate))
def test_real_floats_break_laws_by_at_most_the_stated_amount(abc):
    a, b, c = abc
    size = abs(a) + abs(b) + abs(c)
    assert abs(((a + b) + c) - (a + (b + c))) <= 2 * G2 * size * (1 + 4 * U)
    assert abs((a * b) * c - a * (b * c)) <= 2 * G2 * abs(a * b * c) * (1 + 4 * U)
    assert abs(a * (b + c) - (a * b + a * c)) <= 2 * G2 * abs(a) * (abs(b) + abs(c)) * (1 + 4 * U)


@over([MAX_PLUS, MIN_PLUS])
@some_cases(st.tuples(moderate, moderate, moderate))
def test_tropical_floats_distribute_exactly_and_break_only_associativity_of_times(k, abc):
    a, b, c = abc
    assert k.times(a, k.plus(b, c)) == k.plus(k.times(a, b), k.times(a, c))
    assert k.plus(k.plus(a, b), c) == k.plus(a, k.plus(b, c))
    assert abs((a + b) + c - (a + (b + c))) <= 2 * G2 * (abs(a) + abs(b) + abs(c)) * (1 + 4 * U)


@some_cases(st.tuples(positive, positive, positive))
def test_max_times_floats_distribute_exactly_and_break_only_associativity_of_times(abc):
    a, b, c = abc
    assert a * max(b, c) == max(a * b, a * c)
    assert abs((a * b) * c - a * (b * c)) <= 2 * G2 * a * b * c * (1 + 4 * U)


@given(st.tuples(*[st.floats(-700, 700)] * 3))
def test_log_floats_break_laws_by_at_most_the_stated_amount(abc):
    a, b, c = abc
    most = max(map(abs, abc)) + math.log(3)
    once = 3 * U * most + 4 * U
    assert abs(LOG.plus(LOG.plus(a, b), c) - LOG.plus(a, LOG.plus(b, c))) <= 4 * once
    m = abs(a) + max(abs(b), abs(c)) + 1
    left, right = LOG.times(a, LOG.plus(b, c)), LOG.plus(LOG.times(a, b), LOG.times(a, c))
    assert abs(left - right) <= 2 * (3 * U * m + 4 * U) + 4 * U * m


@pytest.mark.parametrize(
    ("k", "law", "abc"),
    [
        (REAL, "plus", (1.0, U, U)),
        (REAL, "times", (0.1, 0.2, 0.3)),
        (REAL, "distributive", (0.1, 0.1, 0.3)),
        (MAX_PLUS, "times", (0.1, 0.2, 0.3)),
        (MIN_PLUS, "times", (0.1, 0.2, 0.3)),
        (MAX_TIMES, "times", (0.1, 0.2, 0.3)),
        (LOG, "plus", (0.1, 0.1, 0.7)),
        (LOG, "times", (0.1, 0.2, 0.3)),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_each_law_documented_as_broken_is_broken(k, law, abc):
    a, b, c = abc
    if law == "distributive":
        assert k.times(a, k.plus(b, c)) != k.plus(k.times(a, b), k.times(a, c))
    else:
        operation = getattr(k, law)
        assert operation(operation(a, b), c) != operation(a, operation(b, c))


@pytest.mark.parametrize(
    ("k", "light", "heavy"),
    [
        (REAL, Fraction(1, 2), Fraction(1)),
        (MAX_PLUS, Fraction(0), Fraction(1, 2)),
        (MIN_PLUS, Fraction(0), Fraction(-1, 2)),
        (MAX_TIMES, Fraction(1), Fraction(3, 2)),
        (LOG, -0.25, 0.0),
        (COUNTING, 0, 1),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_star_exists_iff_the_sum_does(k, light, heavy):
    star = k.star(light)
    once_more = k.plus(k.one, k.times(light, star))
    assert once_more == (pytest.approx(star, rel=1e-15) if k is LOG else star)
    with pytest.raises(WeightError, match="does not exist"):
        k.star(heavy)


@pytest.mark.parametrize("a", [-1e-12, -1e-3, -0.5, -0.75, -5.0, -50.0, -700.0])
def test_the_logarithmic_star_is_accurate(a):
    """-log(1 - e^a) is accurate for a near 0 and far below 0, where e^a is close to 1 and to 0."""
    power = sum(Fraction(a) ** n / math.factorial(n) for n in range(1, 30)) if a > -1 else None  # e^a - 1
    expected = math.exp(a) if a < -40 else -math.log(1 - math.exp(a)) if power is None else -math.log(-power)
    assert LOG.star(a) == pytest.approx(expected, rel=1e-13, abs=0)


def test_boolean_star_is_always_true():
    assert BOOLEAN.star(True) is BOOLEAN.star(False) is True


@pytest.mark.parametrize(
    ("k", "text"),
    [
        (REAL, "inf"),
        (REAL, "nan"),
        (MAX_PLUS, "inf"),
        (MIN_PLUS, "-inf"),
        (MAX_TIMES, "-1"),
        (COUNTING, "1/2"),
        (COUNTING, "-1"),
        (BOOLEAN, "1"),
        (LOG, "inf"),
        (LOG, "1e400"),
        (REAL, ""),
        (REAL, "1/0"),
        (REAL, "1_000"),
        (REAL, "٣"),
        (REAL, "1e999999999"),
        (REAL, "9" * 5000),
        (REAL, "0x10"),
        (REAL, " 1"),
        (REAL, "+-1"),
    ],
    ids=lambda value: getattr(value, "name", str(value)[:12]),
)
def test_a_value_that_is_not_a_weight_is_refused(k, text):
    with pytest.raises(WeightError) as error:
        k.parse(text)
    assert "\n" not in str(error.value) and len(str(error.value)) < 250


def test_there_is_no_exact_log_semiring():
    with pytest.raises(InputError, match="does not support exact arithmetic"):
        LOG.exact(1.0)


def test_two_numbers_never_overflow():
    assert REAL.plus(2**63, 2**63) == 2**64
    assert COUNTING.times(2**40, 2**40) == 2**80


def test_an_empty_sum_is_zero():
    for k in SEMIRINGS.values():
        assert k.sum(k.zeros(0, exact=not k.float_only)) == k.zero
        assert k.sum(np.empty((2, 0), dtype=k.dtype(True)), axis=1).tolist() == [k.zero] * 2


def test_huge_numbers_can_be_written():
    huge = Fraction(3) ** 20000 / Fraction(2) ** 20000
    assert len(REAL.format(huge)) > 15000


@over([MAX_PLUS, MIN_PLUS])
def test_tropical_weights_beyond_all_floats_are_weights(k):
    """Python converts a number to a float when it adds it to an infinity."""
    huge = Fraction(10**400, 3)
    assert k.times(huge, k.zero) == k.times(k.zero, huge) == k.zero and k.times(huge, huge) == 2 * huge
    assert k.multiply_numbers(huge, k.zero) == k.zero == k.divide_numbers(k.zero, huge)
    assert k.divide_numbers(huge, huge) == 0
    row, column = np.array([[huge, k.zero]], dtype=object), np.array([[k.zero], [huge]], dtype=object)
    assert k.matmul(row, column).tolist() == [[k.zero]] and k.matmul(row, row.T).tolist() == [[2 * huge]]


@each
@few_cases(st.data())
def test_a_dot_product_is_the_sum_of_the_products(k, data):
    pairs = data.draw(st.lists(st.tuples(weights(k), weights(k)), max_size=4))
    one, other = (np.array([pair[i] for pair in pairs] + [k.zero], dtype=k.dtype(True)) for i in (0, 1))
    assert k.dot(one, other) == k.sum(k.times(one, other))
