"""Tests that correct counters are certified, and that wrong counters never are."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch

from automata.errors import InputError
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import save
from proofs_tests.papers.counters import some_counters
from proofs_tests.papers.counters.some_counters import broken, counter
from ratproof.api.certification import certify
from ratproof.certification.counters.certify import certify_counter
from ratproof.certification.counters.heights import balanced, class_of
from ratproof.certification.counters.numbers import KINDS, numbers_of
from ratproof.certification.counters.points import CounterPoints
from ratproof.checkers.table import judge
from ratproof.report.counters import as_json_object, sentences

LIMITS = {"height": 3, "length": 40, "saturated_height": 4}
every = pytest.mark.parametrize("kind", KINDS)


def is_balanced(string):
    """Return whether no prefix has more ``)`` than ``(``, and the string has equal numbers of them."""
    depths = [string[:n].count("(") - string[:n].count(")") for n in range(len(string) + 1)]
    return min(depths) >= 0 and depths[-1] == 0


@pytest.mark.parametrize("length", range(7))
def test_a_string_is_balanced_iff_its_class_is_that_of_the_empty_one(length):
    for string in map("".join, product("a()", repeat=length)):
        now = class_of([(x == "(") - (x == ")") for x in string], length)
        assert now is not None and balanced(now) == is_balanced(string)


@every
@pytest.mark.parametrize("start_token", [True, False])
def test_an_exact_counter_is_certified_and_its_certificate_accepted(kind, start_token):
    if kind.startswith("sr-") and not start_token:
        pytest.skip("unit 2, which the centroids are compared with, is set by the start token")
    network = counter(kind, "ab", start_token)
    answer = certify_counter(network, **LIMITS)
    assert (answer.verdict, answer.word, answer.soft.why, answer.saturated.why) == ("certified", None, "", "")
    judged = judge(answer.certificate())
    assert (judged.verdict, judged.why) == ("accepted", None)
    theorems = [{"gates": "soft", "height": 3, "length": 40}, {"gates": "saturated", "height": 4}]
    assert judged.about is not None and judged.about["theorems"] == theorems


@every
def test_a_certified_counter_is_correct(kind):
    """On every string over three symbols up to length 6 torch decides according to the definition."""
    strings = ["".join(s) for n in range(7) for s in product("a()", repeat=n)]
    assert counter(kind).accepts(strings) == [is_balanced(s) for s in strings]


BREAKS = {"wrong_sign": "", "leaking_letter": "a", "no_memory_of_death": None, "slow_leak": None}


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.parametrize("kind", ["lstm", "sr-lstm-p"])
def test_a_mutated_counter_is_refuted_by_a_string_that_torch_decides_wrongly(kind, name):
    network = broken(getattr(some_counters, name), kind)
    answer = certify_counter(network, **LIMITS)
    assert answer.verdict == "different" and answer.soft.boxes is None
    word = "".join(answer.word)
    assert len(word) <= LIMITS["length"] and network.accepts([word]) != [is_balanced(word)]
    if BREAKS[name] is not None:
        assert word == BREAKS[name]


@pytest.mark.parametrize("kind", ["lstm-p", "sr-lstm-p"])
def test_a_peephole_that_closes_the_gate_is_detected_at_the_height_where_it_does(kind):
    network = broken(some_counters.closing_peephole, kind)
    low = certify_counter(network, height=2, length=20, saturated_height=2)
    assert low.saturated.boxes is not None  # 16 - 5 c is above 1/2 up to c = 3
    high = certify_counter(network, height=6, length=40, saturated_height=6)
    assert high.verdict == "different" and high.saturated.boxes is None
    assert network.accepts(["".join(high.word)]) != [is_balanced("".join(high.word))]


def test_a_theorem_that_holds_has_a_certificate_although_the_other_fails():
    """The slow leak vanishes if gates are saturated; up to length 4 it has no effect."""
    network = broken(some_counters.slow_leak)
    answer = certify_counter(network, height=2, length=4, saturated_height=2)
    assert answer.verdict == "certified"
    answer = certify_counter(network, height=2, length=40, saturated_height=2)
    assert (answer.verdict, answer.saturated.boxes is None) == ("different", False)
    judged = judge(answer.certificate())
    assert judged.about is not None and [t["gates"] for t in judged.about["theorems"]] == ["saturated"]


@pytest.mark.parametrize(("name", "word"), [("wrong_sign", ()), ("leaking_letter", ("a",))])
def test_a_string_on_which_saturated_gates_are_wrong_is_reported(name, word):
    network = broken(getattr(some_counters, name), "sr-lstm-p")
    saturated = certify_counter(network, **LIMITS).saturated
    assert saturated.boxes is None and saturated.word == word
    points = CounterPoints(numbers_of(network), saturated=True)
    h, c = points.first()
    for symbol in word:
        h, c = points.step(h, c, np.array([network.alphabet.index(symbol)]))
    assert (points.logits(h, c) > 0).tolist() != [is_balanced("".join(word))]
    assert certify_counter(counter("sr-lstm-p"), **LIMITS).saturated.word is None


def test_an_untrained_network_is_refuted():
    torch.manual_seed(0)
    answer = certify_counter(Acceptor(("a", "(", ")"), "lstm", 4), **LIMITS)
    assert answer.verdict == "different"


def test_the_count_is_read_from_the_cell():
    reading = certify_counter(counter(), **LIMITS).reading
    assert reading.unit == 0 and reading.r_squared > 1 - 1e-8
    assert (round(reading.scale, 3), round(reading.shift, 3)) == (1, 0)
    assert reading.largest_error < 1e-4 and abs(reading.drift) < 1e-5
    assert [round(end) for name in "()" for end in reading.depth_changes[name]] == [1, 1, -1, -1]
    assert reading.unit_error <= reading.proved_error < 1e-3


def test_a_proved_error_is_printed_and_written_rounded_up():
    answer = certify_counter(counter(), **LIMITS)
    error = Fraction(150_001, 10**12) + Fraction(1, 10**30)
    answer = replace(answer, reading=replace(answer.reading, proved_error=error))
    assert "its error is at most 1.6e-7 on" in " ".join(sentences(answer)).lower()
    assert Fraction(as_json_object(answer, None)["reading"]["proved_error"]) >= error


def test_the_saturated_network_counts_without_drift():
    """The cell of the saturated network is an integer after any string."""
    points = CounterPoints(numbers_of(broken(some_counters.slow_leak)), saturated=True)
    h, c = points.first()
    for token in [1, 0, 0, 1, 0, 2, 0, 2, 2] * 20:
        h, c = points.step(h, c, torch.tensor([token]).numpy())
        assert (c == c.round()).all()


def test_certify_is_a_function(tmp_path):
    save(counter(), tmp_path / "net.safetensors")
    report = certify(tmp_path / "net.safetensors", **LIMITS)
    assert (report.verdict, report.word) == ("certified", None)
    assert str(report).startswith("certified: the network decides balanced parentheses\n")
    assert report.to_json()["soft"]["proved"] and judge(report.certificate()).verdict == "accepted"
    with pytest.raises(InputError, match="height must be a non-negative integer, got -1"):
        certify(tmp_path / "net.safetensors", height=-1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "gru"}, "must have a cell state: .*, got gru"),
        ({"kind": "lstm", "num_layers": 2}, "must have one layer, got 2"),
        ({"kind": "lstm", "alphabet": ("a", "(")}, r"got an alphabet without '\)'"),
        ({"kind": "sr-lstm", "k": 2, "transition": "sampled"}, "got 'sampled' and 'dot'"),
        ({"kind": "sr-lstm", "k": 2, "similarity": "euclidean"}, "got 'mixture' and 'euclidean'"),
    ],
)
def test_a_network_that_is_not_a_counter_is_reported(options, says):
    with pytest.raises(InputError, match=says):
        certify_counter(Acceptor(**{"alphabet": ("a", "(", ")"), "hidden_size": 2, **options}))


def test_a_temperature_is_for_networks_with_centroids():
    with pytest.raises(InputError, match="of kind lstm, which has no centroids"):
        certify_counter(counter(), temperature=0.5)
    assert certify_counter(counter("sr-lstm"), temperature=0.5, **LIMITS).verdict == "certified"


@pytest.mark.parametrize("limits", [{"length": 10**23}, {"height": 2**63}, {"saturated_height": 2**63}])
def test_any_length_and_height_may_be_requested(limits):
    """The strings that are tried are shorter than the limits."""
    network = broken(some_counters.slow_leak)
    answer = certify_counter(network, **{"height": 2, "length": 60, "saturated_height": 0, **limits})
    assert answer.word is not None


@pytest.mark.parametrize("temperature", [1e-320, Fraction(1, 10**400), 1e-306])
def test_a_temperature_close_to_zero_leaves_the_cell_readable(temperature):
    answer = certify_counter(
        counter("sr-lstm"), temperature=temperature, height=1, length=3, saturated_height=0
    )
    assert np.isfinite(answer.reading.largest_error)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_network_whose_cell_overflows_is_refused():
    """Products of weights of 1e160 are infinite in float64, and their differences are not numbers."""

    def enlarge(network):
        for parameter in network.parameters():
            parameter.mul_(1e160)

    with pytest.raises(InputError, match="the cell state must be finite in float64, got an overflow"):
        certify_counter(broken(enlarge, "sr-lstm"), **LIMITS)
