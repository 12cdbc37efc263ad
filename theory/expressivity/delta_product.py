"""DeltaProduct with n - 1 steps a token composes all permutations of n items.

Siems et al. 2025: each of the n_h steps of a token multiplies the state by I - beta k k^T. A permutation of n
items is a product of at most n - 1 swaps, and each swap is such a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import factorial
from typing import Any

from theory.claim import PARAPHRASED, Claim, Effort, Source, holding, refuted
from theory.expressivity.householder_products import GIVEN, automaton, in_coq, layer, permuting, swapping
from theory.reading import Equality
from theory.signature import Signature, Sizes
from theory.theorem import Theorem
from theory.weights import Weights


def permutations(n: int, **only: Sequence[Any]) -> Signature:
    """Return the names and shapes of permutations of n items, without weights of transitions."""
    signature = permuting(n, **only)
    return replace(signature, entries=tuple(entry for entry in signature.entries if entry.name != "d"))


SIZES = Sizes(permutations, (1, 2, 3, 4), (1, 2, 3))
THREE = Sizes(lambda n: permutations(n, x_0=(0, 1), c=(0, 1)), (3,), (2, 3))
MOST = 6
UNWEIGHTED = GIVEN.replace("{d:finite}", "(fun _ _ => one)")


def small_cases(letters: int) -> Iterator[Weights]:
    """Yield cases near the generic ones and, with one letter, every permutation of at most six items."""
    yield from SIZES.near_generic(letters)
    for n in range(1, MOST + 1) if letters == 1 else ():
        generic = permutations(n).generic("a")
        for index in range(factorial(n)):
            yield generic.changed(order={"a": Fraction(index)})


CLAIM = Claim(
    name="delta-product-permutations",
    title="n - 1 steps a token compose permutations of n items",
    statement=(
        "One layer of DeltaProduct with n_h = n - 1 steps a token composes all permutations of n items: the"
        " matrix of each permutation is a product of n - 1 matrices I - beta k k^T with beta |k|^2 of 0 or 2."
        " A product of fewer such matrices is not the matrix of a cycle of all n items."
    ),
    source=Source("siems2025deltaproduct", "", "Permutation groups"),
    hypotheses=(
        "One layer over symbols, in exact arithmetic, without values.",
        "A token is a permutation, and its keys and betas depend on the token only.",
        "The items are one-hot vectors: the lower bound is about the matrices of permutations, and not about"
        " other representations of a group.",
        "The abstract of version 7 on arXiv was available, and the statement is paraphrased.",
    ),
    variants=(
        holding(
            name="corrected",
            says="for every permutation of at most six items, and any initial and final weights",
            without={
                "proved": "terms cancel, and proofs use polynomials without -1; the Coq theorem covers it"
            },
            reading=Equality(layer(swapping), automaton),
            cases=SIZES.random,
            small_cases=small_cases,
            programs=("delta-product-permutations",),
            theorem=Theorem(
                "expressivity.delta_product.delta_product",
                network=(
                    "product_layer (Q := {Q}) (S := {S}) {minus} (fun x => permutes {minus} ({delta} x))"
                    " {x_0} {c} {letters}"
                ),
                automaton=f"of_maps {UNWEIGHTED}",
                score=f"{{score}} (of_maps {UNWEIGHTED}) {{letters}}",
                claims=(
                    "forall (K : semiring) (Q S : finite) (minus : K) (delta : S -> Q -> Q) (x_0 c : Q -> K)"
                    " letters, commutative (@times K) -> plus one minus = zero ->"
                    " (forall x, injective (delta x)) -> {automaton} = {network}"
                ),
                values=in_coq,
            ),
        ),
        refuted(
            name="without-last-step",
            says="n_h = n - 2 steps: no product of so few factors is a cycle of all items",
            reading=Equality(layer(lambda w, x: swapping(w, x)[:-1]), automaton),
            cases=THREE.random,
            theorem=Theorem(
                "expressivity.delta_product.without_last_step_is_refuted",
                untied="the theorem is about all products of n - 2 factors over any field, by their rank",
            ),
        ),
        refuted(
            name="without-order-of-steps",
            says="the steps in the opposite order, which is the inverse permutation",
            without={"kernel-checked": "the counterexample is one word, which the suite computes"},
            reading=Equality(layer(lambda w, x: swapping(w, x)[::-1]), automaton),
            cases=THREE.random,
        ),
    ),
    differences=(
        PARAPHRASED,
        (
            "There is one layer over symbols, in exact arithmetic. The output is any linear function"
            " of the composed permutation."
        ),
        (
            "In print, the statement is about groups of permutations; here it is about the product of"
            " matrices of all permutations of n one-hot items."
        ),
        (
            "The lower bound excludes only that a product of fewer matrices is the matrix of a cycle."
            " It is no lower bound for other representations."
        ),
    ),
    example=permutations(3).example(),
    uses=("gated-delta-product", "householder-products"),
    effort=Effort(examples=25, strings=10, longest=8, run=10),
)
