"""In which other form a call would be right: a kernel that computes otherwise than its claim says is refuted,
and its report should say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ratproof.evidence.ledger import recording
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.counterexample import WrongCall
from ratproof.laws.kernels.kernel import Kernel

CHUNKS = (16, 64, 256)
"""The chunks that are tried, besides one for the whole string."""


def with_form(wrong: WrongCall) -> WrongCall:
    """Return the counterexample with the first other form whose bounds the call keeps, if there is one."""
    if wrong.under is None:
        return wrong
    kernel = wrong.kernel
    for said, other in _others(kernel, wrong.problem.time):
        with recording() as own:  # a bound that says nothing of the numbers is kept by any kernel
            try:
                wrong.under(other)
            except WrongCall:
                continue
        if own.cases and own.facts["numbers"][0] == own.facts["numbers"][1]:
            return WrongCall(replace(wrong.counterexample, form=said), wrong.problem, kernel)
    return wrong


def _others(kernel: Kernel, time: int) -> Iterator[tuple[str, Kernel]]:
    """The kernel in other forms, the smallest bounds first, and how a claim declares each."""
    if not kernel.cumulated and kernel.family.decay:
        yield 'gate_gradient="cumulated"', replace(kernel, cumulated=True)
    inverses = ("substitution", "explicit") if kernel.family.correction != "none" else ("substitution",)
    for inverse in inverses:
        for chunk in sorted({*CHUNKS, 1 << max(0, time - 1).bit_length()}):
            form = KernelForm(chunk, inverse=inverse)
            if form == kernel.form:
                continue
            said = f'form="chunked", chunk={chunk}' + (
                f', inverse="{inverse}"' if inverse == "explicit" else ""
            )
            yield said, replace(kernel, form=form)
