"""Tests that the eight checkers of certificates are self-contained and short.

They share their reader, and print the claim that they accept.
"""

import ast
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_tests.ratproof.certificate_files import FILES, SMALL, certificate, run_program
from ratproof.checkers import check_bisimulation, check_certificate, check_hankel
from ratproof.checkers.inline import inlined
from ratproof.checkers.table import PROGRAMS, checker_of, judge

MOST_LINES = 500
FOR_EACH = {
    "check_certificate": "minimal-counting",
    "check_bisimulation": "equivalent-boolean",
    "check_chain": "equivalent-real-chain",
    "check_hankel": "hankel-gru",
    "check_invariant": "follows-eq-2",
    "check_boxes": "boxes-sr-elman-dot-without-start",
    "check_counter": "counter-lstm",
    "check_regions": "regions-rnn",
}
EACH = pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.__name__)


@EACH
def test_a_checker_is_short_and_needs_only_the_standard_library(program):
    text = Path(program.__file__).read_text()
    assert len(text.splitlines()) <= MOST_LINES
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.Import, ast.ImportFrom))]
    names = {alias.name for n in imports if isinstance(n, ast.Import) for alias in n.names}
    assert names | {n.module for n in imports if isinstance(n, ast.ImportFrom)} <= set(
        sys.stdlib_module_names
    )


@EACH
def test_all_checkers_share_their_reader_and_printer(program):
    text = Path(program.__file__).read_text("utf-8")
    assert "def main(" in text and text == inlined(text), "run python -m ratproof.checkers.inline"


@pytest.mark.parametrize("name", FILES)
def test_a_certificate_of_version_1_is_still_accepted(name, capsys):
    data = certificate(name)
    answer = judge(data)
    assert (answer.verdict, answer.claims, answer.why) == ("accepted", data["claims"], None)
    assert name not in SMALL or run_program(FILES[name], capsys)[0] == 0


@EACH
def test_a_program_runs_alone(program):
    command = [sys.executable, "-I", program.__file__, str(FILES[FOR_EACH[Path(program.__file__).stem]])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("accepted: ")


@EACH
@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        ("{}", 1, "rejected: missing field: format"),
        ("[]", 1, "rejected: expected a JSON object, got []"),
        ("7", 1, "rejected: expected a JSON object, got 7"),
        ("{", 2, "c.json: Expecting"),
        ("", 2, "cannot read "),
        ("[" * 100_000, 2, "cannot read "),
        ("[" * 100_000 + "]" * 100_000, 2, "cannot read "),
        ("{} {}", 2, "c.json: Extra data"),
        (
            '{"format": "ratproof certificate 2", "claims": "all"}',
            1,
            "'format' must be 'ratproof certificate 1', got 'ratproof certificate 2'",
        ),
        ('{"format": "ratproof certificate 1"}', 1, ", got None"),
        ('{"format": "ratproof certificate 1", "claims": ["equivalent"]}', 1, ", got ['equivalent']"),
    ],
)
def test_a_file_that_is_not_a_certificate_gives_a_one_line_error(
    program, text, status, says, tmp_path, capsys
):
    (tmp_path / "c.json").write_text(text)
    got, out = run_program(tmp_path / "c.json", capsys, program)
    assert got == status and says in out


@EACH
def test_an_unreadable_file_gives_a_one_line_error(program, tmp_path, capsys):
    (tmp_path / "latin.json").write_bytes(b'{"format": "\xe9"}')
    for path in (tmp_path, tmp_path / "none.json", tmp_path / "latin.json"):
        status, out = run_program(path, capsys, program)
        assert status == 2 and f"usage: {Path(program.__file__).name} FILE" in out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("unbuffered", [[], ["-u"]])
def test_an_unwritable_verdict_has_another_exit_status(unbuffered):
    program = [sys.executable, *unbuffered, check_hankel.__file__, str(FILES["hankel-gru"])]
    with open("/dev/full", "w") as full:
        assert subprocess.run(program, stdout=full, stderr=subprocess.PIPE, check=False).returncode == 4
    assert (
        subprocess.run(
            ["sh", "-c", '"$@" >&-', "sh", *program], stderr=subprocess.PIPE, check=False
        ).returncode
        == 4
    )


def sha(part):
    """Return the digest as documented in docs/reference/formats.md."""
    return hashlib.sha256(
        json.dumps(part, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    ).hexdigest()


@pytest.mark.parametrize("name", FILES)
def test_the_accepted_claim_is_printed_in_full(name):
    """The text and the JSON contain digests, temperature, sizes and symbols."""
    data = certificate(name)
    about = checker_of(data).about(data)
    assert about["claims"] == data["claims"] and json.loads(json.dumps(about)) == about
    symbols = data.get("letters") or (
        data["A"]["alphabet"] if "A" in data else data.get("network", data.get("boxes"))
    )
    symbols = symbols if isinstance(symbols, list) else symbols.get("alphabet", [*symbols.get("W", ())])
    assert about.get("alphabet", about.get("letters")) == symbols
    assert json.dumps(symbols, ensure_ascii=False) in about["says"]
    if "A" in data:
        for side in "AB":
            lists = ("alphabet", "initial", "final", "transitions")
            digest = sha(
                {field: sorted(value) if field in lists else value for field, value in data[side].items()}
            )
            states, semiring = data[side]["states"], data[side]["semiring"]
            assert about[side] == {"semiring": semiring, "states": states, "digest": digest}
            assert f"the {semiring} automaton {side} ({states} states, digest {digest[:16]})" in about["says"]
    elif "cell" in data:
        assert about["digest"] == sha(
            {field: data[field] for field in ("cell", "units", "letters", "weights")}
        )
        assert f"computes unit {data['unit']} of the cell {data['cell']}" in about["says"]
        assert f"fewer than {data['states']} states, over" in about["says"]
        assert about["digest"][:16] in about["says"]
        assert ("not checked" in about["says"]) == ("every size" in data)
    elif "theorems" in data:
        network = {field: value for field, value in data["network"].items() if field != "temperature"}
        assert about["network"] == {"kind": "lstm", "digest": sha(network), "temperature": ""}
        expected = [{"gates": "soft", "height": 0, "length": 2}, {"gates": "saturated", "height": 0}]
        assert about["theorems"] == expected
        assert about["network"]["digest"][:16] in about["says"]
        assert (
            "of length at most 2 and height at most 0; with saturated gates, of any length" in about["says"]
        )
    elif "premise" in data:
        assert about["network"] == {"kind": "rnn_tanh", "digest": sha(data["network"])}
        states = len(data["automaton"]["label"])
        assert about["automaton"] == {"states": states, "digest": sha(data["automaton"])}
        assert about["premise"] == data["premise"] and data["premise"] in about["says"]
        for part in ("network", "automaton"):
            assert about[part]["digest"][:16] in about["says"]
    elif "nodes" in data:
        network = {field: value for field, value in data["network"].items() if field != "temperature"}
        assert about["network"]["digest"] == sha(network)
        assert about["automaton"]["digest"] == sha(data["automaton"])
        assert about["network"]["temperature"] == data["network"]["temperature"]
        assert "centroids, temperature 0.02, digest " in about["says"]
        assert about["network"]["digest"][:16] in about["says"]
        assert about["automaton"]["digest"][:16] in about["says"]
    else:
        network = {field: value for field, value in data["boxes"].items() if field != "m"}
        assert about["network"]["digest"] == sha(network) and about["automaton"]["digest"] == sha(data["dfa"])
        assert about["automaton"]["states"] == data["states"] and f"1 - {data['epsilon']}" in about["says"]
        assert f"1 / ({data['boxes']['m']} ln 2)" in about["says"]
        assert about["network"]["digest"][:16] in about["says"]


def test_a_difference_is_printed_with_string_and_scores_but_not_as_smallest():
    about = check_certificate.about(certificate("different-real"))
    assert (about["word"], about["scores"]) == (["a", "b"], ["7/6", "65/54"])
    assert 'on the string ["a", "b"] over' in about["says"]
    assert about["says"].endswith("the certificate does not show that this string is the smallest")
    assert "gives 7/6 and" in about["says"] and "gives 65/54" in about["says"]


def test_representative_words_are_reported_as_unchecked():
    message = "the field 'stand' (the words of each symbol) is not checked"
    assert message in check_bisimulation.about(certificate("equivalent-boolean-of-rules"))["says"]


def test_a_certificate_cannot_control_the_terminal(tmp_path, capsys):
    """Symbols contain escapes, bells, line feeds and bidirectional marks, in accepted and in rejected
    certificates.
    """
    text = FILES["equivalent-real"].read_text()
    for name, symbol in enumerate(
        ["\x1b[2J", "\x07", "\n", "\x7f", "\x9b", "\u202e", "\ud800", "é", "\U0001f600"]
    ):
        loud = json.loads(text.replace('"a"', json.dumps(symbol)))
        for changed in (
            loud,
            {**loud, "claims": symbol},
            {**loud, symbol: 0},
            {**loud, "A": {**loud["A"], "semiring": symbol}},
        ):
            (tmp_path / f"{name}.json").write_text(json.dumps(changed))
            run_program(tmp_path / f"{name}.json", capsys, check_certificate)


def test_long_alphabets_and_strings_are_shortened():
    data = certificate("different-real")
    extra = [f"symbol number {i}{'!' * 100}" for i in range(1000)]
    for side in "AB":
        data[side]["alphabet"] += extra
    assert judge(data).verdict == "accepted"
    says = check_certificate.about(data)["says"]
    assert len(says) < 1200 and "1002 in all" in says


def test_each_kind_is_among_the_small_ones():
    assert {checker_of(certificate(name)) for name in SMALL} == set(PROGRAMS.values())
