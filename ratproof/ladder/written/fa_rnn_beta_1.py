"""Checks that an FA-RNN at beta = 1 is equivalent to its rules for any pretrained vectors."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from hypothesis import strategies as st

from automata.rules import rule_files
from automata.rules.rule_files import Labelled, rule_file_in
from automata.rules.rule_set import rule_set
from automata.rules.strategies import rules
from neural.fa_rnn.network import FARNN
from neural.fa_rnn.sentences import read, vocabulary
from ratproof.certification.fa_rnn import NetworkDecision, decide_network
from ratproof.evidence.ledger import ledger
from ratproof.ladder.written.check import Inputs, WrittenCheck, drawn

CLAIM = "fa-rnn-beta-1"
FILE = "proofs_tests/fa_rnn/test_beta_1.py"
EXAMPLES = 10
_LABELLED = st.lists(
    st.tuples(st.sampled_from("xyz"), rules(("a", "b"), ("$",), leaves=5)), min_size=1, max_size=4
)


def network_of_rules_is_the_rules(inputs: Inputs, data: st.DataObject) -> None:
    """Assert that the float32 network does not round, and that a label scores above 0 iff its rules match."""
    labelled = [Labelled(label, rule, 1) for label, rule in data.draw(_LABELLED)]
    decided(labelled, ("a", "b", "c"), data.draw(st.booleans()), inputs.device)


def network_of_a_rule_file_is_the_rules(inputs: Inputs) -> None:
    """Assert that the network of a folder's rule file equals the rules, for the words of its sentences.

    The folder is the argument of ``ratproof verify --rules``.
    """
    assert inputs.rules is not None
    file = rule_file_in(inputs.rules)
    words = vocabulary(read(inputs.rules))
    network, result = decided(rule_files.read(str(file)), words, True, inputs.device)
    ledger().facts.update(
        rules=f"{inputs.rules.name}/{file.name}",
        labels=len(result.answers),
        states=network.cell.states,
        rank=network.rank,
        words=len(words),
        dtype="float32",
        largest=result.largest,
    )


def decided(
    labelled: Sequence[Labelled], words: Sequence[str], decomposed: bool, device: str
) -> tuple[FARNN, NetworkDecision]:
    """Assert that a network equals its rules on all sentences, and record the last label's certificate."""
    compiled = rule_set(labelled, words)
    network = FARNN.of_rules(compiled, decomposed=decomposed, dtype=torch.float32, device=device)
    result = decide_network(network, labelled, compiled)
    assert result.verdict == "equivalent", result.different()
    ledger().add(len(result.answers))
    ledger().certificate = list(result.answers.values())[-1][-1].certificates[-1]
    return network, result


CHECKS = (
    WrittenCheck(
        CLAIM,
        "decided",
        ("corrected",),
        f"{FILE}::test_the_torch_network_of_rules_is_the_rules_on_all_sentences",
        drawn(f"{CLAIM} rules", network_of_rules_is_the_rules, EXAMPLES),
        draws=True,
    ),
    WrittenCheck(
        CLAIM,
        "decided",
        ("corrected",),
        f"{FILE}::test_the_torch_network_of_a_rule_file_is_the_rules_on_all_sentences",
        network_of_a_rule_file_is_the_rules,
        needs="rules",
    ),
)
