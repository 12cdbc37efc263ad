"""FA-RNN programs with arbitrary weights.

They implement equations 4, 5, 6, 9 and 10, maxima instead of sums, beta = 0, and disabled rules.

A step of equation 5 maps a state h, of size K, to a new state. The transition tensor has rank r: its factors
are the matrices D_1 and D_2, of shape (K, r), and a vector v for each word. In floats, component j of the new
state is the sum over i and s of h[i] D_1[i, s] v[s] D_2[j, s] (1 + t). Here t comes from at most
K - 1 + 1 + 1 + r - 1 + 1 roundings, in any order of summation (Higham, *Accuracy and Stability of Numerical
Algorithms*, 3.1). The result is therefore that of an exact step with another tensor. The difference of the
tensors is at most gamma_{K+r+1} times the sum of the magnitudes of the terms. It is a deviation of the
automaton's weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import torch

from automata.aliases import Floats
from automata.forward import prefix_scores
from automata.recurrences.affine import flat
from automata.rounding.bounds import Deviation, Format
from automata.semirings import REAL
from automata.strings import String
from automata.wfsa import WFSA
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.classifier import Classifier, RuleBlock
from neural.fa_rnn.editing import disable_rules
from neural.fa_rnn.factors import Factors, exact_factors, side_by_side
from neural.fa_rnn.network import FARNN
from ratproof.evidence.ledger import MIGHT_UNDERFLOW
from ratproof.implementations.fa_rnn.program import (
    Factory,
    FARNNProgram,
    Network,
    Reference,
    floats,
    no_deviation,
    off_by,
    tensor,
)
from theory.fa_rnn.beta_0 import by_word, pseudo_inverse, with_vectors_that_span
from theory.fa_rnn.disable import DISABLED, owned, two_rules, untrained
from theory.fa_rnn.eq_5 import constructed, decomposed
from theory.fa_rnn.eq_6 import mixed
from theory.fa_rnn.eq_10 import block, two_sets
from theory.fa_rnn.shared.networks import BITS, with_tensor
from theory.fa_rnn.shared.networks import tensor as tensor_entries
from theory.fa_rnn.viterbi import over_max_times
from theory.signature import Signature, Sizes
from theory.weights import Weights

DYADIC = tuple(Fraction(n, 8) for n in (0, 8, -8, 4, 1, 3, -5, 7, 12, -20))
"""Weights that every dtype represents exactly; repeated products of some of them round."""
NEAR_ONE = tuple(Fraction(n, 16) for n in (16, 15, 17, 0, 16, 15, 17, -16))
"""Weights whose products neither vanish nor grow quickly, for long strings.

Few of them are negative, because sums that cancel are small relative to the rounding bound.
"""
BETAS = tuple(Fraction(n, 8) for n in (4, 2, 6, 1, 7, 0, 8))
"""Values of beta in equation 6 that every dtype represents exactly."""
NOT_NEGATIVE = (*(v for v in DYADIC if v >= 0), Fraction(5592405, 2**24))


_WEIGHTS = ("alpha_0", "D_1", "v", "D_2", "alpha_inf")


def _any_tensor(k: int) -> Signature:
    return Signature(tensor_entries(k), size=("K", k))


def _dyadic_mixture(size: tuple[int, int, int]) -> Signature:
    return _only(_only(mixed(size), DYADIC, *_WEIGHTS, "u", "G"), BETAS, "beta")


def _mixture_near_one(size: tuple[int, int, int]) -> Signature:
    return _only(_only(mixed(size), NEAR_ONE, *_WEIGHTS, "u", "G"), (1, 0, Fraction(1, 2)), "beta")


def _random(of: Callable[[Any], Signature], values: Sequence[object], *sizes: object) -> Sizes:
    """Return a source of random weights of these sizes. Each weight is one of these values."""
    return Sizes(lambda size: _only(of(size), values), sizes, ())


def _only(signature: Signature, values: Sequence[Any], *names: str) -> Signature:
    """Return the signature with the weights in the named entries restricted to these values.

    By default, all entries are restricted, except those that are computed from others.
    """
    exact = tuple(map(Fraction, values))
    entries = tuple(
        replace(e, only=exact) if e.derived is None and (not names or e.name in names) else e
        for e in signature.entries
    )
    return replace(signature, entries=entries)


# Equation 4.


def _tensor_program(w: Weights, factory: Factory) -> Network:
    (automaton,) = with_tensor(w)
    return FARNN.of(automaton.to_float(), decomposed=False, **factory)


# Equation 5 with the factors that are drawn, or with exact factors of a tensor that is drawn.


def factors_of(w: Weights) -> Factors:
    """Return the weights' factors of the transition tensor, with zeros for the separate wildcard matrix."""
    k, words = len(w.alpha_0), len(w.alphabet)
    rows = floats([w.v[x] for x in w.alphabet])
    return Factors(rows, floats(w.D_1), floats(w.D_2), np.zeros((k, k)), np.zeros(words))


def network_of(
    words: Sequence[str], cell: FactoredCell, initial: object, final: object, factory: Factory
) -> FARNN:
    """Return the FA-RNN with this cell and these initial and final weights.

    ``final`` has a row of final weights for each score of the network.
    """
    return FARNN(tuple(words), cell, tensor(initial, factory), tensor(final, factory))


def _factored_program(w: Weights, factory: Factory) -> Network:
    cell = FactoredCell(factors_of(w), **factory)
    return network_of(w.alphabet, cell, w.alpha_0, [w.alpha_inf], factory)


def _sizes(factors: Factors, columns: Floats | None = None) -> Floats:
    """Return the magnitudes of the terms of a step, summed over the rank: shape ``(V, K, K)``.

    The entry of a word with vector v is the sum over s of |D_1[i, s] v[s] D_2[j, s]|, where D_1 and D_2 are
    the two matrices of the factors. If ``columns`` is passed, its rows replace the vectors of the words.
    """
    words = factors.words if columns is None else columns
    sizes: Floats = np.einsum("is,xs,js->xij", abs(factors.before), abs(words), abs(factors.after))
    return sizes


def _deviation(automaton: WFSA, words: Sequence[str], off: Floats) -> Deviation:
    """Return the deviation of the automaton's matrices, from the deviation ``off`` of each word's matrix.

    Words may share a matrix, which then has their largest deviation.
    """
    matrices = np.zeros(automaton.matrices.shape)
    for i, x in enumerate(words):
        matrices[automaton.index[x]] = np.maximum(matrices[automaton.index[x]], off[i] * (1 + 2.0**-40))
    return Deviation(matrices, np.zeros(automaton.states))


def _deviations_of_factors(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    factors = factors_of(w)
    off = form.gamma(len(factors.before) + factors.rank + 1) * _sizes(factors)
    return [_deviation(automata[0], w.alphabet, off)]


def _exact_factored_program(w: Weights, factory: Factory) -> Network:
    (automaton,) = with_tensor(w)
    return FARNN.of(automaton.to_float(), separate_wildcard=False, **factory)


def _deviations_of_exact_factors(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    """Return the deviation for a program with exact factors of a tensor.

    With these factors, each element of the tensor is a single product.
    """
    (automaton,) = automata
    rank = exact_factors(automaton.to_float()).rank
    gamma = form.gamma(automaton.states + rank + 1)
    return [Deviation(gamma * abs(automaton.matrices.astype(float)), np.zeros(automaton.states))]


# Equation 9: torch computes the tensor from the factors. The network then runs by equation 4.


def _rebuilt_tensor_program(w: Weights, factory: Factory) -> Network:
    return _run_by_tensor(w, FactoredCell(factors_of(w), **factory), factory)


def _run_by_tensor(w: Weights, cell: FactoredCell, factory: Factory) -> Network:
    with torch.no_grad():
        rebuilt_in_torch = cell.tensor().double().cpu().numpy()
    tables = dict(zip(w.alphabet, rebuilt_in_torch, strict=True))
    automaton = WFSA(REAL, floats(w.alpha_0), floats(w.alpha_inf), tables)
    return FARNN.of(automaton, decomposed=False, **factory)


def _deviations_of_rebuilt_tensor(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    factors = factors_of(w)
    return [_deviation(automata[0], w.alphabet, form.gamma(factors.rank + 2) * _sizes(factors))]


# Equation 10: the factors of two networks as blocks of one network, with one score per network.


def _block_program(w: Weights, factory: Factory) -> Network:
    old, new = block(w, ""), block(w, "_new")
    cell = FactoredCell(side_by_side(factors_of(old), factors_of(new)), **factory)
    final = [(*old.alpha_inf, *[0] * len(new.alpha_0)), (*[0] * len(old.alpha_0), *new.alpha_inf)]
    return network_of(w.alphabet, cell, (*old.alpha_0, *new.alpha_0), final, factory)


def _deviations_of_blocks(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    both = [factors_of(block(w, name)) for name in ("", "_new")]
    gamma = form.gamma(sum(len(f.before) + f.rank for f in both) + 1)
    return [_deviation(a, w.alphabet, gamma * _sizes(f)) for a, f in zip(automata, both, strict=True)]


# Maxima instead of sums: one rounding per step, and one at the end.


def _maxima_program(w: Weights, factory: Factory) -> Network:
    (automaton,) = with_tensor(w)
    tables = {x: automaton.matrix(x).astype(float) for x in w.alphabet}
    real = WFSA(REAL, automaton.initial.astype(float), automaton.final.astype(float), tables)
    return FARNN.of(real, decomposed=False, scoring="viterbi", **factory)


def _reference_of_maxima(w: Weights, automata: Sequence[WFSA], string: String, form: Format) -> Reference:
    values = [[value] for value in prefix_scores(automata[0], string)]
    bounds = np.array([[form.gamma(t + 1) * float(value)] for t, (value,) in enumerate(values)])
    least = min([1, *(v for entry in (w.alpha_0, w.alpha_inf, *w.T.values()) for v in flat(entry) if v)])
    small = float(least) ** (len(string) + 2) < form.tiny
    return Reference(values, bounds * (1 + 2.0**-40), MIGHT_UNDERFLOW if small else None)


# Equation 6 at beta = 0. torch computes pinv(E_w) in float64 by a singular value decomposition. The result is
# the exact pseudo-inverse of a matrix within p u |E_w| of E_w, where p is a small multiple of the sizes.
# Pseudo-inverses of two matrices of the same rank differ by at most mu max(|P|, |P'|)^2 times their distance,
# with mu = (1 + sqrt 5) / 2 (Stewart 1977).

PSEUDO_INVERSE_UNITS = 100
"""The constant p divided by the sum of the sizes, which is an assumption about LAPACK."""


def _vector_program(w: Weights, factory: Factory) -> Network:
    embeddings = torch.as_tensor(floats(by_word(w, "u")))
    cell = FactoredCell(factors_of(w), embeddings=embeddings, beta=0.0, **factory)
    return network_of(w.alphabet, cell, w.alpha_0, [w.alpha_inf], factory)


def _deviations_of_vectors(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation] | None:
    vectors, rows = floats(by_word(w, "u")), floats(by_word(w, "v"))
    inverse = np.array([[float(v) for v in row] for row in pseudo_inverse(by_word(w, "u")).tolist()])
    size, condition = np.linalg.norm(vectors), np.linalg.norm(inverse)
    perturbation = PSEUDO_INVERSE_UNITS * sum(vectors.shape) * 2.0**-53 * size
    if perturbation * condition > 2.0**-20:  # the perturbation bound requires a product much less than 1
        return None
    of_inverse = 2 * (2 * condition) ** 2 * perturbation
    turn = abs(inverse) @ abs(rows)
    of_turn = of_inverse * np.linalg.norm(rows) + form.gamma(len(rows) + 2) * turn
    # the error of z: the error of the matrix, and the rounding of its product with the vector
    off_z = abs(vectors) @ of_turn + form.gamma(vectors.shape[1] + 2) * (abs(vectors) @ (turn + of_turn))
    factors = factors_of(w)
    gamma = form.gamma(len(factors.before) + factors.rank + 1)
    off = _sizes(factors, off_z) + gamma * _sizes(factors, abs(factors.words) + off_z)
    return [_deviation(automata[0], w.alphabet, off)]


# Equation 6 at any beta, with a trained G. A second program computes the tensor by equation 9, and runs by
# equation 4.


def _mixed_cell(w: Weights, factory: Factory) -> FactoredCell:
    vectors = torch.as_tensor(floats(by_word(w, "u")))
    cell = FactoredCell(factors_of(w), embeddings=vectors, beta=float(w.beta), **factory)
    assert cell.turn is not None
    with torch.no_grad():
        cell.turn.copy_(tensor(w.G, factory))
    return cell


def _mixture_program(w: Weights, factory: Factory) -> Network:
    return network_of(w.alphabet, _mixed_cell(w, factory), w.alpha_0, [w.alpha_inf], factory)


def _mixed_tensor_program(w: Weights, factory: Factory) -> Network:
    return _run_by_tensor(w, _mixed_cell(w, factory), factory)


def _deviations_of_mixture(rest: Callable[[Factors], int]) -> Callable[..., list[Deviation]]:
    """Return a function that computes the deviations of a program of equation 6.

    The deviations include the rounding of the mixture z, and of the remaining operations of a step. ``rest``
    returns the number of these operations for given factors.
    """

    def deviations(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
        factors, beta = factors_of(w), float(w.beta)
        turned = abs(floats(by_word(w, "u"))) @ abs(floats(w.G))
        z = beta * abs(factors.words) + (1 - beta) * turned
        off_z = form.gamma(len(w.G) + 3) * z
        off = _sizes(factors, off_z) + form.gamma(rest(factors)) * _sizes(factors, z + off_z)
        return [_deviation(automata[0], w.alphabet, off)]

    return deviations


# A classifier with two rules, one of which is disabled. The states of the other rule still compute its score.


def _without_a_rule(w: Weights, factory: Factory) -> Network:
    (automaton,) = with_tensor(w)
    network = FARNN.of(automaton.to_float(), separate_wildcard=False, **factory)
    states = {
        rule: tuple(q for q in range(w.n) if (owned(w, q) == DISABLED) == rule) for rule in (True, False)
    }
    ends = tuple(q for q in range(w.n) if w.alpha_inf[q])
    blocks = [
        RuleBlock("taken out", (), states[True], tuple(q for q in states[True] if w.f[q])),
        RuleBlock("other", (), states[False], ends),
    ]
    return disable_rules(Classifier(network, ["taken out", "other"], blocks), [0]).network


PROGRAMS = (
    FARNNProgram(
        "fa-rnn-tensor",
        _random(_any_tensor, DYADIC, 1, 2, 3, 4, 5),
        _tensor_program,
        off_by(no_deviation),
        ("alpha_0", "T", "alpha_inf"),
        Sizes(_any_tensor, (1,), ()),
        _random(_any_tensor, NEAR_ONE, 1, 2, 3),
    ),
    FARNNProgram(
        "fa-rnn-factors",
        _random(decomposed, DYADIC, *product(range(1, 6), range(1, 7))),
        _factored_program,
        off_by(_deviations_of_factors),
        _WEIGHTS,
        Sizes(decomposed, ((1, 1),), ()),
        _random(decomposed, NEAR_ONE, (1, 1), (2, 1), (1, 2), (2, 2)),
    ),
    FARNNProgram(
        "fa-rnn-exact-factors",
        _random(constructed, DYADIC, 1, 2, 3, 4),
        _exact_factored_program,
        off_by(_deviations_of_exact_factors),
        ("alpha_0", "T", "alpha_inf"),
        Sizes(constructed, (1,), ()),
        _random(constructed, NEAR_ONE, 1, 2, 3),
    ),
    FARNNProgram(
        "fa-rnn-rebuilt-tensor",
        _random(decomposed, DYADIC, *product(range(1, 4), range(1, 5))),
        _rebuilt_tensor_program,
        off_by(_deviations_of_rebuilt_tensor),
        _WEIGHTS,
        Sizes(decomposed, ((1, 1),), ()),
        _random(decomposed, NEAR_ONE, (1, 1), (2, 1), (1, 2), (2, 2)),
    ),
    FARNNProgram(
        "fa-rnn-blocks",
        _random(two_sets, DYADIC, (1, 1, 1, 1), (2, 1, 1, 2), (2, 2, 2, 2), (3, 4, 2, 3)),
        _block_program,
        off_by(_deviations_of_blocks),
        tuple(name + new for name in ("alpha_0", "D_1", "v", "D_2", "alpha_inf") for new in ("", "_new")),
        Sizes(two_sets, ((1, 1, 1, 1),), ()),
        _random(two_sets, NEAR_ONE, (1, 1, 1, 1), (2, 1, 1, 2)),
    ),
    FARNNProgram(
        "fa-rnn-maxima",
        _random(over_max_times, NOT_NEGATIVE, 1, 2, 3, 4),
        _maxima_program,
        _reference_of_maxima,
        ("alpha_0", "T", "alpha_inf"),
        Sizes(over_max_times, (1,), ()),
    ),
    FARNNProgram(
        "fa-rnn-vectors",
        _random(with_vectors_that_span, DYADIC, (1, 1, 1), (2, 2, 1), (2, 2, 2), (2, 1, 3), (3, 4, 2)),
        _vector_program,
        off_by(_deviations_of_vectors),
        ("alpha_0", "D_1", "D_2", "alpha_inf", "u", "v"),
        Sizes(with_vectors_that_span, ((1, 1, 1),), ()),
        _random(with_vectors_that_span, NEAR_ONE, (1, 1, 1), (2, 2, 1), (2, 1, 3)),
    ),
    *(
        FARNNProgram(
            name,
            Sizes(_dyadic_mixture, ((1, 1, 1), (2, 2, 1), (2, 2, 2), (2, 1, 3), (3, 4, 2)), ()),
            build,
            off_by(_deviations_of_mixture(roundings), factors=6),
            (*_WEIGHTS, "u", "G", "beta"),
            Sizes(mixed, ((1, 1, 1),), ()),
            Sizes(_mixture_near_one, ((1, 1, 1), (2, 2, 1), (2, 1, 3)), ()),
        )
        for name, build, roundings in (
            ("fa-rnn-mixed", _mixture_program, lambda f: len(f.before) + f.rank + 1),
            ("fa-rnn-mixed-tensor", _mixed_tensor_program, lambda f: f.rank + 2),
        )
    ),
    FARNNProgram(
        "fa-rnn-without-a-rule",
        Sizes(lambda k: _only(two_rules(k), BITS, "f"), (2, 3, 4, 5), ()),
        _without_a_rule,
        off_by(_deviations_of_exact_factors),
        ("alpha_0", "T", "f"),
        long_cases=Sizes(lambda k: _only(two_rules(k, NEAR_ONE), (1,), "f"), (2, 3), ()),
    ),
    FARNNProgram(
        "fa-rnn-untrained-without-a-rule",
        Sizes(untrained, (2, 3, 4, 5), ()),
        _without_a_rule,
        off_by(_deviations_of_exact_factors),
        ("alpha_0", "T", "f"),
    ),
)
