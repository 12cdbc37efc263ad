"""Do two automata over the reals score every string alike, up to a tolerance?

The scores of D = A - B are bounded by vectors v with abs(rho) <= v and abs(M(a)) v <= v for every symbol a:
a row u of D then gives abs(D(x)) <= abs(u) v for all strings x read from there. A search in shortlex order
stops at rows whose bound is at most the tolerance. If that leaves none, the answer holds for all strings.

If A and B have as many states, D is also written with rows (u - w, w), for the rows u of A and w of B: its
matrices [[A, 0], [A - B, B]] are small where A and B have nearly the same weights. Bounds are found in
float64 and checked in fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from automata.aliases import Floats, Symbols, Weights
from automata.equivalence.answers import Answer, Different, Equivalent, Unknown, first_answer
from automata.equivalence.field import decide_rational
from automata.errors import InputError
from automata.io.number_text import plural, write_number
from automata.minimise import minimise
from automata.operations import remove_epsilon, scale, sum_of
from automata.semirings import REAL
from automata.wfsa import WFSA

MOST_ROWS = 5000
"""The most prefixes of the search."""
MOST_ROUNDS = 10_000
"""The most rounds in which a bound converges."""
SLACK = Fraction(1, 10**9)
"""How much larger than its limit a bound may be, relatively."""


def decide_within(
    a: WFSA, b: WFSA, tolerance: Fraction, tell: Callable[[str], None] = lambda stage: None
) -> Answer:
    """Decide whether abs(A(x) - B(x)) <= tolerance for all strings x.

    Args:
        a: over the real semiring.
        b: over the same alphabet, in the same order.
        tolerance: not negative.
        tell: is told what is being done.

    Returns:
        ``Different`` has the shortlex-least string whose scores differ by more.
    """
    if a.semiring is not REAL or b.semiring is not REAL:
        raise InputError(f"--within must be used with the real semiring, got {a.semiring.name}")
    answer = decide_rational(a, b, tell)
    if isinstance(answer, Equivalent):
        return Equivalent(answer.how)
    a, b = (remove_epsilon(automaton.to_exact()) for automaton in (a, b))
    forms = [minimise(sum_of(a, scale(b, -1))).automaton]
    if a.num_states == b.num_states:
        forms.append(_coupled(a, b))
    tell("bounds on the differences")
    bounds = [(form, _bound(form)) for form in forms]
    for form, bound in bounds:
        if bound is not None and abs(form.initial).dot(bound) <= tolerance:
            return _search(form, bound, a, b, tolerance)
    tell("strings whose scores differ")
    bounded = [(form, bound) for form, bound in bounds if bound is not None]
    return first_answer(partial(_search, *pair, a, b, tolerance) for pair in bounded or bounds[:1])


def _coupled(a: WFSA, b: WFSA) -> WFSA:
    """A - B on the rows (u - w, w) of the rows u of A and w of B."""
    none = REAL.zeros(a.num_states, a.num_states, exact=True)
    transitions = {
        s: np.block([[a.matrix(s), none], [a.matrix(s) - b.matrix(s), b.matrix(s)]]) for s in a.alphabet
    }
    initial = np.concatenate([a.initial - b.initial, b.initial])
    return WFSA(REAL, initial, np.concatenate([a.final, a.final - b.final]), transitions)


def _bound(form: WFSA) -> Weights | None:
    """Return v > 0 with abs(rho) <= v and abs(M) v <= v for all matrices, ``None`` if none is found."""
    try:
        matrices: Floats = np.abs(form.matrices.astype(np.float64))
        final: Floats = np.abs(form.final.astype(np.float64))
    except OverflowError:
        return None
    v = final
    for _ in range(MOST_ROUNDS):
        with np.errstate(over="ignore", invalid="ignore"):
            after = np.maximum(v, (matrices @ v).max(axis=0, initial=0.0)) if len(matrices) else v
        if not np.isfinite(after).all():
            return None
        done, v = bool((after <= v * (1 + 1e-13)).all()), after
        if done:
            break
    exact_matrices, exact_final = abs(form.matrices), abs(form.final)
    for slack in (Fraction(0), SLACK):
        candidate = np.array([Fraction(x) * (1 + slack) + slack * slack for x in v.tolist()], dtype=object)
        if (exact_final <= candidate).all() and all(
            (m.dot(candidate) <= candidate).all() for m in exact_matrices
        ):
            return candidate
    return None


def _search(form: WFSA, bound: Weights | None, a: WFSA, b: WFSA, tolerance: Fraction) -> Answer:
    queue: list[tuple[Symbols, Weights]] = [((), form.initial)]
    longest: int | None = None
    for string, row in queue:
        difference = row.dot(form.final) if form.num_states else Fraction(0)
        if abs(difference) > tolerance:
            scores = tuple(_score(automaton, string) for automaton in (a, b))
            return Different(string, (scores[0], scores[1]), tolerance=tolerance)
        if bound is not None and abs(row).dot(bound) <= tolerance:
            continue
        if len(queue) >= MOST_ROWS:  # those before the continuations of this string are still looked at
            longest = len(string) if longest is None else longest
            continue
        queue += [((*string, s), after) for s in form.alphabet if (after := row.dot(form.matrix(s))).any()]
    if longest is not None:
        return Unknown(
            f"no string of at most {plural(longest, 'symbol')} has scores that differ by more than"
            f" {write_number(tolerance)}, and no bound on longer ones is"
            f" {'found' if bound is None else 'small enough'}",
            longest,
        )
    return Equivalent(f"the scores of no string differ by more than {write_number(tolerance)}")


def _score(automaton: WFSA, string: Symbols) -> Fraction:
    row = automaton.initial
    for symbol in string:
        row = row.dot(automaton.matrix(symbol))
    return Fraction(row.dot(automaton.final) if automaton.num_states else 0)
