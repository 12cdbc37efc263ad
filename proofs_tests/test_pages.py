"""The pages and the README show what their commands print."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from proofs_tests.transcripts import ROOT, Folder, agrees, transcripts

PAGES = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if path.exists()]
SHOWN = {page: list(transcripts(page.read_text(encoding="utf-8"))) for page in PAGES}


@pytest.mark.skipif(not PAGES, reason="the pages are not installed with ratproof")
@pytest.mark.parametrize("page", [page for page, shown in SHOWN.items() if shown], ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for transcript in SHOWN[page]:
        for step in transcript.steps:
            if "verify" in step.command and shutil.which("coqc") is None:
                continue  # it shows what Coq says, too
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
        ("x\n...\nz\n", "x\ny\n", False),
    ],
)
def test_lines_of_dots_stand_for_anything_and_times_are_not_compared(
    shown: str, printed: str, same: bool
) -> None:
    assert agrees(shown, printed) == same
