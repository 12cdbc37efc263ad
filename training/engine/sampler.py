"""The batches of an epoch, which depend only on the seed and the epoch.

>>> import torch
>>> [batch.tolist() for batch in batches(torch.tensor([3, 1, 2, 9, 5]), 2, seed=0, epoch=1)]
[[3, 4], [0, 2], [1]]
"""

from __future__ import annotations

import torch
from torch import Tensor

from training.engine.seeds import mixed

POOL = 20
"""The number of batches that are sorted by length together, so that the lengths in a batch are similar."""


def batches(lengths: Tensor, size: int, seed: int, epoch: int) -> list[Tensor]:
    """Return all examples in batches of ``size``; the last batch may be smaller.

    Args:
        lengths: the lengths of the examples, shape ``(N,)``.
        size: the batch size.
        seed: the seed of the run.
        epoch: the number of the epoch.

    Returns:
        The indices of the examples in each batch, longest example first.
    """
    generator = torch.Generator().manual_seed(mixed(seed, 1, epoch))
    order = torch.randperm(len(lengths), generator=generator)
    groups: list[Tensor] = []
    for pool in torch.split(order, size * POOL):
        like = pool[lengths[pool].argsort(descending=True, stable=True)]
        groups += torch.split(like, size)
    return [groups[i] for i in torch.randperm(len(groups), generator=generator).tolist()]


def share_of(batch: Tensor, rank: int, processes: int) -> Tensor:
    """Return the part of a batch for the process ``rank`` of several processes; it may be empty."""
    return batch[rank::processes]
