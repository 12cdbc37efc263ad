"""Networks that recognise languages: the evidence for the cells "can".

Each function returns a network for a language and an architecture. Its docstring, without the first line, is
the explanation on the page.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

from theory.one_layer.architectures import Architecture, steps
from theory.one_layer.languages import Language
from theory.one_layer.layers import Columns, Complex, Factor, Head, Householder, Layer, Matrix, Number, Ray
from theory.one_layer.saturated import Saturated, counter, relu_counter, threshold

Coordinate: TypeAlias = tuple[Mapping[Any, Number], Mapping[Any, Number], Number, Number]
"""The gates and the offsets of each letter, the start value, and the weight in the read-out."""


def _of_size_1(architecture: Architecture, *coordinates: Coordinate, constant: Number = 0) -> Layer:
    heads = tuple(Head((start,), steps(architecture, g, b)) for g, b, start, _ in coordinates)
    return Layer(heads, tuple(weight for *_, weight in coordinates), constant)


def _one_head(
    start: Any, letters: Mapping[Any, tuple[Factor, ...]], weights: Any, constant: Number = 0
) -> Layer:
    return Layer((Head(tuple(start), letters),), tuple(weights), constant)


def reset(language: Language, architecture: Architecture) -> Layer:
    """Return the network that recognises T1 (Tomita grammar 1).

    One coordinate starts at 1. The letter 0 has gate 0, and the letter 1 has gate 1.
    """
    return _of_size_1(architecture, ({"0": 0, "1": 1}, {}, 1, 1), constant=Fraction(-1, 2))


def flip(language: Language, architecture: Architecture) -> Layer:
    """Return the network that recognises parity or T5 (Tomita grammar 5).

    A coordinate changes its sign on a letter (gate -1, or a reflection with β = 2), so its sign is the parity
    of the number of these letters. Parity needs one coordinate. T5 has two coordinates, which start at 1;
    their sum minus 1 is positive only if both coordinates are 1.
    """
    if language.name == "parity":
        return _of_size_1(architecture, ({"a": -1, "b": 1}, {}, -1, 1))
    zeros, ones = {"0": -1, "1": 1}, {"0": 1, "1": -1}
    return _of_size_1(architecture, (zeros, {}, 1, 1), (ones, {}, 1, 1), constant=-1)


def scaled_flip(language: Language, architecture: Architecture) -> Ray:
    """Return the network that recognises parity or T5 with gates 3/10 and -3/10.

    This is the construction "flip" with all gates multiplied by 3/10. For T5, a third coordinate with gates
    3/10 replaces the constant. After t letters, the state is the original state times (3/10)^t. This factor
    changes no sign, but it tends to 0, so the construction fails in finite precision.
    """
    layer = flip(language, architecture)
    scale = Fraction(3, 10)
    values = [(h.start[0], {s: h.step((1,), s)[0] * scale for s in language.alphabet}) for h in layer.heads]
    if layer.constant:
        values.append((1, dict.fromkeys(language.alphabet, scale)))
    weights = (*layer.weights, *([layer.constant] if layer.constant else []))
    return Ray(tuple(Head((start,), steps(architecture, gates, {})) for start, gates in values), weights)


def rotate(language: Language, architecture: Architecture) -> Layer:
    """Return the network that recognises "mod 3" or T6 (Tomita grammar 6).

    One complex coordinate starts at 1. Its gate is ω = exp(2πi/3) on one letter, and 1 (modulo 3) or the
    conjugate of ω (T6) on the other. The real part is 1 or -1/2, and the read-out subtracts 1/4.
    """
    omega, conjugate, one = (0, 1), (-1, -1), (1, 0)
    gates = {"a": omega, "b": one} if language.name == "mod 3" else {"0": omega, "1": conjugate}
    turns = {s: (Complex((gate,), (0, 0)),) for s, gate in gates.items()}
    return _one_head((1, 0), turns, (1, Fraction(-1, 2)), Fraction(-1, 4))


def _sorting(letter: str) -> list[tuple[int, int]]:
    """Return swaps of positions that together rearrange the items as the letter does."""
    items, target = list(range(len(letter))), [int(digit) - 1 for digit in letter]
    result = []
    for i, wanted in enumerate(target):
        j = items.index(wanted)
        if j != i:
            items[i], items[j] = items[j], items[i]
            result.append((i, j))
    return result


def _difference(n: int, i: int, j: int) -> tuple[int, ...]:
    return tuple((k == i) - (k == j) for k in range(n))


@cache
def _permutations(letters: tuple[tuple[Hashable, str], ...]) -> Layer:
    n = len(letters[0][1])
    items = tuple(range(1, n + 1))
    factors = {
        s: tuple(Householder(_difference(n, i, j), 2) for i, j in _sorting(permutation))
        for s, permutation in letters
    }
    return _one_head(items, factors, items, Fraction(1, 2) - sum(i * i for i in items))


def permute(language: Language, architecture: Architecture) -> Layer:
    """Return the network that recognises the language of a group, "mod 3", or T6 (Tomita grammar 6).

    The state is a permutation of (1, …, n). A swap of items i and j is the reflection with key e_i - e_j
    and β = 2, and a permutation with c cycles is a product of n - c swaps. The scalar product of the state
    with (1, …, n) is an integer that is largest for the identity only. Counting modulo 3 uses a cyclic
    permutation of 3 items, and T6 uses this permutation and its inverse.
    """
    cycles = {"mod 3": (("a", "231"), ("b", "123")), "T6": (("0", "231"), ("1", "312"))}
    return _permutations(cycles.get(language.name) or tuple((s, s) for s in language.alphabet))


def slots(language: Language, architecture: Architecture) -> Layer:
    """Return the network that recognises T2 (Tomita grammar 2).

    The state is e_1 after complete pairs, e_2 after a further 1, and 0 if no continuation is in the language.
    The letter 1 removes e_2 (key e_2, β = 1) and then swaps e_1 and e_2 (key e_1 - e_2, β = 2), so
    e_1 → e_2 → 0. The letter 0 removes e_1 and then swaps e_1 and e_2.
    """
    swap = Householder((1, -1), 2)
    letters = {"1": (Householder((0, 1), 1), swap), "0": (Householder((1, 0), 1), swap)}
    return _one_head((1, 0), letters, (1, 0), Fraction(-1, 2))


def shift(language: Language, architecture: Architecture) -> Ray:
    """Return the network that recognises T4 (Tomita grammar 4).

    The state starts at (1, 1, 1). The letter 1 projects the state on (1, 1, 1). The result is a positive
    multiple of (1, 1, 1) if no entry is negative and at least one is positive. The letter 0 removes e_3 and
    then moves e_1 → e_2 → e_3 by two swaps. So the state is 0 if the word contains 000, and otherwise its
    entries have a positive sum.
    """
    one = (Householder((1, -1, 0), 1), Householder((1, 1, -2), 1))
    zero = (Householder((0, 0, 1), 1), Householder((0, 1, -1), 2), Householder((1, -1, 0), 2))
    return Ray((Head((1, 1, 1), {"0": zero, "1": one}),), (1, 1, 1))


GAMMA, DELTA, ETA = Fraction(9, 10), Fraction(9, 10), Fraction(6, 10)


def _penalty(
    architecture: Architecture,
    zero: Hashable,
    one: Hashable,
    at: dict[Hashable, tuple[int, int]],
    bonus: Number,
) -> list[Coordinate]:
    """Return coordinates whose read-out after n letters is ``bonus`` η^n minus a sum over positions.

    The sum has a term δ^p (γ^(p0+i) - γ^(p1+j))^2 for the start of the word, where i = j = 0, and for each
    position in the word whose letter is a key of ``at``, where ``at`` maps the letter to i and j. Here p, p0
    and p1 are the numbers of all letters, of zeros and of ones after this position. The constants γ, δ and η
    are :data:`GAMMA`, :data:`DELTA` and :data:`ETA`.
    """
    result: list[Coordinate] = [({zero: ETA, one: ETA}, {}, bonus, 1)]
    for u, v, factor in ((2, 0, 1), (0, 2, 1), (1, 1, -2)):  # the terms of the square: its powers of γ
        gates: dict[Hashable, Number] = {zero: DELTA * GAMMA**u, one: DELTA * GAMMA**v}
        offsets: dict[Hashable, Number] = {s: factor * GAMMA ** (i * u + j * v) for s, (i, j) in at.items()}
        result.append((gates, offsets, factor, -1))
    return result


def penalty(language: Language, architecture: Architecture) -> Layer:
    """Return the network that recognises T2 or aⁿbⁿ with gates in (1/2, 1) and an exact sign read-out.

    Let γ = δ = 9/10 and η = 6/10, and let p, p₀, p₁ be the numbers of all letters, zeros and ones after a
    position. T2: the score is η^n/1000 minus δ^p (γ^p₀ - γ^p₁)² for each 0 and for the start, and minus δ^p
    (γ^p₀ - γ^(p₁+1))² for each 1. All squares are 0 if and only if each suffix that starts with 0 has as
    many 0 as 1 after the 0, each suffix that starts with 1 has one more 0 than 1 after the 1, and the word
    is balanced: the word is in (10)*. Otherwise one square is at least (δγ²)^n (1 - γ)² = 0.729^n/100,
    which exceeds 0.6^n/1000. aⁿbⁿ: the score is η^n/1000 minus δ^p (γ^#a - γ^#b)² for the start and minus
    δ^p (1 - γ^k) for each b with k letters a after it; the same bound holds. Each coordinate is a product
    of gates. The scores tend to 0, so the construction fails in finite precision.
    """
    bonus = Fraction(1, 1000)
    if language.name == "T2":
        return _of_size_1(architecture, *_penalty(architecture, "0", "1", {"0": (0, 0), "1": (0, 1)}, bonus))
    later: Coordinate = ({"a": DELTA, "b": DELTA}, {"b": 1}, 0, -1)
    discount: Coordinate = ({"a": DELTA * GAMMA, "b": DELTA}, {"b": -1}, 0, -1)
    return _of_size_1(architecture, later, discount, *_penalty(architecture, "a", "b", {}, bonus))


def fading(language: Language, architecture: Architecture) -> Layer:
    """Return the network that recognises T1 with gates in (1/2, 1) and an exact sign read-out.

    The score is 0.6^n/10 minus 0.9^p for each 0 with p letters after it. If the word contains a 0, the score
    is at most 0.6^n/10 - 0.9^n, which is negative.
    """
    bonus: Coordinate = ({"0": ETA, "1": ETA}, {}, Fraction(1, 10), 1)
    return _of_size_1(architecture, bonus, ({"0": DELTA, "1": DELTA}, {"0": 1}, 0, -1))


def one_hot(language: Language, architecture: Architecture, scale: Number = 1) -> Layer:
    """Return the network that runs any DFA, with the state of the DFA as a one-hot vector.

    The matrix of a letter s has a 1 in row δ(q, s) of each column q. The read-out is 1 for accepting states
    and -1 for the others.
    """
    dfa = language.dfa
    assert dfa is not None
    zeros, scales = (0,) * dfa.states, (scale,) * dfa.states
    letters = {s: (Columns(targets, scales, zeros),) for s, targets in language.maps.items()}
    start = (int(q == dfa.start) for q in range(dfa.states))
    return _one_head(start, letters, (1 if q in dfa.final else -1 for q in range(dfa.states)))


def scaled_one_hot(language: Language, architecture: Architecture) -> Ray:
    """Return the network that runs any DFA, with matrix entries of 1/2.

    This is the construction "one hot" with 1/2 instead of each 1. After t letters, the state is the original
    state times 2^-t. This factor changes no sign, but it tends to 0, so the construction fails in finite
    precision.
    """
    layer = one_hot(language, architecture, Fraction(1, 2))
    return Ray(layer.heads, layer.weights)


def square(language: Language, architecture: Architecture) -> Layer:
    """Return the weighted automaton with 7 states that recognises aⁿbⁿ, as a layer.

    Let d = #a - #b. The first three components are 1, d, d² if the prefix is in a*. The next three components
    have these values if the prefix is in a*b⁺, and the last one is 1 otherwise. All other components are 0.
    The read-out is 1/2 - 2 d² on a*b*, and -1/2 elsewhere (Merrill et al. 2020, Theorem 8).
    """

    def block(rows: int, columns: int, sign: int) -> dict[tuple[int, int], int]:
        entries = {(0, 0): 1, (1, 0): sign, (1, 1): 1, (2, 0): 1, (2, 1): 2 * sign, (2, 2): 1}
        return {(rows + i, columns + j): x for (i, j), x in entries.items()}

    dead = {(6, 6): 1}
    letters = {"a": block(0, 0, 1) | {(6, 3): 1} | dead, "b": block(3, 0, -1) | block(3, 3, -1) | dead}
    matrices = {
        s: (Matrix(tuple(tuple(entries.get((i, j), 0) for j in range(7)) for i in range(7))),)
        for s, entries in letters.items()
    }
    half = Fraction(1, 2)
    return _one_head((1, 0, 0, 0, 0, 0, 0), matrices, (half, 0, -2, half, 0, -2, -half))


def saturated(language: Language, architecture: Architecture) -> Saturated:
    """Return the nonlinear network that runs any DFA.

    There is a unit for each pair (q, s) of a state and a letter. It is on if the last letter was s and a
    unit (p, ·) with δ(p, s) = q was on before. One threshold computes the conjunction of these two
    conditions. In the Elman network, and in the GRU with z = 0 and r = 1, "on" is 1 and "off" is -1. In the
    LSTM with f = 0, "on" is tanh 1, and the input gate sets "off" to 0. With the Heaviside function (Minsky's
    construction) and ReLU, "on" is 1 and "off" is 0. With tanh, "on" is in [1 - 1/D, 1], and "off" is in the
    negated interval, where D is twice the number of units. The weights are so large that each step ends in
    these intervals again; a program proves this in interval arithmetic. The initial state of the network is
    part of the construction.
    """
    assert language.dfa is not None
    first, last = architecture.name.lower().split()
    return threshold(language.dfa, last if first == "saturated" else first)


def counting(language: Language, architecture: Architecture) -> Saturated:
    """Return the network that recognises aⁿbⁿ: a saturated LSTM with 4 cells, or ReLU with 7 units.

    LSTM: cell 0 increases with each a, and decreases with each b while it is positive. Cell 1 counts each b
    that is read while cell 0 is 0. Cell 2 is 1 if the last letter was b, and cell 3 counts each a that
    directly follows a b. The word is accepted if cells 0, 1 and 3 are 0. Cell 3 is 0 if and only if the word
    is in a*b*; then cell 0 is max(0, #a - #b) and cell 1 is max(0, #b - #a). ReLU: two units count a and b,
    and two units are max(0, #a - #b) and max(0, #b - #a). The fifth unit is 1 if the last letter was b. The
    sixth unit is 1 if the last two letters were ba, and the seventh counts the earlier occurrences of ba.
    The word is accepted if the two differences and the last two units are 0.
    """
    return relu_counter() if architecture.name == "ReLU Elman" else counter()
