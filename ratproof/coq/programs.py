"""Coq's programs: their paths, calls and output."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from automata.cache_folder import cache_folder
from automata.errors import InputError
from automata.io.files import write_whole

WARNINGS = "-notation-overridden,-ambiguous-paths"
"""Warnings that mathcomp 1.15 causes when it is loaded."""
VERSION = "8.16"
HOW_TO_GET_IT = (
    "apt-get install coq libcoq-mathcomp-algebra (Debian, Ubuntu), or opam install coq.8.16.1"
    " coq-mathcomp-algebra.1.15.0, is right"
)


class NoCoq(InputError):
    """Coq, or mathcomp, is not installed here."""


class Rejected(Exception):
    """Coq does not accept a file.

    Attributes:
        where: file and line.
        why: Coq's message.
    """

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: Coq does not accept it: {why}")
        self.where, self.why = where, why


def program(name: str) -> str:
    """The path of ``coqc``, ``coqdep`` or ``coqchk``; :class:`NoCoq` without."""
    path = shutil.which(name)
    if path is None:
        raise NoCoq(f"{name} is not on the path: {HOW_TO_GET_IT}")
    return path


def version() -> str:
    """Coq's version; :class:`NoCoq` where it is another than the one that the development is written for."""
    number = _run([program("coqc"), "--print-version"], None).split()[0]
    if not number.startswith(f"{VERSION}."):
        raise NoCoq(f"Coq {number} is here, where {VERSION} is right, with mathcomp 1.15: {HOW_TO_GET_IT}")
    return number


def mathcomp() -> str:
    """The names and sizes of mathcomp's compiled files, which differ between its versions."""
    folder = Path(_run([program("coqc"), "-where"], None).strip()) / "user-contrib" / "mathcomp"
    return "\n".join(
        f"{file.relative_to(folder)} {file.stat().st_size}" for file in sorted(folder.rglob("*.vo"))
    )


def compile_file(file: Path, root: Path, options: Sequence[str] = ()) -> str:
    """Compile a file with the development at ``root``, and return its output, or raise Rejected."""
    return _run([program("coqc"), "-w", WARNINGS, *options, "-R", str(root), "ratproof", str(file)], root)


def dependencies(root: Path, files: Sequence[Path]) -> dict[Path, list[Path]]:
    """For each file those of the others that have to be compiled before it."""
    names = [str(file.relative_to(root)) for file in files]
    needs = {}
    for line in _run([program("coqdep"), "-R", ".", "ratproof", *names], root).splitlines():
        targets, sources = line.split(":", 1)
        target = next((name for name in targets.split() if name.endswith(".vo")), None)
        if target is not None:
            needs[root / target[:-1]] = [root / need[:-1] for need in sources.split() if need.endswith(".vo")]
    return {file: [need for need in needs.get(file, []) if need in files] for file in files}


def run_coqchk(root: Path, modules: Sequence[str]) -> list[str]:
    """Check the compiled files of these modules again with ``coqchk``; the names of all that they rest on.

    Axioms by their names; and constants that rely on type-in-type, on unguarded recursion or on unchecked
    positivity. It does not look into mathcomp's sealed modules, whose fields it therefore lists as axioms.
    """
    arguments = [part for module in modules for part in ("-norec", module)]
    output = _run(
        [program("coqchk"), "-silent", "-o", *arguments, "-R", str(root), "ratproof"], root, errors_too=True
    )
    parts = re.findall(r"^\* ([^:]*):(.*?)(?=^\* |\Z)", output, re.DOTALL | re.MULTILINE)
    if "CONTEXT SUMMARY" not in output or "Axioms" not in dict(parts):
        raise RuntimeError(f"coqchk does not say what the files rest on: {output!r}")
    return [name for what, names in parts if what != "Theory" for name in names.split() if name != "<none>"]


def _run(command: Sequence[str], where: Path | None, errors_too: bool = False) -> str:
    process = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    if process.returncode == 0:
        return process.stdout + process.stderr if errors_too else process.stdout
    output = process.stderr.strip() or process.stdout.strip()
    if re.search(r"logical path\s+\S+\s+with\s+prefix\s+mathcomp", output):
        raise NoCoq(f"Coq finds no mathcomp: {HOW_TO_GET_IT}")
    start = max(output.rfind("Error:"), 0)
    error = output[start:]
    places = list(re.finditer(r'File "([^"]*)", line (\d+)', output[:start]))
    place = places[-1] if places else None  # those before it are of warnings
    raise Rejected(
        f"{place[1]}, line {place[2]}" if place else command[0],
        " ".join(error.removeprefix("Error:").split()),
    )


FOLDER = "outputs"


def output_of(text: str, root: Path) -> str:
    """Coq's output for the text, with the development at ``root``; asked once, and kept beside the compiled
    files. ``ratproof prove`` compiles from clean, and asks again.

    Raises:
        NoCoq: there is no Coq, or no mathcomp.
        Rejected: Coq does not accept the text.
    """
    if root.parent != cache_folder("coq"):  # a copy, that somebody may be at work on
        return _ask(text, root)
    kept = root / FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:40]}.txt"
    kept.parent.mkdir(exist_ok=True)
    with FileLock(kept.with_suffix(".lock")):  # of several processes one asks, and the others wait for it
        if not kept.exists():
            write_whole(kept, _ask(text, root))
        return kept.read_text(encoding="utf-8")


def _ask(text: str, root: Path) -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "commands.v"
        file.write_text(text, encoding="utf-8")
        return compile_file(file, root)
