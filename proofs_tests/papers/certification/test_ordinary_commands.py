"""Tests of ``ratproof certify --cell``, for state dicts of ordinary networks."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from automata.dfa import DFA
from automata.io import files
from automata.semirings import REAL
from automata.wfsa import WFSA
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import save
from proofs_tests.papers.certification.latches import (
    ALPHABET,
    LAST,
    MACHINE,
    fading,
    last_of_three,
    latch,
    state_dict,
)
from proofs_tests.ratproof.answers import refused, run_json
from ratproof.certification.ordinary_networks import counterexamples
from ratproof.main import run

GRU = ["certify", "gru.safetensors", "--cell", "gru"]
SYMBOLS = ",".join(ALPHABET)


def write_state_dict(parts, path):
    """Write the state dict of a recurrent layer "rnn" and a classifier "lin"."""
    (torch.save if path.endswith(".pt") else save_file)(state_dict(parts), path)


@pytest.fixture
def folder(in_tmp_path, tmp_path):
    """Write networks and automata into the test's own folder."""
    write_state_dict(latch("gru"), "gru.safetensors")
    write_state_dict(latch("rnn_tanh"), "tanh.pt")
    write_state_dict(last_of_three(), "three.safetensors")
    files.write(MACHINE.accepting(frozenset({1})).to_wfsa(), "set.json")
    files.write(MACHINE.accepting(frozenset({0})).to_wfsa(), "other.json")
    files.write(LAST.accepting(frozenset({0})).to_wfsa(), "last.json")
    return tmp_path


def test_a_certified_network_has_a_certificate_and_an_automaton(folder, capsys):
    outputs = ["--certificate", "c.json", "-o", "out.json"]
    status, answer = run_json(capsys, *GRU, "--against", "set.json", *outputs)
    assert status == 0 and answer["verdict"] == "certified" and answer["certificate"] == "c.json"
    assert answer["word"] is None and answer["decisions"] is None and answer["bounded"] is None
    assert answer["regions"] == len(json.loads((folder / "c.json").read_text())["nodes"])
    assert not answer["extracted"] and answer["automaton"]["label"] == [0, 1]
    assert DFA.from_wfsa(files.read("out.json")).minimal() == DFA.from_wfsa(files.read("set.json")).minimal()
    assert run(["check-certificate", "c.json"]) == 0
    assert "make the same decision on every nonempty string" in capsys.readouterr().out
    assert run([*GRU, "--against", "set.json", "--certificate", "c.json"]) == 0
    out = capsys.readouterr().out
    assert "certified: the network (float32) agrees with set.json (2 states) on all nonempty" in out


@pytest.mark.parametrize(
    "of, verdict",
    [
        ("gru.safetensors", "accepted"),
        ("set.json", "accepted"),
        ("gru.safetensors set.json", "accepted"),
        ("changed.safetensors", "rejected"),
        ("tanh.pt", "rejected"),
        ("other.json", "rejected"),
        ("last.json", "rejected"),
        ("gru.safetensors other.json", "rejected"),
    ],
)
def test_a_certificate_is_compared_with_the_network_and_the_automaton_it_is_about(
    folder, capsys, of, verdict
):
    rnn, linear = latch("gru")
    with torch.no_grad():
        rnn.weight_hh_l0[0, 0] += 2**-20
    write_state_dict((rnn, linear), "changed.safetensors")
    run_json(capsys, *GRU, "--against", "set.json", "--certificate", "c.json")
    status, answer = run_json(capsys, "check-certificate c.json --of", *of.split())
    assert answer["verdict"] == verdict and status == (verdict != "accepted")
    if verdict == "rejected":
        assert answer["why"].startswith("the certificate is about another ")


@pytest.mark.parametrize(
    "rows, verdict",
    [
        ([0, 1, 2], "accepted"),
        ([1, 0, 2], "rejected"),
        ([3, 2, 1, 0], "accepted"),
        ([3, 3, 1, 0], "rejected"),
    ],
)
def test_the_input_vectors_of_a_certificate_are_rows_of_the_embedding_table(folder, capsys, rows, verdict):
    """The symbols may have any rows of a larger table, but all rows of a table of their number, in order."""
    run_json(capsys, *GRU, "--against", "set.json", "--certificate", "c.json")
    vectors = torch.cat([torch.eye(3), torch.full((1, 3), 0.5)])[rows]
    save_file({**state_dict(latch("gru")), "emb.weight": vectors}, "table.safetensors")
    _, answer = run_json(capsys, "check-certificate c.json --of table.safetensors")
    assert answer["verdict"] == verdict
    assert verdict == "accepted" or "other input vectors than the rows of the embedding" in answer["why"]


@pytest.mark.parametrize("changed", ["", "enc.weight_hh_l0", "head.bias"])
def test_a_certificate_may_be_about_some_parts_of_a_state_dict(folder, capsys, changed):
    """The network is selected with --prefix and --readout, because other parts may belong to it."""
    parts = {"enc": latch("gru")[0], "other": nn.GRU(3, 2), "head": latch("gru")[1], "aux": nn.Linear(2, 2)}
    tensors = {f"{name}.{key}": x for name, part in parts.items() for key, x in part.state_dict().items()}
    torch.save(tensors, "several.pt")
    chosen = ["--prefix", "enc", "--readout", "head"]
    options = ["--cell", "gru", "--against", "set.json", "--certificate", "c.json"]
    run_json(capsys, "certify", "several.pt", *options, *chosen)
    if changed:
        torch.save({**tensors, changed: tensors[changed] + 1}, "several.pt")
    of = ["check-certificate", "c.json", "--of", "several.pt", "set.json"]
    status, answer = run_json(capsys, *of, *chosen)
    assert (status, answer["verdict"]) == ((1, "rejected") if changed else (0, "accepted"))
    assert run(of) == 1 and "; pass " in capsys.readouterr().out
    assert "require a state dict" in refused(capsys, *of[:3], "set.json", *chosen)
    assert "--prefix must be a part of the state dict, got 'nc'" in refused(capsys, *of, "--prefix", "nc")
    assert "--readout must be a part of the state dict, got 'out'" in refused(capsys, *of, "--readout", "out")


def test_a_certificate_states_a_threshold_other_than_0(folder, capsys):
    run_json(capsys, *GRU, "--against", "set.json", "--threshold", "0.5", "--certificate", "c.json")
    assert run(["check-certificate", "c.json"]) == 0
    assert "(1 layer, 2 units, threshold 0.5, digest" in capsys.readouterr().out


def test_a_certificate_of_one_automaton_is_not_compared_with_two(folder, capsys):
    run_json(capsys, *GRU, "--against", "set.json", "--certificate", "c.json")
    sentence = refused(capsys, "check-certificate c.json --of set.json other.json")
    assert "c.json is about an ordinary network" in sentence


def test_a_different_network_has_a_string_and_nothing_is_written(folder, capsys):
    before = set(folder.iterdir())
    outputs = ["--certificate", "c.json", "-o", "out.json"]
    status, answer = run_json(capsys, *GRU, "--against", "other.json", *outputs)
    assert status == 1 and answer["verdict"] == "different" and len(answer["word"]) == 1
    assert sorted(answer["decisions"]) == [0, 1] and answer["regions"] is None
    assert answer["certificate"] is None and set(folder.iterdir()) == before
    assert run([*GRU, "--against", "other.json", *outputs]) == 1
    out = capsys.readouterr().out
    assert "confirmed by running the module in torch (float32)" in out
    assert "c.json is not written" in out
    assert "out.json is not written" in out


def test_an_unknown_network_has_a_bound_and_nothing_is_written(folder, capsys, monkeypatch):
    monkeypatch.setattr(counterexamples, "MOST_TESTED", 3**5)
    write_state_dict(fading(), "gru.safetensors")
    before = set(folder.iterdir())
    outputs = ["--certificate", "c.json", "-o", "out.json"]
    status, answer = run_json(capsys, *GRU, "--against", "set.json", "--seconds", "0.3", *outputs)
    assert status == 3 and answer["verdict"] == "unknown" and answer["bounded"] >= 5 and answer["why"]
    assert answer["slowest"]["word"] == ["keep"] and answer["certificate"] is None
    assert set(folder.iterdir()) == before


def test_an_automaton_is_extracted_without_against(folder, capsys):
    status, answer = run_json(capsys, *GRU, "--alphabet", SYMBOLS, "-o", "out.json", "--html", "page.html")
    assert status == 0 and answer["extracted"]
    assert DFA.from_wfsa(files.read("out.json")).minimal() == MACHINE.accepting(frozenset({1})).minimal()
    assert "certified" in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    "options",
    [
        ["tanh.pt", "--cell", "rnn", "--against", "set.json"],
        ["gru.safetensors", "--cell", "auto", "--against", "set.json"],
        ["gru.safetensors", "--cell", "gru", "--against", "set.json", "--alphabet", SYMBOLS],
        ["gru.safetensors", "--cell", "gru", "--against", "set.json", "--prefix", "rnn.", "--readout", "lin"],
        ["gru.safetensors", "--cell", "gru", "--against", "set.json", "--embeddings", "one-hot"],
        ["gru.safetensors", "--cell", "gru", "--against", "set.json", "--embeddings", "eye.npy"],
        ["gru.safetensors", "--cell", "gru", "--against", "set.json", "--threshold", "0.1"],
    ],
)
def test_other_ways_to_describe_the_network_are_certified(folder, capsys, options):
    np.save("eye.npy", np.eye(3, dtype=np.float32))
    assert run(["certify", *options]) == 0
    assert "certified" in capsys.readouterr().out


def test_classes_are_extracted_and_have_no_dfa(folder, capsys):
    three = ["certify", "three.safetensors", "--cell", "rnn", "--alphabet", "a,b,c"]
    status, answer = run_json(capsys, *three, "--certificate", "c.json")
    assert status == 0 and set(answer["automaton"]["label"]) == {0, 1, 2}
    assert run(["check-certificate", "c.json"]) == 0
    capsys.readouterr()
    assert "3 classes must be compared with a Moore machine" in refused(
        capsys, *three, "--against", "last.json"
    )
    assert "-o requires a network with two decisions, got 3" in refused(capsys, *three, "-o", "o.json")
    assert not (folder / "o.json").exists()


def bad_inputs(folder):
    """Write files that cannot be certified."""
    (folder / "folder.safetensors").mkdir()
    (folder / "broken.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}")
    (folder / "text.pt").write_text("no tensors")
    save(Acceptor(("0", "1"), hidden_size=2, k=2), "own.safetensors")
    files.write(WFSA.from_edges(REAL, 1, ALPHABET, [(0, 1)], [(0, 1)], []), "real.json")
    for value, name in ((float("nan"), "nan.safetensors"), (float("inf"), "inf.safetensors")):
        rnn, linear = latch("gru")
        with torch.no_grad():
            rnn.weight_hh_l0[0, 0] = value
        write_state_dict((rnn, linear), name)
    write_state_dict((nn.GRU(3, 2).double(), nn.Linear(2, 1).double()), "double.safetensors")


AGAINST = ["--against", "set.json"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*GRU[:3], "qrnn", *AGAINST], "--cell must be one of rnn, rnn_relu, gru, lstm, auto, got 'qrnn'"),
        ([*GRU[:3], "lstm", *AGAINST], "cell must be gru"),
        (["certify", "tanh.pt", "--cell", "auto", *AGAINST], "cell must be rnn (tanh) or rnn_relu"),
        (GRU, "the symbols of the network are unknown; pass --alphabet, or an automaton with --against"),
        (
            ["certify", "own.safetensors", "--cell", "gru", *AGAINST],
            "--cell requires a state dict, got a network that ratproof saved",
        ),
        (["certify", "gru.safetensors", *AGAINST], "pass --cell for the state dict"),
        (["certify", "gru.safetensors", "--threshold", "1"], "--threshold requires --cell"),
        (
            ["certify", "own.safetensors", "--seconds", "1", "--prefix", "x"],
            "--prefix and --seconds require --cell",
        ),
        ([*GRU, *AGAINST, "--temperature", "1"], "--temperature requires a network that ratproof saved"),
        (
            [*GRU, *AGAINST, "--height", "1", "--length", "2"],
            "--height and --length require a network that ratproof saved",
        ),
        ([*GRU, *AGAINST, "--alphabet", "a,b,c"], "set.json"),
        ([*GRU, *AGAINST, "--alphabet", "set,reset"], "one-hot"),
        ([*GRU, *AGAINST, "--alphabet", "set,set,keep"], "set"),
        ([*GRU, "--against", "last.json", "--alphabet", SYMBOLS], "last.json"),
        ([*GRU, "--against", "real.json"], "real.json"),
        ([*GRU, "--against", "none.json"], "none.json: cannot be read"),
        (["certify", "none.safetensors", "--cell", "gru", *AGAINST], "none.safetensors: cannot be read"),
        (["certify", "folder.safetensors", "--cell", "gru", *AGAINST], "folder.safetensors: cannot be read"),
        (["certify", "broken.safetensors", "--cell", "gru", *AGAINST], "must be a complete safetensors file"),
        (["certify", "text.pt", "--cell", "gru", *AGAINST], "must be a complete file of torch.save"),
        (["certify", "set.json", "--cell", "gru", *AGAINST], "the extension must be"),
        (["certify", "nan.safetensors", "--cell", "gru", *AGAINST], "all elements must be finite, got nan"),
        (["certify", "inf.safetensors", "--cell", "gru", *AGAINST], "all elements must be finite, got inf"),
        (["certify", "double.safetensors", "--cell", "gru", *AGAINST], "must be float32, got float64"),
        ([*GRU, *AGAINST, "--threshold", "nan"], "threshold must be a finite number, got nan"),
        ([*GRU, *AGAINST, "--threshold", "1e39"], "threshold must be a finite number, got 1e+39"),
        ([*GRU, *AGAINST, "--seconds", "0"], "--seconds must be positive, got 0"),
        ([*GRU, *AGAINST, "--seconds", "inf"], "--seconds must be positive, got inf"),
        ([*GRU, *AGAINST, "--alphabet", "a,a"], "--alphabet 'a,a': each word must occur once, got 'a' twice"),
        ([*GRU, *AGAINST, "--prefix", "encoder"], "prefix must be one of"),
        ([*GRU, *AGAINST, "--readout", "head"], "readout must be one of"),
        ([*GRU, *AGAINST, "--embeddings", "none.npy"], "none.npy: cannot be read"),
        ([*GRU, *AGAINST, "--certificate", "gru.safetensors"], "overwrite"),
        ([*GRU, *AGAINST, "--certificate", "set.json"], "overwrite"),
        ([*GRU, *AGAINST, "--certificate", "c.json", "-o", "c.json"], "c.json"),
        ([*GRU, *AGAINST, "-o", "x.foo"], "x.foo"),
        ([*GRU, *AGAINST, "-o", "folder.safetensors"], "folder.safetensors"),
        ([*GRU, *AGAINST, "--certificate", "folder.safetensors"], "folder.safetensors"),
    ],
)
def test_bad_input_gives_a_one_line_error(folder, capsys, arguments, sentence):
    bad_inputs(folder)
    before = set(folder.iterdir())
    assert sentence in refused(capsys, *arguments)
    assert set(folder.iterdir()) == before
