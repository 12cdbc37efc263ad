"""Automata as DOT text and SVG: an arrow into initial states, a double circle for final ones."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Weight
from automata.errors import InputError, ShapeError
from automata.extras import require_extra
from automata.labels import probability_text, symbols, weight_text
from automata.reachability import dead_states
from automata.sparse_matrix import Places, SparseMatrix
from automata.text.html_text import html_fragment
from automata.text.number_text import plural
from automata.text.printable_text import printable

if TYPE_CHECKING:
    from automata.wfsa import WFSA, Edge

MOST_EDGES = 2000
"""Arrows of a drawing, at most; and states."""
FEW_STATES = 30
"""States of an automaton that reports draw, at most."""
MOST_TRANSITIONS = 1 << 21
"""Of an automaton that is drawn; those that share an arrow count apart."""
ENTITY = re.compile(r"&(?=#?\w+;)")
"""What Graphviz would show as another character."""

IDENTIFIER = re.compile(r' id="\w+"')
"""What Graphviz adds to each part of a drawing; a page with two drawings would have it twice."""


class Drawable:
    """An automaton that a drawing shows: weighted, deterministic or probabilistic. A notebook draws it."""

    probabilistic: ClassVar[bool] = False
    """Are its weights probabilities, and the final states those that the drawing is given?"""

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """The weighted automaton whose states and transitions are drawn.

        Args:
            final: the final states of an automaton that has none of its own.
        """
        raise NotImplementedError

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The automaton in a notebook: its text, and its drawing unless it is too large for one."""
        drawing = small_svg(self, MOST_EDGES)
        says = f"{type(self).__name__} with {plural(self.weighted_form().num_states, 'state')}"
        shown = {"text/plain": repr(self), "text/html": html_fragment(says, {"": drawing})}
        return shown | ({"image/svg+xml": drawing} if drawing else {})

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]


def dot(
    automaton: Drawable,
    *,
    names: Sequence[Hashable] | None = None,
    hide_dead: bool = False,
    final: Collection[int] = (),
    least: float = 0.01,
) -> str:
    """The automaton in the DOT language; parallel transitions share an arrow, symbols with one weight share a
    line.

    A DFA looks as in Figures 4 and 8 of Wang & Niepert 2019, a PFA has ``a / 0.93`` at its arrows and pens as
    wide as they are probable.

    >>> from automata.dfa import DFA
    >>> print(dot(DFA(("0", "1"), 0, ((1, 0), (1, 1)), frozenset({0})), names=["7", "S"]))
    digraph automaton {
      rankdir=LR;
      node [shape=circle, fontname="serif"]; edge [fontname="serif"];
      0 [label="7", shape=doublecircle];
      1 [label="S"];
      start0 [shape=point, style=invis, label=""];
      start0 -> 0 [label=""];
      0 -> 0 [label="1"];
      0 -> 1 [label="0"];
      1 -> 1 [label="0, 1"];
    }
    <BLANKLINE>

    Args:
        automaton: weighted, deterministic or probabilistic.
        names: for each state the name in its circle, such as the number of its centroid; else its own number.
        hide_dead: leave states out from which no final state can be reached, but for initial ones.
        final: the final states of a PFA, which has none of its own.
        least: the least probability of a PFA that is drawn; the caption says how much is left out.

    Raises:
        InputError: there would be too many states or arrows to see anything, there are more or fewer names
            than states, or an argument is given that this kind of automaton has no use for.
    """
    if not automaton.probabilistic and len(final):
        raise InputError("final names states for a PFA, and this automaton has its own final states")
    if automaton.probabilistic and hide_dead and not len(final):
        raise InputError("a PFA without final states has no dead ones to hide; name its final states")
    machine = automaton.weighted_form(final)
    if names is not None and len(names) != machine.states:
        raise ShapeError(f"there are {len(names)} names, where the automaton has {machine.states} states")
    hidden = dead_states(machine) & (machine.initial == machine.semiring.zero) & hide_dead
    if automaton.probabilistic and not 0 <= least <= 1:
        raise InputError(f"the least probability drawn is {least}, where 0 to 1 is right")
    _require_few(machine, ~hidden, least if automaton.probabilistic else None)
    visible = np.flatnonzero(~hidden).tolist()
    edges = [e for e in machine.edges() if not (hidden[e.source] or hidden[e.target])]
    starts = [(q, w) for q, w in enumerate(machine.initial.tolist()) if w != machine.semiring.zero]
    if not automaton.probabilistic:
        return _dot_text(machine, names, visible, starts, edges, lambda w: weight_text(machine.semiring, w))
    probable = [e for e in edges if e.weight >= least]
    probable_starts = [(q, w) for q, w in starts if w >= least]
    caption = _left_out([[w for _, w in starts if w < least], *_small_by_row(edges, least)], least)
    return _dot_text(
        machine,
        names,
        visible,
        probable_starts,
        probable,
        lambda w: probability_text(w, least),
        caption,
        pens=True,
    )


def svg(
    automaton: Drawable,
    *,
    names: Sequence[Hashable] | None = None,
    hide_dead: bool = False,
    final: Collection[int] = (),
    least: float = 0.01,
) -> str:
    """The drawing as SVG text; see :func:`dot`."""
    text = image(dot(automaton, names=names, hide_dead=hide_dead, final=final, least=least), "svg").decode(
        "utf-8"
    )
    return text[text.index("<svg") :]


def small_svg(automaton: Drawable, most_states: int = FEW_STATES) -> str:
    """Return the drawing as SVG text; empty if there are more states, too many arrows, or no pygraphviz."""
    try:
        few = automaton.weighted_form().num_states <= most_states
        return IDENTIFIER.sub("", svg(automaton)) if few else ""
    except (InputError, ImportError):
        return ""


def image(text: str, format: str) -> bytes:
    """Return a drawing in the DOT language as a file of a format that Graphviz writes: svg, png or pdf.

    Graphviz comes with pygraphviz's wheels.
    """
    require_extra("draw", "a drawing")
    import pygraphviz

    graph = pygraphviz.AGraph(string=text)
    with _silenced_libraries():
        return bytes(graph.draw(format=format, prog="dot"))


def _require_few(machine: WFSA, shown: NDArray[np.bool_], least: float | None) -> None:
    """Raise InputError if the shown states or the arrows between them are too many to see anything."""

    def drawn(table: SparseMatrix) -> Places:
        seen = shown[table.rows] & shown[table.columns]
        if least is not None:
            seen &= np.asarray(table.weights >= least, dtype=bool)
        return table.rows[seen] * machine.states + table.columns[seen]

    of_place = Counter(machine.index.values())
    users = [1, *(of_place[i] for i in range(len(machine.tables)))]
    parts = list(zip(map(drawn, (machine.epsilon_table, *machine.tables)), users, strict=True))
    arrows = np.unique(np.concatenate([places for places, _ in parts]))
    for count, most, what in (
        (int(shown.sum()), MOST_EDGES, "states"),
        (len(arrows), MOST_EDGES, "arrows"),
        (sum(len(places) * users for places, users in parts), MOST_TRANSITIONS, "transitions"),
    ):
        if count > most:
            raise InputError(f"the automaton has {count} {what}, and a drawing shows at most {most}")


@contextmanager
def _silenced_libraries() -> Iterator[None]:
    """Graphviz's libraries write remarks on the machine's fonts straight to standard error; nobody asked."""
    sys.stderr.flush()
    stderr = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def _dot_text(
    machine: WFSA,
    names: Sequence[Hashable] | None,
    states: list[int],
    starts: list[tuple[int, Weight]],
    edges: list[Edge],
    text: Callable[[Weight], str],
    caption: str = "",
    pens: bool = False,
) -> str:
    """Write the DOT text; with ``pens``, an arrow's width shows its most probable symbol."""
    k = machine.semiring
    groups: dict[tuple[int, int], list[Edge]] = {}
    for edge in edges:
        groups.setdefault((edge.source, edge.target), []).append(edge)
    lines = [
        "digraph automaton {",
        "  rankdir=LR;",
        '  node [shape=circle, fontname="serif"]; edge [fontname="serif"];',
    ]
    if caption:
        lines.append(f'  label={_quoted(caption)}; fontname="serif";')
    for q in states:
        last = machine.final[q]
        shape = "" if last == k.zero else ", shape=doublecircle"
        note = "" if last == k.zero else _behind(weight_text(k, last))
        lines.append(f"  {q} [label={_quoted(f'{q if names is None else names[q]}{note}')}{shape}];")
    for q, weight in starts:
        lines.append(f'  start{q} [shape=point, style=invis, label=""];')
        lines.append(f"  start{q} -> {q} [label={_quoted('' if weight == k.one else text(weight))}];")
    for (source, target), group in groups.items():
        by_weight: dict[str, list[Hashable]] = {}
        for edge in group:
            by_weight.setdefault(text(edge.weight), []).append(edge.symbol)
        rows = [symbols(read, len(machine.index)) + _behind(weight) for weight, read in by_weight.items()]
        pen = f", penwidth={0.5 + 2 * float(max(e.weight for e in group)):.2f}" if pens else ""
        lines.append(f"  {source} -> {target} [label={_quoted(chr(10).join(rows))}{pen}];")
    return "\n".join([*lines, "}"]) + "\n"


def _behind(weight: str) -> str:
    return f" / {weight}" if weight else ""


def _small_by_row(edges: list[Edge], least: float) -> list[list[Weight]]:
    """The probabilities below ``least`` of each state and symbol that has some."""
    small: dict[tuple[int, Hashable], list[Weight]] = {}
    for edge in edges:
        if edge.weight < least:
            small.setdefault((edge.source, edge.symbol), []).append(edge.weight)
    return list(small.values())


def _left_out(rows: list[list[Weight]], least: float) -> str:
    """The caption: how many transitions (and starts) are not drawn, and how much probability they have."""
    count = sum(map(len, rows))
    if not count:
        return ""
    sums = [float(sum(row)) for row in rows]
    which = f"{plural(count, 'transition')} below {least:g} left out"
    return f"{which}: {sum(sums):.2g} in all, at most {max(sums):.2g} of a state and symbol"


def _quoted(text: str) -> str:
    """Quote the text for DOT, so that Graphviz shows every character as it is."""
    escaped = ENTITY.sub("&amp;", printable(text, keep="\n"))
    escaped = escaped.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
