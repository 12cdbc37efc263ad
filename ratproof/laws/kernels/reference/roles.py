"""A call's tensors in the roles that they have in the recurrence, for strings of equal length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.reference.form import Bounds, Wide, wider_than

Arrays = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Group:
    """Strings of equal length: which states they have, and where their tokens are in the tensors."""

    states: list[int]
    rows: slice
    tokens: slice


def groups(problem: Problem) -> Iterator[Group]:
    """All rows of a batch at once, or each packed sequence by itself."""
    if not problem.packed:
        yield Group(list(range(problem.batch)), slice(None), slice(0, problem.time))
        return
    for place, (_, begin, end) in enumerate(problem.spans()):
        yield Group([place], slice(0, 1), slice(begin, end))


@dataclass(frozen=True)
class Roles:
    """S <- diag(d) S, corrected along one direction, + k v^T; o = scale S^T q.

    Attributes:
        query, key: shape ``(N, T, H, K)``.
        value: shape ``(N, T, H, V)``.
        decay: d, shape ``(N, T, H, K)``, or ``(N, T, H, 1)`` for one of all keys.
        logarithms: of the decays, as the kernel has them; of the same shape.
        roundings: of a product with a decay, units of rounding.
        start: the state before the first token, shape ``(N, H, K, V)``.
        scale: of the outputs.
        beta: of the delta rule, shape ``(N, T, H)``.
        a, b: of a correction S <- diag(d) S + b (S^T a)^T, of the shape of keys.
        growth: by how much a step stretches a column at most, shape ``(N, T, H)``, where it corrects.
        b_roundings: of b, which a kernel has only as a product; units of rounding, as ``growth``.
        bonus: u, shape ``(H, K)``, where the state is read before its update.
        product_roundings: of an element of k v^T; none where keys are ones.
        own_value: of a state-space layer: the values without the time steps.
        step: those, shape ``(N, T, H)``, with which ``value`` is multiplied already.
        rate: its rates, shape ``(H, K)`` or ``(H, 1)``.
        more_roundings: of a decay's logarithm and of what is added, besides the usual ones.
    """

    query: Wide
    key: Wide
    value: Wide
    decay: Wide
    logarithms: Bounds
    roundings: Bounds
    start: Wide
    scale: float
    beta: Bounds | None = None
    a: Wide = None
    b: Wide = None
    growth: Bounds | None = None
    b_roundings: Bounds | None = None
    bonus: Bounds | None = None
    product_roundings: int = 1
    own_value: Wide = None
    step: Bounds | None = None
    rate: Bounds | None = None
    more_roundings: int = 0

    @property
    def corrected(self) -> bool:
        """Does a step correct the state along a direction?"""
        return self.beta is not None or self.a is not None

    @property
    def time(self) -> int:
        """T."""
        return int(self.value.shape[1])

    @property
    def keys(self) -> int:
        """K."""
        return int(self.key.shape[-1])

    @property
    def values(self) -> int:
        """V."""
        return int(self.value.shape[-1])


def roles_of(problem: Problem, arrays: Arrays, group: Group) -> Roles:
    """The roles of a group's tensors."""
    family, lanes = problem.family, problem.family.lanes

    def cut(name: str) -> Any:
        array = numbers_of(problem, arrays[name][group.rows, group.tokens])
        return array[..., None] if lanes and not family.pairs else array

    value = cut(family.value)
    ones = np.ones((*value.shape[:3], 1), wider_than(problem.accumulation))
    shape = (problem.rows, problem.heads, *((1, 1) if lanes else (problem.keys, problem.values)))
    first = arrays.get("initial_state")
    start = numbers_of(problem, np.zeros(problem.state_shape) if first is None else first).reshape(shape)
    roles = Roles(
        query=cut(family.query) if family.query else ones,
        key=cut(family.key) if family.key else ones,
        value=value,
        **_decay(problem, arrays, group, ones),
        start=start[group.states],
        scale=problem.factor,
        bonus=arrays[family.bonus] if family.bonus else None,
        product_roundings=0 if lanes else 1,
    )
    if family.step:
        roles = _with_steps(roles, problem, arrays, group)
    if family.correction == "none":
        return roles
    if family.correction == "delta":
        beta = arrays["beta"][group.rows, group.tokens]
        change = np.abs(1 - beta * np.sum(roles.key**2, axis=-1))
        growth = np.max(np.abs(roles.decay), axis=-1) * np.maximum(1, change)
        return replace(roles, beta=beta, growth=growth.astype(float))
    a, b = cut("a"), cut("b")
    wide = np.broadcast_to(roles.decay, roles.key.shape).astype(float)
    step = wide[..., None] * np.eye(roles.keys) + b[..., None].astype(float) * a[..., None, :].astype(float)
    growth = np.linalg.norm(step, 2, axis=(-2, -1)) if step.size else np.zeros(step.shape[:3])
    return replace(roles, a=a, b=b, growth=growth, b_roundings=np.zeros(growth.shape))


def numbers_of(problem: Problem, array: Any) -> Wide:
    """The numbers in extended precision: complex ones, with one of them on the last axis, of pairs."""
    exact = np.asarray(array, wider_than(problem.accumulation))
    return exact[..., :1] + 1j * exact[..., 1:] if problem.family.pairs else exact


def parts(problem: Problem, array: Any) -> Any:
    """Back from that: a last axis of one complex number has its two parts, or what bounds both."""
    if not problem.family.pairs:
        return array
    return np.concatenate([array.real, array.imag if np.iscomplexobj(array) else array], -1)


def _with_steps(roles: Roles, problem: Problem, arrays: Arrays, group: Group) -> Roles:
    """Those of a state-space layer: each product with a time step is rounded once."""
    step = arrays[problem.family.step][group.rows, group.tokens]
    rate = arrays[problem.family.rate]
    rate = rate[:, None] if rate.ndim == 1 else rate
    logarithms = numbers_of(problem, step[..., None]) * rate
    with np.errstate(under="ignore"):
        decay = np.exp(logarithms)
    sizes = np.abs(logarithms).astype(float)
    return replace(
        roles,
        value=step[..., None] * roles.value,
        decay=decay,
        logarithms=-sizes,
        roundings=5 + 3 * sizes,
        product_roundings=2,
        own_value=roles.value,
        step=step,
        rate=rate,
        more_roundings=1,
    )


def _decay(problem: Problem, arrays: Arrays, group: Group, ones: Wide) -> dict[str, Any]:
    """Decays, their logarithms and roundings."""
    family = problem.family
    if family.fixed_decay:
        gamma = 1 - 2.0 ** (-5 - np.arange(problem.heads, dtype=np.float64))
        decay = np.broadcast_to(gamma[:, None], ones.shape).astype(ones.dtype)
        logarithms = np.log(decay).astype(np.float64)
        return {"decay": decay, "logarithms": logarithms, "roundings": 6 + 2 * np.abs(logarithms)}
    if family.factor:
        if family.pairs:  # the same for all tokens
            decay = np.broadcast_to(numbers_of(problem, arrays[family.factor]), ones.shape)
        else:
            decay = numbers_of(problem, arrays[family.factor][group.rows, group.tokens])[..., None]
        with np.errstate(divide="ignore"):
            logarithms = np.where(decay == 0, -np.inf, np.log(np.abs(decay)).astype(float))
        return {"decay": decay, "logarithms": logarithms, "roundings": np.ones(ones.shape)}
    if not family.decay:
        return {"decay": ones, "logarithms": np.zeros(ones.shape), "roundings": np.zeros(ones.shape)}
    gates = arrays[family.decay][group.rows, group.tokens]
    gates = gates[..., None] if gates.ndim == 3 else gates
    with np.errstate(under="ignore"):
        decay = np.exp(numbers_of(problem, gates))
    finite = np.where(np.isfinite(gates), np.abs(gates), 0)
    return {"decay": decay, "logarithms": gates, "roundings": 5 + 2 * finite}
