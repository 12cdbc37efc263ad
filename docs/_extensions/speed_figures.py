"""The figures of the page on speed, from what ``bench/equivalence.py`` wrote: two plots and a table beside
what was wanted.

What was wanted is written at the top of that program, and read from there: no figure is said twice.
"""

from __future__ import annotations

import ast
import io
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from page_text import plain, table

FOLDER = "claims"
"""The generated pages' folder that holds all drawings, ignored by git."""
GREY, MEASURED, WANTED = "#7a7a7a", "#3a86d1", "#d9822b"  # each to be seen on white and on black


@dataclass(frozen=True)
class Series:
    """What one plot shows: seconds against a size, and the seconds that were wanted for some of the sizes."""

    measured: dict[int, float]
    wanted: dict[int, float]
    size: str


def pages(bench: Path) -> dict[str, str]:
    """The plots and the table, by path.

    Args:
        bench: the folder with ``equivalence.py`` and ``results/equivalence.json``.
    """
    measured = json.loads((bench / "results" / "equivalence.json").read_text(encoding="utf-8"))
    wanted = constants(bench / "equivalence.py")
    states = Series(_numbers(measured["states"]), wanted["WANTED"], "states of A")
    symbols = Series(_numbers(measured["symbols"]), {}, "symbols in the alphabet")
    return {
        f"{FOLDER}/equivalence-states.svg": _plot(states),
        f"{FOLDER}/equivalence-symbols.svg": _plot(symbols),
        f"{FOLDER}/equivalence-figures.txt": _table(measured, wanted),
    }


def constants(program: Path) -> dict[str, Any]:
    """What a program sets in capitals at its top, read without running it."""
    constants = {}
    for line in ast.parse(program.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign):
            (target,) = line.targets
            names = [
                part.id
                for part in (target.elts if isinstance(target, ast.Tuple) else [target])
                if isinstance(part, ast.Name)
            ]
            if not names or not all(name.isupper() for name in names):
                continue
            with suppress(ValueError):  # classes, say: no figure
                value = ast.literal_eval(line.value)
                constants |= dict(
                    zip(names, value if isinstance(target, ast.Tuple) else [value], strict=True)
                )
    return constants


def _numbers(seconds: Mapping[str, float]) -> dict[int, float]:
    return {int(size): taken for size, taken in seconds.items()}


def drawn(draw: Callable[[Axes], None]) -> str:
    """One plot as SVG: no background, and grey where a page's words are black or white."""
    style = {
        "svg.hashsalt": "ratproof",
        "font.size": 10.0,
        "text.color": GREY,
        "axes.labelcolor": GREY,
        "axes.edgecolor": GREY,
    }
    with matplotlib.rc_context({**style, "xtick.color": GREY, "ytick.color": GREY}):
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        low, high = axes.get_ylim()
        within_a_few = high / low < 100
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if within_a_few else (1,)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(color=GREY, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _plot(series: Series) -> str:
    def draw(axes: Axes) -> None:
        axes.loglog(
            list(series.measured), list(series.measured.values()), "o-", color=MEASURED, label="measured"
        )
        if series.wanted:
            axes.loglog(
                list(series.wanted),
                list(series.wanted.values()),
                "_",
                color=WANTED,
                ms=16,
                mew=2.5,
                label="wanted: below",
            )
            axes.legend(frameon=False)
        axes.set_xticks(list(series.measured), [str(size) for size in series.measured])
        axes.set_xlabel(series.size)
        axes.set_ylabel("seconds")

    return drawn(draw)


def _table(measured: dict[str, Any], wanted: dict[str, Any]) -> str:
    states, symbols, slow = (
        _numbers(measured["states"]),
        _numbers(measured["symbols"]),
        measured["over fractions"],
    )
    rows = [
        [
            f"equal pair, {n} states",
            _seconds(taken),
            f"at most {_seconds(wanted['WANTED'][n])}" if n in wanted["WANTED"] else "",
        ]
        for n, taken in states.items()
    ]
    rows += [
        [f"equal pair, 60 states, {n} symbol{'s' if n > 1 else ''}", _seconds(taken), ""]
        for n, taken in symbols.items()
    ]
    ratio = f"{slow['ratio']:.0f} times as long as with primes"
    memory = f"{measured['gigabytes']:.2f} GB"
    rows += [
        [
            "chain, different on one string, of length 200",
            _seconds(measured["chain"]),
            f"at most {_seconds(wanted['CHAIN_WANTED'])}",
        ],
        [
            "50 states, over `fractions.Fraction`",
            f"{_seconds(slow['seconds'])}, {ratio}",
            f"{wanted['RATIO_WANTED']} times or more",
        ],
        [
            "most memory of the process, up to the largest pair",
            memory,
            f"less than {wanted['MEMORY_WANTED']:g} GB",
        ],
    ]
    cores = f"{measured['cores']} core{'s' if measured['cores'] != 1 else ''}"
    when = (
        f"Measured on {measured['date']}, with {plain(measured['versions'])}, on {cores}"
        f" ({plain(measured['machine'])}).\n"
    )
    return f"{when}\n{table(('what', 'measured', 'wanted'), rows, css='speed')}"


def _seconds(taken: float) -> str:
    return f"{taken * 1000:.3g} ms" if taken < 0.1 else f"{taken:.3g} s"
