"""Boxes of network states for an absorbing state of the automaton, from which no string leads away.

In an absorbing state, a trained LSTM's memory often drifts to large values, at which its units are saturated,
and a GRU's units drift to 1 or -1. States then stay far from each other, so that small boxes cannot close.
Therefore there is one large box for each string of the last symbols: the smallest box around sampled states,
widened until each symbol maps every box into the next one. An end that keeps moving jumps to the next of the
numbers in ``ENDS`` (widening, Cousot and Cousot 1977).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from automata.errors import LimitReached
from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import UNIT, Array, Forms, Points
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

KEYS, WAITS = (0, 1, 2, 3, 5), (0, 3, 6, 10)
"""Numbers of last symbols per box, and of first symbols in an absorbing state whose states are left out."""
MOST_KEYS, MOST_SYMBOLS = 128, 1000
"""Largest number of boxes of an absorbing state, and of symbols for which boxes are sought."""
SAMPLES, STEPS, LATEST = 2000, 300, 30
"""Number and length of the sampled strings, and the step before which each may enter an absorbing state."""
ROUNDS, PATIENCE = 700, 20
"""Largest number of steps, and the number of steps after which the ends that still move jump."""
TINY = 1e-9
"""An image is inside a box by at least this, because the checker rounds outwards."""
_POSITIVE = np.concatenate(
    [[0, 0.01, 0.03, *np.arange(0.1, 0.95, 0.1), 0.95, 0.98, 0.99, 0.995, 0.999], 1.5 ** np.arange(31)]
)
ENDS = np.concatenate([-_POSITIVE[:0:-1], _POSITIVE])
"""The ends of boxes to which an end that moves jumps, from about -190,000 to 190,000."""


@dataclass(frozen=True)
class AbsorbingBoxes:
    """One box for each string of the last symbols, in lexicographic order.

    Attributes:
        state: The absorbing state.
        centers, widths: Shape ``(N, D)``.
        edges: The box after each symbol, of shape ``(N, symbols)``.
    """

    state: int
    centers: Array
    widths: Array
    edges: np.ndarray


def absorbing_boxes(network: OrdinaryNetwork, machine: Moore, until: float) -> list[AbsorbingBoxes]:
    """Return boxes for each absorbing state for which some are found; none for very large alphabets.

    Args:
        network: The network.
        machine: The automaton, with the expected decision as the output of each state.
        until: The value of ``time.monotonic()`` at which to stop.

    Raises:
        LimitReached: If the time is up.
    """
    states = [state for state, row in enumerate(machine.table) if set(row) == {state}]
    if not states or len(machine.alphabet) > MOST_SYMBOLS:
        return []
    samples, symbols, result = _Samples(network, machine), len(machine.alphabet), []
    for state in states:
        for key, wait in ((key, wait) for wait in WAITS for key in KEYS if symbols**key <= MOST_KEYS):
            if time.monotonic() > until:
                raise LimitReached("the time limit was reached")
            hulls = samples.hulls(state, key, wait)
            edges = np.arange(symbols ** (key + 1)).reshape(-1, symbols) % symbols**key
            if hulls is None:
                continue
            labels = np.full(len(edges), machine.outputs[state])
            if (closed := _closed(network, labels, edges, *hulls)) is not None:
                result.append(AbsorbingBoxes(state, *closed, edges))
                break
    return result


class _Samples:
    """Network states after the prefixes of random strings that lead to an absorbing state.

    Attributes:
        vectors, states: The network's and the automaton's states.
        ages: The number of symbols since the absorbing state was entered.
        histories: The last symbols, as the digits of a number.
    """

    def __init__(self, network: OrdinaryNetwork, machine: Moore) -> None:
        rng, table = np.random.default_rng(0), np.array(machine.table)
        self.symbols = table.shape[1]
        absorbing = (table == np.arange(len(table))[:, None]).all(1)
        # strings of one symbol, of a frequent symbol, and of several symbols
        shares = rng.dirichlet(np.full(self.symbols, 0.3), SAMPLES)
        shares[: SAMPLES // 5] = np.eye(self.symbols)[rng.integers(self.symbols, size=SAMPLES // 5)]
        totals, entries = shares.cumsum(1), rng.integers(LATEST, size=SAMPLES)
        vectors, states = np.tile(network.start, (SAMPLES, 1)), np.full(SAMPLES, machine.start)
        ages, history = np.zeros(SAMPLES, int), np.zeros(SAMPLES, int)
        parts = []
        for step in range(STEPS):
            symbols = (rng.random(SAMPLES)[:, None] > totals[:, :-1]).sum(1)
            early = absorbing[table[states, symbols]] & ~absorbing[states] & (step < entries)
            symbols[early] = rng.integers(self.symbols, size=early.sum())
            vectors = network.step(Points(vectors), symbols).center
            states = table[states, symbols]
            ages = np.where(absorbing[states], ages + 1, 0)
            history = (history * self.symbols + symbols) % self.symbols ** max(KEYS)
            some = absorbing[states] & ((ages < LATEST) | (step % 10 == 0))
            parts.append((vectors[some], states[some], ages[some], history[some]))
        self.vectors, self.states, self.ages, self.histories = (
            np.concatenate(part) for part in zip(*parts, strict=True)
        )

    def hulls(self, state: int, key: int, wait: int) -> tuple[Array, Array] | None:
        """Return the ends of the smallest boxes; None if some last symbols do not occur."""
        some = (self.states == state) & (self.ages > wait)
        boxes = self.histories[some] % self.symbols**key
        shape = self.symbols**key, self.vectors.shape[1]
        low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
        np.minimum.at(low, boxes, self.vectors[some])
        np.maximum.at(high, boxes, self.vectors[some])
        return (low, high) if len(np.unique(boxes)) == len(low) else None


def _closed(
    network: OrdinaryNetwork, labels: np.ndarray, edges: np.ndarray, low: Array, high: Array
) -> tuple[Array, Array] | None:
    """Return centers and widths of boxes that contain these and all images, with one decision; or None."""
    sources, symbols = (numbers.ravel() for numbers in np.indices(edges.shape))
    for number in range(1, ROUNDS + 1):
        # the numbers of the certificate, so that rounding them cannot open the boxes
        centers = np.float32((low + high) / 2).astype(float)
        widths = np.float32(np.maximum(high - centers, centers - low) + room(low, high)).astype(float)
        boxes = Forms.region(centers, widths[:, :, None] * np.eye(network.size), True)
        if (network.margins(boxes, labels).low <= 0).any():
            return None
        images = network.step(boxes.rows(sources), symbols)
        least, most = np.full_like(low, np.inf), np.full_like(high, -np.inf)
        np.minimum.at(least, edges.ravel(), images.low)
        np.maximum.at(most, edges.ravel(), images.high)
        falls, rises = least - TINY < centers - widths, most + TINY > centers + widths
        if not (falls.any() or rises.any()):
            return centers, widths
        low, high = np.where(falls, least, low), np.where(rises, most, high)
        if number % PATIENCE == 0:
            below, above = np.searchsorted(ENDS, low, "right") - 1, np.searchsorted(ENDS, high)
            if (below < 0).any() or (above == len(ENDS)).any():
                return None
            low, high = np.where(falls, ENDS[below], low), np.where(rises, ENDS[above], high)
    return None


def room(low: Array, high: Array) -> Array:
    """Return a bound of the error if the ends of boxes are computed from a float32 center and width."""
    return 2 * UNIT * (1 + np.abs(low) + np.abs(high))
