"""Tests of the pytest plugin, in projects that a test writes."""

import io
import runpy
from contextlib import redirect_stdout

import pytest

from ratproof.main import run
from theory import registry

PLUGIN = ("-p", "no:ratproof", "-p", "ratproof.pytest_plugin", "-p", "no:cacheprovider")
"""The option that loads the plugin by its module, in addition to any entry point."""
CLAIMS = """
from ratproof import REAL, WFSA, step_claim

halves = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})

def halving(name, by):
    return step_claim(name, start=0, step=lambda c, x: c / by + (x == "a"), automaton=halves)
"""
KERNEL = """
import torch
from ratproof import kernel_claim

def late(f, u, initial_state):
    states = []
    for t in range(u.shape[1]):
        initial_state = f[:, t] * initial_state + (u[:, t] if t < 20 else 0)
        states.append(initial_state)
    return (torch.stack(states, 1) if states else torch.empty_like(u)), initial_state

claim = kernel_claim("late", family="elementwise", kernel=late)
"""
KINDS = ("sampled", "cross-checked", "exhausted", "decided")


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory):
    """Import our modules before a run of pytester, which would otherwise import them again after each run."""
    folder = tmp_path_factory.mktemp("loaded")
    steps = CLAIMS + "claim = halving('right', 2)"
    for name, text, kinds in (("steps", steps, ()), ("kernel", KERNEL, ("--kind", "exact"))):
        (folder / f"{name}.py").write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setattr(registry, "_registered", {})
            run(["check", f"{name}.py", *kinds, "--examples", "1"])


@pytest.fixture
def project(pytester, monkeypatch, few_trial_runs):
    """Write a project's files, and run pytest there as its user does."""
    monkeypatch.delenv("RATPROOF_DEVICE", raising=False)
    monkeypatch.delenv("RATPROOF_CACHE_DIR", raising=False)

    def pytest_there(*options, settings="", **files):
        if settings:
            pytester.makepyprojecttoml(settings)
        for name, text in files.items():
            pytester.makepyfile(**{name: text})
        return pytester.runpytest_inprocess(*PLUGIN, *options)

    return pytest_there


def test_each_claim_has_one_test_per_kind_and_is_collected_once(project):
    names = """
right = halving("right", 2)
again, several, _hidden = right, [right, halving("wrong", 3)], halving("hidden", 2)
def test_of_the_project(): pass
"""
    result = project("-v", "--ratproof-examples=5", test_mine=CLAIMS + names)
    result.assert_outcomes(passed=5, failed=4)
    for kind in KINDS:
        result.stdout.fnmatch_lines(
            [f"test_mine.py::right[[]{kind}[]] PASSED*", f"test_mine.py::wrong[[]{kind}[]] FAILED*"]
        )
    result.stdout.no_fnmatch_line("*hidden*")
    result.stdout.fnmatch_lines(['*on "a a" the network gives 4/3, the automaton 3/2; *'])
    result.stdout.fnmatch_lines(["*ratproof replay*", "*--claims test_mine.py*"])


def test_a_failure_prints_a_complete_script_that_shows_the_counterexample(project, pytester):
    result = project("--ratproof-examples=5", "-k", "exact", test_kernel=KERNEL)
    result.assert_outcomes(failed=1, deselected=4)
    (kept,) = pytester.path.glob(".ratproof/counterexamples/*.py")
    assert kept.read_text().strip() in result.stdout.str()
    with redirect_stdout(io.StringIO()) as shown:
        runpy.run_path(str(kept), run_name="__main__")
    assert "o[0, 2" in shown.getvalue()


def test_options_and_project_settings_determine_the_cases(project):
    shown = """
import os
from hypothesis import settings
from ratproof import step_claim

def step(c, x):
    print("cases", settings().max_examples, settings().derandomize)
    return c / 2 + (x == "a")

claim = step_claim("shown", start=0, step=step, automaton=halves)
def test_environment():
    print("environment", os.environ["RATPROOF_DEVICE"], os.environ["RATPROOF_CACHE_DIR"])
"""
    table = "[tool.ratproof]\nexamples = 7\nseed = 3\ndevice = 'cuda:1'\ncache-folder = 'made'\n"
    few = ("-s", "-k", "sampled or environment")
    result = project(*few, settings=table, test_shown=CLAIMS + shown)
    result.assert_outcomes(passed=2, deselected=3)
    result.stdout.fnmatch_lines(["*cases 7 False*"])
    result.stdout.fnmatch_lines(["*environment cuda:1 */made*"])
    result = project(*few, "--ratproof-examples=9")
    result.stdout.fnmatch_lines(["*cases 9 False*"])


@pytest.mark.parametrize("testpaths", ["", "[tool.pytest.ini_options]\ntestpaths = ['tests']\n"])
def test_only_files_that_the_project_lists_are_collected(testpaths, project, pytester):
    pytester.mkdir("tests")
    files = {"claims/mine": CLAIMS + "right = halving('right', 2)", "claims/not_named": "1 / 0"}
    (pytester.path / "claims").mkdir()
    for name, text in files.items():
        (pytester.path / f"{name}.py").write_text(text)
    table = f"[tool.ratproof]\nclaims = ['claims/mi*.py']\n{testpaths}"
    project("-k", "exhausted", settings=table).assert_outcomes(passed=1, deselected=3)
    project("tests").assert_outcomes()


def test_duplicate_or_invalid_names_of_claims_are_collection_errors(project):
    twice = "one, two = halving('one', 2), halving('one', 3)"
    result = project(test_twice=CLAIMS + twice, test_odd=CLAIMS + "odd = halving('No Name', 2)")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*names of claims must be distinct, got one twice*"])
    result.stdout.fnmatch_lines(["*a name must consist of lowercase letters*got 'No Name'*"])


@pytest.mark.parametrize(
    ("options", "settings", "says"),
    [
        (["--ratproof-examples=0"], "", "--ratproof-examples must be at least 1, got 0"),
        (
            [],
            "[tool.ratproof]\nclaims = ['none.py']",
            "tool.ratproof.claims: the file 'none.py' does not exist",
        ),
    ],
)
def test_wrong_options_and_settings_give_one_line_errors(options, settings, says, project):
    result = project(*options, settings=settings, test_x="def test_x(): pass")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{says}"])


def test_a_project_without_claims_imports_nothing(pytester):
    pytester.makepyfile("""
        import sys
        claim = ["no", "claim"]
        def test_x():
            heavy = {"torch", "numpy", "theory", "hypothesis", "automata", "ratproof.ladder"}
            assert not heavy & set(sys.modules) and "ratproof.pytest_plugin" in sys.modules
    """)
    result = pytester.runpytest_subprocess(*PLUGIN, "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
