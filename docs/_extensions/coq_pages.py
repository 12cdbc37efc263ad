"""The Coq sources, a page a file, with an anchor at each theorem that claims' pages link to."""

from __future__ import annotations

import re

from page_text import plain

from ratproof.coq.sources import source_files, source_folder, statements


def pages() -> dict[str, str]:
    """A page for each file and their index, by path."""
    files = {
        file.relative_to(source_folder()).as_posix(): file.read_text(encoding="utf-8")
        for file in source_files()
    }
    made = {f"api/{page_of(name)}.md": _page(name, text) for name, text in files.items()}
    names = "\n".join(map(page_of, files))
    made["api/coq.md"] = (
        "# Coq sources\n\nThe files of `theory/coq`; how to run them: [Coq](/kernel.md).\n\n"
        + "".join(f"- [`{name}`]({page_of(name)}.md)\n" for name in files)
        + f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )
    return made


def page_of(file: str) -> str:
    """The name of a file's page."""
    return "coq-" + re.sub("[^a-z0-9_]+", "-", file.removesuffix(".v").lower())


def anchor(theorem: str) -> str:
    """The target of a theorem, by its full name."""
    return "coq-" + re.sub("[^a-z0-9]+", "-", theorem.lower())


def _page(name: str, text: str) -> str:
    module = name.removesuffix(".v").replace("/", ".")
    starts = sorted(
        (statement.line, statement.name)
        for statement in statements().values()
        if statement.name.rpartition(".")[0] == module
    )
    lines = text.splitlines()
    parts, last = [f"# {plain(name)}\n"], 1
    for line, theorem in [*starts, (len(lines) + 1, "")]:
        parts.append(_block(lines[last - 1 : line - 1], last))
        if theorem:
            parts.append(f"({anchor(theorem)})=\n")
        last = line
    return "\n".join(part for part in parts if part)


def _block(lines: list[str], first: int) -> str:
    if not any(line.strip() for line in lines):
        return ""
    body = "\n".join(lines)
    return f"``````{{code-block}} coq\n:lineno-start: {first}\n\n{body}\n``````\n"
