"""What a rung keeps of its calls besides what they compare: how long it may go on, and where the kernel
raised.
"""

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
from ratproof.laws.kernels.kernel import Kernel, Raised, WrongKind
from ratproof.laws.kernels.problem import Problem


class KernelWatch:
    """Of one rung of a kernel.

    Args:
        kernel: whose time begins now.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.began = kernel, now()
        self.raised: Raised | None = None
        """By the smallest call, of which size."""
        self.size: tuple[int, ...] = ()
        self.wrong: WrongCall | None = None
        """The simplest one."""
        self.skipped = False

    def is_over(self) -> bool:
        """Is its time over? It is looked at between calls."""
        over = now() - self.began > self.kernel.seconds
        self.skipped |= over
        return over

    def search(self, name: str, examples: int, body: Callable[[st.DataObject], None]) -> None:
        """Assert the body for random cases, as
        :func:`~ratproof.evidence.random_cases.for_random_cases` does.

        Raises :class:`~ratproof.laws.kernels.counterexample.WrongCall`, the simplest one where the time ended
        before Hypothesis had looked for a simpler one.
        """
        self.wrong = None
        try:
            for_random_cases(name, examples, body)
        except Flaky:  # Hypothesis wonders why a call that was wrong is right, where it was not made
            if not self.skipped:
                raise
            if self.wrong is not None:
                raise self.wrong from None

    @contextmanager
    def told(self, problem: Problem) -> Iterator[None]:
        """What happens in a call: where the kernel raises, the smallest call is kept, and others go on."""
        try:
            yield
            sizes = problem.sizes()
            ledger().note_sizes({**sizes, " ".join(sizes): prod(sizes.values())})
        except Raised as error:
            self._keep(problem, error)
        except WrongKind as error:
            if error.kernel is not self.kernel:  # the other one, which it is held against
                raise InputError(str(error)) from None
            self._found(ShownCall(self.kernel, error.problem, error.arrays).of_another_kind(error))
        except WrongCall as wrong:
            self._found(wrong)

    def _found(self, wrong: WrongCall) -> None:
        if self.wrong is None or wrong.counterexample.simplicity < self.wrong.counterexample.simplicity:
            self.wrong = wrong
        raise wrong

    def _keep(self, problem: Problem, error: Raised) -> None:
        size = (problem.time, problem.rows, problem.heads, problem.keys, problem.values)
        if self.raised is None or size < self.size:
            self.raised, self.size = error, size

    def require_all(self) -> None:
        """Raise :class:`~automata.errors.InputError` where the kernel raised, or calls were left out."""
        if self.raised is not None:
            raise InputError(str(self.raised)) from self.raised
        if self.skipped:
            raise InputError(
                f"{self.kernel.name}: {self.kernel.seconds:g} seconds were not enough: {ledger().cases:,}"
                " calls were right, and others not tried; seconds= allows more"
            )
