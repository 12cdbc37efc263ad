"""Tests that the independent checker accepts proved certificates of boxes and rejects all changed ones."""

import json
from dataclasses import replace

import numpy as np
import pytest

from proofs_tests.papers.certification.some_networks import KINDS, SIMILARITIES, closed, random_network
from ratproof.certification.soft_networks.certify import Certification, certify
from ratproof.certification.soft_networks.hard import hard_automaton
from ratproof.checkers import check_boxes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("start_token", [True, False])
def test_the_checker_accepts_proved_certificates(kind, similarity, start_token):
    for seed in range(4):
        answer = certify(random_network(seed, kind, similarity, start_token), 0.02)
        if answer.nodes is not None:
            break
    data = json.loads(json.dumps(answer.certificate()))
    assert check_boxes.verdict(data) == data["claims"]


def _certificate():
    n, nodes = closed()
    return json.loads(json.dumps(Certification(n, hard_automaton(n), nodes, None, "").certificate()))


def _rejected(data) -> bool:
    try:
        check_boxes.verdict(data)
    except (ValueError, KeyError, TypeError, IndexError, ArithmeticError, AttributeError):
        return True
    return False


def _scaled(text: str, factor: float) -> str:
    return (float.fromhex(text) * factor).hex()


def test_the_checker_rejects_a_certificate_with_one_mutation():
    assert not _rejected(_certificate())

    def broken(change) -> bool:
        data = _certificate()
        change(data)
        return _rejected(data)

    for node in range(len(_certificate()["nodes"])):
        for symbol in range(2):

            def edge(data, node=node, symbol=symbol):
                after = data["nodes"][node]["after"]
                after[symbol] = (after[symbol] + 1) % len(data["nodes"])

            assert broken(edge)

        def shrink(data, node=node):
            entry = data["nodes"][node]
            for i, (low, high) in enumerate(zip(entry["low"], entry["high"], strict=True)):
                a, b = float.fromhex(low), float.fromhex(high)
                entry["low" if i else "high"][i] = (b - 0.1 * (b - a) if i else a + 0.1 * (b - a)).hex()

        def state(data, node=node):
            data["nodes"][node]["state"] = (data["nodes"][node]["state"] + 1) % len(
                data["automaton"]["label"]
            )

        assert broken(shrink) and broken(state)
    for state_index in range(len(_certificate()["automaton"]["label"])):
        assert broken(
            lambda data, q=state_index: data["automaton"]["accepts"].__setitem__(
                q, not data["automaton"]["accepts"][q]
            )
        )
        assert broken(
            lambda data, q=state_index: data["automaton"]["label"].__setitem__(
                q, (data["automaton"]["label"][q] + 1) % 2
            )
        )
        assert (
            broken(lambda data, q=state_index: data["automaton"]["after"][q].reverse())
            or len(set(_certificate()["automaton"]["after"][state_index])) == 1
        )
    assert broken(lambda data: data["network"].update(temperature="40"))
    assert broken(lambda data: data["network"].update(temperature="0"))
    assert broken(lambda data: data["network"].update(kind="sr-lstm"))
    assert broken(lambda data: data["network"].update(similarity="euclidean"))
    assert broken(lambda data: data["network"].update(start_token=False))
    assert broken(lambda data: data.update(claims="more"))
    assert broken(lambda data: data["nodes"].pop())
    assert broken(lambda data: data["network"]["S"].pop())
    assert broken(lambda data: data["network"]["W"][0].pop())
    assert broken(lambda data: data["nodes"][0]["low"].__setitem__(0, "nan"))
    for name in ("W", "U", "S", "embedding"):
        assert broken(
            lambda data, name=name: data["network"].update(
                {name: [[_scaled(v, -1) for v in row] for row in data["network"][name]]}
            )
        )
    assert broken(lambda data: data["network"]["S"].reverse())


def _all_rejecting():
    """Return a certificate whose automaton accepts no string."""
    n, nodes = closed()
    n = replace(n, w=0 * n.w, v=np.float64(-1))
    nodes = replace(nodes, accepts=np.zeros(len(nodes), dtype=bool))
    return json.loads(json.dumps(Certification(n, hard_automaton(n), nodes, None, "").certificate()))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["automaton"].update(accepts=[1] * len(data["automaton"]["accepts"])),
        lambda data: data["automaton"].update(accepts=["yes"] * len(data["automaton"]["accepts"])),
        lambda data: data["automaton"].update(
            label=[bool(q) if q < 2 else q for q in data["automaton"]["label"]]
        ),
        lambda data: data["automaton"]["after"][0].append(0),
        lambda data: data["network"].update(start_token="false"),
        lambda data: data["network"].update(start_token=1),
        lambda data: data["network"].update(alphabet=["0", "0"]),
        lambda data: data["network"].update(alphabet="01"),
        lambda data: data["network"].update(temperature="1e-999999999"),
        lambda data: data["network"].update(temperature="-1/-2"),
        lambda data: data["network"].update(temperature=0.5),
        lambda data: data["network"].update(kind="sr-gru "),
        lambda data: data["nodes"][0].update(state=False),
        lambda data: data["nodes"][0]["low"].append("0x0p+0"),
        lambda data: data["nodes"][0].update(after=[-1, -1]),
        lambda data: data["nodes"][0].update(low=["0x1p+0"] * 5),
        lambda data: data["nodes"][0].update(high=["0x0p+0"] * 5),
    ],
)
def test_an_ambiguous_value_is_rejected(change):
    """Values such as 1 for a Boolean are rejected, even in a certificate in which no state accepts."""
    data = _all_rejecting()
    assert not _rejected(data)
    change(data)
    assert _rejected(data)
