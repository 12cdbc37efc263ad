"""Certified means: on all strings. Nothing that is certified is ever found to differ, and what differs is never certified."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from automata.deterministic import DFA
from automata.errors import InputError
from automata.moore import Moore
from neural.state_regularized.acceptor import Acceptor
from proofs_tests.certify.some_networks import KINDS, SIMILARITIES, numbers, random_network, seeds
from ratproof import check_boxes
from ratproof.certify.ball_run import soft_outputs
from ratproof.certify.boxes import Nodes, attempts, closes
from ratproof.certify.certificate import soft_machine
from ratproof.certify.certify import Answer, accepting, boxes, certify
from ratproof.certify.hard import hard
from ratproof.certify.numbers import numbers_of
from ratproof.certify.proof import prove
from ratproof.certify.search import difference

strings = st.lists(st.sampled_from("01"), max_size=40).map(tuple)


def asked_torch(network: Acceptor, string):
    """The label and the decision of the torch network after a string, and how clear both are."""
    with torch.no_grad():
        alpha = network.probabilities([string])[-1, 0]
        logit = network([string])[0]
    top = alpha.topk(2).values
    return (int(alpha.argmax()), bool(logit > 0)), min(float(top[0] - top[1]), abs(float(logit)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
@settings(max_examples=15)
@given(st.data())
def test_what_is_certified_is_what_torch_computes(kind, similarity, data):
    network = random_network(data.draw(seeds), kind, similarity, data.draw(st.booleans()))
    network.set_temperature(data.draw(st.sampled_from([0.01, 0.1, 0.5])))
    answer = certify(network)
    for string in data.draw(st.lists(strings, min_size=5, max_size=5)):
        found, clear = asked_torch(network, string)
        if clear < 1e-6:  # rounding in torch may decide
            continue
        if answer.soft is not None:
            assert answer.soft.output(string) == found
        if answer.verdict == "certified":
            machine = answer.hard.machine()
            assert machine is not None and machine.output(string) == found


@settings(max_examples=15)
@given(seeds, st.sampled_from([0.5, 3.0]))
def test_a_string_that_is_said_to_differ_does(seed, tau):
    network = random_network(seed)
    network.set_temperature(tau)
    answer = certify(network)
    assume(answer.verdict == "different")
    machine = answer.hard.machine()
    assert machine is not None and answer.word is not None
    assert soft_outputs(answer.numbers, answer.word) != machine.output(answer.word)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_the_hard_automaton_is_the_network_in_the_limit(kind, data):
    network = random_network(data.draw(seeds), kind, data.draw(st.sampled_from(SIMILARITIES)))
    asked = hard(numbers_of(network))
    machine = asked.machine()
    assert machine is not None
    for component in network.layers.components:
        component.transition = "limit"
    string = data.draw(strings)
    found, clear = asked_torch(network, string)
    assume(clear > 1e-9)
    assert machine.output(string) == found


def test_a_low_temperature_is_certified_and_a_high_one_is_not():
    network = random_network(3)
    assert certify(network, 0.5).verdict == "certified"
    assert certify(network, 50.0).verdict == "different"


def _closed(seed=3, tau=0.5):
    """A network of 5 centroids whose soft automaton has 4 states, refined by 5 nodes."""
    n = numbers(seed, tau)
    nodes, why = boxes(n)
    assert nodes is not None, why
    return n, nodes


def test_a_tie_has_no_automaton_to_be_compared_with():
    """The smallest tie: zero weights and S = (-1, 1) (FACTS: Theorem 3.2)."""
    network = Acceptor(("a",), "sr-elman", hidden_size=1, k=2, dtype=torch.float64)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.layers.components[0].centroids.copy_(torch.tensor([[-1.0, 1.0]]))
        network.classifier.bias.fill_(1.0)
    answer = certify(network)
    assert answer.verdict == "unknown" and "tie" in answer.why
    assert answer.hard.start is None and answer.hard.machine() is None


def test_boxes_alone_do_not_stop_training():
    """Where boxes close at once, and the soft run still goes elsewhere than the centroids by themselves."""
    seen = set()
    for seed in range(60):
        n = numbers(seed, 1.0)
        first = next(attempts(n))
        if isinstance(first, Nodes):
            machine = hard(n).machine()
            same = machine is not None and soft_machine(n, first).difference(machine) is None
            assert (closes(n) == len(first)) == same and (closes(n) is None) == (not same)
            seen.add(same)
    assert seen == {True, False}


def test_a_decision_of_exactly_zero_is_none():
    """The classifier's logit is 0 everywhere: neither accepted nor rejected, at whatever precision, and no automaton."""
    network = random_network(3)
    with torch.no_grad():
        network.classifier.weight.zero_()
        network.classifier.bias.zero_()
    n = numbers_of(network, 0.5)
    assert set(hard(n).accepts) == {None} and hard(n).machine() is None
    assert soft_outputs(n, ("0", "1")) is None
    answer = certify(network, 0.5)
    assert answer.verdict == "unknown" and "the decision at centroid" in answer.why


def test_a_decision_that_64_bits_do_not_tell_is_told_by_more():
    """Two units that differ by 6e-32, and a classifier that takes one from the other."""
    network = Acceptor(("a",), "sr-elman", hidden_size=2, k=2, start_token=False, dtype=torch.float64)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.layers.components[0].centroids.copy_(torch.tensor([[-1.0, 1.0], [-1.0, 1.0]]))
        network.cells[0].part.input.bias.copy_(torch.tensor([20.0, 20.0 + 2.0**-48], dtype=torch.float64))
        network.classifier.weight.copy_(torch.tensor([[1.0, -1.0]]))
    found = hard(numbers_of(network))
    assert found.table == ((1,), (1,)) and found.accepts == (False, False)
    assert all(3.99 < margin < 4.01 for row in found.margins for margin in row)  # 2 - (-2), and not 0, its own
    assert soft_outputs(numbers_of(network), ("a",)) == (1, False)


def test_a_temperature_is_taken_exactly():
    network = random_network(3)
    network.set_temperature(1 / 3)
    assert numbers_of(network).temperature == Fraction(1 / 3) != Fraction(1, 3)


def test_nothing_is_certified_without_boxes(monkeypatch):
    """More classes than boxes are tried for: no attempt at all was made, and that once was "certified"."""
    monkeypatch.setattr("ratproof.certify.boxes.MOST_NODES", 2)
    network = random_network(3)
    answer = certify(network, 0.5)
    assert answer.nodes is None and answer.word is None
    assert answer.verdict == "unknown" and "more than 2 boxes" in answer.why
    assert closes(numbers_of(network, 0.5)) is None
    machine = answer.hard.machine()
    assert machine is not None
    dfa = accepting(machine)
    assert certify(network, 0.5, against=dfa).verdict == "unknown"
    assert Answer(answer.numbers, answer.hard, None, None, "").verdict == "unknown"  # whatever else is forgotten


# What is proved of nodes: one broken thing, and the argument fails there.


def _broken(nodes: Nodes, **changes) -> Nodes:
    return replace(nodes, **changes)


def test_a_shrunk_box_is_not_proved():
    n, nodes = _closed()
    for node in range(len(nodes)):
        low, high = nodes.low.copy(), nodes.high.copy()
        width = high[node] - low[node]  # a tenth of it, in the corner where the first share is least
        least = np.arange(n.k) == 0
        low[node], high[node] = low[node] + 0.9 * width * ~least, high[node] - 0.9 * width * least
        gap = prove(n, _broken(nodes, low=low, high=high))
        assert gap is not None and "leave" in gap.why


def test_a_wrong_edge_label_or_decision_is_not_proved():
    n, nodes = _closed()
    for node in range(len(nodes)):
        for symbol in range(2):
            for wrong in set(range(len(nodes))) - {int(nodes.after[node, symbol])}:
                after = nodes.after.copy()
                after[node, symbol] = wrong
                assert prove(n, _broken(nodes, after=after)) is not None
        label, accepts = nodes.label.copy(), nodes.accepts.copy()
        label[node] = (label[node] + 1) % n.k
        accepts[node] = not accepts[node]
        assert prove(n, _broken(nodes, label=label)) is not None
        assert prove(n, _broken(nodes, accepts=accepts)) is not None


def test_a_decision_of_zero_is_not_proved():
    n, nodes = _closed()
    zero = replace(n, w=0 * n.w, v=0 * n.v)
    for accepts in (True, False):
        gap = prove(zero, _broken(nodes, accepts=np.full(len(nodes), accepts)))
        assert gap is not None and "decision" in gap.why


def test_another_network_is_not_proved_with_the_same_boxes():
    n, nodes = _closed()
    assert prove(n, nodes) is None
    for name in ("W", "U", "S", "b", "c", "embedding"):
        array = getattr(n, name).copy()
        assert prove(replace(n, **{name: -array}), nodes) is not None, name
    assert (
        prove(replace(n, U=n.U.copy().reshape(3, *[n.S.shape[0]] * 2).transpose(0, 2, 1).reshape(n.U.shape)), nodes) is not None
    )
    assert prove(replace(n, temperature=n.temperature * 40), nodes) is not None
    assert prove(replace(n, w=-n.w, v=-n.v), nodes) is not None


# The certificate, and the program that shares no code.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("start_token", [True, False])
def test_the_checker_accepts_what_is_proved(kind, similarity, start_token):
    for seed in range(4):
        answer = certify(random_network(seed, kind, similarity, start_token), 0.02)
        if answer.nodes is not None:
            break
    data = json.loads(json.dumps(answer.certificate()))
    assert check_boxes.verdict(data) == data["claims"]


def _certificate():
    n, nodes = _closed()
    return json.loads(json.dumps(Answer(n, hard(n), nodes, None, "").certificate()))


def _rejected(data) -> bool:
    try:
        check_boxes.verdict(data)
    except (ValueError, KeyError, TypeError, IndexError, ArithmeticError, AttributeError):
        return True
    return False


def _scaled(text: str, factor: float) -> str:
    return (float.fromhex(text) * factor).hex()


def test_the_checker_rejects_a_certificate_with_one_thing_broken():
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
            data["nodes"][node]["state"] = (data["nodes"][node]["state"] + 1) % len(data["automaton"]["label"])

        assert broken(shrink) and broken(state)
    for place in range(len(_certificate()["automaton"]["label"])):
        assert broken(lambda data, q=place: data["automaton"]["accepts"].__setitem__(q, not data["automaton"]["accepts"][q]))
        assert broken(lambda data, q=place: data["automaton"]["label"].__setitem__(q, (data["automaton"]["label"][q] + 1) % 2))
        assert (
            broken(lambda data, q=place: data["automaton"]["after"][q].reverse())
            or len(set(_certificate()["automaton"]["after"][place])) == 1
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
    """A certificate in which no state accepts."""
    n, nodes = _closed()
    n = replace(n, w=0 * n.w, v=np.float64(-1))
    nodes = replace(nodes, accepts=np.zeros(len(nodes), dtype=bool))
    return json.loads(json.dumps(Answer(n, hard(n), nodes, None, "").certificate()))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["automaton"].update(accepts=[1] * len(data["automaton"]["accepts"])),
        lambda data: data["automaton"].update(accepts=["yes"] * len(data["automaton"]["accepts"])),
        lambda data: data["automaton"].update(label=[bool(q) if q < 2 else q for q in data["automaton"]["label"]]),
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
def test_what_a_reader_would_take_otherwise_is_rejected(change):
    """Where no state accepts, an automaton that says 1 for "accepts" was accepted: only true counted as true."""
    data = _all_rejecting()
    assert not _rejected(data)
    change(data)
    assert _rejected(data)


def test_the_search_finds_a_planted_difference():
    """Against a machine that is wrong in one place, the search comes to that place."""
    n, nodes = _closed()
    machine = Answer(n, hard(n), nodes, None, "").soft
    assert machine is not None
    for state in range(machine.states):
        outputs = list(machine.outputs)
        outputs[state] = (outputs[state][0], not outputs[state][1])
        wrong = Moore(machine.alphabet, machine.start, machine.table, tuple(outputs))
        word = difference(n, wrong)
        assert word is not None and wrong.difference(machine) is not None
        assert len(word) == len(wrong.difference(machine)) and machine.output(word) != wrong.output(word)


@given(seeds)
@settings(max_examples=20)
def test_against_a_language_the_decisions_alone_count(seed):
    network = random_network(seed)
    answer = certify(network, 0.01)
    assume(answer.verdict == "certified")
    language = answer.language
    assert language is not None and certify(network, 0.01, against=language).verdict == "certified"
    other = DFA(language.alphabet, language.start, language.table, frozenset(range(language.states)) - language.final)
    found = certify(network, 0.01, against=other)
    assert found.verdict == "different" and found.word == ()


def test_networks_that_it_is_not_for_are_refused():
    for options, said in [
        ({"kind": "sr-lstm"}, "cell state"),
        ({"kind": "sr-lstm-p"}, "cell state"),
        ({"num_layers": 2}, "2 layers"),
        ({"transition": "sampled"}, "equation 4"),
        ({"transition": "limit"}, "ratproof extract"),
    ]:
        with pytest.raises(InputError, match=said):
            certify(Acceptor(("0", "1"), hidden_size=2, k=2, **options))
    for temperature in (0, -1.0, Fraction(-1, 3)):
        with pytest.raises(InputError, match="positive"):
            certify(random_network(0), temperature)


def test_weights_of_float32_are_taken_exactly():
    network = random_network(3).float()
    assert numbers_of(network).S.dtype == np.float64
    assert (network.layers.components[0].centroids.detach().double().numpy() == numbers_of(network).S).all()


@pytest.mark.parametrize("in_balls", [None, "as the machine"])
def test_a_difference_that_balls_do_not_confirm_is_none(monkeypatch, in_balls):
    network = numbers_of(random_network(0, "sr-gru", "dot", True))
    machine = Moore(("0", "1"), 0, ((0, 0),), ("never shown",))
    assert difference(network, machine) == ()
    asked = []

    def soft(numbers, word):
        asked.append(word)
        return None if in_balls is None else "never shown"

    monkeypatch.setattr("ratproof.certify.search.soft_outputs", soft)
    assert difference(network, machine) is None and asked
