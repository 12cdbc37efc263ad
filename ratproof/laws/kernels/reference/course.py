"""The states of a recurrence in extended precision, for all tokens: what errors are derived from.

A step decays the state, corrects it along one direction and adds to it. The recurrence of gradients adds
first, and then decays and corrects.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratproof.laws.kernels.reference.form import Bounds, Wide
from ratproof.laws.kernels.reference.roles import Roles


@dataclass(frozen=True)
class Course:
    """Arrays of all steps; axes T, N, H, K and V.

    Attributes:
        states: what each step begins with, and what the last one leaves: T + 1 states.
        held: what a step decays: the state that it begins with, or that with what is added first.
        decayed: ``diag(d)`` times that.
        corrected: that with the correction.
        added: k v^T; ``None`` where the correction has it in it.
        column, along: of the correction ``column * along``, with one value, and with one key; ``None``
            where nothing is corrected.
        adds_first: does a step add before it decays?
    """

    states: Wide
    held: Wide
    decayed: Wide
    corrected: Wide
    added: Wide | None
    column: Wide | None
    along: Wide | None
    adds_first: bool

    @property
    def sums(self) -> Wide:
        """The state that has just been added to."""
        return self.held if self.adds_first else self.states[1:]


def course(roles: Roles, adds_first: bool = False) -> Course:
    """The states of a recurrence.

    Args:
        roles: its tensors.
        adds_first: does a step add before it decays and corrects?
    """
    time, shape = roles.time, roles.start.shape
    key, value, decay = (by_token(x) for x in (roles.key, roles.value, roles.decay))
    wide = roles.start.dtype  # real or complex
    states, held = np.empty((time + 1, *shape), wide), np.empty((time, *shape), wide)
    states[0] = roles.start
    decayed, corrected = np.empty_like(held), np.empty_like(held)
    added = None if roles.beta is not None else key[..., None] * value[..., None, :]
    column = along = None
    if roles.beta is not None:
        column, along = key[..., None], np.empty((time, *shape[:2], 1, shape[3]), wide)
        beta, target = by_token(roles.beta)[..., None, None], value[..., None, :]
        reads = key[..., None, :]
    elif roles.a is not None:
        column, along = by_token(roles.b)[..., None], np.empty((time, *shape[:2], 1, shape[3]), wide)
        reads = by_token(roles.a)[..., None, :]
    d = decay[..., None]
    for t in range(time):
        own, after = held[t], states[t + 1]
        if adds_first and added is not None:
            np.add(states[t], added[t], out=own)
        else:
            own[...] = states[t]
        fading = np.multiply(d[t], own, out=decayed[t])
        if column is None or along is None:
            result = fading
        else:
            w = along[t]
            if roles.beta is not None:
                np.matmul(reads[t], fading, out=w)
                np.subtract(target[t], w, out=w)
                np.multiply(beta[t], w, out=w)
            else:
                np.matmul(reads[t], own, out=w)
            result = np.multiply(column[t], w, out=corrected[t])
            np.add(fading, result, out=result)
        if adds_first or added is None:
            after[...] = result
        else:
            np.add(result, added[t], out=after)
    made = decayed if column is None else corrected
    return Course(states, held, decayed, made, added, column, along, adds_first)


def by_token(array: Wide) -> Wide:
    """With the time first."""
    return np.ascontiguousarray(np.moveaxis(array, 1, 0))


def size_of(values: Wide) -> Bounds:
    """Absolute values in float64."""
    return np.asarray(np.abs(values), np.float64)
