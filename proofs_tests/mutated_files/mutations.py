"""Mutants of a file: the same random numbers make the same one; each comes with what was done to it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from proofs_tests.mutated_files.changed_archives import of_gzip, of_npz
from proofs_tests.mutated_files.changed_bytes import Mutant, of_bytes
from proofs_tests.mutated_files.changed_checkpoints import of_checkpoint
from proofs_tests.mutated_files.changed_json import of_json
from proofs_tests.mutated_files.changed_lines import of_lines

STRUCTURED: dict[str, Callable[[bytes, Random], Mutant]] = {
    ".json": of_json,
    ".safetensors": of_checkpoint,
    ".npz": of_npz,
    ".gz": of_gzip,
    "": of_lines,
}
"""By the end of a file's name, what changes it as what it is."""


def mutated(name: str, data: bytes, random: Random) -> Mutant:
    """A mutant of a file, by the kind that its name says."""
    data, done = one_change(name, data, random)
    for _ in range(random.choice((0, 0, 0, 0, 0, 1, 2))):
        try:
            data, more = one_change(name, data, random)
        except Exception:  # an earlier change left nothing that could be changed in this way
            data, more = of_bytes(data, random)
        done = f"{done}; {more}"
    return data, done


def one_change(name: str, data: bytes, random: Random) -> Mutant:
    """One change: of what the file says five times in six, else of its bytes."""
    way = next(change for suffix, change in STRUCTURED.items() if name.endswith(suffix))
    return (of_bytes if random.random() < 1 / 6 else way)(data, random)
