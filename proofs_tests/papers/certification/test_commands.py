"""Tests of the commands ``ratproof certify``, ``extract`` and ``figures``."""

import json
from dataclasses import replace
from xml.etree.ElementTree import fromstring

import pytest
import torch

from automata.dfa import DFA
from automata.errors import InputError
from automata.io import files, json_format
from automata.wfsa import WFSA
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import load, save
from proofs_tests.papers.certification.some_networks import random_network
from proofs_tests.ratproof.answers import refused, run_json
from ratproof.certification.soft_networks import certificate
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.main import run


@pytest.fixture
def checkpoint(in_tmp_path):
    """Save a network of 5 centroids in the test's own folder.

    At temperature 0.5, its soft automaton has 4 states.
    """
    network = random_network(3)
    network.set_temperature(0.5)
    save(network, "net.safetensors")
    return "net.safetensors"


def test_certified_with_a_certificate_and_the_soft_automaton(checkpoint, capsys):
    status, answer = run_json(capsys, "certify", checkpoint, "--certificate", "c.json", "-o", "soft.json")
    assert status == 0 and answer["verdict"] == "certified" and answer["certificate"] == "c.json"
    assert len(answer["soft"]["after"]) == 4 and answer["nodes"] == 5 and answer["temperature"] == "1/2"
    assert run(["check-certificate", "c.json"]) == 0
    assert "accepted: after every string over" in capsys.readouterr().out
    assert DFA.from_wfsa(files.read("soft.json")).minimal().states == answer["language_states"]
    assert run(["certify", checkpoint]) == 0
    assert (
        "certified: at temperature 0.5 the soft network follows its hard automaton" in capsys.readouterr().out
    )


def test_different_with_a_string(checkpoint, capsys):
    status, answer = run_json(capsys, "certify", checkpoint, "--temperature", "50")
    assert status == 1 and answer["verdict"] == "different" and answer["word"] is not None
    assert run(["certify", checkpoint, "--temperature", "50"]) == 1
    assert "different: on " in capsys.readouterr().out


def test_against_a_users_own_language(checkpoint, capsys):
    run_json(capsys, "certify", checkpoint, "-o", "soft.json")
    assert run_json(capsys, "certify", checkpoint, "--against", "soft.json")[0] == 0
    dfa = DFA.from_wfsa(files.read("soft.json"))
    files.write(
        DFA(dfa.alphabet, dfa.start, dfa.table, frozenset(range(dfa.states)) - dfa.final).to_wfsa(),
        "other.json",
    )
    status, answer = run_json(capsys, "certify", checkpoint, "--against", "other.json")
    assert status == 1 and answer["word"] == []


def test_a_mutated_certificate_is_rejected(checkpoint, capsys, tmp_path):
    run_json(capsys, "certify", checkpoint, "--certificate", "c.json")
    data = json.loads((tmp_path / "c.json").read_text())
    data["nodes"][0]["high"] = data["nodes"][0]["low"]
    (tmp_path / "c.json").write_text(json.dumps(data))
    status, answer = run_json(capsys, "check-certificate c.json")
    assert status == 1 and answer["verdict"] == "rejected"


def test_a_certificate_is_for_one_network_at_one_temperature(checkpoint, capsys):
    """A certificate contains weights, which are compared with those of the checkpoint of ``--of``. The
    temperature is that of the checkpoint or, if it is passed, that of ``--temperature``.
    """
    run_json(capsys, "certify", checkpoint, "--certificate", "own.json")
    status, answer = run_json(capsys, "check-certificate own.json --of", checkpoint)
    about = answer["certificates"][0]["about"]
    expected = (0, "accepted", {"network": checkpoint}, "1/2")
    assert (status, answer["verdict"], about["of"], about["network"]["temperature"]) == expected
    assert about["network"]["digest"] == certificate.digest(numbers_of(load(checkpoint)[0]))
    run_json(capsys, "certify", checkpoint, "--temperature", "0.25", "--certificate", "c.json")
    assert run(["check-certificate", "c.json", "--of", checkpoint]) == 1
    assert (
        capsys.readouterr().out
        == "rejected: it is about temperature 0.25, but net.safetensors has temperature 0.5; pass"
        " --temperature 0.25\n"
    )
    assert run(["check-certificate", "c.json", "--of", checkpoint, "--temperature", "0.25"]) == 0
    assert capsys.readouterr().out.endswith("\n  the network is the one in net.safetensors\n")
    assert run(["check-certificate", "own.json", "c.json", "--of", checkpoint, "--temperature", "0.25"]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "own.json: rejected: it is about temperature 0.5, but --temperature is 0.25"
    assert second.startswith("c.json: accepted: after every string over [")
    assert "; network: sr-gru, " in second
    assert third == "  the network is the one in net.safetensors"
    assert "--temperature requires a network" in refused(
        capsys, "check-certificate c.json --temperature 0.25"
    )
    for tau in ("0", "-1", "nan", "inf"):
        assert "must be positive" in refused(
            capsys, "check-certificate c.json --of", checkpoint, "--temperature", tau
        )
    other = random_network(3)
    with torch.no_grad():
        other.classifier.bias += 1e-12
    save(other, "other.safetensors")
    assert run(["certify", "other.safetensors", "--temperature", "0.25", "--certificate", "o.json"]) == 0
    capsys.readouterr()
    status, answer = run_json(capsys, "check-certificate c.json --of other.safetensors")
    assert status == 1 and answer["why"].startswith("the certificate is about another network (")
    assert "--of accepts at most one network" in refused(
        capsys, "check-certificate c.json --of", checkpoint, "other.safetensors"
    )
    assert "cannot be read" in refused(capsys, "check-certificate c.json --of none.safetensors")
    assert "pass the files that certificates must be about after --of" in refused(
        capsys, "check-certificate c.json", checkpoint
    )
    save(Acceptor(("0", "1"), "sr-lstm", hidden_size=2, k=2), "lstm.safetensors")
    assert run(["check-certificate", "c.json", "--of", "lstm.safetensors"]) == 1
    assert "of kind sr-gru, but lstm.safetensors is of kind sr-lstm" in capsys.readouterr().out


def test_a_network_over_symbols_that_are_not_texts_has_no_certificate():
    """In JSON, some symbols that are not strings would become strings, and others would become lists."""
    numbers = replace(numbers_of(random_network(3), 0.5), alphabet=(0, 1))
    with pytest.raises(InputError, match="must be nonempty strings, got 0"):
        certificate.network_json(numbers)


def test_unknown_is_never_certified(capsys, in_tmp_path, tmp_path):
    network = Acceptor(("a",), "sr-elman", hidden_size=1, k=2)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
    save(network, "tie.safetensors")
    status, answer = run_json(capsys, "certify tie.safetensors --certificate c.json")
    assert status == 3 and answer["verdict"] == "unknown" and "tie" in answer["why"]
    assert not (tmp_path / "c.json").exists()
    assert "tie" in refused(capsys, "extract tie.safetensors")


def test_extracted_is_the_hard_automaton(checkpoint, capsys):
    _, hard = run_json(capsys, "extract", checkpoint, "-o", "hard.json")
    assert hard["states"] == 4 == len(hard["centroids"]) and files.read("hard.json").states == 4
    _, soft = run_json(capsys, "extract", checkpoint, "--soft")
    assert soft["centroids"] == hard["centroids"]
    _, least = run_json(capsys, "extract", checkpoint, "--minimal", "-o", "least.json")
    assert DFA.from_wfsa(files.read("least.json")).states == least["states"]
    _, probabilistic = run_json(capsys, "extract", checkpoint, "--probabilities", "-o", "p.json")
    pfa = json_format.loads((files.Path("p.json")).read_text())
    assert isinstance(pfa, WFSA) and pfa.states == probabilistic["states"] == 5


def test_pairs_missing_in_the_data_are_unseen_and_not_centroid_0(checkpoint, capsys, tmp_path):
    _, answer = run_json(capsys, "extract", checkpoint, "--counts", "hard", "--length", "1")
    assert answer["counts"]["unseen"] and not answer["counts"]["different"]
    _, answer = run_json(capsys, "extract", checkpoint, "--counts", "soft", "--length", "8")
    assert not answer["counts"]["unseen"] and not answer["counts"]["different"]
    (tmp_path / "strings.txt").write_text("0 1\n\n1\n")
    _, answer = run_json(capsys, "extract", checkpoint, "--counts", "hard", "--data", "strings.txt")
    assert answer["counts"]["unseen"]
    (tmp_path / "strings.txt").write_text("0 2\n")
    assert "strings.txt: line 1: symbols must be among '0', '1', got '2'" in refused(
        capsys, "extract", checkpoint, "--counts", "hard", "--data", "strings.txt"
    )


def test_figures_are_the_papers(checkpoint, capsys, tmp_path):
    _, answer = run_json(capsys, "figures", checkpoint, "-o", "pictures", "--string", "1 0 0")
    names = {"hard.svg", "soft.svg", "probabilistic.svg", "probabilities.svg", "temperatures.svg"}
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == names and len(answer["files"]) == 5
    for name in names:
        assert (tmp_path / "pictures" / name).read_text().startswith("<svg")
    first = (tmp_path / "pictures" / "temperatures.svg").read_text()
    run_json(capsys, "figures", checkpoint, "-o", "again")
    assert (tmp_path / "again" / "temperatures.svg").read_text() == first


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["certify", "none.safetensors"], "cannot be read"),
        (["certify", "net.safetensors", "--temperature", "0"], "positive"),
        (
            ["certify", "net.safetensors", "--temperature", "-1"],
            "use ratproof extract for the automaton of the limit 0",
        ),
        (["certify", "net.safetensors", "--temperature", "nan"], "positive"),
        (["certify", "net.safetensors", "--against", "none.json"], "cannot be read"),
        (["certify", "net.safetensors", "--against", "a.json", "-o", "./a.json"], "would overwrite"),
        (["certify", "net.safetensors", "--certificate", "net.safetensors"], "overwrite"),
        (["extract", "net.safetensors", "--counts", "both"], "hard or soft"),
        (["extract", "net.safetensors", "--soft", "--probabilities"], "--probabilities"),
        (["extract", "net.safetensors", "--data", "x"], "--counts"),
        (["extract", "net.safetensors", "--counts", "hard", "--length", "40"], "--length 40"),
        (["figures", "net.safetensors", "-o", "net.safetensors"], "folder"),
        (["figures", "net.safetensors", "-o", "p", "--temperatures", "1,x"], "'x'"),
        (
            ["figures", "net.safetensors", "-o", "p", "--string", "1 7"],
            "--string: symbols must be among '0', '1', got '7'",
        ),
        (["figures", "net.safetensors", "-o", "p", "--temperatures", "1e-300,1e300"], "from 1e-30 to 1e+30"),
        (["figures", "net.safetensors", "-o", "p", "--string", "1 " * 100], "--string has 100 symbols"),
        (
            ["figures", "net.safetensors", "-o", "p", "--temperatures", ",".join("1" * 100)],
            "--temperatures has 100",
        ),
        (["certify", "net.safetensors", "-o", "x.foo", "--certificate", "c.json"], "x.foo"),
        (["certify", "net.safetensors", "-o", "folder.json", "--certificate", "c.json"], "is a folder"),
        (["extract", "net.safetensors", "-o", "x.foo"], "x.foo"),
        (["extract", "one.safetensors", "--counts", "hard", "--length", "100000"], "--length 100000"),
        (
            ["extract", "net.safetensors", "--counts", "hard", "--length", str(10**12)],
            "--length 1000000000000",
        ),
    ],
)
def test_bad_input_gives_a_one_line_error(checkpoint, capsys, tmp_path, arguments, sentence):
    (tmp_path / "folder.json").mkdir()
    save(Acceptor(("a",), hidden_size=2, k=2), "one.safetensors")
    there = set(tmp_path.iterdir())
    assert sentence in refused(capsys, *arguments)
    assert set(tmp_path.iterdir()) == there  # no partial file is written


def test_figures_of_any_temperatures_and_symbols(capsys, in_tmp_path, tmp_path):
    """Some symbols look like formulas to matplotlib, and the range is the widest."""
    torch.manual_seed(0)
    save(Acceptor(("$x^{$", "$", "\\", "<&>", "--", "\n"), hidden_size=2, k=2), "odd.safetensors")
    _, answer = run_json(capsys, "figures odd.safetensors -o p --temperatures 1e-30,1,1e30")
    for name in answer["files"]:
        fromstring((tmp_path / name).read_text())
    assert (tmp_path / "p" / "temperatures.svg").exists() and (tmp_path / "p" / "probabilities.svg").exists()


def test_all_strings_of_one_symbol_are_counted_up_to_a_length(capsys, in_tmp_path):
    save(Acceptor(("a",), hidden_size=2, k=2), "one.safetensors")
    _, answer = run_json(capsys, "extract one.safetensors --counts hard --length 500")
    assert answer["counts"]["strings_agree"]


def test_networks_other_than_finite_automata_are_refused(capsys, in_tmp_path):
    save(Acceptor(("0", "1"), "sr-lstm", hidden_size=2, k=2), "lstm.safetensors")
    for command in ("certify", "extract"):
        assert "cell state" in refused(capsys, command, "lstm.safetensors")
