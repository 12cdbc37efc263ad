"""Markdown from plain text and from tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")
_CODE = re.compile(r"``?([^`]+)``?")
_INDEXED = re.compile(r"\b([A-Za-z]+)_(\{[^{}]*\}|[A-Za-z0-9]+)")


def plain(text: str) -> str:
    """The text with nothing but code in it read as Markdown; c_0 and c_{t-1} get their index below the
    line.
    """
    words = _CODE.split(text)
    return "".join(f"`{word}`" if i % 2 else _with_indices(word) for i, word in enumerate(words))


def _with_indices(text: str) -> str:
    parts, end = [], 0
    for match in _INDEXED.finditer(text):
        parts += [escaped(text[end : match.start()]), f"{match[1]}{{sub}}`{match[2].strip('{}')}`"]
        end = match.end()
    return "".join([*parts, escaped(text[end:])])


def escaped(text: str) -> str:
    """The text with nothing in it read as Markdown."""
    return _SPECIAL.sub(r"\\\1", text)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], css: str = "") -> str:
    """A table whose cells are Markdown."""
    lines = [_row(header), _row(["---"] * len(header)), *map(_row, rows)]
    return fence("table", "\n".join(lines), options={"class": css} if css else {})


def fence(directive: str, body: str, title: str = "", options: dict[str, str] | None = None) -> str:
    """A directive with a body that is Markdown."""
    lines = [
        f":::{{{directive}}} {title}".rstrip(),
        *(f":{k}: {v}".rstrip() for k, v in (options or {}).items()),
    ]
    return "\n".join([*lines, "", body, ":::", ""])


def sentence(text: str) -> str:
    """A line as a run printed it, verbatim, wrapped where it is long."""
    return "\n".join(["```{code-block} text", ":class: sentence", "", text, "```", ""])


def console(*commands: str) -> str:
    """Commands to type."""
    return "\n".join(
        ["```{code-block} console", ":class: sentence", "", *(f"$ {c}" for c in commands), "```", ""]
    )


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
