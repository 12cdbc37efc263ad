"""Tests of the strings on which a trained network is run, and of the graph of its states."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import LimitReached
from automata.moore import Moore
from proofs_tests.papers.certification.latches import ALPHABET, MACHINE, latch
from ratproof.certification.ordinary_networks import counterexamples
from ratproof.certification.ordinary_networks.arithmetic import Points
from ratproof.certification.ordinary_networks.counterexamples import (
    access_words,
    candidates,
    counterexample,
    labels_along,
    shrunk,
)
from ratproof.certification.ordinary_networks.net import WrongDecision, explore
from ratproof.certification.ordinary_networks.recognise import network_of_parts


@st.composite
def machines(draw, most_states=5, most_symbols=3, classes=3):
    """Draw Moore machines with numbered outputs; some states may be unreachable."""
    states, symbols = draw(st.integers(1, most_states)), draw(st.integers(1, most_symbols))
    rows = st.lists(st.integers(0, states - 1), min_size=symbols, max_size=symbols).map(tuple)
    table = draw(st.lists(rows, min_size=states, max_size=states))
    outputs = draw(st.lists(st.integers(0, classes - 1), min_size=states, max_size=states))
    return Moore(tuple("abc"[:symbols]), draw(st.integers(0, states - 1)), tuple(table), tuple(outputs))


def decider(machine):
    """Return a function that decides strings as the machine does."""
    return lambda words: labels_along(machine, words)


def same_alphabet(draw, machine):
    other = draw(machines())
    return Moore(
        machine.alphabet,
        other.start,
        tuple(tuple(row[a % len(row)] for a in range(len(machine.alphabet))) for row in other.table),
        other.outputs,
    )


@given(machines(), st.data())
def test_labels_are_the_outputs_after_each_prefix(machine, data):
    symbols = st.integers(0, len(machine.alphabet) - 1)
    words = data.draw(st.lists(st.lists(symbols, min_size=4, max_size=4), min_size=1, max_size=3))
    for word, labels in zip(words, labels_along(machine, np.array(words)), strict=True):
        spelled = [machine.alphabet[a] for a in word]
        assert labels.tolist() == [machine.output(tuple(spelled[: n + 1])) for n in range(4)]


@given(machines())
def test_access_strings_are_shortlex_least(machine):
    words = access_words(machine)
    seen: dict[int, tuple[int, ...]] = {}
    symbols = range(len(machine.alphabet))
    for length in range(machine.states):
        for word in itertools.product(symbols, repeat=length):
            state = machine.start
            for symbol in word:
                state = machine.table[state][symbol]
            seen.setdefault(state, word)
    assert words == list(seen.values())


@settings(max_examples=15)
@given(machines())
def test_candidates_are_words_over_the_alphabet_and_include_all_short_ones(machine):
    batches = list(candidates(machine, np.random.default_rng(0)))
    symbols = len(machine.alphabet)
    for words in batches:
        assert words.ndim == 2 and words.size and words.min() >= 0 and words.max() < symbols
    short = {tuple(word) for word in batches[0][:, :3].tolist()}
    assert short == set(itertools.product(range(symbols), repeat=3))
    assert max(words.shape[1] for words in batches) > 300


@settings(max_examples=30)
@given(machines(), st.data())
def test_a_counterexample_is_found_if_and_only_if_the_machines_differ(machine, data):
    """A network that agrees with another small machine differs at a short string."""
    other = same_alphabet(data.draw, machine)
    word = counterexample(machine, decider(other))
    differ = any(
        labels_along(machine, words).tolist() != labels_along(other, words).tolist()
        for words in [np.array(list(itertools.product(range(len(machine.alphabet)), repeat=6)))]
    )
    if word is None:
        assert not differ
    else:
        assert labels_along(machine, np.array([word]))[0, -1] != labels_along(other, np.array([word]))[0, -1]


@settings(max_examples=60)
@given(machines(), st.data())
def test_a_shrunk_word_still_differs_and_is_no_longer(machine, data):
    other = same_alphabet(data.draw, machine)
    words = np.random.default_rng(0).integers(len(machine.alphabet), size=(1, 60))
    wrong = np.flatnonzero(labels_along(machine, words)[0] != labels_along(other, words)[0])
    if not len(wrong):
        return
    word = words[0, : wrong[-1] + 1]
    short = shrunk(machine, decider(other), word)
    assert 1 <= len(short) <= len(word)
    assert labels_along(machine, np.array([short]))[0, -1] != labels_along(other, np.array([short]))[0, -1]


@pytest.mark.parametrize("symbols", [1, 2, 3, 400])
def test_the_tested_length_is_that_before_the_shortest_difference(symbols):
    """A single symbol has one string of each length, and their number does not grow."""
    machine = Moore(tuple(map(str, range(symbols))), 0, ((0,) * symbols,), (0,))
    longest, word = counterexamples.run_all_strings(machine, decider(machine))
    assert word is None
    assert longest == 400 if symbols == 1 else symbols**longest <= 1 << 17 < symbols ** (longest + 1)

    def wrong_at_the_end(words):
        labels = np.zeros(words.shape, int)
        labels[:, -1] = (words == symbols - 1).all(1)
        return labels

    expected = longest - 1, [symbols - 1] * longest
    assert counterexamples.run_all_strings(machine, wrong_at_the_end) == expected


def net_of(spacing, keyed, machine=MACHINE, most=500):
    network = network_of_parts(*latch("gru"), np.eye(3), 0.0, ALPHABET)
    return network, explore(
        network, machine, np.full(machine.states, spacing), None, keyed, most, time.monotonic() + 60
    )


@pytest.mark.parametrize("spacing", [0.3, 0.03])
@pytest.mark.parametrize("keyed", [{}, {0: 2}, {0: 1, 1: 3}])
def test_edges_of_a_net_follow_the_automaton_and_its_decisions(spacing, keyed):
    network, net = net_of(spacing, keyed)
    assert net.states[0] == MACHINE.start and not net.centers[0].any() and (net.edges != 0).any()
    for node in range(len(net)):
        for symbol, target in enumerate(net.edges[node]):
            assert net.states[target] == MACHINE.table[net.states[node]][symbol]
        assert bool(net.keyed[node]) == (node > 0 and int(net.states[node]) in keyed)
        if node:
            assert network.decide(net.centers[[node]])[0] == MACHINE.outputs[net.states[node]]


def test_a_state_is_the_image_of_another_or_near_it():
    network, net = net_of(0.03, {})
    for symbol in range(len(ALPHABET)):
        images = network.step(Points(net.centers), np.full(len(net), symbol)).center
        distances = np.linalg.norm(images - net.centers[net.edges[:, symbol]], axis=1)
        assert (distances <= 0.03 + 1e-9).all()
    assert set(net.edges.ravel()) >= set(range(1, len(net)))


def test_a_net_reports_its_limit_and_wrong_decisions():
    with pytest.raises(LimitReached, match=r"more than 5 regions$"):
        net_of(1e-9, {}, most=5)
    wrong = Moore(ALPHABET, 0, MACHINE.table, (0, 0))
    with pytest.raises(WrongDecision) as caught:
        net_of(0.3, {}, wrong)
    assert labels_along(MACHINE, np.array([caught.value.word]))[0, -1] == 1
