"""Affine steps with terms of rank one, and their automata, for all claims in this folder.

A layer's state is a vector s of size K, or a pair of such vectors if it is complex. Each token updates the
state by

    s_j <- sum_p decay_p(j) s^p_j + sum_t left_t(j) (sum_i right_t(i) s_i) + update(j)

with coefficients that are functions of the token. The units of the layer are the components of s, or one
output that reads them, o = sum_j read(j) s_j + skip, before or after the step. The automaton has a state for
the constant 1, one for each component of s, and one for o: K + 2 in total. A claim contains the step as
printed in the paper, and separately the decay, the factors and the update. One identity, for each K and for a
symbolic K, shows that the decay, the factors and the update give the printed step.

A function of indices has as arguments a token t and an index j. In its body, ``t.beta`` is the weight beta of
the token or of the layer, ``t.k[j]`` is the component k_j, ``t.s[j]`` is a component of the state, and
``t.sum`` is a sum over all indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from automata.semirings import REAL, Semiring
from automata.wfsa import WFSA
from theory.induction import ONE_LETTER, Identity, Induction
from theory.linear_recurrences.shared.any_size import AnySize, same, write
from theory.reading import Recurrence
from theory.signature import Signature
from theory.weights import Weights, total

AtPlace = Callable[[Any, Any], Any]
"""A function from a token and an index to a value."""
ByPart = AtPlace | Mapping[Any, AtPlace]
"""An ``AtPlace`` function for each part of the state, or for each pair of parts.

If the state has only one part, the function itself is used instead of a mapping.
"""
Mixing = Callable[[Any, Any, Any], Any]
"""A function of a token and two indices: the index that is read, and the index that is written."""
Terms = tuple[tuple[AtPlace, AtPlace], ...]
"""Terms of rank one: pairs of a left and a right factor."""
OUTPUT = "o"


def by_part(functions: ByPart, part: Any) -> AtPlace:
    """Return the function for a part of the state, or for a pair of parts.

    If ``functions`` has no function for it, return one that is always zero.
    """
    return functions if callable(functions) else functions.get(part, lambda t, j: t.zero)


class Vector(tuple[Any, ...]):
    """A vector with indices from 1. The index of a matrix is a pair."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            row, column = index
            return super().__getitem__(row - 1)[column - 1]
        return super().__getitem__(index - 1)


class Token:
    """The weights of a token and the components of a state, as attributes.

    Args:
        over: the semiring.
        n: the size of vectors, whose indices run from 1 to n.
        numbers: a scalar or a vector for each name.
    """

    def __init__(self, over: Semiring, n: int, numbers: Mapping[str, Any]) -> None:
        self.over, self.n, self.zero, self.one = over, n, over.zero, over.one
        self.__dict__.update({k: Vector(v) if isinstance(v, tuple) else v for k, v in numbers.items()})

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no weight named {name!r}")

    def sum(self, term: Callable[[int], Any]) -> Any:
        """Return the sum of ``term(i)`` over all indices i."""
        return total(self.over, map(term, range(1, self.n + 1)))

    def where(self, i: int, j: int, value: Any) -> Any:
        """Return the value if i is j, else zero."""
        return value if i == j else self.zero


class After:
    """A token whose ``s`` is the state after the layer's step instead of before it."""

    def __init__(self, t: Any, layer: AffineLayer) -> None:
        self._t, self._layer = t, layer

    def __getattr__(self, name: str) -> Any:
        if name not in self._layer.parts:
            return getattr(self._t, name)
        return _Stepped(lambda j: by_part(self._layer.step, name)(self._t, j))


class _Stepped:
    def __init__(self, at: Callable[[Any], Any]) -> None:
        self._at = at

    def __getitem__(self, index: Any) -> Any:
        return self._at(index)


@dataclass(frozen=True)
class Output:
    """An output of a layer, which reads the state.

    Attributes:
        printed: a function from a token to the output as the paper prints it.
        weight: the factor of a component of the state.
        skip: a function from a token to the summand that does not depend on the state.
        first: whether the state is read before the step.
    """

    printed: Callable[[Any], Any]
    weight: ByPart
    skip: Callable[[Any], Any] = lambda t: t.zero
    first: bool = False


@dataclass(frozen=True)
class AffineLayer:
    """A layer whose step is affine.

    Attributes:
        step: the next component at an index, as the paper prints it.
        update: the summand of the step that does not depend on the state.
        decay: the factor of the component at the same index. With several parts, it is keyed by the part that
            is read and the part that is written; missing pairs mean zero.
        terms: pairs of a left and a right factor; with several parts, they are keyed like the decay.
        mixing: additional weights from each component to each component, keyed by the parts that are read and
            written.
        reading: the output that reads the state. If omitted, the components of the state are the units.
        parts: the names of the state's vectors. The weight ``s_0`` is the initial value of the part ``s``. If
            it is a scalar, the layer is a single unit and has no indices.
        printed: the paper's formulas for weights that it computes from others, keyed by name. The network
            uses the formula, and the automaton uses the weight itself, which its signature derives
            in another way. In proofs, which do not divide, both use a variable.
    """

    step: ByPart
    update: ByPart
    decay: ByPart
    terms: Terms | Mapping[Any, Terms] = ()
    mixing: Mapping[tuple[str, str], Mixing] = field(default_factory=dict)
    reading: Output | None = None
    parts: tuple[str, ...] = ("s",)
    printed: Mapping[str, Callable[[Weights, str], Any]] = field(default_factory=dict)

    def at(self, w: Weights, x: str, state: Sequence[Any] = ()) -> Token:
        """Return the weights of a token and the components of a state."""
        numbers = {name: value[x] if isinstance(value, dict) else value for name, value in w.entries.items()}
        first = w.entries[f"{self.parts[0]}_0"]
        t = Token(w.over, len(first) if isinstance(first, tuple) else 1, numbers)
        return self.in_state(t, state) if state else t

    def in_state(self, t: Token, state: Sequence[Any]) -> Token:
        """Return the token t with the components of another state."""
        n, alone = t.n, not isinstance(getattr(t, f"{self.parts[0]}_0"), tuple)
        parts = (state[p] if alone else Vector(state[p * n : (p + 1) * n]) for p in range(len(self.parts)))
        moved = Token.__new__(Token)
        moved.__dict__.update(t.__dict__)
        moved.__dict__.update(zip(self.parts, parts, strict=True))
        return moved

    def first(self, w: Weights) -> tuple[Any, ...]:
        """Return the components of the state before any token, followed by the output, which is zero."""
        parts = [w.entries[f"{part}_0"] for part in self.parts]
        numbers = [number for part in parts for number in (part if isinstance(part, tuple) else (part,))]
        return tuple(numbers) if self.reading is None else (*numbers, w.over.zero)

    def indices(self, t: Token) -> list[tuple[str, int]]:
        """Return all pairs of a part of the state and an index."""
        return [(part, j) for part in self.parts for j in range(1, t.n + 1)]

    def next(self, w: Weights, state: Any, x: str) -> tuple[Any, ...]:
        """Return the components of the state after token x, and then the output, as printed."""
        if w.over is REAL:
            computed = {name: {**w.entries[name], x: formula(w, x)} for name, formula in self.printed.items()}
            w = replace(w, entries={**w.entries, **computed})
        t = self.at(w, x, state)
        after = tuple(by_part(self.step, part)(t, j) for part, j in self.indices(t))
        if self.reading is None:
            return after
        return (*after, self.reading.printed(t if self.reading.first else self.in_state(t, after)))

    @property
    def recurrence(self) -> Recurrence:
        """The network of the layer."""
        shown = (lambda w, s: s) if self.reading is None else (lambda w, s: s[-1:])
        return Recurrence(start=self.first, step=self.next, out=shown)

    # The automaton's weights, between the components at indices.

    def move(self, t: Any, p: str, i: Any, q: str, j: Any) -> Any:
        """Return the weight from component i of part p to component j of part q."""
        weight = t.where(i, j, by_part(self.decay, (p, q))(t, j))
        for left, right in self.terms if isinstance(self.terms, tuple) else self.terms.get((p, q), ()):
            weight = weight + left(t, j) * right(t, i)
        return weight + self.mixing[p, q](t, i, j) if (p, q) in self.mixing else weight

    def move_to_output(self, t: Any, p: str, i: Any) -> Any:
        """Return the weight from component i of part p to the output."""
        assert self.reading is not None
        if self.reading.first:
            return by_part(self.reading.weight, p)(t, i)
        return self._read(t, lambda q, j: self.move(t, p, i, q, j))

    def constant_to_output(self, t: Any) -> Any:
        """Return the summand of the output that does not depend on the state."""
        assert self.reading is not None
        skip = self.reading.skip(t)
        if self.reading.first:
            return skip
        return self._read(t, lambda q, j: by_part(self.update, q)(t, j)) + skip

    def _read(self, t: Any, number: Callable[[str, Any], Any]) -> Any:
        """Return the sum of the reading weights times ``number(q, j)``, over all parts q and components j."""
        assert self.reading is not None
        result = t.zero
        for q in self.parts:
            weight = by_part(self.reading.weight, q)
            result = result + t.sum(lambda j, q=q, weight=weight: weight(t, j) * number(q, j))
        return result

    def automata(self, w: Weights) -> list[WFSA]:
        """Return one automaton for each unit, with a state for 1, for each component, and for the output."""
        k, first = w.over, self.first(w)
        tables = {}
        for x in w.alphabet:
            t = self.at(w, x)
            indices = self.indices(t)
            rows = [[k.one, *(by_part(self.update, q)(t, j) for q, j in indices)]]
            rows += [[k.zero, *(self.move(t, p, i, q, j) for q, j in indices)] for p, i in indices]
            if self.reading is not None:
                rows[0].append(self.constant_to_output(t))
                for row, (p, i) in zip(rows[1:], indices, strict=True):
                    row.append(self.move_to_output(t, p, i))
                rows.append([k.zero] * (len(indices) + 2))
            tables[x] = rows
        initial = [k.one, *first]
        finals = range(1, len(initial)) if self.reading is None else [len(initial) - 1]
        return [
            WFSA(k, initial, [k.one if q == final else k.zero for q in range(len(initial))], tables)
            for final in finals
        ]

    # The proof.

    def identities(self) -> list[Identity]:
        """Return the induction step as identities, at any index j and for every size K.

        The functions that define the network and the automata are evaluated on symbolic indices and sums.
        """
        return list(self._identities(AnySize()))

    def _identities(self, t: AnySize) -> Iterator[Identity]:
        def identity(where: str, from_one: Any, move: Callable[[str, Any], Any], right: Any) -> Identity:
            left = t.zero
            for p in self.parts:
                left = left + t.sum(lambda i, p=p: getattr(t, p)[i] * move(p, i))  # type: ignore[misc]
            left = left + from_one
            return Identity("step", where, write(left), write(right), same(left, right))

        for q in self.parts:
            yield identity(
                f"at every index j of {q}, 1 <= j <= K",
                by_part(self.update, q)(t, t.j),
                lambda p, i, q=q: self.move(t, p, i, q, t.j),  # type: ignore[misc]
                by_part(self.step, q)(t, t.j),
            )
        if self.reading is not None:
            printed = self.reading.printed(t if self.reading.first else After(t, self))
            move = lambda p, i: self.move_to_output(t, p, i)
            yield identity("at the output", self.constant_to_output(t), move, printed)

    def proof(self, *signatures: Signature) -> Induction:
        """Return the proof by induction, for the signatures' sizes and for every size.

        The invariant is (1, s, o), where s is the state and o is the output.
        """
        alone = signatures[0].size is None
        output = [] if self.reading is None else [OUTPUT]

        def states(w: Weights, variable: Callable[[str], Any]) -> list[tuple[Any, ...]]:
            indices = self.indices(self.at(w, w.alphabet[0]))
            names = [part if alone else f"{part}[{j}]" for part, j in indices]
            return [tuple(map(variable, names + output))]

        sizes = (
            " For every size K: the network and the automaton are given by functions of an index, and the"
            " step at an index j, and at the output, is one identity of sums of these functions, in which j"
            " and K are symbols."
        )
        return Induction(
            says=f"after every string, Forward's vector is ({', '.join(['1', *self.parts, *output])})",
            invariant=lambda w, state, unit: (w.over.one, *state),
            states=states,
            instances=tuple((signature, "a") for signature in signatures),
            enough=ONE_LETTER + ("" if alone else sizes),
            sizes=None if alone else self.identities,
        )

    # Variants that are refuted.

    def starting_at_zero(self, w: Weights) -> list[WFSA]:
        """Return the automata whose initial weights are those of the state s_0 = 0."""
        k = w.over
        return [
            a.replace(initial=WFSA(k, [k.one] + [k.zero] * (a.states - 1), [k.zero] * a.states, {}).initial)
            for a in self.automata(w)
        ]

    def reading_first(self, first: bool) -> AffineLayer:
        """Return the layer with an output that reads the state before its step (``first``) or after it."""
        assert self.reading is not None
        return replace(self, reading=replace(self.reading, first=first))
