"""Uniformly drawn Dyck paths with a given maximum height; they are balanced parentheses of this depth.

>>> rng = np.random.default_rng(0)
>>> drawn = {"".join("()"[step] for step in dyck_paths([(2, 3)], rng)[0]) for _ in range(99)}
>>> len(drawn), "(())()" in drawn, "()()()" in drawn  # there are 3 strings of depth 2 with 3 pairs
(3, True, False)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Steps = NDArray[np.uint8]


def dyck_paths(sizes: Sequence[tuple[int, int]], rng: np.random.Generator) -> list[Steps]:
    """Sample a random path for each size.

    A path is an array of 0 (a step up, an opening bracket) and 1 (a step down, a closing bracket).

    Args:
        sizes: for each path, its maximum height (at least 1) and its number of steps up (at least the
            height).
        rng: the random generator.
    """
    paths: list[Steps] = [np.zeros(0, np.uint8)] * len(sizes)
    for height in {height for height, _ in sizes}:
        own = [index for index, (other, _) in enumerate(sizes) if other == height]
        pairs = np.array([sizes[index][1] for index in own])
        for index, path in zip(own, _paths_of_height(height, pairs, rng), strict=True):
            paths[index] = path
    return paths


def _paths_of_height(most: int, pairs: NDArray[np.int64], rng: np.random.Generator) -> list[Steps]:
    """Draw all paths of one height; a step's probability is proportional to the number of its completions."""
    longest = 2 * int(pairs.max())
    ways = _ways(most, longest)
    heights, touched = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    steps = np.zeros((len(pairs), longest), np.uint8)
    chances = rng.random((longest, len(pairs)))
    for t in range(longest):
        left = np.maximum(2 * pairs - t, 1)  # after a path's end, the value has no effect
        up = ways[left - 1, heights + 2, np.maximum(touched, heights + 1 == most)]
        down = ways[left - 1, heights, touched]
        is_down = chances[t] * (up + down) >= up
        steps[:, t] = is_down
        heights = np.where(t < 2 * pairs, heights + np.where(is_down, -1, 1), 0)
        touched = np.maximum(touched, heights == most)
    return [row[: 2 * count] for row, count in zip(steps, pairs.tolist(), strict=True)]


def _ways(most: int, longest: int) -> NDArray[np.float64]:
    """Return the number of completions of a path in each state, shape ``(longest + 1, most + 3, 2)``.

    The axes are the number of remaining steps, the height plus 1, and whether the path has reached the
    maximum height. The heights -1 and ``most`` + 1 have no completions. The numbers are proportional to the
    counts, with a different factor for each number of remaining steps.
    """
    ways = np.zeros((longest + 1, most + 3, 2))
    ways[0, 1, 1] = 1
    for left in range(1, longest + 1):
        before = ways[left - 1]
        ways[left, 1:-1] = before[2:] + before[:-2]
        ways[left, most, 0] = before[most + 1, 1] + before[most - 1, 0]  # this step up reaches the top
        ways[left] /= ways[left].max()
    return ways
