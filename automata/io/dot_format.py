"""Reader for DOT files of other libraries (AALpy, LearnLib, automata-lib) as boolean automata.

A state is a node, a final state has a double circle, and a transition is an arrow labelled with its symbol.
The initial states have an arrow from a node without a label that has no other arrows. Mealy machines (arrows
``a/1``) and Moore machines (nodes ``q|1`` or ``{ q | 1 }``) are read if their outputs are truth values: a
string is accepted if the last output is true. A Mealy machine outputs nothing for the empty string and so
rejects it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from itertools import pairwise

from lark import Lark, Token, Tree
from lark.exceptions import LarkError, UnexpectedInput

from automata.errors import FormatError, InputError
from automata.semirings import BOOLEAN
from automata.symbols import EPSILON
from automata.text.number_text import shorten
from automata.wfsa import WFSA

GRAMMAR = r"""
start: "strict"i? KIND id? "{" statement* "}"
KIND.2: "digraph"i
?statement: (attributes | arrow | node | setting) ";"?
attributes: (GRAPH | NODE | EDGE) list+
GRAPH.2: "graph"i
NODE.2: "node"i
EDGE.2: "edge"i
setting: id "=" id
node: place list*
arrow: place ("->" place)+ list*
place: id (":" id)*
list: "[" (pair (";" | ",")?)* "]"
pair: id "=" id
id: NAME | STRING | NUMBER
NAME: /[^\W\d]\w*/
NUMBER: /-?(\.\d+|\d+(\.\d*)?)/
STRING: /"(\\.|[^"\\])*"/s
COMMENT: /\/\/[^\n]*|\/\*.*?\*\/|(?<![^\n])#[^\n]*/s
%ignore COMMENT
%ignore /\s+/
"""
TRUTH = {
    "1": True,
    "true": True,
    "accept": True,
    "+": True,
    "0": False,
    "false": False,
    "reject": False,
    "-": False,
}
"""Outputs of Mealy and Moore machines that are truth values, in lowercase letters."""
EPSILONS = ("ε", "λ", "<eps>", "<epsilon>")
NAME = r"\N"
"""The name of the node, in a label; the label of a node without one."""
OWN = "automaton"
"""The name of the graphs that ratproof draws."""


def loads(text: str, where: str = "dot") -> WFSA:
    """Parse a boolean automaton from DOT text.

    >>> loads('digraph { i [label=""]; p [shape=doublecircle]; i -> p; p -> q [label="a"]; }')
    <WFSA: 2 states, 1 symbol, boolean semiring, exact>

    Raises :class:`~automata.errors.FormatError` if the text does not describe such an automaton.
    """
    try:
        graph = Lark(GRAMMAR, parser="lalr").parse(text)
    except UnexpectedInput as error:
        raise FormatError(
            f"{where}: line {error.line}, column {error.column}: this part of the DOT syntax is not supported"
        ) from None
    except LarkError as error:
        raise FormatError(f"{where}: the DOT syntax is not supported: {error}") from None
    try:
        return _Reader(graph, where).automaton()
    except InputError as error:
        raise FormatError(f"{where}: {error}") from None


class _Reader:
    def __init__(self, graph: Tree[Token], where: str) -> None:
        self.where = where
        self.nodes: dict[str, dict[str, str]] = {}
        self.arrows: list[tuple[str, str, dict[str, str]]] = []
        defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}, "graph": {}}
        for part in graph.children:
            if not isinstance(part, Tree):
                continue
            if part.data == "id" and _text(part) == OWN:
                raise InputError("drawings that ratproof wrote have no weights and cannot be read; use .json")
            names = [_text(node.children[0]) for node in _children(part, "place")]
            own = dict(pair for options in _children(part, "list") for pair in _pairs(options))
            if part.data == "attributes":
                defaults[str(part.children[0]).lower()] |= own
            for name in names:
                self.nodes.setdefault(name, dict(defaults["node"]))
            if part.data == "node":
                self.nodes[names[0]] |= own
            if part.data == "arrow":
                self.arrows += [(p, q, defaults["edge"] | own) for p, q in pairwise(names)]

    def automaton(self) -> WFSA:
        entries = {name for name, options in self.nodes.items() if self._is_entry(name, options)}
        initial = dict.fromkeys(q for p, q, _ in self.arrows if p in entries)
        if not initial:
            raise InputError(
                "the automaton must have an initial state, marked by an arrow from a node without a label"
            )
        states = [name for name in self.nodes if name not in entries]
        moore = {name: self._output(name) for name in states}
        arrows = [
            (p, q, symbol)
            for p, q, options in self.arrows
            if p not in entries
            for symbol in self._symbols(p, q, options)
        ]
        mealy = [symbol for _, _, symbol in arrows if "/" in symbol[1:]]
        if mealy and len(mealy) == len(arrows):
            return self._of_mealy(states, initial, arrows)
        if mealy:
            raise InputError(
                f"either all arrows or none must have an output, got {shorten(mealy[0])} and"
                " arrows without one"
            )
        final = [q for q in states if self._is_final(q)]
        if states and all(output is not None for output in moore.values()):
            final = [q for q, output in moore.items() if _truth(output or "")]
        if not final:
            warnings.warn(
                f"{self.where}: no node has a double circle, so the automaton accepts no string", stacklevel=4
            )
        return _automaton(
            states, initial, final, [(p, q, EPSILON if s in EPSILONS else s) for p, q, s in arrows]
        )

    def _is_final(self, name: str) -> bool:
        options = self.nodes[name]
        return options.get("shape") in ("doublecircle", "Mdoublecircle") or options.get("peripheries") == "2"

    def _is_entry(self, name: str, options: dict[str, str]) -> bool:
        """Return whether the node only marks an initial state."""
        plain = options.get("shape") in ("none", "point", "plaintext") or options.get("style") == "invis"
        label = options.get("label", NAME)
        if not (label.replace(NAME, name) == "" or (plain and label == NAME)):
            return False
        labels = [_label(arrow) for p, _, arrow in self.arrows if p == name]
        return bool(labels) and (plain or not any(labels)) and all(q != name for _, q, _ in self.arrows)

    def _symbols(self, source: str, target: str, options: dict[str, str]) -> list[str]:
        label = _label(options)
        shown = re.sub(r"\\([\\nlr])", lambda sign: "\\" if sign[1] == "\\" else "\n", label)
        shown = shown.removesuffix("\n")  # the last line may end with a line break, too
        if not shown.strip():
            raise InputError(
                f"the arrow {source} -> {target} has no label; write ε for an epsilon transition"
            )
        parts = re.split(r",\s*|\n", shown) if len(shown) > 1 else [shown]
        if not all(parts):
            raise InputError(
                f"the label of the arrow {source} -> {target} must not contain an empty symbol, got"
                f" {shorten(label)}"
            )
        return [part.strip() or part for part in parts]

    def _output(self, name: str) -> str | None:
        """Return the output of a Moore machine's state, or ``None`` if it has none."""
        label = self.nodes[name].get("label", NAME).replace(NAME, name).strip()
        inside = label.removeprefix("{").removesuffix("}")
        before, bar, output = (part.strip() for part in inside.rpartition("|"))
        if not bar and not self._is_final(name):
            before, bar, output = (part.strip() for part in inside.rpartition(" / "))
        return output if bar and before else None

    def _of_mealy(
        self, states: list[str], initial: Iterable[str], arrows: list[tuple[str, str, str]]
    ) -> WFSA:
        both = [(q, output) for q in states for output in (False, True)]
        reading = []
        for p, q, label in arrows:
            symbol, _, output = (part.strip() for part in label.rpartition("/"))
            if symbol in EPSILONS:
                raise InputError(f"an arrow with an output must read a symbol, got {shorten(label)}")
            reading += [((p, was), (q, _truth(output)), symbol) for was in (False, True)]
        note = "a Mealy machine is read as the automaton of the strings whose last output is true"
        warnings.warn(f"{self.where}: {note}", stacklevel=5)
        return _automaton(both, [(q, False) for q in initial], [q for q in both if q[1]], reading)


def _automaton(states: list, initial: Iterable, final: Iterable, arrows: list) -> WFSA:  # type: ignore[type-arg]
    number = {name: i for i, name in enumerate(states)}
    alphabet = sorted({symbol for _, _, symbol in arrows} - {EPSILON})
    return WFSA.from_edges(
        BOOLEAN,
        len(states),
        alphabet,
        [(number[q], True) for q in initial],
        [(number[q], True) for q in final],
        [(number[p], number[q], symbol, True) for p, q, symbol in arrows],
    )


def _label(arrow: dict[str, str]) -> str:
    return arrow.get("label", arrow.get("xlabel", ""))


def _truth(output: str) -> bool:
    if output.lower() not in TRUTH:
        raise InputError(
            f"each output must be 1 or 0, true or false, accept or reject, got {shorten(output)}"
        )
    return TRUTH[output.lower()]


def _children(part: Tree[Token], kind: str) -> list[Tree[Token]]:
    return [child for child in part.children if isinstance(child, Tree) and child.data == kind]


def _pairs(options: Tree[Token]) -> Iterable[tuple[str, str]]:
    return [(_text(pair.children[0]), _text(pair.children[1])) for pair in options.children]  # type: ignore[union-attr]


def _text(identifier: Tree[Token] | Token) -> str:
    assert isinstance(identifier, Tree)
    token = str(identifier.children[0])
    if not token.startswith('"'):
        return token
    # a backslash joins two lines; other escapes belong to labels
    return re.sub(r'\\(\\|"|\r?\n)', lambda sign: {"\\": r"\\", '"': '"'}.get(sign[1], ""), token[1:-1])
