"""Names and shapes of a network's weights, and generators of random, small and symbolic weights.

>>> gates = Signature((constant("c_0", only=(0,)), by_symbol("f"), by_symbol("u")))
>>> next(gates.small(1)).describe()
'c_0 = 0, f(a) = 0, u(a) = 0'
>>> from automata.recurrences.polynomials import POLYNOMIALS
>>> gates.variables("a", POLYNOMIALS).describe()
'c_0 = 0, f(a) = f(a), u(a) = u(a)'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, cycle, islice, product, repeat
from typing import TYPE_CHECKING, Any, Literal

from hypothesis import strategies as st

from automata.recurrences.polynomials import Symbolic
from automata.semirings import MAX_PLUS, REAL, Semiring
from automata.testing.strategies import LETTERS, weights
from automata.text.number_text import shorten
from theory.weights import Tree, Weights

if TYPE_CHECKING:
    from theory.claim import Variant

GRID = tuple(Fraction(w) for w in ("0", "1", "-1", "1/2"))
"""The weights of small cases, in order of simplicity."""
GENERIC_WEIGHTS = tuple(
    Fraction(w) for w in ("2", "-3", "1/2", "3", "-1/2", "5", "-2", "3/2", "7", "-1/3", "4")
)
"""Small weights that are not the zero or one of any semiring."""
PLAIN = tuple(Fraction(w) for w in ("2", "1", "0", "1/2", "-1"))
"""Weights of readable examples."""
TROPICAL_GRID = (MAX_PLUS.zero, Fraction(0), Fraction(-1), Fraction(-1, 2))
"""The weights of small cases in max-plus, whose zero is minus infinity."""


@dataclass(frozen=True)
class WeightEntry:
    """A named weight: a constant, or a table with a value for each symbol or window.

    Attributes:
        name: the paper's name.
        per: whether the weight is a constant, or a table by symbol or by window.
        shape: ``()``, ``(d,)`` or ``(d, d)``.
        only: the allowed values; ``None`` for any.
        window: the maximum window length of a table by window.
        derived: a function that computes the weight from other weights; ``None`` if the weight is drawn. Its
            first argument holds the drawn weights and the earlier derived weights. If the entry is a table,
            its second argument is the key. Proofs do not use that the weight is derived, so they hold for
            more weights.
        follows: a predicate that says whether a derived weight follows from the other weights; by default, it
            must equal the derived value. Weights that depend on all letters together need a predicate,
            because they change when letters are dropped.
    """

    name: str
    per: Literal["constant", "symbol", "window"] = "constant"
    shape: tuple[int, ...] = ()
    only: tuple[Any, ...] | None = None
    window: int = 1
    derived: Callable[..., Any] | None = None
    follows: Callable[[Weights], bool] | None = None

    def keys(self, alphabet: str) -> list[str]:
        """Return the keys of a table: the symbols, or all windows, shorter ones first."""
        longest = self.window if self.per == "window" else 1
        return ["".join(x) for length in range(1, longest + 1) for x in product(alphabet, repeat=length)]

    def values(self, w: Weights) -> list[Tree]:
        """Return the values of this entry in ``w``: a constant's single value, or one for each key."""
        value = w.entries[self.name]
        return [value] if self.per == "constant" else list(value.values())

    def shapes(self, w: Weights) -> set[tuple[int, ...] | None]:
        """Return the shapes of all values; ``None`` stands for the shape of a ragged value."""
        return {_shape(value) for value in self.values(w)}

    def mismatch(self, w: Weights) -> str | None:
        """Return a message if the weight of this name in ``w`` is invalid for every size, or ``None``."""
        value, letters = w.entries[self.name], w.alphabet
        if isinstance(value, dict) != (self.per != "constant"):
            wanted, got = ("a table", "a constant") if self.per != "constant" else ("a constant", "a table")
            return f"the weight {self.name} must be {wanted}, got {got}"
        if isinstance(value, dict):
            longest = w.n if self.per == "window" and w.size else 1  # the size is the window length
            right = (
                sum(len(letters) ** length for length in range(1, longest + 1))
                if longest <= len(value)
                else None
            )
            if len(value) != right or not all(
                0 < len(key) <= longest and set(key) <= set(letters) for key in value
            ):
                what = "symbol" if self.per == "symbol" else f"window of at most {longest} symbols"
                return f"the weight {self.name} must have one value for each {what} over {shorten(letters)}"
        shapes = self.shapes(w)
        axes = {len(shape) for shape in shapes if shape is not None}
        if value == {} or (
            len(shapes) == 1 and axes and (self.derived is not None or axes == {len(self.shape)})
        ):
            return None
        return (
            f"the weight {self.name} must have the same shape throughout, that of a"
            f" {('number', 'vector', 'matrix')[len(self.shape)]}"
        )

    def derive(self, w: Weights) -> Any:
        """Return the value or table of a derived entry, computed from the other weights."""
        assert self.derived is not None
        if self.per == "constant":
            return self.derived(w)
        return {key: self.derived(w, key) for key in self.keys(w.alphabet)}

    def contradicts(self, w: Weights) -> bool:
        """Return whether a derived entry has a value that does not follow from the other weights."""
        if self.derived is None:
            return False
        return not (
            self.follows(w) if self.follows is not None else _alike(w.entries[self.name], self.derive(w))
        )

    def table_keys(self, alphabet: str) -> list[str | None]:
        """Return the keys of a table, or a single ``None`` for a constant."""
        return [None] if self.per == "constant" else [*self.keys(alphabet)]


def constant(
    name: str,
    shape: tuple[int, ...] = (),
    only: Sequence[Any] | None = None,
    derived: Callable[..., Any] | None = None,
    follows: Callable[[Weights], bool] | None = None,
) -> WeightEntry:
    """Return an entry for a weight that does not depend on the symbol."""
    return WeightEntry(name, "constant", shape, _exact(only), derived=derived, follows=follows)


def by_symbol(
    name: str,
    shape: tuple[int, ...] = (),
    only: Sequence[Any] | None = None,
    derived: Callable[..., Any] | None = None,
    follows: Callable[[Weights], bool] | None = None,
) -> WeightEntry:
    """Return an entry for a table with a weight for each symbol."""
    return WeightEntry(name, "symbol", shape, _exact(only), derived=derived, follows=follows)


def by_window(name: str, window: int, derived: Callable[..., Any] | None = None) -> WeightEntry:
    """Return an entry for a table with a weight for each window of up to ``window`` symbols.

    Shorter windows occur at a string's start.
    """
    return WeightEntry(name, "window", window=window, derived=derived)


def entries(
    names: str,
    size: int = 1,
    only: Mapping[str, Sequence[Any]] | None = None,
    derived: Mapping[str, Callable[..., Any]] | None = None,
    window: int | None = None,
) -> tuple[WeightEntry, ...]:
    """Parse entries from a line that lists constants, a bar, and tables by symbol or by window.

    A name with ``[K]`` is a vector of size ``size``, and one with ``[K][K]`` a square matrix. ``window`` is
    the window length.

    >>> [(entry.name, entry.per, entry.shape) for entry in entries("s_0[K] | q[K] v", 2)]
    [('s_0', 'constant', (2,)), ('q', 'symbol', (2,)), ('v', 'symbol', ())]
    """

    def entry(word: str, per: Literal["constant", "symbol", "window"]) -> WeightEntry:
        name = word.partition("[")[0]
        values = _exact((only or {}).get(name))
        shape = (size,) * word.count("[")
        longest = window if per == "window" and window else 1
        return WeightEntry(name, per, shape, values, longest, (derived or {}).get(name))

    constants, _, tables = names.partition("|")
    per: Literal["symbol", "window"] = "symbol" if window is None else "window"
    return (*(entry(w, "constant") for w in constants.split()), *(entry(w, per) for w in tables.split()))


def _exact(only: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if only is None else tuple(w if isinstance(w, float) else Fraction(w) for w in only)


@dataclass(frozen=True)
class Signature:
    """The names and shapes of the weights of a network of one size, from which cases are drawn.

    Attributes:
        entries: the weights in the order in which they are written.
        over: the semiring.
        size: the name and value of the network's size, such as ``("n", 3)``; ``None`` if the size is fixed.
        most_small: the maximum number of small cases for each number of letters, taken in the order
            of :meth:`small` or :meth:`near_generic`.
        where: a hypothesis on the drawn weights; ``None`` for all weights. Proofs do not use it.
    """

    entries: tuple[WeightEntry, ...]
    over: Semiring = REAL
    size: tuple[str, int] | None = None
    most_small: int = field(default=1500)
    where: Callable[[Weights], bool] | None = None

    def _filled(self, alphabet: str, over: Semiring, value: Callable[[WeightEntry, str], Tree]) -> Weights:
        """Return weights with the value ``value(entry, name)`` for each name, such as ``"f(a)"``."""
        entries: dict[str, Any] = {}
        for entry in self.entries:
            cells = {key: value(entry, _named(entry.name, key)) for key in entry.table_keys(alphabet)}
            entries[entry.name] = cells[None] if entry.per == "constant" else cells
        return Weights(over, alphabet, entries, self.size)

    def _derive(self, w: Weights) -> Weights:
        entries = dict(w.entries)
        for entry in self.entries:
            if entry.derived is not None:
                entries[entry.name] = entry.derive(Weights(w.over, w.alphabet, entries, w.size))
        return Weights(w.over, w.alphabet, entries, w.size)

    @cache  # noqa: B019 -- the number of signatures is bounded, and Hypothesis validates each new strategy
    def random(self, alphabet: str, extreme: bool = True) -> st.SearchStrategy[Weights]:
        """Return a strategy for random weights over the alphabet; ``extreme`` includes huge and tiny ones."""
        weight = {entry.name: self._weights(entry, extreme) for entry in self.entries}
        parts = {
            entry.name: (
                _shaped(entry.shape, weight[entry.name])
                if entry.per == "constant"
                else st.fixed_dictionaries(
                    {key: _shaped(entry.shape, weight[entry.name]) for key in entry.keys(alphabet)}
                )
            )
            for entry in self.entries
            if entry.derived is None
        }
        cases = st.fixed_dictionaries(parts).map(lambda values: self._in_order(alphabet, values))
        return (cases if self.where is None else cases.filter(self.where)).map(self._derive)

    def _in_order(self, alphabet: str, values: dict[str, Any]) -> Weights:
        """Return values, keyed by name, as weights in the order of the entries.

        Hypothesis does not keep the order.
        """
        entries = {
            entry.name: (
                {key: values[entry.name][key] for key in entry.keys(alphabet)}
                if entry.per != "constant" and entry.name in values
                else values.get(entry.name)
            )
            for entry in self.entries
        }
        return Weights(self.over, alphabet, entries, self.size)

    def _weights(self, entry: WeightEntry, extreme: bool) -> st.SearchStrategy[Any]:
        return weights(self.over, extreme=extreme) if entry.only is None else st.sampled_from(entry.only)

    def generic(self, alphabet: str, first: int = 0) -> Weights:
        """Return a generic case: no weight is 0 or 1 unless required, and hardly two are equal.

        Different values of ``first`` give different cases. The hypothesis is not checked.

        >>> Signature((constant("c_0"), by_symbol("f"), by_symbol("u"))).generic("ab").describe()
        'c_0 = 2, f(a) = -3, u(a) = 3, f(b) = 1/2, u(b) = -1/2'
        """
        return self._derive(self._generic(alphabet, first))

    def example(self, alphabet: str = "ab") -> Weights:
        """Return a case with small weights, with which a claim's page can draw the automaton.

        >>> Signature((constant("c_0"), by_symbol("f"), by_symbol("u"))).example().describe()
        'c_0 = 2, f(a) = 1, u(a) = 1/2, f(b) = 0, u(b) = -1'
        """
        return self._derive(self._generic(alphabet, numbers=PLAIN))

    def _generic(self, alphabet: str, first: int = 0, numbers: tuple[Any, ...] = GENERIC_WEIGHTS) -> Weights:
        cycled = islice(cycle([w for w in numbers if self.over.contains(w)]), first, None)

        def values(entry: WeightEntry) -> Iterator[Any]:
            while True:
                number = next(cycled)
                allowed = entry.only
                yield number if allowed is None else allowed[-1 - numbers.index(number) % len(allowed)]

        return self._filled(
            alphabet,
            self.over,
            lambda entry, _: None if entry.derived else _nested(entry.shape, values(entry)),
        )

    def small(self, letters: int) -> Iterator[Weights]:
        """Yield cases over ``letters`` letters; the weights are 0, 1, -1, 1/2, or an entry's allowed values.

        They are ordered by the number of nonzero weights. At most ``most_small`` cases are
        generated, and only those that satisfy the hypothesis.
        """
        return self._first_cases(LETTERS[:letters], lambda entry, generic: entry.only or self._grid)

    def near_generic(self, letters: int) -> Iterator[Weights]:
        """Yield cases over ``letters`` letters near :meth:`generic`, in which every weight matters.

        Some weights are 0 or 1 instead, or other values that an entry allows; cases are ordered by the number
        of such weights. At most ``most_small`` cases are generated, and only those that satisfy the
        hypothesis. A wrong network differs here more often than in :meth:`small`, where most weights are 0.


        >>> gates = Signature((constant("c_0"), by_symbol("f")))
        >>> [w.describe() for w in islice(gates.near_generic(1), 3)]
        ['c_0 = 2, f(a) = -3', 'c_0 = 2, f(a) = 0', 'c_0 = 2, f(a) = 1']
        """
        return self._first_cases(
            LETTERS[:letters],
            lambda entry, generic: (
                generic,
                *(weight for weight in entry.only or self._grid[:2] if weight != generic),
            ),
        )

    @property
    def _grid(self) -> tuple[Any, ...]:
        return TROPICAL_GRID if self.over is MAX_PLUS else GRID

    def _first_cases(
        self, alphabet: str, allowed: Callable[[WeightEntry, Any], tuple[Any, ...]]
    ) -> Iterator[Weights]:
        """Yield the first ``most_small`` cases that satisfy the hypothesis.

        Cases with fewer weights that differ from their default come first. ``allowed`` maps an entry and its
        value in :meth:`generic` to the allowed values; the first of these is the default.
        """
        generic = self._generic(alphabet)
        choices = [
            allowed(entry, weight)
            for entry in self.entries
            if entry.derived is None
            for value in entry.values(generic)
            for weight in leaves(value)
        ]
        where = self.where
        cases = self._all_small(alphabet, choices)
        some = islice(cases if where is None else (case for case in cases if where(case)), self.most_small)
        yield from map(self._derive, some)

    def _all_small(self, alphabet: str, choices: Sequence[Sequence[Any]]) -> Iterator[Weights]:
        for chosen in _fewest_first(choices):
            values = iter(chosen)
            yield self._filled(
                alphabet,
                self.over,
                lambda entry, _: None if entry.derived else _nested(entry.shape, values),  # noqa: B023
            )

    def signatures(self) -> list[Signature]:
        """Return a list with only this signature, because it has one size."""
        return [self]

    def mismatch(self, w: Weights) -> str | None:
        """Return a message if the weights do not match this signature for any size, or ``None``.

        Names, tables, vectors, matrices and the hypothesis are checked.
        """
        if w.over is not self.over:
            return f"the semiring must be {self.over.name}, got {w.over.name}"
        if (w.size is None) != (self.size is None) or (w.size and self.size and w.size[0] != self.size[0]):
            right = f"{self.size[0]} and a number" if self.size else "null"
            return f"the size must be {right}, got {shorten(w.size)}"
        names = [entry.name for entry in self.entries]
        wrong = next(
            (name for name in [*names, *w.entries] if name not in w.entries or name not in names), None
        )
        if wrong is not None:
            state = "is missing" if wrong in names else "is unknown"
            return f"the weights must be {', '.join(names)}; {shorten(wrong)} {state}"
        return next(filter(None, (entry.mismatch(w) for entry in self.entries)), None) or (
            None
            if self.where is None or self.where(w)
            else "the weights must satisfy the variant's hypothesis"
        )

    def forbids(self, w: Weights) -> str | None:
        """Return a message about the first value that an entry does not allow, or ``None``."""
        for entry in self.entries:
            if entry.only is not None:
                wrong = next(
                    (v for value in entry.values(w) for v in leaves(value) if v not in entry.only), None
                )
                if wrong is not None:
                    allowed = ", ".join(map(str, entry.only[:6])) + (", ..." if len(entry.only) > 6 else "")
                    return f"the weight {entry.name} must be one of {allowed}, got {shorten(str(wrong))}"
        return None

    def contradicts(self, w: Weights) -> str | None:
        """Return a message about a derived entry that does not follow from the others, or ``None``."""
        try:
            wrong = next((entry.name for entry in self.entries if entry.contradicts(w)), None)
        except (LookupError, ValueError, TypeError, ArithmeticError):  # mismatched shapes
            return "derived weights must follow from the others"
        return None if wrong is None else f"the weight {wrong} must follow from the others"

    def variables(self, alphabet: str, over: Symbolic) -> Weights:
        """Return weights that are distinct variables, including derived weights.

        A weight whose only allowed value is zero or one keeps this value.
        """
        fixed = {(self.over.zero,): over.zero, (self.over.one,): over.one}

        def named(entry: WeightEntry, name: str) -> Tree:
            if entry.only in fixed:
                return _nested(entry.shape, repeat(fixed[entry.only]))
            return _indexed(entry.shape, name, over.variable)

        return self._filled(alphabet, over, named)


def _named(name: str, key: str | None) -> str:
    return name if key is None else f"{name}({key})"


def _shaped(shape: tuple[int, ...], one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return one if not shape else st.tuples(*[_shaped(shape[1:], one)] * shape[0])


def _nested(shape: tuple[int, ...], values: Iterator[Any]) -> Tree:
    return next(values) if not shape else tuple(_nested(shape[1:], values) for _ in range(shape[0]))


def _indexed(shape: tuple[int, ...], name: str, variable: Callable[[str], Any]) -> Tree:
    """Return one variable, or a vector or matrix of variables named f[1], f[2] or W[1,1], and so on."""
    if not shape:
        return variable(name)
    return tuple(
        _indexed(shape[1:], f"{name[:-1]},{i}]" if name.endswith("]") else f"{name}[{i}]", variable)
        for i in range(1, shape[0] + 1)
    )


def _fewest_first(choices: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield every way to choose one option from each list.

    A list's first option is its default. Ways with fewer options that are not defaults come first.
    """
    plain = [options[0] for options in choices]
    free = [i for i in reversed(range(len(choices))) if len(choices[i]) > 1]
    for others in range(len(free) + 1):
        for changed in combinations(free, others):
            for values in product(*(choices[i][1:] for i in changed)):
                chosen = list(plain)
                for i, value in zip(changed, values, strict=True):
                    chosen[i] = value
                yield tuple(chosen)


@dataclass(frozen=True)
class Sizes:
    """The signatures of a network for several sizes.

    Attributes:
        of: a function from a size to its signature.
        random_sizes, small_sizes: the sizes of random cases, and of small cases in ascending order. A size is
            a number, or a pair of numbers if a network has two sizes.
    """

    of: Callable[[Any], Signature]
    random_sizes: tuple[Any, ...]
    small_sizes: tuple[Any, ...]

    def signatures(self) -> list[Signature]:
        """Return the names and shapes of the weights for each size."""
        return [self.of(size) for size in dict.fromkeys((*self.random_sizes, *self.small_sizes))]

    @cache  # noqa: B019 -- as above
    def random(self, alphabet: str, extreme: bool = True) -> st.SearchStrategy[Weights]:
        """Return a strategy for random weights of a random size; see :meth:`Signature.random`."""
        return st.sampled_from(self.random_sizes).flatmap(
            lambda size: _random(self.of, size, alphabet, extreme)
        )

    def small(self, letters: int) -> Iterator[Weights]:
        """Yield the small cases of each size in ``small_sizes``; see :meth:`Signature.small`."""
        return chain.from_iterable(self.of(size).small(letters) for size in self.small_sizes)

    def near_generic(self, letters: int) -> Iterator[Weights]:
        """Yield the cases near the generic case of each size in ``small_sizes``.

        See :meth:`Signature.near_generic`.
        """
        return chain.from_iterable(self.of(size).near_generic(letters) for size in self.small_sizes)


def _alike(one: Any, other: Any) -> bool:
    """Return whether two weights, tuples or tables are equal up to float rounding.

    Floats are compared approximately, because math libraries round differently.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-300)
    return bool(one == other)


def signatures_of(variant: Variant) -> list[Signature]:
    """Return the signatures from which the variant's random weights are drawn.

    The list is empty if the weights have another source.
    """
    sources = [getattr(draw, "__self__", None) for draw in (variant.cases, variant.small_cases)]
    return [
        signature
        for source in sources
        if isinstance(source, (Signature, Sizes))
        for signature in source.signatures()
    ]


def misfit(signatures: Sequence[Signature], w: Weights) -> str | None:
    """Return a message if the weights match none of these signatures, or ``None``.

    Weights of a size for which there is no signature also match, if their derived entries follow from their
    other entries.
    """
    mismatches = [(signature, signature.mismatch(w)) for signature in signatures]
    like = [signature for signature, mismatch in mismatches if mismatch is None]
    if not like:
        return mismatches[0][1] if mismatches else None
    # test forbidden values first, because deriving from them might not terminate
    own_size_first = sorted(like, key=lambda signature: signature.size != w.size)
    wrong = [signature.forbids(w) or signature.contradicts(w) for signature in own_size_first]
    return wrong[0] if None not in wrong else _disproportion(like, w)


def _disproportion(signatures: Sequence[Signature], w: Weights) -> str | None:
    """Return a message if an axis of some weight should be as long as the size and is not, or ``None``."""
    sizes = {signature.size for signature in signatures}
    if w.size is None or len(sizes) == 1:  # the axes that scale with the size are unknown
        return None
    drawn: dict[str, list[tuple[WeightEntry, int]]] = {}
    for signature in signatures:
        for entry in signature.entries:
            if entry.derived is None and signature.size is not None:
                drawn.setdefault(entry.name, []).append((entry, signature.size[1]))
    for name, entries in drawn.items():
        for axis in range(len(entries[0][0].shape)):
            grows = all(entry.shape[axis] == size for entry, size in entries)
            if grows and any(shape[axis] != w.n for shape in entries[0][0].shapes(w) if shape is not None):
                return f"the weight {name} must have the length {w.size[0]} = {w.n}"
    return None


def leaves(value: Any) -> Iterator[Any]:
    """Yield the parts of nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def _shape(value: Tree) -> tuple[int, ...] | None:
    """Return the shape of nested tuples, or ``None`` if parts of a tuple have different shapes."""
    if not isinstance(value, tuple):
        return ()
    inner = {_shape(part) for part in value}
    (one,) = inner if len(inner) == 1 else (None,)
    return None if one is None else (len(value), *one)


@cache
def _random(
    of: Callable[[Any], Signature], size: Any, alphabet: str, extreme: bool
) -> st.SearchStrategy[Weights]:
    return of(size).random(alphabet, extreme)
