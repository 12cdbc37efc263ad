"""The tables of the page on published libraries, from the verdicts and defects that ``outside/`` keeps."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from page_text import escaped, plain, table
from speed_figures import FOLDER

MARKS = {"holds": "✓", "refuted": "✗", "unknown": "?"}


def pages(outside: Path) -> dict[str, str]:
    """The tables, by path.

    Args:
        outside: the folder with ``verdicts`` and ``defects.toml``.
    """
    verdicts = [
        json.loads(file.read_text(encoding="utf-8")) for file in sorted((outside / "verdicts").glob("*.json"))
    ]
    defects = tomllib.loads((outside / "defects.toml").read_text(encoding="utf-8"))["defect"]
    return {
        f"{FOLDER}/outside-verdicts.txt": _verdicts(verdicts),
        f"{FOLDER}/outside-defects.txt": _defects(defects, outside / "reports"),
    }


def _verdicts(verdicts: list[dict[str, Any]]) -> str:
    rows = []
    for verdict in verdicts:
        laws = verdict["laws"] or [{"law": "", "verdict": "not run"}]
        for place, law in enumerate(laws):
            said = law["verdict"]
            shown = law.get("counterexample") or law.get("why") or ""
            what = _program(verdict) if not place else ""
            more = verdict["not_run"] if said == "not run" else shown
            rows.append([what, law["law"], f"{MARKS.get(said, '·')} {said}", escaped(more)])
    ran = sum(bool(verdict["laws"]) for verdict in verdicts)
    torches = " and ".join(sorted({verdict["torch"] for verdict in verdicts}))
    machines = sorted({f"{verdict['date']}, {verdict['machine']}" for verdict in verdicts})
    head = (
        f"{ran} of {len(verdicts)} programs ran, with torch {torches}"
        f" ({'; '.join(machines)}). The command for a row is `nox -s outside -- NAME`.\n"
    )
    return f"{head}\n{table(('program', 'law', 'verdict', 'smallest counterexample, or why'), rows)}"


def _program(verdict: dict[str, Any]) -> str:
    interpreted = "; in Triton's interpreter" if verdict["interpreted"] and verdict["laws"] else ""
    remark = f"; {escaped(verdict['remark'])}" if verdict["remark"] else ""
    return (
        f"`{verdict['name']}`: `{verdict['path']}`, {verdict['library']} {verdict['version']}"
        f"{interpreted}{remark}"
    )


def _defects(defects: list[dict[str, Any]], reports: Path) -> str:
    parts = []
    for defect in defects:
        if not (reports / defect["report"]).is_file():
            raise ValueError(f"defects.toml: there is no {defect['report']} in {reports}")
        upstream = f" {plain(defect['upstream'])}" if defect["upstream"] else ""
        parts.append(
            f"{plain(defect['title'])}\n: {plain(defect['layers'])}, {defect['library']}; law:"
            f" {plain(defect['law'])}. {plain(defect['why'])} Where: {plain(defect['where'])}.{upstream}"
            f" Script: `outside/reports/{defect['report']}`.\n"
        )
    return "\n".join(parts)
