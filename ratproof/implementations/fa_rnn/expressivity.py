"""The programs of second-order, affine, Heaviside, ReLU and saturated networks, and of PD-SSM layers.

A second-order RNN with K units reads vectors v of size d, and has the weight tensor A of shape (K, d, K).
Component j of a step is a sum of K d products of three factors, in any order. It is an exact step of an
automaton whose weights are off by at most gamma_{K d + 2} times the sums over s of |A[i, s, j] v[s]|.

Heaviside networks, saturated LSTMs, and affine and ReLU networks with integer weights compute with integers,
which do not round. A step of a PD-SSM is a step of Forward, in any order of summation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.aliases import Floats
from automata.rounding.bounds import Deviation, Format
from automata.strings import String
from automata.wfsa import WFSA
from neural.affine_rnn import AffineRNN
from neural.heaviside_elman import HeavisideElmanRNN
from neural.heaviside_stack import HeavisideStackRNN
from neural.householder import HouseholderRNN
from neural.pd_ssm import PDSSM
from neural.relu_elman import ReLUElmanRNN
from neural.saturated_lstm import SaturatedLSTM
from neural.second_order import SecondOrderRNN
from neural.sigmoid_automaton import SigmoidAutomatonRNN
from ratproof.implementations.fa_rnn.by_factors import DYADIC, NEAR_ONE
from ratproof.implementations.fa_rnn.program import (
    Factory,
    FARNNProgram,
    Network,
    Sentences,
    Words,
    floats,
    no_deviation,
    off_by,
    tensor,
    without_rounding,
)
from theory.expressivity import affine_errors as affine
from theory.expressivity import bounded_dyck as dyck
from theory.expressivity import counting
from theory.expressivity import householder_products as products
from theory.expressivity import negative_eigenvalues as reflections
from theory.expressivity import nonnegative_gates as gates
from theory.expressivity import omlin_giles as sigmoid
from theory.expressivity import saturated_lstm as saturated
from theory.expressivity.delta_product import permutations
from theory.expressivity.heaviside_elman import automaton_of, recurrent_weights, units
from theory.expressivity.pd_ssm_emulation import layer
from theory.expressivity.second_order import network
from theory.signature import Signature, Sizes
from theory.weights import Weights


def _vector_program(w: Weights, factory: Factory) -> Network:
    module = SecondOrderRNN(*(tensor(part, factory) for part in (w.A, w.h_0, w.omega)))
    vectors = {x: tensor(w.v[x], factory) for x in w.alphabet}

    def read(words: Words) -> Tensor:
        empty = module.tensor.new_zeros(0, module.tensor.shape[1])
        return torch.cat([empty, *(vectors[x][None] for x in words)])

    return _on_prefixes(module, read)


def _deviations(w: Weights, automata: Sequence[WFSA], form: Format) -> list[Deviation]:
    (automaton,) = automata
    k, d = len(w.h_0), len(w.A[0])
    off = np.zeros(automaton.matrices.shape)
    for x in w.alphabet:
        size = np.einsum("isj,s->ij", abs(floats(w.A)), abs(floats(w.v[x])))
        index = automaton.index[x]
        off[index] = np.maximum(off[index], form.gamma(k * d + 2) * size * (1 + 2.0**-40))
    return [Deviation(off, np.zeros(k))]


def _unit_program(w: Weights, factory: Factory) -> Network:
    every, symbols = units(w), list(w.alphabet)
    inputs = [[float(y == x) for _, y in every] for x in symbols]
    rows = [[values[q] for q, _ in every] for values in (*(w.p[x] for x in symbols), w.rho)]
    first = [1.0, *[0.0] * (len(every) - 1)]
    parts: tuple[object, ...] = recurrent_weights(w), inputs, [-1.0] * len(every), first, rows
    module = HeavisideElmanRNN(*(torch.as_tensor(np.array(part, dtype=float), **factory) for part in parts))

    return _on_indices(module, symbols)


def _map_program(w: Weights, factory: Factory) -> Network:
    symbols = list(w.alphabet)
    rows = torch.tensor([[int(j) for j in w.delta[u]] for u in symbols], device=factory.get("device"))
    parts = (tensor(part, factory) for part in (tuple(w.d[u] for u in symbols), w.x_0, w.c))
    return _on_indices(PDSSM(rows, *parts), symbols)


def _stack_program(w: Weights, factory: Factory) -> Network:
    m, code, symbols = w.n, dyck.short_code(w), list(w.alphabet)
    kinds = [int(w.bracket[x]) for x in symbols]
    thresholds = *(dyck.next_bracket(m, code, kind) for kind in kinds), dyck.at_end(m, code)
    parts: tuple[object, ...] = (
        dyck.recurrent_weights(m, len(code[0])),
        [dyck.input_weights(m, code, kind) for kind in kinds],
        [(*row, bias) for row, bias in thresholds],
        [float(w.p[x]) for x in symbols],
        [float(w.rho_0), float(w.rho_1)],
    )
    module = HeavisideStackRNN(*(torch.as_tensor(np.array(part, dtype=float), **factory) for part in parts))
    return _on_indices(module, symbols)


def _affine_map_program(w: Weights, factory: Factory) -> Network:
    steps = [affine.affine_map(w, x) for x in w.alphabet]
    start = affine.start(w)
    parts = tuple(tuple(matrix) for matrix, _ in steps), tuple(bias for _, bias in steps), start, w.omega
    return _on_indices(AffineRNN(*(tensor(part, factory) for part in parts)), list(w.alphabet))


def _one_key_program(w: Weights, factory: Factory) -> Network:
    v = len(w.alphabet)
    values = tuple((w.v[x],) for x in w.alphabet)
    parts = ((w.k,),) * v, tuple((w.beta[x],) for x in w.alphabet), w.s_0, w.k, values
    return _on_indices(HouseholderRNN(*(tensor(part, factory) for part in parts)), list(w.alphabet))


def _largest_with_key(w: Weights, string: String) -> Any:
    """Return a bound on every partial sum in a Householder layer that has one key for all symbols."""
    s, largest = w.s_0, max(map(abs, w.k))
    sums = [_magnitudes(s, w.k)]
    for x in string:
        matrix = 1 + abs(w.beta[x]) * largest**2
        sums.append(matrix * sum(map(abs, s)) + abs(w.beta[x] * w.v[x]) * largest)
        s = reflections.step(w, s, x)
        sums.append(_magnitudes(s, w.k))
    return max(sums)


def _factor_program(factors: Callable[[Weights, str], Any]) -> Callable[[Weights, Factory], Network]:
    def build(w: Weights, factory: Factory) -> Network:
        every = [factors(w, x) for x in w.alphabet]
        keys = np.array([[floats(key) for _, key in steps] for steps in every]).reshape(len(every), -1, w.n)
        betas = np.array([[float(beta) for beta, _ in steps] for steps in every]).reshape(keys.shape[:2])
        parts = (torch.as_tensor(part, **factory) for part in (keys, betas, floats(w.x_0), floats(w.c)))
        return _on_indices(HouseholderRNN(*parts), list(w.alphabet))

    return build


def _largest_permuted(w: Weights, string: String) -> object:
    """Return a bound on every partial sum in a layer whose steps scale and permute a one-hot state."""
    scale = max(map(abs, w.x_0)) * (2 + sum(map(abs, w.c)))
    for x in string if "d" in w.entries else ():
        scale *= 1 + max(map(abs, w.d[x])) if any(abs(d) > 1 for d in w.d[x]) else 1
    return 4 * scale


def _gate_program(w: Weights, factory: Factory) -> Network:
    diagonal, offsets = (*w.r, 1), (*w.b, 0)  # the last unit is the output's constant term
    matrix = tuple(tuple(r * (i == j) for j in range(len(diagonal))) for i, r in enumerate(diagonal))
    v = len(w.alphabet)
    parts = (matrix,) * v, (offsets,) * v, (*w.h_0, w.c_0), (*w.c, 1)
    return _on_indices(AffineRNN(*(tensor(part, factory) for part in parts)), list(w.alphabet))


def _largest_of_gates(w: Weights, string: String) -> object:
    """Return a bound on every partial sum in a layer whose units have a constant gate and an offset."""
    sizes = tuple(map(abs, w.h_0))
    sums = [sum(sizes)]
    for _ in string:
        sizes = tuple(abs(r) * h + abs(b) for r, h, b in zip(w.r, sizes, w.b, strict=True))
        sums.append(sum(sizes))
    return max(sums) * max(1, *map(abs, w.c)) + abs(w.c_0)


def _largest(w: Weights, string: String) -> Any:
    """Return a bound on every partial sum in an affine network."""
    h = affine.start(w)
    sums = [_magnitudes(h, w.omega)]
    for x in string:
        matrix, bias = affine.affine_map(w, x)
        sums += [
            _magnitudes(h, column) + abs(b) for column, b in zip(zip(*matrix, strict=True), bias, strict=True)
        ]
        h = affine.step(w, h, x)
        sums.append(_magnitudes(h, w.omega))
    return max(sums)


def _magnitudes(h: Sequence[Any], weights: Sequence[Any]) -> Any:
    return sum(abs(a * b) for a, b in zip(h, weights, strict=True))


def _dfa_program(w: Weights, factory: Factory) -> Network:
    delta = torch.tensor([sigmoid.maps(w, x) for x in w.alphabet], device=factory.get("device"))
    module = SigmoidAutomatonRNN(delta, float(w.H), factory.get("dtype"))
    scores = _on_indices(module, list(w.alphabet))
    return lambda sentences: scores(sentences)[:, 0].to(module.weight.dtype)


def _cell_program(w: Weights, factory: Factory) -> Network:
    rows = [
        [1 if table[x][j] > 0 else -1 for x in w.alphabet]
        for table in (w.i, w.f, w.g)
        for j in range(len(w.r))
    ]
    inputs = torch.as_tensor([*rows, *[[1] * len(w.alphabet)] * len(w.r)], **factory)
    module = SaturatedLSTM(inputs, inputs.new_zeros(len(inputs), len(w.r)))
    scores, output = _on_indices(module, list(w.alphabet)), tensor(w.r, factory)
    return lambda sentences: scores(sentences)[:, 0] @ output[:, None]


def _counter_program(w: Weights, factory: Factory) -> Network:
    every = [int(w.step[x]) for x in w.alphabet]
    offsets = [saturated.OFFSETS[step] for step in every]
    rows = [offsets, [1] * len(every), [-1 if step < 0 else 1 for step in every], [1] * len(every)]
    recurrent = [[saturated.RECURRENT], [0], [0], [0]]
    module = SaturatedLSTM(torch.as_tensor(rows, **factory), torch.as_tensor(recurrent, **factory))
    scores = _on_indices(module, list(w.alphabet))
    return lambda sentences: scores(sentences)[:, 0]


def _is_counter(w: Weights, string: String, scores: Floats, factory: Factory) -> Floats:
    """Return 1 for each prefix after which the cell state equals the counter, and 0 for the others."""
    counts = [0]
    for x in string:
        counts.append(saturated.count(w, counts[-1], x))
    return np.where(scores == np.array(counts)[:, None], 1.0, 0.0)


def _relu_program(w: Weights, factory: Factory) -> Network:
    parts = w.W, tuple(w.u[x] for x in w.alphabet), w.h_0, w.r
    return _on_indices(ReLUElmanRNN(*(tensor(part, factory) for part in parts)), list(w.alphabet))


def _largest_unit(w: Weights, string: String) -> object:
    """Return a bound on every partial sum in a ReLU network with nonnegative weights."""
    states = [w.h_0]
    for x in string:
        states.append(counting.elman_step(w, states[-1], x))
    return max(max(*h, _magnitudes(h, w.r)) for h in states)


def _on_indices(module: torch.nn.Module, symbols: list[str]) -> Network:
    """Return a function that converts sentences to symbol indices and scores them with the module."""
    device = next(module.parameters()).device

    def read(words: Words) -> Tensor:
        return torch.tensor([symbols.index(x) for x in words], dtype=torch.long, device=device)

    return _on_prefixes(module, read)


def _on_prefixes(module: torch.nn.Module, read: Callable[[Words], Tensor]) -> Network:
    """Return a function that scores sentences with the module, which returns an output for each prefix.

    The module does not run on a sentence that is a prefix of another sentence.
    """

    @torch.no_grad()
    def scores(sentences: Sentences) -> Tensor:
        runs: dict[Words, Any] = {}

        def run_of(words: Words) -> Any:
            return next((run for longer, run in runs.items() if longer[: len(words)] == words), None)

        for words in sorted(sentences, key=len, reverse=True):
            if run_of(words) is None:
                runs[words] = module(read(words)[None])
        return torch.stack([run_of(words)[:, len(words)] for words in sentences])

    return scores


def _with(signature: Signature, values: Sequence[Fraction | int]) -> Signature:
    """Restrict the weights of a signature to these values, except those that are already restricted."""
    only = tuple(map(Fraction, values))
    entries = tuple(entry if entry.only else replace(entry, only=only) for entry in signature.entries)
    return replace(signature, entries=entries)


INTEGERS = (0, 1, -1, 2)
PROGRAMS = (
    FARNNProgram(
        "second-order-rnn",
        Sizes(
            lambda size: _with(network(size), DYADIC),
            tuple((k, d) for k in range(1, 5) for d in range(1, 4)),
            (),
        ),
        _vector_program,
        off_by(_deviations),
        ("h_0", "A", "v", "omega"),
        Sizes(network, ((1, 1),), ()),
        Sizes(lambda size: _with(network(size), NEAR_ONE), ((1, 1), (2, 1), (1, 2), (2, 2)), ()),
    ),
    FARNNProgram(
        "heaviside-elman",
        Sizes(lambda n: _with(automaton_of(n), DYADIC), (1, 2, 3, 4), ()),
        _unit_program,
        off_by(no_deviation),
        ("p", "rho"),
        Sizes(automaton_of, (1, 2, 3, 4), ()),
        Sizes(lambda n: _with(automaton_of(n), NEAR_ONE), (1, 2, 3), ()),
    ),
    FARNNProgram(
        "pd-ssm-emulation",
        Sizes(lambda n: _with(layer(n), DYADIC), (1, 2, 3, 4), ()),
        _map_program,
        off_by(no_deviation),
        ("d", "x_0", "c"),
        Sizes(layer, (1, 2, 3, 4), ()),
        Sizes(lambda n: _with(layer(n), NEAR_ONE), (1, 2, 3), ()),
    ),
    FARNNProgram(
        "bounded-dyck",
        Sizes(lambda m: _with(dyck.brackets(m), DYADIC), (1, 2, 3), ()),
        _stack_program,
        off_by(no_deviation),
        ("p", "rho_0", "rho_1"),
        Sizes(dyck.brackets, (1, 2, 3), ()),
        Sizes(lambda m: _with(dyck.brackets(m), NEAR_ONE), (1, 2, 3), ()),
    ),
    FARNNProgram(
        "affine-errors",
        Sizes(lambda n: _with(affine.with_any_map(n), INTEGERS), (2, 3, 4), ()),
        _affine_map_program,
        without_rounding(_largest),
        ("o", "r", "a", "omega"),
    ),
    FARNNProgram(
        "negative-eigenvalues",
        Sizes(lambda n: _with(reflections.one_key(n), INTEGERS), (1, 2, 3), ()),
        _one_key_program,
        without_rounding(_largest_with_key),
        ("s_0", "k", "beta", "v"),
        None,
        Sizes(lambda n: _with(reflections.one_key(n, beta=(0, 2), k=(1, -1)), INTEGERS), (1,), ()),
    ),
    FARNNProgram(
        "householder-products",
        Sizes(lambda n: _with(products.permuting(n), INTEGERS), (1, 2, 3, 4), ()),
        _factor_program(products.both),
        without_rounding(_largest_permuted),
        ("d", "x_0", "c"),
        None,
        Sizes(lambda n: _with(products.permuting(n, d=(1, -1)), INTEGERS), (2, 3), ()),
    ),
    FARNNProgram(
        "delta-product-permutations",
        Sizes(lambda n: _with(permutations(n), INTEGERS), (1, 2, 3, 4), ()),
        _factor_program(products.swapping),
        without_rounding(_largest_permuted),
        ("x_0", "c"),
    ),
    FARNNProgram(
        "nonnegative-gates",
        Sizes(lambda m: _with(gates.layer(m, (0, 1, 2)), INTEGERS), (1, 2, 3), ()),
        _gate_program,
        without_rounding(_largest_of_gates),
        ("r", "b", "h_0", "c", "c_0"),
        None,
        Sizes(lambda m: _with(gates.layer(m, (0, 1)), INTEGERS), (1, 2, 3), ()),
    ),
    FARNNProgram("omlin-giles", sigmoid.STABLE, _dfa_program, without_rounding(), ("H",)),
    FARNNProgram(
        "saturated-lstm",
        Sizes(lambda k: _with(saturated.cells(k), INTEGERS), (1, 2, 3, 4), ()),
        _cell_program,
        without_rounding(lambda w, string: sum(map(abs, w.r)) * len(string)),
        ("r",),
    ),
    FARNNProgram(
        "relu-elman",
        Sizes(lambda k: _with(counting.network(k, (0, 1)), INTEGERS), (1, 2, 3, 4), ()),
        _relu_program,
        without_rounding(_largest_unit),
        ("W", "u", "h_0", "r"),
    ),
    FARNNProgram(
        "counting-lstm", saturated.STEPS, _counter_program, without_rounding(), ("step",), judge=_is_counter
    ),
)
