"""Tests of ``ratproof not-rational`` on the command line."""

import json

import pytest

from automata.io import json_format
from automata.semirings import REAL
from automata.wfsa import WFSA
from proofs_tests.ratproof.answers import refused
from ratproof.coq import reals
from ratproof.main import run
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import some

ELMAN = some(CELLS["elman"]).to_json()


def test_it_prints_the_proved_claim(capsys):
    assert run(["not-rational", "gru"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("gru: no automaton with fewer than 63 states computes unit 0 (")
    assert out.count("\n") == 1


def test_json_is_one_object_with_everything_needed_to_repeat_the_run(capsys):
    assert run(["not-rational", "lstm", "--size", "5", "--units", "2", "--unit", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    expected = ("lstm", 1, 2, 5, None)
    assert (answer["cell"], answer["unit"], answer["units"], answer["states"], answer["unknown"]) == expected
    assert answer["bits"] >= 64
    assert 0 <= answer["seconds"] < 5
    assert len(answer["prefixes"]) == len(answer["suffixes"]) == 5
    assert set(answer["weights"]) == set(CELLS["lstm"].shapes)
    assert answer["letters"] == ["a", "b"]
    assert len(answer["determinant"]) == 2


def test_a_control_ends_with_unknown(capsys):
    assert run(["not-rational", "sru"]) == 3
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("sru: no automaton with fewer than 2 states computes unit 0")
    assert second == "sru: unknown: no determinant of size 3 excludes zero, up to 4096 bits"
    assert run(["not-rational", "sru", "--size", "3", "--bits", "128", "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["states"] is None
    assert answer["unknown"] == {"size": 3, "bits": 128}
    assert set(answer["weights"]) == {"W_f", "b_f", "W_u"}


@pytest.mark.parametrize("name", CELLS)
def test_its_certificate_is_checked_by_the_common_command(name, tmp_path, capsys):
    path = str(tmp_path / "c.json")
    size = "2" if CELLS[name].rational else "7"
    assert run(["not-rational", name, "--size", size, "--certificate", path]) == 0
    assert run(["check-certificate", path]) == 0
    units = "2 units" if CELLS[name].fewest == 2 else "1 unit"
    accepted = (
        f"accepted: no automaton with fewer than {size} states, over any field that contains the real"
        " numbers,"
    )
    assert f"{accepted} computes unit 0 of the cell {name} with {units} and " in capsys.readouterr().out
    data = json.loads((tmp_path / "c.json").read_text())
    (tmp_path / "c.json").write_text(json.dumps({**data, "states": 8, "claims": "at least 8 states"}))
    assert run(["check-certificate", path, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "rejected"


def test_a_certificate_of_a_cell_is_not_for_automata_and_an_empty_one_is_not_written(tmp_path, capsys):
    path = str(tmp_path / "c.json")
    assert run(["not-rational", "sru", "--size", "3", "--certificate", path]) == 3
    assert "c.json is not written" in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "c.json").exists()
    assert run(["not-rational", "sru", "--size", "2", "--certificate", path]) == 0
    capsys.readouterr()
    (tmp_path / "a.json").write_text(json_format.dumps(WFSA(REAL, [1], [1], {"a": [[1]]})))
    assert run(["check-certificate", path, "--of", str(tmp_path / "a.json")]) == 2
    assert "c.json is about a cell" in capsys.readouterr().err


def test_weights_and_letters_come_from_a_file(tmp_path, capsys):
    (tmp_path / "w.json").write_text(json.dumps({**ELMAN, "letters": ["left", "right"]}))
    path = str(tmp_path / "w.json")
    assert (
        run(["not-rational", "elman", "--weights", path, "--letter", "right", "--size", "4", "--json"]) == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["prefixes"][:2] == [[], ["right"]] and answer["letters"] == ["left", "right"]


def test_every_size_shows_each_hypothesis(capsys):
    assert run(["not-rational", "elman", "--every-size"]) == 0
    out = capsys.readouterr().out
    assert "no automaton with any number of states computes unit 0" in out and out.count("\n") == 7
    assert run(["not-rational", "elman", "--every-size", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["every_size"] is True
    assert len(answer["hypotheses"]) == 5
    assert answer["letter"] == "a"
    assert answer["why"] is None
    assert answer["theorem"] in reals.NOT_RATIONAL.theorems
    assert answer["theorem"] in out
    assert run(["not-rational", "rwkv-4", "--every-size"]) == 0
    out = capsys.readouterr().out
    assert "unit 0; on b and then 33 + m times a, the unit is P(x) / Q(x) with x = D^m, and" in out
    assert "Coq" not in out
    assert run(["not-rational", "lstm", "--every-size"]) == 3
    assert capsys.readouterr().out.startswith("lstm: unknown: on the strings of a, ")
    assert run(["not-rational", "sru", "--every-size", "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["every_size"] is False and set(answer["why"]) == {"a", "b"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "CELL must be one of elman, lstm"),
        ("elmo", "there is no cell 'elmo'; the cells are elman, lstm"),
        ("elman --size 0", "Invalid value for"),
        ("elman --size many", "Invalid value for"),
        ("elman --size 5000", "Invalid value"),
        ("elman --units 0", "Invalid value"),
        ("elman --bits 63", "Invalid value"),
        ("elman --unit 1", "--unit must be between 0 and 0, got 1"),
        ("elman --letter c", "--letter must be one of a, b, got 'c'"),
        ("elman --weights nowhere.json", "nowhere.json: cannot be read"),
        ("elman --certificate .", "is a folder"),
        ("elman --every-size --size 3", "--every-size cannot be used with --size"),
        ("elman --every-size --bits 64", "--every-size cannot be used with --size, --letter, --bits"),
        ("elman --units 2 --weights x.json", "--units cannot be used with --weights"),
    ],
)
def test_bad_input_gives_a_one_line_error(arguments, says, capsys):
    assert says in refused(capsys, f"not-rational {arguments}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "must be a JSON object with the fields letters and weights"),
        ("[]", "must be a JSON object with the fields letters and weights"),
        ("{}", "with the fields letters and weights"),
        (json.dumps({**ELMAN, "letters": "ab"}), "letters must be a list of symbols"),
        (json.dumps({**ELMAN, "letters": [""]}), "letters must be a list of symbols"),
        (
            json.dumps({**ELMAN, "letters": ["a"]}),
            "elman: W_h must have shape [1, 1], which is units by letters",
        ),
        (
            json.dumps({**ELMAN, "letters": ["a", "a"]}),
            "elman: there must be at least one unit, and distinct letters",
        ),
        (json.dumps({**ELMAN, "weights": []}), "with the fields"),
        (json.dumps({**ELMAN, "weights": {}}), "elman: the weights must be W_h, U_h, b_h; U_h is missing"),
        ('{"letters": ["a"], ' + json.dumps(ELMAN)[1:], "the field 'letters' must occur once"),
        *(
            (json.dumps({**ELMAN, "weights": {**ELMAN["weights"], "U_h": value}}), says)
            for value, says in [
                ([["x"]], '"inf" or "-inf", got \'x\''),
                ([["inf"]], "a weight must be finite, got 'inf'"),
                ([[1.5]], 'a weight must be a string such as "2", "-3/7" or "0.25", got 1.5'),
                ([["1/0"]], "must not divide by zero"),
                ("1", "elman: U_h must have shape [1, 1], which is units by units"),
                ({"a": "1"}, "a weight must be a string such as"),
                ([["1"], ["2"]], "elman: U_h must have shape [1, 1]"),
                (None, 'a weight must be a string such as "2", "-3/7" or "0.25", got None'),
            ]
        ),
    ],
    ids=range(18),
)
def test_invalid_weights_are_refused(text, says, tmp_path, capsys):
    (tmp_path / "w.json").write_text(text)
    message = refused(capsys, "not-rational", "elman", "--weights", str(tmp_path / "w.json"))
    assert says in message and "w.json" in message
