"""Automata as AT&T text, OpenFst's: a line an arc (source, target, symbol, weight) or a final state (state, weight).

Weights are written as OpenFst keeps them, as costs: min-plus as it is, max-plus and log negated, boolean not at all. The
other semirings write their plain number. So ``fstcompile`` reads min-plus and max-plus files with its standard arc type
and log files with ``log64``. The first line's source is the start state; several initial states, or one whose weight is not
one, get a start state of their own with epsilon arcs to them.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Any

from automata.errors import FormatError, InputError
from automata.number_text import parse_number, shorten
from automata.semirings import BOOLEAN, LOG, MAX_PLUS, MIN_PLUS, Semiring
from automata.wfsa import EPSILON, WFSA

EPSILON_NAMES = ("<epsilon>", "<eps>", "0")
COSTS_ARE_NEGATED = (MAX_PLUS, LOG)


def dumps(automaton: WFSA, round_weights: bool = False) -> str:
    """The automaton as AT&T text.

    Raises :class:`~automata.errors.InputError` for a symbol with white space in it, and, without ``round_weights``, for a
    weight that no finite decimal writes.
    """
    k = automaton.semiring

    def write(weight: Any) -> str:
        return _write(k, weight, round_weights)

    starts = [(q, w) for q, w in enumerate(automaton.initial.tolist()) if w != k.zero]
    own_start = [(automaton.states, q, EPSILON, w) for q, w in starts]
    lines: list[str] = []
    plain = len(starts) == 1 and starts[0][1] == k.one
    rows = [*([] if plain else own_start), *automaton.edges()]
    first = starts[0][0] if plain else automaton.states
    rows.sort(key=lambda row: row[0] != first)
    finals = [(q, w) for q, w in enumerate(automaton.final.tolist()) if w != k.zero]
    if not rows or rows[0][0] != first:
        # Nothing leaves the start state: its final weight, if any, has to come first and name it.
        finals.sort(key=lambda row: row[0] != first)
        if not finals or finals[0][0] != first:
            finals.insert(0, (first, k.zero))
        lines += _final_lines(finals[:1], write)
        finals = finals[1:]
    lines += [f"{p}\t{q}\t{_label(s)}\t{_label(s)}{write(w)}" for p, q, s, w in rows]
    return "\n".join([*lines, *_final_lines(finals, write)]) + "\n"


def dumps_symbols(automaton: WFSA) -> str:
    """The symbol table: epsilon is 0, the alphabet follows in its order."""
    names = [EPSILON_NAMES[0], *map(_label, automaton.alphabet)]
    return "".join(f"{name}\t{i}\n" for i, name in enumerate(names))


def loads_symbols(text: str, where: str = "symbols") -> dict[str, int]:
    """A symbol table: name and number on each line."""
    table: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 2 or not re.fullmatch(r"\d{1,18}", parts[1], re.ASCII):
            raise FormatError(f"{where}: line {number}: is {shorten(line)}, where a symbol and its number are right")
        if parts[0] in table or int(parts[1]) in table.values():
            raise FormatError(f"{where}: line {number}: gives {shorten(parts[0])} or its number a second time")
        table[parts[0]] = int(parts[1])
    return table


def loads(text: str, semiring: Semiring | None = None, symbols: dict[str, int] | None = None, where: str = "att") -> WFSA:
    """The automaton that an AT&T text describes.

    Args:
        text: the lines; labels are the table's names or numbers, or without a table any names (``<epsilon>``, ``<eps>``
            and ``0`` are epsilon).
        semiring: default min-plus.
        symbols: the symbol table; it gives the alphabet its order, and the symbols that no arc reads.
        where: what to call the text in errors.
    """
    k = MIN_PLUS if semiring is None else semiring
    names = {} if symbols is None else {str(i): name for name, i in symbols.items()}
    silent = {*EPSILON_NAMES, *([names["0"]] if "0" in names else [])}
    alphabet = dict.fromkeys(s for s in (symbols or {}) if s not in silent)
    arcs: list[tuple[int, int, str, Any]] = []
    finals: list[tuple[int, Any]] = []
    numbers: dict[int, None] = {}
    lines = [line.split() for line in text.splitlines()]
    two_labels = _has_output_labels(lines)
    for number, parts in enumerate(lines, 1):
        if not parts:
            continue
        here = f"{where}: line {number}"
        if len(parts) > 5:
            raise FormatError(f"{here}: has {len(parts)} columns, where source, target, symbol, symbol, weight are right")
        states, labels, weight = _columns(parts, two_labels)
        for state in states:
            if not re.fullmatch(r"\d{1,9}", state, re.ASCII):
                raise FormatError(f"{here}: names state {shorten(state)}, where a number is right")
            numbers.setdefault(int(state))
        value = _read(k, weight, here)
        if not labels:
            finals.append((int(states[0]), value))
            continue
        if labels[0] != labels[-1]:
            raise FormatError(f"{here}: turns {shorten(labels[0])} into {shorten(labels[1])}, where an acceptor is right")
        symbol = EPSILON if labels[0] in silent else names.get(labels[0], labels[0])
        if symbols is not None and symbol not in alphabet and symbol != EPSILON:
            raise FormatError(f"{here}: reads {shorten(symbol)}, which is not in the symbol table")
        if symbol != EPSILON:
            alphabet.setdefault(symbol)
        arcs.append((int(states[0]), int(states[1]), symbol, value))
    order = sorted(numbers)
    place = {q: i for i, q in enumerate(order)}
    initial = [(place[next(iter(numbers))], k.one)] if numbers else []
    try:
        return WFSA.from_edges(
            k, len(order), alphabet, initial, [(place[q], w) for q, w in finals],
            [(place[p], place[q], s, w) for p, q, s, w in arcs],
        )  # fmt: skip
    except InputError as error:
        raise FormatError(f"{where}: {error}") from None


def _has_output_labels(rows: list[list[str]]) -> bool:
    """Do four columns mean two labels (as ``fstprint`` writes them) or one and a weight (``fstprint --acceptor``)?

    Two labels, where some line has five columns, or where the last two of every four are the same.
    """
    fours = [parts for parts in rows if len(parts) == 4]
    return any(len(parts) == 5 for parts in rows) or all(parts[2] == parts[3] for parts in fours)


def _columns(parts: list[str], two_labels: bool) -> tuple[list[str], list[str], str | None]:
    """States, labels (none for a final state), and the weight, if it is there."""
    if len(parts) <= 2:
        return parts[:1], [], parts[1] if len(parts) == 2 else None
    labels = parts[2:4] if two_labels else parts[2:3]
    weights = parts[2 + len(labels) :]
    return parts[:2], labels, weights[0] if weights else None


def _final_lines(finals: list[tuple[int, Any]], write: Any) -> list[str]:
    return [f"{q}{write(w)}" for q, w in finals]


def _label(symbol: Any) -> str:
    if symbol == EPSILON:
        return EPSILON_NAMES[0]
    if not isinstance(symbol, str) or symbol.split() != [symbol] or symbol in EPSILON_NAMES:
        raise InputError(f"symbol {shorten(symbol)} cannot be written as AT&T text: a word without white space is right")
    return symbol


def _write(k: Semiring, weight: Any, round_weights: bool) -> str:
    if k is BOOLEAN:
        return "" if weight else "\tInfinity"
    if k is LOG:
        return f"\t{_infinity(-weight)}" if abs(weight) == float("inf") else f"\t{-float(weight)!r}"
    exact = k.exact(weight)
    cost = -exact if k in COSTS_ARE_NEGATED else exact
    if isinstance(cost, float):
        return f"\t{_infinity(cost)}"
    return f"\t{_decimal(Fraction(cost), round_weights)}"


def _infinity(cost: float) -> str:
    return "Infinity" if cost > 0 else "-Infinity"


def _decimal(value: Fraction, round_weights: bool) -> str:
    context = Context(prec=1200, Emax=999999, Emin=-999999, traps=[Inexact])
    try:
        text = str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
    except Inexact:
        if round_weights:
            try:
                return str(Decimal(float(value)))  # all digits, so that it is read back as that float64 and nothing near it
            except OverflowError:
                raise InputError(f"weight {shorten(str(value))} is beyond float64, to which --round rounds") from None
        raise InputError(
            f"weight {shorten(str(value))} has no finite decimal, and AT&T text has decimals only; --round rounds it"
        ) from None
    return text


def _read(k: Semiring, text: str | None, here: str) -> Any:
    if text is None:
        return k.one
    try:
        lowered = re.sub(r"infinity", "inf", text.lower())
        if k is BOOLEAN:
            return parse_number(lowered) != float("inf")
        value = parse_number(lowered)
        value = -value if k in COSTS_ARE_NEGATED else value
        return k.parse(str(value))
    except InputError as error:
        raise FormatError(f"{here}: {error}") from None
