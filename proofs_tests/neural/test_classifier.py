"""Tests of FA-RNN classifiers: the initial network of the rules, saving and loading, adding and removing
rules.
"""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import FormatError, InputError
from automata.rules.matching import matches
from automata.rules.rule_files import Labelled, loads
from automata.rules.rule_set import RuleSet, rule_set
from automata.rules.strategies import rules
from neural import checkpoints
from neural.fa_rnn import files
from neural.fa_rnn.approximate import cp_factors
from neural.fa_rnn.classifier import Classifier
from neural.fa_rnn.editing import add_rules, disable_rules
from neural.fa_rnn.factors import exact_factors

WORDS = ("a", "b", "c", "d")
LABELS = ("x", "y", "z", "other")
INSIDE = st.lists(st.sampled_from(WORDS), max_size=5)
SENTENCES = st.lists(INSIDE.map(lambda inside: ("BOS", *inside, "EOS")), min_size=1, max_size=5)
SEVERAL = st.lists(
    st.tuples(st.sampled_from("xyz"), rules(("a", "b"), ("$",), leaves=4)), min_size=1, max_size=3
)


def compiled(several: Any) -> tuple[RuleSet, list[str]]:
    """Return compiled rules, and their texts."""
    return rule_set([Labelled(label, rule, 1) for label, rule in several], WORDS), [
        str(rule) for _, rule in several
    ]


def scores(model: Classifier, sentences: Any) -> list[list[float]]:
    """Return the scores of the blocks of rules (equation 8)."""
    with torch.no_grad():
        values: list[list[float]] = model.network(sentences).tolist()
    return values


@given(SEVERAL, SENTENCES)
def test_it_initially_computes_the_rules(several, sentences):
    """It predicts a label that matches, not always the last: matches of several groups of one label add up.
    If none matches, it predicts the default.
    """
    ruleset, written = compiled(several)
    model = Classifier.of_rules(ruleset, LABELS, written, default="other").eval()
    names = list(ruleset.labels)
    for label, row in zip(model.predict(sentences), matches(ruleset, sentences), strict=True):
        matched = [name for name, match in zip(names, row, strict=True) if match]
        assert (label in matched) if matched else label == "other"


def test_the_last_matching_label_is_predicted():
    ruleset = rule_set(loads("[x]\n$ * a $ *\n[y]\n$ * b $ *\n[z]\n$ * c $ *"), WORDS)
    model = Classifier.of_rules(ruleset, LABELS)
    assert model.predict([("BOS", "a", "b", "EOS"), ("BOS", "c", "a", "EOS"), ("BOS", "b", "EOS")]) == [
        "y",
        "z",
        "y",
    ]


@pytest.mark.parametrize(
    ("labels", "default", "message"),
    [
        (("x",), None, "labels must include every label .*'y' is missing"),
        (("x", "y"), "z", "default must .*'z'"),
    ],
)
def test_unknown_labels_are_refused(labels, default, message):
    with pytest.raises(InputError, match=message):
        Classifier.of_rules(rule_set(loads("[x]\n$ * a $ *\n[y]\n$ * b $ *"), WORDS), labels, default=default)


def test_saved_files_are_read_back(tmp_path):
    torch.manual_seed(0)
    ruleset = rule_set(loads("[x]\n$ * a $ *\n[y]\n$ * b EOS"), WORDS)
    for more in ({}, {"embeddings": torch.randn(6, 3), "beta": 0.4}, {"extra": 2}):
        model = Classifier.of_rules(ruleset, LABELS, ["$ * a $ *", "$ * b EOS"], noise=0.1, **more).eval()
        files.save(model, tmp_path / "m.safetensors", {"seed": 3})
        again, about = files.load(tmp_path / "m.safetensors")
        sentences = [("BOS", "a", "EOS"), ("BOS", "c", "b", "EOS"), ("BOS", "EOS")]
        with torch.no_grad():
            assert torch.equal(model(sentences), again(sentences))
        assert about["seed"] == 3 and again.blocks == model.blocks and again.labels == model.labels


def test_files_that_are_not_classifiers(tmp_path):
    ruleset = rule_set(loads("[x]\n$ * a $ *"), WORDS)
    model = Classifier.of_rules(ruleset, LABELS)
    path = tmp_path / "m.safetensors"
    files.save(model, path)
    about, tensors = checkpoints.read(path, files.KIND)
    right = about["classifier"]
    block, words, stands = right["blocks"][0], right["words"], tensors["network.cell.stands"]
    headers: list[tuple[dict[str, Any], str]] = [
        ({"beta": 2}, "beta must be a number from 0 to 1, got 2"),
        ({"beta": 0.5}, "without pretrained vectors"),
        ({"words": ["a"]}, "that fits the others"),
        ({"labels": ["x", "x"]}, "distinct non-empty strings"),
        ({"blocks": []}, "0 blocks"),
        ({"blocks": [block | {"states": [99]}]}, "got 99"),
        ({"blocks": [block | {"rules": 3}]}, "must be lists"),
        ({"blocks": [block | {"rules": []}]}, "at least one rule"),
        ({"blocks": [block | {"states": [1, 1]}]}, "distinct states"),
        ({"blocks": [block | {"final": [0]}]}, "include its final states"),
        ({"blocks": [block | {"final": []}]}, "must be 1 at each block's final states"),
        ({"words": [word.replace("BOS", "x") for word in words]}, "words must contain BOS"),
        ({"words": ["\ud800", *words[1:]]}, "distinct non-empty strings"),
    ]
    values: list[tuple[dict[str, Any], str]] = [
        ({"network.cell.stands": stands + 0.5}, "must contain only 0 and 1"),
        ({"readout.bias": None}, "readout.bias is missing"),
        (
            {"readout.bias": torch.full((4,), torch.nan)},
            "all entries of the tensor readout.bias must be finite",
        ),
        ({"more": torch.zeros(1)}, "does not belong to a classifier"),
    ]
    broken: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        *((change, {}, says) for change, says in headers),
        *(({}, change, says) for change, says in values),
        (
            {"blocks": 2 * right["blocks"]},
            {"network.final": tensors["network.final"].repeat(2, 1)},
            "disjoint states",
        ),
    ]
    for of_header, of_tensors, says in broken:
        changed = {name: value for name, value in {**tensors, **of_tensors}.items() if value is not None}
        checkpoints.write(path, files.KIND, {"classifier": {**right, **of_header}}, changed)
        with pytest.raises(FormatError, match=says):
            files.load(path)
    checkpoints.write(path, files.KIND, {}, tensors)
    with pytest.raises(FormatError, match="must describe a classifier"):
        files.load(path)


BETAS = st.sampled_from([1.0, 0.5, 0.25])


@given(SEVERAL, SEVERAL, SENTENCES, BETAS)
@settings(max_examples=50)
def test_added_rules_change_no_other_score(several, more, sentences, beta):
    """Equation 10 holds for any beta and after training; all values are dyadic, so the scores are equal
    exactly.
    """
    (one, written), (other, new) = compiled(several), compiled(more)
    vectors = {} if beta == 1 else {"embeddings": torch.eye(6, dtype=torch.float64), "beta": beta}
    model = Classifier.of_rules(one, LABELS, written, dtype=torch.float64, **vectors).eval()
    with torch.no_grad():
        model.cell.before.mul_(0.5).add_(0.25)
    both = add_rules(model, other, new)
    old = len(model.blocks)
    own = Classifier.of_rules(other, LABELS, new, dtype=torch.float64)
    together = scores(both, sentences)
    assert [row[:old] for row in together] == scores(model, sentences)
    assert [row[old:] for row in together] == scores(own, sentences)
    assert both.cell.states == model.cell.states + other.automaton.states


def test_added_rules_may_have_a_new_label():
    model = Classifier.of_rules(rule_set(loads("[x]\n$ * a $ *"), WORDS), ("x",), default="x").eval()
    both = add_rules(model, rule_set(loads("[new]\n$ * b $ *"), WORDS), ["$ * b $ *"])
    assert both.labels == ("x", "new")
    assert both.predict([("BOS", "b", "EOS"), ("BOS", "c", "EOS")]) == ["new", "x"]
    with pytest.raises(InputError, match="over the classifier's words"):
        add_rules(model, rule_set(loads("[new]\n$ * b $ *"), ("a", "b")), ["$ * b $ *"])


@given(SEVERAL, SENTENCES, st.data())
@settings(max_examples=50)
def test_removed_rules_preserve_every_other_score(several, sentences, data):
    """This holds before and after training, which may add transitions between the states of rules."""
    ruleset, written = compiled(several)
    model = Classifier.of_rules(ruleset, LABELS, written, dtype=torch.float64).eval()
    trained = data.draw(st.booleans())
    if trained:
        with torch.no_grad():
            for values in (model.cell.before, model.cell.after):
                mask = torch.tensor(
                    data.draw(
                        st.lists(
                            st.sampled_from([0.0, 0.0, 0.0, 1.0]),
                            min_size=values.numel(),
                            max_size=values.numel(),
                        )
                    )
                )
                values.add_(mask.reshape(values.shape).to(values))
            model.readout.weight.add_(torch.arange(model.readout.weight.numel()).reshape(len(LABELS), -1))
    gone = data.draw(st.sets(st.integers(0, len(model.blocks) - 1), max_size=2))
    less = disable_rules(model, gone)
    kept = [number for number in range(len(model.blocks)) if number not in gone]
    assert scores(less, sentences) == [[row[number] for number in kept] for row in scores(model, sentences)]
    gone_states = [state for number in gone for state in model.blocks[number].states]
    old = [state for state in range(model.cell.states) if state not in gone_states]
    stays = [state for state in old if model.readout.weight[:, state].any()]
    assert not trained or len(less.readout.weight.any(dim=0).nonzero()) >= len(stays) - len(gone_states)
    own = {tuple(column) for column in less.readout.weight.T.tolist()}
    assert own <= {tuple(column) for column in model.readout.weight[:, old].T.tolist()} | {
        (0.0,) * len(LABELS)
    }
    if not trained:
        assert less.cell.states == model.cell.states - sum(
            len(model.blocks[number].states) for number in gone
        )


def test_there_is_no_such_block():
    model = Classifier.of_rules(rule_set(loads("[x]\n$ * a $ *"), WORDS), ("x",))
    with pytest.raises(InputError, match="rule must be a number from 1 to 1, got 2"):
        disable_rules(model, [1])


@pytest.mark.parametrize("rank", [1, 2, 4, 50])
def test_the_reported_error_of_a_decomposition_is_correct(rank):
    """The error is that of the tensor over all words, and 0 if the exact factors need no more columns."""
    automaton = rule_set(loads("[x]\n$ * a b $ * c EOS\n[y]\n$ * c $ * ( a | b ) EOS"), WORDS).automaton
    factors, error = cp_factors(automaton, rank, ["a"])
    exact = exact_factors(automaton, ["a"])
    off = torch.stack(
        [torch.as_tensor(factors.matrix(i) - exact.matrix(i)) for i in range(len(automaton.index))]
    )
    tensor = torch.stack([torch.as_tensor(exact.matrix(i)) for i in range(len(automaton.index))])
    assert factors.rank == min(rank, exact.rank)
    assert error == pytest.approx(float(off.norm() / tensor.norm()), abs=1e-9)
    assert (error > 0.01) == (rank < exact.rank)
