"""Tests of a user's own claims.

They have the same kinds of evidence and the same report, and a mistake in the file gives a one-line error
message.
"""

import json
import os
import sys
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from automata.errors import InputError
from automata.semirings import MAX_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.ratproof.test_pytest_plugin import CLAIMS
from ratproof import believe
from ratproof.checkers import check_certificate
from ratproof.evidence.kinds import Verdict
from ratproof.ladder.user_files import check, load
from ratproof.main import run
from theory import registry

HALVES = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})
EXAMPLE = Path(__file__).parents[2] / "ratproof" / "examples" / "my_claim.py"


pytestmark = pytest.mark.usefixtures("in_tmp_path", "no_own_claims", "few_trial_runs")


def written(text):
    Path("mine.py").write_text(text)
    return "mine.py"


def checked(text, **options):
    """Check the claims in this text, with few random cases."""
    return check(written(text), **{"examples": 20, **options})


def verdicts(outcome):
    return {(r.claim, r.kind): r.verdict for r in outcome.results}


def test_a_true_claim_holds_and_one_off_by_one_is_refuted_by_all_evidence(capsys):
    assert run(["check", str(EXAMPLE), "--examples", "5", "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    for result in results:
        right = result["claim"] == "bigrams"
        assert result["verdict"] == ("holds" if right else "refuted")
        if not right:
            expected = (["a", "b"], "1")
            assert (result["counterexample"]["string"], result["counterexample"]["network"]) == expected
            assert run(["replay", result["kept"], "--claims", str(EXAMPLE)]) == 1
        if result["kind"] == "decided":
            assert check_certificate.verdict(result["certificate"]) == (
                "equivalent" if right else "different"
            )


def test_the_report_shows_the_counterexample_and_how_to_replay_it(capsys):
    assert run(["check", str(EXAMPLE), "bigrams-late", "--kind", "exhausted"]) == 1
    out = capsys.readouterr().out
    assert 'on "a b" the network gives 1, the automaton 0' in out
    assert f"--claims {EXAMPLE}" in out.replace("\n", "")
    assert run(["check", str(EXAMPLE), "bigrams", "--kind", "exhausted"]) == 0


def test_a_true_claim_about_all_weights_gets_all_kinds_of_evidence():
    text = """
from theory.claim import PROVED, Claim, Source, Variant
from theory.reading import Equality
from theory.rational_recurrences.proposition_7 import ANYWHERE, example_6, figure_1_from_c_0, two_states
reading = Equality(example_6, figure_1_from_c_0)
parts = (reading, ANYWHERE.random, ANYWHERE.small, PROVED)
best = Variant("corrected", "holds", "mine", *parts, proof=two_states(ANYWHERE))
CLAIM = Claim("mine", "Mine", "It is mine.", Source("me", "1", "Mine"), (), (best,), next(ANYWHERE.small(1)))
"""
    outcome = checked(text, examples=5)
    assert outcome.as_expected and len(outcome.results) == 5
    assert {r.kind for r in outcome.results} == {"sampled", "cross-checked", "exhausted", "decided", "proved"}


def test_words_are_symbols_too():
    table = {"stop": [[1, 1], [0, 1]], "go": [[1, 0], [0, 1]]}
    automaton = WFSA(REAL, [1, 0], [0, 1], table)
    claim = believe("stops", start=0, step=lambda c, x: c + (x == "stop"), automaton=automaton)
    assert claim.variants[0].alphabet == ("stop", "go")
    text = """
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import believe
table = {"stop": [[1, 1], [0, 1]], "go": [[1, 0], [0, 1]]}
automaton = WFSA(REAL, [1, 0], [0, 1], table)
claims = [believe("stops", start=0, step=lambda c, x: c + (x != "go") * 2, automaton=automaton)]
"""
    outcome = checked(text)
    assert {r.verdict for r in outcome.results} == {Verdict.REFUTED}
    assert all(r.counterexample.string == ["stop"] for r in outcome.results)


def test_several_components_are_several_automata():
    both = believe("two", start=(0, 1), step=lambda c, x: (c[1], c[0]), automaton=[swap(0), swap(1)])
    assert len(both.example.automata) == 2
    with pytest.raises(InputError, match="one automaton for each of the network's 2 outputs, got 1"):
        believe("two", start=(0, 1), step=lambda c, x: (c[1], c[0]), automaton=swap(0))


def swap(unit):
    return WFSA(REAL, [0, 1], [1 - unit, unit], {"a": [[0, 1], [1, 0]]})


def test_a_max_plus_automaton_gets_all_evidence_except_the_decision():
    tropical = WFSA(MAX_PLUS, [0, "-inf"], ["-inf", 0], {"a": [[0, 1], ["-inf", -1]]})
    claim = believe("tropical", start=MAX_PLUS.zero, step=lambda c, x: max(c - 1, 1), automaton=tropical)
    assert claim.variants[0].kinds == ("sampled", "cross-checked", "exhausted")
    Path("mine.py").write_text(
        "from automata.semirings import MAX_PLUS\nfrom automata.wfsa import WFSA\nfrom ratproof import"
        " believe\nt = WFSA(MAX_PLUS, [0, '-inf'], ['-inf', 0], {'a': [[0, 1], ['-inf', -1]]})\nc ="
        " believe('tropical', start=MAX_PLUS.zero, step=lambda c, x: max(c - 1, 1), automaton=t)\n"
    )
    assert check("mine.py", examples=20).as_expected


def test_a_step_that_is_not_an_automaton_is_refuted_and_not_decided():
    text = """
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import believe
claim = believe("squares", start=2, step=lambda c, x: c * c, automaton=WFSA(REAL, [2], [1], {"a": [[2]]}))
"""
    by_claim_and_kind = verdicts(checked(text))
    assert by_claim_and_kind["squares", "exhausted"] == Verdict.REFUTED  # the values are 2, 4, 16 and 2, 4, 8
    assert by_claim_and_kind["squares", "decided"] == Verdict.UNKNOWN


def test_a_step_that_rounds_is_refused():
    text = """
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import believe
claim = believe("floats", start=0, step=lambda c, x: 0.1 * c, automaton=WFSA(REAL, [0], [1], {"a": [[1]]}))
"""
    with pytest.raises(
        InputError, match=r"line 5: floats: .* float arithmetic, .* pass its weights as fractions"
    ):
        checked(text)
    later = text.replace("lambda c, x: 0.1 * c", "lambda c, x: c + 1 if c < 2 else 0.1 * c")
    outcome = checked(later.replace("REAL, [0]", "REAL, [1]"))
    assert {r.verdict for r in outcome.results} <= {Verdict.UNKNOWN, Verdict.REFUTED}
    assert any("pass its weights as fractions" in r.why for r in outcome.results)


HEAD = """
import sys
import numpy as np
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import believe
"""


def test_possible_overflow_of_openfst_on_every_string_compares_nothing():
    text = (
        'c = believe("huge", start=7, step=lambda c, x: c + 1, automaton=WFSA(REAL, [10**400], [1], {"a":'
        " [[1]]}))"
    )
    (result,) = checked(HEAD + text, kinds=["cross-checked"]).results
    assert (result.verdict, result.cases) == (Verdict.UNKNOWN, 0)


def test_a_network_that_outputs_zero_after_a_while_is_not_evidence():
    text = """
automaton = WFSA(REAL, [1], [1], {"a": [[1]]})
shy = lambda c: (1,) if c == 1 else ()
c = believe("shy", start=1, step=lambda c, x: c + 1, out=shy, automaton=automaton)
"""
    assert {r.verdict for r in checked(HEAD + text).results} == {Verdict.UNKNOWN}


def test_words_stay_words_in_long_runs():
    text = """
automaton = WFSA(REAL, [1], [1], {"the": [[1]], "cat": [[2]]})
c = believe("cats", start=1, step=lambda c, x: c * (2 if x == "cat" else 1), automaton=automaton)
"""
    assert checked(HEAD + text).as_expected


@pytest.mark.parametrize(
    "text",
    ["sys.exit(0)", "raise GeneratorExit", "import pytest\npytest.skip('no', allow_module_level=True)"],
)
def test_a_file_that_exits_is_not_a_success(text, capsys):
    assert run(["check", written(HEAD + text)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "mine.py: line" in err and err.count("\n") == 1


def test_a_step_that_leaves_is_unknown():
    text = (
        'c = believe("gone", start=1, step=lambda c, x: sys.exit(0), automaton=WFSA(REAL, [1], [1], {"a":'
        " [[1]]}))"
    )
    outcome = checked(HEAD + text)
    assert {r.verdict for r in outcome.results} == {Verdict.UNKNOWN} and not outcome.as_expected


@pytest.mark.parametrize("wrong", [{"step": 3}, {"step": None}, {"out": 3}])
def test_a_step_and_its_output_must_be_functions(wrong):
    (name,) = wrong
    with pytest.raises(InputError, match=f"c: {name} must be a function, got {wrong[name]}"):
        believe(
            "c",
            **{"start": 1, "step": lambda c, x: c, "automaton": WFSA(REAL, [1], [1], {"a": [[1]]}), **wrong},
        )


def test_output_of_the_file_is_not_part_of_the_json(capfd):
    """C libraries and child processes write to the file descriptor, as ``sys.__stdout__`` does."""
    text = """
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None)
print("hello")
def step(c, x):
    print("step")
    os.write(1, b"written")
    libc.puts(b"put")
    sys.__stdout__.write("dunder")
    return 2 * c
subprocess.run(["echo", "echoed"])
c = believe("chatty", start=1, step=step, automaton=WFSA(REAL, [1], [1], {"a": [[2]]}))
"""
    assert run(["check", written(HEAD + text), "--kind", "exhausted", "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["as_expected"] and out.count("\n") == 1
    assert all(word in err for word in ("hello", "step", "written", "put", "dunder", "echoed"))


@pytest.mark.parametrize("name", ["../../evil", "/tmp/abs", "", "Upper", "a b", "a\nb", "x" * 90])
def test_a_name_that_is_a_path_is_refused(name, capsys):
    text = (
        f'c = believe({name!r}, start=1, step=lambda c, x: c, automaton=WFSA(REAL, [2], [1], {{"a": [[1]]}}))'
    )
    assert run(["check", written(HEAD + text)]) == 2
    assert "a name must consist of lowercase letters" in capsys.readouterr().err
    assert {p.name for p in Path().iterdir()} - {"__pycache__"} == {"mine.py"}


def test_integers_that_overflow_are_refused():
    text = (
        'c = believe("wrap", start=1, step=lambda c, x: np.int8(100), automaton=WFSA(REAL, [1], [1], {"a":'
        " [[1]]}))"
    )
    with pytest.raises(InputError, match="wraps around"):
        checked(HEAD + text)


def test_floats_in_the_initial_state_are_exact_fractions():
    claim = believe(
        "start", start=0.1, step=lambda c, x: c, automaton=WFSA(REAL, [Fraction(0.1)], [1], {"a": [[1]]})
    )
    network = claim.variants[0].reading.recurrence
    assert network.out(None, network.start(None)) == (Fraction(0.1),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\ny = 1 / 0\n", "mine.py: line 2: ZeroDivisionError: division by zero"),
        ("def f(:\n", "mine.py: line 1: SyntaxError: invalid syntax\n"),
        ("import nowhere_at_all\n", "mine.py: line 1: ModuleNotFoundError"),
        ("x = 1\n", "mine.py: the file must assign a claim, such as step_claim(...)"),
        (
            "from ratproof import believe\nbelieve('x', start=0, step=None, automaton=[])\n",
            "mine.py: line 2: x: automaton must not be an empty sequence",
        ),
        (
            "from theory.registry import claims\nC = claims()['proposition-7']\n",
            "proposition-7 is a built-in claim; run it with ratproof verify",
        ),
    ],
)
def test_a_wrong_file_gives_a_one_line_error(text, says, capsys):
    written(text)
    assert run(["check", "mine.py"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and says in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "nowhere.py"], "nowhere.py: the file with claims does not exist"),
        (["check", str(EXAMPLE.parent)], "the file with claims must be a Python file, got a folder"),
        (
            ["check", str(EXAMPLE), "trigrams"],
            "the claim must be one of bigrams, bigrams-late, got 'trigrams'",
        ),
        (["check", str(EXAMPLE), "--kind", "believed"], "the kind of evidence must be one of"),
        (["check", str(EXAMPLE), "--kind", "proved"], "no selected claim has evidence of kind 'proved'"),
    ],
)
def test_bad_arguments_give_a_one_line_error(arguments, says, capsys):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and says in err


@pytest.mark.parametrize(
    ("automata", "says"),
    [
        ([HALVES, WFSA(REAL, [1], [1], {"a": [[1]]})], "must have the same alphabet and semiring"),
        ([WFSA(REAL, [1], [1], {3: [[1]]})], "all symbols must be strings"),
        ([WFSA(REAL, [1], [1], {})], "must have at least one symbol"),
        (None, "automaton must be a WFSA or a list of WFSAs, got None"),
        ([HALVES, 3], "automaton must be a WFSA or a list of WFSAs, got 3"),
        ("A.json", r"got 'A.json'; pass ratproof\.read\('A.json'\)"),
    ],
)
def test_incomparable_automata_are_refused(automata, says):
    with pytest.raises(InputError, match=says):
        believe("mine", start=0, step=lambda c, x: c, automaton=automata)


ONES = """
from dataclasses import replace
from automata.semirings import MAX_PLUS, REAL
from automata.wfsa import WFSA
from ratproof import believe
one = WFSA(REAL, [1], [1], {"a": [[1]]})
"""


def test_two_variants_of_one_name_are_refused():
    text = """
right = believe("right", start=1, step=lambda c, x: c, automaton=one)
wrong = believe("wrong", start=1, step=lambda c, x: c + 1, automaton=one)
both = replace(right, name="both", variants=(*right.variants, *wrong.variants))
"""
    with pytest.raises(InputError, match="the variants of both must have distinct names, got stated twice"):
        checked(ONES + text)


def test_an_edit_within_a_second_is_seen(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for name in ("right", "wrong"):
        os.utime(written(CLAIMS + f"claim = halving('{name}', 2)"), (1e9, 1e9))
        assert set(load("mine.py")) == {name}


def test_a_claim_can_import_its_neighbours(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "neighbour_of_a_claim.py").write_text("START = 1\n")
    claims = tmp_path / "lib" / "claims.py"
    claim = 'x = believe("one", start=START, step=lambda c, x: c, automaton=one)'
    claims.write_text(f"{ONES}from neighbour_of_a_claim import START\n{claim}")
    assert check(str(claims), kinds=["exhausted"]).results


def test_files_in_two_folders_import_their_own_neighbours(tmp_path, monkeypatch):
    """Both files import a module named net; the network of the second file is wrong."""
    monkeypatch.setattr("sys.path", list(sys.path))
    doubles = "doubles = WFSA(REAL, [1], [1], {'a': [[2]], 'b': [[1]]})\n"
    for name, factor in (("right", 2), ("wrong", 3)):
        (tmp_path / name).mkdir()
        step = f"def step(c, x):\n    return {factor} * c if x == 'a' else c\n"
        (tmp_path / name / "net.py").write_text(step)
        claim = f'x = believe("{name}", start=1, step=step, automaton=doubles)'
        (tmp_path / name / "claims.py").write_text(f"{ONES}{doubles}from net import step\n{claim}")
    for name, verdict in (("right", "holds"), ("wrong", "refuted"), ("right", "holds")):
        (result,) = check(str(tmp_path / name / "claims.py"), kinds=["exhausted"]).results
        assert (result.claim, str(result.verdict)) == (name, verdict)


def test_claims_in_dicts_and_nested_lists_are_checked():
    claim = 'believe("{}", start=1, step=lambda c, x: c, automaton=one)'
    texts = [claim.format(name) for name in ("one", "two", "three")]
    text = f"a = {texts[0]}\nb = {{'key': {texts[1]}}}\nc = [[{texts[2]}]]"
    outcome = checked(ONES + text, kinds=["exhausted"])
    assert {r.claim for r in outcome.results} == {"one", "two", "three"}


def test_a_state_may_be_a_numpy_array():
    """The step adds arrays; tuples would be concatenated."""
    doubles = WFSA(REAL, [1], [1], {"a": [[2]], "b": [[1]]})
    claim = believe(
        "array",
        start=np.array([1, 0]),
        step=lambda c, x: c + c if x == "a" else c,
        out=lambda c: c[0],
        automaton=doubles,
    )
    assert {str(result.verdict) for result in claim.check(examples=5).results} == {"holds"}


def test_a_state_may_be_a_named_tuple():
    text = """
from collections import namedtuple
Pair = namedtuple("Pair", "now before")
twos = WFSA(REAL, [1], [1], {"a": [[2]]})
step = lambda c, x: Pair(c.now + c.before, c.now + c.before)
claim = believe("named", start=Pair(1, 1), step=step, out=lambda c: c.before, automaton=twos)
"""
    outcome = checked(ONES + text, kinds=["exhausted", "decided"])
    assert verdicts(outcome) == {("named", kind): Verdict.HOLDS for kind in ("exhausted", "decided")}


def test_a_promised_kind_without_an_implementation_is_listed_as_not_run(capsys):
    """Gradients are compared for torch layers only."""
    text = """
two = WFSA(REAL, [1], [1], {"a": [[2]]})
of = lambda claim, kinds: replace(claim, variants=(replace(claim.variants[0], kinds=kinds),))
mine = of(believe("mine", start=1, step=lambda c, x: 2 * c, automaton=two), ("exhausted", "gradient"))
"""
    assert run(["check", written(ONES + text), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["not_run"]
    assert row["kind"] == "gradient" and "no implementation" in row["why"]


def test_a_repeated_decision_of_a_failing_case_does_not_count():
    text = 'x = believe("x", start=(1, 1), step=lambda c, x: (2 * c[0], c[1]), automaton=[one, one])'
    (result,) = checked(ONES + text, kinds=["decided"]).results
    assert (result.verdict, result.cases) == (Verdict.REFUTED, 1)


def test_a_value_outside_the_semiring_is_shown_as_it_is():
    text = (
        "from automata.semirings import BOOLEAN\nfrom automata.wfsa import WFSA\n"
        "from ratproof import believe\n"
        "yes = WFSA(BOOLEAN, [True], [True], {'a': [[True]]})\n"
        "x = believe('two', start=2, step=lambda c, x: c, automaton=yes)"
    )
    shown = [r.counterexample for r in checked(text, kinds=["exhausted"]).results]
    assert [(c.network, c.automaton) for c in shown] == [("2", "true")]


def test_names_cannot_form_the_file_name_of_another_claim():
    text = 'x = believe("x--stated", start=1, step=lambda c, x: c, automaton=one)'
    with pytest.raises(InputError, match="single hyphens"):
        checked(ONES + text)


def test_a_named_claim_without_that_kind_is_refused(capsys):
    text = """
plain = believe("plain", start=1, step=lambda c, x: c, automaton=one)
plus = believe("plus", start=0, step=lambda c, x: c, automaton=WFSA(MAX_PLUS, [0], [0], {"a": [[0]]}))
"""
    assert run(["check", written(ONES + text), "plain", "plus", "--kind", "decided"]) == 2
    assert "plus has no evidence of kind 'decided'" in capsys.readouterr().err


def test_the_replay_command_can_be_pasted(capsys):
    Path("my claims.py").write_text(
        ONES + 'late = believe("late", start=1, step=lambda c, x: c + 1, automaton=one)'
    )
    assert run(["check", "my claims.py", "--kind", "exhausted"]) == 1
    assert "--claims 'my claims.py'" in capsys.readouterr().out.replace("\n", " ")


def test_a_junit_file_has_a_test_per_result_and_the_same_failures():
    assert run(["check", str(EXAMPLE), "--kind", "exhausted", "--junit", "results.xml"]) == 1
    suite = ElementTree.parse("results.xml").getroot()
    tests = {case.get("classname"): case for case in suite.iter("testcase")}
    assert suite.get("tests") == "2" and suite.get("failures") == "1"
    assert tests["bigrams"].find("failure") is None
    failure = tests["bigrams-late"].find("failure")
    assert failure is not None and "expected holds, the verdict is refuted" in failure.get("message", "")


def test_a_junit_file_in_a_missing_folder_is_refused_before_anything_runs(capsys):
    assert run(["check", str(EXAMPLE), "--junit", "nowhere/results.xml"]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert not Path("nowhere").exists()


def test_a_junit_file_never_overwrites_the_claims(capsys):
    path = written(EXAMPLE.read_text())
    assert run(["check", path, "--junit", path]) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert Path(path).read_text() == EXAMPLE.read_text()


def test_a_users_claim_may_have_the_name_of_a_builtin_claim(monkeypatch, capsys):
    text = EXAMPLE.read_text().replace('"bigrams-late"', '"retnet"')
    assert run(["check", written(text), "retnet", "--kind", "exhausted"]) == 1
    out, _ = capsys.readouterr()
    kept = ".ratproof/counterexamples/retnet--stated--exhausted.json"
    assert f"ratproof replay {kept} \\\n      --claims mine.py" in out or "--claims mine.py" in out
    monkeypatch.setattr(registry, "_registered", {})
    assert run(["replay", kept]) == 2
    assert "your own claim retnet; pass --claims FILE.py" in capsys.readouterr().err
    assert run(["replay", kept, "--claims", "mine.py"]) == 1


def test_a_builtin_counterexample_is_not_affected_by_a_users_claim_of_that_name(monkeypatch, capsys):
    assert run(["verify", "fa-rnn-eq-4", "--kind", "decided"]) == 0
    kept = ".ratproof/counterexamples/fa-rnn-eq-4--without-row-vectors--decided.json"
    text = EXAMPLE.read_text().replace('"bigrams-late"', '"fa-rnn-eq-4"')
    capsys.readouterr()
    assert run(["replay", kept]) == 1
    shown = capsys.readouterr().out
    assert run(["replay", kept, "--claims", written(text)]) == 1
    assert capsys.readouterr().out == shown
