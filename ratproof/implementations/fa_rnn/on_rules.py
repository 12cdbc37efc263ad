"""Programs of rules with weights 0 and 1, whose scores are exact if the dtype can represent the counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from automata.rules.logic import Formula
from automata.rules.words import BEGIN
from automata.semirings import REAL
from automata.wfsa import WFSA
from neural.fa_rnn.aggregation import SoftLogic
from neural.fa_rnn.bidirectional import Bidirectional
from neural.fa_rnn.cells import FactoredCell, TensorCell
from neural.fa_rnn.factors import exact_factors
from neural.fa_rnn.network import FARNN
from ratproof.implementations.fa_rnn.program import (
    Factory,
    FARNNProgram,
    Network,
    Sentences,
    floats,
    paths,
    tensor,
    without_rounding,
)
from theory.fa_rnn import beta_1, eq_9, soft_logic
from theory.fa_rnn.bidirectional import both
from theory.fa_rnn.shared.networks import automaton_of, with_tensor
from theory.fa_rnn.shared.rules import RULES
from theory.weights import Weights

RULE = ("alpha_0", "T", "alpha_inf")


def _floats(automaton: WFSA) -> WFSA:
    return automaton.to_float()


# Equation 6 at beta = 1, where the word vectors have no effect. The wildcard's matrix is in the factors or
# separate.


def _rules_with_vectors(w: Weights, factory: Factory, separate_wildcard: bool) -> Network:
    (automaton,) = with_tensor(w)
    vectors = torch.as_tensor([[float(w.u[x])] for x in automaton.alphabet])
    return FARNN.of(
        _floats(automaton), separate_wildcard=separate_wildcard, embeddings=vectors, beta=1.0, **factory
    )


# Maxima instead of sums, and a deterministic automaton, whose forward score is 1 for a match.


def _viterbi(w: Weights, factory: Factory, decomposed: bool) -> Network:
    (automaton,) = with_tensor(w)
    return FARNN.of(_floats(automaton), scoring="viterbi", decomposed=decomposed, **factory)


def _deterministic(w: Weights, factory: Factory) -> Network:
    return FARNN.of(_floats(beta_1.deterministic(w)), **factory)


# Equation 9 with a threshold, in torch.


def _thresholded(w: Weights, factory: Factory) -> Network:
    (automaton,) = with_tensor(w)
    cell = FactoredCell(exact_factors(_floats(automaton)), **factory)
    with torch.no_grad():
        tables = (cell.tensor() >= float(w.gamma)).double().cpu().numpy()
    of = dict(zip(automaton.alphabet, tables, strict=True))
    rebuilt = WFSA(REAL, floats(w.alpha_0), floats(w.alpha_inf), of)
    return FARNN.of(rebuilt, decomposed=False, **factory)


# Both directions. Sentences begin with BOS, which leaves the state of these networks unchanged.


def _bidirectional(w: Weights, factory: Factory) -> Network:
    network = Bidirectional(*(FARNN.of(_after_begin(a), **factory) for a in both(w)))

    def scores(sentences: Sentences) -> Tensor:
        outputs: Tensor = network([(BEGIN, *sentence) for sentence in sentences])
        return outputs

    return scores


def _after_begin(automaton: WFSA) -> WFSA:
    """Return the automaton with the word BOS added, which leaves its state unchanged."""
    tables = {x: automaton.matrix(x).astype(float) for x in automaton.alphabet}
    tables[BEGIN] = np.eye(automaton.states)
    return WFSA(REAL, automaton.initial.astype(float), automaton.final.astype(float), tables)


# The logic of Table 2, applied to the scores of several groups of final states.


def _aggregated(w: Weights, factory: Factory) -> Network:
    automaton = automaton_of(_with_ends(w), w.T)
    cell = TensorCell(_floats(automaton), **factory)
    network = FARNN(automaton.alphabet, cell, tensor(w.alpha_0, factory), tensor(w.F, factory))
    names = tuple(str(number) for number in range(len(w.F)))
    clauses = tuple(
        tuple((name, sign > 0) for name, sign in zip(names, row, strict=True) if sign) for row in w.clauses
    )
    layer = SoftLogic({"formula": Formula(clauses)}, names, **factory)

    def values(sentences: Sequence[tuple[str, ...]]) -> Tensor:
        outputs: Tensor = layer(network(sentences))
        return outputs

    return values


def _with_ends(w: Weights) -> Weights:
    return Weights(w.over, w.alphabet, {**w.entries, "alpha_inf": w.F[0]}, w.size)


COUNTS = without_rounding(paths)
PROGRAMS = (
    FARNNProgram(
        "fa-rnn-rules",
        beta_1.RULES,
        lambda w, factory: _rules_with_vectors(w, factory, separate_wildcard=False),
        COUNTS,
        RULE,
    ),
    FARNNProgram(
        "fa-rnn-rules-apart",
        beta_1.RULES,
        lambda w, factory: _rules_with_vectors(w, factory, separate_wildcard=True),
        COUNTS,
        RULE,
    ),
    FARNNProgram(
        "fa-rnn-viterbi-tensor",
        RULES,
        lambda w, factory: _viterbi(w, factory, decomposed=False),
        without_rounding(),
        RULE,
    ),
    FARNNProgram(
        "fa-rnn-viterbi-factors",
        RULES,
        lambda w, factory: _viterbi(w, factory, decomposed=True),
        without_rounding(),
        RULE,
    ),
    FARNNProgram(
        "fa-rnn-viterbi-vectors",
        beta_1.RULES,
        lambda w, factory: _viterbi(w, factory, decomposed=True),
        without_rounding(),
        RULE,
    ),
    FARNNProgram("fa-rnn-deterministic", beta_1.RULES, _deterministic, without_rounding(), RULE),
    FARNNProgram("fa-rnn-threshold", eq_9.EXACT, _thresholded, COUNTS, (*RULE, "gamma")),
    FARNNProgram("fa-rnn-bidirectional", RULES, _bidirectional, without_rounding(), RULE),
    FARNNProgram(
        "fa-rnn-soft-logic", soft_logic.RANDOM, _aggregated, COUNTS, ("alpha_0", "T", "F", "clauses")
    ),
)
