"""The search for a string on which a network and an automaton differ.

The search uses float arithmetic. Ball arithmetic confirms its result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from automata.aliases import Symbols
from automata.moore import Moore
from ratproof.certification.soft_networks.ball_run import soft_outputs
from ratproof.certification.soft_networks.floats import Points
from ratproof.certification.soft_networks.hard import LabelledOutput
from ratproof.certification.soft_networks.numbers import Numbers

WIDEST = 4096
LONGEST = 200
"""The maximum length of the strings.

All strings of a length are tried if there are at most WIDEST of them. For larger lengths, WIDEST random
strings are extended.
"""
MOST_TRIES = 5

OutputView = Callable[[LabelledOutput], Hashable]
"""A function that returns the part of an output ``(label, accepts)`` that is compared."""


def difference(
    numbers: Numbers, machine: Moore, view: OutputView = lambda output: output, seed: int = 0
) -> Symbols | None:
    """Return a short string after which the soft network differs from the machine, or ``None``.

    Args:
        numbers: The network.
        machine: A machine over the same symbols in the same order. Its outputs are like those of ``view``.
        view: Returns the compared part of the network's output ``(label, accepts)``.
        seed: Seed of the random strings.
    """
    points, random = Points(numbers), np.random.default_rng(seed)
    symbols = len(numbers.alphabet)
    table, alpha = np.array(machine.table), points.first()
    state, words = np.array([machine.start]), np.zeros((1, 0), dtype=np.int64)
    tries = 0
    for length in range(LONGEST + 1):
        if length:
            complete = len(words) * symbols <= WIDEST
            parent = np.repeat(np.arange(len(words)), symbols) if complete else np.arange(len(words))
            read = (
                np.tile(np.arange(symbols), len(words))
                if complete
                else random.integers(0, symbols, len(words))
            )
            alpha, state = points.steps(alpha[parent], read), table[state[parent], read]
            words = np.column_stack([words[parent], read])
        outputs = zip(alpha.argmax(axis=1).tolist(), (points.accepts(alpha) > 0).tolist(), strict=True)
        for row, output in enumerate(outputs):
            if view(output) != machine.outputs[state[row]]:
                word = tuple(numbers.alphabet[a] for a in words[row])
                true = soft_outputs(numbers, word)
                if true is not None and view(true) != machine.outputs[state[row]]:
                    return word
                tries += 1
                if tries == MOST_TRIES:  # floats and balls disagree: the network is too close to a boundary
                    return None
    return None
