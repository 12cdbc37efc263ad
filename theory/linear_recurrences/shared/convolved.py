"""Layers after a convolution: their weights depend on the last w tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from automata.wfsa import WFSA
from theory.induction import Induction
from theory.linear_recurrences.shared.affine import OUTPUT, AffineLayer, by_part
from theory.rational_recurrences.shared.windows import remembered, words
from theory.reading import Recurrence
from theory.signature import Signature
from theory.weights import Weights

State = tuple[str, tuple[Any, ...]]
"""A state: the last w - 1 tokens (fewer at the start), the layer's components, and its output."""


@dataclass(frozen=True)
class Convolved:
    """A layer with one output, whose weights depend on a window of w tokens; w is the size of the weights.

    Attributes:
        layer: the layer that reads a window instead of a token.
    """

    layer: AffineLayer

    def next(self, w: Weights, state: State, x: str) -> State:
        """Return the state after token x; the layer reads the window that ends with x."""
        history, numbers = state
        return remembered(w, history, x), self.layer.next(w, numbers, history + x)

    @property
    def recurrence(self) -> Recurrence:
        """The network of the layer after the convolution."""
        return Recurrence(
            start=lambda w: ("", self.layer.first(w)),
            step=self.next,
            out=lambda w, state: state[1][-1:],
            modes=True,
        )

    def automata(self, w: Weights) -> list[WFSA]:
        """Return a list with the automaton of the output.

        For each history, it has copies of the states of the layer's automaton. All histories share one output
        state.
        """
        k, layer = w.over, self.layer
        histories = words(w.alphabet, w.n - 1)
        width = len(layer.first(w))  # 1 and the components of the state
        output = width * len(histories)
        offset = {history: width * i for i, history in enumerate(histories)}
        arrows = []
        for history, i in offset.items():
            for x in w.alphabet:
                of, j = layer.at(w, history + x), offset[remembered(w, history, x)]
                arrows += [(i, j, x, k.one), (i, output, x, layer.constant_to_output(of))]
                numbers = layer.indices(of)
                for b, (q, to) in enumerate(numbers, 1):
                    arrows.append((i, j + b, x, by_part(layer.update, q)(of, to)))
                    arrows.append((i + b, output, x, layer.move_to_output(of, q, to)))
                    for a, (p, start) in enumerate(numbers, 1):
                        arrows.append((i + a, j + b, x, layer.move(of, p, start, q, to)))
        first = [k.one, *layer.first(w)[:-1]]
        initial = [(q, weight) for q, weight in enumerate(first) if weight != k.zero]
        arrows = [arrow for arrow in arrows if arrow[3] != k.zero]
        return [WFSA.from_edges(k, output + 1, w.alphabet, initial, [(output, k.one)], arrows)]

    def proof(self, *signatures: Signature) -> Induction:
        """Return the proof by induction.

        The invariant is 1 and the components of the state at the current history, 0 at all other histories,
        and the output at the output state.
        """

        def states(w: Weights, variable: Callable[[str], Any]) -> list[State]:
            numbers = [f"{part}[{j}]" for part, j in self.layer.indices(self.layer.at(w, w.alphabet[0]))]
            general = tuple(map(variable, [*numbers, OUTPUT]))
            later = [h for h in words(w.alphabet, w.n - 1) if h or w.n == 1]
            return [("", self.layer.first(w)), *((history, general) for history in later)]

        def invariant(w: Weights, state: State, unit: int) -> list[Any]:
            history, numbers = state
            here, nowhere = [w.over.one, *numbers[:-1]], [w.over.zero] * len(numbers)
            blocks = [here if h == history else nowhere for h in words(w.alphabet, w.n - 1)]
            return [*(number for block in blocks for number in block), numbers[-1]]

        return Induction(
            says=(
                "after every string, with h its last w - 1 tokens, the Forward vector is 1 and the"
                " components of the state at h, 0 at the other histories, and the output"
            ),
            invariant=invariant,
            states=states,
            instances=tuple((signature, alphabet) for signature in signatures for alphabet in ("a", "ab")),
            enough=(
                "From a history and its components, a token leads to one history, with weights that are"
                " variables of only the window: the identities of two windows differ only in the names of"
                " variables and states. A longer window only makes histories longer. Every pair of a history"
                " and a token is checked for these sizes."
            ),
        )
