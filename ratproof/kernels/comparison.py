"""A call of a kernel against its recurrence: the share of the bound that is used, or the first number that is
wrong.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ratproof.kernels.counterexample import KernelCounterexample, WrongCall, script
from ratproof.kernels.kernel import Call, Kernel
from ratproof.kernels.problem import Problem
from ratproof.kernels.reference import SMALLEST, Result, run
from ratproof.record.ledger import NOTHING_COUNTED, ledger

Arrays = dict[str, NDArray[np.float64]]
USELESS = 0.01
"""A bound that is a larger share of the results' root mean square says nothing."""
UNDERFLOW = 2.0**20
"""Smallest normal numbers: a bound below that many says something of a result that is 0, too."""
BELIEVED = "believed"


def compare(kernel: Kernel, problem: Problem, arrays: Arrays, law: str = "", exactly: bool = False) -> Call:
    """Call a kernel, and hold it against its recurrence; the ledger counts what was compared.

    Args:
        kernel: what is called.
        problem: the call.
        arrays: its numbers.
        law: what a counterexample is to say besides.
        exactly: nothing rounds: the results must be equal.

    Raises :class:`~ratproof.kernels.counterexample.WrongCall` where a number is wrong.
    """
    call = kernel.call(problem, arrays)
    result = run(problem, arrays, kernel.form)
    hold(kernel, problem, arrays, call, result, law, exactly)
    return call


def hold(
    kernel: Kernel,
    problem: Problem,
    arrays: Arrays,
    call: Call,
    result: Result,
    law: str = "",
    exactly: bool = False,
) -> None:
    """Hold what a call gave against what the recurrence gives."""
    if call.changed is not None:
        raise WrongCall(_counterexample(kernel, problem, arrays, law, call.changed, None), problem)
    numbers = counted = 0
    share = 0.0
    pairs = [("o", call.outputs, result.outputs, result.output_bounds)]
    if call.states is not None:
        pairs.append(("final_state", call.states, result.states, result.state_bounds))
    for name, computed, value, bound in pairs:
        if not computed.size:
            continue
        right = np.asarray(value).reshape(computed.shape)
        bound = np.zeros(computed.shape) if exactly else bound.reshape(computed.shape)
        useful = bound <= max(USELESS * _size(right), UNDERFLOW * SMALLEST[problem.dtype])
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            apart = np.abs(computed - right).astype(float)
            wrong = useful & ~(apart <= bound)
            used = np.where(apart == 0, 0.0, apart / bound)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            found = name, place, computed[place], right[place], bound[place]
            raise WrongCall(_counterexample(kernel, problem, arrays, law, "", found), problem)
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


def _size(values: NDArray[np.float64]) -> float:
    """The root mean square."""
    finite = np.asarray(values, np.float64)
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.mean(finite**2)))


def _counterexample(
    kernel: Kernel,
    problem: Problem,
    arrays: Arrays,
    law: str,
    changed: str,
    found: tuple[str, tuple[int, ...], float, float, float] | None,
) -> KernelCounterexample:
    if found is None:
        place, computed, right, bound = changed, "another tensor than before", "an argument, only read", "0"
    else:
        name, index, a, b, limit = found
        place = f"{name}[{', '.join(map(str, index))}]"
        computed, right, bound = repr(float(a)), repr(float(b)), "0" if limit == 0 else f"{limit:.2g}"
    example = KernelCounterexample(
        kernel.name,
        BELIEVED,
        problem.says(),
        place,
        computed,
        right,
        bound,
        law,
        (problem.time, problem.batch, problem.heads, problem.keys, problem.values),
        problem.seed,
    )
    shown = f"arguments[{place!r}].sum()" if found is None else place
    return replace(example, script=script(kernel, problem, arrays, example.sentence(), shown))
