"""Measurement of rounding: how much the compared values of a law change if a model is perturbed."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from ratproof.laws.models.declared import ModelFormat
from ratproof.laws.models.laws import Law, Rows, Way
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.session import Session

RUNS, TIMES = 12, 8
"""The number of perturbed runs, and the multiple of their largest change that counts as rounding."""
FIRST_RUNS = 3
"""The number of further runs, before these, in which the results of operators are not perturbed."""
SMALL = 1e-3
"""Minimum size to which the error of a gradient is relative, as a share of the largest gradient's size.

The same share of the size of small outputs is the minimum for outputs.
"""
SMALL_OUTPUTS = 0.1
"""Share of the outputs that are small."""


def joined(rows: Rows) -> Tensor:
    """Return the values of all rows, concatenated in float64."""
    return torch.cat([row.double().reshape(-1) for row in rows])


def last_places(rows: Rows) -> Tensor:
    """Return one unit in the last place of each value of all rows, or somewhat more."""
    return torch.cat([torch.finfo(row.dtype).eps * row.double().abs().reshape(-1) for row in rows])


def in_rows(values: Tensor, rows: Rows) -> Rows:
    """Return concatenated values in the shapes of the rows."""
    parts = torch.split(values, [row.numel() for row in rows])
    return [part.reshape(row.shape) for part, row in zip(parts, rows, strict=True)]


def changes(way: Way, session: Session, before: Tensor) -> Tensor:
    """Return how much each value of a perturbed run differs from ``before``; 0 if it is not finite."""
    difference = (joined(way(session)) - before).abs()
    return torch.where(difference.isfinite(), difference, 0.0)


def rounding(
    law: Law, format_: ModelFormat, problem: StatefulProblem, results: tuple[Rows, Rows], errors: Tensor
) -> Tensor:
    """Return the largest difference of each value that rounding explains.

    It is a multiple of the largest change, in perturbed runs, of the same feature of any output, or of the
    gradient of the same tensor. The runs stop when they explain all differences in ``errors``; equal results
    need no run.
    """
    features = _features(law, results[0])
    largest = torch.zeros(int(features.max()) + 1, dtype=torch.float64, device=errors.device)
    explained = largest[features]
    runs = _perturbed_runs(law, format_, problem, *map(joined, results))
    while not bool((errors <= explained).all()):
        change = next(runs, None)
        if change is None:
            break
        largest.scatter_reduce_(0, features, change, "amax")
        explained = TIMES * largest[features]
    return explained


def _features(law: Law, rows: Rows) -> Tensor:
    """Return the index of each value on the last axis of the outputs or, for gradients, of its tensor."""
    numbers = []
    for index, row in enumerate(rows):
        feature = torch.tensor(index) if law.names else torch.arange(row[0].shape[-1] if row.dim() > 1 else 1)
        numbers.append(feature.to(row.device).expand(row.shape).reshape(-1))
    return torch.cat(numbers)


def _perturbed_runs(
    law: Law, format_: ModelFormat, problem: StatefulProblem, plain: Tensor, other: Tensor
) -> Iterator[Tensor]:
    """Yield the changes of each value in perturbed runs.

    These are runs of the reference way. The first ones do not perturb the results of operators, which takes
    several times as long and is rarely necessary to explain the differences of a correct model. If a copy of
    the model rounds values to the dtype of the original, they are followed by runs of the other way, in which
    only such values are perturbed.
    """
    for operators, runs in ((False, FIRST_RUNS), (True, RUNS)):
        for seed in range(runs):
            with format_.perturbed(problem, seed, operators) as session:
                change = changes(law.plain, session, plain)
            yield change
    for seed in range(RUNS if format_.original != format_.dtype else 0):
        change = changes(law.other, format_.with_original_rounding(problem, seed), other)
        if not change.any():
            return
        yield change


def sizes(law: Law, plain: Rows, other: Rows) -> Tensor:
    """Return the size to which the error of each value is relative.

    It is the root mean square of the outputs that differ between the two ways, or of all outputs if none
    differ. Equal outputs may be much larger, such as the scores of unused tokens. For gradients, it is the
    root mean square of the gradient of the same tensor.
    """
    one, two = joined(plain), joined(other)
    if law.names is None:
        differs = one != two
        size = _size(torch.cat([one[differs], two[differs]]) if differs.any() else one)
        return size.clamp(min=SMALL * _size_of_small(one)).expand(len(one))
    each = [_size(joined([row])) for row in plain]
    least = SMALL * torch.stack(each).max()  # a gradient whose terms cancel consists only of rounding errors
    return torch.cat(
        [size.clamp(min=least).expand(row.numel()) for size, row in zip(each, plain, strict=True)]
    )


def _size(numbers: Tensor) -> Tensor:
    """Return the root mean square of the finite values, or the smallest normal number if it is less."""
    finite = numbers[numbers.isfinite()]
    smallest = torch.finfo(torch.float64).tiny
    return finite.square().mean().sqrt().clamp(min=smallest) if finite.numel() else torch.tensor(smallest)


def _size_of_small(numbers: Tensor) -> float:
    """Return the magnitude that a tenth of the finite values other than 0 do not exceed."""
    finite = numbers[numbers.isfinite() & (numbers != 0)].abs()
    return float(finite.kthvalue(1 + int(SMALL_OUTPUTS * (len(finite) - 1))).values) if len(finite) else 0.0
