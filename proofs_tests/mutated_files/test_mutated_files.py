"""Tests of mutated files of every format.

They are refused with a one-line error and exit status 2, or read correctly. There is no traceback, no hang,
and no partial output file.
"""

import json
import os
from functools import partial
from pathlib import Path

import pytest
from hypothesis import strategies as st

from proofs_tests.mutated_files.edits import mutants, sorted_checkpoint
from proofs_tests.mutated_files.independent import disagreement
from proofs_tests.mutated_files.kind import Kind
from proofs_tests.mutated_files.kinds import KINDS
from proofs_tests.mutated_files.running import Hangs, RunResult, result
from ratproof.evidence.random_cases import for_random_cases

A_KIND, FRESH = 15, 500
"""Number of mutants of a kind of file: in a run without a seed, and in a run with a seed."""
LONGEST = 2000
"""Maximum length in characters of an error message."""


class Specimen:
    """A folder with the well-formed files of one kind, which tests mutate and restore."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.names = kind.write(folder)
        for path in folder.rglob("*.safetensors"):
            path.write_bytes(sorted_checkpoint(path.read_bytes()))
        self.whole = contents(folder)

    def restore(self) -> None:
        """Restore the initial contents of the folder."""
        now = contents(self.folder)
        for name in now.keys() - self.whole.keys():
            (self.folder / name).unlink()
        for name, data in self.whole.items():
            if now.get(name) != data:
                (self.folder / name).write_bytes(data)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.name)
def specimen(request, tmp_path_factory):
    """Return one specimen for all tests of a kind; its folder is the current one."""
    folder = tmp_path_factory.mktemp("mutated")
    before = Path.cwd()
    os.chdir(folder)
    yield Specimen(request.param, folder)
    os.chdir(before)


def test_an_unchanged_file_is_read(specimen):
    """If an unchanged file were refused, its mutants would show nothing."""
    for program, *arguments in specimen.kind.commands:
        answer = result(program, arguments)
        wrong = error_in(answer)
        assert wrong is None and answer.status != 2, f"{arguments}: {wrong}, {answer}"
        specimen.restore()


def test_a_mutant_is_refused_with_a_one_line_error_or_read_correctly(specimen, request):
    """A run with a seed (``nox -s search``) tests new mutants."""
    seeded = request.config.getoption("--hypothesis-seed", default=None) is not None
    count = max(1, int((FRESH if seeded else A_KIND) * specimen.kind.share))
    for_random_cases(f"mutants: {specimen.kind.name}", count, partial(require_correct_results, specimen))


def require_correct_results(specimen: Specimen, data: st.DataObject) -> None:
    """Run one command on a mutant, or all commands that must agree, and check the results."""
    kind = specimen.kind
    name = data.draw(st.sampled_from(specimen.names))
    commands = kind.commands if kind.agree else (data.draw(st.sampled_from(kind.commands)),)
    mutant = data.draw(mutants(name, specimen.whole[name]))
    as_json, statuses = data.draw(st.integers(0, 9)) < 7, set()
    for program, *arguments in commands:
        arguments = arguments if as_json else [one for one in arguments if one != "--json"]
        where = f"{program} {' '.join(arguments)} on {name}, mutated"
        Path(name).write_bytes(mutant)
        try:
            answer = result(program, arguments)
            wrong = error_in(answer)
            assert wrong is None, f"{where}: {wrong}"
            unchanged = contents(specimen.folder) == {**specimen.whole, name: mutant}
            assert answer.status != 2 or unchanged, f"{where}: it was refused, and files have changed"
            if answer.status == 0 and arguments[-1] == "--json":
                wrong = disagreement(arguments, answer.out)
                assert wrong is None, f"{where}: {wrong}"
        except Hangs as error:
            raise AssertionError(f"{where}: it did not end") from error
        finally:
            specimen.restore()
        statuses.add(answer.status == 0)
    assert len(statuses) == 1, f"some accept {name}, and some do not: {kind.commands}"


def error_in(answer: RunResult) -> str | None:
    """Return why the output is neither a result nor a one-line error message; ``None`` if it is either."""
    sentences = [line for line in answer.err.splitlines() if not line.startswith("ratproof: note: ")]
    if not all(text.isprintable() for text in answer.err.splitlines()):
        return f"it writes to the terminal what is not printed: {answer.err[:500]!r}"
    if answer.status == 2 or (
        answer.status == 3 and not answer.out
    ):  # 3 if reading needs more memory than is available
        one = len(sentences) == 1 and len(sentences[0]) <= LONGEST
        return (
            None
            if one and not answer.out
            else f"it is no sentence: {answer.err[:500]!r}, and on standard output {answer.out[:200]!r}"
        )
    if answer.status not in (0, 1, 3):
        return f"it left with exit status {answer.status}: {answer.err[:500]!r}"
    if answer.out.startswith("{"):
        json.loads(answer.out)
    return None
