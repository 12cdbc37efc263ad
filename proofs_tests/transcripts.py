"""Tools for the transcripts on the pages, whose console blocks must show the current output of their
commands.

``python -m proofs_tests.transcripts FILE ...`` updates the pages with the current output of their commands.

A transcript is a ``console`` block, with a ``$`` before each command. The commands of a page run in order, in
one folder with the files of ``ratproof examples`` and the stand-alone checkers. A block below a comment that
contains ``not run`` is skipped, because it takes minutes or installs something. Times and numbers of cases
differ between runs, and are not compared. A line with ``...`` stands for omitted lines.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
NOT_RUN = "not run"
BLOCK = re.compile(
    r"(?P<comment>(?:^(?:%|<!--)[^\n]*\n)?)"
    r"^```(?:\{code-block\} )?console\n(?P<options>(?::[^\n]*\n|\n)*)(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
LEFT_OUT = "..."


@dataclass(frozen=True)
class TranscriptStep:
    """A command of a transcript, and its output on the page."""

    command: str
    printed: str


@dataclass(frozen=True)
class Transcript:
    """A console block that is run.

    Attributes:
        line: The line of the page at which its text begins.
        start, end: The range of its text in the page.
        steps: Its commands.
    """

    line: int
    start: int
    end: int
    steps: tuple[TranscriptStep, ...]


def transcripts(page: str) -> Iterator[Transcript]:
    """Yield the blocks of a page that are run."""
    for block in BLOCK.finditer(page):
        text = block["text"]
        if not text.startswith("$ ") or NOT_RUN in block["comment"]:
            continue
        parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
        steps = tuple(TranscriptStep(*part.partition("\n")[::2]) for part in parts)
        line = page.count("\n", 0, block.start("text")) + 1
        yield Transcript(line, block.start("text"), block.end("text"), steps)


def comparable(text: str) -> str:
    """Remove everything that differs between runs and machines: times, counts, blanks, last
    digits, progress.
    """
    text = re.sub(r"^\w+: .*, \d+0 s\n", "", text, flags=re.MULTILINE)  # printed every 30 s
    text = re.sub(r"\b[\d,]+ (?:informative )?cases?\b|\b[\d.,]+ (?=s\b|seconds\b)", "N ", text)
    text = re.sub(r"^(.*[✓✗!?·].*?) +[\d,]+ +\d+[mhd]?$", r"\1 N", text, flags=re.MULTILINE)  # in the report
    text = re.sub(r"[<\d]+(?=% of the bound)", "N", text)
    text = " ".join(text.split())
    text = re.sub(r"(?<=measured rounding explains at most )[\d.e+-]+\d", "N", text)
    text = re.sub(r"\b\d+e-\d+(?= in float(?:32|64)\b)", "N", text)  # measured; differs between CPUs
    return re.sub(r"-?\d+\.\d{6,}(?!\d)", lambda number: f"{float(number[0]):.4g}", text)


def agrees(shown: str, printed: str) -> bool:
    """Return whether the output matches the page; a line of dots on the page matches any lines."""
    parts = re.split(rf"^{re.escape(LEFT_OUT)}$", shown, flags=re.MULTILINE)
    pattern = "(?:.* )?".join(re.escape(f"{part} ") if part else "" for part in map(comparable, parts))
    return re.fullmatch(pattern, f"{comparable(printed)} ", re.DOTALL) is not None or not (
        comparable(shown) or comparable(printed)
    )


class Folder:
    """A folder in which the commands of a page run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        shutil.copytree(
            ROOT / "ratproof" / "examples", path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*")
        )
        for checker in (ROOT / "ratproof" / "checkers").glob("check_*.py"):
            shutil.copy(checker, path)

    def run(self, command: str) -> str:
        """Return the output of a command on standard output and standard error."""
        scripts = str(Path(sys.executable).parent)
        environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=self.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return ran.stdout


def update(page: Path) -> None:
    """Update a page with the current output of its commands; lines omitted with dots stay omitted."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as path:
        folder, changes = Folder(Path(path)), []
        for transcript in transcripts(text):
            parts = []
            for step in transcript.steps:
                printed = folder.run(step.command)
                same = agrees(step.printed, printed)
                lines = (
                    step.printed if same else "".join(line.rstrip() + "\n" for line in printed.splitlines())
                )
                parts.append(f"$ {step.command}\n{lines}")
                if not same:
                    print(f"{page.name}:{transcript.line}: {step.command}")
            changes.append((transcript, "".join(parts)))
    for transcript, new in reversed(changes):
        text = text[: transcript.start] + new + text[transcript.end :]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        update(Path(name))
