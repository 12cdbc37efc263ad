"""Coq's programs: where they are, and what they say."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from automata.errors import InputError

WARNINGS = "-notation-overridden,-ambiguous-paths"
"""What mathcomp 1.15 warns of when it is loaded, and no file of ours can change."""
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
        why: what Coq says.
    """

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: Coq does not accept it: {why}")
        self.where, self.why = where, why


def program(name: str) -> str:
    """The path of ``coqc``, ``coqdep`` or ``coqchk``; :class:`NoCoq` without."""
    found = shutil.which(name)
    if found is None:
        raise NoCoq(f"{name} is not on the path: {HOW_TO_GET_IT}")
    return found


def version() -> str:
    """Coq's version; :class:`NoCoq` where it is another than the one that the development is written for."""
    found = _said([program("coqc"), "--print-version"], None).split()[0]
    if not found.startswith(f"{VERSION}."):
        raise NoCoq(f"Coq {found} is here, where {VERSION} is right, with mathcomp 1.15: {HOW_TO_GET_IT}")
    return found


def compiled(file: Path, root: Path, options: Sequence[str] = ()) -> str:
    """Compile a file with the development at ``root``, and return what it prints; :class:`Rejected` where Coq
    does not accept it.
    """
    return _said([program("coqc"), "-w", WARNINGS, *options, "-R", str(root), "ratproof", str(file)], root)


def dependencies(root: Path, files: Sequence[Path]) -> dict[Path, list[Path]]:
    """For each file those of the others that have to be compiled before it."""
    names = [str(file.relative_to(root)) for file in files]
    found = {}
    for line in _said([program("coqdep"), "-R", ".", "ratproof", *names], root).splitlines():
        made, needed = line.split(":", 1)
        target = next((name for name in made.split() if name.endswith(".vo")), None)
        if target is not None:
            found[root / target[:-1]] = [root / need[:-1] for need in needed.split() if need.endswith(".vo")]
    return {file: [need for need in found.get(file, []) if need in files] for file in files}


def checked(root: Path, modules: Sequence[str]) -> list[str]:
    """What the compiled files of these modules rest on, as ``coqchk`` tells it after it has checked them once
    more.

    Axioms by their names; and constants that rely on type-in-type, on unguarded recursion or on unchecked
    positivity. It does not look into mathcomp's sealed modules, whose fields it therefore lists as axioms.
    """
    asked = [part for module in modules for part in ("-norec", module)]
    said = _said(
        [program("coqchk"), "-silent", "-o", *asked, "-R", str(root), "ratproof"], root, errors_too=True
    )
    parts = re.findall(r"^\* ([^:]*):(.*?)(?=^\* |\Z)", said, re.DOTALL | re.MULTILINE)
    if "CONTEXT SUMMARY" not in said or "Axioms" not in dict(parts):
        raise RuntimeError(f"coqchk does not say what the files rest on: {said!r}")
    return [name for what, names in parts if what != "Theory" for name in names.split() if name != "<none>"]


def _said(command: Sequence[str], where: Path | None, errors_too: bool = False) -> str:
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout + done.stderr if errors_too else done.stdout
    said = done.stderr.strip() or done.stdout.strip()
    if re.search(r"logical path\s+\S+\s+with\s+prefix\s+mathcomp", said):
        raise NoCoq(f"Coq finds no mathcomp: {HOW_TO_GET_IT}")
    place = re.search(r'File "([^"]*)", line (\d+)', said)
    error = said[said.rfind("Error:") :] if "Error:" in said else said
    raise Rejected(
        f"{place[1]}, line {place[2]}" if place else command[0],
        " ".join(error.removeprefix("Error:").split()),
    )
