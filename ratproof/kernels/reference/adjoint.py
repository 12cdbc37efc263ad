"""The adjoint state D, what flows into the state from all outputs after it, and the trajectories of both.

Of L = sum(o * A) + sum(S_T * B), D is the same recurrence backwards: D_t = M_{t+1}^T D_{t+1} + scale q_t
A_t^T for the state after token t, from D_T = B on, where M is what a step multiplies the state by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ratproof.kernels.reference.form import Arithmetic, Bounds, Form, Wide
from ratproof.kernels.reference.forward import enter
from ratproof.kernels.reference.roles import Roles
from ratproof.kernels.reference.running import Running, Snapshot


@dataclass(frozen=True)
class Trajectory:
    """Of a state, for every token.

    Attributes:
        before: the state that a step begins with, axes T, N, H, K and V.
        after: the state that it ends with. Of the adjoint: the state that flows into that of token t.
        corrections: what each step added along its direction, shape ``(T, N, H, V)``, and its bound; ``None``
            where it corrects nothing.
        edges: the state where each chunk begins, by its first step.
        last: the state after all steps.
    """

    before: Snapshot
    after: Snapshot
    corrections: tuple[Wide, Bounds] | None
    edges: dict[int, Snapshot]
    last: Snapshot


def trajectory(roles: Roles, form: Form, arithmetic: Arithmetic) -> Trajectory:
    """The states of the recurrence."""
    running = Running(roles, form, arithmetic)
    before, after, corrections, edges = [], [], [], {}
    for t in range(roles.time):
        enter(running, t)
        before.append(running.now())
        if form.chunk is not None and t % form.chunk == 0:
            edges[t] = before[-1]
        running.update(t)
        after.append(running.now())
        corrections.append(running.correction)
    return Trajectory(_stacked(before), _stacked(after), _corrections(corrections), edges, running.now())


def adjoint(roles: Roles, weights: Wide, final: Wide, form: Form, arithmetic: Arithmetic) -> Trajectory:
    """The adjoint states, by token.

    Args:
        roles: of the recurrence.
        weights: A, shape ``(N, T, H, V)``.
        final: B, shape ``(N, H, K, V)``.
        form: how the kernel computes.
        arithmetic: its format's.

    Returns:
        ``after``: D_t, what flows into the state that token t is read from or, where the state is read before
        its update, into the state after it; ``edges``: what flows into a chunk's last state from behind it;
        ``last``: the initial state's.
    """
    time = roles.time
    backwards = reversed_roles(roles, weights, final)
    running = Running(backwards, form, arithmetic, adds_first=roles.bonus is None)
    flows, corrections, edges = [], [], {}
    for t in range(time - 1, -1, -1):
        step = time - 1 - t
        if form.chunk is not None and (t == time - 1 or (t + 1) % form.chunk == 0):
            running.begin_chunk(step, time - t // form.chunk * form.chunk)
            edges[t] = running.now()
        if roles.bonus is None:
            running.add(step)
            flows.append(running.now())
            running.decay(step)
        else:
            flows.append(running.now())
            running.update(step)
        corrections.append(running.correction)
    flowing = _stacked(flows[::-1])
    return Trajectory(flowing, flowing, _corrections(corrections[::-1]), edges, running.now())


def reversed_roles(roles: Roles, weights: Wide, final: Wide) -> Roles:
    """The adjoint's recurrence, in reversed time: keys are the queries, values the scaled weights of outputs,
    and corrections are transposed.
    """
    back = {name: np.flip(getattr(roles, name), 1) for name in ("decay", "logarithms", "roundings")}
    made = replace(
        roles,
        query=np.flip(roles.key, 1),
        key=np.flip(roles.query, 1),
        value=np.flip(roles.scale * weights, 1),
        start=final,
        beta=None,
        bonus=None,
        product_roundings=roles.product_roundings and 2,
        **back,
    )
    if not roles.corrected:
        return made
    assert roles.growth is not None
    if roles.beta is not None:
        # (I - beta k k^T) diag(d), transposed: diag(d) - (beta d k) k^T
        a, b = roles.key, -roles.beta[..., None] * roles.decay * roles.key
        more = 3 + np.max(roles.roundings, axis=-1, initial=0.0)
    else:
        a, b, more = roles.b, roles.a, np.zeros(roles.growth.shape)
    parts: dict[str, Any] = {"a": a, "b": b, "growth": roles.growth, "b_roundings": more}
    return replace(made, **{name: np.flip(part, 1) for name, part in parts.items()})


def _stacked(snapshots: Sequence[Snapshot]) -> Snapshot:
    if not snapshots:
        nothing = np.zeros((0, 1, 1, 1, 1))
        return Snapshot(nothing, nothing, nothing)
    return Snapshot(
        *(np.stack([getattr(one, name) for one in snapshots]) for name in ("value", "error", "size"))
    )


def _corrections(steps: Sequence[tuple[Wide, Bounds] | None]) -> tuple[Wide, Bounds] | None:
    known = [step for step in steps if step is not None]
    if not known:
        return None
    return np.stack([value for value, _ in known]), np.stack([bound for _, bound in known])
