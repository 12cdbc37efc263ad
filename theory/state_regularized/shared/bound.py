"""The bound of Theorem 3.2: how probable the greatest score is, at least, at any temperature, and over a
string.

Wang & Niepert 2019, appendix A.2, whose proof has the limit for tau -> 0 only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.induction import Identity, Induction
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.state_regularized.shared.networks import SMALL
from theory.weights import Weights

# The bound alpha_M >= 1 / (1 + (k - 1) exp(-margin / tau)), and its product over a string. With the powers
# top = exp(b_M / tau) and x_i = exp(b_i / tau) of the k - 1 others, t the greatest of these and s_i = t - x_i
# what each lacks, the softmax divides top by top + sum_i x_i, and the bound by top + (k - 1) t = top + sum_i
# (x_i + s_i). In the proof x_i and s_i are variables: whatever is not negative there.


def scores(k: int) -> Signature:
    """Similarities for each symbol, as if no state were before it, and what follows from them."""
    return Signature(
        (
            constant("m", only=(1, 2, 3)),
            by_symbol("b", (k,), (*SMALL, 2, 3)),
            by_symbol("top", derived=lambda w, x: max(powers(w, x))),
            by_symbol("x", (k - 1,), derived=lambda w, x: others(w, x)),
            by_symbol("s", (k - 1,), derived=lambda w, x: tuple(max(others(w, x)) - v for v in others(w, x))),
            by_symbol(
                "scale",
                derived=lambda w, x: (
                    1 / (sum(powers(w, x)) * (max(powers(w, x)) + (k - 1) * max(others(w, x))))
                ),
            ),
        ),
        size=("k", k),
        most_small=150,
    )


def powers(w: Weights, x: str) -> tuple[Fraction, ...]:
    """exp(b_i / tau) = 2^(m b_i)."""
    return tuple(Fraction(2) ** int(w.m * b) for b in w.b[x])


def others(w: Weights, x: str) -> tuple[Fraction, ...]:
    """All powers but one of the greatest."""
    return tuple(sorted(powers(w, x))[:-1])


def divisor(of: AnyPlaces) -> Any:
    """What the softmax divides by: top + sum_i x_i."""
    return of.plus(of.at("top"), of.sum(lambda i: of.at("x", i)))


def lacking(of: AnyPlaces) -> Any:
    """sum_i s_i."""
    return of.sum(lambda i: of.at("s", i))


def bounds_divisor(of: AnyPlaces) -> Any:
    """What the bound divides by: top + sum_i (x_i + s_i)."""
    return of.plus(of.at("top"), of.sum(lambda i: of.plus(of.at("x", i), of.at("s", i))))


def part(of: AnyPlaces, factor: Any) -> Any:
    """The product of top and the factor, over that of both divisors: alpha_M for the bound's divisor, the
    bound for the softmax's.
    """
    return of.times(of.times(of.at("top"), factor), of.at("scale"))


def at_symbol(w: Weights, x: str) -> Concrete:
    """The k - 1 places of a symbol."""
    return Concrete(w.over, w.n - 1, {"top": w.top[x], "x": w.x[x], "s": w.s[x], "scale": w.scale[x]})


def go_on(w: Weights, p: Any, x: str) -> Any:
    """The probability to follow is multiplied by alpha_M."""
    return w.over.times(p, part(at_symbol(w, x), bounds_divisor(at_symbol(w, x))))


always_greatest = Recurrence(start=lambda w: w.over.one, step=go_on, out=lambda w, p: (p,))


def bound_and_rest(w: Weights) -> list[WFSA]:
    """Two states. A path that stays in state 1 weighs the bound's product, and no path weighs less than 0:
    the sum is at least it.
    """
    k = w.over
    tables = {}
    for x in w.alphabet:
        of = at_symbol(w, x)
        bound, rest, whole = (part(of, f(of)) for f in (divisor, lacking, bounds_divisor))
        tables[x] = [[bound, k.zero], [rest, whole]]
    return [WFSA(k, [k.one, k.one], [k.one, k.zero], tables)]


def for_every_k() -> list[Identity]:
    """What the step rests on, with k a symbol: the bound's divisor is the softmax's and what is lacking."""
    of = symbolic()
    left, right = of.plus(divisor(of), lacking(of)), bounds_divisor(of)
    return [
        Identity("step", "with n = k - 1 for any k", of.write(left), of.write(right), of.same(left, right))
    ]


BOUND = Induction(
    says="after every string, Forward's vector is (p, p), with p the probability to follow",
    invariant=lambda w, p, unit: (p, p),
    states=lambda w, variable: [variable("p")],
    instances=tuple((scores(k), "a") for k in range(2, 7)),
    enough=(
        "One letter whose weights are variables stands for every letter: a step reads one letter. For every"
        " k: divisors are sums over places, and the bound's is the softmax's and what is lacking, as one"
        " identity of sums with k a symbol."
    ),
    sizes=for_every_k,
)
