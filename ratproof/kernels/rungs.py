"""The rungs of a kernel: what is asserted of it, for random calls of every length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from ratproof.kernels.comparison import Held, compare, hold, hold_call
from ratproof.kernels.counterexample import Shown, WrongCall
from ratproof.kernels.drawing import lengths_of, problems
from ratproof.kernels.formats import WIDE
from ratproof.kernels.kernel import Arrays, Kernel
from ratproof.kernels.measured import hold_measured, require_no_doubts
from ratproof.kernels.problem import Numbers, Problem
from ratproof.kernels.reference import gradients, run
from ratproof.kernels.watch import Watch
from theory.claim import Claim, Effort, Variant

Body = Callable[[Kernel, Problem, st.DataObject], None]


@dataclass(frozen=True)
class KernelRung:
    """An assertion on random calls of a kernel.

    Attributes:
        kind: of evidence.
        body: asserts it of one.
        numbers: what the numbers are like.
        rows, heads: so many strings and heads at least.
        shortest: tokens at least.
    """

    kind: str
    body: Body
    numbers: Numbers = "real"
    rows: int = 1
    heads: int = 1
    shortest: int = 0

    def __call__(self, kernel: Kernel, claim: Claim, variant: Variant, effort: Effort) -> None:
        """Assert it for calls of every length; where one is wrong, for shorter ones again, so that a small
        one is shown. A call that the kernel raises on shows nothing, and hides nothing of the others.

        Raises:
            WrongCall: a call is wrong.
            Raised: none is, and the kernel raised on some.
            InputError: none is, and the time was not enough for all.
        """
        watch = Watch(kernel)
        lengths = [length for length in lengths_of(kernel) if length >= self.shortest]
        examples = effort.examples_of(self.kind) or settings().max_examples
        each, more = divmod(examples, len(lengths))
        for place, length in enumerate(lengths):
            name = f"{claim.name} {variant.name} {self.kind} {length}"
            try:
                body = partial(self._case, watch, kernel, st.just(length))
                watch.search(name, max(LEAST, each + (place < more)), body)
            except WrongCall as wrong:
                raise self._smallest(watch, kernel, name, wrong) from None
        watch.require_all()
        require_no_doubts()

    def _case(self, watch: Watch, kernel: Kernel, times: st.SearchStrategy[int], data: st.DataObject) -> None:
        time = data.draw(times)
        problem = data.draw(problems(kernel, self.numbers, time, self.rows, self.heads))
        if watch.is_over():
            return
        with watch.told(problem):
            self.body(kernel, problem, data)

    def _smallest(self, watch: Watch, kernel: Kernel, name: str, wrong: WrongCall) -> WrongCall:
        """A simpler call that is wrong, where there is one: of fewer tokens, found by Hypothesis."""
        step = kernel.multiple
        parts = st.integers(-(-self.shortest // step), wrong.problem.time // step)
        shorter = parts.map(lambda number: number * step)
        try:
            watch.search(f"{name} shorter", SHRINKING, partial(self._case, watch, kernel, shorter))
        except WrongCall as simpler:
            if simpler.counterexample.simplicity < wrong.counterexample.simplicity:
                return simpler
        except Exception:  # what a shorter call does instead is no counterexample
            return wrong
        return wrong


GRADIENT = "of sum(o * o_weights) + sum(final_state * final_state_weights)"
LEAST = 2
"""Calls of each length at least: Hypothesis's first one is always the plainest."""
SHRINKING = 200
"""Calls that are tried for a shorter counterexample, before it is shrunk."""


def exact(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Inputs whose sums do not round give the recurrence's results, bit for bit."""
    compare(kernel, problem, problem.arrays(), exactly=True)


def sampled(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Any inputs give them within the derived bound."""
    compare(kernel, problem, problem.arrays())


def gradient(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """The gradients of a random functional of outputs and final states, within the derived bound."""
    if problem.dtype not in WIDE:  # what flows to a narrow tensor may be rounded at any place
        wide = next(dtype for dtype in kernel.dtypes if dtype in WIDE)
        problem = replace(problem, dtype=wide, accumulation=wide)
    arrays, weights = problem.arrays(), problem.weights()
    if kernel.without & {"final-state", "final-state-gradient"}:
        weights["final_state"] *= 0
    some = {n: w for n, w in weights.items() if w.any()}
    computed, shown = kernel.gradients(problem, arrays, some), Shown(kernel, problem, arrays, GRADIENT, some)
    if kernel.against is not None:
        other = kernel.other()
        hold_measured(shown, _named(computed), lambda x: _named(other.gradients(problem, x, some)))
        return
    right = gradients(problem, arrays, weights["o"], weights["final_state"], kernel.form, kernel.cumulated)
    hold(shown, (Held(f"{n}.grad", flow, *right[n]) for n, flow in computed.items()))


def _named(flows: Arrays) -> Arrays:
    return {f"{name}.grad": flow for name, flow in flows.items()}


def split(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Two calls, with the state handed over, are one."""
    problem = _unpacked(problem)
    arrays = problem.arrays()
    least = 1 if "empty" in kernel.without else 0
    step = kernel.multiple
    places = {0, step, problem.time // 2 // step * step, problem.time - step}
    cuts = [c for c in sorted(places) if least <= c <= problem.time - least]
    if not cuts:  # one token is no two strings
        return
    cut = data.draw(st.sampled_from(cuts))
    one = problem.part((cut,))
    first = compare(
        kernel, one, _between(problem, arrays, 0, cut), f"the first {cut} of {problem.time} tokens"
    )
    assert first.states is not None
    two = replace(problem.part((problem.time - cut,)), started=True)
    rest = {**_between(problem, arrays, cut, problem.time), "initial_state": first.states}
    compare(kernel, two, rest, f"the state after {cut} of {problem.time} tokens is the initial state")


def independence(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """What other strings and heads of a batch hold changes nothing of one."""
    arrays = problem.arrays()
    kept = data.draw(st.integers(0, problem.rows - 1)), data.draw(st.integers(0, problem.heads - 1))
    others = replace(problem, seed=problem.seed ^ 0x5DEECE66D).arrays()
    mixed = _mixed(problem, arrays, others, *kept)
    where = "sequence" if problem.packed else "string"
    law = f"{where} {kept[0]}, head {kept[1]} is held, all others are other ones"
    if kernel.against is not None:
        compare(kernel, problem, mixed, law)
        return
    call, result = kernel.call(problem, mixed), run(problem, mixed, kernel.form)
    own = run(problem, arrays, kernel.form)
    row, head = kept
    at, begin, end = problem.spans()[row]
    places = np.zeros(result.outputs.shape, bool)
    places[at, begin:end, head] = True
    # what is kept is what it was: so the reference is that of the string before all others changed
    result.outputs[places], result.output_bounds[places] = own.outputs[places], own.output_bounds[places]
    result.states[row, head], result.state_bounds[row, head] = (
        own.states[row, head],
        own.state_bounds[row, head],
    )
    hold_call(Shown(kernel, problem, mixed, law), call, result)


def _unpacked(problem: Problem) -> Problem:
    return replace(problem, packed=False, lengths=(problem.time,)) if problem.packed else problem


def _between(problem: Problem, arrays: Arrays, begin: int, end: int) -> Arrays:
    """The same tensors from one token to another."""
    axes = problem.family.tensors
    return {n: x[:, begin:end] if "T" in axes.get(n, "") else x for n, x in arrays.items()}


def _mixed(problem: Problem, arrays: Arrays, others: Arrays, row: int, head: int) -> Arrays:
    """The tensors of one string and head, among others of all the rest, a thousand times as large where they
    are values.
    """
    at, begin, end = problem.spans()[row]
    family, mixed = problem.family, {}
    for name, own in arrays.items():
        large = 1000.0 if name in (family.value, "initial_state") else 1.0
        other = others[name] * large
        axes = family.tensors.get(name, "N" + ("D" if family.lanes else "HKV"))
        lane = "D" if family.lanes else "H"
        place: list[int | slice] = [slice(None)] * own.ndim
        if "B" in axes:
            place[0], place[1] = at, slice(begin, end)
        if "N" in axes:
            place[0] = row
        place[axes.index(lane)] = head
        other[tuple(place)] = own[tuple(place)]
        mixed[name] = problem.in_format(name, other)
    return mixed


KERNEL_RUNGS = {
    rung.kind: rung
    for rung in (
        KernelRung("exact", exact, numbers="exact"),
        KernelRung("sampled", sampled),
        KernelRung("gradient", gradient),
        KernelRung("split", split, shortest=1),
        KernelRung("independence", independence, rows=2, heads=2, shortest=1),
    )
}
"""The rungs, by kind."""
