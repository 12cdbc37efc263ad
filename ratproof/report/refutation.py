"""The smallest counterexample of a variant, on one line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from automata.text.printable_text import EMPTY, printable, write_string
from ratproof.evidence.counterexample import AnyCounterexample, ScriptedCounterexample
from ratproof.evidence.results import Result
from ratproof.report.marks import plain
from theory.claim import THEOREMS


def smallest(results: Sequence[Result], out: Console) -> str:
    """Return the simplest counterexample as text, or the kind of refutation if there is none."""
    best = simplest(results)
    if best is None or best.counterexample is None:
        return "no automaton" if any(r.kind not in THEOREMS for r in results) else "a theorem"
    return in_short(best.counterexample, out)


def in_short(counterexample: AnyCounterexample, out: Console) -> str:
    """Return the string, the network's score and the automaton's score on one line.

    For a kernel or a model, return the index and both values instead.
    """
    unequal = "!=" if plain(out) else "≠"
    if isinstance(counterexample, ScriptedCounterexample):
        return counterexample.in_short(unequal)
    string = write_string(counterexample.string)
    if string == EMPTY:
        string = '""' if plain(out) else "ε"
    return f"{string}: {printable(counterexample.network)} {unequal} {printable(counterexample.automaton)}"


def simplest(results: Sequence[Result]) -> Result | None:
    """Return the result with the simplest counterexample, or None if there is none.

    Results that exclude every automaton of some size come first.
    """
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
