"""Equation 6: at every beta, the network is an automaton.

The automaton's tensor is beta times the tensor of the rules plus 1 - beta times a tensor that is computed
from the pretrained vectors. See Jiang et al. 2020, section 3.3, equation 6, and section 6, equation 9. The
claim is about all beta in [0, 1] and any trained G. The claims fa-rnn-beta-1 and fa-rnn-beta-0 cover the
extremes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding
from theory.fa_rnn.shared.networks import (
    BITS,
    SQUARE,
    Vector,
    at_place,
    automaton_of,
    factors,
    in_line,
    of_factors,
    score,
    vector_is_h,
)
from theory.induction import Identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, WeightEntry, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights: factors, a vector u of size D for each word, G, beta, and -1 for subtraction, which is any
# value in proofs.

MINUS = constant("minus", only=(-1,))


def mixture(only: Any, size: tuple[int, int, int]) -> tuple[WeightEntry, ...]:
    """Return the names and shapes of the constant -1, the word vectors u and the matrix G.

    ``size`` contains K states, r columns and the size D of a word vector.
    """
    _, r, d = size
    return MINUS, by_symbol("u", (d,), only), constant("G", (d, r), only)


def mixed(size: tuple[int, int, int]) -> Signature:
    """Return the names and shapes of arbitrary factors, word vectors, the matrix G and beta."""
    k, r, _ = size
    beta = constant("beta", only=("1/2", "1/4", "3/4", "1/8", "7/8", 0, 1, "1/3"))
    return Signature((*factors(k, r), beta, *mixture(None, size)), size=("K", k), most_small=300)


def small_mixed(size: tuple[int, int, int]) -> Signature:
    """Return the names and shapes of the weights of the small test cases.

    The weights are zeros and ones, except beta, which is neither.
    """
    k, r, _ = size
    beta = constant("beta", only=("1/4", "2/3"))
    return in_line(Signature((*factors(k, r, BITS), beta, *mixture(BITS, size)), size=("K", k)), most=200)


# The recurrence, as printed, at one index.


def rest(of: AnyPlaces) -> Any:
    """Return 1 - beta."""
    return of.plus(of.one, of.times(of.at("minus"), of.at("beta")))


def row(of: AnyPlaces, s: Any) -> Any:
    """Return component s of a word's interpolated vector z = beta v + (1 - beta) u G."""
    turned = of.sum(lambda d: of.times(of.at("u", d), of.at("G", d, s)), "D")
    return of.plus(of.times(of.at("beta"), of.at("v", s)), of.times(rest(of), turned))


def place_6(of: AnyPlaces, j: Any) -> Any:
    """Return component j of the state h_t = a D_2^T, with a = (h_{t-1} D_1) o z (equation 6)."""

    def a(s: Any) -> Any:
        return of.times(of.sum(lambda i: of.times(of.at("h", i), of.at("D_1", i, s))), row(of, s))

    return of.sum(lambda s: of.times(a(s), of.at("D_2", j, s)), "r")


# The automaton: a mixture of the factors' tensor and, for each component of u, the tensor with a row of G.


def mixed_tensor(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return T[x, i, j] = beta T_R[x, i, j] + (1 - beta) sum over d of u_d T_d[i, j].

    T_R is the tensor of the rules' factors. T_d is the matrix of the factors with row d of G instead of v.
    """

    def of_row(d: Any) -> Any:
        return of.sum(
            lambda s: of.times(of.times(of.at("D_1", i, s), of.at("G", d, s)), of.at("D_2", j, s)), "r"
        )

    turned = of.sum(lambda d: of.times(of.at("u", d), of_row(d)), "D")
    return of.plus(of.times(of.at("beta"), of_factors(of, i, j)), of.times(rest(of), turned))


# The functions for all indices.


def at(w: Weights, x: str, h: Vector = ()) -> Concrete:
    """Return the weights for word x, and the state h, with indices from 1."""
    entries = {name: value[x] if isinstance(value, dict) else value for name, value in w.entries.items()}
    return Concrete(w.over, len(w.D_1), entries | {"h": h}, {"r": len(w.G[0]), "D": len(w.G)})


def step_6(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t = ((h_{t-1} D_1) o z_t) D_2^T (equation 6)."""
    of = at(w, x, h)
    return tuple(place_6(of, j) for j in range(1, len(h) + 1))


network = Recurrence(start=lambda w: w.alpha_0, step=step_6, out=score)


def with_mixed_tensor(w: Weights) -> list[WFSA]:
    """Return the automaton whose transition weights are the mixed tensor."""
    size, tables = range(1, len(w.D_1) + 1), {}
    for x in w.alphabet:
        of = at(w, x)
        tables[x] = tuple(tuple(mixed_tensor(of, i, j) for j in size) for i in size)
    return [automaton_of(w, tables)]


def any_size_6() -> list[Identity]:
    """Return the induction step as an identity, at any index j and with symbolic K, r and D."""
    of = symbolic()
    left = of.sum(lambda i: of.times(of.at("h", i), mixed_tensor(of, i, of.j)))
    return [at_place(of, left, place_6(of, of.j))]


ANY = Sizes(mixed, ((1, 1, 1), (2, 2, 1), (2, 2, 2), (2, 1, 3)), ())
SMALL = Sizes(small_mixed, (), ((1, 1, 1), (2, 1, 1)))
ONE, NOTHING = Fraction(1), Fraction(0)

CLAIM = Claim(
    name="fa-rnn-eq-6",
    title="with any share of pretrained vectors",
    statement=(
        "At every beta from 0 to 1, and with any G, the network of equation 6 is the automaton whose tensor"
        " is beta times the tensor of E_R plus 1 - beta times the tensor of E_w G."
    ),
    source=Source("jiang2020cold", "3.3", "Equation 6", ("6", "9")),
    hypotheses=("The score is the forward score, because maxima of mixtures are not mixtures of maxima.",),
    variants=(
        holding(
            name="corrected",
            says="the network is the automaton of the mixture of the two tensors",
            reading=Equality(recurrence=network, construction=with_mixed_tensor),
            cases=ANY.random,
            small_cases=SMALL.near_generic,
            programs=("fa-rnn-mixed", "fa-rnn-mixed-tensor"),
            proof=vector_is_h(
                (mixed(size) for size in ((1, 1, 1), (2, 1, 2), (2, 2, 1), (2, 2, 2))),
                (
                    f"{SQUARE} For every K, r and D: the step at a state is one identity of sums over states,"
                    " columns and entries of u, with symbols for K, r and D."
                ),
                any_size_6,
            ),
            theorem=Theorem(
                "fa_rnn.eq_6.eq_6",
                network=(
                    "score_5 {alpha_0} {alpha_inf} {D_1} {D_2} (weighed_rows {beta} {rest} {v} (product {u}"
                    " {G})) {word}"
                ),
                automaton=(
                    "automaton_of {alpha_0} {alpha_inf} (of_factors {D_1} {D_2} (weighed_rows {beta} {rest}"
                    " {v} (product {u} {G})))"
                ),
                values=lambda w: {**w.entries, "rest": 1 - w.beta},
            ),
        ),
    ),
    differences=(
        (
            "The paper states that the initialized network mimics the automaton at beta < 1. Here, it"
            " is the automaton of the mixture of the two tensors, for any G and any beta."
        ),
        "The score is the forward score.",
        "The empty sentence is included.",
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "alpha_0": (ONE,),
            "D_1": ((ONE,),),
            "v": {"a": (ONE,), "b": (NOTHING,)},
            "D_2": ((ONE,),),
            "alpha_inf": (ONE,),
            "beta": Fraction(3, 4),
            "minus": -ONE,
            "u": {"a": (ONE,), "b": (ONE,)},
            "G": ((Fraction(1, 2),),),
        },
        ("K", 1),
    ),
    uses=("fa-rnn-eq-5",),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
)
