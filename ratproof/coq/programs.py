"""Calls of Coq's programs."""

from __future__ import annotations

import hashlib
import math
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
from ratproof.process.supervisor import OutOfTime, seconds_left

TIME_TO_ANSWER = 3.0
"""Coq is ended so many seconds before the command's limit, so that the command can still print its result."""
WARNINGS = "-notation-overridden,-ambiguous-paths"
"""Warnings that loading mathcomp 1.15 causes."""
VERSION = "8.16"
HOW_TO_GET_IT = (
    "apt-get install coq libcoq-mathcomp-algebra (Debian, Ubuntu), or opam install coq.8.16.1"
    " coq-mathcomp-algebra.1.15.0"
)


class NoCoq(InputError):
    """Raised if Coq or mathcomp is not installed."""


class Rejected(Exception):
    """Raised if Coq does not accept a file.

    Attributes:
        where: File and line.
        why: Coq's message.
    """

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: Coq does not accept it: {why}")
        self.where, self.why = where, why


def program(name: str) -> str:
    """Return the path of ``coqc``, ``coqdep`` or ``coqchk``; raise :class:`NoCoq` without it."""
    path = shutil.which(name)
    if path is None:
        raise NoCoq(f"{name} is not on the path; install it with {HOW_TO_GET_IT}")
    return path


def version() -> str:
    """Return Coq's version; raise :class:`NoCoq` if the development does not support it."""
    number = _run([program("coqc"), "--print-version"], None).split()[0]
    if not number.startswith(f"{VERSION}."):
        raise NoCoq(
            f"Coq must be {VERSION}, with mathcomp 1.15, got {number}; install it with {HOW_TO_GET_IT}"
        )
    return number


def library_folder() -> Path:
    """Return the folder of Coq's libraries, such as mathcomp."""
    return Path(_run([program("coqc"), "-where"], None).strip()) / "user-contrib"


def libraries() -> str:
    """Return the names and sizes of the compiled files of all libraries, to distinguish versions."""
    folder = library_folder()
    return "\n".join(
        f"{file.relative_to(folder)} {file.stat().st_size}" for file in sorted(folder.rglob("*.vo"))
    )


def compile_file(file: Path, root: Path, options: Sequence[str] = ()) -> str:
    """Compile a file with the development at ``root``, and return its output.

    Raises:
        Rejected: If Coq does not accept the file.
        OutOfTime: If Coq does not end before the limit of the command's time.
    """
    command = [program("coqc"), "-w", WARNINGS, *options, "-R", str(root), "ratproof", str(file)]
    left = max(seconds_left() - TIME_TO_ANSWER, 0.0)
    try:
        return _run(command, root, timeout=left if left < math.inf else None)
    except subprocess.TimeoutExpired:
        raise OutOfTime("Coq needs more time than --limit-seconds allows") from None


def dependencies(root: Path, files: Sequence[Path]) -> dict[Path, list[Path]]:
    """Return, for each file, the other files that must be compiled before it."""
    names = [str(file.relative_to(root)) for file in files]
    needs = {}
    for line in _run([program("coqdep"), "-R", ".", "ratproof", *names], root).splitlines():
        targets, sources = line.split(":", 1)
        target = next((name for name in targets.split() if name.endswith(".vo")), None)
        if target is not None:
            needs[root / target[:-1]] = [root / need[:-1] for need in sources.split() if need.endswith(".vo")]
    return {file: [need for need in needs.get(file, []) if need in files] for file in files}


def run_coqchk(root: Path, modules: Sequence[str]) -> list[str]:
    """Check the compiled files of these modules with ``coqchk``, and return the names of their assumptions.

    These are axioms, and constants that use type-in-type, unguarded recursion or unchecked positivity. coqchk
    does not open mathcomp's sealed modules, so it lists their fields as axioms.
    """
    arguments = [part for module in modules for part in ("-norec", module)]
    output = _run(
        [program("coqchk"), "-silent", "-o", *arguments, "-R", str(root), "ratproof"], root, errors_too=True
    )
    parts = re.findall(r"^\* ([^:]*):(.*?)(?=^\* |\Z)", output, re.DOTALL | re.MULTILINE)
    if "CONTEXT SUMMARY" not in output or "Axioms" not in dict(parts):
        raise RuntimeError(f"the output of coqchk must list the assumptions of the files, got {output!r}")
    return [name for what, names in parts if what != "Theory" for name in names.split() if name != "<none>"]


def _run(
    command: Sequence[str], where: Path | None, errors_too: bool = False, timeout: float | None = None
) -> str:
    process = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False, timeout=timeout)
    if process.returncode == 0:
        return process.stdout + process.stderr if errors_too else process.stdout
    output = process.stderr.strip() or process.stdout.strip()
    if re.search(r"logical path\s+\S+\s+with\s+prefix\s+mathcomp", output):
        raise NoCoq(f"Coq cannot find mathcomp; install it with {HOW_TO_GET_IT}")
    start = max(output.rfind("Error:"), 0)
    error = output[start:]
    positions = list(re.finditer(r'File "([^"]*)", line (\d+)', output[:start]))
    position = positions[-1] if positions else None  # earlier ones belong to warnings
    raise Rejected(
        f"{position[1]}, line {position[2]}" if position else command[0],
        " ".join(error.removeprefix("Error:").split()),
    )


FOLDER = "outputs"


def output_of(text: str, root: Path) -> str:
    """Return Coq's output for the text, from the cache if it is there.

    ``ratproof prove`` compiles from scratch, so it runs Coq again.

    Raises:
        NoCoq: If Coq or mathcomp is not installed.
        Rejected: If Coq does not accept the text.
    """
    if root.parent != cache_folder("coq"):  # do not cache: the files may change
        return _ask(text, root)
    kept = root / FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:40]}.txt"
    kept.parent.mkdir(exist_ok=True)
    with FileLock(kept.with_suffix(".lock")):  # only one process runs Coq
        if not kept.exists():
            write_whole(kept, _ask(text, root))
        return kept.read_text(encoding="utf-8")


def _ask(text: str, root: Path) -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "commands.v"
        file.write_text(text, encoding="utf-8")
        return compile_file(file, root)
