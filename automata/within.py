"""Decision of whether two real automata give every string the same score, up to a tolerance.

The scores of D = A - B are bounded by a vector v with abs(rho) <= v and abs(M(a)) v <= v for every symbol a.
After a prefix with the row u, the scores of D on all continuations are at most abs(u) v in magnitude. A
search in shortlex order does not continue from rows whose bound is at most the tolerance. If no other rows
remain, the result holds for all strings.

If no such v exists for D, one often exists for the reversal of D.

If A and B have the same number of states, D has a second representation, whose rows are (u - w, w) for the
rows u of A and w of B. In its matrices [[A, 0], [A - B, B]], the block A - B is small if A and B have nearly
the same weights. Bounds are found in float64 and checked in fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import flint
import numpy as np

from automata.aliases import Floats, Symbols, Weight, Weights
from automata.equivalence import equivalent
from automata.equivalence.answers import Answer, Different, Equivalent, Unknown, first_answer
from automata.errors import InputError
from automata.minimise import minimise
from automata.operations import remove_epsilon, reverse, scale, sum_of
from automata.semirings import REAL
from automata.text.number_text import plural, write_number
from automata.wfsa import WFSA

MOST_ROWS = 5000
"""Maximum number of prefixes of the search."""
MOST_ROUNDS = 10_000
"""Maximum number of rounds until a bound converges."""
NEAR = 1e-9
"""Relative difference below which candidates count as equal when a symbol is selected."""


def decide_within(
    a: WFSA, b: WFSA, tolerance: Fraction, progress: Callable[[str], None] = lambda stage: None
) -> Answer:
    """Decide whether abs(A(x) - B(x)) <= tolerance for all strings x.

    Args:
        a: an automaton over the real semiring.
        b: an automaton over the same semiring and the same ordered alphabet.
        tolerance: the nonnegative tolerance.
        progress: a callback that receives the current stage as text.

    Returns:
        The result. ``Different`` has the shortlex-least string whose scores differ by more than the
        tolerance.
    """
    if a.semiring is not REAL or b.semiring is not REAL:
        raise InputError(f"--within requires the real semiring, got {a.semiring.name}")
    answer = equivalent(a, b, progress=progress)
    if isinstance(answer, Equivalent):
        return Equivalent(answer.how)
    a, b = (remove_epsilon(automaton.to_exact()) for automaton in (a, b))
    forms = [minimise(sum_of(a, scale(b, -1))).automaton]
    if a.num_states == b.num_states:
        forms.append(_coupled(a, b))
    progress("bounding the differences of the scores")
    bounds = [(form, _bound(form)) for form in forms]
    mirrored = [(turned, _bound(turned)) for turned in map(reverse, forms)]
    for form, bound in (*bounds, *mirrored):
        if bound is not None and abs(form.initial).dot(bound) <= tolerance:
            return Equivalent(f"for every string, the scores differ by at most {write_number(tolerance)}")
    progress("searching for a string whose scores differ")
    bounded = [(form, bound) for form, bound in bounds if bound is not None]
    return first_answer(partial(_search, *pair, a, b, tolerance) for pair in bounded or bounds[:1])


def _coupled(a: WFSA, b: WFSA) -> WFSA:
    """Return an automaton with the scores A(x) - B(x).

    Its Forward vectors are (u - w, w), for the Forward vectors u of A and w of B.
    """
    none = REAL.zeros(a.num_states, a.num_states, exact=True)
    transitions = {
        s: np.block([[a.matrix(s), none], [a.matrix(s) - b.matrix(s), b.matrix(s)]]) for s in a.alphabet
    }
    initial = np.concatenate([a.initial - b.initial, b.initial])
    return WFSA(REAL, initial, np.concatenate([a.final, a.final - b.final]), transitions)


def _bound(form: WFSA) -> Weights | None:
    """Return v with abs(rho) <= v and abs(M) v <= v for all matrices, exactly; ``None`` if none is found.

    The least such v is a fixed point: each state selects its final weight or one symbol. The selection is
    found by iteration in float64, and v then by linear equations.
    """
    try:
        matrices: Floats = np.abs(form.matrices.astype(np.float64))
        final: Floats = np.abs(form.final.astype(np.float64))
    except OverflowError:
        return None
    v = final
    for _ in range(MOST_ROUNDS):
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.concatenate([final[None], matrices @ v])
        if not np.isfinite(values).all():
            return None
        before, v = v, values.max(axis=0)
        if (v <= before * (1 + NEAR / 1000)).all():
            break
    choice = (values >= v * (1 - NEAR)).argmax(axis=0).tolist()
    rows, ends = abs(form.matrices).tolist(), abs(form.final).tolist()
    n = form.num_states
    system = [
        [_fmpq(int(p == q) - (rows[a - 1][p][q] if a else 0)) for q in range(n)] for p, a in enumerate(choice)
    ]
    ends_chosen = [[_fmpq(0 if a else end)] for a, end in zip(choice, ends, strict=True)]
    try:
        solved = flint.fmpq_mat(system).solve(flint.fmpq_mat(ends_chosen)).entries() if n else []
    except ZeroDivisionError:
        return None
    bound: Weights = np.array([Fraction(int(x.p), int(x.q)) for x in solved], dtype=object)
    sound = (abs(form.final) <= bound).all() and all(
        (matrix.dot(bound) <= bound).all() for matrix in abs(form.matrices)
    )
    return bound if sound else None


def _fmpq(value: Weight) -> flint.fmpq:
    exact = Fraction(value)
    return flint.fmpq(exact.numerator, exact.denominator)


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
        if len(queue) >= MOST_ROWS:  # examine the other strings in the queue, but do not extend this one
            longest = len(string) if longest is None else longest
            continue
        queue += [((*string, s), after) for s in form.alphabet if (after := row.dot(form.matrix(s))).any()]
    if longest is not None:
        return Unknown(
            f"for every string of at most {plural(longest, 'symbol')}, the scores differ by at most"
            f" {write_number(tolerance)}, but no bound for longer strings was"
            f" {'found' if bound is None else 'small enough'}",
            longest,
        )
    return Equivalent(f"for every string, the scores differ by at most {write_number(tolerance)}")


def _score(automaton: WFSA, string: Symbols) -> Fraction:
    row = automaton.initial
    for symbol in string:
        row = row.dot(automaton.matrix(symbol))
    return Fraction(row.dot(automaton.final) if automaton.num_states else 0)
