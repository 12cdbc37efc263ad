"""Layers in chunks of C tokens.

Within a chunk, each output is computed from the state at the chunk's start and the tokens of the chunk so
far. At the end of the chunk, the state is passed to the next chunk. The claim is that this layer equals the
automata of the token-by-token layer. After a string, the vector of the automaton is the state at the chunk's
start, updated by the chunk's tokens so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from theory.claim import PROVED, Effort, Variant
from theory.induction import Induction
from theory.linear_recurrences.shared.affine import OUTPUT, AffineLayer, Token, Vector
from theory.linear_recurrences.shared.records import refuted
from theory.linear_recurrences.shared.records import theorem as layer_theorem
from theory.rational_recurrences.shared.windows import words
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes
from theory.theorem import Theorem
from theory.weights import Weights, total

State = tuple[str, tuple[Any, ...]]
"""A state: the chunk's tokens so far, the state at the chunk's start, and the last output."""
Chunk = Sequence[Token]
EFFORT = Effort(examples=15, strings=8, longest=8, run=10, exhausted=4, letters=1, layers=8, gradients=(4, 1))
MULTIPLIED = "Decays between two tokens are multiplied; nothing is divided by a decay, so a decay may be 0."


@dataclass(frozen=True)
class Chunked:
    """A layer in chunks of C tokens; C is the size of the weights.

    Attributes:
        layer: the layer that is run token by token, with one output.
        output: a function from the state at the chunk's start and the chunk's tokens so far to the
            last token's output.
        hand_over: a function from the state at the chunk's start, the full chunk and an index to the
            component of the next chunk's first state.
    """

    layer: AffineLayer
    output: Callable[[Any, Chunk], Any]
    hand_over: Callable[[Any, Chunk, int], Any]

    def next(self, w: Weights, state: State, x: str) -> State:
        """Return the state after token x; at the end of a chunk, the next chunk starts in its last state."""
        before, numbers = state
        chunk, start = [self.layer.at(w, y) for y in before + x], Vector(numbers[:-1])
        shown = self.output(start, chunk)
        if len(chunk) < w.n:
            return before + x, (*numbers[:-1], shown)
        return "", (*self.handed_over(start, chunk), shown)

    def handed_over(self, s: Vector, chunk: Chunk) -> Vector:
        """Return the state after a chunk that starts in the state s."""
        return Vector(self.hand_over(s, chunk, j) for j in range(1, len(s) + 1))

    @property
    def recurrence(self) -> Recurrence:
        """The network of the layer in chunks."""
        return Recurrence(
            start=lambda w: ("", self.layer.first(w)),
            step=self.next,
            out=lambda w, state: state[1][-1:],
            modes=True,
        )

    def proof(self, *signatures: Signature) -> Induction:
        """Return the proof by induction over the invariant (1, s, o).

        s is the state at the chunk's start, updated by the chunk's tokens so far, and o is the last output.
        """

        def states(w: Weights, variable: Callable[[str], Any]) -> list[State]:
            names = [f"s[{j}]" for j in range(1, len(self.layer.first(w)))]
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
                "after every string, the Forward vector is (1, s, o), where s is the state at the chunk's"
                " start, advanced by the chunk's tokens so far"
            ),
            invariant=invariant,
            states=states,
            instances=tuple((signature, "a") for signature in signatures),
            enough=(
                "For chunks of these sizes C: every pair of the tokens of a chunk so far and one more token"
                " is checked, with a variable for each weight. The Coq theorem covers every C and every K."
            ),
        )


def corrected(weights: Callable[..., Signature], right: Chunked, cases: Sizes, theorem: Theorem) -> Variant:
    """Return the corrected variant of a claim about chunks, with a proof for some sizes and a Coq theorem."""
    letter, _ = weights((1, 1)).size or ("", 0)
    return Variant(
        name="corrected",
        expected="holds",
        says=f"for chunks of any size {letter}, the last of which may be shorter",
        reading=Equality(recurrence=right.recurrence, construction=right.layer.automata),
        cases=cases.random,
        small_cases=cases.near_generic,
        kinds=PROVED,
        proof=right.proof(*map(weights, ((1, 1), (2, 1), (3, 1), (2, 2)))),
        theorem=theorem,
    )


def theorem(file: str, terms: str, first: str = "C s_0", automaton: str = "") -> Theorem:
    """Return the Coq theorem that a layer in chunks equals the automaton of the layer.

    Args:
        file: the Coq file.
        terms: the weights, in the order in which they follow the first state in the layer's Coq definition.
        first: the names of the chunk's size and of the first state.
        automaton: the base name of the layer's automaton in Coq, if it is not the file's.
    """
    layer, (_, start) = file.removesuffix("_chunks"), first.split()
    chunked = layer_theorem(file, f"{terms} {first}", f"chunked_{layer}")
    own = layer_theorem(file, f"{start} {terms}", automaton or layer)
    return replace(chunked, automaton=own.automaton)


def out_of_order(right: Chunked, cases: Sizes, small: Sizes) -> Variant:
    """Return the refuted variant in which the state is passed on too early at a chunk's end.

    The chunk's last output then reads the new state as if it were the state at the chunk's start.
    """

    def output(w: Weights, s: Any, chunk: Chunk) -> Any:
        return right.output(right.handed_over(s, chunk) if len(chunk) == w.n else s, chunk)

    def step(w: Weights, state: State, x: str) -> State:
        return replace(right, output=lambda s, chunk: output(w, s, chunk)).next(w, state, x)

    return refuted(
        "without-order",
        "the state is passed on before the last output of the chunk is read from it",
        replace(right.recurrence, step=step),
        right.layer,
        cases,
        small,
    )


def few(
    weights: Callable[..., Signature], *sizes: tuple[int, int], most: int = 500, **only: Sequence[Any]
) -> Sizes:
    """Return small cases of these sizes, in which ``only`` restricts some weights to a few values."""
    return Sizes(lambda size: weights(size, most, **only), (), sizes)


def product(factors: Iterable[Any], one: Any = 1) -> Any:
    """Return the product of the factors; the empty product is one."""
    result = one
    for factor in factors:
        result = result * factor
    return result


def dot(w: Weights, *vectors: Sequence[Any]) -> Any:
    """Return the inner product of the vectors."""
    return total(w.over, (product(numbers, w.over.one) for numbers in zip(*vectors, strict=True)))
