"""The adjoint state D, what flows into the state from all outputs after it, and the trajectories of both.

Of L = sum(o * A) + sum(S_T * B), D is the same recurrence backwards: D_t = M_{t+1}^T D_{t+1} + scale q_t
A_t^T for the state after token t, from D_T = B on, where M is what a step multiplies the state by.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ratproof.laws.kernels.reference.chunks import in_chunks
from ratproof.laws.kernels.reference.course import course
from ratproof.laws.kernels.reference.form import Arithmetic, Form, Wide
from ratproof.laws.kernels.reference.roles import Roles
from ratproof.laws.kernels.reference.running import Trajectory, step_by_step


def trajectory(
    roles: Roles,
    form: Form,
    arithmetic: Arithmetic,
    adds_first: bool = False,
    backwards: bool = False,
    for_gradients: bool = False,
) -> Trajectory:
    """The states of the recurrence, and their errors; of the adjoint's, in reversed time. Sizes are those of
    states, or what the roundings of gradients are relative to.
    """
    states = course(roles, adds_first)
    if form.chunk is None or not roles.time:
        return step_by_step(roles, states, arithmetic)
    return in_chunks(roles, states, form, arithmetic, backwards, for_gradients)


def adjoint(roles: Roles, weights: Wide, final: Wide, form: Form, arithmetic: Arithmetic) -> Trajectory:
    """The adjoint states, by token.

    Args:
        roles: of the recurrence.
        weights: A, shape ``(N, T, H, V)``.
        final: B, shape ``(N, H, K, V)``.
        form: how the kernel computes.
        arithmetic: its format's.

    Returns:
        ``held``: D_t, what flows into the state that token t is read from or, where the state is read before
        its update, into the state after it; ``edges``: what flows into a chunk's last state from behind it,
        by that token; ``last``: the initial state's.
    """
    backwards = reversed_roles(roles, weights, final)
    adds_first = roles.bonus is None
    made = trajectory(backwards, form, arithmetic, adds_first, backwards=True, for_gradients=True)
    return _turned(made, roles.time)


def reversed_roles(roles: Roles, weights: Wide, final: Wide) -> Roles:
    """The adjoint's recurrence, in reversed time: keys are the queries, values the scaled weights of outputs,
    and corrections are transposed.
    """
    back = {name: np.flip(getattr(roles, name), 1) for name in ("logarithms", "roundings")}
    back["decay"] = np.conj(np.flip(roles.decay, 1))
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


def _turned(made: Trajectory, time: int) -> Trajectory:
    """Back from reversed time."""
    return Trajectory(
        made.before[::-1],
        made.held[::-1],
        made.after[::-1],
        made.last,
        None if made.corrections is None else made.corrections[::-1],
        {time - 1 - step: edge for step, edge in made.edges.items()},
        None if made.rougher is None else _turned(made.rougher, time),
    )
