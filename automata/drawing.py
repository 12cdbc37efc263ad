"""Automata drawn: DOT text, and SVG by Graphviz. Initial states get an arrow from nowhere, final states a double circle."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any

from automata.errors import InputError
from automata.semirings import Semiring
from automata.wfsa import EPSILON, WFSA

MOST_EDGES = 2000
MOST_NAMES = 4


def dot(automaton: WFSA) -> str:
    """The automaton in the DOT language; parallel transitions share an arrow, symbols with one weight share a line.

    Raises :class:`~automata.errors.InputError` where there would be too many arrows to see anything.
    """
    k = automaton.semiring
    groups = _grouped(automaton)
    if len(groups) > MOST_EDGES:
        raise InputError(f"the automaton has {len(groups)} arrows, and a drawing shows at most {MOST_EDGES}")
    lines = ["digraph automaton {", "  rankdir=LR;", '  node [shape=circle, fontname="serif"]; edge [fontname="serif"];']
    for q in range(automaton.states):
        final = automaton.final[q]
        shape = "" if final == k.zero else ", shape=doublecircle"
        note = "" if final in (k.zero, k.one) else f" / {_weight(k, final)}"
        lines.append(f"  {q} [label={_quoted(f'{q}{note}')}{shape}];")
    for q, weight in enumerate(automaton.initial.tolist()):
        if weight != k.zero:
            lines.append(f'  start{q} [shape=point, style=invis, label=""];')
            lines.append(f"  start{q} -> {q} [label={_quoted('' if weight == k.one else _weight(k, weight))}];")
    for (source, target), labels in groups.items():
        text = "\n".join(_line(k, names, weight, len(automaton.index)) for weight, names in labels.items())
        lines.append(f"  {source} -> {target} [label={_quoted(text)}];")
    return "\n".join([*lines, "}"]) + "\n"


def svg(automaton: WFSA) -> str:
    """The drawing as SVG text. Graphviz comes with pygraphviz's wheels."""
    import pygraphviz

    graph = pygraphviz.AGraph(string=dot(automaton))
    with _silenced_libraries():
        drawn: bytes = graph.draw(format="svg", prog="dot")
    text = drawn.decode("utf-8")
    return text[text.index("<svg") :]


@contextmanager
def _silenced_libraries() -> Iterator[None]:
    """Graphviz's libraries write remarks on the machine's fonts straight to standard error; nobody asked."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _grouped(automaton: WFSA) -> dict[tuple[int, int], dict[str, list[Hashable]]]:
    groups: dict[tuple[int, int], dict[str, list[Hashable]]] = {}
    for edge in automaton.edges():
        weight = _weight(automaton.semiring, edge.weight)
        groups.setdefault((edge.source, edge.target), {}).setdefault(weight, []).append(edge.symbol)
    return groups


def _line(k: Semiring, names: list[Hashable], weight: str, symbols: int) -> str:
    shown = ["ε" if name == EPSILON else str(name) for name in names]
    readers = len(shown) - shown.count("ε")
    if readers == symbols > 2:
        text = ", ".join([*(["ε"] if "ε" in shown else []), "all"])
    elif len(shown) > MOST_NAMES:
        text = ", ".join(shown[: MOST_NAMES - 1]) + f" and {len(shown) - MOST_NAMES + 1} more"
    else:
        text = ", ".join(shown)
    return text if weight == k.format(k.one) else f"{text} / {weight}"


def _weight(k: Semiring, weight: Any) -> str:
    """The weight as a person would read it: exact where that is short, else six digits."""
    text = k.format(weight)
    if len(text) <= 12:
        return text
    exact = Fraction(k.exact(weight)) if not k.float_only else Fraction(weight)
    return f"{Decimal(exact.numerator) / Decimal(exact.denominator):.6g}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
