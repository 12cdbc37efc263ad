"""A layer run in chunks of C tokens: within a chunk each output is made from the state at the chunk's start
and from the chunk's own tokens, and at its end the state is handed over.

That it is the layer token by token is an equality with the layer's automata, whose vector after a string is
the state at the chunk's start moved on by the chunk's tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from theory.claim import PROVED, Effort, Variant
from theory.induction import Induction
from theory.linear_recurrences.shared.affine import OUTPUT, Layer
from theory.rational_recurrences.shared.windows import words
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes
from theory.theorem import Theorem
from theory.weights import Weights, total

State = tuple[str, tuple[Any, ...]]
"""The chunk's tokens so far, and the state at its start with the last output."""
EVERY_PAIR = (
    "For chunks of these sizes C: every pair of the tokens of a chunk so far and one more is checked, with a"
    " variable for each weight. For every C, and every number K, Coq's theorem has it."
)


@dataclass(frozen=True)
class Chunked:
    """A layer in chunks of C tokens, which is the size of the weights.

    Attributes:
        layer: the layer that is run token by token, with one output.
        output: from the weights, the state at the chunk's start and the chunk's tokens, the last one's
        output. hand_over: from the same, with the whole chunk, the next chunk's first state.
    """

    layer: Layer
    output: Callable[[Weights, Sequence[Any], str], Any]
    hand_over: Callable[[Weights, Sequence[Any], str], Sequence[Any]]

    def next(self, w: Weights, state: State, x: str) -> State:
        """One more token of the chunk; the chunk's end is handed over."""
        before, numbers = state
        chunk, start = before + x, numbers[:-1]
        shown = self.output(w, start, chunk)
        if len(chunk) < w.n:
            return chunk, (*start, shown)
        return "", (*self.hand_over(w, start, chunk), shown)

    @property
    def recurrence(self) -> Recurrence:
        """The network."""
        return Recurrence(
            start=lambda w: ("", self.layer.first(w)),
            step=self.next,
            out=lambda w, state: state[1][-1:],
            modes=True,
        )

    def proof(self, *signatures: Signature) -> Induction:
        """By the invariant (1, s, o), with s the first state moved on by the chunk's tokens."""

        def states(w: Weights, variable: Callable[[str], Any]) -> list[State]:
            names = [f"s[{j}]" for j in range(1, self.layer.count(w) + 1)]
            general = tuple(map(variable, [*names, OUTPUT]))
            return [(chunk, general) for chunk in words(w.alphabet, w.n - 1)]

        def invariant(w: Weights, state: State, unit: int) -> list[Any]:
            chunk, numbers = state
            moved = numbers
            for x in chunk:
                moved = self.layer.next(w, moved, x)
            return [w.over.one, *moved[:-1], numbers[-1]]

        return Induction(
            says=(
                "after every string, Forward's vector is (1, s, o), where s is the state at the chunk's"
                " start moved on, token by token, by the chunk's tokens so far"
            ),
            invariant=invariant,
            states=states,
            instances=tuple((signature, "a") for signature in signatures),
            enough=EVERY_PAIR,
        )


def handed_over_first(right: Chunked) -> Chunked:
    """The order broken: at a chunk's end the state is handed over first, and the last output reads that one
    as if it were the state at the chunk's start.
    """

    def output(w: Weights, s: Sequence[Any], chunk: str) -> Any:
        start = right.hand_over(w, s, chunk) if len(chunk) == w.n else s
        return right.output(w, start, chunk)

    return replace(right, output=output)


def chunked(says: str, right: Chunked, cases: Sizes, theorem: Theorem, *signatures: Signature) -> Variant:
    """The corrected variant of a claim about chunks, proved for the sizes of the signatures, and in Coq for
    every one.
    """
    return Variant(
        name="corrected",
        expected="holds",
        says=says,
        reading=Equality(recurrence=right.recurrence, construction=right.layer.automata),
        cases=cases.random,
        small_cases=cases.near_generic,
        kinds=PROVED,
        proof=right.proof(*signatures),
        theorem=theorem,
    )


ANY_SIZE = "for chunks of any size C, the last of which may be shorter"
IN_ORDER = "the state is handed over before the chunk's last output is read from it"
EFFORT = Effort(examples=15, strings=8, longest=8, run=10, exhausted=4, letters=1)


def product(w: Weights, factors: Sequence[Any]) -> Any:
    """The factors multiplied; one, of none."""
    result = w.over.one
    for factor in factors:
        result = w.over.times(result, factor)
    return result


def dot(w: Weights, *vectors: Sequence[Any]) -> Any:
    """The sum over places of the product of the vectors' numbers there."""
    return total(w.over, (product(w, numbers) for numbers in zip(*vectors, strict=True)))
