"""Comparison of the outputs of the two ways in which a law runs a model.

A difference is rounding, a refutation of the law, or too small to decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from ratproof.evidence.ledger import AS_LARGE, ledger
from ratproof.evidence.subjects import STATED
from ratproof.laws.models.counterexample import BrokenLaw, StatefulCounterexample
from ratproof.laws.models.declared import ModelFormat
from ratproof.laws.models.laws import Law, Rows, Way
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.repeatability import MANY, Repeated, repeated
from ratproof.laws.models.session import Session, Unequal, Unusable

RUNS, TIMES = 12, 8
"""The number of perturbed runs, and the multiple of their largest change that counts as rounding."""
REFUTES, REFUTES_IN_FLOAT64 = 1e-3, 1e-6
"""Share of the results' size above which a difference that rounding does not explain refutes the law.

The second value is for float64.
"""
SMALL = 1e-3
"""Minimum size to which the error of a gradient is relative, as a share of the largest gradient's size."""
MOST_SHOWN = 200
"""Maximum number of inputs in a counterexample."""


@dataclass(frozen=True)
class Doubt:
    """A difference that exceeds the measured rounding but is too small to refute the law."""

    sentence: str


def compare(law: Law, format_: ModelFormat, problem: StatefulProblem) -> Doubt | None:
    """Run both ways of a law on one case, and count the case in the ledger if they agree.

    Returns:
        A doubt, if the difference is neither rounding nor a refutation; otherwise ``None``.

    Raises:
        BrokenLaw: If the two ways differ.
        Unusable: If nothing can be compared.
    """
    session = format_.session(problem)
    plain = law.plain(session)
    against = format_.session(problem)
    other = law.other(against)
    one, two = _joined(plain), _joined(other)
    _require_numbers(session, one, two)
    sizes = _sizes(law, plain)
    errors = (one - two).abs() / sizes
    errors[one == two] = 0.0  # infinities that are equal
    largest = float(errors.max())
    refutes = _refutes(law, format_, problem, (one, two), largest)
    again = partial(_repeated, law, format_, problem, one, refutes * sizes)
    if not largest <= refutes:
        _require_repeatable(again(1), law, format_, problem, (plain, other), ~(errors <= refutes))
    rounding = _rounding(law, format_, problem, (one, two), sizes, largest)
    if largest <= rounding:
        if _count(format_, largest):
            calls = max(session.calls, against.calls)
            ledger().note_sizes({"tokens": problem.time, "rows": problem.batch, "calls": calls})
        return None
    if largest <= refutes:
        return Doubt(_doubt(law, problem, largest, rounding))
    wrong = ~(errors <= max(rounding, refutes))
    _require_repeatable(again(MANY), law, format_, problem, (plain, other), wrong)
    explained = rounding * float(sizes[wrong.nonzero()[0, 0]])
    raise BrokenLaw(_counterexample(law, format_, problem, (plain, other), wrong, explained), problem)


def _refutes(
    law: Law, format_: ModelFormat, problem: StatefulProblem, results: tuple[Tensor, Tensor], errors: float
) -> float:
    """Return the smallest difference, relative to the results' size, that refutes the law.

    The difference is smaller for float64, unless operators of the reference way round to a narrower dtype and
    this changes the results. In a copy of the model, operators of either way may round to the original dtype.
    """
    if not format_.wide:
        return REFUTES
    if errors <= REFUTES_IN_FLOAT64:
        return REFUTES_IN_FLOAT64
    plain, other = results
    narrow = _changes(law.plain, format_.with_narrow_rounding(problem, 0), plain)
    if format_.original != format_.dtype and not narrow.any():
        narrow = _changes(law.other, format_.with_original_rounding(problem, 0), other)
    return REFUTES if bool(narrow.any()) else REFUTES_IN_FLOAT64


def _changes(way: Way, session: Session, before: Tensor) -> Tensor:
    """Return how much each value of a perturbed run differs from ``before``; 0 if it is not finite."""
    changes = (_joined(way(session)) - before).abs()
    return torch.where(changes.isfinite(), changes, 0.0)


def _require_repeatable(
    repetition: Repeated,
    law: Law,
    format_: ModelFormat,
    problem: StatefulProblem,
    results: tuple[Rows, Rows],
    wrong: Tensor,
) -> None:
    """Raise an error if the model is not deterministic, because its rounding cannot be measured."""
    if repetition is Repeated.UNEQUAL and law.kind == "reuse":
        raise BrokenLaw(_counterexample(law, format_, problem, results, wrong, None), problem)
    if repetition is not Repeated.SAME:
        raise Unequal(f"for {problem.says()}: {repetition.value}")


def _repeated(
    law: Law, format_: ModelFormat, problem: StatefulProblem, before: Tensor, allowed: Tensor, times: int
) -> Repeated:
    """Run the law's reference way again, and classify how its outputs differ from ``before``."""
    return repeated(lambda: _joined(law.plain(format_.session(problem))), before, allowed, times)


def _rounding(
    law: Law,
    format_: ModelFormat,
    problem: StatefulProblem,
    results: tuple[Tensor, Tensor],
    sizes: Tensor,
    errors: float,
) -> float:
    """Return the largest difference that rounding explains, relative to the results' size.

    It is a multiple of the largest change of a result in perturbed runs. The runs stop when it reaches
    ``errors``, the largest difference between the law's two ways.
    """
    largest = 0.0
    for changes in _perturbed_runs(law, format_, problem, *results):
        largest = max(largest, float((changes / sizes).max()))
        if errors <= TIMES * largest:
            break
    return TIMES * largest


def _perturbed_runs(
    law: Law, format_: ModelFormat, problem: StatefulProblem, plain: Tensor, other: Tensor
) -> Iterator[Tensor]:
    """Yield the changes of each value in perturbed runs.

    These are runs of the reference way. If a copy of the model rounds values to the dtype of the original,
    they are followed by runs of the other way, in which only such values are perturbed.
    """
    for seed in range(RUNS):
        with format_.perturbed(problem, seed) as session:
            changes = _changes(law.plain, session, plain)
        yield changes
    for seed in range(RUNS if format_.original != format_.dtype else 0):
        changes = _changes(law.other, format_.with_original_rounding(problem, seed), other)
        if not changes.any():
            return
        yield changes


def _joined(rows: Rows) -> Tensor:
    """Return the values of all rows, concatenated in float64."""
    return torch.cat([row.double().reshape(-1) for row in rows])


def _sizes(law: Law, plain: Rows) -> Tensor:
    """Return the size to which each value's error is relative.

    It is the root mean square of all outputs or, for a gradient, of the gradient of the same tensor.
    """
    parts = [_joined([row]) for row in plain]
    if law.names is None:
        return _size(torch.cat(parts)).expand(sum(len(part) for part in parts))
    each = [_size(part) for part in parts]
    least = SMALL * torch.stack(each).max()  # a gradient whose terms cancel consists only of rounding errors
    return torch.cat([size.clamp(min=least).expand(len(x)) for size, x in zip(each, parts, strict=True)])


def _size(numbers: Tensor) -> Tensor:
    """Return the root mean square of the finite values, or the smallest normal number if it is less."""
    finite = numbers[numbers.isfinite()]
    smallest = torch.finfo(torch.float64).tiny
    return finite.square().mean().sqrt().clamp(min=smallest) if finite.numel() else torch.tensor(smallest)


def _require_numbers(session: Session, one: Tensor, two: Tensor) -> None:
    """Raise :class:`~ratproof.laws.models.session.Unusable` if there is nothing to compare."""
    where = f"for {session.problem.says()}"
    if not one.numel():
        raise Unusable(f"{where}: the outputs must not be empty")
    if one.shape != two.shape:
        raise Unusable(
            f"{where}: the two ways must give outputs of the same size, got {one.numel()} and"
            f" {two.numel()} elements"
        )
    both = one.isnan() & two.isnan()
    if both.any():
        raise Unusable(f"{where}: {int(both.sum())} of {one.numel()} outputs are NaN in both runs")


def _count(format_: ModelFormat, share: float) -> bool:
    """Count a case in the ledger, and record the largest rounding error relative to the results' size.

    Return whether the case was counted. It is not counted if the rounding is as large as the results.
    """
    current_ledger = ledger()
    if share > 1:
        current_ledger.leave_out(AS_LARGE)
        return False
    shares = current_ledger.facts.setdefault("rounding", {})
    shares[format_.name] = max(share, shares.get(format_.name, 0.0))
    current_ledger.add(1)
    return True


def _doubt(law: Law, problem: StatefulProblem, share: float, rounding: float) -> str:
    other, plain = law.words(problem, 0)
    explained = f"{rounding:.1g} of it" if rounding else "nothing: no perturbation changed a result"
    return (
        f"for {problem.says()}: {other} and {plain} differ by {share:.1g} of the results' size, but the"
        f" measured rounding explains {explained}, so the difference is too small to refute the claim"
    )


def _counterexample(
    law: Law,
    format_: ModelFormat,
    problem: StatefulProblem,
    results: tuple[Rows, Rows],
    wrong: Tensor,
    rounding: float | None,
) -> StatefulCounterexample:
    plain, other = results
    row, index = _first(plain, wrong, law.names is not None)
    if law.names is None:
        token = problem.position(row, index[0], len(plain[row]))
        position = f"outputs[{', '.join(map(str, (row, token, *index[1:])))}]"
    else:
        name = law.names(format_.session(problem))[row]
        position = f"{name}.grad[{', '.join(map(str, index))}]"
    other_way, plain_way = law.words(problem, row)
    if law.kind not in ("pieces", "gradient") and len(problem.pieces) > 1:
        other_way += f", {problem.cut()}"
    inputs = format_.session(problem).tokens()
    return StatefulCounterexample(
        claim=format_.declared.name,
        variant=STATED,
        law=law.kind,
        problem=problem.says(),
        position=position,
        other=_text(other[row][index]),
        plain=_text(plain[row][index]),
        other_way=other_way,
        plain_way=plain_way,
        rounding=_explained(rounding),
        inputs=inputs.tolist() if inputs.numel() <= MOST_SHOWN else [],
        seed=problem.seed,
        sizes=problem.simplicity,
        case=repr(problem),
    )


def _first(rows: Rows, wrong: Tensor, in_order: bool) -> tuple[int, tuple[int, ...]]:
    """Return the row of the earliest token with a wrong element, and the index of that element in the row.

    For gradients, a row is the gradient of one tensor. The first row with a wrong element is then returned.
    """
    marked = torch.split(wrong, [row.numel() for row in rows])
    indices = []
    for number, (row, marks) in enumerate(zip(rows, marked, strict=True)):
        for index in marks.reshape(row.shape).nonzero()[:1].tolist():
            indices.append((0 if in_order else index[0] - len(row), number, tuple(index)))
    _, number, index = min(indices)
    return number, index


def _explained(rounding: float | None) -> str:
    if rounding is None:
        return ""
    return f"{rounding:.0e}" if rounding else "0"


def _text(value: Tensor) -> str:
    return f"{float(value):.6g}" if value.dtype != torch.float64 else repr(float(value))
