"""The illusion of state: products of commuting matrices depend on the numbers of letters only.

Merrill, Petty and Sabharwal 2024 show that state-space models with diagonal matrices are in TC^0, so they
cannot compose permutations unless TC^0 = NC^1. Two facts are true without this condition. A diagonal layer
without offset gives the same score to words with the same letters in different orders. A diagonal layer with
offset cannot track three items.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from automata.wfsa import WFSA
from theory.claim import QUOTED, Claim, Effort, Source, holding, refuted
from theory.expressivity import pd_ssm_emulation as pd_ssm
from theory.fa_rnn.shared.networks import Vector, dot
from theory.induction import Induction
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, entries
from theory.theorem import Theorem
from theory.weights import Weights


def layer(n: int) -> Signature:
    """Return the names and shapes of the weights of a diagonal layer with n components, without offset."""
    return Signature(entries("s_0[N] c[N] | g[N]", n), size=("N", n), most_small=300)


def layer_with_offset(n: int) -> Signature:
    """Return the names and shapes of the weights of a diagonal layer with n components, with offsets."""
    return Signature(entries("s_0[N] c[N] | g[N] b[N]", n), size=("N", n), most_small=300)


def diagonal(w: Weights, s: Vector, x: str) -> Vector:
    """Return the layer's next state: g(x) s, plus the offset b(x) if there is one."""
    k = w.over
    products = tuple(k.times(g, value) for g, value in zip(w.g[x], s, strict=True))
    return tuple(map(k.plus, products, w.b[x])) if "b" in w.entries else products


def automaton(w: Weights) -> list[WFSA]:
    """Return the automaton of the layer, which has one more state if there is an offset."""
    k, states, with_offset = w.over, range(len(w.c)), "b" in w.entries
    tables = {}
    for x in w.alphabet:
        rows = [[w.g[x][i] if i == j else k.zero for j in states] for i in states]
        tables[x] = [[*row, k.zero] for row in rows] + [[*w.b[x], k.one]] if with_offset else rows
    more = ((k.one,), (k.zero,)) if with_offset else ((), ())
    return [WFSA(k, [*w.s_0, *more[0]], [*w.c, *more[1]], tables)]


# The layer that reads the letters in another order: one pass of bubble sort. Enough passes sort every word.


def start(w: Weights) -> tuple[str, Vector]:
    """Return the state before the first letter: no waiting letter, and the initial vector of the layer."""
    return "", w.s_0


def step(w: Weights, state: tuple[str, Vector], x: str) -> tuple[str, Vector]:
    """Return the state after letter x.

    The layer reads the waiting letter or x, whichever is first in the alphabet, and the other letter waits.
    """
    waiting, s = state
    if not waiting:
        return x, s
    smaller, greater = sorted((waiting, x), key=w.alphabet.index)
    return greater, diagonal(w, s, smaller)


def at_the_end(w: Weights, state: tuple[str, Vector]) -> Vector:
    """Return the state of the layer after it also reads the waiting letter."""
    waiting, s = state
    return diagonal(w, s, waiting) if waiting else s


one_pass = Recurrence(start, step, lambda w, state: (dot(w.over, w.c, at_the_end(w, state)),), modes=True)


def states(w: Weights, variable: Any) -> Iterator[tuple[str, Vector]]:
    """Yield a state for each waiting letter, and one without a waiting letter.

    The vectors of these states consist of variables.
    """
    s = tuple(variable(f"s_{i}") for i in range(len(w.c)))
    yield from ((waiting, s) for waiting in ("", *w.alphabet))


# A layer with a matrix for each map of N items, such as a permutation, composes the maps of a word.

Composed = tuple[tuple[int, ...], Vector]
"""The image of each item, and the initial weights."""


def composed(w: Weights, state: Composed, x: str) -> Composed:
    """Return the state after symbol x, in which each image is replaced by its image under the map of x."""
    images, first = state
    return tuple(int(w.delta[x][image]) for image in images), first


def of_images(w: Weights, state: Composed) -> Vector:
    """Return the sum over items of their initial weight times the final weight of their image."""
    images, first = state
    return (dot(w.over, first, tuple(w.c[image] for image in images)),)


composition = Recurrence(lambda w: (tuple(range(len(w.c))), w.x_0), composed, of_images, modes=True)


def three_items(w: Weights) -> list[WFSA]:
    """Return the automaton whose score is 1 if the first of three items is at its initial position, else 0.

    The letter a swaps the first two items, and every other letter swaps the last two.
    """
    k = w.over
    orders = {x: (1, 0, 2) if x == "a" else (0, 2, 1) for x in w.alphabet}
    tables = {x: [[k.one if j == to else k.zero for j in range(3)] for to in orders[x]] for x in w.alphabet}
    first = [k.one, k.zero, k.zero]
    return [WFSA(k, first, first, tables)]


SIZES, WITH_OFFSET = Sizes(layer, (1, 2, 3), (1, 2)), Sizes(layer_with_offset, (1, 2, 3), (1, 2))
MAPS = Sizes(lambda n: pd_ssm.layer(n, d=(1,)), (1, 2, 3), (1, 2, 3))
DIAGONAL = Recurrence(lambda w: w.s_0, diagonal, lambda w, s: (dot(w.over, w.c, s),))
GIVEN = "(Q := {Q}) (S := {S}) {delta} (fun _ _ => one) {x_0} {c}"
COMPOSED = "of_composition (Q := {Q}) (S := {S}) {delta} {x_0} {c} {letters}"

CLAIM = Claim(
    name="illusion-of-state",
    title="a diagonal layer only counts letters",
    statement=(
        "A layer s_t = A(x_t) s_{t-1} with diagonal matrices and a linear output gives all words with the"
        " same letters the same score. With an offset, no diagonal layer of any size tracks one of three"
        " items under swaps. A layer with permutation matrices of size N tracks all N items."
    ),
    source=Source("merrill2024illusion", "", "Diagonal and permutation matrices"),
    hypotheses=(
        "One layer over symbols, in exact arithmetic: the paper's theorem is about any fixed depth, with"
        " log-precision, under the condition that TC^0 is not NC^1.",
        "Matrices that are diagonal in one basis commute; no other property of them is used.",
        "To track an item means that the output is positive if and only if the item is back.",
    ),
    variants=(
        holding(
            name="corrected",
            says=(
                "the layer that reads the letters of one pass of bubble sort has the same scores; enough"
                " passes sort a word, so only the numbers of letters matter"
            ),
            reading=Equality(one_pass, automaton),
            cases=SIZES.random,
            small_cases=SIZES.near_generic,
            proof=Induction(
                says="after every string, the Forward vector is s, after the step of the waiting letter",
                invariant=lambda w, state, unit: at_the_end(w, state),
                states=states,
                instances=tuple((layer(n), "ab") for n in (1, 2, 3)),
                enough=(
                    "An identity contains the weights of at most two letters, and of one component, so two"
                    " letters and one component stand for all."
                ),
            ),
            theorem=Theorem(
                "expressivity.illusion_of_state.illusion_of_state",
                network="diagonal_layer (n := {n}) {g} {s_0} {c} (pass None {word})",
                automaton="diagonal_automaton (n := {n}) {g} {s_0} {c}",
                values=lambda w: {**w.entries, "n": len(w.c)},
                claims=(
                    "forall (K : semiring) n (g : nat -> 'I_n -> K) (s_0 c : 'I_n -> K) word,"
                    " commutative (@times K) -> {automaton} = {network}"
                ),
            ),
        ),
        holding(
            name="corrected-permutations",
            says=(
                "a layer with N components and a matrix for each map of N items, such as a permutation, has"
                " the scores of the composition of all maps"
            ),
            reading=Equality(composition, pd_ssm.automaton),
            cases=MAPS.random,
            small_cases=MAPS.near_generic,
            programs=("pd-ssm-emulation",),
            theorem=Theorem(
                "expressivity.illusion_of_state.illusion_of_state_permutations",
                network=COMPOSED,
                automaton=f"of_maps {GIVEN}",
                score=f"{{score}} (of_maps {GIVEN}) {{letters}}",
                values=pd_ssm.in_coq,
                claims=(
                    "forall (K : semiring) (Q S : finite) (delta : S -> Q -> Q) (x_0 c : Q -> K) letters,"
                    " {automaton} = {network}"
                ),
            ),
        ),
        refuted(
            name="without-permutations",
            says=(
                "every diagonal layer, with an offset, tracks the first of three items under swaps; one layer"
                " refutes this, and Coq shows that no layer of any size does"
            ),
            reading=Equality(DIAGONAL, three_items),
            cases=WITH_OFFSET.random,
            theorem=Theorem(
                "expressivity.illusion_of_state.without_permutations_is_refuted",
                untied="the theorem is about layers of any size, and about the sign of their scores",
            ),
        ),
        refuted(
            name="without-zero-offset",
            says="the scores of a layer with an offset do not depend on the order of letters either",
            without={"kernel-checked": "the counterexample is one word, which the suite computes"},
            reading=Equality(one_pass, automaton),
            cases=WITH_OFFSET.random,
        ),
    ),
    differences=(
        (
            "The paper's theorem is about any fixed depth, with log-precision, under the condition"
            " that TC^0 is not NC^1. Here there is one layer over symbols, in exact arithmetic,"
            " without a condition."
        ),
        (
            "Matrices are diagonal in one basis. That a layer tracks items is read as: each output is"
            " positive if and only if its item is back."
        ),
        "Nothing is stated about depth or about circuits.",
        QUOTED,
    ),
    example=layer(2).example(),
    uses=("pd-ssm-emulation",),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=5),
)
