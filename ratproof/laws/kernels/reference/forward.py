"""The recurrence: outputs and final states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.reference.adjoint import trajectory
from ratproof.laws.kernels.reference.course import by_token, size_of
from ratproof.laws.kernels.reference.form import OUTWARD, Arithmetic, Bounds, Form, Wide, wider_than
from ratproof.laws.kernels.reference.norms import norm
from ratproof.laws.kernels.reference.roles import Arrays, Roles, groups, parts, roles_of
from ratproof.laws.kernels.reference.running import Snapshot


@dataclass
class Result:
    """Outputs, shape ``(B, T, H, V)``, and final states, ``(N, H, K, V)``, each with its bound; of families
    of lanes in the same shapes, with H for the lanes and K = V = 1, or V = 2 for both parts of a complex
    number.
    """

    outputs: Wide
    output_bounds: Bounds
    states: Wide
    state_bounds: Bounds


def run(problem: Problem, arrays: Arrays, form: Form) -> Result:
    """The recurrence, for all strings of a problem."""
    keys, values = (1, 1) if problem.family.lanes else (problem.keys, problem.values)
    values = 2 if problem.family.pairs else values
    wide = wider_than(problem.accumulation)
    outputs = np.zeros((problem.batch, problem.time, problem.heads, values), wide)
    states = np.zeros((problem.rows, problem.heads, keys, values), wide)
    result = Result(outputs, np.zeros(outputs.shape), states, np.zeros(states.shape))
    arithmetic = Arithmetic.of(problem.accumulation, problem.family.pairs)
    for group in groups(problem):
        roles = roles_of(problem, arrays, group)
        made = trajectory(roles, form, arithmetic)
        if roles.time:
            read = made.after if roles.bonus is None else _with_bonus(roles, made.before, arithmetic)
            value, bound = _outputs(roles, read, form, arithmetic)
            value, bound = parts(problem, value), parts(problem, bound)
            result.outputs[group.rows, group.tokens] = np.moveaxis(value, 0, 1)
            result.output_bounds[group.rows, group.tokens] = np.moveaxis(bound, 0, 1) * OUTWARD
        result.states[group.states] = parts(problem, made.last.value)
        result.state_bounds[group.states] = (parts(problem, made.last.error) + arithmetic.smallest) * OUTWARD
    return result


def _with_bonus(roles: Roles, before: Snapshot, arithmetic: Arithmetic) -> Snapshot:
    """The states with (u * k) v^T."""
    assert roles.bonus is not None
    added = (roles.bonus * by_token(roles.key))[..., None] * by_token(roles.value)[..., None, :]
    size = size_of(added)
    return Snapshot(before.value + added, before.error + 3 * arithmetic.unit * size, before.size + size)


def _outputs(roles: Roles, read: Snapshot, form: Form, arithmetic: Arithmetic) -> tuple[Wide, Bounds]:
    """o = scale S^T q, and its bounds, shapes ``(T, N, H, V)``."""
    query, scale = by_token(roles.query), roles.scale
    value = scale * np.einsum("tnhk,tnhkv->tnhv", query, read.value)
    if not roles.product_roundings:  # the output is the state
        return value, read.error[..., 0, :] + arithmetic.smallest
    terms = roles.keys + (5 if form.chunk is None else 4)
    bound = along_keys(roles, query, read, arithmetic.unit * terms)
    return value, abs(scale) * bound + 2 * roles.keys * arithmetic.smallest


def along_keys(roles: Roles, vectors: Wide, read: Snapshot, roundings: float) -> Bounds:
    """A bound on the error of a product S^T q, whose sum rounds so often; axes but H, K and V at will."""
    q = np.abs(vectors).astype(float)
    own = roundings * np.einsum("...k,...kv->...v", q, read.size)
    if read.error.shape[-2] == 1 and roles.keys > 1:
        return np.asarray(own + norm(q)[..., None] * read.error[..., 0, :])
    return np.asarray(own + np.einsum("...k,...kv->...v", q, read.error))
