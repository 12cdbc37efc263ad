"""The corrections of all chunks of a string, those of equal length at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ratproof.laws.kernels.reference.corrections import solution
from ratproof.laws.kernels.reference.course import Course
from ratproof.laws.kernels.reference.cuts import Chunks, Whole
from ratproof.laws.kernels.reference.form import Bounds, Form
from ratproof.laws.kernels.reference.roles import Roles

MOST_PAIRS = 4_000_000
"""Numbers for pairs of tokens that are held at a time."""


@dataclass(frozen=True)
class Solutions:
    """Of all chunks, as :class:`~ratproof.laws.kernels.reference.corrections.Solution`, but of the shape
    ``(C, chunks, N, H, 1, V)``; ``roundings`` are those of a gradient, by chunk.
    """

    off: Bounds
    sizes: tuple[Bounds, Bounds] | None
    carried: Bounds
    carried_off: Bounds
    roundings: Bounds


def solutions(roles: Roles, course: Course, form: Form, chunks: Chunks, gates: Bounds) -> Solutions:
    """The corrections of all chunks, those of equal length at a time."""
    rows, heads, keys, values = roles.start.shape
    shape = (chunks.lengths.max(), len(chunks.lengths), rows, heads, 1, values)
    solved = 2 if form.inverse == "explicit" else 0
    off, carried, carried_off, *sizes = (np.zeros(shape) for _ in range(3 + solved))
    most = np.max(gates, axis=(1, 2, 3, 4), initial=0.0)
    more = roles.more_roundings
    terms = keys + 20 + more + (form.roundings() + 2 + more) * most
    for length in sorted(set(chunks.lengths.tolist())):
        alike = np.flatnonzero(chunks.lengths == length)
        slab = max(1, MOST_PAIRS // max(1, rows * heads * keys * length**2))
        for some in (alike[i : i + slab] for i in range(0, len(alike), slab)):
            steps = chunks.begins[some][:, None] + np.arange(length)

            def cut(array: Any, steps: Whole = steps) -> Any:
                if array is None:
                    return None
                tokens = np.moveaxis(array[:, steps], 1, 0)
                return tokens.reshape(-1, *tokens.shape[2:])

            names = ("key", "value", "decay", "beta", "a", "b")
            part = replace(roles, **{name: cut(getattr(roles, name)) for name in names})
            states = course.states[chunks.begins[some]].reshape(-1, heads, keys, values)
            made = solution(part, states, np.repeat(terms[some], rows), form.inverse, course.adds_first)
            arrays = (made.off, made.carried, made.carried_off, *(made.sizes or ()))
            for into, array in zip((off, carried, carried_off, *sizes), arrays, strict=True):
                by_chunk = array.reshape(len(some), rows, heads, length, -1)
                into[:length, some] = np.moveaxis(by_chunk, 3, 0)[:, :, :, :, None]
    pair = (sizes[0], sizes[1]) if sizes else None
    return Solutions(off, pair, carried[..., :1], carried_off[..., :1], 2 * (chunks.lengths + terms))
