"""Comparison of a kernel with another kernel, for kernels to which no family's recurrence applies.

The size of rounding errors is measured, because no bound can be derived.

The other kernel runs a dozen times on inputs that are perturbed by a unit in the last place. A difference of
at most 8 times the largest change of a result counts as rounding. A larger difference refutes the claim if it
exceeds 1e-3 of the results' root mean square (1e-6 in float64). Otherwise the verdict is unknown.

If both kernels return NaN for an element, the verdict is also unknown, because neither value is correct.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from automata.errors import InputError
from ratproof.evidence.ledger import ledger
from ratproof.laws.kernels.counterexample import ShownCall
from ratproof.laws.kernels.formats import FORMATS
from ratproof.laws.kernels.kernel import Call
from ratproof.laws.kernels.naive import Arrays
from ratproof.laws.kernels.problem import Problem

RUNS, TIMES = 12, 8
"""The number of perturbed runs, and the multiple of their largest change that counts as rounding."""
REFUTES = {"float64": 1e-6}
"""Share of the results' root mean square above which a difference refutes the claim.

The share is 1e-3 for dtypes that are not listed.
"""
DOUBTS, NOT_NUMBERS = "doubts", "nan_in_both"


def hold_measured(shown: ShownCall, call: Call, other: Callable[[Arrays], Call]) -> None:
    """Compare the results of a kernel with those of another kernel.

    Args:
        shown: The call.
        call: The kernel's results.
        other: A function that calls the other kernel with the argument values that it receives.

    Raises:
        WrongCall: If an element is wrong.
    """
    if call.changed is not None:
        raise shown.changed(call.changed)
    computed, right = call.results(), other(shown.arrays).results()
    # only one of the kernels may have the option to omit the final state
    computed = {name: values for name, values in computed.items() if name in right}
    change = {name: np.zeros(values.shape) for name, values in right.items()}
    for seed in range(RUNS):
        if all(
            _errors(computed[n], right[n]).max(initial=0.0) <= TIMES * change[n].max(initial=0.0)
            for n in computed
        ):
            break  # rounding explains all differences, and more runs can only explain more
        again = other(perturbed(shown.problem, shown.arrays, seed)).results()
        for name, values in again.items():
            with np.errstate(invalid="ignore"):
                errors = np.abs(values - right[name])
            change[name] = np.fmax(change[name], np.where(np.isfinite(errors), errors, 0.0))
    refutes = REFUTES.get(shown.problem.dtype, 1e-3)
    facts = ledger().facts
    for name, values in computed.items():
        if not values.size:
            continue
        neither = np.isnan(values) & np.isnan(right[name])
        errors = _errors(values, right[name])
        if neither.any():
            facts[NOT_NUMBERS] = facts.get(NOT_NUMBERS, 0) + int(neither.sum())
            text = f"for {shown.problem.says()}: {name} is NaN from both kernels in {neither.sum()} of"
            facts.setdefault(DOUBTS, []).append(f"{text} {neither.size} numbers")
        rounding = TIMES * float(change[name].max())
        limit = max(rounding, refutes * _size(right[name]))
        wrong = np.argwhere(~(errors <= limit))
        if len(wrong):
            index = tuple(int(i) for i in wrong[0])
            raise shown.wrong(name, index, values[index], right[name][index], rounding)
        largest = float(errors.max())
        if largest > rounding:
            text = (
                f"for {shown.problem.says()}: {name} differs by {largest:.1g}, but the measured rounding is"
                f" {rounding:.1g}, so the difference is too small to refute the claim"
            )
            facts.setdefault(DOUBTS, []).append(text)
    ledger().add(1)


def require_no_doubts() -> None:
    """Raise :class:`~automata.errors.InputError` if a comparison of the run was inconclusive."""
    facts = ledger().facts
    doubts, not_numbers = facts.pop(DOUBTS, []), facts.get(NOT_NUMBERS)
    if doubts:
        more = "" if not_numbers is None else f"; {not_numbers:,} elements in all calls are NaN from both"
        raise InputError(doubts[0] + more)


def perturbed(problem: Problem, arrays: Arrays, seed: int) -> Arrays:
    """Return the values moved by one unit in the last place; zeros and infinities stay unchanged."""
    rng = np.random.default_rng((problem.seed, 2, seed))
    return {
        name: problem.in_format(
            name, x * (1 + 2 * FORMATS[problem.format_of(name)].unit * rng.choice((-1.0, 1.0), x.shape))
        )
        for name, x in arrays.items()
    }


def _errors(values: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return absolute differences; they are 0 if both values are NaN or the same infinity."""
    neither = np.isnan(values) & np.isnan(right)
    with np.errstate(invalid="ignore"):
        return np.where((values == right) | neither, 0.0, np.abs(values - right))


def _size(values: NDArray[np.float64]) -> float:
    """Return the root mean square of the finite elements."""
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
