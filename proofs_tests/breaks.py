"""Ways to break a claim on purpose, on either side: each has to be refuted, or what refutes it is worth
nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np


def of_automata(change):
    return lambda construction: lambda w: [change(a) for a in construction(w)]


def of_step(change):
    return lambda recurrence: replace(
        recurrence, step=lambda w, state, x: change(w, state, x, recurrence.step)
    )


def other_letter(w, state, x, step):
    return step(w, state, w.alphabet[-1 - w.alphabet.index(x)])


def read_twice(w, state, x, step):
    return step(w, step(w, state, x), x)


BREAKS = {
    "a transposed table": {
        "construction": of_automata(lambda a: a.replace(matrices=a.matrices.transpose(0, 2, 1)))
    },
    "a start that is shifted": {
        "construction": of_automata(lambda a: a.replace(initial=np.roll(a.initial, 1)))
    },
    "ends that are shifted": {"construction": of_automata(lambda a: a.replace(final=np.roll(a.final, 1)))},
    "the other letter": {"recurrence": of_step(other_letter)},
    "each letter read twice": {"recurrence": of_step(read_twice)},
}
