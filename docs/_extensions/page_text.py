"""Markdown from plain text and from tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from formulas import in_latex

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")
_CODE = re.compile(r"``?([^`]+)``?")


def plain(text: str) -> str:
    """The text with nothing but code and formulas in it read as Markdown."""
    words = _CODE.split(text)
    return "".join(f"`{word}`" if i % 2 else _with_formulas(word) for i, word in enumerate(words))


def _with_formulas(text: str) -> str:
    parts = in_latex(text)
    return "".join(f"{{math}}`{part.strip()}`" if i % 2 else escaped(part) for i, part in enumerate(parts))


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
