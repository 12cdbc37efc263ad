"""Scores by OpenFst, an independent implementation, with error bounds.

>>> from automata.semirings import REAL
>>> from automata.wfsa import WFSA
>>> negative = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, -2], [0, 1]]})
>>> round(Scorer(negative).score("aa"), 9)
-4.0
"""

from __future__ import annotations

import math

import pynini

from automata.aliases import String, Weight
from automata.io.openfst import (
    SINGLE_PRECISION,
    arc_type_for,
    cost,
    precisely,
    to_openfst,
    two_tracks,
    weight_of_cost,
)
from automata.rounding.bounds import FLOAT32, FLOAT64
from automata.wfsa import WFSA

EPSILON_CYCLE_DELTA = 1e-15
"""Tolerance at which OpenFst stops summing over an epsilon cycle."""


class Scorer:
    """A scorer that computes an automaton's scores with OpenFst.

    It composes the automaton with the linear acceptor of a string and takes the shortest distance.
    """

    def __init__(self, automaton: WFSA, arc_type: str | None = None) -> None:
        self.automaton, self.arc_type = automaton, arc_type
        k = automaton.semiring
        self.label = {s: i + 1 for i, s in enumerate(automaton.index)}
        weights = automaton.initial, automaton.final, automaton.matrices, automaton.epsilon_table.weights
        present = [v for w in weights for v in w.flat if v != k.zero]
        self.heaviest = max((abs(cost(k, abs(v) if k.signed else v)) for v in present), default=0.0)
        self.signed = k.signed and any(bool((w < 0).any()) for w in weights)
        self.format = FLOAT32 if (arc_type or arc_type_for(k)) in SINGLE_PRECISION else FLOAT64
        # OpenFst rejects a cost beyond the range of the dtype: then there is no bound and no score
        self.too_heavy = self.heaviest > self.format.largest / 4
        tracks = two_tracks(automaton) if self.signed else (automaton,)
        self.tracks = [] if self.too_heavy else [_silenced(to_openfst(track, arc_type)) for track in tracks]

    def costs(self, string: String) -> list[float]:
        """Return OpenFst's cost of the string: ``-log`` of the score, for a semiring with such a logarithm.

        If the automaton has negative weights, return two costs: those of the positive and the negative part
        of the score (:func:`~automata.io.openfst.two_tracks`).
        """
        return [_total(track, [self.label[s] for s in string]) for track in self.tracks]

    def score(self, string: String) -> Weight:
        """Return the score in the automaton's semiring."""
        values = [weight_of_cost(self.automaton.semiring, c) for c in self.costs(string)]
        return values[0] - values[1] if self.signed else values[0]

    def cost_bound(self, string: String) -> float:
        """Return a bound on the error of each of the :meth:`costs`; there must be no epsilon cycles.

        OpenFst adds costs (with a relative error of u) and computes ``-log(e^-a + e^-b)`` (with an error of
        at most 3 u max(|a|, |b|) + 4 u, see ``automata.semirings.Log``). Neither operation amplifies the
        errors of its arguments. The error of a total is therefore at most the sum of these errors over the
        levels of the composed machine. There is one level per symbol, one per epsilon transition, one for the
        start and one for the end. The bound is infinite if a part or a cost might overflow.
        """
        if self.too_heavy:
            return math.inf
        n, kind = 2 * self.automaton.states, self.arc_type or arc_type_for(self.automaton.semiring)
        unit = self.format.unit
        epsilon_steps = self.automaton.num_states * self.automaton.has_epsilon
        levels = 2 + len(string) + epsilon_steps * (len(string) + 1)
        largest = levels * (self.heaviest + math.log(2 * n + 2))
        if largest > self.format.largest / 4:
            return math.inf
        additions = 0 if kind == "standard" else 2 * n + 1
        level = 4 * unit * (self.heaviest + 1) + unit * largest + additions * (3 * unit * largest + 4 * unit)
        return levels * level

    def bound(self, string: String) -> float:
        """Return a bound on the error of :meth:`score`, for an automaton without epsilon cycles.

        Let P and N be the positive and the negative part of the score. An error of E in the costs causes an
        error of at most (e^E - 1) (P + N) in the score.
        """
        k, error = self.automaton.semiring, self.cost_bound(string)
        # For costs and booleans, E bounds the error of the score itself.
        if error == math.inf or k.log_sign or k.is_boolean:
            return error
        size = sum(weight_of_cost(k, c) for c in self.costs(string))
        return float(math.expm1(error) * size * (1 + 2**-20) + FLOAT64.tiny)


def _silenced(fst: pynini.Fst) -> Weight:
    """Return the acceptor as a transducer whose output labels are all epsilon."""
    for q in fst.states():
        arcs = fst.mutable_arcs(q)
        for arc in fst.arcs(q):
            arc.olabel = 0
            arcs.set_value(arc)
            next(arcs)
    return fst.arcsort("ilabel")


def _total(track: pynini.Fst, labels: list[int]) -> float:
    """Return the cost of all paths of ``track`` that read the labels.

    The output labels of ``track`` must all be epsilon.
    """
    line = pynini.Fst(arc_type=track.arc_type())
    line.add_states(len(labels) + 1)
    line.set_start(0)
    one = pynini.Weight.one(line.weight_type())
    for i, label in enumerate(labels):
        line.add_arc(i, pynini.Arc(label, label, one, i + 1))
    line.set_final(len(labels), one)
    both = pynini.compose(line, track, connect=True)
    # All output labels are epsilon, so epsilon removal leaves one state, with the sum over all paths.
    # (OpenFst's shortestdistance has the same value, but pywrapfst returns it with nine digits.)
    both.project("output").rmepsilon(delta=EPSILON_CYCLE_DELTA)
    return math.inf if both.start() < 0 else precisely(both.final(both.start()))
