"""Uniform Dyck paths with a given maximum height, which represent balanced parentheses of that depth.

>>> rng = np.random.default_rng(0)
>>> drawn = {"".join("()"[step] for step in dyck_paths([(2, 3)], rng)[0]) for _ in range(99)}
>>> len(drawn), "(())()" in drawn, "()()()" in drawn  # of depth 2 with 3 pairs there are 3
(3, True, False)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Steps = NDArray[np.uint8]


def dyck_paths(sizes: Sequence[tuple[int, int]], rng: np.random.Generator) -> list[Steps]:
    """Draw a path for each size; 0 is a step up, an opening bracket, and 1 is a step down.

    Args:
        sizes: the maximum height of each path, at least 1, and its number of steps up, at least the height.
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
    """Draw paths of one height at once; a step's probability is proportional to its number of completions."""
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
    """Count the completions of a path for each state, shape ``(longest + 1, most + 3, 2)``.

    The axes are the number of remaining steps, the height plus one (-1 and ``most`` + 1 are included, with no
    completion), and whether the path has reached the maximum height. Each number of steps has its own scale.
    """
    ways = np.zeros((longest + 1, most + 3, 2))
    ways[0, 1, 1] = 1
    for left in range(1, longest + 1):
        before = ways[left - 1]
        ways[left, 1:-1] = before[2:] + before[:-2]
        ways[left, most, 0] = before[most + 1, 1] + before[most - 1, 0]  # the step up is to the top
        ways[left] /= ways[left].max()
    return ways
