"""Parity needs a negative eigenvalue, and counting modulo 3 needs an eigenvalue that is not real.

Grazzi et al. 2025: DeltaNet with one key has the matrix I - beta k k^T, whose eigenvalues are 1
and 1 - beta |k|^2. With beta = 2 and |k| = 1 it is a reflection.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.claim import PARAPHRASED, Claim, Effort, Source, holding, refuted
from theory.expressivity.pd_ssm_emulation import counting
from theory.expressivity.second_order import scaled_sign, sign
from theory.fa_rnn.shared.networks import Vector, at_place, dot
from theory.induction import ONE_LETTER, Identity, Induction
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant, entries
from theory.theorem import Theorem
from theory.weights import Weights


def one_key(n: int, **only: Sequence[Any]) -> Signature:
    """Return the names and shapes of the weights of a column of DeltaNet with one key for all symbols."""
    names = "minus s_0[N] k[N] | beta v"
    return Signature(entries(names, n, {"minus": (-1,), **only}), size=("N", n), most_small=100)


def next_place(of: AnyPlaces, j: Any, read: Any) -> Any:
    """Return component j of the next state, s + beta k (v - k s); ``read`` is the number k s."""
    error = of.plus(of.at("v"), of.times(of.at("minus"), read))
    return of.plus(of.at("s", j), of.times(of.at("beta"), of.times(of.at("k", j), error)))


def weights_of_state(of: AnyPlaces, square: Any) -> tuple[Any, Any]:
    """Return the weights of the transitions to the state k s, where ``square`` is |k|^2.

    They are beta |k|^2 v from the state 1, and 1 - beta |k|^2 from the state k s.
    """
    kept = of.plus(of.one, of.times(of.at("minus"), of.times(of.at("beta"), square)))
    return of.times(of.at("beta"), of.times(square, of.at("v"))), kept


def at_indices(w: Weights, x: str, s: Vector) -> Concrete:
    """Return the weights of symbol x and the state s, with indices from 1."""
    entries = {"minus": w.minus, "k": w.k, "beta": w.beta[x], "v": w.v[x], "s": s}
    return Concrete(w.over, len(s), entries)


def step(w: Weights, s: Vector, x: str) -> Vector:
    """Return the next state, s + beta k (v - k s)."""
    of, read = at_indices(w, x, s), dot(w.over, w.k, s)
    return tuple(next_place(of, j, read) for j in range(1, len(s) + 1))


def output(w: Weights, s: Vector) -> Vector:
    """Return the output k s, in which the key also serves as the query."""
    return (dot(w.over, w.k, s),)


delta_net = Recurrence(lambda w: w.s_0, step, output)


def of_eigenvalue(w: Weights) -> list[WFSA]:
    """Return the automaton with the states 1 and k s; the loop of k s has the weight 1 - beta |k|^2."""
    k, square, tables = w.over, dot(w.over, w.k, w.k), {}
    for x in w.alphabet:
        written, kept = weights_of_state(at_indices(w, x, w.k), square)
        tables[x] = [[k.one, written], [k.zero, kept]]
    return [WFSA(k, [k.one, *output(w, w.s_0)], [k.zero, k.one], tables)]


def any_size() -> list[Identity]:
    """Return the identity that the steps of layer and automaton agree, for every N.

    The symbol y stands for the number k s.
    """
    of = symbolic()
    y, square = of.at("y"), of.sum(lambda i: of.times(of.at("k", i), of.at("k", i)))
    left = of.sum(lambda j: of.times(of.at("k", j), next_place(of, j, y)))
    written, kept = weights_of_state(of, square)
    first = of.sum(lambda i: of.times(of.at("k", i), of.at("s", i)))
    return [at_place(of, left, first + written + y * (kept - of.one))]


# Keys that are not zero, and are normalised: |k| = 1.


def normalised(n: int, beta: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the start s_0 and a nonzero key.

    If ``beta`` is given, each symbol also has a beta.
    """
    betas = () if beta is None else (by_symbol("beta", only=beta),)
    return Signature(
        (constant("s_0", (n,)), constant("k", (n,)), *betas),
        size=("N", n),
        most_small=100,
        where=lambda w: any(w.k),
    )


def erased(w: Weights, s: Vector, x: str) -> Vector:
    """Return the next state, s - beta k (k s) / |k|^2.

    If the weights have no betas, beta is 2 for the letter a, and 0 for all other letters.
    """
    beta = w.beta[x] if "beta" in w.entries else Fraction(2 if x == "a" else 0)
    change = -beta / dot(w.over, w.k, w.k) * dot(w.over, w.k, s)
    return tuple(value + change * k for value, k in zip(s, w.k, strict=True))


with_unit_key = Recurrence(lambda w: w.s_0, erased, output)


# A layer with triangular matrices, whose eigenvalues are on their diagonals, does not count modulo 3.


def triangular(n: int) -> Signature:
    """Return the names and shapes of the weights of a linear layer with lower triangular matrices.

    The layer has n components.
    """
    return Signature(entries("x_0[N] c[N] | A[N][N]", n), size=("N", n), most_small=100)


def lower(w: Weights, state: Vector, x: str) -> Vector:
    """Return the next state: the state multiplied by A(x), whose entries above the diagonal are ignored."""
    return tuple(dot(w.over, row[: i + 1], state[: i + 1]) for i, row in enumerate(w.A[x]))


triangular_layer = Recurrence(lambda w: w.x_0, lower, lambda w, state: (dot(w.over, w.c, state),))
KEYS = Sizes(one_key, (1, 2, 3), (1, 2))
UNIT = Sizes(normalised, (1, 2, 3), (1, 2))
CLOSED = Sizes(lambda n: normalised(n, (0, 1, Fraction(1, 2), Fraction(3, 4))), (1, 2, 3), (1, 2))
TRIANGULAR = Sizes(triangular, (1, 2, 3), (1, 2))
GIVEN = "{minus} {s_0} {k} {beta} {v}"

CLAIM = Claim(
    name="negative-eigenvalues",
    title="parity needs a negative eigenvalue",
    statement=(
        "A linear layer in which all eigenvalues of a letter's matrix are real and at least 0 does not"
        " recognise parity, and one in which all are real, such as a triangular one, does not count modulo 3."
        " The output k s of DeltaNet with one key k is an automaton with two states and the eigenvalue"
        " 1 - beta |k|^2. With |k| = 1, beta = 2 and no values it is parity."
    ),
    source=Source("grazzi2025unlocking", "", "Eigenvalues and parity"),
    hypotheses=(
        "One layer over symbols, in exact arithmetic: the paper's theorems are about any depth and finite"
        " precision.",
        "A word is accepted if a linear function of the last state is positive. An offset is one more"
        " component, with the eigenvalue 1.",
        "The characteristic polynomial of the letter's matrix is a product of linear factors.",
        "The abstract of version 5 on arXiv was available, and the statement is paraphrased.",
    ),
    variants=(
        holding(
            name="corrected",
            says="one key, any betas and values, and the key as the query: an automaton with two states",
            reading=Equality(delta_net, of_eigenvalue),
            cases=KEYS.random,
            small_cases=KEYS.near_generic,
            programs=("negative-eigenvalues",),
            proof=Induction(
                says="after every string, the Forward vector is 1 and k s",
                invariant=lambda w, s, unit: (w.over.one, *output(w, s)),
                states=lambda w, variable: [tuple(variable(f"s_{i}") for i in range(len(w.k)))],
                instances=tuple((one_key(n), "a") for n in (1, 2, 3)),
                enough=f"For every N: the step is one identity of sums, with N a symbol. {ONE_LETTER}",
                sizes=any_size,
            ),
            theorem=Theorem(
                "expressivity.negative_eigenvalues.negative_eigenvalues",
                network=f"one_key (d := {{N}}) {GIVEN} {{word}}",
                automaton=f"eigenvalue (d := {{N}}) {GIVEN}",
                claims=(
                    "forall (K : semiring) N (minus : K) (s_0 k : 'I_N -> K) (beta v : nat -> K) word,"
                    " commutative (@times K) -> {automaton} = {network}"
                ),
            ),
        ),
        holding(
            name="corrected-parity",
            says="with |k| = 1, beta = 2 for a and 0 for other letters: (-1)^n times the first score",
            without={
                "proved": "proofs use polynomials without -1 and quotients; the Coq theorem covers every ring"
            },
            reading=Equality(with_unit_key, lambda w: scaled_sign(w, dot(w.over, w.k, w.s_0))),
            cases=UNIT.random,
            small_cases=UNIT.near_generic,
            theorem=Theorem(
                "expressivity.negative_eigenvalues.negative_eigenvalues_parity",
                untied="the theorem is about words over two letters, in any commutative ring",
            ),
        ),
        refuted(
            name="without-negative-eigenvalues",
            says=(
                "every layer with |k| = 1 and betas in [0, 1] has the score (-1)^n after n letters a; one"
                " layer refutes this, and Coq shows that no layer of any size with eigenvalues of at least 0"
                " has even the same signs"
            ),
            reading=Equality(with_unit_key, sign),
            cases=CLOSED.random,
            theorem=Theorem(
                "expressivity.negative_eigenvalues.without_negative_eigenvalues_is_refuted",
                untied="the theorem is about matrices of any size, and about the sign of scores",
            ),
        ),
        refuted(
            name="without-rotations",
            says=(
                "every layer with triangular matrices counts a modulo 3; one layer refutes this, and Coq"
                " shows that no layer of any size with real eigenvalues has even the same signs"
            ),
            reading=Equality(triangular_layer, lambda w: counting(w, 3)),
            cases=TRIANGULAR.random,
            theorem=Theorem(
                "expressivity.negative_eigenvalues.without_rotations_is_refuted",
                untied="the theorem is about matrices of any size, and about the sign of scores",
            ),
        ),
    ),
    differences=(
        PARAPHRASED,
        (
            "There is one layer over symbols, in exact arithmetic. The paper's theorems are about any"
            " depth and finite precision."
        ),
        "Recognition is read as: a linear function of the last state is positive.",
        (
            "The eigenvalues are those of the matrix of one letter, whose characteristic polynomial"
            " is a product of linear factors."
        ),
    ),
    example=one_key(2).example(),
    uses=("delta-net", "nonnegative-gates"),
    effort=Effort(examples=25, strings=10, longest=8, run=10),
)
