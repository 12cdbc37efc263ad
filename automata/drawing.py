"""Drawings of automata as DOT text and SVG.

Initial states have an incoming arrow, and final states a double circle.
"""

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
"""Maximum number of arrows, and of states, in a drawing."""
FEW_STATES = 30
"""Maximum number of states of the automata that are drawn in reports."""
MOST_TRANSITIONS = 1 << 21
"""Maximum number of transitions of a drawn automaton, counting those that share an arrow separately."""
ENTITY = re.compile(r"&(?=#?\w+;)")
"""A character sequence that Graphviz would render as another character."""

IDENTIFIER = re.compile(r' id="\w+"')
"""The attribute that Graphviz adds to each part of a drawing; two drawings on a page would repeat it."""


class Drawable:
    """An automaton that a file or a notebook can show: weighted, deterministic or probabilistic."""

    probabilistic: ClassVar[bool] = False
    """Whether the automaton is a PFA: its weights are probabilities, and it does not define final states."""

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """Return the weighted automaton whose states and transitions are drawn.

        Args:
            final: the final states, for an automaton that does not define final states.
        """
        raise NotImplementedError

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the text of the automaton for a notebook, with its drawing if it is not too large."""
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
    min_probability: float = 0.01,
) -> str:
    """Return the automaton in the DOT language.

    Parallel transitions share an arrow, and symbols with the same weight share a line. A DFA is drawn in
    the style of Figures 4 and 8 of Wang & Niepert 2019. A PFA has labels such as ``a / 0.93``, and its lines
    are wider for larger probabilities.


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
        automaton: a weighted, deterministic or probabilistic automaton.
        names: the label of each state, such as the number of its centroid; by default, its number.
        hide_dead: omit states from which no final state is reachable, except initial states.
        final: the final states, for a PFA, which does not define final states.
        min_probability: the smallest probability of a PFA to draw; the caption reports how much is omitted.

    Raises:
        InputError: If there are too many states or arrows, ``names`` does not have one entry per state, or an
            argument is not supported for this kind of automaton.
    """
    if not automaton.probabilistic and len(final):
        raise InputError("final is only supported for a PFA; this automaton has its own final states")
    if automaton.probabilistic and hide_dead and not len(final):
        raise InputError("hide_dead needs the final states of the PFA; pass final")
    machine = automaton.weighted_form(final)
    if names is not None and len(names) != machine.states:
        raise ShapeError(f"names must have one entry for each of {machine.states} states, got {len(names)}")
    hidden = dead_states(machine) & (machine.initial == machine.semiring.zero) & hide_dead
    if automaton.probabilistic and not 0 <= min_probability <= 1:
        raise InputError(f"min_probability must be between 0 and 1, got {min_probability}")
    _require_few(machine, ~hidden, min_probability if automaton.probabilistic else None)
    visible = np.flatnonzero(~hidden).tolist()
    edges = [e for e in machine.edges() if not (hidden[e.source] or hidden[e.target])]
    starts = [(q, w) for q, w in enumerate(machine.initial.tolist()) if w != machine.semiring.zero]
    if not automaton.probabilistic:
        return _dot_text(machine, names, visible, starts, edges, lambda w: weight_text(machine.semiring, w))
    probable = [e for e in edges if e.weight >= min_probability]
    probable_starts = [(q, w) for q, w in starts if w >= min_probability]
    small = [[w for _, w in starts if w < min_probability], *_small_by_row(edges, min_probability)]
    caption = _left_out(small, min_probability)
    return _dot_text(
        machine,
        names,
        visible,
        probable_starts,
        probable,
        lambda w: probability_text(w, min_probability),
        caption,
        pens=True,
    )


def svg(
    automaton: Drawable,
    *,
    names: Sequence[Hashable] | None = None,
    hide_dead: bool = False,
    final: Collection[int] = (),
    min_probability: float = 0.01,
) -> str:
    """Return the drawing as SVG text; see :func:`dot`."""
    text = image(
        dot(automaton, names=names, hide_dead=hide_dead, final=final, min_probability=min_probability), "svg"
    ).decode("utf-8")
    return text[text.index("<svg") :]


def small_svg(automaton: Drawable, most_states: int = FEW_STATES) -> str:
    """Return the drawing as SVG text, or ``""`` if it is too large or pygraphviz is not installed."""
    try:
        few = automaton.weighted_form().num_states <= most_states
        return IDENTIFIER.sub("", svg(automaton)) if few else ""
    except (InputError, ImportError):
        return ""


def image(text: str, format: str) -> bytes:
    """Render a drawing in the DOT language as svg, png or pdf and return the bytes.

    The wheels of pygraphviz include Graphviz.
    """
    require_extra("draw", "a drawing")
    import pygraphviz

    graph = pygraphviz.AGraph(string=text)
    with _silenced_libraries():
        return bytes(graph.draw(format=format, prog="dot"))


def _require_few(machine: WFSA, shown: NDArray[np.bool_], min_probability: float | None) -> None:
    """Raise InputError if there are too many visible states or arrows for a drawing."""

    def drawn(table: SparseMatrix) -> Places:
        seen = shown[table.rows] & shown[table.columns]
        if min_probability is not None:
            seen &= np.asarray(table.weights >= min_probability, dtype=bool)
        return table.rows[seen] * machine.states + table.columns[seen]

    of_place = Counter(machine.index.values())
    users = [1, *(of_place[i] for i in range(len(machine.tables)))]
    parts = list(zip(map(drawn, (machine.epsilon_table, *machine.tables)), users, strict=True))
    arrows = np.unique(np.concatenate([cells for cells, _ in parts]))
    for count, most, what in (
        (int(shown.sum()), MOST_EDGES, "states"),
        (len(arrows), MOST_EDGES, "arrows"),
        (sum(len(cells) * users for cells, users in parts), MOST_TRANSITIONS, "transitions"),
    ):
        if count > most:
            raise InputError(f"a drawing must have at most {most} {what}, got {count}")


@contextmanager
def _silenced_libraries() -> Iterator[None]:
    """Suppress the font warnings that Graphviz's libraries write directly to standard error."""
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
    """Return the DOT text; if ``pens`` is true, the largest probability on an arrow sets its width."""
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


def _small_by_row(edges: list[Edge], min_probability: float) -> list[list[Weight]]:
    """Return the probabilities below ``min_probability``, grouped by state and symbol."""
    small: dict[tuple[int, Hashable], list[Weight]] = {}
    for edge in edges:
        if edge.weight < min_probability:
            small.setdefault((edge.source, edge.symbol), []).append(edge.weight)
    return list(small.values())


def _left_out(rows: list[list[Weight]], min_probability: float) -> str:
    """Return a caption with the number and the total probability of all omitted arrows, also initial ones."""
    count = sum(map(len, rows))
    if not count:
        return ""
    sums = [float(sum(row)) for row in rows]
    which = f"{plural(count, 'transition')} below {min_probability:g} omitted"
    return f"{which}: {sum(sums):.2g} in all, at most {max(sums):.2g} of a state and symbol"


def _quoted(text: str) -> str:
    """Quote the text for DOT, so that Graphviz shows every character unchanged."""
    escaped = ENTITY.sub("&amp;", printable(text, keep="\n"))
    escaped = escaped.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
