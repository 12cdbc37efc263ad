"""Tests of the command line: its output, its exit statuses, and one-line error messages with exit status 2
and no traceback for invalid input.
"""

import json
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automata.forward import score
from automata.io import files, json_format
from automata.semirings import REAL, SEMIRINGS
from automata.testing.strategies import automata, strings
from automata.wfsa import WFSA
from proofs_tests.ratproof.answers import refused
from ratproof import start
from ratproof.commands.automata import joined
from ratproof.evidence.kinds import OF_PAPERS
from ratproof.main import run
from theory.papers import PAPERS
from theory.registry import claims

NAPKIN = """{"semiring": "real", "states": 2, "alphabet": ["a", "b"],
 "initial": [[0, "1"]], "final": [[1, "1/2"]],
 "transitions": [[0, 0, "a", "1"], [0, 1, "b", "-3/7"]]}"""


@pytest.fixture
def napkin(tmp_path):
    path = tmp_path / "napkin.json"
    path.write_text(NAPKIN)
    return str(path)


def test_score_prints_one_exact_score_per_line(napkin, capsys):
    assert run(["score", napkin, "a b", "", "b", "a  a   b"]) == 0
    assert capsys.readouterr().out == "-3/14\n0\n-3/14\n-3/14\n"


def test_score_json_is_one_object(napkin, capsys):
    assert run(["score", napkin, "b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema_version": 2, "scores": ["-3/14"]}


@pytest.mark.parametrize("k", SEMIRINGS.values(), ids=lambda k: k.name)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.data())
def test_score_agrees_with_the_library(k, tmp_path, capsys, data):
    automaton, x = data.draw(automata(k, epsilon="cyclic")), data.draw(strings("ab", longest=5, run=0))
    files.write(automaton, tmp_path / "a.json")
    assert run(["score", str(tmp_path / "a.json"), " ".join(x)]) == 0
    printed, here = k.parse(capsys.readouterr().out.strip()), score(automaton, x)
    assert printed == (pytest.approx(here) if k.float_only else here)


def test_symbols_with_blanks_are_read_as_lists(tmp_path, capsys):
    files.write(WFSA(REAL, [1], [1], {"a b": [["1/2"]]}), tmp_path / "blank.json")
    assert run(["score", str(tmp_path / "blank.json"), "a b"]) == 2
    assert (
        "strings are split at spaces; use --lists for symbols that contain spaces" in capsys.readouterr().err
    )
    assert run(["score", str(tmp_path / "blank.json"), "--lists", '["a b"]']) == 0
    assert capsys.readouterr().out == "1/2\n"


def test_convert_writes_every_format_and_reads_it_back(napkin, tmp_path, capsys):
    att = str(tmp_path / "b.att")
    assert run(["convert", napkin, att]) == 2  # -3/7 has no finite decimal
    assert run(["convert", napkin, att, "--round"]) == 0
    back = str(tmp_path / "c.json")
    assert run(["convert", att, back, "--semiring", "real"]) == 0
    capsys.readouterr()
    assert run(["equivalent", back, att, "--semiring", "real"]) == 0  # the message is about the .att file
    assert run(["equivalent", att, back]) == 2
    assert f"{att}: the file has no semiring, so min-plus was assumed" in capsys.readouterr().err
    assert run(["score", back, "b"]) == 0
    # The nearest float64 of -3/7, and the final weight 1/2.
    assert REAL.parse(capsys.readouterr().out.strip()) == Fraction(-3 / 7) / 2
    for name in ("d.dot", "d.svg"):
        assert run(["convert", napkin, str(tmp_path / name)]) == 0
    assert (tmp_path / "d.svg").read_text().startswith("<svg")


def test_draw_writes_svg(napkin, tmp_path, capsys):
    assert run(["draw", napkin, "-o", str(tmp_path / "n.svg"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "schema_version": 2,
        "files": [str(tmp_path / "n.svg")],
        "states": 2,
    }


def test_sample_prints_strings_with_scores_reproducibly_for_a_seed(tmp_path, capsys):
    path = tmp_path / "coin.json"
    path.write_text(NAPKIN.replace("-3/7", "3/7").replace('"a", "1"', '"a", "1/2"'))
    assert run(["sample", str(path), "-n", "5", "--seed", "3", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run(["sample", str(path), "-n", "5", "--seed", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    machine = json_format.loads(path.read_text())
    assert [REAL.parse(s) for s in first["scores"]] == [score(machine, x) for x in first["strings"]]


def test_claims_lists_every_claim(capsys):
    assert run(["claims", "--json"]) == 0
    listed = {c["name"]: c for c in json.loads(capsys.readouterr().out)["claims"]}
    assert {v["name"] for v in listed["proposition-7"]["variants"]} >= {
        "printed",
        "corrected",
        "without-memoryless-gates",
    }
    assert run(["claims"]) == 0
    output = capsys.readouterr().out
    assert all(len(line) <= 80 and line == line.rstrip() for line in output.splitlines())
    assert [line for line in output.splitlines() if line in map(str, PAPERS.values())] == [
        *map(str, PAPERS.values())
    ]
    for claim in claims().values():
        heading = output.index(f"{claim.name}  {claim.title}")
        source = f"({claim.source.statement}{claim.source.in_section})\n"
        assert output[heading + len(f"{claim.name}  {claim.title}") :].lstrip().startswith(source)
        rows = [line.split()[:2] for line in output[output.index(source, heading) :].splitlines()]
        assert rows[1] == [claim.variants[0].name, claim.variants[0].expected]
        assert all([v.name, v.expected] in rows for v in claim.variants)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["score"], "Missing argument"),
        (["score", "{napkin}"], "Missing argument"),
        (["score", "nowhere.json", "a"], "nowhere.json: cannot be read: No such file"),
        (["score", "{napkin}", "a c"], "napkin.json: string 0, index 1: symbol 'c' is not in the alphabet"),
        (["score", "{napkin}", "a", "--semiring", "tropic"], ", got 'tropic'"),
        (["score", "{napkin}", "a", "--semiring", "log"], "contains its semiring and symbols"),
        (["equivalent", "{napkin}", "{napkin}", "--semiring", "real"], "contains its semiring and symbols"),
        (["score", "new\nline.json", "a"], "cannot be read"),
        (["examples", "a" * 300], "'aaa"),
        (["results", "a" * 300], "File name too long; use another file"),
        (["train", "parentheses", "-o", f"{'a' * 300}/b"], "File name too long; use another file"),
        (["convert", "{napkin}", "x.yaml"], "x.yaml: the extension of an automaton to write must be one of"),
        (["draw", "{napkin}", "-o", "x.gif"], "x.gif: the name of a drawing must end in .svg"),
        (["draw", "{napkin}"], "Missing option"),
        (["sample", "{napkin}"], "napkin.json: sampling: weights must not be negative, got -3/7"),
        (["sample", "{napkin}", "-n", "0"], "Invalid value for"),
        (["verify", "proposition-8"], "there is no claim 'proposition-8'"),
        (["verify", "proposition7"], "did you mean proposition-7?"),
        (["verify", "prop7"], "did you mean proposition-7?"),
        (["verify", "--kind", "believed"], "the kind of evidence must be one of"),
        (["verify", "fa-rnn-gru-start", "--kind", "proved"], "no selected claim has evidence of kind"),
        (["verify", "--device", "tpu"], "--device must be cpu or cuda, got 'tpu'"),
        (["verify", "--text", "nowhere.txt"], "nowhere.txt: cannot be read"),
        (["verify", "--embeddings", "x.txt"], "--embeddings requires --text FILE"),
        (["verify", "--units", "3"], "--units requires --text FILE"),
        (["verify", "--examples", "many"], "Invalid value for"),
        (["verify", "--examples", "0"], "Invalid value for '--examples'"),
        (["hunt", "--minutes", "-1"], "--minutes must be positive and less than 1,000,000, got -1"),
        (["hunt", "--minutes", "nan"], "--minutes must be positive and less than 1,000,000, got nan"),
        (["hunt", "--minutes", "1e7"], "--minutes must be positive and less than 1,000,000, got 1e+07"),
        (["hunt", "proposition-8"], "there is no claim"),
        (["hunt", "--variant", "misprinted"], "none of the claims has a variant 'misprinted'"),
        (["replay", "nowhere.json"], "nowhere.json: cannot be read"),
        (["replay", "{napkin}"], "napkin.json: 'format' must be"),
        (["claims", "prop7"], "did you mean proposition-7?"),
        (["nonsense"], "No such command 'nonsense' (see ratproof --help)"),
        (["scor"], "No such command 'scor'; did you mean score? (see ratproof --help)"),
        (["rules", "shw"], "No such command 'shw'"),
        (["score", "--nonsense"], "No such option"),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "",
)
def test_bad_input_gives_a_one_line_error(arguments, says, napkin, capsys):
    assert says in refused(capsys, *(a.replace("{napkin}", napkin) for a in arguments))


def ring(states):
    """Return the content of a file for an automaton with this many states in a ring."""
    return {
        "semiring": "real",
        "states": states,
        "alphabet": ["a", "b"],
        "initial": [[0, "1"]],
        "final": [[1, "1/2"]],
        "transitions": [[q, (q + 1) % states, "ab"[q % 2], "0.5"] for q in range(states)],
    }


def att(data, *more):
    """Return the automaton as AT&T text."""
    arcs = [f"{p}\t{q}\t{s}\t{s}\t{w}" for p, q, s, w in data["transitions"]]
    return "\n".join([*arcs, "1\t0.5", *more, ""])


A_NUMBER = 'a number such as "2", "-3/7", "0.25", "1e-3", "inf" or "-inf"'
BAD_JSON = {
    "cut within a line": (lambda d: json.dumps(d, indent=1)[:-20], "line {json}, column"),
    "cut within a weight": (lambda d: json.dumps(d)[: json.dumps(d).rindex('.5"')], "line 1, column"),
    "a state beyond": (
        lambda d: {**d, "transitions": [*d["transitions"], [0, d["states"], "a", "1"]]},
        "field transitions[{n}] must have a state of the automaton, got {n}; the states are 0 to {last}",
    ),
    "fewer states": (
        lambda d: {**d, "states": d["states"] - 1},
        "field transitions[{before}] must have a state of the automaton, got {last};",
    ),
    "a final state beyond": (
        lambda d: {**d, "final": [[10**30, "1"]]},
        "field final[0] must have a state of the",
    ),
    "a symbol": (
        lambda d: {**d, "transitions": [*d["transitions"], [0, 1, "c" * 10**6, "1"]]},
        "field transitions[{n}] must have a symbol of the alphabet, got 'cccc",
    ),
    "another semiring": (lambda d: {**d, "semiring": "boolean"}, "field initial[0]: weights of the"),
    "a weight of another semiring": (
        lambda d: {**d, "transitions": [*d["transitions"], [0, 1, "a", "-inf"]]},
        "field transitions[{n}]: weights of the real semiring must be finite numbers, got '-inf'",
    ),
    "NaN": (
        lambda d: {**d, "transitions": [*d["transitions"], [0, 1, "a", "nan"]]},
        f"field transitions[{{n}}]: a weight must be {A_NUMBER}, got 'nan'",
    ),
    "NaN without quotation marks": (
        lambda d: {**d, "transitions": [*d["transitions"], [0, 1, "a", float("nan")]]},
        f"field transitions[{{n}}]: a weight must be {A_NUMBER}, got 'NaN'",
    ),
}
BAD_ATT = {
    "cut within a line": (
        lambda d: att(d, "0\t1")[:-1],
        "line {more}: the last line must end with a line feed",
    ),
    "cut within a weight": (lambda d: att(d)[:-2], "line {final}: the last line must end with a line feed"),
    "a state that is none": (
        lambda d: att(d, "0\t-1\ta\ta\t1"),
        "line {more}: a state must be a number, got '-1'",
    ),
    "a state beyond": (lambda d: att(d, f"0\t{10**30}\ta\ta\t1"), "line {more}: a state must be a number,"),
    "a symbol": (lambda d: att(d, "0\t1\tc\tc\t1"), "line {more}: label 'c' is not in the symbol table"),
    "a weight of another semiring": (
        lambda d: att(d, "0\t1\ta\ta\t-Infinity"),
        "line {more}: weights of the min-plus semiring must be numbers above -infinity, or inf, got '-inf'",
    ),
    "NaN": (lambda d: att(d, "0\t1\ta\ta\tnan"), f"line {{more}}: a weight must be {A_NUMBER}, got 'nan'"),
    "final twice": (
        lambda d: att(d, "1\t1"),
        "line {more}: state 1 must have one final weight, got a second one after line {final}",
    ),
}
BAD = [
    (f"A.{kind}", *case) for kind, cases in (("json", BAD_JSON), ("att", BAD_ATT)) for case in cases.items()
]


@pytest.mark.parametrize("states", [4, 20_000])
@pytest.mark.parametrize(("name", "what", "case"), BAD, ids=lambda v: v if isinstance(v, str) else "")
def test_a_malformed_file_gives_a_one_line_error_and_no_output(name, what, case, states, tmp_path, capsys):
    """A malformed file gives a one-line error that identifies the line or field, and no output."""
    bad, says = case
    text = bad(ring(states))
    (tmp_path / name).write_text(text if isinstance(text, str) else json.dumps(text))
    (tmp_path / "A.syms").write_text("<eps>\t0\na\t1\nb\t2\n")
    numbers = {
        "n": states,
        "last": states - 1,
        "before": states - 2,
        "final": states + 1,
        "more": states + 2,
        "json": str(text).count("\n") + 1,
    }
    before = sorted(tmp_path.iterdir())
    error = refused(capsys, "convert", str(tmp_path / name), str(tmp_path / "out.json"))
    assert f"{name}: {says.format(**numbers)}" in error and len(error) - len(str(tmp_path)) < 200
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.txt", b"", "must have at least one sentence"),
        ("blank.txt", b" \n\n", "must have at least one sentence"),
        ("binary.txt", b"\x00\x01\x02", "must be UTF-8 text, got binary data"),
        ("latin.txt", b"caf\xe9", "must be UTF-8 text"),
    ],
)
def test_a_malformed_text_is_refused(name, content, says, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(content)
    assert says in refused(capsys, "verify --text", str(path))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("v.txt", b"a 1 2\nb 1\n", "line 2: the vector must have 2 components, as in the first line, got 1"),
        ("v.txt", b"a 1 x\n", "line 1: a line must have only numbers"),
        ("v.txt", b"a 1 nan\n", "line 1: all components must be finite"),
        ("v.txt", b"a inf inf\n", "line 1: all components must be finite"),
        ("v.txt", b"word\n", "line 1: a line must have a word and its vector"),
        ("v.txt", b"", "must have at least one line"),
        ("v.npz", b"no zip", "cannot be read as npz"),
    ],
)
def test_invalid_embeddings_are_refused(name, content, says, tmp_path, capsys):
    (tmp_path / "t.txt").write_text("a b\n")
    (tmp_path / name).write_bytes(content)
    assert says in refused(
        capsys, "verify --text", str(tmp_path / "t.txt"), "--embeddings", str(tmp_path / name)
    )


def test_merged_transitions_are_reported_and_scored(tmp_path, capsys):
    path = tmp_path / "twice.json"
    path.write_text(NAPKIN.replace('[0, 0, "a", "1"]', '[0, 0, "a", "1"], [0, 0, "a", "1"]'))
    assert run(["score", str(path), "a b"]) == 0
    out, err = capsys.readouterr()
    assert out == "-3/7\n" and "the transition 0 -> 0 on 'a' occurs 2 times" in err


def test_verify_finds_replays_and_reports_the_expected_results(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["verify", "proposition-7", "--kind", "exhausted", "--json", "--junit", "j.xml"]) == 0
    data = json.loads(capsys.readouterr().out)
    by_variant = {r["variant"]: r for r in data["results"]}
    assert {r["kind"] for r in data["results"]} == {"exhausted"}
    assert all(r["cases"] > 0 for r in data["results"])
    fields = "claim variant kind expected verdict counterexample certificate cases informative seconds"
    assert {*fields.split(), "device", "seed", "tests", "ran"} <= set(by_variant["corrected"])
    assert by_variant["corrected"]["verdict"] == "holds" and by_variant["corrected"]["counterexample"] is None
    counterexamples = {name: r["counterexample"] for name, r in by_variant.items() if name != "corrected"}
    # The counterexamples are minimal: the strings of the errata over one letter, and the weights 0 and 1.
    assert (
        counterexamples["printed"]["string"],
        counterexamples["printed"]["network"],
        counterexamples["printed"]["automaton"],
    ) == ([], "1", "0")
    assert counterexamples["printed-equation-3b"]["string"] == ["a"]
    assert counterexamples["without-memoryless-gates"]["string"] == ["a", "a"]
    certificate = by_variant["without-memoryless-gates"]["certificate"]
    assert len(certificate["prefixes"]) == 3 and certificate["determinant"] != "0"
    assert "testsuite" in (tmp_path / "j.xml").read_text()
    for result in data["results"]:
        if result["kept"]:
            assert run(["replay", result["kept"]]) == 1
            assert result["counterexample"]["network"] in capsys.readouterr().out


def test_verify_on_a_small_text_counts_its_prefixes(in_tmp_path, tmp_path, capsys):
    (tmp_path / "t.txt").write_text("the cat sat\nthe dog\n\nsat\n")
    (tmp_path / "v.txt").write_text("the 0.5 1\ncat -1 2\nsat 0 0.25\n")
    arguments = ("verify", "proposition-7", "--kind", "sampled", "--examples", "5", "--units", "3", "--json")
    assert run([*arguments, "--text", "t.txt", "--embeddings", "v.txt"]) == 0
    (on_text,) = [r for r in json.loads(capsys.readouterr().out)["results"] if "text" in r["facts"]]
    facts = on_text["facts"]
    expected = (3, 9, 3, 1)
    assert (facts["sentences"], facts["prefixes"], facts["units"], facts["words_without_vector"]) == expected
    assert on_text["verdict"] == "holds" and 0 <= on_text["share"] <= 1


def test_a_named_claim_is_listed_alone(capsys):
    assert run(["claims", "model-c"]) == 0
    alone = capsys.readouterr().out
    assert "Rational Recurrences" in alone and "\nmodel-c " in alone and "proposition-7" not in alone


def test_the_kinds_of_verify_are_those_of_the_builtin_claims():
    promised = {kind for claim in claims().values() for variant in claim.variants for kind in variant.kinds}
    assert set(OF_PAPERS) == promised


def test_an_early_interruption_exits_with_130_and_no_traceback(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("ratproof.main.main", interrupted)
    with pytest.raises(SystemExit) as left:
        start.main()
    assert left.value.code == 130 and capsys.readouterr() == ("", "")


@pytest.mark.parametrize("arguments", [[], ["train"], ["rules"]])
def test_without_a_command_the_help_is_shown(arguments, capsys):
    assert run(arguments) == 2
    output = capsys.readouterr().err
    assert output.startswith("Usage: ratproof") and ("\nCommands:\n" in output or "\nClaims:\n" in output)


@pytest.mark.parametrize(
    ("string", "line"),
    [
        (('a"',), 'a"'),
        (("b'", "c"), "b' c"),
        (('"a',), "'\"a'"),
        (("'",), '"\'"'),
        (("a b",), "'[\"a b\"]'"),
        ((), ""),
    ],
)
def test_a_sampled_string_is_quoted_if_it_is_ambiguous(string, line):
    assert joined(string) == line
