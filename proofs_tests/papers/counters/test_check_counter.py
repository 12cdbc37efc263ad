"""Tests of the independent checker of counters: wrong certificates are rejected, true values enclosed."""

import copy
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.papers.counters import some_counters
from proofs_tests.papers.counters.some_counters import broken, counter
from ratproof.certification.counters.boxes import Boxes, close
from ratproof.certification.counters.certificate import network_json, to_json
from ratproof.certification.counters.certify import certify_counter
from ratproof.certification.counters.exploration import explore
from ratproof.certification.counters.numbers import KINDS, numbers_of
from ratproof.certification.counters.points import CounterPoints
from ratproof.certification.counters.proof import prove
from ratproof.checkers import check_counter
from ratproof.checkers.table import judge

ONE = check_counter.ONE


@cache
def certified(kind):
    """Return the text of a certificate about a counter and about the same counter with saturated gates.

    Two letters are in one group of the certificate.
    """
    return json.dumps(
        certify_counter(counter(kind, "ab"), height=2, length=12, saturated_height=2).certificate()
    )


def certificate(kind="lstm"):
    return json.loads(certified(kind))


def rejected(change, kind="lstm"):
    """Return the checker's reason for rejecting the changed certificate, or an empty string if it accepts."""
    data = certificate(kind)
    change(data)
    return judge(data).why or ""


SOFT, SATURATED = 0, 1
both = pytest.mark.parametrize("theorem", [SOFT, SATURATED])


def node(data, theorem, dead, height):
    return next(n for n in data["theorems"][theorem]["nodes"] if (n["dead"], n["height"]) == (dead, height))


def moved(text, by):
    return (float.fromhex(text) + by).hex()


@pytest.mark.parametrize("kind", KINDS)
def test_it_accepts_what_the_proof_does(kind):
    assert judge(certificate(kind)).verdict == "accepted"


@pytest.mark.parametrize("own, written", [(0.5, "1/2"), (Fraction(1, 3), "1/3"), (1e100, "1" + "0" * 399)])
def test_an_accepted_certificate_says_the_exact_temperature(own, written):
    """A temperature that is no float is not rounded, and may be larger than all floats."""
    data = certify_counter(counter("sr-lstm"), own, height=0, length=0, saturated_height=0).certificate()
    data["network"]["temperature"] = written
    judgement, text = judge(data), {"1/2": "0.5"}.get(written, written)[:60]
    assert judgement.verdict == "accepted" and f" at temperature {text} accepts" in judgement.about["says"]


@both
@pytest.mark.parametrize("name", ["h", "c"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_shrunk_box_is_rejected(theorem, name, side):
    def shrink(data):
        box = node(data, theorem, False, 1)[name]
        box[side][0] = moved(box[1 - side][0], 0.0)
        box[side][0] = moved(box[side][0], (-1, 1)[side] * 2.0**-30)

    assert "box" in rejected(shrink)


def test_a_length_that_would_take_hours_is_not_checked(monkeypatch):
    """A dead string's cell decreases by 1 with each ``)``, in a box with room for 2^40 of them."""
    monkeypatch.setattr(check_counter, "STEPS", 10_000, raising=False)
    answer = certify_counter(counter(big=50.0), height=0, length=10, saturated_height=0)
    data = json.loads(json.dumps(answer.certificate()))
    for node, unit in ((1, 1), (2, 0), (2, 1)):
        data["theorems"][SOFT]["nodes"][node]["c"][0][unit] = (-(2.0**40)).hex()
    data["theorems"][SOFT]["length"] = 100
    assert judge(data).verdict == "accepted"
    data["theorems"][SOFT]["length"] = 50_000
    judgement = judge(data)
    assert judgement.verdict == "unknown" and judgement.why.startswith("it takes more than 10000 steps")


def test_a_length_that_the_checker_does_not_check_is_not_proved(monkeypatch):
    monkeypatch.setattr("ratproof.certification.counters.proof.STEPS", 10_000, raising=False)
    numbers = numbers_of(counter(big=50.0))
    for length, gap in ((100, None), (50_000, "step: the cell's bounds take more than 10000 steps")):
        boxes = close(numbers, explore(numbers, 0, 8.0), length)
        why = prove(numbers, boxes, length)
        assert why is None if gap is None else why.startswith(gap)


@both
def test_a_box_that_is_moved_is_rejected(theorem):
    def move(data):
        for corner in node(data, theorem, False, 2)["c"]:
            corner[0] = moved(corner[0], 0.25)

    assert "box" in rejected(move)


@both
def test_a_transition_to_another_class_is_rejected(theorem):
    def turn(data):
        nodes = data["theorems"][theorem]["nodes"]
        nodes[0]["after"][0] = next(i for i, n in enumerate(nodes) if n["dead"])

    assert "has the wrong class" in rejected(turn)


@both
def test_a_greater_height_is_rejected(theorem):
    assert rejected(lambda data: data["theorems"][theorem].update(height=3)) != ""


def test_a_soft_theorem_has_no_endless_box():
    def endless(data):
        node(data, SOFT, True, 0)["c"][0][0] = "-inf"

    assert "is not a finite float" in rejected(endless)


def test_soft_boxes_and_boxes_of_saturated_gates_are_not_interchangeable():
    def exchange(data):
        soft, saturated = data["theorems"]
        soft["nodes"], saturated["nodes"] = saturated["nodes"], soft["nodes"]
        soft["groups"], saturated["groups"] = saturated["groups"], soft["groups"]

    assert rejected(exchange) != ""


@pytest.mark.parametrize("name", ["wrong_sign", "leaking_letter", "no_memory_of_death", "slow_leak"])
@pytest.mark.parametrize("kind", ["lstm", "sr-lstm"])
def test_the_boxes_of_another_network_are_rejected(kind, name):
    """Even the boxes of the counter before its mutation are rejected."""
    network = numbers_of(broken(getattr(some_counters, name), kind, letters="ab"))
    data = certificate(kind) | {"network": network_json(network)}
    if name == "slow_leak":  # the counter is correct if its gates are saturated
        data["theorems"] = data["theorems"][:1]
    assert judge(data).verdict == "rejected"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        *(
            (
                lambda d, i=i: d["theorems"][i]["nodes"][0]["after"].__setitem__(0, -1),
                "a target of node 0 must be a node",
            )
            for i in (0, 1)
        ),
        # After a wrong ")", the count decreases by one with each ")", so its box is as wide as the length.
        (lambda d: d["theorems"][SOFT].update(length=1000), "the cell leaves"),
        (lambda d: d["theorems"][SOFT].pop("length"), "for soft gates only"),
        (lambda d: d["theorems"][SATURATED].update(length=5), "for soft gates only"),
        (lambda d: d.update(theorems=[]), "there must be one or two theorems"),
        (lambda d: d.update(theorems=d["theorems"][:1] * 2), "same gates"),
        (lambda d: d["theorems"][0].update(gates="hard"), "'gates' must be"),
        (lambda d: d["theorems"][0].update(height=True), "'height' must be"),
        (lambda d: d["theorems"][0].update(length=-1), "length"),
        (lambda d: d["theorems"][0]["groups"][0].pop(), "must contain each symbol once"),
        (lambda d: d["theorems"][0]["groups"].append([]), "groups"),
        (lambda d: d["theorems"][0].update(nodes=[]), "node 0"),
        (lambda d: d["theorems"][0]["nodes"].reverse(), "node 0"),
        (lambda d: d["theorems"][0]["nodes"][1].update(height=99), "exceeds the height of the theorem"),
        (lambda d: d["theorems"][0]["nodes"][1]["after"].append(0), "after must have a target per group"),
        (lambda d: d["theorems"][0]["nodes"][1]["h"].pop(), "two corners"),
        (lambda d: d["theorems"][0]["nodes"][1]["h"][0].pop(), "box"),
        (lambda d: d["theorems"][0]["nodes"][1]["h"].reverse(), "box is empty"),
        (lambda d: d["theorems"][0].update(more=1), "unexpected field"),
        (lambda d: d["network"].update(kind="gru"), "'kind' must be lstm or"),
        (lambda d: d["network"].update(temperature="1"), "temperature"),
        (lambda d: d["network"].update(alphabet=["a", "b", "(", "["]), "include ( and )"),
        (lambda d: d["network"].update(start_token=1), "start_token"),
        (lambda d: d["network"]["W"].pop(), "must have 4 d rows"),
        (lambda d: d["network"]["U"][0].pop(), "as many columns"),
        (lambda d: d["network"]["P"][0].__setitem__(0, "0x1.0000000000000p+0"), "without peepholes"),
        (lambda d: d["network"].update(S=[["0x1.0000000000000p+0"]]), "S must have d rows"),
    ],
)
def test_a_malformed_certificate_is_rejected_with_a_message(change, says):
    assert says in rejected(change)


def test_a_group_of_a_bracket_and_a_letter_is_rejected():
    def mix(data):
        theorem = data["theorems"][0]
        theorem["groups"][0] += theorem["groups"].pop()
        for one in theorem["nodes"]:
            one["after"].pop()

    assert "mixes brackets" in rejected(mix)


@given(st.sampled_from(KINDS), st.booleans(), st.integers(0, 2**20), st.integers(0, 2))
def test_a_step_from_a_box_contains_the_steps_from_its_points(kind, saturated, seed, token):
    """Steps are computed by torch's formulas in floats, from random points of random boxes."""
    random = np.random.default_rng(seed)
    numbers = numbers_of(counter(kind, big=float(random.uniform(0.1, 4))))
    net = check_counter.Network(network_json(numbers))
    net.saturated = saturated
    ends = np.sort(random.normal(size=(2, 2, 3)), axis=0)
    h, c = ([(int(a * ONE), int(b * ONE)) for a, b in ends[:, k].T] for k in (0, 1))
    f, m, o = net.gates(
        check_counter.each(check_counter.add, check_counter.product(net.U, h), net.reads[token]), c
    )
    cell = check_counter.each(check_counter.carry, f, m, c)
    to_h, logit = net.mix(net.output(o, cell)), net.logit(check_counter.product(net.U, h), c)
    points = ends[0] + random.random((50, 2, 3)) * (ends[1] - ends[0])
    run = CounterPoints(numbers, saturated)
    got_h, got_c = run.step(points[:, 0], points[:, 1], np.full(50, token))
    for values, intervals in (
        (got_h, to_h),
        (got_c, cell),
        (run.logits(points[:, 0], points[:, 1])[:, None], [logit]),
    ):
        for unit, (low, high) in enumerate(intervals):
            assert (low / ONE - 1e-9 <= values[:, unit]).all()
            assert (values[:, unit] <= high / ONE + 1e-9).all()


@cache
def proved():
    return certify_counter(counter(), height=1, length=6, saturated_height=1)


@settings(max_examples=40)
@given(st.integers(0, 2**20), st.sampled_from(["h", "c"]), st.floats(-1, 1))
def test_the_proof_and_the_checker_reject_identically(seed, name, by):
    """If a corner of a box moves, both prove the box or neither does."""
    answer = proved()
    random, boxes = np.random.default_rng(seed), answer.soft.boxes
    corners = {"h": boxes.h.copy(), "c": boxes.c.copy()}
    one = corners[name]
    index = (int(random.integers(2)), int(random.integers(one.shape[1])), int(random.integers(3)))
    one[index] += by
    if (one[0] > one[1]).any():
        return
    changed = Boxes(boxes.explored, **corners)
    gap = prove(answer.numbers, changed, 6)
    judged = judge(to_json(answer.numbers, [(changed, 1, 6)]))
    if abs(by) > 1e-6:
        assert (gap is None) == (judged.verdict == "accepted")


def test_checking_a_certificate_does_not_change_it():
    data = certificate()
    kept = copy.deepcopy(data)
    judge(data)
    assert data == kept


@pytest.mark.parametrize("name", ["wrong_sign", "no_memory_of_death"])
def test_a_wrong_decision_is_detected_by_the_proof_and_by_the_checker(name):
    """Only the classifier differs, so that all boxes are closed."""
    numbers, boxes = numbers_of(broken(getattr(some_counters, name))), proved().soft.boxes
    gap = prove(numbers, boxes, 6)
    assert gap is not None and gap.startswith("decision: ")
    assert (judge(to_json(numbers, [(boxes, 1, 6)])).why or "").startswith("the decision at node")
