"""Reports as HTML: a self-contained file, or its body for a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from automata.drawing import Drawable, small_svg
from automata.errors import OutputError
from automata.io.files import write_whole
from automata.text.printable_text import printable

if TYPE_CHECKING:
    from jinja2 import Environment

GOOD, BAD, UNSURE, PLAIN = "good", "bad", "unknown", ""
"""The CSS classes that colour a verdict."""
VERDICT_MARKS = {"equivalent": GOOD, "certified": GOOD, "different": BAD, "unknown": UNSURE}
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class HtmlCell:
    """A cell of a table; ``code`` is for commands to paste."""

    text: object
    mark: str = PLAIN
    code: bool = False


@dataclass(frozen=True)
class HtmlTable:
    """A table of a page."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[HtmlCell]]


Drawing = tuple[str, str]
"""A caption, and a drawing as SVG."""


@dataclass(frozen=True)
class Finding:
    """A counterexample, with the command and the script that reproduce it, and drawings."""

    title: str
    text: str
    command: str = ""
    script: str = ""
    drawings: Sequence[Drawing] = ()


@dataclass(frozen=True)
class HtmlPage:
    """The contents of a report.

    Attributes:
        title: Title of the page.
        verdict: The verdict in one or two words, coloured by ``mark``.
        mark: CSS class of the verdict.
        summary: Sentences below the title.
        command: The command that reproduces the report, or the empty string.
        findings: The counterexamples.
        tables: The tables below the counterexamples.
        drawings: The drawings below the summary.
    """

    title: str
    verdict: str
    mark: str
    summary: Sequence[str] = ()
    command: str = ""
    findings: Sequence[Finding] = ()
    tables: Sequence[HtmlTable] = ()
    drawings: Sequence[Drawing] = ()


def document(page: HtmlPage) -> str:
    """Return the page as a complete HTML document."""
    return _render("page.html.j2", page)


def fragment(page: HtmlPage) -> str:
    """Return the page's body, for a notebook."""
    return _render("body.html.j2", page)


def write_html(page: HtmlPage, file: str) -> str:
    """Write the file; return the error message if that fails, else the empty string."""
    try:
        write_whole(file, document(page))
    except OutputError as error:
        return str(error)
    return ""


def drawings_of(automata: Mapping[str, Drawable]) -> list[Drawing]:
    """Return drawings, with their captions, of the automata that are small enough to be readable."""
    drawn = ((name, small_svg(automaton)) for name, automaton in automata.items())
    return [(name, svg) for name, svg in drawn if svg]


def cells(*texts: object) -> list[HtmlCell]:
    """Return the texts as a row of plain cells."""
    return [HtmlCell(text) for text in texts]


def _render(template: str, page: HtmlPage) -> str:
    return _environment().get_template(template).render(page=page)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader  # only needed to write a report

    return Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, finalize=_shown, keep_trailing_newline=True
    )


def _shown(value: object) -> object:
    """Escape control characters, and characters that change the direction of text."""
    from markupsafe import Markup

    return value if isinstance(value, Markup) else printable(value, keep="\n\t")
