"""Reading and writing of automata as AT&T text, the text format of OpenFst.

Each line is an arc (source, target, symbol, symbol, weight) or a final state (state, weight). Weights are
written as OpenFst's costs: min-plus weights unchanged, max-plus and log weights negated, boolean true as 0
and false as Infinity. Weights of the other semirings are written as numbers. ``fstcompile`` therefore reads
min-plus, max-plus and boolean files with its standard arc type, and log files with ``log64``.

The first line's source is the start state. An automaton with several initial states, or with an initial
weight other than one, gets an additional start state with epsilon arcs to its initial states. A state that no
other line mentions has a line with the final weight zero.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import cache

from automata.aliases import Weight
from automata.errors import FormatError, InputError, LimitReached
from automata.io.att_lines import LONGEST, lines
from automata.io.symbol_tables import alphabet_of, dumps_symbols, label, loads_symbols, symbols_of
from automata.semirings import MIN_PLUS, Semiring
from automata.symbols import EPSILON
from automata.text.number_text import MOST_DIGITS, parse_number, shorten, write_number
from automata.weights import warn_merged
from automata.wfsa import WFSA, require_states

__all__ = ["dumps", "dumps_symbols", "loads", "loads_symbols"]


def dumps(automaton: WFSA, round_weights: bool = False) -> str:
    """Write the automaton as AT&T text; see also :func:`dumps_symbols`.

    Raises InputError if a symbol cannot be written, or if a weight has no decimal of at most 4,300 digits. If
    ``round_weights`` is true, such a weight is rounded to the nearest float64.
    """
    k = automaton.semiring
    starts = [(q, w) for q, w in enumerate(automaton.initial.tolist()) if w != k.zero]
    plain = len(starts) == 1 and starts[0][1] == k.one
    first = starts[0][0] if plain else automaton.states
    own_start = [] if plain else [(first, q, EPSILON, w) for q, w in starts]
    arcs = sorted([*own_start, *automaton.edges()], key=lambda row: row[0] != first)
    named = {q for p, r, _, _ in arcs for q in (p, r)}
    # A state without arcs is written with its final weight. So is the start state, first, if no arc
    # leaves it.
    ends = {q: w for q, w in enumerate(automaton.final.tolist()) if w != k.zero or q not in named}
    leaves = bool(arcs) and arcs[0][0] == first
    before = {} if leaves else {first: ends.pop(first, k.zero)}

    @cache  # weights are often repeated
    def text(weight: Weight) -> str:
        return _write(k, weight, round_weights)

    def final(weights: dict[int, Weight]) -> list[str]:
        return [f"{q}\t{text(w)}" for q, w in weights.items()]

    written = {s: label(s) for s in (EPSILON, *automaton.alphabet)}
    reading = [f"{p}\t{q}\t{written[s]}\t{written[s]}\t{text(w)}" for p, q, s, w in arcs]
    rows = [*final(before), *reading, *final(ends)]
    for row in rows:
        if len(row) * 4 > LONGEST and len(row.encode()) > LONGEST:
            raise InputError(
                f"the line {shorten(row)} would have more than the {LONGEST} bytes that OpenFst reads"
            )
    return "\n".join(rows) + "\n"


def loads(
    text: str, semiring: Semiring | None = None, symbols: dict[str, int] | None = None, where: str = "att"
) -> WFSA:
    """Return the automaton that an AT&T text describes.

    Parallel transitions in the text are summed, and a ``UserWarning`` names them.

    Args:
        text: The AT&T text.
        semiring: The semiring; min-plus by default.
        symbols: The symbol table, which maps labels to symbols (see :mod:`automata.io.symbol_tables`). It
            also defines the order of the alphabet and may contain symbols that no arc reads.
        where: The name of the text in error messages.

    Raises:
        FormatError: If a line is invalid; the message names the line and the requirement.
    """
    k = MIN_PLUS if semiring is None else semiring
    rows = lines(text, where)
    labels: dict[str, int] = {}
    for row in rows:
        if len(set(row.labels)) > 1:
            turned = f"turns {shorten(row.labels[0])} into {shorten(row.labels[1])}"
            raise FormatError(
                f"{where}: line {row.number}: the line must be an acceptor, got a transducer: {turned}"
            )
        labels |= {text: row.number for text in row.labels if text not in labels}
    symbol = symbols_of(labels, symbols, where)
    number = {q: i for i, q in enumerate(sorted({q for row in rows for q in row.states}))}
    arcs: list[tuple[int, int, str, Weight]] = []
    finals: dict[int, Weight] = {}
    line_of: dict[int, int] = {}
    weights: dict[str | None, Weight] = {None: k.one}  # parsed weights by their text
    for row in rows:
        if row.weight is not None and row.weight not in weights:
            weights[row.weight] = _read(k, row.weight, f"{where}: line {row.number}")
        weight = weights[row.weight]
        source = number[row.states[0]]
        if row.labels:
            arcs.append((source, number[row.states[1]], symbol[row.labels[0]], weight))
        elif line_of.setdefault(source, row.number) == row.number:
            finals[source] = weight
        else:
            raise FormatError(
                f"{where}: line {row.number}: state {row.states[0]} must have one final weight, got a second"
                f" one after line {line_of[source]}"
            )
    arrows = ((row.states[0], row.states[1], symbol[row.labels[0]]) for row in rows if row.labels)
    warn_merged(where, arrows)
    initial = [(number[rows[0].states[0]], k.one)] if rows else []
    try:
        require_states(len(number))
    except LimitReached as error:  # a limit on files, not on computations
        raise FormatError(f"{where}: {error}") from None
    try:
        return WFSA.from_edges(
            k, len(number), alphabet_of(symbol.values(), symbols), initial, finals.items(), arcs
        )
    except LimitReached as error:
        raise error.about(where) from None
    except InputError as error:
        raise FormatError(f"{where}: {error}") from None


def _write(k: Semiring, weight: Weight, round_weights: bool) -> str:
    if k.is_boolean:
        return "0" if weight else "Infinity"
    if k.float_only:
        if not k.contains(float(weight)):
            raise InputError(f"weights must be in the range of float64 to be written, got {k.format(weight)}")
        return _infinity(-weight) if abs(weight) == float("inf") else repr(-float(weight))
    exact = k.exact(weight)
    cost = -exact if k.log_sign > 0 else exact
    return _infinity(cost) if isinstance(cost, float) else _decimal(Fraction(cost), round_weights)


def _infinity(cost: float) -> str:
    return "Infinity" if cost > 0 else "-Infinity"


def _decimal(value: Fraction, round_weights: bool) -> str:
    """Return the exact decimal text of a number.

    If it has no finite decimal or too many digits, round it to float64 if ``round_weights`` is true;
    otherwise raise InputError.
    """
    context = Context(prec=MOST_DIGITS, Emax=999999, Emin=-999999, traps=[Inexact])
    why = "no finite decimal, which AT&T text requires"
    if _is_finite_decimal(value.denominator):
        try:
            text = str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
            parse_number(text)
            return text
        except (Inexact, InputError):
            why = f"more than {MOST_DIGITS} digits as a decimal"
    if not round_weights:
        raise InputError(f"weight {shorten(write_number(value))} has {why}; pass --round to round it")
    try:
        return str(Decimal(float(value)))  # all digits, so that it is read back as exactly that float64
    except OverflowError:
        raise InputError(
            f"--round requires weights within the range of float64, got {shorten(write_number(value))}"
        ) from None


def _is_finite_decimal(denominator: int) -> bool:
    odd = denominator // (denominator & -denominator)
    fives: int = 5 ** (odd.bit_length() // 2)
    return fives % odd == 0


def _read(k: Semiring, text: str, here: str) -> Weight:
    try:
        cost = re.sub(r"infinity$", "inf", text.lower())
        value = parse_number(cost)
        if k.is_boolean and value == -float("inf"):
            raise InputError(
                f"a boolean weight must be 0 for true or Infinity for false, got {shorten(text)}"
            )
        if k.is_boolean:
            return value != float("inf")
        if k.log_sign > 0:
            cost = cost[1:] if cost[0] == "-" else "-" + cost.removeprefix("+")
        return k.parse(cost)
    except InputError as error:
        raise FormatError(f"{here}: {error}") from None
