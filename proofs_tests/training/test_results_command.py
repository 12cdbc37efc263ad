"""Tests of the command ``results``: the tables of a folder, or of the results that ratproof contains, by
name.
"""

import json

import pytest

from proofs_tests.training.command_line import command_line
from ratproof import main
from training import results_command
from training.results_command import KEPT

__all__ = ["command_line"]
UNKNOWN = {
    "experiment": "nobody's",
    "model": "lstm",
    "seed": 0,
    "metrics": {},
    "paper": None,
    "seconds": 1.0,
    "machine": {},
    "configuration": {},
    "epochs": 1,
    "best_epoch": 1,
}
pytestmark = pytest.mark.usefixtures("command_line")


@pytest.mark.parametrize("how", [[], ["--json"]])
@pytest.mark.parametrize("name", ["nosuch", "there"])
def test_a_name_without_results_gives_an_error_that_lists_the_names(how, name, in_tmp_path, tmp_path, capfd):
    (tmp_path / "there").mkdir()
    assert main.run(["results", name, *how]) == 2
    out, err = capfd.readouterr()
    kept = ", ".join(sorted(path.name for path in KEPT.iterdir() if path.is_dir()))
    assert out == "" and err.count("\n") == 1 and f"{name}: " in err and kept in err


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_results_without_a_table_are_refused(how, tmp_path, capfd):
    (tmp_path / "result.json").write_text(json.dumps(UNKNOWN))
    assert main.run(["results", str(tmp_path), *how]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1 and "nobody's" in err


def test_stored_results_are_shown_by_name(in_tmp_path, capfd):
    assert main.run(["results", "memory"]) == 0
    by_name = capfd.readouterr().out
    assert main.run(["results", str(KEPT / "memory")]) == 0
    assert by_name == capfd.readouterr().out
    title = "parentheses, large set: wrong in % at depth/length (100 if omitted; x: exchanged)"
    assert title in by_name.splitlines()  # not wrapped


@pytest.mark.parametrize("name", [[], ["memory"]])
def test_an_installed_wheel_reports_where_stored_results_are(name, in_tmp_path, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(results_command, "KEPT", tmp_path / "none")
    assert main.run(["results", *name]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1 and "part of the repository" in err
