"""Tests that networks that differ from their rules on a sentence, or whose values may round, are detected."""

import pytest
import torch

from automata.equivalence import Different
from automata.errors import InputError
from automata.rules import rule_files
from automata.rules.rule_set import Part, RuleSet, rule_set
from automata.semirings import REAL
from automata.wfsa import WFSA
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.network import FARNN
from ratproof.certification.fa_rnn import decide_network

RULES = rule_files.loads("[fare]\n$ * cost $ *\n$ * fare EOS\n[city]\n( to | from ) $ ? boston EOS\n")
WORDS = ("cost", "fare", "to", "from", "boston", "the")


@pytest.fixture
def rules_and_network():
    compiled = rule_set(RULES, WORDS)
    return compiled, FARNN.of_rules(compiled)


def test_the_network_is_its_rules(rules_and_network):
    compiled, network = rules_and_network
    decision = decide_network(network, RULES, compiled)
    assert decision.verdict == "equivalent" and decision.exact and 1 <= decision.largest < 100
    assert [len(shown) for shown in decision.answers.values()] == [
        len({p.rules for p in compiled.parts if p.label == label}) for label in decision.answers
    ]
    assert decision.to_json()["labels"][0]["verdict"] == "equivalent"


@pytest.mark.parametrize("where", ["before", "after", "rules", "initial", "final"])
def test_a_missing_weight_gives_a_sentence_that_only_the_rules_match(rules_and_network, where):
    """If a nonzero weight is set to zero, ``decide_network`` reports a sentence that a rule matches.

    On this sentence, the changed network gives the score 0, and the original network a positive score.
    """
    compiled, network = rules_and_network
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    values = getattr(network if where in ("initial", "final") else cell, where).data
    index = tuple(values.nonzero()[-1].tolist())
    values[index] = 0
    decision = decide_network(network, RULES, compiled)
    assert decision.verdict == "different"
    (label, shown), *_ = decision.different()
    assert isinstance(shown.answer, Different) and shown.answer.scores == (False, True)
    with torch.no_grad():
        column = list(compiled.labels).index(label)
        assert network([shown.answer.word])[0, column] == 0
        assert FARNN.of_rules(compiled)([shown.answer.word])[0, column] > 0


def test_a_fractional_weight_is_unknown(rules_and_network):
    compiled, network = rules_and_network
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    cell.after.data[cell.after.data != 0] = 0.999
    decision = decide_network(network, RULES, compiled)
    assert not decision.exact and decision.verdict == "unknown"


def test_counts_that_grow_are_unknown():
    """A loop has weight 2, so no bound holds for all sentences."""
    compiled = rule_set(RULES, WORDS)
    network = FARNN.of_rules(compiled)
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    cell.rules.data *= 2
    assert decide_network(network, RULES, compiled).verdict == "unknown"


def test_parts_are_hints_that_are_verified(rules_and_network):
    """The parts of the compiled rules are only hints. If a part is missing, all rules of its label are
    decided together, and wrong rules are reported.
    """
    compiled, network = rules_and_network
    less = RuleSet(compiled.automaton, compiled.labels, (), compiled.starts, True, compiled.parts[1:])
    assert decide_network(network, RULES, less).verdict == "equivalent"
    other = rule_files.loads("[fare]\n$ * cost $ *\n$ * fare EOS\n[city]\n( to | from ) boston EOS\n")
    decision = decide_network(network, other, compiled)
    assert [label for label, _ in decision.different()] == ["city"]
    with pytest.raises(InputError, match="must be the labels of the rules"):
        decide_network(network, RULES[:2], compiled)


def test_other_networks_are_refused(rules_and_network):
    compiled, _ = rules_and_network
    for more in ({"gated": True}, {"scoring": "viterbi"}):
        with pytest.raises(InputError, match="forward scores and no gates"):
            decide_network(FARNN.of_rules(compiled, **more), RULES, compiled)


def test_parts_that_omit_a_rule_that_the_network_lacks():
    """The network and the parts lack a rule of the file, so that some sentence is matched by the rules
    only.
    """
    compiled = rule_set([RULES[0], RULES[2]], WORDS)
    network = FARNN.of_rules(compiled)
    shifted = tuple(
        Part(part.label, part.states, tuple(2 * index for index in part.rules)) for part in compiled.parts
    )
    hinted = RuleSet(compiled.automaton, compiled.labels, (), compiled.starts, True, shifted)
    decision = decide_network(network, RULES, hinted)
    assert decision.verdict == "different" and [label for label, _ in decision.different()] == ["fare"]


def one_state(beta: float = 1.0, **values: float) -> FARNN:
    """Return a network of one state and one word with the given values."""
    network = FARNN.of(WFSA(REAL, [1], [1], {"a": [[1]]}), separate_wildcard=False)
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    for name in ("rules", "before", "after", "apart", "stands"):
        getattr(cell, name).data.fill_(values.get(name, 1.0 if name in ("rules", "before", "after") else 0.0))
    network.initial.fill_(values.get("initial", 1.0))
    network.final.fill_(values.get("final", 1.0))
    return network


@pytest.mark.parametrize(
    ("values", "exact"),
    [
        ({}, True),
        ({"initial": 1000.0}, True),
        ({"initial": 2.0**24}, False),
        ({"final": 2.0**24}, False),
        ({"rules": 0.0, "before": 2.0**25}, False),
        ({"rules": 0.0, "after": 2.0**25}, False),
        ({"before": 0.0, "rules": 2.0**25}, False),
        ({"apart": 3e38}, False),
        ({"rules": -1.0}, False),
        ({"initial": -1.0}, False),
        ({"rules": 0.0, "stands": 1 / 7, "apart": 7.0}, False),
        ({"initial": float("inf")}, False),
        ({"final": float("nan")}, False),
        ({"rules": 2.0}, False),
    ],
)
def test_values_that_may_round_or_grow_are_not_decided(values, exact):
    """The bound is below 2^24 for every computed product, whether or not it is used, and no value is
    negative.
    """
    rules = rule_files.loads("[x]\na *")
    decision = decide_network(one_state(**values), rules, rule_set(rules, ["a"], begins=False))
    assert decision.exact == exact and decision.verdict == ("equivalent" if exact else "unknown")


def test_only_networks_at_beta_1(rules_and_network):
    compiled, _ = rules_and_network
    vectors = torch.eye(len(WORDS) + 2)
    assert (
        decide_network(FARNN.of_rules(compiled, embeddings=vectors, beta=1.0), RULES, compiled).verdict
        == "equivalent"
    )
    with pytest.raises(InputError, match="beta of the network must be 1"):
        decide_network(FARNN.of_rules(compiled, embeddings=vectors, beta=0.5), RULES, compiled)
    with pytest.raises(InputError, match="one score for each of 2 labels, got 1"):
        decide_network(FARNN.of(compiled.automaton), RULES, compiled)


def test_float32_with_low_precision_products(rules_and_network, monkeypatch):
    """TF32 or bfloat16 products round integers; float64 is not affected."""
    compiled, network = rules_and_network
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "medium")
    with pytest.raises(InputError, match="got 'medium'"):
        decide_network(network, RULES, compiled)
    assert decide_network(network.double(), RULES, compiled).verdict == "equivalent"
