"""Tests that the example files are written to any folder, and that every command's example runs on them."""

import json
import shlex

import pytest

from proofs_tests.ratproof.command_tree import commands, is_group
from ratproof.main import run

SLOW = {"verify", "prove", "hunt"}
MEASURED = ("--rounding", "--all-inputs")
"""The options of the examples that measure functions on many inputs; test_doctor.py runs the first."""
NEEDS_A_RUN = {
    "replay",
    "rules show",
    "rules add",
    "rules disable",
    "rules read-back",
    "check-certificate",
} | {"results", "campaign status", "campaign results", "campaign merge"}
"""Commands whose examples need the output of another command."""
TRAINING = ("train ", "campaign run")
"""Commands whose examples take long, or read data sets that cannot be distributed."""
QUICK = [
    (name, line.strip().removeprefix("ratproof "))
    for name, command in commands().items()
    if not is_group(command) and name not in SLOW | NEEDS_A_RUN and not name.startswith(TRAINING)
    for line in (command.epilog or "").splitlines()
    if line.startswith("  ratproof ") and not line.endswith(MEASURED)
]


@pytest.fixture
def folder(in_tmp_path, tmp_path, few_trial_runs):
    assert run(["examples", "."]) == 0
    return tmp_path


@pytest.mark.parametrize("line", [line for _, line in QUICK])
def test_the_example_of_each_command_runs_in_the_folder_with_the_examples(line, folder, capsys):
    status = run(shlex.split(line))
    assert status in (0, 1), capsys.readouterr().err  # 1: some examples have a negative result


def test_a_certificates_example_runs_after_the_example_that_wrote_it(folder, capsys):
    assert run(["equivalent", "fading.json", "parity.json", "--certificate", "equal.json"]) == 0
    for line in (commands()["check-certificate"].epilog or "").splitlines()[2:]:
        assert run(shlex.split(line)[1:]) == 0


def test_an_existing_file_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "fading.json").write_text("mine")
    assert run(["examples", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["left_as_they_were"] == [str(tmp_path / "fading.json")]
    assert (tmp_path / "fading.json").read_text() == "mine" and (tmp_path / "home" / "train.tsv").exists()
    assert run(["examples", str(tmp_path / "fading.json")]) == 2
