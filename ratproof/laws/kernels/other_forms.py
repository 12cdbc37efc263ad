"""The search for another form in which a wrong call would be correct.

If a kernel computes in a form other than the declared one, the report names that form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ratproof.evidence.ledger import recording
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.counterexample import WrongCall
from ratproof.laws.kernels.kernel import Kernel

CHUNKS = (16, 64, 256)
"""The chunk lengths that are tried, in addition to one chunk for the whole sequence."""


def with_form(wrong: WrongCall) -> WrongCall:
    """Return the counterexample with a note on the first other form whose bounds the call satisfies."""
    if wrong.under is None:
        return wrong
    kernel = wrong.kernel
    for declaration, other in _others(kernel, wrong.problem.time):
        with recording() as own:  # any kernel satisfies bounds that are too large to be useful
            try:
                wrong.under(other)
            except WrongCall:
                continue
        if own.cases and own.facts["numbers"][0] == own.facts["numbers"][1]:
            return WrongCall(replace(wrong.counterexample, form=declaration), wrong.problem, kernel)
    return wrong


def _others(kernel: Kernel, time: int) -> Iterator[tuple[str, Kernel]]:
    """Yield a declaration and the kernel for each other form, smallest bounds first.

    A declaration is a text such as ``form="chunked", chunk=16``.
    """
    if not kernel.cumulated and kernel.family.decay:
        yield 'gate_gradient="cumulated"', replace(kernel, cumulated=True)
    inverses = ("substitution", "explicit") if kernel.family.correction != "none" else ("substitution",)
    for inverse in inverses:
        for chunk in sorted({*CHUNKS, 1 << max(0, time - 1).bit_length()}):
            form = KernelForm(chunk, inverse=inverse)
            if form == kernel.form:
                continue
            declaration = f'form="chunked", chunk={chunk}' + (
                f', inverse="{inverse}"' if inverse == "explicit" else ""
            )
            yield declaration, replace(kernel, form=form)
