"""The state of a check: its time limit, wrong calls, and calls in which the kernel raised an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from time import monotonic as now

from hypothesis import strategies as st
from hypothesis.errors import Flaky

from automata.errors import InputError
from ratproof.evidence.ledger import ledger
from ratproof.evidence.random_cases import for_random_cases
from ratproof.laws.kernels.counterexample import ShownCall, WrongCall
from ratproof.laws.kernels.kernel import InvalidKernelResult, Kernel, Raised
from ratproof.laws.kernels.problem import Problem


class KernelWatch:
    """The state of one check of a kernel.

    Args:
        kernel: The kernel, whose time limit starts when the instance is created.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.began = kernel, now()
        self.raised: Raised | None = None
        """The error of the smallest call that raised; ``size`` is the size of that call."""
        self.size: tuple[int, ...] = ()
        self.wrong: WrongCall | None = None
        """The simplest wrong call."""
        self.skipped = False

    def is_over(self) -> bool:
        """Return whether the time limit has passed; it is checked between calls."""
        over = now() - self.began > self.kernel.seconds
        self.skipped |= over
        return over

    def search(self, name: str, examples: int, body: Callable[[st.DataObject], None]) -> None:
        """Run the assertion ``body`` for random cases, until a call is wrong or the time limit has passed.

        See :func:`~ratproof.evidence.random_cases.for_random_cases`.

        Raises:
            WrongCall: If a call is wrong; the simplest call so far if the time limit ended the shrinking.
        """
        self.wrong = None
        try:
            for_random_cases(name, examples, body)
        except Flaky:  # after the time limit, Hypothesis skips the wrong call, so that it appears to pass
            if not self.skipped:
                raise
            if self.wrong is not None:
                raise self.wrong from None

    @contextmanager
    def watching(self, problem: Problem) -> Iterator[None]:
        """Record the outcome of a call within the block; store the smallest call that raises an error."""
        try:
            yield
            sizes = problem.sizes()
            ledger().note_sizes({**sizes, " ".join(sizes): prod(sizes.values())})
        except Raised as error:
            self._keep(problem, error)
        except InvalidKernelResult as error:
            if error.kernel is not self.kernel:  # the reference kernel raised the error
                raise InputError(str(error)) from None
            self._raise_wrong(ShownCall(self.kernel, error.problem, error.arrays).invalid_result(error))
        except WrongCall as wrong:
            self._raise_wrong(wrong)

    def _raise_wrong(self, wrong: WrongCall) -> None:
        if self.wrong is None or wrong.counterexample.simplicity < self.wrong.counterexample.simplicity:
            self.wrong = wrong
        raise wrong

    def _keep(self, problem: Problem, error: Raised) -> None:
        size = (problem.time, problem.rows, problem.heads, problem.keys, problem.values)
        if self.raised is None or size < self.size:
            self.raised, self.size = error, size

    def require_all(self) -> None:
        """Raise :class:`~automata.errors.InputError` if the kernel raised or if calls were skipped."""
        if self.raised is not None:
            raise InputError(str(self.raised)) from self.raised
        if self.skipped:
            raise InputError(
                f"{self.kernel.name}: {self.kernel.seconds:g} seconds were too short: {ledger().cases:,}"
                " calls were correct, and the others did not run; increase seconds="
            )
