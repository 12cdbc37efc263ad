"""The program of linear second-order RNNs, whose inputs are the vectors of the symbols.

Component j of a step is a sum of K d products of three factors, in any order. It is an exact step of an
automaton whose weights are off by at most gamma_{K d + 2} times the sums of the magnitudes |A[i, s, j] v[s]|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from automata.rounding.bounds import Deviation, Format
from automata.wfsa import WFSA
from neural.second_order import SecondOrderRNN
from ratproof.implementations.fa_rnn.by_factors import DYADIC, NEAR_ONE
from ratproof.implementations.fa_rnn.program import (
    Factory,
    FARNNProgram,
    Network,
    Sentences,
    floats,
    off_by,
    tensor,
)
from theory.expressivity.second_order import network
from theory.signature import Signature, Sizes
from theory.weights import Weights


def _of_vectors(w: Weights, factory: Factory) -> Network:
    module = SecondOrderRNN(*(tensor(part, factory) for part in (w.A, w.h_0, w.omega)))
    vectors = {x: tensor(w.v[x], factory) for x in w.alphabet}

    @torch.no_grad()
    def scores(sentences: Sentences) -> Tensor:
        empty = module.tensor.new_zeros(0, module.tensor.shape[1])
        rows = [torch.stack([vectors[x] for x in words]) if words else empty for words in sentences]
        return torch.stack([module(row[None]) for row in rows])

    return scores


def _deviations(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    (automaton,) = automata
    k, d = len(w.h_0), len(w.A[0])
    off = np.zeros(automaton.matrices.shape)
    for x in w.alphabet:
        size = np.einsum("isj,s->ij", abs(floats(w.A)), abs(floats(w.v[x])))
        index = automaton.index[x]
        off[index] = np.maximum(off[index], form.gamma(k * d + 2) * size * (1 + 2.0**-40))
    return [Deviation(off, np.zeros(k))]


def _with(values: Sequence[Fraction | int], size: tuple[int, int]) -> Signature:
    signature = network(size)
    only = tuple(map(Fraction, values))
    return replace(signature, entries=tuple(replace(entry, only=only) for entry in signature.entries))


PROGRAMS = (
    FARNNProgram(
        "second-order-rnn",
        Sizes(lambda size: _with(DYADIC, size), tuple((k, d) for k in range(1, 5) for d in range(1, 4)), ()),
        _of_vectors,
        off_by(_deviations),
        ("h_0", "A", "v", "omega"),
        Sizes(network, ((1, 1),), ()),
        Sizes(lambda size: _with(NEAR_ONE, size), ((1, 1), (2, 1), (1, 2), (2, 2)), ()),
    ),
)
