"""Tests of the commands that decide: their output and files, exit statuses and one-line error messages."""

import json

import numpy as np
import pytest

from automata import operations
from automata.equivalence import equivalent
from automata.forward import score
from automata.io import files
from automata.minimise import rank
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.ratproof.answers import refused, run_json
from ratproof.main import run

A = WFSA(REAL, [1, 0], [0, "1/2"], {"a": [[1, 0], [0, 0]], "b": [[0, "1/3"], [0, 0]]})
TWICE = operations.scale(operations.sum_of(A, A), "1/2")
NEAR = WFSA(REAL, [1, 0], [0, "1/2"], {"a": [[1, 0], [0, 0]], "b": [[0, "0.3333333333333333"], [0, 0]]})
FEWER = WFSA(REAL, [1, 0], [0, "1/2"], {"b": [[0, "1/3"], [0, 0]]})
WIDE = WFSA(REAL, [1, 0], [0, "1/2"], {"b": [[0, "1/3"], [0, 0]], "a": [[0, 0], [0, 0]]})
TROPICAL = WFSA(MAX_PLUS, [0, 0], [0, 0], {"a": [[1, "-inf"], ["-inf", 0]], "b": [[0, "-inf"], ["-inf", 1]]})
WIDER = WFSA(  # the same scores, with a state for half of the symbols, which no state of TROPICAL simulates
    MAX_PLUS,
    [0, 0, 0],
    [0, 0, 0],
    {
        "a": [[1, "-inf", "-inf"], ["-inf", 0, "-inf"], ["-inf", "-inf", "1/2"]],
        "b": [[0, "-inf", "-inf"], ["-inf", 1, "-inf"], ["-inf", "-inf", "1/2"]],
    },
)
GIVEN = {
    "a": A,
    "twice": TWICE,
    "near": NEAR,
    "fewer": FEWER,
    "wide": WIDE,
    "tropical": TROPICAL,
    "wider": WIDER,
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, automaton in GIVEN.items():
        files.write(automaton, tmp_path / f"{name}.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_equivalent_writes_a_certificate_that_is_accepted(folder, capsys):
    status, answer = run_json(capsys, "equivalent a.json twice.json --certificate c.json")
    assert (status, answer["verdict"], answer["word"], answer["scores"]) == (0, "equivalent", None, None)
    assert run_json(capsys, "check-certificate c.json")[0] == 0
    status, answer = run_json(capsys, "check-certificate c.json --of a.json twice.json")
    assert (status, answer["verdict"], answer["claims"], answer["why"]) == (0, "accepted", "equivalent", None)


def test_different_prints_the_string_and_both_scores(folder, capsys):
    status, answer = run_json(capsys, "equivalent a.json near.json --certificate c.json")
    assert (status, answer["verdict"], answer["word"]) == (1, "different", ["b"])
    assert answer["scores"] == ["1/6", "3333333333333333/20000000000000000"]
    assert run_json(capsys, "check-certificate c.json --of a.json near.json")[1]["claims"] == "different"
    assert run(["equivalent", "a.json", "near.json"]) == 1
    message = 'different: on "b" a.json gives 1/6 and near.json gives 3333333333333333/20000000000000000'
    assert message in capsys.readouterr().out


def test_unknown_prints_the_searched_length_and_writes_no_certificate(folder, capsys):
    status, answer = run_json(capsys, "equivalent tropical.json wider.json --longest 4")
    assert (status, answer["verdict"], answer["searched"], answer["word"]) == (3, "unknown", 4, None)
    assert (
        run(["equivalent", "tropical.json", "wider.json", "--longest", "2", "--certificate", "c.json"]) == 3
    )
    out, err = capsys.readouterr()
    assert out.startswith("unknown: ") and "c.json is not written" in err and not (folder / "c.json").exists()


def test_other_alphabets_need_the_flag(folder, capsys):
    assert "only the first automaton reads 'a'; --missing-as-zero" in refused(
        capsys, "equivalent wide.json fewer.json"
    )
    assert run_json(capsys, "equivalent wide.json fewer.json --missing-as-zero --certificate c.json")[0] == 0
    assert run_json(capsys, "check-certificate c.json --of wide.json fewer.json --missing-as-zero")[0] == 0
    status, answer = run_json(capsys, "equivalent a.json fewer.json --missing-as-zero")
    assert (status, answer["word"]) == (1, ["a", "b"])


def test_a_tampered_certificate_is_rejected_with_the_reason(folder, capsys):
    run(["equivalent", "a.json", "twice.json", "--certificate", "c.json"])
    data = json.loads((folder / "c.json").read_text())
    data["to B"][0][2] = "3/7"
    (folder / "c.json").write_text(json.dumps(data))
    capsys.readouterr()
    status, answer = run_json(capsys, "check-certificate c.json")
    assert (status, answer["verdict"]) == (1, "rejected") and "lambda_C X is not lambda" in answer["why"]


@pytest.mark.parametrize(
    "arguments",
    [
        "equivalent a.json tropical.json",
        "equivalent a.json",
        "equivalent a.json none.json",
        "equivalent a.json inf.json",
        "equivalent a.json twice.json --certificate .",
        "equivalent a.json twice.json --longest -1",
        "check-certificate a.json",
        "check-certificate none.json",
        "minimise tropical.json",
        "rank tropical.json",
        "minimise a.json -o a.png",
        "minimise a.json -o .",
    ],
)
def test_invalid_input_gives_a_one_line_error_and_no_file(folder, capsys, arguments):
    text = (folder / "a.json").read_text().replace('"1/3"', '"inf"')
    (folder / "inf.json").write_text(text)
    before = sorted(folder.iterdir())
    refused(capsys, arguments)
    assert sorted(folder.iterdir()) == before


def test_a_float_infinity_in_a_field_is_reported_with_its_path(folder, capsys):
    (folder / "inf.json").write_text((folder / "a.json").read_text().replace('"1/3"', '"inf"'))
    sentence = refused(capsys, "equivalent a.json inf.json")
    assert "inf.json: field transitions[1]" in sentence
    assert "weights of the real semiring must be finite numbers, got 'inf'" in sentence


def test_minimise_writes_the_minimal_automaton_and_its_certificate(folder, capsys):
    status, answer = run_json(capsys, "minimise twice.json -o least.json --certificate m.json")
    assert (status, answer["states"], answer["from"], answer["files"]) == (0, 2, 4, ["least.json"])
    assert files.read("least.json").states == 2
    assert equivalent(A, files.read("least.json")).verdict == "equivalent"
    assert run_json(capsys, "check-certificate m.json --of twice.json least.json")[1]["claims"] == "minimal"
    assert run_json(capsys, "check-certificate m.json --of twice.json")[0] == 0
    expected = (0, {"schema_version": 2, "states": 2, "from": 4, "least": True, "why": None, "files": []})
    assert run_json(capsys, "minimise twice.json") == expected


def test_rank_prints_a_number(folder, capsys):
    assert run(["rank", "twice.json"]) == 0
    assert capsys.readouterr().out == "2\n"
    assert run_json(capsys, "rank twice.json") == (0, {"schema_version": 2, "rank": 2})


def test_boolean_and_counting_automata(folder, capsys):
    step = [[True, True], [False, False]]
    files.write(WFSA(BOOLEAN, [True, False], [False, True], {"a": step}), "nfa.json")
    assert run_json(capsys, "minimise nfa.json -o dfa.json")[1]["states"] == 2
    assert run_json(capsys, "equivalent nfa.json dfa.json --certificate c.json")[0] == 0
    assert run_json(capsys, "check-certificate c.json --of nfa.json dfa.json")[0] == 0
    assert "--certificate is not supported for boolean automata" in refused(
        capsys, "minimise nfa.json --certificate m.json"
    )
    paths = WFSA(COUNTING, [1, 1, 0], [0, 0, 1], {"a": [[1, 0, 1], [0, 1, 1], [0, 0, 1]]})
    files.write(paths, "paths.json")
    _, answer = run_json(capsys, "minimise paths.json -o least.json")
    least = files.read("least.json")
    assert answer["states"] == least.states == rank(paths) == 2
    assert (
        [score(least, "a" * t) for t in range(6)]
        == [score(paths, "a" * t) for t in range(6)]
        == [2 * t for t in range(6)]
    )


def test_att_files_are_decided_too(folder, capsys):
    a = WFSA(REAL, [1, 0], [0, 1], {"a": [[0.5, 0.25], [0, 1]]})
    files.write(a, "a.att")
    files.write(operations.sum_of(a, operations.scale(a, 0)), "b.att")
    assert run_json(capsys, "equivalent a.att b.att --semiring real")[0] == 0
    assert np.array_equal(files.read("a.att", REAL).final, a.to_exact().final)


def test_a_certificate_never_overwrites_an_automaton_of_the_command(folder, capsys):
    before = (folder / "a.json").read_text()
    assert "would overwrite" in refused(capsys, "equivalent a.json twice.json --certificate ./a.json")
    assert "must be different files" in refused(capsys, "minimise twice.json -o o.json --certificate o.json")
    assert "is a folder" in refused(capsys, "minimise twice.json -o o.json --certificate .")
    assert (folder / "a.json").read_text() == before and not (folder / "o.json").exists()


def test_logarithms_that_differ_by_less_than_an_ulp_are_written_as_fractions(folder, capsys):
    for name, final in (("x", 0.0), ("y", 1e-30), ("z", 1e308)):
        files.write(WFSA(LOG, [1.0 if name != "z" else 1e308], [final], {"a": [[-np.inf]]}), f"{name}.json")
    status, answer = run_json(capsys, "equivalent x.json y.json")
    assert status == 1 and answer["scores"][0] == "1" != answer["scores"][1]
    assert run_json(capsys, "equivalent x.json z.json")[0] == 1


def test_a_certificate_with_unexpected_words_is_rejected_without_a_traceback(folder, capsys):
    run(["equivalent", "a.json", "twice.json", "--certificate", "c.json"])
    data = json.loads((folder / "c.json").read_text())
    (folder / "c.json").write_text(json.dumps({**data, "claims": "\ud800"}))
    capsys.readouterr()
    assert run_json(capsys, "check-certificate c.json")[0] == 1
