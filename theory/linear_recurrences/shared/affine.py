"""The construction that all claims here share: an affine step with terms of rank one, and its automata.

A layer's state is a vector s of K numbers (two such vectors, for complex ones), and each token makes it

    s_j <- sum_p decay_p(j) s^p_j + sum_t left_t(j) (sum_i right_t(i) s_i) + update(j)

with numbers that are functions of the token. Its units are these numbers themselves, or one that reads them,
o = sum_j read(j) s_j + skip, after the step or before it. The automaton has a state for the number 1, one for
each number of s, and one for o: K + 2. A claim writes its layer's step as its paper prints it, and what of it
are decay, factors and update; that these make the step is one identity, for each K and for K a symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.induction import ONE_LETTER, Identity, Induction
from theory.linear_recurrences.shared.any_size import AnySize
from theory.places import Concrete
from theory.reading import Recurrence
from theory.signature import Signature
from theory.weights import Weights

Places = Concrete | AnySize
AtPlace = Callable[[Any, Any], Any]
"""From places and one of them, a number."""
AtPart = Callable[[Any, str, Any], Any]
"""The same, of a part of the state."""
OUTPUT, CONSTANT = "o", "1"


class Alone(Concrete):
    """The one place of a layer that is looked at unit by unit: its weights are numbers."""

    def at(self, name: str, *places: int) -> Any:
        """The number."""
        return self.entries[name]


class After:
    """Places where the numbers of the state are those after the step."""

    def __init__(self, of: Any, layer: Layer) -> None:
        self._of, self._layer = of, layer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, name)

    def at(self, name: str, *places: Any) -> Any:
        """The number at a place."""
        return (
            self._layer.step(self._of, name, *places)
            if name in self._layer.parts
            else self._of.at(name, *places)
        )


@dataclass(frozen=True)
class Reading:
    """What one more unit reads of the state.

    Attributes:
        printed: from places, the output as the paper prints it.
        weight: from places and one of them, what a number of the state is multiplied by.
        skip: from places, what the token adds to the output itself.
        first: is the state read before the step?
    """

    printed: Callable[[Any], Any]
    weight: AtPart
    skip: Callable[[Any], Any] = lambda of: of.zero
    first: bool = False


@dataclass(frozen=True)
class Layer:
    """A layer whose step is affine.

    Attributes:
        step: from places, a part and a place, the next number there, as the paper prints it.
        update: what of it no number of the state is a factor of.
        decay: from places, the part that is read, the part that is written and the place, what the one is
            multiplied by at the same place of the other; ``None`` for nothing.
        terms: pairs of a left and a right factor.
        reading: what the unit reads; without, the numbers of the state are the units.
        parts: the names of the state's vectors; the first states are the weights of that name with ``_0``.
        alone: are there no places, for a layer that is looked at unit by unit?
        places: from the weights, how many places there are.
        printed: by the name of a weight that the paper computes from others, its formula. The network's
            numbers are computed by it, and the automaton has the weight itself, which its signature derives
            in another way; in proofs, where nothing is divided, both have any number.
    """

    step: AtPart
    update: AtPart
    decay: Callable[[Any, str, str, Any], Any] = lambda of, p, q, j: None
    terms: tuple[tuple[AtPlace, AtPlace], ...] = ()
    reading: Reading | None = None
    parts: tuple[str, ...] = ("s",)
    alone: bool = False
    places: Callable[[Weights], int] = lambda w: w.n
    printed: Mapping[str, Callable[[Weights, str], Any]] = field(default_factory=dict)

    def count(self, w: Weights) -> int:
        """How many places there are."""
        return 1 if self.alone else self.places(w)

    def at(self, w: Weights, x: str, state: Sequence[Any] = ()) -> Concrete:
        """The weights of a token, and the numbers of a state."""
        n = self.count(w)
        entries = {name: value[x] if isinstance(value, dict) else value for name, value in w.entries.items()}
        vectors = [state[p * n : (p + 1) * n] for p in range(len(self.parts) if state else 0)]
        entries |= dict(zip(self.parts, [v[0] for v in vectors] if self.alone else vectors, strict=False))
        return (Alone if self.alone else Concrete)(w.over, n, entries)

    def first(self, w: Weights) -> tuple[Any, ...]:
        """The numbers of the state before any token; after them, the output, which is zero."""
        vectors = [w.entries[f"{part}_0"] for part in self.parts]
        numbers = tuple(vectors) if self.alone else tuple(number for vector in vectors for number in vector)
        return numbers if self.reading is None else (*numbers, w.over.zero)

    def numbers(self, of: Concrete) -> tuple[Any, ...]:
        """The numbers of the state after the token."""
        return tuple(self.step(of, part, j) for part in self.parts for j in range(1, of.n + 1))

    def next(self, w: Weights, state: Any, x: str) -> tuple[Any, ...]:
        """The numbers of the state, and the output, as printed."""
        if w.over is REAL:
            computed = {name: {**w.entries[name], x: formula(w, x)} for name, formula in self.printed.items()}
            w = replace(w, entries={**w.entries, **computed})
        of = self.at(w, x, state)
        after = self.numbers(of)
        if self.reading is None:
            return after
        return (*after, self.reading.printed(of if self.reading.first else self.at(w, x, after)))

    @property
    def recurrence(self) -> Recurrence:
        """The network."""
        shown = (lambda w, s: s) if self.reading is None else (lambda w, s: s[-1:])
        return Recurrence(start=self.first, step=self.next, out=shown)

    # The automaton's weights, between the numbers at places: each is a function of places.

    def move(self, of: Any, p: str, i: Any, q: str, j: Any) -> Any:
        """From the number i of part p to the number j of part q."""
        decay = self.decay(of, p, q, j)
        weight = of.zero if decay is None else of.where(i, j, lambda: decay)
        for left, right in self.terms:
            weight = of.plus(weight, of.times(left(of, j), right(of, i)))
        return weight

    def move_to_output(self, of: Any, p: str, i: Any) -> Any:
        """From the number i of part p to the output."""
        assert self.reading is not None
        weight = self.reading.weight
        if self.reading.first:
            return weight(of, p, i)
        return self._over_parts(
            of, lambda q: of.sum(lambda j: of.times(weight(of, q, j), self.move(of, p, i, q, j)))
        )

    def constant_to_output(self, of: Any) -> Any:
        """From the number 1 to the output."""
        assert self.reading is not None
        reading = self.reading
        skip = reading.skip(of)
        if reading.first:
            return skip
        reads = self._over_parts(
            of, lambda q: of.sum(lambda j: of.times(reading.weight(of, q, j), self.update(of, q, j)))
        )
        return of.plus(reads, skip)

    def _over_parts(self, of: Any, value: Callable[[str], Any]) -> Any:
        total = of.zero
        for part in self.parts:
            total = of.plus(total, value(part))
        return total

    def automata(self, w: Weights) -> list[WFSA]:
        """One a unit: the states 1, each number of the state, and the output where there is one."""
        k, n = w.over, self.count(w)
        places = [(part, j) for part in self.parts for j in range(1, n + 1)]
        output = 0 if self.reading is None else 1
        tables = {}
        for x in w.alphabet:
            of = self.at(w, x)
            rows = [[k.one, *(self.update(of, q, j) for q, j in places)]]
            rows += [[k.zero, *(self.move(of, p, i, q, j) for q, j in places)] for p, i in places]
            if output:
                rows[0].append(self.constant_to_output(of))
                for row, (p, i) in zip(rows[1:], places, strict=True):
                    row.append(self.move_to_output(of, p, i))
                rows.append([k.zero] * (len(places) + 2))
            tables[x] = rows
        initial = [k.one, *self.first(w)]
        finals = [len(initial) - 1] if output else range(1, len(initial))
        return [
            WFSA(k, initial, [k.one if q == final else k.zero for q in range(len(initial))], tables)
            for final in finals
        ]

    # The proof.

    def identities(self) -> list[Identity]:
        """The step at a place j with K a symbol, of the very functions that network and automata call."""
        of = AnySize()
        return list(self._identities(of))

    def _identities(self, of: AnySize) -> Iterator[Identity]:
        def reaching(from_one: Any, move: Callable[[str, Any], Any]) -> Any:
            return of.plus(
                self._over_parts(of, lambda p: of.sum(lambda i: of.times(of.at(p, i), move(p, i)))), from_one
            )

        def identity(where: str, left: Any, right: Any) -> Identity:
            return Identity("step", where, of.write(left), of.write(right), of.same(left, right))

        for q in self.parts:
            left = reaching(self.update(of, q, of.j), lambda p, i, q=q: self.move(of, p, i, q, of.j))  # type: ignore[misc]
            yield identity(f"at every place j of {q}, 1 <= j <= K", left, self.step(of, q, of.j))
        if self.reading is not None:
            left = reaching(self.constant_to_output(of), lambda p, i: self.move_to_output(of, p, i))
            printed = self.reading.printed(of if self.reading.first else After(of, self))
            yield identity("at the output", left, printed)

    def proof(self, *signatures: Signature) -> Induction:
        """By the invariant (1, s, o), for the sizes of the signatures, and for every one."""

        def states(w: Weights, variable: Callable[[str], Any]) -> list[tuple[Any, ...]]:
            n = self.count(w)
            names = [
                part if self.alone else f"{part}[{j}]" for part in self.parts for j in range(1, n + 1)
            ] + ([] if self.reading is None else [OUTPUT])
            return [tuple(map(variable, names))]

        vector = ", ".join(["1", *self.parts, *([] if self.reading is None else ["o"])])
        sizes = (
            ""
            if self.alone
            else " For every size K: network and automaton are made of functions of places, and the step at a"
            " place j, and at the output, is one identity of sums of these functions, with j and K symbols."
        )
        return Induction(
            says=f"after every string, Forward's vector is ({vector})",
            invariant=lambda w, state, unit: (w.over.one, *state),
            states=states,
            instances=tuple((signature, "a") for signature in signatures),
            enough=ONE_LETTER + sizes,
            sizes=None if self.alone else self.identities,
        )

    # What the claims break.

    def starting_at_zero(self, w: Weights) -> list[WFSA]:
        """The automata, with the initial weights of a state that is zero."""
        return [
            a.replace(
                initial=WFSA(
                    w.over, [w.over.one] + [w.over.zero] * (a.states - 1), [w.over.zero] * a.states, {}
                ).initial
            )
            for a in self.automata(w)
        ]

    def reading_first(self, first: bool) -> Layer:
        """The same layer with an output that reads the state before its step, or after it."""
        assert self.reading is not None
        return replace(self, reading=replace(self.reading, first=first))
