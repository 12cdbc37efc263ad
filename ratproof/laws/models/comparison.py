"""One case of a law: the two ways are run, and a difference is rounding, a refutation, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from ratproof.evidence.ledger import AS_LARGE, ledger
from ratproof.evidence.subjects import BELIEVED
from ratproof.laws.models.counterexample import BrokenLaw, StatefulCounterexample
from ratproof.laws.models.declared import ModelFormat
from ratproof.laws.models.laws import Law, Rows
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.repeatability import MANY, Repeated, repeated
from ratproof.laws.models.session import Session, Unequal, Unusable

RUNS, TIMES = 12, 8
"""How often a perturbed program runs, and which multiple of the largest change is rounding."""
REFUTES, REFUTES_IN_FLOAT64 = 1e-3, 1e-6
"""The share of the results' size that refutes if rounding does not explain it."""
MOST_SHOWN = 200
"""Numbers of inputs in a counterexample."""


@dataclass(frozen=True)
class Doubt:
    """A difference that is more than the measured rounding, and too small to refute."""

    sentence: str


def compare(law: Law, format_: ModelFormat, problem: StatefulProblem) -> Doubt | None:
    """Run a case; the ledger counts it where the two ways agree.

    Returns:
        A doubt, where the two ways neither agree nor refute.

    Raises:
        BrokenLaw: they differ.
        Unusable: nothing can be compared.
    """
    session = format_.session(problem)
    plain = law.plain(session)
    against = format_.session(problem)
    other = law.other(against)
    one, two = _joined(plain), _joined(other)
    _require_numbers(session, one, two)
    apart = (one - two).abs()
    apart[one == two] = 0.0  # infinities that are equal
    largest, size = float(apart.max()), _size(one)
    refutes = _refutes(law, format_, problem, one, largest)
    again = partial(_repeated, law, format_, problem, one, refutes)
    if not largest <= refutes:
        _require_repeatable(again(1), law, format_, problem, (plain, other), ~(apart <= refutes))
    rounding = _rounding(law, format_, problem, one, largest)
    if largest <= rounding:
        if _count(format_, largest, size):
            calls = max(session.calls, against.calls)
            ledger().note_sizes({"tokens": problem.time, "rows": problem.batch, "calls": calls})
        return None
    if largest <= refutes:
        return Doubt(_doubt(law, problem, largest / size, rounding / size))
    wrong = ~(apart <= max(rounding, refutes))
    _require_repeatable(again(MANY), law, format_, problem, (plain, other), wrong)
    raise BrokenLaw(_counterexample(law, format_, problem, (plain, other), wrong, rounding), problem)


def _refutes(law: Law, format_: ModelFormat, problem: StatefulProblem, plain: Tensor, apart: float) -> float:
    """Return the difference that refutes if rounding does not explain it: a smaller one in float64, unless an
    operator of the plain way rounds to a narrower format and its rounding reaches the results.
    """
    size = _size(plain)
    if not format_.wide:
        return REFUTES * size
    if apart <= REFUTES_IN_FLOAT64 * size:
        return REFUTES_IN_FLOAT64 * size
    changed = _joined(law.plain(format_.with_narrow_rounding(problem, 0)))
    same = (changed == plain) | (changed.isnan() & plain.isnan())
    return (REFUTES_IN_FLOAT64 if bool(same.all()) else REFUTES) * size


def _require_repeatable(
    found: Repeated,
    law: Law,
    format_: ModelFormat,
    problem: StatefulProblem,
    results: tuple[Rows, Rows],
    wrong: Tensor,
) -> None:
    """Raise what is to be said of a model that differs from itself; its runs measure no rounding."""
    if found is Repeated.UNEQUAL and law.kind == "reuse":
        raise BrokenLaw(_counterexample(law, format_, problem, results, wrong, None), problem)
    if found is not Repeated.SAME:
        raise Unequal(f"for {problem.says()}: {found.value}")


def _repeated(
    law: Law, format_: ModelFormat, problem: StatefulProblem, before: Tensor, allowed: float, times: int
) -> Repeated:
    """Ask in the plain way again."""
    return repeated(lambda: _joined(law.plain(format_.session(problem))), before, allowed, times)


def _rounding(law: Law, format_: ModelFormat, problem: StatefulProblem, plain: Tensor, apart: float) -> float:
    """So many times the largest change of the plain way among a dozen runs on perturbed numbers, or among the
    first of them, where that explains the difference already.
    """
    largest = 0.0
    for seed in range(RUNS):
        if apart <= TIMES * largest:
            break
        changed = _joined(law.plain(format_.perturbed(problem, seed)))
        change = (changed - plain).abs()
        finite = change[change.isfinite()]
        largest = max(largest, float(finite.max()) if finite.numel() else 0.0)
    return TIMES * largest


def _joined(rows: Rows) -> Tensor:
    """All numbers, of all rows."""
    return torch.cat([row.double().reshape(-1) for row in rows])


def _size(numbers: Tensor) -> float:
    """The root mean square."""
    finite = numbers[numbers.isfinite()]
    return float(finite.square().mean().sqrt()) if finite.numel() else 0.0


def _require_numbers(session: Session, one: Tensor, two: Tensor) -> None:
    """Raise :class:`~ratproof.laws.models.session.Unusable` where there is nothing to compare."""
    where = f"for {session.problem.says()}"
    if not one.numel():
        raise Unusable(f"{where}: the outputs have no numbers")
    if one.shape != two.shape:
        raise Unusable(
            f"{where}: the outputs have {one.numel()} numbers one way, and {two.numel()} the other"
        )
    both = one.isnan() & two.isnan()
    if both.any():
        raise Unusable(f"{where}: {int(both.sum())} of {one.numel()} outputs are nan in both ways")


def _count(format_: ModelFormat, apart: float, size: float) -> bool:
    """Write a case into the ledger, and the largest share of the results' size that was rounding. Return
    whether it is a case: it is none if the rounding is as large as the results.
    """
    book = ledger()
    if apart > size:
        book.leave_out(AS_LARGE)
        return False
    share = apart / size if size else 0.0
    shares = book.facts.setdefault("rounding", {})
    shares[format_.name] = max(share, shares.get(format_.name, 0.0))
    book.add(1)
    return True


def _doubt(law: Law, problem: StatefulProblem, share: float, rounding: float) -> str:
    other, plain = law.words(problem, 0)
    explained = f"{rounding:.1g} of it" if rounding else "nothing: no perturbation changed a result"
    return (
        f"for {problem.says()}: {other} and {plain} differ by {share:.1g} of the results' size, where the"
        f" measured rounding explains {explained}, and that is too little to refute"
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
    row, index = _first(plain, wrong)
    token = problem.position(row, index[0], len(plain[row]))
    other_way, plain_way = law.words(problem, row)
    if law.kind != "pieces" and len(problem.pieces) > 1:
        other_way += f", {problem.cut()}"
    inputs = format_.session(problem).tokens()
    return StatefulCounterexample(
        claim=format_.declared.name,
        variant=BELIEVED,
        law=law.kind,
        problem=problem.says(),
        place=f"outputs[{', '.join(map(str, (row, token, *index[1:])))}]",
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


def _first(rows: Rows, wrong: Tensor) -> tuple[int, tuple[int, ...]]:
    """The row and the place in it of the earliest token with a wrong number."""
    marked = torch.split(wrong, [row.numel() for row in rows])
    places = []
    for number, (row, marks) in enumerate(zip(rows, marked, strict=True)):
        for place in marks.reshape(row.shape).nonzero()[:1].tolist():
            places.append((place[0] - len(row), number, tuple(place)))
    _, number, place = min(places)
    return number, place


def _explained(rounding: float | None) -> str:
    if rounding is None:
        return ""
    return f"{rounding:.0e}" if rounding else "0"


def _text(value: Tensor) -> str:
    return f"{float(value):.6g}" if value.dtype != torch.float64 else repr(float(value))
