"""FA-RNNs over any semiring, by equations 4 and 5 at one index and at all indices.

A state is a row vector h with a component for each of the K states of an automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from automata.semirings import Semiring
from automata.wfsa import WFSA
from theory.induction import Identity, Induction, step_identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Recurrence
from theory.signature import Signature, WeightEntry, by_symbol, constant
from theory.weights import Weights, total

if TYPE_CHECKING:
    from theory.symbolic_places import SymbolicPlaces

Vector = tuple[Any, ...]
Matrix = tuple[Vector, ...]
BITS = (0, 1)
SQUARE = (
    "The step is linear in h at every symbol, so one letter with arbitrary weights stands for every letter."
)


# Signatures: a tensor T or its three factors with r columns, and initial and final weights.


def ends(k: int, only: Sequence[Any] | None = None) -> tuple[WeightEntry, WeightEntry]:
    """Return the names and shapes of the initial weights alpha_0 and the final weights alpha_inf."""
    return constant("alpha_0", (k,), only), constant("alpha_inf", (k,), only)


def tensor(k: int, only: Sequence[Any] | None = None) -> tuple[WeightEntry, ...]:
    """Return the names and shapes of the initial weights, the tensor T[x, i, j] and the final weights."""
    start, end = ends(k, only)
    return start, by_symbol("T", (k, k), only), end


def factors(k: int, r: int, only: Sequence[Any] | None = None) -> tuple[WeightEntry, ...]:
    """Return the names and shapes of alpha_0, D_1, v (a word's row of E_R), D_2 and alpha_inf.

    D_1, E_R and D_2 are the factors of the tensor.
    """
    start, end = ends(k, only)
    return (
        start,
        constant("D_1", (k, r), only),
        by_symbol("v", (r,), only),
        constant("D_2", (k, r), only),
        end,
    )


def in_line(signature: Signature, most: int = 300) -> Signature:
    """Return the same names and shapes, for automata that start in the first state and end in the last."""
    names = {"alpha_0": 0, "alpha_inf": -1}

    def fixed(entry: WeightEntry) -> WeightEntry:
        position = names.get(entry.name.removesuffix("_new"))
        if position is None or (position == 0 and entry.derived is not None):
            return entry
        k = entry.shape[0]
        return constant(
            entry.name,
            (k,),
            derived=lambda w: tuple(w.over.one if i == position % k else w.over.zero for i in range(k)),
        )

    return replace(signature, entries=tuple(map(fixed, signature.entries)), most_small=most)


# The recurrences, as printed, at one index j.


def place_4(of: AnyPlaces, j: Any) -> Any:
    """Return component j of the state h_t = h_{t-1} T[x_t] (equation 4)."""
    return of.sum(lambda i: of.times(of.at("h", i), of.at("T", i, j)))


def place_5(of: AnyPlaces, j: Any) -> Any:
    """Return component j of the state h_t = a D_2^T, with a = (h_{t-1} D_1) o v_t (equation 5)."""
    return of.sum(lambda s: of.times(a(of, s), of.at("D_2", j, s)), "r")


def a(of: AnyPlaces, s: Any) -> Any:
    """Return component s of the vector a = (h_{t-1} D_1) o v_t in equation 5."""
    return of.times(of.sum(lambda i: of.times(of.at("h", i), of.at("D_1", i, s))), of.at("v", s))


def of_factors(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return T[x, i, j] computed from the factors: the sum over s of D_1[i, s] v[s] D_2[j, s]."""
    return of.sum(lambda s: of.times(of.times(of.at("D_1", i, s), of.at("v", s)), of.at("D_2", j, s)), "r")


# The functions for all indices.


def step_4(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t = h_{t-1} T[x_t] (equation 4)."""
    at = Concrete(w.over, len(h), {"T": w.T[x], "h": h})
    return tuple(place_4(at, j) for j in range(1, len(h) + 1))


def step_5(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t = ((h_{t-1} D_1) o v_t) D_2^T (equation 5)."""
    return with_factors(w, h, w.v[x])


def with_factors(w: Weights, h: Vector, z: Vector) -> Vector:
    """Return the state h_t by equation 5 with the vector z instead of the word's vector v_t."""
    at = Concrete(w.over, len(h), {"D_1": w.D_1, "D_2": w.D_2, "v": z, "h": h}, {"r": len(z)})
    return tuple(place_5(at, j) for j in range(1, len(h) + 1))


def score(w: Weights, h: Vector) -> tuple[Any]:
    """Return the score of the state h, its inner product with the final weights alpha_inf (equation 8)."""
    return (dot(w.over, h, w.alpha_inf),)


def dot(k: Semiring, left: Vector, right: Vector) -> Any:
    """Return the inner product of two vectors over the semiring k."""
    return total(k, (k.times(x, y) for x, y in zip(left, right, strict=True)))


def times(k: Semiring, h: Vector, matrix: Any) -> Vector:
    """Return the row vector h times the matrix, which is a list of rows."""
    return tuple(dot(k, h, column) for column in zip(*matrix, strict=True))


by_tensor = Recurrence(start=lambda w: w.alpha_0, step=step_4, out=score)
by_factors = Recurrence(start=lambda w: w.alpha_0, step=step_5, out=score)


# The automata.


def automaton_of(w: Weights, tables: dict[str, Any]) -> WFSA:
    """Return the automaton with these transition matrices; alpha_0 and alpha_inf are its other weights."""
    return WFSA(w.over, w.alpha_0, w.alpha_inf, tables)


def with_tensor(w: Weights) -> list[WFSA]:
    """Return the automaton whose transition matrices are T."""
    return [automaton_of(w, w.T)]


def rebuilt(w: Weights) -> dict[str, Matrix]:
    """Return the transition matrix T[x] of each word x, computed from the factors."""
    size = range(1, len(w.D_1) + 1)
    tensors = {}
    for x in w.alphabet:
        at = Concrete(w.over, len(w.D_1), {"D_1": w.D_1, "D_2": w.D_2, "v": w.v[x]}, {"r": len(w.v[x])})
        tensors[x] = tuple(tuple(of_factors(at, i, j) for j in size) for i in size)
    return tensors


def with_rebuilt_tensor(w: Weights) -> list[WFSA]:
    """Return the automaton whose weights T are computed from the factors."""
    return [automaton_of(w, rebuilt(w))]


# Factors that are constructed from any tensor. They have a column for each word y and state i, or for each
# pair of states, whichever is fewer.


def columns(w: Weights) -> list[tuple[Any, int, int | None]]:
    """Return the meaning of each column of the constructed factors.

    A column stands for a word and a source state, or for a source and a target state. Each is described by
    its word, its source and its target, where the missing item is ``None``. States are counted from 0.
    """
    states, words = range(len(w.alpha_0)), w.alphabet
    if len(words) <= len(states):
        return [(y, i, None) for y in words for i in states]
    return [(None, i, j) for i in states for j in states]


def before(w: Weights) -> Matrix:
    """Return the constructed factor D_1.

    Each column (:func:`columns`) has a one in the row of its source state.
    """
    k = w.over
    return tuple(
        tuple(k.one if i == own else k.zero for _, own, _ in columns(w)) for i in range(len(w.alpha_0))
    )


def of_word(w: Weights, x: str) -> Vector:
    """Return the constructed row of E_R for the word x.

    The row is 1 in the columns of this word, and 0 in those of other words. In the column of the states i and
    j, it is T[x, i, j].
    """
    k = w.over
    return tuple((k.one if x == y else k.zero) if j is None else w.T[x][i][j] for y, i, j in columns(w))


def after(w: Weights) -> Matrix:
    """Return the constructed factor D_2.

    The column of a word y and a state i contains the row T[y, i]. The column of two states has a one in the
    row of the target state.
    """
    k = w.over
    return tuple(
        tuple(w.T[y][i][j] if own is None else (k.one if j == own else k.zero) for y, i, own in columns(w))
        for j in range(len(w.alpha_0))
    )


def by_construction() -> tuple[WeightEntry, ...]:
    """Return the names of D_1, v and D_2, with the functions that derive these factors from T."""
    return (
        constant("D_1", derived=before, follows=are_exact),
        by_symbol("v", derived=of_word, follows=are_exact),
        constant("D_2", derived=after, follows=are_exact),
    )


def are_exact(w: Weights) -> bool:
    """Return whether the tensor that is computed from the factors equals T."""
    return bool(rebuilt(w) == w.T)


# The step with symbolic K and r, from the functions above.


def any_size_4() -> list[Identity]:
    """Return the induction step with equation 4 as an identity, at any index j and with symbolic K."""
    of = symbolic()
    left = of.sum(lambda i: of.times(of.at("h", i), of.at("T", i, of.j)))
    right = place_4(of, of.j)
    return [at_place(of, left, right)]


def any_size_5() -> list[Identity]:
    """Return the induction step with equation 5 as an identity, at any index j and with symbolic K and r.

    The automaton's tensor is computed from the factors.
    """
    of = symbolic()
    left = of.sum(lambda i: of.times(of.at("h", i), of_factors(of, i, of.j)))
    return [at_place(of, left, place_5(of, of.j))]


def vector_is_h(
    signatures: Iterable[Signature], enough: str, sizes: Callable[[], list[Identity]]
) -> Induction:
    """Return the proof by induction with the invariant h, the state of the network.

    Args:
        signatures: the names and shapes of the weights for which the identities are checked.
        enough: the reason why they are sufficient.
        sizes: a function that returns identities for every size.
    """
    return Induction(
        says="after every string, the Forward vector is h",
        invariant=lambda w, h, unit: h,
        states=lambda w, variable: [tuple(variable(f"h[{i}]") for i in range(1, w.n + 1))],
        instances=tuple((signature, "a") for signature in signatures),
        enough=enough,
        sizes=sizes,
    )


def at_place(of: SymbolicPlaces, left: Any, right: Any) -> Identity:
    """Return the identity of the expressions ``left`` and ``right`` at an index j."""
    return step_identity(of, "at every state j, 1 <= j <= n = K, for every r", left, right)
