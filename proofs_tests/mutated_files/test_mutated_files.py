"""Mutants of every file format: refused in one sentence with exit status 2, or read right; no traceback, no
hang, nothing half written.
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
    """The folder of a kind's specimen."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.names = kind.write(folder)
        self.whole = contents(folder)

    def restore(self) -> None:
        """Restore the folder's first contents."""
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
    """One specimen for all tests of a kind; its folder is the current one."""
    folder = tmp_path_factory.mktemp("mutated")
    before = Path.cwd()
    os.chdir(folder)
    yield Specimen(request.param, folder)
    os.chdir(before)


def test_a_whole_file_is_read(specimen: Specimen) -> None:
    """Else no mutant of it would say anything."""
    for program, *arguments in specimen.kind.commands:
        answer = result(program, arguments)
        wrong = wrong_answer(answer)
        assert wrong is None and answer.status != 2, f"{arguments}: {wrong}, {answer}"
        specimen.restore()


def test_a_mutant_is_refused_in_a_sentence_or_read_right(
    specimen: Specimen, request: pytest.FixtureRequest
) -> None:
    """Fresh ones with a seed (``nox -s search``)."""
    seed = request.config.getoption("--hypothesis-seed", default=None)
    count = int((A_KIND if seed is None else FRESH) * specimen.kind.share)
    failures = [text for number in range(count) if (text := failure(specimen, f"{seed}", number)) is not None]
    assert not failures, f"{len(failures)} of {count} mutants:\n\n" + "\n\n".join(failures[:5])


def failure(specimen: Specimen, seed: str, number: int) -> str | None:
    """The failure of one mutant, with what makes it again; ``None`` where there is none."""
    kind, random = specimen.kind, Random(f"{specimen.kind.name}, {seed}, {number}")
    name = random.choice(specimen.names)
    commands = kind.commands if kind.agree else (random.choice(kind.commands),)
    data, description = mutated(name, specimen.whole[name], random)
    answers: list[Result] = []
    wrong = None
    for program, *whole in commands:
        arguments = whole if random.random() < 0.7 else [one for one in whole if one != "--json"]
        Path(name).write_bytes(data)
        try:
            answers.append(result(program, arguments))
            wrong = wrong_answer(answers[-1])
            if (
                wrong is None
                and answers[-1].status == 2
                and contents(specimen.folder) != {**specimen.whole, name: data}
            ):
                wrong = "it was refused, and files have changed"
            if wrong is None and answers[-1].status == 0 and arguments[-1] == "--json":
                wrong = disagreement(arguments, answers[-1].out)
        except (Exception, Hangs) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            wrong = f"{type(error).__name__}: {error!s:.300} ({last.filename}, line {last.lineno})"
        finally:
            specimen.restore()
        if wrong is not None:
            break
    if wrong is None and len({one.status == 0 for one in answers}) > 1:
        wrong = f"some accept it, and some do not: {answers}"
    if wrong is None:
        return None
    return (
        f"{program} {' '.join(arguments)} on the mutant {kind.name!r}, seed {seed}, number {number}: {name}:"
        f" {description}\n  {wrong}"
    )


def wrong_answer(answer: Result) -> str | None:
    """Why a result is neither a refusal in one sentence nor an answer; ``None`` where it is."""
    sentences = [line for line in answer.err.splitlines() if not line.startswith("ratproof: note: ")]
    if not all(text.isprintable() for text in answer.err.splitlines()):
        return f"it writes to the terminal what is not printed: {answer.err[:500]!r}"
    if answer.status == 2 or (
        answer.status == 3 and not answer.out
    ):  # 3: where it would need more memory than there is
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
