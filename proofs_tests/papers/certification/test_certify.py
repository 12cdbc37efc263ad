"""Tests that a certified network agrees with its automaton on all strings, and that a network that differs is
never certified.
"""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from automata.dfa import DFA
from automata.errors import InputError
from neural.state_regularized.acceptor import Acceptor
from proofs_tests.papers.certification.some_networks import (
    KINDS,
    SIMILARITIES,
    numbers,
    random_network,
    seeds,
)
from ratproof.certification.soft_networks.ball_run import soft_outputs
from ratproof.certification.soft_networks.boxes import Nodes, attempts, count_closed_boxes
from ratproof.certification.soft_networks.certificate import soft_machine
from ratproof.certification.soft_networks.certify import Certification, accepting, certify
from ratproof.certification.soft_networks.hard import hard_automaton
from ratproof.certification.soft_networks.numbers import numbers_of

strings = st.lists(st.sampled_from("01"), max_size=40).map(tuple)


def torch_output(network: Acceptor, string):
    """Return the label and the decision of the torch network after a string, and the margin of each."""
    with torch.no_grad():
        alpha = network.probabilities([string])[-1, 0]
        logit = network([string])[0]
    top = alpha.topk(2).values
    return (int(alpha.argmax()), bool(logit > 0)), min(float(top[0] - top[1]), abs(float(logit)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
@settings(max_examples=15)
@given(st.data())
def test_the_certified_automaton_agrees_with_torch(kind, similarity, data):
    network = random_network(data.draw(seeds), kind, similarity, data.draw(st.booleans()))
    network.set_temperature(data.draw(st.sampled_from([0.01, 0.1, 0.5])))
    answer = certify(network)
    for string in data.draw(st.lists(strings, min_size=5, max_size=5)):
        output, clear = torch_output(network, string)
        if clear < 1e-6:  # torch's rounding may change the result
            continue
        if answer.soft is not None:
            assert answer.soft.output(string) == output
        if answer.verdict == "certified":
            machine = answer.hard.machine()
            assert machine is not None and machine.output(string) == output


@settings(max_examples=8)
@given(seeds, st.sampled_from([0.5, 3.0]))
def test_a_string_reported_as_different_differs(seed, tau):
    network = random_network(seed)
    network.set_temperature(tau)
    answer = certify(network)
    assume(answer.verdict == "different")
    machine = answer.hard.machine()
    assert machine is not None and answer.word is not None
    assert soft_outputs(answer.numbers, answer.word) != machine.output(answer.word)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(st.data())
def test_the_hard_automaton_is_the_network_in_the_limit(kind, data):
    network = random_network(data.draw(seeds), kind, data.draw(st.sampled_from(SIMILARITIES)))
    hard = hard_automaton(numbers_of(network))
    machine = hard.machine()
    assert machine is not None
    for component in network.layers.components:
        component.transition = "limit"
    string = data.draw(strings)
    output, clear = torch_output(network, string)
    assume(clear > 1e-9)
    assert machine.output(string) == output


def test_a_low_temperature_is_certified_and_a_high_one_is_not():
    network = random_network(3)
    assert certify(network, 0.5).verdict == "certified"
    assert certify(network, 50.0).verdict == "different"


@pytest.mark.parametrize("temperature", [1e-60, 1e-300])
def test_the_lowest_temperatures_are_certified(temperature):
    """The first mixture is one-hot up to a term far below the smallest float."""
    assert certify(random_network(3), temperature).verdict == "certified"


def test_a_tie_has_no_automaton_to_compare_with():
    """The smallest tie in Theorem 3.2 has zero weights and S = (-1, 1)."""
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
    """Closed boxes count only if the automaton of the boxes equals the automaton of the centroids."""
    seen = set()
    for seed in range(20):
        n = numbers(seed, 1.0)
        first = next(attempts(n))
        if isinstance(first, Nodes):
            machine = hard_automaton(n).machine()
            same = machine is not None and soft_machine(n, first).difference(machine) is None
            assert (count_closed_boxes(n) == len(first)) == same
            assert (count_closed_boxes(n) is None) == (not same)
            seen.add(same)
    assert seen == {True, False}


def test_a_decision_of_exactly_zero_is_neither_accepting_nor_rejecting():
    """The classifier's logit is 0 everywhere, at any precision, so there is no automaton."""
    network = random_network(3)
    with torch.no_grad():
        network.classifier.weight.zero_()
        network.classifier.bias.zero_()
    n = numbers_of(network, 0.5)
    assert set(hard_automaton(n).accepts) == {None} and hard_automaton(n).machine() is None
    assert soft_outputs(n, ("0", "1")) is None
    answer = certify(network, 0.5)
    assert answer.verdict == "unknown" and "the decision at centroid" in answer.why


def test_a_decision_below_64_bits_is_resolved_at_higher_precision():
    """Two units differ by 6e-32, and the classifier subtracts one from the other."""
    network = Acceptor(("a",), "sr-elman", hidden_size=2, k=2, start_token=False, dtype=torch.float64)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.layers.components[0].centroids.copy_(torch.tensor([[-1.0, 1.0], [-1.0, 1.0]]))
        network.cells[0].part.input.bias.copy_(torch.tensor([20.0, 20.0 + 2.0**-48], dtype=torch.float64))
        network.classifier.weight.copy_(torch.tensor([[1.0, -1.0]]))
    hard = hard_automaton(numbers_of(network))
    assert hard.table == ((1,), (1,)) and hard.accepts == (False, False)
    assert all(3.99 < margin < 4.01 for row in hard.margins for margin in row)  # 2 - (-2), not the default 0
    assert soft_outputs(numbers_of(network), ("a",)) == (1, False)


def test_a_temperature_is_taken_exactly():
    network = random_network(3)
    network.set_temperature(1 / 3)
    assert numbers_of(network).temperature == Fraction(1 / 3) != Fraction(1, 3)


def test_nothing_is_certified_without_boxes(monkeypatch):
    """There are more classes than the limit, so certification is not attempted. An earlier version reported
    success.
    """
    monkeypatch.setattr("ratproof.certification.soft_networks.boxes.MOST_NODES", 2)
    network = random_network(3)
    answer = certify(network, 0.5)
    assert answer.nodes is None and answer.word is None
    assert answer.verdict == "unknown" and "at most 2 boxes are supported" in answer.why
    assert count_closed_boxes(numbers_of(network, 0.5)) is None
    machine = answer.hard.machine()
    assert machine is not None
    dfa = accepting(machine)
    assert certify(network, 0.5, against=dfa).verdict == "unknown"
    assert Certification(answer.numbers, answer.hard, None, None, "").verdict == "unknown"  # always


@given(seeds)
@settings(max_examples=10)
def test_compared_with_a_language_only_decisions_count(seed):
    network = random_network(seed)
    answer = certify(network, 0.01)
    assume(answer.verdict == "certified")
    language = answer.language
    assert language is not None and certify(network, 0.01, against=language).verdict == "certified"
    other = DFA(
        language.alphabet, language.start, language.table, frozenset(range(language.states)) - language.final
    )
    against_other = certify(network, 0.01, against=other)
    assert against_other.verdict == "different" and against_other.word == ()


def test_unsupported_networks_are_refused():
    for options, message in [
        ({"kind": "sr-lstm"}, "cell state"),
        ({"kind": "sr-lstm-p"}, "cell state"),
        ({"num_layers": 2}, "must have one layer, got 2"),
        ({"transition": "sampled"}, "equation 4"),
        ({"transition": "limit"}, "ratproof extract"),
    ]:
        with pytest.raises(InputError, match=message):
            certify(Acceptor(("0", "1"), hidden_size=2, k=2, **options))
    for temperature in (0, -1.0, Fraction(-1, 3)):
        with pytest.raises(InputError, match="positive"):
            certify(random_network(0), temperature)


def test_float32_weights_are_used_exactly():
    network = random_network(3).float()
    assert numbers_of(network).S.dtype == np.float64
    assert (network.layers.components[0].centroids.detach().double().numpy() == numbers_of(network).S).all()


@pytest.mark.parametrize(
    "centroids",
    [[1 - 2**-53, 1.0], [1.0, 1 - 2**-53], [1.6e308, 1.7e308]],
    ids=["near", "near, turned", "large"],
)
def test_similarities_that_are_equal_in_floats_are_not_a_tie(centroids):
    """The two centroids have different similarities, which are equal in floats. Balls of 128 bits decide
    which centroid is more similar.
    """
    network = Acceptor(
        ("a",), kind="sr-elman", hidden_size=4, k=2, embedding_size=1, start_token=False, dtype=torch.float64
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        cell = network.layers.cells[0]
        cell.part.input.bias.fill_(0.625)
        cell.component.centroids.copy_(torch.tensor([centroids] * 4, dtype=torch.float64))
        network.classifier.weight.fill_(1.0)
    largest = centroids.index(max(centroids))
    assert hard_automaton(numbers_of(network)).table == ((largest,), (largest,))
