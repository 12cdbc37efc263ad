"""A call of a kernel against its recurrence: the share of the bound that is used, or the first number that is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratproof.evidence.ledger import NOTHING_COUNTED, ledger
from ratproof.laws.kernels.bounds import run
from ratproof.laws.kernels.bounds.rounding import USELESS, root_mean_square
from ratproof.laws.kernels.counterexample import ShownCall, WrongCall
from ratproof.laws.kernels.formats import FORMATS, rounded
from ratproof.laws.kernels.kernel import Arrays, Call, Kernel
from ratproof.laws.kernels.measured import hold_measured
from ratproof.laws.kernels.problem import Problem

Right = dict[str, tuple[Any, NDArray[np.float64]]]
UNDERFLOW = 2.0**20
"""Smallest normal numbers: a bound below that many says something of a result that is 0, too."""


@dataclass(frozen=True)
class Held:
    """Numbers that a kernel computed, beside the recurrence's.

    Attributes:
        name: as a counterexample has it: ``o``, ``final_state``, or ``q.grad``.
        computed: by the kernel.
        right: the recurrence's.
        bound: how far they may be apart.
    """

    name: str
    computed: NDArray[np.float64]
    right: Any
    bound: NDArray[np.float64]


def compare(kernel: Kernel, problem: Problem, arrays: Arrays, law: str = "", exactly: bool = False) -> Call:
    """Call a kernel, and hold it against its recurrence; the ledger counts what was compared.

    Args:
        kernel: what is called.
        problem: the call.
        arrays: its numbers.
        law: what a counterexample is to say besides.
        exactly: nothing rounds: the results must be equal.

    Raises :class:`~ratproof.laws.kernels.counterexample.WrongCall` where a number is wrong.
    """
    call, shown = kernel.call(problem, arrays), ShownCall(kernel, problem, arrays, law)
    if kernel.against is None:
        hold_call(shown, call, lambda own: recurrence(problem, arrays, own), exactly)
        return call
    other = kernel.other()
    hold_measured(shown, call, lambda arrays: other.call(problem, arrays))
    return call


def recurrence(problem: Problem, arrays: Arrays, kernel: Kernel) -> Right:
    """Return the recurrence's results, with the bounds of a kernel that computes as this one says."""
    result = run(problem, arrays, kernel.form)
    return {"o": (result.outputs, result.output_bounds), "final_state": (result.states, result.state_bounds)}


def hold_call(shown: ShownCall, call: Call, right: Callable[[Kernel], Right], exactly: bool = False) -> None:
    """Hold what a call gave against what is right.

    Args:
        shown: the call.
        call: what it gave.
        right: returns the right numbers, with the bounds of a kernel.
        exactly: nothing rounds: the results must be equal.
    """
    if call.changed is not None:
        raise shown.changed(call.changed)

    def under(kernel: Kernel) -> None:
        every = right(kernel)
        hold(shown, (Held(n, x, *every[n]) for n, x in call.results().items()), exactly)

    try:
        under(shown.kernel)
    except WrongCall as wrong:
        wrong.under = None if exactly else under
        raise


def hold(shown: ShownCall, pairs: Iterable[Held], exactly: bool = False) -> None:
    """Hold numbers against the recurrence's; a number whose bound says nothing is not counted."""
    numbers = counted = 0
    share = 0.0
    for held in pairs:
        computed = held.computed
        if not computed.size:
            continue
        right = np.asarray(held.right).reshape(computed.shape)
        bound = np.zeros(computed.shape) if exactly else held.bound.reshape(computed.shape)
        stored = FORMATS[shown.problem.format_of(held.name)]
        if stored.dtype != FORMATS[shown.problem.accumulation].dtype:  # a result is rounded once more
            if exactly:
                right = rounded(right, shown.problem.format_of(held.name))
            else:
                bound = bound + stored.unit * (np.abs(right).astype(float) + bound) + stored.smallest
        useful = bound <= max(USELESS * root_mean_square(right.astype(float)), UNDERFLOW * stored.smallest)
        useful &= np.abs(right).astype(float) + bound < stored.largest / 4
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            apart = np.abs(computed - right).astype(float)
            wrong = useful & ~(apart <= bound)
            used = np.where(apart == 0, 0.0, apart / bound)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise shown.wrong(held.name, place, computed[place], right[place], bound[place])
        numbers, counted = numbers + computed.size, counted + int(useful.sum())
        share = max(share, float(np.max(used[useful], initial=0.0)))
    _count(numbers, counted, None if exactly else share)


def _count(numbers: int, counted: int, share: float | None) -> None:
    """Write a call into the ledger: a case where a bound said something, or where there was nothing to
    compute.
    """
    book = ledger()
    before = book.facts.get("numbers", (0, 0))
    book.facts["numbers"] = (before[0] + counted, before[1] + numbers)
    if numbers and not counted:
        book.leave_out(NOTHING_COUNTED)
    else:
        book.add(1, share)
