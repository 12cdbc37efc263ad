"""The certificate of equality by a chain of links (:mod:`automata.equivalence.links`), which
``ratproof/checkers/check_chain.py`` checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from automata.aliases import JsonObject, Symbol
from automata.equivalence.links import ChainLink
from automata.equivalence.rationals import Sparse
from automata.equivalence.representation import Representation
from automata.io.json_format import to_json
from automata.semirings import REAL
from automata.wfsa import WFSA

FORMAT = "ratproof certificate 1"
ABOUT = "automata over a field, by a chain"


@dataclass(frozen=True)
class Chain:
    """Two automata over a field that are equal, since a chain of links leads from their difference to what
    gives every string 0.

    Attributes:
        a, b: the automata.
        links: from A, and B with its initial weights negated, side by side, to a representation that has no
            initial weight, or no final one.
        index: for each symbol the place of its matrix in a representation.
        figures: sizes and times, for people.
    """

    a: WFSA
    b: WFSA
    links: tuple[ChainLink, ...]
    index: dict[Symbol, int]
    figures: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """As a JSON object."""
        return {
            "format": FORMAT,
            "about": ABOUT,
            "claims": "equivalent",
            "A": to_json(self.a),
            "B": to_json(self.b),
            "links": [self._link(link) for link in self.links],
            "figures": {name: str(value) for name, value in self.figures.items()},
        }

    def _link(self, link: ChainLink) -> JsonObject:
        to: JsonObject = {"kind": link.kind}
        if link.matrix is not None:
            to["matrix"] = _entries(link.matrix)
        if link.bound is not None:
            to["bound"] = [REAL.format(w) for w in link.bound]
        return to | {"to": self._representation(link.to)}

    def _representation(self, of: Representation) -> JsonObject:
        steps = [_entries(step) for step in of.steps]
        return {
            "states": of.states,
            "initial": [[q, w] for _, q, w in _entries(of.initial)],
            "final": [[q, w] for q, _, w in _entries(of.final)],
            "transitions": [[p, q, s, w] for s, place in self.index.items() for p, q, w in steps[place]],
        }


def _entries(matrix: Sparse) -> list[tuple[int, int, str]]:
    return [
        [i, j, w]  # type: ignore[misc]
        for i, j, w in zip(
            matrix.rows.tolist(), matrix.columns.tolist(), map(str, matrix.weights), strict=True
        )
    ]
