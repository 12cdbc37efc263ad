"""Equation 10: rules are added by combining their factors in blocks, and no score changes.

Jiang et al. 2020, section 6, equation 10. The initial weights are also concatenated, which the paper leaves
implicit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.fa_rnn.shared.networks import (
    SQUARE,
    Vector,
    dot,
    factors,
    in_line,
    of_factors,
    rebuilt,
    with_factors,
)
from theory.induction import Identity, Induction, step_identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights, total

OLD, NEW = "", "_new"
BLOCKS = (OLD, NEW)
STATES = {OLD: None, NEW: "K_new"}
COLUMNS = {OLD: "r", NEW: "r_new"}


def two_sets(size: tuple[int, int, int, int], only: tuple[Any, ...] | None = None) -> Signature:
    """Return the names and shapes of the weights of two networks.

    They have K and K_new states, and r and r_new columns.
    """
    k, r, k_new, r_new = size
    new = [replace(entry, name=entry.name + NEW) for entry in factors(k_new, r_new, only)]
    return Signature((*factors(k, r, only), *new), size=("K", k), most_small=700)


def block(w: Weights, name: str) -> Weights:
    """Return the weights of the old or the new network, under names without the suffix ``_new``."""
    own = {entry: w.entries[entry + name] for entry in ("alpha_0", "D_1", "v", "D_2", "alpha_inf")}
    return Weights(w.over, w.alphabet, own, ("K", len(own["alpha_0"])))


# The recurrence of the two networks at one index of one block, with the blocks of equation 10. Entries
# outside of the two blocks are zero.


def within(of: AnyPlaces, name: str, row: str, i: Any, column: str, s: Any) -> Any:
    """Return entry (i, s) of one block of the combined D_1 or D_2.

    ``row`` and ``column`` name the networks to which the block's rows and columns belong. If the two
    networks differ, the entry is zero.
    """
    return of.at(name + row, i, s) if row == column else of.zero


def place_10(of: AnyPlaces, own: str, j: Any, a: Callable[[str, Any], Any]) -> Any:
    """Return component j of the block of h_t = a D_2^T that belongs to the network ``own``.

    ``a`` is a function that returns the components of the vector a, such as :func:`a_10`.
    """

    def from_column(b: str) -> Any:
        return of.sum(lambda s: of.times(a(b, s), within(of, "D_2", own, j, b, s)), COLUMNS[b])

    return of.plus(from_column(OLD), from_column(NEW))


def a_10(of: AnyPlaces, column: str, s: Any) -> Any:
    """Return component s of the block of a = (h_{t-1} D_1) o v_t that belongs to the network ``column``."""

    def from_state(b: str) -> Any:
        return of.sum(lambda i: of.times(of.at("h" + b, i), within(of, "D_1", b, i, column, s)), STATES[b])

    return of.times(of.plus(from_state(OLD), from_state(NEW)), of.at("v" + column, s))


def step(w: Weights, h: tuple[Vector, Vector], x: str) -> tuple[Vector, Vector]:
    """Return the state h_t of the combined network, as the block of the old network and that of the new."""
    old, new = h
    values = {"h": old, "h_new": new, "v": w.v[x], "v_new": w.v_new[x]}
    values |= {name: w.entries[name] for name in ("D_1", "D_2", "D_1_new", "D_2_new")}
    sizes = {"r": len(w.v[x]), "K_new": len(new), "r_new": len(w.v_new[x])}
    of = Concrete(w.over, len(old), values, sizes)
    a = cache(partial(a_10, of))
    after = [
        tuple(place_10(of, name, j, a) for j in range(1, len(own) + 1))
        for name, own in zip(BLOCKS, h, strict=True)
    ]
    return after[0], after[1]


def scores(w: Weights, h: tuple[Vector, Vector]) -> tuple[Any, Any]:
    """Return the score of the old set of rules and that of the new set (equation 8)."""
    return dot(w.over, h[0], w.alpha_inf), dot(w.over, h[1], w.alpha_inf_new)


merged = Recurrence(start=lambda w: (w.alpha_0, w.alpha_0_new), step=step, out=scores)


def each_alone(w: Weights) -> list[WFSA]:
    """Return the automaton of the old set of rules and that of the new set."""
    return [
        WFSA(w.over, own.alpha_0, own.alpha_inf, rebuilt(own)) for own in (block(w, name) for name in BLOCKS)
    ]


# If the new states have no columns of their own, they share the existing columns, and a word's vector is the
# sum of its old and its new vector.


def shared_step(w: Weights, h: tuple[Vector, Vector], x: str) -> tuple[Vector, Vector]:
    """Return both blocks of h_t by equation 5 with [D_1; D_1_new], v + v_new and [D_2; D_2_new]."""
    both = {"D_1": (*w.D_1, *w.D_1_new), "D_2": (*w.D_2, *w.D_2_new)}
    z = tuple(total(w.over, pair) for pair in zip(w.v[x], w.v_new[x], strict=True))
    after = with_factors(Weights(w.over, w.alphabet, both), (*h[0], *h[1]), z)
    return after[: len(h[0])], after[len(h[0]) :]


in_shared_columns = Recurrence(start=lambda w: (w.alpha_0, w.alpha_0_new), step=shared_step, out=scores)


# With word vectors and an interpolation (equation 6), the matrices G and G' are concatenated, too.


def with_vectors(size: tuple[int, int, int, int, int]) -> Signature:
    """Return the names and shapes of the weights of two networks, with word vectors and beta.

    The vectors have D components.
    """
    *both, d = size
    signature = two_sets((both[0], both[1], both[2], both[3]))
    more = (
        constant("beta"),
        by_symbol("word_vector", (d,)),
        constant("G", (d, both[1])),
        constant("G_new", (d, both[3])),
    )
    return replace(signature, entries=(*signature.entries, *more))


def interpolated(w: Weights, x: str, v: Vector, g: Any) -> Vector:
    """Return a word's vector beta v + (1 - beta) u G, where u is its pretrained vector."""
    columns = zip(*g, strict=True)
    return tuple(
        w.beta * a + (1 - w.beta) * dot(w.over, w.word_vector[x], column)
        for a, column in zip(v, columns, strict=True)
    )


def with_rows(w: Weights, rows: dict[str, tuple[Vector, Vector]]) -> Weights:
    """Return the weights of both networks with new vectors v of the words.

    ``rows`` maps a word to its vector for the old network and its vector for the new one.
    """
    old, new = ({x: both[i] for x, both in rows.items()} for i in (0, 1))
    return w.changed(v=old, v_new=new)


def step_with_vectors(w: Weights, h: tuple[Vector, Vector], x: str) -> tuple[Vector, Vector]:
    """Return both blocks of h_t by equation 6, with the concatenations [v v'] and [G G']."""
    stacked = tuple((*a, *b) for a, b in zip(w.G, w.G_new, strict=True))
    z, r = interpolated(w, x, (*w.v[x], *w.v_new[x]), stacked), len(w.v[x])
    return step(with_rows(w, {x: (z[:r], z[r:])}), h, x)


def each_alone_with_vectors(w: Weights) -> list[WFSA]:
    """Return the automaton of the old set of rules and that of the new set, each with its own v and G."""
    return each_alone(
        with_rows(
            w,
            {
                x: (interpolated(w, x, w.v[x], w.G), interpolated(w, x, w.v_new[x], w.G_new))
                for x in w.alphabet
            },
        )
    )


with_word_vectors = Recurrence(start=lambda w: (w.alpha_0, w.alpha_0_new), step=step_with_vectors, out=scores)


def any_size() -> list[Identity]:
    """Return the induction step as an identity, at any index j of the old block.

    The sizes of the two blocks are symbolic. The step of the new block is the same with the names exchanged.
    """
    of = symbolic()
    left, right = place_10(of, OLD, of.j, partial(a_10, of)), alone(of, of.j)
    where = "at every state j of one set, for any K and r of both sets"
    return [step_identity(of, where, left, right)]


def alone(of: AnyPlaces, j: Any) -> Any:
    """Return component j of h T, where T is computed from the factors of the old network alone."""
    return of.sum(lambda i: of.times(of.at("h", i), of_factors(of, i, j)))


RANDOM = Sizes(two_sets, ((1, 1, 1, 1), (2, 1, 1, 2), (2, 2, 2, 2), (1, 2, 3, 1)), ())
SMALL = Sizes(lambda size: in_line(two_sets(size, (0, 1)), 700), (), ((1, 1, 1, 1), (2, 1, 1, 1)))
SHARED = Sizes(two_sets, ((1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 2, 2), (1, 2, 3, 2)), ())
VECTORS = Sizes(with_vectors, ((1, 1, 1, 1, 1), (2, 1, 1, 2, 2)), ((2, 1, 1, 1, 1), (1, 1, 2, 1, 2)))

BOTH_IN_COQ = (
    "(alpha_0 alpha_inf : Q -> K) (alpha_0_new alpha_inf_new : Q' -> K) (D_1 D_2 : Q -> C -> K)"
    " (D_1_new D_2_new : Q' -> C' -> K) (v : S -> C -> K) (v_new : S -> C' -> K) word"
)
SHARED_IN_COQ = BOTH_IN_COQ.replace("C'", "C")
BOTH_SCORES = (
    "(let unit : 'I_2 := ord0 in {network} = score_5 alpha_0 alpha_inf D_1 D_2 v word) /\\"
    " (let unit : 'I_2 := ord_max in"
    " {network} = score_5 alpha_0_new alpha_inf_new D_1_new D_2_new v_new word)"
)

FIRST = "(beside {alpha_0} {alpha_0_new})"
ENDS = (
    "(if {unit} == ord0 then beside {alpha_inf} (fun _ => zero) else beside (fun _ => zero) {alpha_inf_new})"
)
IN_BLOCKS = (
    f"score_5 (Q := sum_finite _ _) (C := sum_finite _ _) {FIRST} {ENDS} (in_blocks {{D_1}} {{D_1_new}})"
    " (in_blocks {D_2} {D_2_new})"
)
ROWS = "(both_rows {v} {v_new})"
OWN_ROWS = "(mixed_rows word_vector beta gamma {} {})"
SCORES_WITH_VECTORS = (
    "(let unit : 'I_2 := ord0 in {network} = score_5 alpha_0 alpha_inf D_1 D_2"
    f" {OWN_ROWS.format('v', 'G')} word) /\\ (let unit : 'I_2 := ord_max in {{network}} ="
    f" score_5 alpha_0_new alpha_inf_new D_1_new D_2_new {OWN_ROWS.format('v_new', 'G_new')} word)"
)

CLAIM = Claim(
    name="fa-rnn-eq-10",
    title="rules are added without retraining",
    statement=(
        "If the factors of two networks are combined in blocks and their initial weights are concatenated,"
        " each set of rules has the same score as in its own network."
    ),
    source=Source("jiang2020cold", "6", "Equation 10", ("10",)),
    hypotheses=(
        (
            "The initial weights of both networks are kept, and the final weights of each set are zero for"
            " the states of the other set."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="as printed, with concatenated initial and final weights",
            reading=Equality(recurrence=merged, construction=each_alone),
            cases=RANDOM.random,
            small_cases=SMALL.small,
            programs=("fa-rnn-blocks",),
            proof=Induction(
                says="after every string, the Forward vector of each set is its block of h",
                invariant=lambda w, h, unit: h[unit],
                states=lambda w, variable: [
                    tuple(
                        tuple(
                            variable(f"h{name}[{i}]") for i in range(1, len(w.entries["alpha_0" + name]) + 1)
                        )
                        for name in BLOCKS
                    )
                ],
                instances=tuple(
                    (two_sets(size), "a") for size in ((1, 1, 1, 1), (2, 1, 1, 2), (2, 2, 2, 1), (1, 2, 2, 2))
                ),
                enough=(
                    f"{SQUARE} For all sizes: the step at a state is one identity of sums over states and"
                    " columns, with symbols for sizes."
                ),
                sizes=any_size,
            ),
            theorem=Theorem(
                "fa_rnn.eq_10.eq_10",
                claims=(
                    f"forall (K : semiring) (S : Type) (Q Q' C C' : finite) {BOTH_IN_COQ}, {BOTH_SCORES}"
                ),
                network=f"{IN_BLOCKS} {ROWS} {{word}}",
            ),
        ),
        holding(
            name="corrected-embeddings",
            says="with word vectors and any beta (equation 6): [G G'] as printed, with one E_w and one beta",
            reading=Equality(recurrence=with_word_vectors, construction=each_alone_with_vectors),
            cases=VECTORS.random,
            small_cases=VECTORS.near_generic,
            theorem=Theorem(
                "fa_rnn.eq_10.eq_10_embeddings",
                claims=(
                    "forall (R : comRingType) (S : Type) (Q Q' C C' D : finite),"
                    f" let K := of_ring R in forall {BOTH_IN_COQ.removesuffix(' word')}"
                    " (word_vector : S -> D -> K) (G : D -> C -> K) (G_new : D -> C' -> K) (beta : of_ring R)"
                    " word,"
                    f" let gamma : of_ring R := (1 - beta)%R in {SCORES_WITH_VECTORS}"
                ),
                network=(
                    f"{IN_BLOCKS} (mixed_rows (C0 := sum_finite _ _) {{word_vector}} {{beta}} {{gamma}}"
                    f" {ROWS} (both_columns {{G}} {{G_new}})) {{word}}"
                ),
                values=lambda w: {**w.entries, "gamma": 1 - w.beta},
            ),
        ),
        refuted(
            name="without-own-columns",
            says="the new states share the existing columns: [D_1; D_1'], E_R + E_R' and [D_2; D_2']",
            reading=Equality(recurrence=in_shared_columns, construction=each_alone),
            cases=SHARED.random,
            small_cases=SMALL.small,
            theorem=Theorem(
                "fa_rnn.eq_10.without_own_columns_is_refuted",
                claims=(
                    "forall K : semiring, one <> zero :> K -> not (forall (S : Type) (Q Q' C : finite)"
                    f" {SHARED_IN_COQ}, {BOTH_SCORES})"
                ),
                network=(
                    "score_in_shared_columns {D_1} {D_2} {D_1_new} {D_2_new} {v} {v_new}"
                    f" {FIRST} {ENDS} {{word}}"
                ),
            ),
        ),
    ),
    differences=(
        (
            "The initial weights are concatenated, and the final weights of each set are zero for the"
            " states of the other set. The paper leaves both implicit."
        ),
        (
            "The statement is that each set of rules has the score of its own network, which the"
            " paper does not state. Both networks have the same E_w and beta."
        ),
    ),
    example=RANDOM.of((2, 1, 1, 2)).example(),
    uses=("fa-rnn-eq-5",),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
)
