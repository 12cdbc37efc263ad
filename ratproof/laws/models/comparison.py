"""Comparison of the outputs of the two ways in which a law runs a model.

A difference is rounding, a refutation of the law, or too small to decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from ratproof.evidence.ledger import AS_LARGE, CONSTANT, ledger
from ratproof.evidence.subjects import STATED
from ratproof.laws.models.counterexample import BrokenLaw, StatefulCounterexample
from ratproof.laws.models.declared import ModelFormat
from ratproof.laws.models.laws import Law, Rows
from ratproof.laws.models.measured import changes, in_rows, joined, last_places, rounding, sizes
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.repeatability import MANY, Repeated, repeated
from ratproof.laws.models.session import ModifiedInputs, Session, Unequal, Unusable

REFUTES, REFUTES_IN_FLOAT64 = 1e-3, 1e-6
"""Share of the results' size above which a difference that rounding does not explain refutes the law.

The second value is for float64.
"""
OTHERS = 8
"""Number of other inputs for which the outputs must not all be equal; few tokens are often drawn again."""
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
    session, against = format_.session(problem), format_.session(problem)
    try:
        plain, other = law.plain(session), law.other(against)
    except ModifiedInputs as modified:
        raise BrokenLaw(_modified(law, format_, problem, modified), problem) from None
    results = plain, other
    one, two = map(joined, results)
    _require_numbers(session, one, two)
    relative_to = sizes(law, plain, other)
    errors = (one - two).abs()
    errors[one == two] = 0.0  # infinities that are equal
    share = float((errors / relative_to).max())
    refutes = relative_to * _refutes(law, format_, problem, (one, two), share)
    again = partial(_repeated, law, format_, problem, one, refutes)
    if not bool((errors <= refutes).all()):
        _require_repeatable(again(1), law, format_, problem, results, ~(errors <= refutes))
    # perturbations of a few terms may all round to the same result, so its last rounding counts as measured
    last = torch.maximum(last_places(plain), last_places(other))
    errors = torch.where(errors <= torch.minimum(last, refutes), 0.0, errors)
    explained = rounding(law, format_, problem, results, errors)
    if bool((errors <= explained).all()):
        if not share and not _depends(law, format_, problem, plain):
            ledger().leave_out(CONSTANT)
        elif _count(format_, share):
            calls = max(session.calls, against.calls)
            ledger().note_sizes({"tokens": problem.time, "rows": problem.batch, "calls": calls})
        return None
    wrong = ~(errors <= torch.maximum(explained, refutes))
    if not wrong.any():
        return Doubt(_doubt(law, problem, errors, explained, relative_to))
    _require_repeatable(again(MANY), law, format_, problem, results, wrong)
    raise BrokenLaw(_counterexample(law, format_, problem, results, wrong, explained), problem)


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
    narrow = changes(law.plain, format_.with_narrow_rounding(problem, 0), plain)
    if format_.original != format_.dtype and not narrow.any():
        narrow = changes(law.other, format_.with_original_rounding(problem, 0), other)
    return REFUTES if bool(narrow.any()) else REFUTES_IN_FLOAT64


def _depends(law: Law, format_: ModelFormat, problem: StatefulProblem, plain: Rows) -> bool:
    """Return whether the outputs of the reference way depend on the inputs.

    Outputs that differ between tokens or rows are assumed to depend on them. Gradients always depend on the
    random weights of the outputs.
    """
    if law.names is not None or any(bool((row != plain[0][:1]).any()) for row in plain):
        return True
    before = joined(plain)
    seeds = range(problem.seed + 1, problem.seed + 1 + OTHERS)
    return any(
        not torch.equal(joined(law.plain(format_.session(replace(problem, seed=seed)))), before)
        for seed in seeds
    )


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
    return repeated(lambda: joined(law.plain(format_.session(problem))), before, allowed, times)


def _require_numbers(session: Session, one: Tensor, two: Tensor) -> None:
    """Raise :class:`~ratproof.laws.models.session.Unusable` if there is nothing to compare."""
    where = f"for {session.problem.says()}"
    if not one.numel():
        raise Unusable(f"{where}: the outputs must not be empty")
    if one.shape != two.shape:
        raise Unusable(
            f"{where}: both runs must give the same number of output elements, got {one.numel()} and"
            f" {two.numel()}"
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


def _doubt(law: Law, problem: StatefulProblem, errors: Tensor, explained: Tensor, size: Tensor) -> str:
    """Describe the largest difference that rounding does not explain."""
    other, plain = law.words(problem, 0)
    at = int(torch.where(errors <= explained, 0.0, errors / size).argmax())
    share, rounding = float(errors[at] / size[at]), float(explained[at] / size[at])
    words = f"{rounding:.1g} of it" if rounding else "nothing: no perturbation changed a result"
    return (
        f"for {problem.says()}: {other} and {plain} differ by {share:.1g} of the results' size, but the"
        f" measured rounding explains {words}, so the difference is too small to refute the claim"
    )


def _modified(
    law: Law, format_: ModelFormat, problem: StatefulProblem, modified: ModifiedInputs
) -> StatefulCounterexample:
    """Return the counterexample for a model that changes its inputs in place."""
    position = f"inputs[{', '.join(map(str, modified.index))}] of a call"
    values = _text(modified.after), _text(modified.before)
    return _shown(law, format_, problem, position, values, ("after it", "before it"), "0")


def _counterexample(
    law: Law,
    format_: ModelFormat,
    problem: StatefulProblem,
    results: tuple[Rows, Rows],
    wrong: Tensor,
    explained: Tensor | None,
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
    values = _text(other[row][index]), _text(plain[row][index])
    measured = _explained(None if explained is None else in_rows(explained, plain)[row][index])
    return _shown(law, format_, problem, position, values, (other_way, plain_way), measured)


def _shown(
    law: Law,
    format_: ModelFormat,
    problem: StatefulProblem,
    position: str,
    values: tuple[str, str],
    ways: tuple[str, str],
    rounding: str,
) -> StatefulCounterexample:
    inputs = format_.session(problem).tokens()
    return StatefulCounterexample(
        claim=format_.declared.name,
        variant=STATED,
        law=law.kind,
        problem=problem.says(),
        position=position,
        other=values[0],
        plain=values[1],
        other_way=ways[0],
        plain_way=ways[1],
        rounding=rounding,
        inputs=inputs.tolist() if inputs.numel() <= MOST_SHOWN else [],
        seed=problem.seed,
        sizes=problem.simplicity,
        case=repr(problem),
    )


def _first(rows: Rows, wrong: Tensor, in_order: bool) -> tuple[int, tuple[int, ...]]:
    """Return the row of the earliest token with a wrong element, and the index of that element in the row.

    For gradients, a row is the gradient of one tensor. The first row with a wrong element is then returned.
    """
    indices = []
    for number, (row, marks) in enumerate(zip(rows, in_rows(wrong, rows), strict=True)):
        for index in marks.nonzero()[:1].tolist():
            indices.append((0 if in_order else index[0] - len(row), number, tuple(index)))
    _, number, index = min(indices)
    return number, index


def _explained(rounding: Tensor | None) -> str:
    if rounding is None:
        return ""
    return f"{float(rounding):.0e}" if rounding else "0"


def _text(value: Tensor) -> str:
    return f"{float(value):.6g}" if value.dtype != torch.float64 else repr(float(value))
