"""Tests of ``ratproof check-certificate``: its output, the option ``--of``, its exit statuses and its
one-line error messages.
"""

import json
import shutil
from pathlib import Path

import pytest

from automata import operations
from automata.io import files
from automata.semirings import BOOLEAN, LOG, MIN_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.ratproof.answers import refused, run_json
from proofs_tests.ratproof.certificate_files import FILES, certificate
from ratproof.checkers import check_hankel
from ratproof.checkers.table import automaton_digest
from ratproof.commands.checking import spread
from ratproof.main import run
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import some

A = WFSA(REAL, [1, 0], [0, "1/2"], {"a": [[1, 0], [0, 0]], "b": [[0, "1/3"], [0, 0]]})
TWICE = operations.scale(operations.sum_of(A, A), "1/2")
NEAR = WFSA(REAL, [1, 0], [0, "1/2"], {"a": [[1, 0], [0, 0]], "b": [[0, "0.3333333333333333"], [0, 0]]})
TURNED = WFSA(REAL, [1, 0], [0, "1/2"], {"b": [[0, "1/3"], [0, 0]], "a": [[1, 0], [0, 0]]})
LONE = WFSA(REAL, [1], [1], {"c": [[1]]})


@pytest.fixture
def folder(in_tmp_path, tmp_path):
    for name, automaton in {"a": A, "twice": TWICE, "near": NEAR, "turned": TURNED, "lone": LONE}.items():
        files.write(automaton, f"{name}.json")
    assert run(["equivalent", "a.json", "twice.json", "--certificate", "equal.json"]) == 0
    assert run(["equivalent", "a.json", "near.json", "--certificate", "differ.json"]) == 1
    assert run(["minimise", "twice.json", "-o", "least.json", "--certificate", "least-of.json"]) == 0
    for name in ("hankel-gru", "follows-eq-2", "boxes-sr-gru-dot"):
        shutil.copy(FILES[name], f"{name}.json")
    return tmp_path


def asked(capsys, line, *more):
    """Return the exit status and the lines on standard output."""
    capsys.readouterr()
    status = run(["check-certificate", *line.split(), *more])
    out, err = capsys.readouterr()
    assert err == "", err
    return status, out.splitlines()


def told(capsys, line, *more):
    """Return the exit status and the parsed output of ``--json``."""
    return run_json(capsys, f"check-certificate {line}", *more)


def test_what_is_accepted_is_said_in_full(folder, capsys):
    a, twice = automaton_digest(A), automaton_digest(TWICE)
    first = f"the real automaton A (2 states, digest {a[:16]})"
    second = f"the real automaton B (4 states, digest {twice[:16]})"
    line = f'accepted: {first} and {second} give every string over ["a", "b"] the same score'
    assert asked(capsys, "equal.json") == (0, [line])
    named = ["  A is the automaton in a.json", "  B is the automaton in twice.json"]
    assert asked(capsys, "equal.json --of a.json twice.json") == (0, [line, *named])
    _, answer = told(capsys, "equal.json --of a.json twice.json")
    expected = ("accepted", "equivalent", None, 1)
    assert (answer["verdict"], answer["claims"], answer["why"], len(answer["certificates"])) == expected
    about = answer["certificates"][0]["about"]
    assert about["A"] == {"semiring": "real", "states": 2, "digest": a} and about["B"]["digest"] == twice
    assert (about["alphabet"], about["of"]) == (["a", "b"], {"A": "a.json", "B": "twice.json"})


def test_each_certificate_has_a_line_and_one_rejected_decides_the_status(folder, capsys):
    status, lines = asked(
        capsys, "equal.json hankel-gru.json follows-eq-2.json boxes-sr-gru-dot.json least-of.json"
    )
    assert status == 0 and len(lines) == 5 and all(": accepted: " in line for line in lines)
    assert [line.partition(":")[0] for line in lines][:2] == ["equal.json", "hankel-gru.json"]
    (folder / "bad.json").write_text(
        json.dumps(certificate("hankel-gru") | {"states": 3, "claims": "at least 3 states"})
    )
    status, lines = asked(capsys, "equal.json bad.json")
    assert status == 1
    assert lines[0].startswith("equal.json: accepted")
    assert lines[1].startswith("bad.json: rejected: there must be 3 prefixes")
    status, answer = told(capsys, "equal.json bad.json hankel-gru.json")
    assert (status, answer["verdict"], answer["claims"], answer["why"]) == (1, "rejected", None, None)
    assert [row["verdict"] for row in answer["certificates"]] == ["accepted", "rejected", "accepted"]
    assert [row["file"] for row in answer["certificates"]] == ["equal.json", "bad.json", "hankel-gru.json"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--of", "a.json", "twice.json"],
        ["--of", "a.json", "--of", "twice.json"],
        ["--of=a.json", "twice.json"],
        ["--of", "a.json", "--of=twice.json"],
    ],
)
def test_files_after_of_may_be_given_separately_or_together(folder, capsys, arguments):
    assert asked(capsys, "equal.json", *arguments)[0] == 0
    assert told(capsys, "equal.json", *arguments)[0] == 0
    assert asked(capsys, *arguments[:0], "equal.json", "--missing-as-zero", *arguments)[0] == 0


def test_arguments_after_two_hyphens_are_certificates():
    assert spread(["--of", "a", "b", "--", "c", "d"]) == ["--of", "a", "--of", "b", "--", "c", "d"]
    assert spread(["c", "--of=a", "b", "--json", "d"]) == ["c", "--of=a", "--of", "b", "--json", "d"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            "equal.json --of a.json near.json",
            "its automaton B (real, 4 states, {twice}) is not the one in near.json (real, 2 states, {near})",
        ),
        (
            "equal.json --of twice.json a.json",
            (
                "its automaton A (real, 2 states, {a}) is not the one in twice.json"
                " (real, 4 states, {twice}); in --of, A must come before B"
            ),
        ),
        ("least-of.json --of a.json", "its automaton A (real, 4 states, {twice}) is not the one in a.json"),
        ("least-of.json --of twice.json near.json", "is not the one in near.json"),
        (
            "differ.json --of a.json twice.json",
            "its automaton B (real, 2 states, {near}) is not the one in twice.json",
        ),
    ],
)
def test_a_certificate_about_other_automata_is_rejected_with_the_difference(folder, capsys, arguments, says):
    digests = {name: automaton_digest(x)[:16] for name, x in (("a", A), ("twice", TWICE), ("near", NEAR))}
    assert asked(capsys, arguments)[0] == 1
    status, answer = told(capsys, arguments)
    assert status == 1 and answer["certificates"][0]["about"] is None
    why = answer["why"]
    assert why.startswith("the certificate is about other automata: ") and says.format(**digests) in why


def test_of_accepts_the_automaton_in_any_form(folder, capsys):
    """Reordered symbols, decimals, reordered entries, and AT&T text with its semiring are accepted."""
    text = json.loads((folder / "a.json").read_text())
    (folder / "other.json").write_text(
        json.dumps(
            {**text, "final": [[1, "0.50"]], "transitions": text["transitions"][::-1], "alphabet": ["b", "a"]}
        )
    )
    assert run(["minimise", "a.json", "--certificate", "m.json"]) == 0
    for name in ("turned.json", "other.json", "a.json"):
        assert asked(capsys, "m.json --of", name)[0] == 0
    assert asked(capsys, "equal.json --of a.json twice.json")[0] == 0
    one = WFSA(MIN_PLUS, [0], [0], {"a": [["1/2"]]})
    files.write(one, "one.att")
    files.write(one, "one.json")
    assert run(
        ["equivalent", "one.att", "one.json", "--certificate", "c.json", "--semiring", "min-plus"]
    ) in (0, 2)
    files.write(one, "two.att")
    assert run(["equivalent", "one.att", "two.att", "--certificate", "c.json"]) == 0
    assert asked(capsys, "c.json --of one.att two.att")[0] == 0
    assert asked(capsys, "c.json --of one.att two.att --semiring max-plus")[0] == 1
    assert asked(capsys, "c.json --of one.att one.json --semiring min-plus")[0] == 0


def test_a_certificate_of_a_cell_is_compared_with_a_file_of_weights(folder, capsys):
    gru = some(CELLS["gru"]).to_json()
    (folder / "gru.json").write_text(json.dumps(gru))
    status, (_, line) = asked(capsys, "hankel-gru.json --of gru.json")
    assert status == 0 and line == "  the weights are those in gru.json"
    (folder / "gru.json").write_text(json.dumps({**gru, "letters": ["a", "c"]}))
    why = told(capsys, "hankel-gru.json --of gru.json")[1]["why"]
    assert why == "it is about the cell gru with other weights or letters than in gru.json"
    (folder / "gru.json").write_text(json.dumps(some(CELLS["gru"], seed=1).to_json()))
    assert told(capsys, "hankel-gru.json --of gru.json")[0] == 1
    (folder / "gru.json").write_text(json.dumps(some(CELLS["elman"]).to_json()))
    message = "the cell gru, but gru.json has no weights for it"
    assert message in told(capsys, "hankel-gru.json --of gru.json")[1]["why"]


def test_each_kind_of_certificate_is_compared_with_files_of_its_kind(folder, capsys):
    (folder / "gru.json").write_text(json.dumps(some(CELLS["gru"]).to_json()))
    assert asked(capsys, "equal.json hankel-gru.json --of a.json twice.json gru.json")[0] == 0
    status, lines = asked(capsys, "equal.json hankel-gru.json follows-eq-2.json --of a.json twice.json")
    assert status == 1 and lines[3] == "hankel-gru.json: rejected: it is about a cell, but --of contains none"
    assert lines[4] == "follows-eq-2.json: rejected: it is about a claim's network, but --of contains none"


def test_a_certificate_beyond_the_limits_is_neither_accepted_nor_rejected(folder, capsys, monkeypatch):
    monkeypatch.setattr(check_hankel, "SECONDS", 1e-9)
    status, lines = asked(capsys, "hankel-gru.json equal.json")
    assert status == 3
    assert lines[0].startswith("hankel-gru.json: not checked: it may take more than 1e-09 seconds, the limit")
    status, answer = told(capsys, "hankel-gru.json")
    assert (status, answer["verdict"], answer["claims"]) == (3, "unknown", None)
    (folder / "bad.json").write_text(json.dumps({**certificate("equivalent-real"), "through": "B"}))
    assert asked(capsys, "hankel-gru.json bad.json")[0] == 1


def test_a_loosely_written_certificate_is_rejected(folder, capsys):
    text = (folder / "equal.json").read_text().rstrip()
    for loose in (
        '{"claims": "different", ' + text[1:],
        text[:-1] + ', "note": 1.0}',
        text[:-1] + ', "note": NaN}',
    ):
        (folder / "loose.json").write_text(loose)
        status, lines = asked(capsys, "loose.json equal.json --of a.json twice.json")
        assert status == 1
        assert lines[0].startswith("loose.json: rejected: ")
        assert lines[1].startswith("equal.json: accepted")
    for version in ("ratproof certificate 2", "ratproof certificate 10"):
        (folder / "new.json").write_text(json.dumps({"format": version, "graph": []}))
        assert f"got '{version}'" in told(capsys, "new.json")[1]["why"]


def test_a_certificate_cannot_control_the_terminal(folder, capsys):
    text = (folder / "equal.json").read_text()
    for symbol in ("\x1b[2J", "\x07", "\x7f", "\u202e", "\n"):
        (folder / "loud.json").write_text(text.replace('"a"', json.dumps(symbol)))
        status, (line,) = asked(capsys, "loud.json")
        assert status == 0 and line.isprintable()
        (folder / "loud.json").write_text(text.replace('"real"', json.dumps(symbol)))
        status, (line,) = asked(capsys, "loud.json")
        assert status == 1 and line.isprintable()


def test_the_pages_show_the_digests_of_the_examples():
    docs = Path(__file__).parents[2] / "docs"
    for name in ("fading", "parity", "typo"):
        assert (
            automaton_digest(files.read(docs.parent / "ratproof" / "examples" / f"{name}.json"))[:16]
            in (docs / "how_to" / "compare_two_automata.md").read_text()
        )


def test_an_automaton_has_one_digest_in_every_form():
    floats = A.to_float()
    assert automaton_digest(floats) != automaton_digest(A) == automaton_digest(TURNED)  # 1/3 is not a float
    assert automaton_digest(NEAR.to_float()) == automaton_digest(NEAR.to_float().to_exact())
    assert automaton_digest(WFSA(BOOLEAN, [True], [True], {"a": [[True]]})) != automaton_digest(
        WFSA(REAL, [1], [1], {"a": [[1]]})
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("a.json", "a.json: a certificate must have the fields 'format' and 'claims'"),
        ("none.json", "none.json: cannot be read"),
        ("a.json --of a.json twice.json", "pass the files that certificates must be about after --of"),
        ("equal.json twice.json", "twice.json: a certificate must have the fields"),
        ("one.att", "one.att: a certificate must be JSON"),
        ("text.json", "text.json: a certificate must be JSON"),
        ("list.json", "list.json: a certificate must have the fields"),
        ("deep.json", "deep.json: a certificate must be JSON"),
        ("", "Missing argument"),
        ("--of a.json equal.json", "Missing argument"),
        ("equal.json --of", "--of"),
        (
            "equal.json --of a.json",
            "equal.json is about two automata, so --of must have both or none, got one",
        ),
        ("equal.json --of a.json twice.json near.json", "--of must have two automata, A and then B, got 3"),
        ("equal.json --of none.json twice.json", "none.json: cannot be read"),
        ("equal.json --of text.json", "text.json: line 1"),
        ("equal.json --of a.json lone.json", "a.json and lone.json: the alphabets differ"),
        (
            "equal.json --of weights.json",
            (
                "weights.json: the file applies to a certificate about a cell, but equal.json is about two"
                " automata"
            ),
        ),
        (
            "hankel-gru.json --of a.json",
            (
                "a.json: the file applies to a certificate about two automata, but hankel-gru.json is about"
                " a cell"
            ),
        ),
        ("follows-eq-2.json --of a.json", "follows-eq-2.json is about a claim's network"),
        ("equal.json --temperature 2", "--temperature requires a network"),
        ("equal.json --semiring real", "--semiring and --symbols require"),
        ("equal.json --of a.json twice.json --semiring real", "--semiring and --symbols require"),
        ("hankel-gru.json --of weights.json weights.json", "--of accepts at most one file of weights"),
    ],
)
def test_bad_input_gives_a_one_line_error(folder, capsys, arguments, says):
    (folder / "text.json").write_text("text")
    (folder / "list.json").write_text("[]")
    (folder / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    (folder / "weights.json").write_text(json.dumps(some(CELLS["gru"]).to_json()))
    (folder / "one.att").write_text("0 1 1 1\n1\n")
    assert says in refused(capsys, f"check-certificate {arguments}")


def test_an_automaton_over_a_semiring_without_certificates_is_refused(folder, capsys):
    files.write(WFSA(LOG, [0.0], [0.0], {"a": [[0.5]]}), "log.json")
    status, answer = told(capsys, "least-of.json --of log.json")
    assert status == 1 and "log.json (log, 1 state, " in answer["why"]
