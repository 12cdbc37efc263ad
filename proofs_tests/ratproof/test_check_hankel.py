"""Tests that the independent checker of Hankel bounds accepts the library's results and rejects all
tampering.
"""

import copy
import json
from fractions import Fraction

import flint
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from ratproof.certification.not_rational.hankel_bound import Bound, bound, largest
from ratproof.certification.not_rational.matrix import first_strings, hankel
from ratproof.checkers import check_hankel
from theory.not_rational.arithmetic import BALLS
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import from_json, some

REJECTS = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError)


def certificate(name, size=7, units=None):
    strings = first_strings("ab", size, CELLS[name].counts)
    lower_bound = bound(some(CELLS[name], units), 0, strings, strings)
    assert isinstance(lower_bound, Bound)
    return json.loads(json.dumps(lower_bound.to_json()))


GOOD = {name: certificate(name) for name in CELLS if not CELLS[name].rational}
ELMAN, LSTM, GRU, SRU = (GOOD[name] for name in ("elman", "lstm", "gru", "sru-feedback"))


def verdict(data):
    try:
        return check_hankel.verdict(data)
    except REJECTS:
        return "rejected"


@pytest.mark.parametrize("name", GOOD)
def test_untampered_certificates_are_accepted(name):
    assert verdict(GOOD[name]) == "at least 7 states"


def test_a_certificate_of_63_states_is_accepted():
    assert verdict(certificate("gru", 63)) == "at least 63 states"


def change(data, **fields):
    return pytest.param({**data, **fields}, id=f"{data['cell']}: {', '.join(fields)}")


def weight(data, name, value):
    return pytest.param(
        {**data, "weights": {**data["weights"], name: value}}, id=f"{data['cell']}: {name} {value}"
    )


SEVEN = ELMAN["prefixes"]
TAMPERED = [
    change(ELMAN, claims="at least 8 states"),
    change(ELMAN, claims="equivalent"),
    change(ELMAN, states=8, claims="at least 8 states"),
    change(ELMAN, states=6, claims="at least 6 states"),
    change(ELMAN, states=True, claims="at least True states"),
    change(ELMAN, states=7.0, claims="at least 7.0 states"),
    change(ELMAN, states=0, claims="at least 0 states", prefixes=[], suffixes=[]),
    change(ELMAN, prefixes=[*SEVEN[:6], SEVEN[2]]),
    change(ELMAN, suffixes=[*SEVEN[:6], SEVEN[2]]),
    change(ELMAN, prefixes=SEVEN[:6]),
    change(ELMAN, suffixes=SEVEN[:6]),
    change(ELMAN, prefixes=[*SEVEN[:6], ["c"]]),
    change(
        ELMAN,
        prefixes=[*SEVEN, ["a", "a", "a"]],
        suffixes=[*SEVEN, SEVEN[0]],
        states=8,
        claims="at least 8 states",
    ),
    change(ELMAN, prefixes=[*SEVEN[:6], ["b", "b", "b"]]),  # full rank, but another determinant
    change(ELMAN, prefixes=[SEVEN[1], SEVEN[0], *SEVEN[2:]]),  # the sign of the determinant changes
    change(ELMAN, determinant=["1", "0"]),
    change(ELMAN, determinant=[ELMAN["determinant"][0]]),
    change(ELMAN, determinant=["NaN", "0"]),
    change(ELMAN, determinant=[f"-{ELMAN['determinant'][0]}".replace("--", ""), "0"]),
    change(ELMAN, cell="gru"),
    change(ELMAN, cell="elman-linear"),
    change(ELMAN, cell="read"),
    change(ELMAN, cell="__init__"),
    change(SRU, cell="sru"),
    change(LSTM, cell="gru"),
    change(GOOD["scrn"], cell="scrn-context"),
    change(GOOD["rcnn"], cell="rcnn-unigram"),
    change(ELMAN, units=2),
    change(ELMAN, unit=1),
    change(ELMAN, unit=-1),
    change(ELMAN, units=0),
    change(ELMAN, bits=0),
    change(ELMAN, bits=10**9),
    change(ELMAN, letters=["a"]),
    change(ELMAN, letters=["a", "a"]),
    change(ELMAN, weights={}),
    weight(ELMAN, "U_h", [["0"]]),
    weight(ELMAN, "U_h", [["5/4"]]),
    weight(ELMAN, "U_h", [["-5001/4000"]]),
    weight(ELMAN, "U_h", [["-1.25"]]),
    weight(ELMAN, "U_h", [["nan"]]),
    weight(ELMAN, "U_h", [["-5/0"]]),
    weight(ELMAN, "U_h", [["-5/4", "0"]]),
    weight(ELMAN, "U_h", [["-5/4"], ["0"]]),
    weight(ELMAN, "W_h", [["7/8"]]),
    weight(ELMAN, "b_h", []),
    weight(ELMAN, "b_h", ["9/8", "0"]),
    weight(ELMAN, "V_h", [["1"]]),
    weight(SRU, "v_f", ["0"]),
    weight(LSTM, "U_i", LSTM["weights"]["U_f"]),
    weight(LSTM, "W_o", LSTM["weights"]["W_g"]),
    weight(GRU, "W_r", GRU["weights"]["W_z"]),
    change(GOOD["linear-attention"], cell="softmax-attention"),
    change(GOOD["softmax-attention"], cell="linear-attention"),
    change(GOOD["mlstm"], cell="softmax-attention"),
    weight(GOOD["gsa"], "W_a", GOOD["gsa"]["weights"]["W_k"]),
    weight(GOOD["mesa-net"], "i", GOOD["mesa-net"]["weights"]["f"]),
    weight(GOOD["mesa-net"], "w", ["1"]),
    weight(GOOD["linear-attention"], "W_v", GOOD["linear-attention"]["weights"]["W_k"]),
    weight(GOOD["softmax-attention"], "W_q", GOOD["softmax-attention"]["weights"]["W_v"]),
    weight(GOOD["rwkv-4"], "u", GOOD["rwkv-4"]["weights"]["w"]),
    weight(GOOD["mlstm"], "i", GOOD["mlstm"]["weights"]["f"]),
    weight(GOOD["slstm"], "W_i", GOOD["slstm"]["weights"]["W_f"]),
    weight(GOOD["ttt"], "W_0", [["0", "0"], ["0", "0"]]),
    weight(GOOD["ttt"], "eps", "-1"),
    weight(GOOD["ttt"], "eta", ["0", "0"]),
    weight(GOOD["scrn"], "alpha", "1"),
    weight(GOOD["scrn"], "alpha", ["1/2"]),
]


@pytest.mark.parametrize("data", TAMPERED)
def test_every_kind_of_field_is_checked(data):
    assert verdict(data) == "rejected"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"determinant": ["1", "0", "0"]}, "the determinant must have a midpoint and a radius"),
        ({"determinant": ["1", "x"]}, "the determinant must have a midpoint and a radius"),
        ({"prefixes": [["a", 1]]}, r"must be a list of \[str\]"),
    ],
)
def test_malformed_input_is_reported(fields, why):
    with pytest.raises(ValueError, match=why):
        check_hankel.verdict({**ELMAN, **fields})


WITHOUT_EFFECT = [("linear-attention", "W_q"), ("slstm", "b_i")]
"""Weights without effect: for one unit, they multiply both parts of a quotient."""


@settings(max_examples=30)
@given(st.data())
def test_a_changed_weight_is_rejected_or_the_claim_is_still_true(data):
    """A tiny change moves the determinant by less than the width of its ball; the certificate's claim is then
    still true.
    """
    good = GOOD[data.draw(st.sampled_from(sorted(GOOD)))]
    spoilt = copy.deepcopy(good)
    name = data.draw(st.sampled_from(sorted(spoilt["weights"])))
    rows = spoilt["weights"][name]
    assume(isinstance(rows, list))
    row = rows[0] if isinstance(rows[0], list) else rows
    change = data.draw(st.sampled_from([1, -1, Fraction(1, 10**4), Fraction(-1, 2**30), Fraction(1, 2**400)]))
    row[-1] = str(Fraction(row[-1]) + change)
    answer = verdict(spoilt)
    event(f"{change}: {answer}")
    if answer == "rejected":
        return
    cell = from_json(
        CELLS[good["cell"]], json.dumps({n: spoilt[n] for n in ("letters", "weights")}), "w.json"
    )
    again = bound(cell, 0, [tuple(p) for p in spoilt["prefixes"]], [tuple(s) for s in spoilt["suffixes"]])
    assert isinstance(again, Bound)
    assert abs(change) < Fraction(1, 10**5) or (good["cell"], name) in WITHOUT_EFFECT


@pytest.mark.parametrize("name", CELLS)
@settings(max_examples=10)
@given(st.integers(1, 2), st.integers(0, 10**6), st.text("ab", max_size=7))
def test_the_checker_and_the_library_compute_the_same_cells(name, units, seed, word):
    """The two programs use two kinds of intervals: they overlap, and both are narrow."""
    cell = some(CELLS[name], units := max(units, CELLS[name].fewest), seed=seed)
    check_hankel.DOWN.prec = check_hankel.UP.prec = 60
    here = check_hankel.CheckedCell({"cell": name, "units": units, **json.loads(json.dumps(cell.to_json()))})
    with flint.ctx.workprec(128):
        for unit in range(units):
            ((ball,),) = hankel(cell, unit, [tuple(word)], [()], BALLS)
            interval = here.read(tuple(word))[here.shown][unit]
            low, high = (
                flint.arb(flint.fmpq(*Fraction(end).as_integer_ratio())) for end in (interval.lo, interval.hi)
            )
            assert low.union(high).overlaps(ball) and high - low < 1e-30


@settings(max_examples=200)
@given(st.data())
def test_an_interval_contains_the_exact_result(data):
    """Each operation on intervals contains the exact result for its arguments; bounds of exp are compared at
    much higher precision.
    """
    check_hankel.DOWN.prec = check_hankel.UP.prec = data.draw(st.integers(2, 9))
    numbers = st.fractions(-40, 40, max_denominator=99)
    one, other = data.draw(numbers), data.draw(numbers)
    x, y = (check_hankel.number(f"{n.numerator}/{n.denominator}") for n in (one, other))
    checks = [(x + y, one + other), (x - y, one - other), (x * y, one * other)] + (
        [(x / y, one / other)] if other else []
    )
    for interval, exact in checks:
        assert interval.lo <= exact <= interval.hi
    with flint.ctx.workprec(300):
        ball = BALLS.number(one)
        assert x.maximum(y).lo <= max(one, other) <= x.maximum(y).hi
        functions = [(x.sigmoid(), BALLS.sigmoid), (x.tanh(), BALLS.tanh), (x.exp(), BALLS.exp)]
        for interval, function in functions + ([(x.sqrt(), BALLS.root)] if x.lo > 0 else []):
            low, high = (
                flint.arb(flint.fmpq(*Fraction(end).as_integer_ratio())) for end in (interval.lo, interval.hi)
            )
            assert low <= function(ball) <= high


def test_a_control_has_only_a_certificate_of_its_own_size():
    lower_bound, _ = largest(some(CELLS["sru"]))
    data = json.loads(json.dumps(lower_bound.to_json()))
    assert verdict(data) == "at least 2 states"
    three = {
        "states": 3,
        "claims": "at least 3 states",
        "prefixes": [[], ["a"], ["b"]],
        "suffixes": [[], ["a"], ["b"]],
    }
    for bits in (64, 1024):
        for determinant in (
            data["determinant"],
            ["0", "0"],
            ["0", "1"],
            ["0", "1E+999"],
        ):  # at any claimed location
            assert verdict({**data, **three, "bits": bits, "determinant": determinant}) == "rejected"
