"""Tests of the commands that construct, list and count automata, and of ``equivalent --within``."""

import pytest

from automata.forward import score
from automata.hankel import shortlex
from automata.io import files, json_format
from automata.regular_expressions import from_regex
from automata.semirings import BOOLEAN, LOG, MAX_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.ratproof.answers import refused, run_json
from ratproof.main import run


@pytest.fixture
def folder(in_tmp_path, tmp_path):
    files.write(from_regex("a[ab]*", "ab"), "first.json")
    files.write(from_regex("[ab]*b", "ab"), "last.json")
    files.write(
        WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]}), "real.json"
    )
    files.write(WFSA(MAX_PLUS, [0], [0], {"a": [[1]]}), "max.json")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "accepts"),
    [
        ("intersect first.json last.json", lambda x: x[:1] == "a" and x[-1:] == "b"),
        ("union first.json last.json", lambda x: x[:1] == "a" or x[-1:] == "b"),
        ("difference first.json last.json", lambda x: x[:1] == "a" and x[-1:] != "b"),
        ("complement first.json", lambda x: x[:1] != "a"),
        ("reverse first.json", lambda x: x[-1:] == "a"),
        ("determinise last.json", lambda x: x[-1:] == "b"),
        ("trim last.json", lambda x: x[-1:] == "b"),
        ("regex [ab]*b --alphabet ab", lambda x: x[-1:] == "b"),
    ],
)
def test_each_command_prints_json_or_an_object_or_writes_a_file(command, accepts, folder, capsys):
    assert run(command.split()) == 0
    printed = json_format.loads(capsys.readouterr().out)
    status, data = run_json(capsys, command)
    assert status == 0 and data["states"] == printed.num_states and data["files"] == []
    assert json_format.from_json(data["automaton"]) == printed
    assert run_json(capsys, f"{command} -o made.json")[1]["files"] == ["made.json"]
    assert files.read("made.json") == printed and printed.semiring is BOOLEAN
    for x in shortlex("ab", 4):
        assert score(printed, x) == accepts(x)


def test_lists_counts_and_the_smallest_string(folder, capsys):
    assert run(["enumerate", "last.json", "--n", "3"]) == 0
    assert capsys.readouterr().out == "b\na b\nb b\n"
    assert run(["enumerate", "real.json", "--n", "2"]) == 0
    assert capsys.readouterr().out == "a\t1\na a\t3/2\n"
    assert run(["count", "last.json", "--length", "5"]) == 0
    assert capsys.readouterr().out == "16\n"
    expected = (0, {"schema_version": 2, "length": 1, "total": "1"})
    assert run_json(capsys, "count real.json --length 1") == expected
    assert run(["shortest", "real.json"]) == 0
    assert capsys.readouterr().out == "a\t1\n"
    assert run(["regex", "a*", "-o", "star.json"]) == run(["shortest", "star.json"]) == 0
    assert capsys.readouterr().out.endswith('\n""\n')
    assert run(["difference", "last.json", "last.json", "-o", "none.json"]) == 0
    assert run(["shortest", "none.json"]) == 1
    assert capsys.readouterr().out.endswith("none.json accepts no string\n")
    assert run_json(capsys, "enumerate none.json")[1]["strings"] == []
    assert run_json(capsys, "shortest none.json")[1]["word"] is None
    assert run(["regex", "first.json"]) == 0
    assert capsys.readouterr().out == "a[ab]*\n"
    assert run_json(capsys, "regex first.json -o first.txt")[1]["regex"] == "a[ab]*"
    assert (folder / "first.txt").read_text() == "a[ab]*\n"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("complement real.json", "real.json: complement expects boolean automata, got one over the real"),
        ("difference real.json real.json", "difference expects boolean automata, got one over the real"),
        (
            "determinise max.json",
            "max.json: determinise: the automaton must be boolean, got one over the max-plus semiring",
        ),
        (
            "intersect real.json max.json",
            "both automata must be over the same semiring, got real and max-plus",
        ),
        (
            "regex real.json",
            "real.json: determinise: the automaton must be boolean, got one over the real semiring",
        ),
        ("regex first.json --alphabet a", "--alphabet requires a regex, got the automaton in first.json"),
        ("regex a(", "regex 'a(': missing ), unterminated subpattern"),
        ("trim real.json -o real.json", "would overwrite real.json, which this command reads"),
        ("trim real.json -o a.png", "the extension of an automaton to write must be one of"),
        ("count real.json --length -1", "--length"),
        ("equivalent max.json max.json --within 1", "--within requires the real semiring"),
        ("equivalent real.json real.json --within -1", "--within must be finite and non-negative"),
        ("equivalent real.json real.json --within 1 --certificate c.json", "cannot be used"),
        ("score real.json a --format xml", "--format must be json, att, txt, fst, dot or gv"),
    ],
)
def test_bad_input_gives_a_one_line_error(command, says, folder, capsys):
    assert says in refused(capsys, command)


def test_equivalent_within_a_tolerance(folder, capsys):
    changed = (folder / "real.json").read_text().replace('"1/2"', "0.5000001")
    (folder / "near.json").write_text(changed)
    assert run(["equivalent", "real.json", "near.json", "--within", "1e-9"]) == 1
    assert "no earlier string in shortlex order differs by more than 1/1000000000" in capsys.readouterr().out
    status, data = run_json(capsys, "equivalent real.json near.json --within 1e-4")
    assert (status, data["verdict"], data["word"], data["within"]) == (0, "equivalent", None, "1/10000")
    for name, weight in (("stays.json", "1"), ("grows.json", "1.00001")):
        files.write(WFSA(REAL, [1], [1], {"a": [[weight]], "b": [[1]]}), name)
    assert run_json(capsys, "equivalent stays.json grows.json --within 1e-2")[0] == 3
    assert run(["equivalent", "real.json", "real.json", "--within", "0"]) == 0


def test_a_format_overrides_the_suffix_of_every_file(folder, capsys):
    for name in ("first.json", "real.json"):
        (folder / name).rename(folder / name.replace(".json", ".data"))
    for command in (
        ["score", "real.data", "a"],
        ["sample", "real.data", "-n", "1", "--longest", "2"],
        ["rank", "real.data"],
        ["minimise", "real.data"],
        ["convert", "real.data", "out.json"],
        ["draw", "real.data", "-o", "out.dot"],
        ["equivalent", "real.data", "real.data"],
        ["intersect", "real.data", "real.data"],
        ["complement", "first.data"],
        ["shortest", "real.data"],
        ["regex", "first.data"],
    ):
        assert run([*command, "--format", "json"]) == 0, command
        assert run(command) == 2
    capsys.readouterr()


def test_weights_that_overflow_are_neither_printed_nor_written(folder, capsys):
    files.write(WFSA(LOG, [1e308], [0.0], {"a": [[1e308]]}), "log.json")
    commands = ["score log.json a", "enumerate log.json -n 2", "count log.json --length 1"]
    for command in commands:
        assert "overflows float64" in refused(capsys, *command.split())
    for output in ([], ["--json"], ["-o", "product.json"], ["-o", "product.att"]):
        says = refused(capsys, "intersect log.json log.json", *output)
        assert "weights must be in the range of float64 to be written, got inf" in says
    assert not list(folder.glob("product.*"))


@pytest.mark.parametrize("output", [[], ["--json"], ["-o", "square.json"]])
def test_weights_with_more_digits_than_a_file_may_have_are_not_written(output, folder, capsys):
    files.write(WFSA(REAL, [10**4000], [1], {"a": [[1]]}), "long.json")
    assert "must have at most 4300 digits" in refused(capsys, "intersect long.json long.json", *output)


@pytest.mark.parametrize("k", [MAX_PLUS, LOG], ids=str)
def test_samples_do_not_depend_on_a_factor_of_all_paths(k, folder, capsys):
    drawn = []
    for name, weight in (("one.json", 0.0), ("large.json", 1e308)):
        files.write(WFSA(k, [weight], [weight], {"a": [[1.0]], "b": [[0.0]]}), name)
        assert run(["sample", name, "--seed", "1", "--lists"]) == (0 if k is MAX_PLUS or not weight else 2)
        drawn.append([line.split("\t")[0] for line in capsys.readouterr().out.splitlines()])
    assert drawn[0] == drawn[1] or k is LOG
    files.write(WFSA(k, [0.0], [0.0], {"a": [[1e308]]}), "beyond.json")
    assert "the logarithm of each path's weight must be in the range" in refused(capsys, "sample beyond.json")
