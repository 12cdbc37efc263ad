"""Generation of tables and plots of measurements from ``bench/results``, ``outside/`` and ``mutants/``."""

import ast
import json
import tomllib
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from claim_pages import TITLES
from comparison_plots import bar_chart, speed_groups
from page_text import render
from plots import COLOURS, GREY, log_log

from theory.registry import claims
from training.classification_with_rules.paper import SETS, SHARES
from training.classification_with_rules.tables import cell_of, cells
from training.engine.results import results_in
from training.state_regularized import tables as languages

MEASURED = {
    "scan-cpu": ("scan", "scan_cpu"),
    "scan-cuda": ("scan", "scan_cuda"),
    "matrix-cpu": ("matrix_scan", "matrix_scan_cpu"),
    "matrix-cuda": ("matrix_scan", "matrix_scan_cuda"),
    "factored-cpu": ("factored", "factored_cpu"),
    "factored-cuda": ("factored", "factored_cuda"),
    "sr-steps": ("sr_steps", "sr_steps"),
    "equivalence-figures": ("equivalence", "equivalence"),
    "trigram-figures": ("trigram", "trigram"),
    "hunt": ("hunt", "hunt"),
    "not-rational-figures": ("not_rational", "not_rational"),
    "not-rational-controls": ("not_rational_controls", "not_rational"),
    "certified-figures": ("certified", "certified"),
}
"""The template and the file of results for each table. The program in ``bench`` has the template's name."""
SEEN = ("refuted", "unknown")
"""The verdicts with which a kind of evidence detects a fault."""


def pages(root: Path) -> dict[str, str]:
    """Return all tables and plots by path; ``root`` is the project folder."""
    return (
        _benchmarks(root / "bench") | _trained(root) | _outside(root / "outside") | _faults(root / "mutants")
    )


def _benchmarks(bench: Path) -> dict[str, str]:
    page_texts = {}
    for name, (template, file) in MEASURED.items():
        results = _json(bench / "results" / f"{file}.json")
        page_texts[f"claims/{name}.txt"] = (
            render(
                template, results=results, device=file[-4:].strip("_"), **_constants(bench / f"{template}.py")
            )
            if results
            else "Not measured.\n"
        )
    large = sorted((bench / "results").glob("large_equivalence_*.json"), key=lambda file: len(file.stem))
    wanted = _constants(bench / "large_equivalence.py")
    page_texts["claims/large-figures.txt"] = render("large_equivalence", every=map(_json, large), **wanted)
    return page_texts | _plots(bench)


def _plots(bench: Path) -> dict[str, str]:
    equal = _json(bench / "results" / "equivalence.json")
    wanted = _constants(bench / "equivalence.py")["WANTED"]
    times: list[tuple[dict[int, float], str, dict[str, Any]]] = [
        (
            {int(n): taken for n, taken in equal[what].items()},
            "o-",
            {"color": COLOURS[0], "label": "measured"},
        )
        for what in ("states", "symbols")
    ]
    goals = (wanted, "_", {"color": COLOURS[1], "ms": 16, "mew": 2.5, "label": "wanted: below"})
    plots = {
        "equivalence-states": log_log([times[0], goals], ("states of A", "seconds")),
        "equivalence-symbols": log_log(times[1:], ("symbols in the alphabet", "seconds"), legend=False),
    }
    for what, costs in _json(bench / "results" / "scan_cpu.json")["costs"].items():
        names = list(next(iter(costs.values())))
        lines = [
            (
                {int(size): row[name] for size, row in costs.items()},
                "--" if name == "triad" else f"{marker}-",
                {"label": name, **({"color": GREY} if name == "triad" else {})},
            )
            for name, marker in zip(names, "os^Dv", strict=False)
        ]
        plots[f"scan-{what}"] = log_log(lines, (what, "nanoseconds a number"), fontsize=8)
    devices = {"CPU": "scan_cpu", "GPU": "scan_cuda"}
    scans = {device: _json(bench / "results" / f"{file}.json") for device, file in devices.items()}
    plots["scan-ratios"] = bar_chart(
        speed_groups({device: scan for device, scan in scans.items() if scan}), "ratio"
    )
    measured = _json(bench / "results" / "matrix_scan_cpu.json")["rows"]
    semirings = dict.fromkeys(row["semiring"] for row in measured)
    lines = [
        (
            {row["states"]: row["kernel"] for row in measured if row["semiring"] == name},
            f"{marker}-",
            {"label": name.replace("_", "-")},
        )
        for name, marker in zip(semirings, "os^D", strict=False)
    ]
    product = {row["states"]: row["matrix product"] for row in measured if "matrix product" in row}
    lines.append((product, "--", {"color": GREY, "label": "one matrix product"}))
    plots["matrix-states"] = log_log(lines, ("states", "milliseconds"), fontsize=8)
    return {f"claims/{name}.svg": picture for name, picture in plots.items()}


def _trained(root: Path) -> dict[str, str]:
    """Return the tables about networks trained on regular languages, and those about trained FA-RNNs."""
    kept = results_in(root / "training" / "results")
    learned = [run for run in kept if languages.is_learned(run)]
    page_texts = {}
    for name, is_tomita in (("tomita-figures", True), ("learned-figures", False)):
        runs = [run for run in learned if (run["experiment"] == "tomita") is is_tomita]
        machines: dict[str, list[dict[str, Any]]] = {}
        for run in runs:
            machines.setdefault(json.dumps([run["machine"], run["recipe"]]), []).append(run)
        (table,) = languages.tables(runs)
        page_texts[f"claims/{name}.txt"] = render(
            "learned", groups=machines.values(), header=table[1], rows=table[2]
        )
    with_rules = cells(results_in(root / "training" / "results" / "rules"))
    measured = _json(root / "training" / "results" / "fa_rnn.json")
    trained = [
        (name, share, cell)
        for name in SETS
        for share in SHARES
        if (cell := cell_of(with_rules, name, "fa-rnn", share)) is not None
    ]
    read_back = {
        (name, share): runs
        for name in SETS
        for share in SHARES
        if (runs := [one for one in measured["read_back"] if (one["set"], one["share"]) == (name, share)])
    }
    context = {"measured": measured, "trained": trained, "read_back": read_back}
    return page_texts | {"claims/fa-rnn-figures.txt": render("fa_rnn", **context)}


def _outside(folder: Path) -> dict[str, str]:
    """Return the tables of the tests of published libraries."""
    verdicts = {
        device: [_json(file) for file in sorted((folder / "verdicts" / device).glob("*.json"))]
        for device in ("cpu", "cuda")
    }
    defects = tomllib.loads((folder / "defects.toml").read_text(encoding="utf-8"))["defect"]
    for defect in defects:
        if not (folder / "reports" / defect["report"]).is_file():
            raise ValueError(f"defects.toml: {defect['report']} is not in {folder / 'reports'}")
    return {
        "claims/outside-verdicts.txt": render("outside_verdicts", verdicts=verdicts),
        "claims/outside-defects.txt": render("outside_defects", defects=defects),
    }


def _faults(mutants: Path) -> dict[str, str]:
    """Return the tables for the page "What each check catches"."""
    every = _json(mutants / "matrix.json")["rows"]
    faults = [
        fault | {"seen": [rung for rung, verdict in fault["rungs"].items() if verdict in SEEN]}
        for fault in every
        if fault["says"] != "nothing is broken"
    ]
    listed: dict[str, dict[tuple[str, str, str], list[str]]] = {"single": {}, "none": {}}
    for fault in faults:  # group the claims by fault
        if len(fault["seen"]) == 1 < len(fault["rungs"]):
            key = fault["part"], fault["says"], fault["seen"][0]
            listed["single"].setdefault(key, []).append(fault["claim"])
        elif not fault["seen"]:
            listed["none"].setdefault((fault["part"], fault["says"], ""), []).append(fault["claim"])
    by_claim = {name: list(group) for name, group in groupby(faults, key=lambda fault: fault["claim"])}
    rungs = {rung: title for rung, title in TITLES.items() if rung != "gpu"}
    context = {"faults": faults, "rungs": rungs, "seen": SEEN, "claims": list(claims()), "by_claim": by_claim}
    return {
        f"claims/checks-{part}.txt": render("faults", part=part, listed=listed.get(part), **context)
        if every
        else "The faults have not been run.\n"
        for part in ("parts", "single", "none", "claims")
    }


def _json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def _constants(program: Path) -> dict[str, Any]:
    """Return the module-level constants of a program, parsed from its source without running it."""
    constants = {}
    for line in ast.parse(program.read_text(encoding="utf-8")).body if program.exists() else ():
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            with suppress(ValueError):  # not a literal
                constants[line.targets[0].id] = ast.literal_eval(line.value)
    return constants
