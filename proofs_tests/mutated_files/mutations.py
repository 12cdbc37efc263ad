"""Mutants of a file, each with a description: the same random numbers give the same one."""

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
"""The mutations that know a format, by the end of a file's name."""


def mutated(name: str, data: bytes, random: Random) -> Mutant:
    """A mutant of a file, in the format that its name has."""
    data, description = one_change(name, data, random)
    for _ in range(random.choice((0, 0, 0, 0, 0, 1, 2))):
        try:
            data, more = one_change(name, data, random)
        except Exception:  # an earlier change left nothing that could be changed in this way
            data, more = of_bytes(data, random)
        description = f"{description}; {more}"
    return data, description


def one_change(name: str, data: bytes, random: Random) -> Mutant:
    """One mutation: of the content five times in six, else of the bytes."""
    way = next(change for suffix, change in STRUCTURED.items() if name.endswith(suffix))
    return (of_bytes if random.random() < 1 / 6 else way)(data, random)
