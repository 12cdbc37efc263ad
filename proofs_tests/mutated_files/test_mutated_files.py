"""Every kind of file that is read, mutated: one sentence and exit status 2, or a right answer; no traceback,
no hang, nothing half written.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from proofs_tests.mutated_files.independent import disagreement
from proofs_tests.mutated_files.kind import Kind
from proofs_tests.mutated_files.kinds import KINDS
from proofs_tests.mutated_files.mutations import mutated
from proofs_tests.mutated_files.running import Hangs, Result, result

A_KIND, FRESH = 25, 500
"""How many mutants of a kind: in every run, and where a seed asks for fresh ones."""
LONGEST = 2000
"""The most characters of a sentence that refuses a file."""


class Specimen:
    """A kind's folder, as it was made."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.names = kind.made(folder)
        self.whole = contents(folder)

    def restore(self) -> None:
        """The folder as it was made."""
        now = contents(self.folder)
        for name in now.keys() - self.whole.keys():
            (self.folder / name).unlink()
        for name, data in self.whole.items():
            if now.get(name) != data:
                (self.folder / name).write_bytes(data)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.name)
def specimen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Specimen]:
    """Made once; it is the current folder."""
    folder = tmp_path_factory.mktemp("mutated")
    before = Path.cwd()
    os.chdir(folder)
    yield Specimen(request.param, folder)
    os.chdir(before)


def test_a_whole_file_is_read(specimen: Specimen) -> None:
    """Else no mutant of it would say anything."""
    for program, *arguments in specimen.kind.commands:
        found = result(program, arguments)
        wrong = wrong_answer(found)
        assert wrong is None and found.status != 2, f"{arguments}: {wrong}, {found}"
        specimen.restore()


def test_a_mutant_is_refused_in_a_sentence_or_read_right(
    specimen: Specimen, request: pytest.FixtureRequest
) -> None:
    """Fresh ones with a seed (``nox -s search``)."""
    seed = request.config.getoption("--hypothesis-seed", default=None)
    count = int((A_KIND if seed is None else FRESH) * specimen.kind.share)
    failures = [said for number in range(count) if (said := outcome(specimen, f"{seed}", number)) is not None]
    assert not failures, f"{len(failures)} of {count} mutants:\n\n" + "\n\n".join(failures[:5])


def outcome(specimen: Specimen, seed: str, number: int) -> str | None:
    """What is wrong with one mutant, and what makes it again; ``None`` where nothing is."""
    kind, random = specimen.kind, Random(f"{specimen.kind.name}, {seed}, {number}")
    name = random.choice(specimen.names)
    commands = kind.commands if kind.agree else (random.choice(kind.commands),)
    data, done = mutated(name, specimen.whole[name], random)
    found: list[Result] = []
    wrong = None
    for program, *whole in commands:
        arguments = whole if random.random() < 0.7 else [one for one in whole if one != "--json"]
        Path(name).write_bytes(data)
        try:
            found.append(result(program, arguments))
            wrong = wrong_answer(found[-1])
            if (
                wrong is None
                and found[-1].status == 2
                and contents(specimen.folder) != {**specimen.whole, name: data}
            ):
                wrong = "it was refused, and files have changed"
            if wrong is None and found[-1].status == 0 and arguments[-1] == "--json":
                wrong = disagreement(arguments, found[-1].out)
        except (Exception, Hangs) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            wrong = f"{type(error).__name__}: {error!s:.300} ({last.filename}, line {last.lineno})"
        finally:
            specimen.restore()
        if wrong is not None:
            break
    if wrong is None and len({one.status == 0 for one in found}) > 1:
        wrong = f"some accept it, and some do not: {found}"
    if wrong is None:
        return None
    return (
        f"{program} {' '.join(arguments)} on the mutant {kind.name!r}, seed {seed}, number {number}: {name}:"
        f" {done}\n  {wrong}"
    )


def wrong_answer(found: Result) -> str | None:
    """Why it is neither a refusal in one sentence nor an answer."""
    said = [line for line in found.err.splitlines() if not line.startswith("ratproof: note: ")]
    if not all(text.isprintable() for text in found.err.splitlines()):
        return f"it writes to the terminal what is not printed: {found.err[:500]!r}"
    if found.status == 2 or (
        found.status == 3 and not found.out
    ):  # 3: where it would need more memory than there is
        one = len(said) == 1 and len(said[0]) <= LONGEST
        return (
            None
            if one and not found.out
            else f"it is no sentence: {found.err[:500]!r}, and on standard output {found.out[:200]!r}"
        )
    if found.status not in (0, 1, 3):
        return f"it left with exit status {found.status}: {found.err[:500]!r}"
    if found.out.startswith("{"):
        json.loads(found.out)
    return None
