"""Mutations of lines and their columns."""

from __future__ import annotations

from random import Random

from proofs_tests.mutated_files.changed_bytes import Mutant
from proofs_tests.mutated_files.values import TOKENS


def of_lines(data: bytes, random: Random) -> Mutant:
    """Remove, add, double, exchange or replace lines and columns; change ends of lines, blank lines and
    words.
    """
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    at = random.randrange(len(lines))
    line = lines[at]
    gap = "\t" if "\t" in line else " "
    columns = line.split(gap)
    place = random.randrange(len(columns))
    way = random.choice(
        (
            "column",
            "column",
            "column",
            "less",
            "more",
            "swap",
            "word",
            "gap",
            "line",
            "drop",
            "double",
            "move",
            "blank",
            "ends",
            "long",
        )
    )
    if way == "column":
        columns[place] = random.choice(TOKENS)
    elif way == "less":
        del columns[place]
    elif way == "more":
        columns.insert(place, random.choice((*TOKENS, columns[place])))
    elif way == "swap":
        other = random.randrange(len(columns))
        columns[place], columns[other] = columns[other], columns[place]
    elif way == "word":
        words = columns[place].split(" ")
        words[random.randrange(len(words))] = random.choice(TOKENS)
        columns[place] = " ".join(words)
    elif way == "long":
        columns[place] *= random.choice((2, 50, 1000))
    lines[at] = gap.join(columns)
    if way == "gap":
        lines[at] = line.replace(gap, random.choice((" ", "\t", "  ", "\t\t", ",", "\u00a0", "")))
    elif way == "line":
        lines[at] = random.choice(TOKENS)
    elif way == "drop":
        del lines[at]
    elif way == "double":
        lines.insert(random.randrange(len(lines) + 1), line)
    elif way == "move":
        lines.insert(random.randrange(len(lines)), lines.pop(at))
    elif way == "blank":
        lines.insert(at, random.choice(("", " ", "\t", "\r", "\x0b", "\u3000")))
    ends = random.choice(("\r\n", "\r", "\u2028", "\x0c", "\n\n")) if way == "ends" else "\n"
    changed = ends.join(lines).encode("utf-8", "surrogateescape")
    return (
        changed,
        f"{way} in line {at + 1}, {line[:40]!r}: now {(lines[at] if at < len(lines) else '')[:60]!r}",
    )
