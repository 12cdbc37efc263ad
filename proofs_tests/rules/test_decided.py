"""A network that is not its rules, on one sentence alone, or whose numbers may round, is found out."""

from __future__ import annotations

import pytest
import torch

from automata.equivalence import Different
from automata.errors import InputError
from automata.rules import rule_files
from automata.rules.rule_set import RuleSet, rule_set
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.network import FARNN
from ratproof.fa_rnn_decided import decide_network

RULES = rule_files.loads("[fare]\n$ * cost $ *\n$ * fare EOS\n[city]\n( to | from ) $ ? boston EOS\n")
WORDS = ("cost", "fare", "to", "from", "boston", "the")


@pytest.fixture
def made() -> tuple[RuleSet, FARNN]:
    compiled = rule_set(RULES, WORDS)
    return compiled, FARNN.of_rules(compiled)


def test_the_network_is_its_rules(made: tuple[RuleSet, FARNN]) -> None:
    compiled, network = made
    found = decide_network(network, RULES, compiled)
    assert found.verdict == "equivalent" and found.exact and 1 <= found.largest < 100
    assert [len(shown) for shown in found.answers.values()] == [
        len({p.rules for p in compiled.parts if p.label == label}) for label in found.answers
    ]
    assert found.to_json()["labels"][0]["verdict"] == "equivalent"


@pytest.mark.parametrize("where", ["before", "after", "rules", "initial", "final"])
def test_one_weight_less_is_a_sentence_that_only_the_rules_match(made: tuple[RuleSet, FARNN], where: str) -> None:
    """Whichever one is taken away that a sentence needs: the shortest sentence is one, and both sides say so of it."""
    compiled, network = made
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    values = getattr(network if where in ("initial", "final") else cell, where).data
    place = tuple(values.nonzero()[-1].tolist())
    values[place] = 0
    found = decide_network(network, RULES, compiled)
    assert found.verdict == "different"
    (label, shown), *_ = found.different()
    assert isinstance(shown.answer, Different) and shown.answer.scores == (False, True)
    with torch.no_grad():
        column = list(compiled.labels).index(label)
        assert network([shown.answer.word])[0, column] == 0
        assert FARNN.of_rules(compiled)([shown.answer.word])[0, column] > 0


def test_a_weight_that_is_no_whole_number_is_unknown(made: tuple[RuleSet, FARNN]) -> None:
    compiled, network = made
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    cell.after.data[cell.after.data != 0] = 0.999
    found = decide_network(network, RULES, compiled)
    assert not found.exact and found.verdict == "unknown"


def test_counts_that_grow_are_unknown() -> None:
    """A loop of weight 2: no bound holds for all sentences."""
    compiled = rule_set(RULES, WORDS)
    network = FARNN.of_rules(compiled)
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    cell.rules.data *= 2
    assert decide_network(network, RULES, compiled).verdict == "unknown"


def test_parts_are_hints_and_not_believed(made: tuple[RuleSet, FARNN]) -> None:
    """With a part's rules left out, all rules of the label are decided together."""
    compiled, network = made
    less = RuleSet(compiled.automaton, compiled.labels, (), compiled.starts, True, compiled.parts[1:])
    assert decide_network(network, RULES, less).verdict == "equivalent"
    other = rule_files.loads("[fare]\n$ * cost $ *\n$ * fare EOS\n[city]\n( to | from ) boston EOS\n")
    found = decide_network(network, other, compiled)
    assert [label for label, _ in found.different()] == ["city"]
    with pytest.raises(InputError, match="other labels"):
        decide_network(network, RULES[:2], compiled)


def test_other_networks_are_refused(made: tuple[RuleSet, FARNN]) -> None:
    compiled, _ = made
    for more in ({"gated": True}, {"scoring": "viterbi"}):
        with pytest.raises(InputError, match="forward scores and without gates"):
            decide_network(FARNN.of_rules(compiled, **more), RULES, compiled)
