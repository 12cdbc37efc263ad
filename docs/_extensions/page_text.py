"""Rendering of Markdown pages from Jinja templates, with a common function for tables."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any, TypeVar

from formulas import in_latex
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from training.tables import percent

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")
_CODE = re.compile(r"``?([^`]+)``?")
Function = TypeVar("Function", bound=Callable[..., Any])


def plain(text: object) -> str:
    """Escape the text as Markdown, except for code and formulas."""
    words = _CODE.split(str(text))
    return "".join(f"`{word}`" if i % 2 else _with_formulas(word) for i, word in enumerate(words))


def _with_formulas(text: str) -> str:
    parts = in_latex(text)
    return "".join(f"{{math}}`{part.strip()}`" if i % 2 else escaped(part) for i, part in enumerate(parts))


def escaped(text: str) -> str:
    """Escape all special characters of Markdown in the text."""
    return _SPECIAL.sub(r"\\\1", text)


def table(
    header: str | Sequence[str],
    rows: Iterable[Sequence[object]] = (),
    css: str = "",
    caller: Callable[[], str] | None = None,
) -> str:
    """Return a Markdown table.

    Args:
        header: the titles of the columns, as a sequence or as one string with bars between them.
        rows: the cells, which are Markdown.
        css: the class of the table.
        caller: in a template, the body of ``{% call table(...) %}``, with a row on each line.
    """
    titles = header.split(" | ") if isinstance(header, str) else header
    body = [line.strip() for line in caller().splitlines()] if caller else map(_row, rows)
    options = f":class: {css}\n" if css else ""
    lines = "\n".join(filter(None, (_row(titles), _row(["---"] * len(titles)), *body)))
    return f":::{{table}}\n{options}\n{lines}\n:::\n"


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def render(template: str, **context: Any) -> str:
    """Render a template with the given values."""
    text = environment().get_template(f"{template}.md.j2").render(context)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).lstrip("\n")


@cache
def environment() -> Environment:
    """Return the Jinja environment, to which pages add filters and globals."""
    result = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    result.filters |= {
        "plain": plain,
        "escaped": escaped,
        "f": format,
        "percent": percent,
        "mean": mean,
        "stdev": stdev,
        "median": median,
        "flat": _flat,
    }
    result.globals |= {"table": table, "mean_of": mean_of, "zip": zip}
    return result


def template_global(function: Function) -> Function:
    """Make a function available to all templates by its name."""
    environment().globals[function.__name__] = function
    return function


def mean_of(runs: Iterable[dict[str, Any]], *keys: str) -> float:
    """Return the mean of a value over the runs; ``keys`` is the path to the value in each run."""
    values = []
    for run in runs:
        value: Any = run
        for key in keys:
            value = value[key]
        values.append(value)
    return mean(values)


def _flat(lists: Iterable[Iterable[object]]) -> list[object]:
    return list(chain.from_iterable(lists))
