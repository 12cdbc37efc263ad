"""The smallest counterexample of a variant, in a few characters."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from automata.text.printable_text import EMPTY, printable, write_string
from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.results import Result
from ratproof.laws.kernels.counterexample import KernelCounterexample
from ratproof.laws.models.counterexample import StatefulCounterexample
from ratproof.report.marks import plain


def smallest(results: Sequence[Result], out: Console) -> str:
    """The string and the two scores, or what refutes a variant where no single string does."""
    best = simplest(results)
    if best is None or best.counterexample is None:
        return "no automaton" if any(r.kind != "kernel-checked" for r in results) else "a theorem"
    return in_short(best.counterexample, out)


def in_short(
    counterexample: Counterexample | KernelCounterexample | StatefulCounterexample, out: Console
) -> str:
    """The string, the network's score and the automaton's; of a program the place and both numbers."""
    unequal = "!=" if plain(out) else "≠"
    if isinstance(counterexample, KernelCounterexample | StatefulCounterexample):
        return counterexample.in_short(unequal)
    string = write_string(counterexample.string)
    if string == EMPTY:
        string = '""' if plain(out) else "ε"
    return f"{string}: {printable(counterexample.network)} {unequal} {printable(counterexample.automaton)}"


def simplest(results: Sequence[Result]) -> Result | None:
    """The result with the simplest counterexample: first those that exclude any other automaton."""
    with_one = [result for result in results if result.counterexample is not None]
    return min(with_one, key=_plainness, default=None)


def _plainness(result: Result) -> tuple[object, ...]:
    assert result.counterexample is not None
    kind = "" if result.certificate is None else result.certificate.get("type")
    return (
        kind not in ("hankel", "range"),
        *result.counterexample.simplicity,
        result.certificate is None,
        result.kind != "exhausted",
    )
