"""At beta = 1 an FA-RNN is its rules, whatever its pretrained vectors are."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.rules import rule_files
from automata.rules.rule_files import Labelled, rule_file_in
from automata.rules.rule_set import rule_set
from automata.rules.strategies import rules
from neural.fa_rnn.network import FARNN
from neural.fa_rnn.sentences import read, vocabulary
from ratproof.certification.fa_rnn import decide_network
from ratproof.evidence.ledger import ledger
from ratproof.ladder.evidence import evidence

CLAIM = "fa-rnn-beta-1"


@evidence(CLAIM, kind="decided", variants=("corrected",))
@settings(max_examples=10)
@given(
    st.lists(st.tuples(st.sampled_from("xyz"), rules(("a", "b"), ("$",), leaves=5)), min_size=1, max_size=4),
    st.booleans(),
)
def test_the_torch_network_of_rules_is_the_rules_on_all_sentences(device, several, decomposed):
    """In float32 as torch runs it: it does not round, and each label's score is larger than 0 exactly where a
    rule of it matches.
    """
    decided([Labelled(label, rule, 1) for label, rule in several], ("a", "b", "c"), decomposed, device)


@evidence(CLAIM, kind="decided", variants=("corrected",))
def test_the_torch_network_of_a_rule_file_is_the_rules_on_all_sentences(device, rule_folder):
    """The same for the rules in a folder, over all words of the sentences in it
    (``ratproof verify --rules``).
    """
    file = rule_file_in(rule_folder)
    words = vocabulary(read(rule_folder))
    network, shown = decided(rule_files.read(str(file)), words, True, device)
    ledger().facts.update(
        rules=f"{rule_folder.name}/{file.name}",
        labels=len(shown.answers),
        states=network.cell.states,
        rank=network.rank,
        words=len(words),
        dtype="float32",
        largest=shown.largest,
    )


def decided(found, words, decomposed, device):
    """Assert it, and keep the last certificate."""
    compiled = rule_set(found, words)
    network = FARNN.of_rules(compiled, decomposed=decomposed, dtype=torch.float32, device=device)
    shown = decide_network(network, found, compiled)
    assert shown.verdict == "equivalent", shown.different()
    ledger().add(len(shown.answers))
    ledger().certificate = list(shown.answers.values())[-1][-1].certificates[-1]
    return network, shown
