"""The batches of an epoch: they depend on the seed and the epoch only, so a run can resume at any of them.

>>> import torch
>>> [batch.tolist() for batch in batches(torch.tensor([3, 1, 2, 9, 5]), 2, seed=0, epoch=1)]
[[3, 4], [0, 2], [1]]
"""

from __future__ import annotations

import torch
from torch import Tensor

from training.engine.seeds import mixed

POOL = 20
"""Number of batches whose examples are sorted by length together, so a batch has similar lengths."""


def batches(lengths: Tensor, size: int, seed: int, epoch: int) -> list[Tensor]:
    """Return every example once, in batches of ``size``; the last may be smaller.

    Args:
        lengths: of the examples, shape ``(N,)``.
        size: of a batch.
        seed: of the run.
        epoch: its number.

    Returns:
        Positions of examples; in each batch the longest first.
    """
    generator = torch.Generator().manual_seed(mixed(seed, 1, epoch))
    order = torch.randperm(len(lengths), generator=generator)
    groups: list[Tensor] = []
    for pool in torch.split(order, size * POOL):
        like = pool[lengths[pool].argsort(descending=True, stable=True)]
        groups += torch.split(like, size)
    return [groups[i] for i in torch.randperm(len(groups), generator=generator).tolist()]


def share_of(batch: Tensor, rank: int, processes: int) -> Tensor:
    """Return the examples of a batch that one of several processes computes; possibly none."""
    return batch[rank::processes]
