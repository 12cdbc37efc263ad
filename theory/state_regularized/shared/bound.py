"""The bound of Theorem 3.2 on the probability of the most similar centroid, for a symbol and for a string.

Wang & Niepert 2019, appendix A.2, prove only the limit for tau -> 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.induction import Identity, Induction, step_identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.state_regularized.shared.networks import SMALL
from theory.weights import Weights

# The bound alpha_M >= 1 / (1 + (k - 1) exp(-margin / tau)), and its product over a string. Let top =
# exp(b_M / tau) and x_i = exp(b_i / tau) be the powers of the greatest and the k - 1 others, t the greatest
# of the others, and s_i = t - x_i. The softmax divides top by top + sum_i x_i, and the bound by top + (k -
# 1) t = top + sum_i (x_i + s_i). In the proof, x_i and s_i are variables for nonnegative numbers.


def scores(k: int) -> Signature:
    """Return the names and shapes of k similarities b for each symbol, and of derived numbers.

    The derived numbers are the powers ``top`` and ``x``, the gaps ``s``, and ``scale``. The latter is 1 over
    the product of the softmax's divisor and the bound's divisor.
    """
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
    """Return the powers exp(b_i / tau) = 2^(m b_i) of the similarities b after symbol x."""
    return tuple(Fraction(2) ** int(w.m * b) for b in w.b[x])


def others(w: Weights, x: str) -> tuple[Fraction, ...]:
    """Return all powers exp(b_i / tau) except the greatest one, in ascending order."""
    return tuple(sorted(powers(w, x))[:-1])


def divisor(of: AnyPlaces) -> Any:
    """Return the softmax's divisor, top + sum_i x_i: the sum of all powers exp(b_i / tau)."""
    return of.plus(of.at("top"), of.sum(lambda i: of.at("x", i)))


def lacking(of: AnyPlaces) -> Any:
    """Return sum_i s_i, the bound's divisor minus the softmax's divisor."""
    return of.sum(lambda i: of.at("s", i))


def bounds_divisor(of: AnyPlaces) -> Any:
    """Return the bound's divisor: top + sum_i (x_i + s_i)."""
    return of.plus(of.at("top"), of.sum(lambda i: of.plus(of.at("x", i), of.at("s", i))))


def part(of: AnyPlaces, factor: Any) -> Any:
    """Return top times the factor, divided by the softmax's divisor and by the bound's divisor.

    If the factor is the bound's divisor, the result is alpha_M. If it is the softmax's divisor, the result is
    the bound on alpha_M.
    """
    return of.times(of.times(of.at("top"), factor), of.at("scale"))


def at_symbol(w: Weights, x: str) -> Concrete:
    """Return the numbers ``top``, ``x``, ``s`` and ``scale`` of one symbol; indices run from 1 to k - 1."""
    return Concrete(w.over, w.n - 1, {"top": w.top[x], "x": w.x[x], "s": w.s[x], "scale": w.scale[x]})


def go_on(w: Weights, p: Any, x: str) -> Any:
    """Return p alpha_M, the probability of following the DFA after one more symbol.

    p is the probability of following it so far, and alpha_M that of the most similar centroid.
    """
    return w.over.times(p, part(at_symbol(w, x), bounds_divisor(at_symbol(w, x))))


always_greatest = Recurrence(start=lambda w: w.over.one, step=go_on, out=lambda w, p: (p,))


def bound_and_rest(w: Weights) -> list[WFSA]:
    """Return a two-state automaton whose score is the probability of following the DFA.

    The path that stays in state 1 has the product of the bounds as its weight, and no path has a negative
    weight. The score is therefore at least that product.
    """
    k = w.over
    tables = {}
    for x in w.alphabet:
        of = at_symbol(w, x)
        bound, rest, sum_ = (part(of, f(of)) for f in (divisor, lacking, bounds_divisor))
        tables[x] = [[bound, k.zero], [rest, sum_]]
    return [WFSA(k, [k.one, k.one], [k.one, k.zero], tables)]


def for_every_k() -> list[Identity]:
    """Return the identity, with a symbolic k, that the bound's divisor is the softmax's plus sum_i s_i."""
    of = symbolic()
    left, right = of.plus(divisor(of), lacking(of)), bounds_divisor(of)
    return [step_identity(of, "with n = k - 1 for any k", left, right)]


BOUND = Induction(
    says="after every string, the Forward vector is (p, p), where p is the probability of following the DFA",
    invariant=lambda w, p, unit: (p, p),
    states=lambda w, variable: [variable("p")],
    instances=tuple((scores(k), "a") for k in range(2, 7)),
    enough=(
        "One letter whose weights are variables stands for every letter, because a step reads one letter."
        " For every k: divisors are sums over an index, and the divisor of the bound is that of the softmax"
        " plus the remainder, as one identity of sums in which k is a symbol."
    ),
    sizes=for_every_k,
)
