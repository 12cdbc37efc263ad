"""Comparison of a kernel's call with its recurrence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from automata.errors import InputError
from ratproof.evidence.ledger import NOTHING_COUNTED, ledger
from ratproof.laws.kernels.bounds import gradients, run
from ratproof.laws.kernels.bounds.rounding import USELESS, KernelForm, root_mean_square
from ratproof.laws.kernels.bounds.two_parts import pair_results
from ratproof.laws.kernels.counterexample import ShownCall, WrongCall
from ratproof.laws.kernels.formats import FORMATS, rounded
from ratproof.laws.kernels.kernel import Call, Kernel
from ratproof.laws.kernels.measured import hold_measured
from ratproof.laws.kernels.naive import Arrays
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.stepwise import stepwise

Right = dict[str, tuple[Any, NDArray[np.float64]]]
UNDERFLOW = 2.0**20
"""A bound of at most this multiple of the smallest normal number is useful even for a result of 0."""


@dataclass(frozen=True)
class Held:
    """One result of a call, as a kernel computed it and as the recurrence requires.

    Attributes:
        name: The name of the result, such as ``o``, ``final_state`` or ``q.grad``.
        computed: The kernel's values.
        right: The recurrence's values.
        bound: The largest allowed difference.
    """

    name: str
    computed: NDArray[np.float64]
    right: Any
    bound: NDArray[np.float64]


def compare(kernel: Kernel, problem: Problem, arrays: Arrays, law: str = "", exactly: bool = False) -> Call:
    """Compare a call of a kernel with its recurrence, and count the case in the ledger.

    Args:
        kernel: The kernel that is called.
        problem: The call.
        arrays: The values of its arguments.
        law: The text that describes the law in a counterexample; empty for the recurrence itself.
        exactly: Whether the results must be equal, because nothing rounds.

    Raises:
        WrongCall: If an element is wrong.
    """
    call, shown = kernel.call(problem, arrays), ShownCall(kernel, problem, arrays, law)
    if kernel.against is None:
        # if nothing rounds, the form does not matter, and the bounds of a recurrent form take less time
        form = KernelForm() if exactly else None
        hold_call(
            shown, call, lambda own: recurrence(problem, arrays, replace(own, form=form or own.form)), exactly
        )
        return call
    other = kernel.other()
    hold_measured(shown, call, lambda arrays: other.call(problem, arrays))
    return call


def recurrence(problem: Problem, arrays: Arrays, kernel: Kernel, weights: Arrays | None = None) -> Right:
    """Return the exact results of a call, with error bounds for the kernel's declared form.

    The dict maps the name of each result to its values and its bounds. If there are ``weights`` for outputs
    and final states, the results include the gradients of the weighted sum.
    """
    form, cumulated = kernel.form, kernel.cumulated
    if kernel.family.layer:
        return pair_results(problem, arrays, form, weights, cumulated)
    if kernel.family.function is not None:
        return stepwise(problem, arrays, form, weights)
    result = run(problem, arrays, form)
    right = {"o": (result.outputs, result.output_bounds), "final_state": (result.states, result.state_bounds)}
    if weights is None:
        return right
    flows = gradients(problem, arrays, weights["o"], weights["final_state"], form, cumulated)
    return right | {f"{name}.grad": flow for name, flow in flows.items()}


def hold_call(shown: ShownCall, call: Call, right: Callable[[Kernel], Right], exactly: bool = False) -> None:
    """Compare the results of a call with the correct results.

    Args:
        shown: The call.
        call: Its results.
        right: A function that returns the correct values with the bounds for a kernel.
        exactly: Whether the results must be equal, because nothing rounds.
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
    """Compare values with those of the recurrence, except for elements whose bound is too large to be useful.

    A result in a narrower dtype is rounded once more. This rounding is allowed, but it does not affect
    whether the bound is useful.
    """
    numbers = counted = 0
    share = 0.0
    for held in pairs:
        computed = held.computed
        if not computed.size:
            continue
        right = np.asarray(held.right).reshape(computed.shape)
        bound = np.zeros(computed.shape) if exactly else held.bound.reshape(computed.shape)
        if (np.isnan(right) & (bound < np.inf)).any():
            raise InputError(
                f"for {shown.problem.says()}: the reference for {held.name} is NaN with a finite error bound;"
                " please report this defect of ratproof"
            )
        within = bound
        stored = FORMATS[shown.problem.format_of(held.name)]
        # a narrower result is rounded once more
        if stored.dtype != FORMATS[shown.problem.accumulation].dtype:
            if exactly:
                right = rounded(right, shown.problem.format_of(held.name))
            else:
                bound = bound + stored.unit * (np.abs(right).astype(float) + bound) + stored.smallest
        smallest = FORMATS[shown.problem.accumulation].smallest
        useful = within <= max(USELESS * root_mean_square(right.astype(float)), UNDERFLOW * smallest)
        useful &= np.abs(right).astype(float) + bound < stored.largest / 4
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            errors = np.abs(computed - right).astype(float)
            wrong = useful & ~(errors <= bound)
            used = np.where(errors == 0, 0.0, errors / bound)
        if wrong.any():
            index = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise shown.wrong(held.name, index, computed[index], right[index], bound[index])
        numbers, counted = numbers + computed.size, counted + int(useful.sum())
        share = max(share, float(np.max(used[useful], initial=0.0)))
    _count(numbers, counted, None if exactly else share)


def _count(numbers: int, counted: int, share: float | None) -> None:
    """Count a call in the ledger if some element had a useful bound or there was nothing to compute."""
    current_ledger = ledger()
    before = current_ledger.facts.get("numbers", (0, 0))
    current_ledger.facts["numbers"] = (before[0] + counted, before[1] + numbers)
    if numbers and not counted:
        current_ledger.leave_out(NOTHING_COUNTED)
    else:
        current_ledger.add(1, share)
