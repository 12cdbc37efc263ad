"""Tests of the proof that a unit that is a quotient is not an automaton of any size.

The extracted step computes the unit, and the strings of the theorem require many states.
"""

from dataclasses import replace
from fractions import Fraction

import flint
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ratproof.certification.not_rational.every_size import BITS, EverySize, NoProof, every_size
from ratproof.certification.not_rational.hankel_bound import Bound, bound, largest
from ratproof.certification.not_rational.intervals import HypothesisFails
from ratproof.certification.not_rational.quotients import BEFORE, find_quotient
from ratproof.certification.not_rational.symbols import Symbols
from theory.not_rational.arithmetic import BALLS
from theory.not_rational.cell import Cell
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import WeightedCell, some

QUOTIENTS = ["linear-attention", "mesa-net", "mlstm", "rwkv-4", "softmax-attention"]


def unit_after(cell, word, unit=0):
    state, weights = cell.start(BALLS), cell.over(BALLS.number)
    for letter in word:
        state = cell.cell.step(weights, state, cell.letters.index(letter), BALLS)
    return cell.cell.units(state)[unit]


@pytest.mark.parametrize("name", QUOTIENTS)
def test_the_theorem_covers_quotients(name):
    theorem = every_size(some(CELLS[name]))
    assert isinstance(theorem, EverySize)
    assert theorem.where.startswith(("on a and then 33 + m times b", "on b and then 33 + m times a"))


@pytest.mark.parametrize("name", QUOTIENTS)
@settings(max_examples=25)
@given(st.data(), st.integers(0, 10**6), st.integers(0, 40))
def test_the_extracted_step_computes_the_unit(name, data, seed, m):
    units = data.draw(st.integers(1, 1 if name == "mesa-net" else 3))
    cell = some(CELLS[name], units, seed=seed)
    with flint.ctx.workprec(BITS):
        try:
            quotient = find_quotient(cell, units - 1, 1, 0)
        except HypothesisFails:
            assume(False)
        value = quotient.value(m)
        assert value.overlaps(unit_after(cell, "b" + "a" * (BEFORE + 1 + m), units - 1))
        assert value.rad() < 1e-20


@pytest.mark.parametrize("units", [2, 3])
def test_a_unit_with_a_denominator_of_higher_degree_is_refused(units):
    """MesaNet solves a system of linear equations. The degree of the solution's denominator is the number of
    units.
    """
    with (
        flint.ctx.workprec(BITS),
        pytest.raises(HypothesisFails, match="not a quotient with a denominator of"),
    ):
        find_quotient(some(CELLS["mesa-net"], units), units - 1, 1, 0)


@pytest.mark.parametrize("name", QUOTIENTS)
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_quotients_covered_by_the_theorem_are_not_small(name, seed):
    """The theorem's strings need more states than any size that is tried."""
    cell = some(CELLS[name], seed=seed)
    if isinstance(theorem := every_size(cell), EverySize):
        a, b = theorem.letter, "ab".replace(theorem.letter, "")
        prefixes = [(b, *a * (BEFORE + 1 + i)) for i in range(4)]
        assert isinstance(bound(cell, 0, prefixes, [(*a * i,) for i in range(4)]), Bound)


def with_weights(name, units=1, **weights):
    exact = lambda w: [exact(part) for part in w] if isinstance(w, list) else Fraction(w)
    cell = some(CELLS[name], units)
    return replace(cell, weights={**cell.weights, **{n: exact(w) for n, w in weights.items()}})


@pytest.mark.parametrize(
    ("cell", "states"),
    [
        (with_weights("linear-attention", W_v=[[2, 2]]), 2),
        (with_weights("softmax-attention", W_v=[[2, 2]]), 2),
        (with_weights("rwkv-4", W_v=[[2, 2]]), 2),
        (with_weights("mlstm", W_k=[["1/64", "1/64"]]), 3),
    ],
    ids=["linear-attention", "softmax-attention", "rwkv-4", "mlstm whose normaliser stays below 1"],
)
def test_an_automaton_among_quotients_is_not_refuted(cell, states):
    lower_bound, stopped = largest(cell)
    assert lower_bound.states <= states and stopped is not None
    assert isinstance(every_size(cell), NoProof)


def quotient_of(above, below, move=lambda s, a: s + 1):
    """Return a cell whose unit is above(s) / below(s); each letter changes s by ``move``."""

    def step(weights, state, x, a):
        (s,), _ = state
        after = move(s, a)
        return [after], [a.quotient(above(after, a), below(after, a))]

    return WeightedCell(Cell("own", "of a test", step, {}, ("s", "o"), "o"), ("a", "b"), 1, {})


half = lambda s, a: a.number(Fraction(1, 2)) * s + 1
one = lambda s, a: a.number(Fraction(1))
TEACHES = [
    (quotient_of(one, lambda s, a: s), None),
    (quotient_of(one, lambda s, a: s, half), None),
    (quotient_of(lambda s, a: s * s, lambda s, a: s + 1), None),
    (quotient_of(lambda s, a: s * s, lambda s, a: s), "not a quotient with a denominator of degree 1"),
    (quotient_of(one, lambda s, a: 2 - s, half), "x = 0, so its pole does not move"),  # its value is 2^n / 2
    (quotient_of(one, lambda s, a: s - 40), "may be 0 at some time"),
    (quotient_of(one, lambda s, a: s, lambda s, a: 1 - s), "must be greater than 0"),
    (quotient_of(one, lambda s, a: s, lambda s, a: s * s + 1), "does not depend only on itself"),
    (quotient_of(one, lambda s, a: s, lambda s, a: 0 * s + 1), "is constant"),
    (quotient_of(one, lambda s, a: a.maximum(s, a.number(Fraction(1)))), None),
    (quotient_of(one, lambda s, a: s + a.maximum(s, a.number(Fraction(50)))), "may change later"),
    (
        quotient_of(one, lambda s, a: a.maximum(s, s)),
        "cannot determine which argument of a maximum is larger",
    ),
    (quotient_of(one, lambda s, a: a.exp(s)), "an exp that reads the state"),
    (quotient_of(one, lambda s, a: s - s), "the step divides by 0"),
    (quotient_of(one, lambda s, a: a.root(s)), "a root"),
]


@pytest.mark.parametrize(("cell", "why"), TEACHES, ids=[str(why) for _, why in TEACHES])
def test_each_hypothesis_is_checked(cell, why):
    theorem = every_size(cell)
    if why is None:
        assert isinstance(theorem, EverySize)
    else:
        assert isinstance(theorem, NoProof) and all(why in reason for reason in theorem.why.values()), (
            theorem.why
        )


def test_two_clocks_are_refused():
    def step(weights, state, x, a):
        (s,), (t,), _ = state
        return [s + 1], [half(t, a)], [a.quotient(s + 1, half(t, a))]

    cell = Cell("own", "of a test", step, {}, ("s", "t", "o"), "o")
    assert "several clocks" in every_size(WeightedCell(cell, ("a", "b"), 1, {})).why["a"]


def test_a_single_letter_is_not_covered():
    assert every_size(WeightedCell(TEACHES[0][0].cell, ("a",), 1, {})).why == {
        "a": "the alphabet has no other first letter"
    }


@given(st.lists(st.fractions(-3, 3, max_denominator=8), min_size=3, max_size=3), st.data())
def test_symbolic_and_ball_arithmetic_agree(numbers, data):
    """Random terms are computed symbolically and then in balls, or in balls directly."""
    values = [BALLS.number(number) for number in numbers]
    symbols = Symbols(values)
    arithmetic = symbols.arithmetic()
    terms = list(zip(symbols.numbers(), values, strict=True))
    for _ in range(4):
        (x, u), (y, v) = (terms[data.draw(st.integers(0, len(terms) - 1))] for _ in range(2))
        kind = data.draw(st.sampled_from(["+", "-", "*", "/", "max", "exp", "sigmoid", "tanh"]))
        r = data.draw(st.fractions(-2, 2, max_denominator=4))
        if kind == "+":
            terms.append((x + y, u + v))
        elif kind == "-":
            terms.append((r - x, BALLS.number(r) - u))
        elif kind == "*":
            terms.append((x * y, u * v))
        elif kind == "/" and not v.contains(0):
            terms.append((arithmetic.quotient(x, y), u / v))
        elif kind == "max" and not (u - v).contains(0):
            terms.append((arithmetic.maximum(x, y), u.max(v)))
        elif kind in ("exp", "sigmoid", "tanh"):
            function = getattr(arithmetic, kind)(arithmetic.number(r))
            terms.append((function * x, getattr(BALLS, kind)(BALLS.number(r)) * u))
    for term, value in terms:
        assert term.ball().overlaps(value)
