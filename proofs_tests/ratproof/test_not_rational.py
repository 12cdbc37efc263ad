"""Tests of the proofs that a cell is not an automaton.

Lower bounds are reached, the bounds of cells that are automata stop at their size, and every hypothesis of
the theorem is checked.
"""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import InputError
from ratproof.certification.not_rational.duals import DUALS, Dual
from ratproof.certification.not_rational.every_size import EverySize, NoProof, every_size
from ratproof.certification.not_rational.hankel_bound import Bound, UndecidedBound, bound, largest
from ratproof.certification.not_rational.intervals import HypothesisFails, ends, enter, find_monotone
from ratproof.certification.not_rational.limits import Tail, find_limit, tails
from ratproof.certification.not_rational.matrix import first_strings, hankel
from ratproof.checkers import check_hankel
from theory.not_rational.arithmetic import BALLS, FLOATS
from theory.not_rational.cells import CELLS, INPUT, Cell
from theory.not_rational.weights import WeightedCell, some

WILD = [name for name, cell in CELLS.items() if not cell.rational]
QUOTIENTS = ["linear-attention", "mesa-net", "mlstm", "rwkv-4", "softmax-attention"]
"""Cells whose unit is a quotient. For most of them it is a mean of values, which is constant on one
letter.
"""
RANKS = {("scrn-context", 1): 2, ("sru", 1): 2, ("sru", 2): 2, ("elman-linear", 1): 2, ("elman-linear", 2): 3}


@pytest.mark.parametrize(("name", "units"), [*((name, None) for name in WILD), ("elman", 2)])
def test_63_states_are_not_enough(name, units):
    lower_bound, stopped = largest(some(CELLS[name], units))
    assert lower_bound.states == 63 and stopped is None


@pytest.mark.parametrize(("name", "units"), RANKS)
def test_controls_stop_at_their_number_of_states(name, units):
    lower_bound, stopped = largest(some(CELLS[name], units))
    assert lower_bound.states == RANKS[name, units] and stopped.size > lower_bound.states
    size = RANKS[name, units] + 1
    assert isinstance(
        bound(some(CELLS[name], units), 0, first_strings("ab", size), first_strings("ab", size)),
        UndecidedBound,
    )


@pytest.mark.parametrize("name", [name for name in WILD if name not in QUOTIENTS])
def test_strings_of_one_letter_suffice(name):
    lower_bound, stopped = largest(
        some(CELLS[name]), sizes=[3, 7, 15], letters="b" if name == "scrn" else "a"
    )
    assert lower_bound.states == 15 and stopped is None


def zeroed(name, *weights, units=1):
    """Return a cell whose named weights are 0."""
    cell = some(CELLS[name], units)
    zero = lambda w: [zero(part) for part in w] if isinstance(w, list) else Fraction(0)
    return replace(cell, weights={n: zero(w) if n in weights else w for n, w in cell.weights.items()})


@pytest.mark.parametrize(
    ("cell", "states"),
    [
        (zeroed("elman", "U_h"), 3),
        (zeroed("elman", "U_h", units=2), 3),
        (zeroed("sru-feedback", "v_f"), 2),
        (zeroed("rcnn", "U_l"), 3),
        (zeroed("rcnn-unigram", "U_l"), 2),
        (zeroed("lstm", "U_i", "U_f", "U_g"), 2),
        (zeroed("gru", "U_r", "U_z", "U_m"), 2),
        (zeroed("scrn", "U_h", "P_h"), 3),
    ],
    ids=lambda value: value.cell.name if isinstance(value, WeightedCell) else "",
)
def test_without_feedback_into_gates_a_cell_is_a_small_automaton(cell, states):
    lower_bound, stopped = largest(cell)
    assert (lower_bound is None or lower_bound.states <= states) and stopped is not None
    assert isinstance(every_size(cell), NoProof)


def test_the_precision_doubles_until_it_suffices_or_reaches_the_limit():
    cell, strings = some(CELLS["elman"]), first_strings("ab", 31)
    lower_bound = bound(cell, 0, strings, strings)
    assert lower_bound.bits > 64
    half = lower_bound.bits // 2
    assert bound(cell, 0, strings, strings, most_bits=half) == UndecidedBound(31, half)
    told = []
    bound(cell, 0, strings, strings, progress=told.append)
    assert told[0] == "31 states, 64 bits" and told[-1] == f"31 states, {lower_bound.bits} bits"


def test_the_entry_of_a_prefix_and_a_suffix_is_the_unit_after_both():
    cell = some(CELLS["gru"])
    ((entry,),) = hankel(cell, 0, [("a",)], [("b", "b")], FLOATS)
    ((at_once,),) = hankel(cell, 0, [("a", "b", "b")], [()], FLOATS)
    ((other,),) = hankel(cell, 0, [("b", "b")], [("a",)], FLOATS)
    assert entry == at_once != other


def test_a_repeated_row_or_column_proves_nothing():
    cell, strings = some(CELLS["gru"]), first_strings("ab", 7)
    for prefixes, suffixes in [((*strings[:6], strings[2]), strings), (strings, (*strings[:6], strings[2]))]:
        assert isinstance(bound(cell, 0, prefixes, suffixes, most_bits=256), UndecidedBound)


@pytest.mark.parametrize("name", ["lstm", "gru"])
def test_the_determinants_ball_is_in_the_written_one(name):
    cell, strings = some(CELLS[name]), first_strings("ab", 7)
    lower_bound = bound(cell, 0, strings, strings)
    middle, radius = map(Fraction, lower_bound.determinant)
    with flint.ctx.workprec(2 * lower_bound.bits):
        sharp = flint.arb_mat(hankel(cell, 0, strings, strings, BALLS)).det()
        low, high = (
            flint.arb(flint.fmpq(x.numerator, x.denominator)) for x in (middle - radius, middle + radius)
        )
        assert low <= sharp <= high and abs(middle) - radius > 0


def test_a_users_cell_is_analysed_identically_but_has_no_certificate():
    cell = Cell(
        "squash",
        "c' = tanh(2 c + x)",
        lambda w, s, x, a: ([a.tanh(2 * s[0][0] + w["W"][0][x])],),
        {"W": INPUT},
        ("c",),
        "c",
    )
    weighted_cell = WeightedCell(cell, ("a", "b"), 1, {"W": [[Fraction(1), Fraction(-1, 3)]]})
    lower_bound, _ = largest(weighted_cell, sizes=[15])
    assert lower_bound.states == 15
    assert isinstance(every_size(weighted_cell), EverySize)
    with pytest.raises(InputError, match="which the checker knows, got squash"):
        lower_bound.to_json()


def test_invalid_arguments_of_a_bound():
    cell = some(CELLS["elman"])
    with pytest.raises(InputError, match="the unit must be between 0 and 0, got 1"):
        bound(cell, 1, [()], [()])
    with pytest.raises(InputError, match="the unit must be between 0 and 0, got -1"):
        every_size(cell, -1)
    with pytest.raises(InputError, match="as many prefixes as suffixes"):
        bound(cell, 0, [()], [(), ("a",)])


# Every size.

COVERED = ["elman", "gru", "sru-feedback", "rcnn-unigram", "scrn"]


@pytest.mark.parametrize("name", COVERED)
def test_the_theorem_covers_cells_with_a_scalar_state(name):
    theorem = every_size(some(CELLS[name]))
    assert isinstance(theorem, EverySize) and len(theorem.hypotheses) == 5


@pytest.mark.parametrize("name", [name for name in CELLS if name not in (*COVERED, *QUOTIENTS)])
def test_the_theorem_is_not_claimed_for_other_cells(name):
    assert isinstance(every_size(some(CELLS[name])), NoProof)


@pytest.mark.parametrize(
    ("name", "units", "says"),
    [
        ("lstm", 1, "h_0 does not stay 0"),
        ("rcnn", 1, "c1_0 does not stay 0"),
        ("elman", 2, "h_1 does not stay 0"),
        ("gru", 2, "h_1 does not"),
        ("sru-feedback", 2, "c_1 does not stay 0"),
        ("rcnn-unigram", 2, "c_1 does not stay 0"),
        ("scrn", 2, "does not stay 0"),
    ],
)
def test_the_theorem_is_not_applied_if_another_component_of_the_state_moves(name, units, says):
    assert all(says in why for why in every_size(some(CELLS[name], units)).why.values())


def two_units_of_which_one_stays_0():
    weights = {"W_h": [["3/4", "1"], ["0", "0"]], "U_h": [["1/2", "5"], ["0", "1"]], "b_h": ["1/4", "0"]}
    exact = {
        name: [[Fraction(w) for w in row] if isinstance(row, list) else Fraction(row) for row in rows]
        for name, rows in weights.items()
    }
    return replace(some(CELLS["elman"], 2), weights=exact)


def test_another_component_that_stays_0_does_not_count_as_moving():
    assert isinstance(every_size(two_units_of_which_one_stays_0()), EverySize)


def test_a_component_not_proved_to_stay_0_does_not_count_as_moving(monkeypatch):
    near_0 = lambda x: Tail((flint.arb(0),), remainder=True)
    blind = lambda direction: replace(tails(direction), sigmoid=near_0, tanh=near_0)
    monkeypatch.setattr("ratproof.certification.not_rational.every_size.tails", blind)
    why = every_size(two_units_of_which_one_stays_0()).why
    assert all(
        sentence.startswith("the next state may depend on more than h_0: h_1 may")
        for sentence in why.values()
    )


def test_a_letter_that_moves_the_context_is_not_used():
    cell = some(CELLS["scrn"])
    assert every_size(cell).letter == "b"
    moved = replace(cell, weights={**cell.weights, "W_s": [[Fraction(1), Fraction(1)]]})
    assert all("s_0 does not stay 0" in why for why in every_size(moved).why.values())


def test_the_orbit_is_followed_until_it_enters_the_interval():
    phi = elman("3/4", "1/2")
    with flint.ctx.workprec(128):
        interval = find_monotone(phi).interval
        steps, here, later = enter(phi, interval)
        orbit = [flint.arb(0)]
        for _ in range(steps + 2):
            orbit.append(phi(orbit[-1], BALLS))
        assert steps > 0 and interval.contains(here) and not any(interval.contains(c) for c in orbit[:steps])
        assert here.overlaps(orbit[steps]) and later.overlaps(orbit[steps + 2]) and not here.overlaps(later)


@pytest.mark.parametrize("name", COVERED)
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_cells_covered_by_the_theorem_are_not_small(name, seed):
    """If all hypotheses hold, the strings of the theorem's letter alone need more states than were tried."""
    cell = some(CELLS[name], seed=seed)
    theorem = every_size(cell)
    if isinstance(theorem, EverySize):
        strings = first_strings(theorem.letter, 4)
        assert isinstance(bound(cell, 0, strings, strings), Bound)


def elman(w="3/2", b="1/2"):
    return lambda t, a: a.tanh(a.number(Fraction(w)) * t + a.number(Fraction(b)))


@pytest.mark.parametrize(
    ("phi", "says"),
    [
        (elman("1/2", "0"), "c_0 = 0 may be equal to c_2"),
        (lambda t, a: 1 - t, "no interval"),
        (elman("0", "1/2"), "no interval"),
        (lambda t, a: -2 * t + 1, "no interval"),
        (lambda t, a: t + 1, "no interval"),
        (lambda t, a: a.tanh(-8 * t + 1), "no interval"),  # the orbit converges to a cycle of two
    ],
    ids=["at the fixed point", "reflection", "derivative 0", "away", "translation", "cycle"],
)
def test_an_orbit_that_may_return_or_be_unbounded_is_refused(phi, says):
    with flint.ctx.workprec(128), pytest.raises(HypothesisFails, match=says):
        enter(phi, find_monotone(phi).interval)


@given(st.fractions(-3, 3, max_denominator=50), st.fractions(-3, 3, max_denominator=50))
def test_an_interval_that_is_found_is_mapped_into_itself(w, b):
    phi = elman(w, b)
    try:
        with flint.ctx.workprec(128):
            interval = find_monotone(phi).interval
            low, high = (
                float(end.mid())
                for end in (interval.middle - interval.radius, interval.middle + interval.radius)
            )
    except HypothesisFails:
        return
    points = [low + (high - low) * i / 64 for i in range(65)]
    images = [phi(point, FLOATS) for point in points]
    assert all(low <= image <= high for image in images)
    assert all((y - x) * float(w) > 0 for x, y in pairwise(images))


@given(st.fractions(-2, 2, max_denominator=20), st.fractions(-2, 2, max_denominator=20))
def test_the_derivative_is_the_derivative(x, w):
    phi = lambda t, a, w=w: a.sigmoid(a.number(w) * t + 1) * (1 - t) + a.tanh(t * t - a.number(w)) * 2 - t
    with flint.ctx.workprec(400):
        at, step = BALLS.number(x), flint.arb(2) ** -150
        slope = phi(Dual(at, flint.arb(1)), DUALS).slope
        secant = (phi(at + step, BALLS) - phi(at - step, BALLS)) / (2 * step)
        assert abs(slope - secant) < flint.arb(2) ** -200


half = Fraction(1, 2)
GATES = [
    (lambda t, a: a.sigmoid(t), -1),
    (lambda t, a: a.tanh(3 * t - 1), -1),
    (lambda t, a: a.sigmoid(t) * t * t + a.number(half), -1),
    (lambda t, a: (1 - a.sigmoid(t)) * t - a.tanh(a.number(half)), 1),
    (lambda t, a: t * a.sigmoid(t) + (1 - a.sigmoid(t)) * a.tanh(a.sigmoid(2 * t) * t), -1),
    (lambda t, a: a.sigmoid(a.sigmoid(t) - a.number(half)), -1),
    (lambda t, a: a.sigmoid(-1 * t * t) * t, -1),
    (lambda t, a: t - t + a.number(half), -1),
    (lambda t, a: a.tanh(a.number(half)) * t - a.tanh(a.number(half)) * t, None),  # a ball that contains 0
    (lambda t, a: a.sigmoid(a.tanh(a.number(half)) * t - a.tanh(a.number(half)) * t), None),
    (lambda t, a: t * 2 + a.tanh(a.number(half)), None),
    (lambda t, a: t * a.tanh(t), None),
    (lambda t, a: t * t, None),
]


@pytest.mark.parametrize(("phi", "direction"), GATES)
def test_a_limit_is_found_iff_there_is_one(phi, direction):
    limit = find_limit(phi)
    assert (limit and limit.direction) == direction
    if limit is not None:
        assert abs(float(limit.value.mid()) - phi(60.0 * direction, FLOATS)) < 1e-12


def test_ends_are_rounded_outwards():
    assert ends(flint.arb(flint.fmpq(-2, 3))) == "[-0.666667, -0.666666]"
    assert ends(flint.arb(flint.fmpq(1, 3 * 10**12))) == "[3.33333E-13, 3.33334E-13]"


def test_every_bound_is_accepted_by_the_checker():
    for name in CELLS:
        for units in {CELLS[name].fewest, 2}:
            lower_bound, _ = largest(some(CELLS[name], units, seed=7), units - 1, sizes=[3, 7])
            expected = f"at least {lower_bound.states} states"
            assert check_hankel.verdict(json.loads(json.dumps(lower_bound.to_json()))) == expected
