"""The checks of a kernel, as assertions on random calls of every length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from hypothesis import settings
from hypothesis import strategies as st

from ratproof.evidence.lengths import LENGTHS
from ratproof.evidence.subjects import STATED
from ratproof.laws.kernels.comparison import Right, compare, hold_call, recurrence
from ratproof.laws.kernels.counterexample import ShownCall, WrongCall
from ratproof.laws.kernels.drawing import CallSizes, groups_of, problems, shorter_than
from ratproof.laws.kernels.family import state_axes
from ratproof.laws.kernels.formats import WIDE
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.measured import hold_measured, require_no_doubts
from ratproof.laws.kernels.naive import Arrays
from ratproof.laws.kernels.other_forms import with_form
from ratproof.laws.kernels.problem import LARGE, Numbers, Problem
from ratproof.laws.kernels.watch import KernelWatch

Body = Callable[[Kernel, Problem, st.DataObject], None]


@dataclass(frozen=True)
class KernelRung:
    """An assertion on random calls of a kernel.

    Attributes:
        kind: Kind of evidence.
        body: The assertion on one call.
        numbers: Kind of the values.
        rows, heads: Minimum numbers of sequences and heads.
        shortest: Minimum number of tokens.
        small: Whether its largest calls are a quarter of the usual size, because it is slow.
        long: Whether one call has :data:`~ratproof.laws.kernels.drawing.VERY_LONG` tokens.
    """

    kind: str
    body: Body
    numbers: Numbers = "real"
    rows: int = 1
    heads: int = 1
    shortest: int = 0
    small: bool = False
    long: bool = False

    def __call__(self, kernel: Kernel, examples: int | None = None) -> None:
        """Run the assertion for calls of every length and size.

        After a wrong call, shorter calls are searched for a simpler counterexample. If the kernel raises an
        exception on a call, the search continues.

        Raises:
            WrongCall: If a call is wrong.
            Raised: If no call is wrong, but the kernel raised an exception on some call.
            InputError: If no call is wrong, but the time limit was too short for all calls.
        """
        if self.kind == "gradient" and kernel.measures_gradients and not kernel.lengths:
            longest = max(kernel.multiple, min(kernel.longest or MEASURED, MEASURED))
            kernel = replace(kernel, longest=longest)
        watch = KernelWatch(kernel)
        number = examples or settings().max_examples
        for group in groups_of(kernel, number, self.shortest, self.small, self.long):
            name = f"{kernel.name} {STATED} {self.kind} {group.name}"
            try:
                watch.search(name, group.examples, partial(self._case, watch, kernel, group.sizes))
            except WrongCall as wrong:
                raise with_form(self._smallest(watch, kernel, name, wrong)) from None
        watch.require_all()
        require_no_doubts()

    def _case(self, watch: KernelWatch, kernel: Kernel, sizes: CallSizes, data: st.DataObject) -> None:
        problem = data.draw(problems(kernel, self.numbers, sizes, self.rows, self.heads))
        if watch.is_over():
            return
        with watch.watching(problem):
            self.body(kernel, problem, data)

    def _smallest(self, watch: KernelWatch, kernel: Kernel, name: str, wrong: WrongCall) -> WrongCall:
        """Return a simpler wrong call with fewer tokens, if Hypothesis finds one."""
        shorter = shorter_than(kernel, wrong.problem.time, self.shortest)
        try:
            number = SHRINKING if wrong.problem.time <= LENGTHS[-1] else FEW_SHRINKING
            watch.search(f"{name} shorter", number, partial(self._case, watch, kernel, shorter))
        except WrongCall as simpler:
            if simpler.counterexample.simplicity < wrong.counterexample.simplicity:
                return simpler
        except Exception:  # other failures of a shorter call are not counterexamples
            return wrong
        return wrong


GRADIENT = {
    "sum": "of sum(o) + sum(final_state)",
    "plain": "of sum(o * o_weights) + sum(final_state * final_state_weights)",
}
MEASURED = 257
"""Maximum number of tokens of a call if the rounding of the gradients of a ``step`` is measured."""
SHRINKING, FEW_SHRINKING = 200, 10
"""Number of calls in the search for a shorter counterexample; the second one if the wrong call is long."""


def exact(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Assert that inputs whose sums do not round give the recurrence's results, bit for bit."""
    compare(kernel, problem, problem.arrays(), exactly=True)


def sampled(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Assert that any inputs give the recurrence's results within the derived bound."""
    compare(kernel, problem, problem.arrays())


def gradient(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Assert that the gradients of a random sum of outputs and final states are within the derived bound."""
    measured = kernel.against is not None or kernel.measures_gradients
    narrow = kernel.measures_gradients or "narrow-gradient" in kernel.without
    if problem.dtype not in WIDE and narrow:  # the step would round its states to the narrow dtype
        wide = next(dtype for dtype in kernel.dtypes if dtype in WIDE)
        problem = replace(problem, dtype=wide, accumulation=wide)
    problem = replace(problem, mode=data.draw(st.sampled_from(("plain", "plain", "sum", "twice"))))
    arrays, weights = problem.arrays(), problem.weights()
    if not problem.final or kernel.without & {"final-state", "final-state-gradient"}:
        weights["final_state"] *= 0
    frozen = data.draw(_frozen(tuple(arrays)))
    if "decay-gradient" in kernel.without:
        frozen = tuple(n for n in arrays if n in (*frozen, problem.family.decay))
    problem = replace(problem, frozen=frozen)
    some = {n: w for n, w in weights.items() if w.any()}
    law = GRADIENT.get(problem.mode, GRADIENT["plain"])
    call, shown = kernel.gradients(problem, arrays, some), ShownCall(kernel, problem, arrays, law, some)
    if measured:
        other = kernel.other()
        hold_measured(shown, call, lambda x: other.gradients(problem, x, some))
        return

    hold_call(shown, call, lambda own: recurrence(problem, arrays, own, weights))


def _frozen(names: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    """Return a strategy for the names of tensors without gradients: none in half of the cases, never all."""
    some = [part for number in range(1, len(names)) for part in combinations(names, number)]
    if not some:
        return st.just(())
    return st.one_of(
        st.just(()), st.sampled_from([()]), st.sampled_from(some[: len(names)]), st.sampled_from(some)
    )


def split(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Assert that two calls, with the final state of the first passed to the second, equal one call."""
    problem = replace(_unpacked(problem), final=True)
    arrays = problem.arrays()
    least = 1 if "empty" in kernel.without else 0
    step = kernel.multiple
    candidates = {0, step, problem.time // 2 // step * step, problem.time - step}
    cuts = [c for c in sorted(candidates) if least <= c <= problem.time - least]
    if kernel.lengths:
        cuts = splits(kernel.lengths, problem.time)
    if not cuts:  # for example, one token cannot be split
        return
    cut = data.draw(st.sampled_from(cuts))
    one = problem.part((cut,))
    first = compare(
        kernel, one, _between(problem, arrays, 0, cut), f"the first {cut} of {problem.time} tokens"
    )
    assert first.states is not None
    two = replace(problem.part((problem.time - cut,)), has_initial_state=True)
    rest = {**_between(problem, arrays, cut, problem.time), "initial_state": first.states}
    law = f"the state after {cut} of {problem.time} tokens is the initial state"
    compare(kernel, two, rest, law)
    if (name := first.overwritten()) is not None:
        raise ShownCall(kernel, two, rest, law).overwritten(name)


def splits(lengths: Sequence[int], time: int) -> list[int]:
    """Return the numbers of tokens after which a call may be split into two calls of these lengths."""
    return [cut for cut in lengths if time - cut in lengths]


def independence(kernel: Kernel, problem: Problem, data: st.DataObject) -> None:
    """Assert that the results of one sequence and head do not depend on other sequences and heads."""
    arrays = problem.arrays()
    kept = data.draw(st.integers(0, problem.rows - 1)), data.draw(st.integers(0, problem.heads - 1))
    others = replace(problem, seed=problem.seed ^ 0x5DEECE66D).arrays()
    mixed = _mixed(problem, arrays, others, *kept)
    where = "sequence" if problem.packed else "string"
    law = f"{where} {kept[0]}, head {kept[1]} is unchanged, and all others are replaced"
    if kernel.against is not None:
        compare(kernel, problem, mixed, law)
        return
    call = kernel.call(problem, mixed)
    family = problem.family
    axes = {"o": family.output_axes, "final_state": state_axes(family)}
    indices = {name: _index(problem, own, *kept) for name, own in axes.items()}

    def right(own: Kernel) -> Right:
        every = recurrence(problem, mixed, own)
        if family.function is not None:
            return every  # the step itself says whether heads are mixed, as by a norm of all lanes
        alone = recurrence(problem, arrays, own)
        for name, shape in (("o", call.outputs.shape), ("final_state", every["final_state"][0].shape)):
            # the reference is computed before the other sequences and heads are replaced
            for part, before in zip(every[name], alone[name], strict=True):
                part.reshape(shape)[indices[name]] = before.reshape(shape)[indices[name]]
        return every

    hold_call(ShownCall(kernel, problem, mixed, law), call, right)


def _unpacked(problem: Problem) -> Problem:
    return replace(problem, packed=False, lengths=(problem.time,)) if problem.packed else problem


def _between(problem: Problem, arrays: Arrays, begin: int, end: int) -> Arrays:
    """Return the tensors restricted to the tokens from ``begin`` to ``end``."""
    axes = problem.family.tensors
    of_tokens = {n for n in arrays if {"T", "S"} & set(axes.get(n, ""))}
    return {n: x[:, problem.tokens(n, begin, end)] if n in of_tokens else x for n, x in arrays.items()}


def _index(problem: Problem, axes: str, row: int, head: int, substeps: int = 1) -> tuple[int | slice, ...]:
    """Return the index of one sequence and head in a tensor with these axes."""
    at, begin, end = problem.spans()[row]
    own: dict[str, int | slice] = {
        "B": at,
        "N": row,
        "T": slice(begin, end),
        "S": slice(begin * substeps, end * substeps),
    }
    own["D" if problem.family.lanes else "H"] = head
    return tuple(own.get(axis, slice(None)) for axis in axes)


def _mixed(problem: Problem, arrays: Arrays, others: Arrays, row: int, head: int) -> Arrays:
    """Return the tensors with the contents of one sequence and head, and with ``others`` for all others.

    The values and initial states from ``others`` are multiplied by about 1000.
    """
    family, mixed = problem.family, {}
    others_are = 1000.0 / (LARGE[problem.numbers] if problem.large else 1.0)
    for name, own in arrays.items():
        large = name in (family.value, "initial_state") and name not in family.kinds
        other = others[name] * (others_are if large else 1.0)
        axes = family.tensors.get(name, state_axes(family))
        where = _index(problem, axes, row, head, problem.substeps)
        other[where] = own[where]
        mixed[name] = problem.in_format(name, other)
    return mixed


KERNEL_RUNGS = {
    rung.kind: rung
    for rung in (
        KernelRung("exact", exact, numbers="exact"),
        KernelRung("sampled", sampled, long=True),
        KernelRung("gradient", gradient, small=True),
        KernelRung("split", split, shortest=1),
        KernelRung("independence", independence, rows=2, heads=2, shortest=1),
    )
}
"""The checks, keyed by kind of evidence."""
