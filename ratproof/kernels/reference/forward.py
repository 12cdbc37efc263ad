"""The recurrence: outputs and final states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratproof.kernels.problem import Problem
from ratproof.kernels.reference.form import OUTWARD, Arithmetic, Bounds, Form, Wide
from ratproof.kernels.reference.roles import Arrays, Roles, groups, roles_of
from ratproof.kernels.reference.running import Running, Snapshot


@dataclass
class Result:
    """Outputs, shape ``(B, T, H, V)``, and final states, ``(N, H, K, V)``, each with its bound; of families
    of lanes in the same shapes, with H for the lanes and K = V = 1.
    """

    outputs: Wide
    output_bounds: Bounds
    states: Wide
    state_bounds: Bounds


def run(problem: Problem, arrays: Arrays, form: Form) -> Result:
    """The recurrence, for all strings of a problem."""
    keys, values = (1, 1) if problem.family.lanes else (problem.keys, problem.values)
    outputs = np.zeros((problem.batch, problem.time, problem.heads, values), np.longdouble)
    states = np.zeros((problem.rows, problem.heads, keys, values), np.longdouble)
    result = Result(outputs, np.zeros(outputs.shape), states, np.zeros(states.shape))
    arithmetic = Arithmetic.of(problem.accumulation)
    for group in groups(problem):
        roles = roles_of(problem, arrays, group)
        running = Running(roles, form, arithmetic)
        steps = [step(running, t) for t in range(roles.time)]
        if steps:
            made, bounds = (np.stack(parts, 1) for parts in zip(*steps, strict=True))
            result.outputs[group.rows, group.tokens] = made
            result.output_bounds[group.rows, group.tokens] = bounds * OUTWARD
        last = running.now()
        result.states[group.states] = last.value
        result.state_bounds[group.states] = (last.error + arithmetic.smallest) * OUTWARD
    return result


def step(running: Running, t: int) -> tuple[Wide, Bounds]:
    """Outputs and their bounds at a token, shapes ``(N, H, V)``."""
    enter(running, t)
    if running.roles.bonus is None:
        running.update(t)
        return _output(running, t, running.now())
    result = _output(running, t, _with_bonus(running, t))
    running.update(t)
    return result


def enter(running: Running, t: int) -> None:
    """Begin a chunk at a token where one begins."""
    chunk = running.form.chunk
    if chunk is not None and t % chunk == 0:
        running.begin_chunk(t, min(t + chunk, running.roles.time))


def _with_bonus(running: Running, t: int) -> Snapshot:
    """The state with (u * k) v^T."""
    roles, now = running.roles, running.now()
    assert roles.bonus is not None
    added = (roles.bonus * roles.key[:, t])[..., None] * roles.value[:, t][..., None, :]
    size = np.abs(added).astype(float)
    return Snapshot(now.value + added, now.error + 3 * running.u * size, now.size + size)


def _output(running: Running, t: int, read: Snapshot) -> tuple[Wide, Bounds]:
    """o = scale S^T q."""
    roles, scale = running.roles, running.roles.scale
    value = scale * np.einsum("nhk,nhkv->nhv", roles.query[:, t], read.value)
    if not roles.product_roundings:  # the output is the state
        return value, read.error[..., 0, :] + running.smallest
    terms = roles.keys + (5 if running.form.chunk is None else 4)
    bound = along_keys(roles, roles.query[:, t], read, running.u * terms)
    return value, abs(scale) * bound + 2 * roles.keys * running.smallest


def along_keys(roles: Roles, vectors: Wide, read: Snapshot, roundings: float) -> Bounds:
    """A bound on the error of a product S^T q, whose sum rounds so often; axes but H, K and V at will."""
    q = np.abs(vectors).astype(float)
    own = roundings * np.einsum("...k,...kv->...v", q, read.size)
    if read.error.shape[-2] == 1 and roles.keys > 1:
        return np.asarray(own + np.linalg.norm(q, axis=-1)[..., None] * read.error[..., 0, :])
    return np.asarray(own + np.einsum("...k,...kv->...v", q, read.error))
