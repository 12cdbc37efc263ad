"""Tests that ordinary networks of every kind are certified, refuted by strings that torch confirms, or
hardened.
"""

import itertools
import random

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import ratproof
from automata.dfa import DFA
from automata.errors import InputError
from automata.moore import Moore
from automata.semirings import REAL
from automata.wfsa import WFSA
from neural.seeding import seeded
from proofs_tests.papers.certification.latches import (
    ALPHABET,
    LAST,
    MACHINE,
    SEEN,
    certificate_of,
    certified,
    drifting,
    fading,
    last_of_three,
    latch,
    module_of,
)
from proofs_tests.papers.certification.ordinary import CELLS
from ratproof.certification.ordinary_networks import certify, counterexamples, harden
from ratproof.certification.ordinary_networks.harden import symbol_chances
from ratproof.certification.ordinary_networks.recognise import network_of_parts
from ratproof.checkers.table import judge

DFA_OF_MACHINE = MACHINE.accepting(frozenset({1}))
RARE = Moore(tuple("abcdefghij"), 0, ((1, *[0] * 9), (1,) * 10), (0, 1))
"""The automaton that accepts the strings with an "a"; the other nine symbols do not matter."""
cells = pytest.mark.parametrize("cell", CELLS)
layered = pytest.mark.parametrize("layers", [1, 2])


def torch_decision(parts, word, alphabet=ALPHABET):
    """Return the decision of torch's modules after one string."""
    rnn, linear = parts
    inputs = torch.eye(len(alphabet))[[alphabet.index(symbol) for symbol in word]][:, None]
    with torch.no_grad():
        logits = linear(rnn(inputs)[0][-1])[0]
    return int(logits.argmax()) if len(logits) > 1 else int(logits[0] > 0)


def output(machine, word):
    return machine.output(tuple(word))


@cells
@layered
def test_a_latch_is_certified_and_the_checker_accepts(cell, layers):
    parts = latch(cell, layers)
    answer = certified(parts)
    assert answer.verdict == "certified" and answer.word is None and answer.regions
    assert judge(certificate_of(answer)).verdict == "accepted"
    for word in itertools.product(ALPHABET, repeat=4):
        assert torch_decision(parts, word) == output(MACHINE, word)


@cells
@layered
def test_a_latch_with_a_changed_weight_is_refuted_by_torch(cell, layers):
    """The first unit forgets its state, so that the decision on a string with "keep" changes."""
    parts = latch(cell, layers)
    with torch.no_grad():
        weight = parts[0].weight_hh_l0
        weight[weight.abs() > 1] = 0.0
    answer = certified(parts)
    assert answer.verdict == "different" and answer.word is not None and "keep" in answer.word
    ours, theirs = answer.decisions
    assert (torch_decision(parts, answer.word), output(MACHINE, answer.word)) == (ours, theirs)
    assert ours != theirs
    with pytest.raises(ValueError, match="nothing is proved"):
        answer.certificate()


def test_the_class_of_the_largest_output_is_certified():
    parts = last_of_three()
    report = ratproof.certify(module_of(parts), LAST, embeddings="one-hot")
    assert report.verdict == "certified" and report.word is None
    wrong = Moore(LAST.alphabet, 0, LAST.table, (0, 2, 1))
    report = ratproof.certify(module_of(parts), wrong, embeddings="one-hot")
    assert report.verdict == "different" and len(report.word) == 1
    assert torch_decision(parts, report.word, LAST.alphabet) != output(wrong, report.word)


def test_a_slow_memory_is_unknown_with_a_bounded_length(monkeypatch):
    """The memory fades so slowly that no tested string is long enough."""
    monkeypatch.setattr(counterexamples, "MOST_TESTED", 3**6)
    parts = fading()
    report = ratproof.certify(module_of(parts), DFA_OF_MACHINE, embeddings="one-hot", seconds=0.5)
    assert report.verdict == "unknown" and report.word is None
    answer = report.answer
    assert answer.bounded >= 6
    assert answer.why
    assert answer.slow[0] == ("keep",)
    assert 0.99 < answer.slow[1] < 1.0001
    assert f"correct on all strings of at most {answer.bounded} symbols\n" in str(report)
    assert report.to_json()["bounded"] == answer.bounded
    with pytest.raises(AssertionError, match="unknown"):
        report.check()
    for word in itertools.product(ALPHABET, repeat=3):
        assert torch_decision(parts, word) == output(MACHINE, word)


def test_a_wrong_string_among_all_strings_is_a_counterexample(monkeypatch):
    """Only the run of all strings of bounded length includes this string."""
    monkeypatch.setattr(counterexamples, "MOST_TESTED", 3**9)
    network = network_of_parts(*fading(), np.eye(3), 0.0, ALPHABET)
    right = counterexamples.float32_decisions(network, *fading())
    wrong_word = [1, 2, 0, 2, 2, 1, 0, 0, 2]

    def decide(words):
        decisions = right(words)
        end = len(wrong_word)
        if words.shape[1] >= end:
            decisions[(words[:, :end] == wrong_word).all(1), end - 1] ^= 1
        return decisions

    assert counterexamples.counterexample(MACHINE, decide) is None
    answer = certify.certify_ordinary(network, MACHINE, decide, seconds=0.5)
    assert answer.verdict == "different" and [ALPHABET.index(a) for a in answer.word] == wrong_word


def test_a_drifting_memory_is_certified_by_words():
    assert certified(drifting(), SEEN, SEEN.alphabet).verdict == "certified"


def test_regions_are_searched_if_words_fail(monkeypatch):
    monkeypatch.setattr(certify, "find_word_trees", lambda *_: (3, "there are no words"))
    assert certified(latch("gru")).verdict == "certified"
    answer = certified(drifting(), SEEN, SEEN.alphabet, seconds=0.2)
    assert answer.verdict == "unknown" and "there are no words" in answer.why and answer.bounded >= 3


def test_regions_replace_a_proof_with_many_words(monkeypatch):
    """The certificates of the LSTM have ellipsoids only if they have no words."""

    def has_ellipsoids():
        return any("factor" in node for node in certificate_of(certified(latch("lstm")))["nodes"])

    assert not has_ellipsoids()
    monkeypatch.setattr(certify, "FEW_WORDS", 10)
    assert has_ellipsoids()
    monkeypatch.setattr(certify, "find_regions", lambda *_: "there are no regions")
    assert not has_ellipsoids()


@pytest.mark.parametrize("machine", [MACHINE, LAST, RARE])
def test_rare_symbols_that_matter_are_drawn_in_training(machine):
    chances = symbol_chances(machine)
    assert chances.sum(1) == pytest.approx(1)
    for row, targets in zip(chances, machine.table, strict=True):
        assert min(row) >= 0.5 / len(row)
        for target in set(targets):
            assert row[np.array(targets) == target].sum() >= 0.5 / len(set(targets))


@cells
def test_an_automaton_is_extracted_and_certified(cell):
    parts = latch(cell)
    report = ratproof.certify(module_of(parts), embeddings="one-hot", alphabet=ALPHABET)
    assert report.verdict == "certified" and report.answer.extracted
    assert report.answer.machine.difference(MACHINE.minimal()) is None
    assert judge(report.certificate()).verdict == "accepted"


def test_the_decision_before_the_first_symbol_is_no_part_of_the_claim():
    """The classifier is undecided at the start state, but no nonempty string leads to this state."""
    parts = last_of_three()
    machine = Moore(LAST.alphabet, 0, ((1, 2, 3),) * 4, (2, 0, 1, 2))
    answer = certified(parts, machine, LAST.alphabet)
    assert answer.verdict == "certified"


def test_automata_over_the_same_symbols_in_another_order_are_the_same():
    parts = latch("gru")
    order = (2, 0, 1)
    turned = DFA(
        tuple(ALPHABET[a] for a in order),
        0,
        tuple(tuple(row[a] for a in order) for row in MACHINE.table),
        frozenset({1}),
    )
    moore = Moore(turned.alphabet, 0, turned.table, (0, 1))
    module = module_of(parts)
    for automaton in (turned, moore, turned.to_wfsa(), DFA_OF_MACHINE):
        report = ratproof.certify(module, automaton, embeddings="one-hot", alphabet=ALPHABET)
        assert report.verdict == "certified"
        assert report.certificate()["network"]["alphabet"] == list(ALPHABET)
    # without an alphabet, the inputs are in the automaton's order
    vectors = torch.eye(3)[list(order)]
    assert ratproof.certify(module, turned, embeddings=vectors).verdict == "certified"
    assert ratproof.certify(module, turned, embeddings="one-hot").verdict == "different"


@pytest.mark.parametrize(
    ("automaton", "options", "sentence"),
    [
        (None, {}, "alphabet must have the network's symbols if no automaton is passed, got None"),
        ("tomita5.json", {}, r"a Moore machine, got str; pass ratproof\.read\('tomita5\.json'\)"),
        (
            DFA_OF_MACHINE,
            {"alphabet": set(ALPHABET)},
            "the alphabet must be a sequence, because a set has no",
        ),
        ("tomita5.json", {"alphabet": ALPHABET}, "must be a DFA, a boolean WFSA or a Moore machine, got str"),
        (5, {"alphabet": ALPHABET}, "must be a DFA, a boolean WFSA or a Moore machine, got int"),
        (
            WFSA.from_edges(REAL, 1, ALPHABET, [(0, 1)], [(0, 1)], []),
            {},
            "must be a DFA, a boolean WFSA or a Moore machine, got WFSA",
        ),
        (LAST, {"alphabet": ALPHABET}, "outputs must be class indices from 0 to 1, got 2"),
        (
            Moore(ALPHABET, 0, MACHINE.table, (False, True)),
            {},
            "outputs must be class indices from 0 to 1, got False",
        ),
        (Moore(ALPHABET, 0, MACHINE.table, (0, 2)), {}, "outputs must be class indices from 0 to 1, got 2"),
        (Moore(ALPHABET, 0, MACHINE.table, (0,)), {}, "must have one output per state, got 1 for 2 states"),
        (DFA(("a", "b", "c"), 0, ((0, 0, 0),), frozenset()), {"alphabet": ALPHABET}, "alphabet"),
        (DFA(("a", "b"), 0, ((0, 0),), frozenset()), {}, "one-hot"),
        (DFA_OF_MACHINE, {"seconds": 0}, "seconds must be positive, got 0"),
        (DFA_OF_MACHINE, {"seconds": float("nan")}, "seconds must be positive, got nan"),
        (DFA_OF_MACHINE, {"threshold": float("inf")}, "threshold must be a finite number, got inf"),
        (DFA_OF_MACHINE, {"alphabet": ["set", "set", "keep"]}, "set"),
        (DFA_OF_MACHINE, {"alphabet": ["set", "reset", ""]}, "reserved for epsilon"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(automaton, options, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        ratproof.certify(module_of(latch("gru")), automaton, **{"embeddings": "one-hot", **options})
    assert "\n" not in str(caught.value)


def test_a_network_that_is_neither_a_module_nor_a_path_is_refused():
    with pytest.raises(InputError, match="network must be a module or the path of a file, got None"):
        ratproof.certify(None, DFA_OF_MACHINE)


def test_a_dfa_has_no_classes():
    with pytest.raises(InputError, match="3 classes must be compared with a Moore machine, got a DFA"):
        ratproof.certify(module_of(last_of_three()), LAST.accepting(frozenset({1})), embeddings="one-hot")


@pytest.mark.parametrize("steps", [20, 200])
def test_a_module_that_reads_only_its_last_steps_is_refused(steps):
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.linear = latch("rnn_tanh")

        def forward(self, x):
            return self.linear(self.rnn(x[-steps:])[0][-1])

    with pytest.raises(InputError, match="must be the linear layer's output for the recurrent layer's last"):
        ratproof.certify(Last(), DFA_OF_MACHINE, embeddings="one-hot")


def test_a_threshold_is_part_of_the_claim():
    """The outputs of the two states are about -2 and 2."""
    module = module_of(latch("rnn_tanh"))
    options = {"embeddings": "one-hot"}
    assert ratproof.certify(module, DFA_OF_MACHINE, threshold=1.5, **options).verdict == "certified"
    report = ratproof.certify(module, DFA_OF_MACHINE, threshold=2.5, **options)
    assert report.verdict == "different"
    nothing = DFA(ALPHABET, 0, ((0, 0, 0),), frozenset())
    assert ratproof.certify(module, nothing, threshold=2.5, **options).verdict == "certified"


def test_a_threshold_that_float32_rounds_is_certified():
    """torch compares float32 outputs with the rounded threshold."""
    report = ratproof.certify(module_of(latch("gru")), DFA_OF_MACHINE, embeddings="one-hot", threshold=0.1)
    assert report.verdict == "certified"
    assert float.fromhex(report.certificate()["network"]["threshold"]) == np.float32(0.1)


def test_a_language_of_one_symbol_is_decided():
    """The number of its strings does not grow with their length."""
    rnn, linear = nn.RNN(1, 1), nn.Linear(1, 1)
    with torch.no_grad():
        for parameter in (*rnn.parameters(), *linear.parameters()):
            parameter.fill_(0.0)  # the output is the threshold, and no proof of a strict inequality exists
    machine = Moore(("a",), 0, ((0,),), (0,))
    answer = certified((rnn, linear), machine, ("a",))
    assert answer.verdict == "unknown" and answer.bounded == 400


def test_hardening_changes_only_the_layers_and_no_generators(monkeypatch):
    """A latch whose memory is too weak is trained until it is certified."""
    monkeypatch.setattr(harden, "STEPS", 60)
    rnn, linear = latch("rnn_tanh")
    embedding = nn.Embedding(3, 3)
    with torch.no_grad():
        embedding.weight.copy_(torch.eye(3))
        rnn.weight_hh_l0[rnn.weight_hh_l0.abs() > 1] = 1.0
    module = ratproof.classifier(rnn, linear, embedding=embedding)
    before = ratproof.certify(module, DFA_OF_MACHINE, seconds=0.2)
    assert before.verdict != "certified"
    states = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()
    old = {name: value.clone() for name, value in module.state_dict().items()}
    messages = []
    report = ratproof.harden(module, DFA_OF_MACHINE, seconds=20, progress=messages.append)
    assert report.verdict == "certified" and judge(report.certificate()).verdict == "accepted"
    assert torch.equal(torch.get_rng_state(), states[0]) and random.getstate() == states[2]
    assert np.random.get_state()[1].tolist() == states[1]
    changed = {name for name, value in module.state_dict().items() if not torch.equal(value, old[name])}
    assert "linear.weight" in changed and "rnn.weight_hh_l0" in changed and "embedding.weight" not in changed
    assert any("hardening" in message for message in messages)
    assert ratproof.certify(module, DFA_OF_MACHINE).verdict == "certified"


WORDS = Moore(
    ("set", "reset", *(f"word {i}" for i in range(30))), 0, ((1, *[0] * 31), (1, 0, *[1] * 30)), (0, 1)
)
"""MACHINE with 30 symbols that do nothing."""


def words(seed=0):
    """Return a latch with an embedding in which the symbols that do nothing have different small vectors."""
    embedding = nn.Embedding(32, 3)
    with seeded(seed), torch.no_grad():
        embedding.weight.copy_(0.3 * torch.randn(32, 3))
        embedding.weight[:2] = torch.eye(3)[:2]
        embedding.weight[2:, :2] *= 0.01
    return ratproof.classifier(*latch("gru"), embedding=embedding)


def test_symbols_that_the_automaton_does_not_distinguish_are_one_group():
    report = ratproof.certify(words(), WORDS)
    assert report.verdict == "certified" and judge(report.certificate()).verdict == "accepted"
    assert report.certificate()["groups"] == [[0], [1], list(range(2, 32))]
    wrong = words()
    with torch.no_grad():
        wrong.embedding.weight[17, 1] = 1.0
    report = ratproof.certify(wrong, WORDS)
    assert report.verdict == "different" and "word 15" in report.word


def test_a_group_whose_inputs_differ_too_much_is_split_into_its_symbols():
    """Both symbols of the group have the same effect, but states between their inputs have another one."""
    machine = Moore(("set", "also", "reset"), 0, ((1, 1, 0),) * 2, (0, 1))
    rnn, linear = nn.RNN(3, 2), nn.Linear(2, 1)
    with torch.no_grad():
        for parameter in (*rnn.parameters(), *linear.parameters()):
            parameter.zero_()
        rnn.weight_ih_l0.copy_(torch.tensor([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]))
        linear.weight.fill_(1.0)
        linear.bias.fill_(-0.5)
    answer = certified((rnn, linear), machine, machine.alphabet)
    assert answer.verdict == "certified" and "groups" not in answer.certificate()


@pytest.mark.parametrize("frozen", [False, True])
def test_hardening_gives_similar_inputs_to_symbols_of_a_group(frozen, monkeypatch):
    monkeypatch.setattr(harden, "STEPS", 60)
    module = words()
    with torch.no_grad():
        module.embedding.weight[2:, :2] *= 10
    module.embedding.weight.requires_grad_(not frozen)
    old = module.embedding.weight.clone()
    spread = lambda: F.linear(module.embedding.weight[2:], module.rnn.weight_ih_l0).std(0).norm().item()
    before = spread()
    report = ratproof.harden(module, WORDS, seconds=2 if frozen else 30)
    assert torch.equal(module.embedding.weight, old) == frozen
    assert frozen or (report.verdict == "certified" and spread() < before / 10)


def test_constant_inputs_become_similar_only_if_they_are_independent():
    machine = WORDS.minimal()
    assert harden.similar_symbols(harden.Inputs.constant(torch.eye(32)), machine).tolist() == [
        0,
        1,
        *[2] * 30,
    ]
    assert harden.similar_symbols(harden.Inputs.constant(torch.randn(32, 5)), machine) is None
    assert harden.similar_symbols(harden.Inputs.constant(torch.eye(3)), MACHINE) is None


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_hardening_trains_in_any_mode_and_leaves_no_gradients(monkeypatch, mode):
    monkeypatch.setattr(harden, "STEPS", 2)
    monkeypatch.setattr(
        certify,
        "certify_ordinary",
        lambda network, *_: certify.OrdinaryCertification("certified", network, None, False),
    )
    rnn, linear = latch("gru")
    linear.weight.requires_grad_(False)
    old = [linear.weight.clone(), linear.bias.clone()]
    with mode():
        ratproof.harden(module_of((rnn, linear)), DFA_OF_MACHINE, embeddings="one-hot", seconds=60)
    assert torch.equal(linear.weight, old[0]) and not torch.equal(linear.bias, old[1])
    assert all(parameter.grad is None for parameter in (*rnn.parameters(), *linear.parameters()))


def test_a_frozen_module_is_not_hardened():
    rnn, linear = latch("gru")
    module = module_of((rnn, linear)).requires_grad_(False)
    with pytest.raises(InputError, match="must have a parameter with requires_grad=True"):
        ratproof.harden(module, DFA_OF_MACHINE, embeddings="one-hot", seconds=5)


def test_a_module_from_inference_mode_is_not_hardened():
    with torch.inference_mode():
        module = module_of(latch("gru"))
    with pytest.raises(InputError, match=r"must not be created in torch.inference_mode\(\)"):
        ratproof.harden(module, DFA_OF_MACHINE, embeddings="one-hot", seconds=5)


def test_hardening_certifies_the_embeddings_that_the_classifier_shares(monkeypatch):
    monkeypatch.setattr(harden, "STEPS", 2)
    rnn, linear, embedding = nn.RNN(3, 3), nn.Linear(3, 3), nn.Embedding(3, 3)
    embedding.weight = linear.weight
    module = ratproof.classifier(rnn, linear, embedding=embedding)
    old, machine = embedding.weight.tolist(), Moore(("a", "b", "c"), 0, ((0, 1, 2),) * 3, (0, 1, 2))
    answer = ratproof.harden(module, machine, seconds=1).answer
    assert answer.network.embeddings.tolist() == embedding.weight.tolist() != old


def test_hardening_ends_with_its_time():
    rnn, linear = latch("lstm")
    with torch.no_grad():  # a few steps of training do not suffice
        linear.weight.fill_(0.0)
        linear.bias.fill_(-5.0)
    report = ratproof.harden(module_of((rnn, linear)), DFA_OF_MACHINE, embeddings="one-hot", seconds=0.01)
    assert report.verdict in ("different", "unknown")
    with pytest.raises(InputError, match="seed must be an integer of at least 0, got -1"):
        ratproof.harden(module_of((rnn, linear)), DFA_OF_MACHINE, embeddings="one-hot", seed=-1)
    with pytest.raises(InputError, match="seconds must be positive, got -1"):
        ratproof.harden(module_of((rnn, linear)), DFA_OF_MACHINE, embeddings="one-hot", seconds=-1)
