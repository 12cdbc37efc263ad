"""Mutations of a file's bytes."""

from __future__ import annotations

from random import Random

from proofs_tests.mutated_files.values import SNIPPETS

Mutant = tuple[bytes, str]
"""The bytes of the mutant, and a description of the mutation."""


def of_bytes(data: bytes, random: Random) -> Mutant:
    """Flip, replace, insert, delete, double or exchange bytes; cut the file short, empty it, or lengthen
    it.
    """
    n = len(data)
    at = random.randrange(n + 1)
    length = random.choice((1, 1, 2, 4, 8, 64, 1024))
    way = random.choice(
        (
            "flip",
            "flip",
            "byte",
            "insert",
            "insert",
            "delete",
            "delete",
            "double",
            "exchange",
            "cut",
            "empty",
            "append",
        )
    )
    if way == "flip" and n:
        at, bit = random.randrange(n), random.randrange(8)
        return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :], f"bit {bit} of byte {at} flipped"
    if way == "byte" and n:
        at, to = (
            random.randrange(n),
            random.choice((0, 9, 10, 13, 32, 34, 45, 46, 48, 57, 91, 93, 123, 125, 127, 128, 255)),
        )
        return data[:at] + bytes([to]) + data[at + 1 :], f"byte {at} is now {to}"
    if way == "insert":
        more = random.choice(SNIPPETS)
        return data[:at] + more + data[at:], f"{more!r} inserted at byte {at}"
    if way == "delete":
        return data[:at] + data[at + length :], f"{length} bytes deleted at {at}"
    if way == "double":
        return data[: at + length] + data[at:], f"{length} bytes doubled at {at}"
    if way == "exchange":
        a, b = sorted((at, random.randrange(n + 1)))
        return data[b:] + data[a:b] + data[:a], f"exchanged around bytes {a} to {b}"
    if way == "cut":
        return data[:at], f"cut at byte {at}"
    if way == "append":
        more = random.choice((*SNIPPETS, data))
        return data + more, f"{more[:20]!r} appended"
    return b"", "empty"
