"""Tests that the files in ``outside/`` are consistent, without the libraries.

The files are programs, verdicts, defects and scripts.
"""

from __future__ import annotations

import ast
import json
import tomllib

import pytest

outside = pytest.importorskip("outside", reason="the folder is in no wheel")
from outside.__main__ import VERDICTS  # noqa: E402
from outside.table import ENTRIES  # noqa: E402

FOLDER = VERDICTS.parent
KEPT = {file.stem: json.loads(file.read_text()) for file in sorted(VERDICTS.glob("*.json"))}
DEFECTS = tomllib.loads((FOLDER / "defects.toml").read_text())["defect"]


def test_each_verdict_is_about_a_program_in_the_table():
    for name, verdict in KEPT.items():
        entry = ENTRIES[name]
        assert (verdict["name"], verdict["path"], verdict["library"]) == (name, entry.path, entry.library)
        assert bool(verdict["laws"]) != bool(verdict["not_run"])


def test_each_defect_of_a_program_is_in_its_verdict():
    for defect in DEFECTS:
        for name in defect["entries"]:
            assert name in ENTRIES
            laws = KEPT[name]["laws"]
            assert {law["verdict"] for law in laws if law["law"] in defect["law"]} & {"refuted", "unknown"}


def test_each_defect_has_a_script_that_needs_no_ratproof():
    scripts = {file.name for file in (FOLDER / "reports").glob("*.py")}
    assert {defect["report"] for defect in DEFECTS} == scripts
    for name in scripts:
        imports = [
            n
            for n in ast.walk(ast.parse((FOLDER / "reports" / name).read_text()))
            if isinstance(n, ast.ImportFrom)
        ]
        assert not [
            n for n in imports if (n.module or "").split(".")[0] in ("ratproof", "outside", "automata")
        ]
