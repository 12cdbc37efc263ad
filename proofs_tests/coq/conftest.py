"""Fixtures with the compiled Coq development, for all tests in this folder."""

import re
import subprocess
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from filelock import FileLock

from ratproof.coq import programs as coq
from ratproof.coq import reals
from ratproof.coq.development import build

PROOF = re.compile(r"\bProof\..*?\bQed\.", re.DOTALL)


@pytest.fixture(scope="session")
def compiled():
    """Return the folder with the compiled theory/coq."""
    try:
        return build()
    except coq.NoCoq as error:
        pytest.skip(f"not run: {error}")


@pytest.fixture(scope="session")
def theory(tmp_path_factory, request):
    """Return a folder with ``inlined.vos``: the compiled definitions of the theories of the checkers.

    All processes of a test run share the folder. The proofs are left out: ``test_real_theorems.py`` runs
    them, and ``nox -s prove`` runs those of the checkers.
    """
    require_libraries(reals.CHECKERS, reals.RULES)
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "definitions"
    # the names of RULES are shadowed by libraries that later files import
    files = dict.fromkeys((*reals.RULES.files, *reals.CHECKERS.files, *reals.ROUNDING.files))
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "inlined.vos").exists():
            folder.mkdir(exist_ok=True)
            file = folder / "inlined.v"
            file.write_text(PROOF.sub("Admitted.", "\n".join(map(reals.inline_module, files))))
            coq.compile_file(file, folder, ["-vos"])
    return folder


def require_libraries(*theories: reals.RealTheory) -> None:
    """Skip the test if a library of Coq is missing."""
    try:
        for real_theory in theories:
            real_theory.require_library()
    except (coq.NoCoq, reals.NoLibrary) as error:
        pytest.skip(f"not run: {error}")


def run_definitions(text: str, theory: Path) -> str:
    """Return Coq's output for a text that uses the definitions of the :func:`theory`."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "commands.v"
        file.write_text(f"Require Import inlined.\n{text}")
        return coq.compile_file(file, theory, ["-vok"])


class Session:
    """A process of Coq that runs many texts, each after the same beginning.

    A file that ``coqc`` refuses is a text with an error here. The libraries are loaded only once.
    """

    def __init__(self, beginning: str, root: Path) -> None:
        command = [coq.program("coqtop"), "-q", "-emacs", "-w", coq.WARNINGS, "-R", str(root), "ratproof"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.marks = count()
        output = self._run(f"Set Silent.\n{beginning}")  # without the goal after each step
        assert "Error:" not in output, output
        self.state = re.findall(r"<prompt>Coq < (\d+) ", output)[-1]

    def accepts(self, text: str) -> bool:
        """Return whether the text has no error."""
        try:
            self.run(text)
        except coq.Rejected:
            return False
        return True

    def run(self, text: str) -> str:
        """Return Coq's output for the text, and undo its commands; raise Rejected at its first error."""
        output = ""
        for part in re.split(r"(?<=Qed\.\n)", text):
            output += self._run(part)
            if "Error:" in output:
                break
        self._run(f"BackTo {self.state}.")
        if "Error:" in output:
            raise coq.Rejected("the session", output.partition("Error:")[2])
        return re.sub(r"<prompt>.*?</prompt>", "", output)

    def _run(self, commands: str) -> str:
        """Return Coq's output for commands, and for one that prints a mark at the end."""
        assert self.process.stdin and self.process.stdout
        mark = f"mark_{next(self.marks)}"
        self.process.stdin.write(f"{commands}\nLocate {mark}.\n")
        self.process.stdin.flush()
        output = ""
        while f"No object of basename {mark}" not in output:
            line = self.process.stdout.readline()
            assert line, f"coqtop must print {mark}, got {output}"
            output += line
        return output[: output.rindex("No object of basename")]

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
