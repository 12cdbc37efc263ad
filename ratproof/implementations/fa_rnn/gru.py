"""Comparison of an FA-GRU at initialisation with the bounds of equation 7 in ball arithmetic.

The claim is about the exact networks. In float arithmetic, two statements must hold within rounding: every
component of both networks' states is between the bounds l and u, and the FA-GRU's components equal the exact
components.

The rounding bound is a running error bound through torch's own functions (:mod:`neural.tracked`). If it is
not small relative to the counts, nothing is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import flint
import numpy as np
import torch
from torch import Tensor

from automata.aliases import Floats
from automata.rounding.bounds import Format
from automata.rules.words import BEGIN
from automata.strings import String
from automata.wfsa import WFSA
from neural.fa_rnn.cells import FactoredCell, FAGRUCell
from neural.fa_rnn.factors import Factors
from neural.fa_rnn.network import FARNN
from neural.tracked import RunningErrorTensor, tracking
from ratproof.implementations.fa_rnn.program import (
    Factory,
    FARNNProgram,
    Network,
    Reference,
    Sentences,
    floats,
    paths,
    tensor,
)
from theory.fa_rnn import gru_start
from theory.weights import Weights

SMALL = 2.0**-10
"""Largest rounding bound, relative to the count, for which counts are compared."""


def factors(w: Weights) -> Factors:
    """Return factors of the transition tensor, with a column for each word and previous state.

    With these factors, a gate of the FA-GRU can determine the word from the vector that it reads. The word
    BOS leaves the state unchanged.
    """
    k, words = w.n, [*w.alphabet, BEGIN]
    tables = [*(floats(w.T[x]) for x in w.alphabet), np.eye(k)]
    rows = np.repeat(np.eye(len(words)), k, axis=1)
    after = np.concatenate([table.T for table in tables], axis=1)
    return Factors(rows, np.tile(np.eye(k), len(words)), after, np.zeros((k, k)), np.zeros(len(words)))


def network(w: Weights, gated: bool, factory: Factory) -> FARNN:
    """Return the FA-GRU or, if ``gated`` is false, the FA-RNN that it equals at initialisation."""
    inner = FactoredCell(factors(w), **factory)
    cell = FAGRUCell(inner) if gated else inner
    if isinstance(cell, FAGRUCell):
        rank, k = inner.rules.shape[1], w.n
        for gate, words, states in ((cell.update, w.Wf, w.Uf), (cell.reset, w.Wr, w.Ur)):
            weight = np.zeros((k, rank + k))
            for index, x in enumerate(w.alphabet):
                weight[:, index * k] = floats(words[x])
            weight[:, rank:] = floats(states).T
            with torch.no_grad():
                gate.weight.copy_(torch.as_tensor(weight))
                gate.bias.fill_(float(w.b))
    return FARNN((*w.alphabet, BEGIN), cell, tensor(w.alpha_0, factory), tensor([w.alpha_inf], factory))


@lru_cache(maxsize=64)
def _errors(w: Weights, string: String, dtype: torch.dtype, device: str) -> list[np.ndarray]:
    """Bound the error of each component of the FA-GRU's state, after each prefix."""
    gated = network(w, True, {"dtype": dtype, "device": device})
    assert isinstance(gated.cell, FAGRUCell)
    h: Any = RunningErrorTensor.exact(gated.initial.unsqueeze(0).detach())
    first, errors = h, []
    with torch.no_grad():
        for t, word in enumerate((BEGIN, *string)):
            read = gated.cell.read(torch.tensor([gated.index[word]], device=device))
            with tracking():
                h = gated._step(gated.cell, read, h, first, t)
            first = h if t == 0 else first
            errors.append(h.error[0].cpu().numpy())
    return errors


@lru_cache(maxsize=64)
def _run(w: Weights, string: String) -> list[gru_start.Run]:
    """Return, after each prefix, the exact states of the FA-GRU and the FA-RNN and the bounds on them."""
    now = gru_start.start(w)
    runs = [now]
    for x in string:
        now = gru_start.step(w, now, x)
        runs.append(now)
    return runs


def _both(w: Weights, factory: Factory) -> Network:
    """Return a network whose scores are the components of two states: the FA-GRU's and then the FA-RNN's."""
    networks = [network(w, gated, factory) for gated in (True, False)]

    def states(sentences: Sentences) -> Tensor:
        read = [(BEGIN, *sentence) for sentence in sentences]
        return torch.cat([one.states(read) for one in networks], dim=1)

    return states


def _between(w: Weights, string: String, states: Floats, factory: Factory) -> Floats:
    """Return 1 for each prefix after which both networks satisfy the claim within rounding, else 0."""
    runs, errors = _run(w, string), _errors(w, string, factory["dtype"], str(factory["device"]))
    gru, plain = np.split(states, 2, axis=1)
    return np.array(
        [[float(_within(*of_prefix))] for of_prefix in zip(runs, gru, plain, errors, strict=True)]
    )


def _within(run: gru_start.Run, gru: np.ndarray, plain: np.ndarray, errors: np.ndarray) -> bool:
    with flint.ctx.workprec(gru_start.PRECISION):
        numbers = zip(gru, plain, errors, run.gru, run.lower, run.upper, strict=True)
        return all(
            abs(flint.arb(float(a)) - exact) <= flint.arb(float(e)) + exact.rad()
            and low - flint.arb(float(e)) <= flint.arb(float(v)) + low.rad()
            and flint.arb(float(v)) <= up + flint.arb(float(e)) + up.rad()
            for a, b, e, exact, low, up in numbers
            for v in (a, b)
        )


def _reference(w: Weights, automata: Sequence[WFSA], string: String, form: Format) -> Reference:
    """Return the reference for the result of :func:`_between`, which must be 1 for every prefix.

    The error bound is 0, or infinite if rounding may be large.
    """
    dtype = torch.float32 if form.unit > 2.0**-50 else torch.float64
    runs, errors = _run(w, tuple(string)), _errors(w, tuple(string), dtype, "cpu")
    counts = paths(w, string) * form.unit < 1  # if true, the FA-RNN does not round
    held = [
        counts
        and all(float(e) <= SMALL * max(1.0, float(h.mid())) for e, h in zip(error, run.gru, strict=True))
        for error, run in zip(errors, runs, strict=True)
    ]
    return Reference([[1]] * len(runs), np.array([[0.0 if one else np.inf] for one in held]))


READS = ("alpha_0", "T", "Wf", "Wr", "Uf", "Ur", "b", "alpha_inf")
PROGRAMS = (FARNNProgram("fa-gru", gru_start.ANY, _both, _reference, READS, judge=_between),)
