"""Tests of ``[tool.ratproof]`` in pyproject.toml, and of its effect on ``ratproof check``."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from proofs_tests.ratproof.test_pytest_plugin import CLAIMS
from ratproof.ladder import user_files
from ratproof.ladder.outcome import Outcome
from ratproof.main import run
from ratproof.project_settings import ProjectSettings, default_device, project_settings

RIGHT = {
    "claims": st.lists(st.sampled_from(["a.py", "claims/*.py"]), max_size=3),
    "examples": st.integers(1, 10**6),
    "seed": st.integers(0, 10**9),
    "device": st.sampled_from(["cpu", "cuda", "cuda:3"]),
    "cache-folder": st.sampled_from(["cache", "../cache"]),
}


@pytest.fixture(autouse=True)
def _elsewhere(in_tmp_path, no_own_claims, monkeypatch):
    monkeypatch.delenv("RATPROOF_DEVICE", raising=False)


@given(st.fixed_dictionaries({}, optional=RIGHT))
def test_settings_are_read_from_the_nearest_file_above(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("project")
    lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
    (folder / "pyproject.toml").write_text("\n".join(["[tool.ratproof]", *lines]))
    (folder / "a" / "b").mkdir(parents=True)
    settings = project_settings(folder / "a" / "b")
    read = {name: getattr(settings, name.replace("-", "_")) for name in RIGHT}
    assert read == dict.fromkeys(RIGHT) | {"claims": ()} | {
        name: tuple(value) if name == "claims" else value for name, value in table.items()
    }
    before = dict(os.environ)
    with settings.applied():
        assert default_device() == table.get("device", "cpu")
    assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("examples = 0", "tool.ratproof.examples must be a positive integer, got 0"),
        ("examples = true", "tool.ratproof.examples must be a positive integer, got True"),
        ("seed = '1'", "tool.ratproof.seed must be an integer of at least 0, got '1'"),
        ("device = 'gpu'", 'tool.ratproof.device must be "cpu" or "cuda", got \'gpu\''),
        ("claims = 'a.py'", "tool.ratproof.claims must be a list of file names or patterns, got 'a.py'"),
        ("claim = []", "must be among claims, examples, seed, device, cache-folder, got 'claim'"),
        ("claims = [", "cannot be read as TOML"),
    ],
)
def test_a_wrong_setting_gives_a_one_line_error(table, says, capsys):
    Path("pyproject.toml").write_text(f"[tool.ratproof]\n{table}\n")
    with pytest.raises(InputError) as error:
        project_settings(Path())
    assert says in str(error.value) and str(Path("pyproject.toml").absolute()) in str(error.value)
    assert run(["check"]) == 2 and says in capsys.readouterr().err


@pytest.mark.parametrize("pattern", ["claims/one.py", "**/one.py", "claims/../claims/*.py"])
@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_file_with_claims_may_have_any_path(pattern, is_absolute, tmp_path):
    file = tmp_path / "claims" / "one.py"
    file.parent.mkdir()
    file.touch()
    pattern = str(tmp_path / pattern) if is_absolute else pattern
    (match,) = ProjectSettings(tmp_path / "pyproject.toml", (pattern,)).claims_files()
    assert match.samefile(file)


@pytest.mark.parametrize("pattern", ["", ".", "/", "a**b.py", "/nowhere/a.py", "["])
def test_a_pattern_that_matches_no_file_is_refused(pattern):
    with pytest.raises(InputError, match=f"tool.ratproof.claims: the file '{re.escape(pattern)}' does not"):
        ProjectSettings(claims=(pattern,)).claims_files()


def test_environment_variables_take_precedence_over_settings(monkeypatch):
    monkeypatch.setenv("RATPROOF_DEVICE", "cpu")
    with ProjectSettings(device="cuda").applied():
        assert default_device() == "cpu"


def test_check_without_a_file_checks_the_files_of_the_project(capsys):
    Path("one.py").write_text(CLAIMS + "right = halving('right', 2)")
    Path("two.py").write_text(CLAIMS + "wrong = halving('wrong', 3)")
    assert run(["check"]) == 2 and "FILE.py is missing" in capsys.readouterr().err
    Path("pyproject.toml").write_text("[tool.ratproof]\nclaims = ['*.py']\nexamples = 4\nseed = 5\n")
    sampled = ["check", "--kind", "sampled"]
    assert run([*sampled, "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    expected = [("right", "holds", 5), ("wrong", "refuted", 5)]
    assert [(r["claim"], r["verdict"], r["seed"]) for r in results] == expected
    assert run([*sampled, "--seed", "6"]) == 1
    printed = capsys.readouterr().out
    assert printed.index("one.py") < printed.index("two.py")
    assert run([*sampled, "one.py"]) == 0
    Path("two.py").write_text(CLAIMS + "wrong = halving('right', 3)")
    assert run(sampled) == 2
    assert (
        "two.py: the name of the claim right must differ from the claims in one.py" in capsys.readouterr().err
    )


def test_an_interruption_ends_the_check_of_all_files(monkeypatch, capsys):
    checked = []
    monkeypatch.setattr(user_files, "check", lambda path, *_: checked.append(path) or Outcome([], True))
    for name in ("one.py", "two.py"):
        Path(name).touch()
    Path("pyproject.toml").write_text("[tool.ratproof]\nclaims = ['*.py']\n")
    assert run(["check", "--json"]) == 130 and checked == ["one.py"]


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("inputs", "arguments"),
    [
        ({}, "check --junit claims.xml"),
        ({"FILE": "my claims.py", "SEED": "3"}, "check 'my claims.py' --seed 3 --junit claims.xml"),
        ({"EXAMPLES": "$(touch x)"}, "check --examples '$(touch x)' --junit claims.xml"),
    ],
)
def test_the_workflow_passes_its_inputs_to_check(inputs, arguments, tmp_path):
    workflow = yaml.safe_load((ROOT / ".github/workflows/check-claims.yml").read_text())
    (step,) = [one for one in workflow["jobs"]["check"]["steps"] if one.get("name") == "check"]
    asked = workflow[True]["workflow_call"]["inputs"]  # YAML reads "on" as true
    assert all(f"inputs.{name.lower()} " in value for name, value in step["env"].items())
    assert {name.lower() for name in step["env"]} <= set(asked)
    stub = tmp_path / "ratproof"
    stub.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    stub.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", **dict.fromkeys(step["env"], ""), **inputs}
    ran = subprocess.run(["bash", "-ec", step["run"]], env=environment, capture_output=True, text=True)
    assert ran.stdout.splitlines() == shlex.split(arguments) and not Path("x").exists()


def test_the_hook_runs_a_command_without_files(capsys):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "ratproof-check" and not hook["pass_filenames"]
    program, *arguments = hook["entry"].split()
    assert program == "ratproof" and run([*arguments, "--help"]) == 0
