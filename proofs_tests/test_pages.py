"""Tests that the pages and the README show the output of their commands."""

import io
import re
import shlex
import shutil
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest

from proofs_tests.transcripts import ROOT, Folder, agrees, transcripts
from ratproof import main
from theory.papers import PAPERS
from theory.registry import claims

WRITTEN = ("", "get_started", "how_to", "results", "reference", "explanation")
"""The folders of ``docs`` with pages that are not generated."""
PAGES = [
    path
    for path in [
        ROOT / "README.md",
        *(p for folder in WRITTEN for p in sorted((ROOT / "docs" / folder).glob("*.md"))),
    ]
    if path.exists()
]
SHOWN = {page: list(transcripts(page.read_text(encoding="utf-8"))) for page in PAGES}


class InThisProcess(Folder):
    """A replacement for the subprocess module that runs ratproof's commands in this process.

    All other commands run in a process of their own. ``verify`` has fewer examples than for a reader,
    because the numbers of cases on a page are not compared.
    """

    def run(self, command: str) -> str:
        """Return the output of a command on standard output and standard error."""
        program, *arguments = shlex.split(command)
        if program != "ratproof" or re.search(r"[|&;<>$*`~\\]", command):
            return super().run(command)
        if arguments[0] == "verify":
            arguments += ["--examples", "10"]
        output = io.StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            main.run(arguments)
        return output.getvalue()


@pytest.mark.skipif(not PAGES, reason="the pages are not installed with ratproof")
@pytest.mark.parametrize("page", [page for page, shown in SHOWN.items() if shown], ids=lambda page: page.stem)
def test_a_page_shows_the_output_of_its_commands(page, in_tmp_path, tmp_path, monkeypatch):
    """The README's commands are separate processes, as for a reader; those of the pages run in
    this process.
    """
    monkeypatch.setenv("COLUMNS", "80")
    folder = Folder(tmp_path) if page == README else InThisProcess(tmp_path)
    for transcript in SHOWN[page]:
        for step in transcript.steps:
            if "verify" in step.command and shutil.which("coqc") is None:
                continue  # it also shows the output of Coq
            printed = folder.run(step.command)
            where = f"{page.name}, line {transcript.line}: $ {step.command}"
            assert agrees(step.printed, printed), f"{where}\n{printed}"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n...\nc\n", "a\nb\nc\n", True),
        ("...\nb\n", "x\nb\n", True),
        ("x\n...\n", "x\nb\n", True),
        ("a  b 3 cases in 0.5 s\n", "a b 4 cases in 0.6 s\n", True),
        ("", "", True),
        ("a\n", "a\nb\n", False),
        ("1/2\n", "1/3\n", False),
        ("rank 2 3\n", "rank 2 4\n", False),
        ("corrected  ✓  ·  12  3\n", "corrected  ✓  ·  13  4\n", True),
        ("corrected  ✓  ·  12  3\n", "corrected  ✗  ·  12  3\n", False),
        ("x\n...\nz\n", "x\ny\n", False),
    ],
)
def test_lines_of_dots_match_anything_and_times_are_not_compared(shown, printed, same):
    assert agrees(shown, printed) == same


README = ROOT / "README.md"
readme = pytest.mark.skipif(not README.exists(), reason="the README is not installed with ratproof")


@readme
def test_the_readmes_table_of_claims_is_up_to_date():
    text = README.read_text(encoding="utf-8")
    (table,) = re.findall(r"<!-- claims: generated -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert table == claims_table()


README_FAILURES = {
    "test_kernel": "an initial state",
    "test_model": "pieces",
    "test_network": "different: ",
    "test_automata": (
        'different: on "a a" A gives 4/3 and B gives 1333/1000; no earlier string in shortlex order differs'
    ),
}
"""The text of each failing test in the README."""


@readme
@pytest.mark.parametrize(("name", "message"), README_FAILURES.items())
def test_the_readmes_tests_fail_and_show_a_counterexample(name, message):
    blocks = re.findall(
        r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(blocks) == len(README_FAILURES)
    (code,) = (block for block in blocks if f"def {name}()" in block)
    functions: dict[str, Any] = {}
    exec(code, functions)
    with pytest.raises(AssertionError, match=re.escape(message)):
        functions[name]()


@readme
def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 110


def claims_table() -> str:
    """Return the README's table of claims. Each row is about one paper, or about a group of papers."""
    lines = ["| Paper | Claims | Variants that hold | Variants refuted |", "|---|---|---|---|"]
    rows: dict[str, list[str]] = {}
    for paper in PAPERS.values():
        rows.setdefault(paper.among or str(paper), []).append(paper.key)
    for title, papers in rows.items():
        listed = [claim for claim in claims().values() if claim.source.paper in papers]
        verdicts = [v.expected for claim in listed for v in claim.variants]
        count = "" if len(papers) == 1 else f" ({len(papers)} papers)"
        row = f"| {title}{count} | {len(listed)} | {verdicts.count('holds')} | {verdicts.count('refuted')} |"
        lines.append(row)
    return "\n".join(lines) + "\n"
