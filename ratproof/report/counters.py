"""The report on the certification of a counter, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from automata.aliases import JsonObject
from automata.rounding.formats import rounded_up
from automata.text.printable_text import write_string
from ratproof.certification.counters.certify import CounterCertification, CounterTheorem


def sentences(answer: CounterCertification) -> Iterator[str]:
    """Yield the lines that ``certify`` prints for a counter."""
    if answer.verdict == "certified":
        yield "certified: the network decides balanced parentheses"
    elif answer.word is not None:
        yield f"different: the soft network is wrong on {write_string(list(answer.word))}"
    else:
        missing = [t for t in (answer.soft, answer.saturated) if t.boxes is None]
        yield f"unknown: {'; '.join(f'{_gates(t)}: {t.why}' for t in missing)}"
    for theorem in (answer.soft, answer.saturated):
        reach = "of every length" if theorem.length is None else f"of length at most {theorem.length}"
        if theorem.boxes is None:
            wrong = "" if theorem.word is None else f": wrong on {write_string(list(theorem.word))}"
            yield (
                f"  {_gates(theorem)}: not proved for strings {reach} and height at most {theorem.height}"
                f"{wrong}"
            )
        else:
            yield (
                f"  {_gates(theorem)}: correct on all strings {reach} and height at most {theorem.height}"
                f" (proved, {len(theorem.boxes.explored.classes)} boxes)"
            )
    yield from _reading(answer)


def _gates(theorem: CounterTheorem) -> str:
    return "saturated gates" if theorem.length is None else "soft network"


def _reading(answer: CounterCertification) -> Iterator[str]:
    reading = answer.reading
    yield (
        f"  linear fit of the depth from the cell state, on {reading.strings} sampled prefixes of length"
        f" {reading.length}: R^2 = {reading.r_squared:.7f}, largest error {reading.largest_error:.2g}, drift"
        f" {reading.drift:.1g} per symbol"
    )
    named = {"(": '"("', ")": '")"', "letter": "letters"}
    depth_changes = "; ".join(
        f"{named[name]} {low:.6f} to {high:.6f}" for name, (low, high) in reading.depth_changes.items()
    )
    if depth_changes:
        yield f"  change of the fitted depth per symbol: {depth_changes}"
    yield (
        f"  fit of the depth from unit {reading.unit} only: depth = {reading.scale:.6g} c +"
        f" {reading.shift:.2g}, largest error on the samples {reading.unit_error:.2g}"
    )
    if reading.proved_error is not None:
        yield (
            f"    its error is at most {_two_digits_up(reading.proved_error):.2g} on all living strings that"
            " the theorem on the soft network covers (proved)"
        )


def _two_digits_up(number: Fraction) -> Decimal:
    """Return the smallest decimal number of two digits that is at least the positive ``number``."""
    numerator, denominator = map(Decimal, number.as_integer_ratio())
    return Context(prec=2, rounding=ROUND_CEILING).divide(numerator, denominator)


def as_json_object(answer: CounterCertification, certificate: str | None) -> JsonObject:
    """Return the object that ``certify --json`` prints for a counter."""
    reading, tau = answer.reading, answer.numbers.temperature
    return {
        "verdict": answer.verdict,
        "temperature": None if tau is None else str(tau),
        "word": None if answer.word is None else list(answer.word),
        "soft": _theorem(answer.soft),
        "saturated": _theorem(answer.saturated),
        "reading": {
            "weights": reading.weights.tolist(),
            "offset": reading.offset,
            "r_squared": reading.r_squared if reading.r_squared == reading.r_squared else None,
            "largest_error": reading.largest_error,
            "turns": {name: list(ends) for name, ends in reading.depth_changes.items()},
            "drift": reading.drift,
            "unit": reading.unit,
            "scale": reading.scale,
            "shift": reading.shift,
            "unit_error": reading.unit_error,
            "proved_error": None if reading.proved_error is None else rounded_up(reading.proved_error),
            "strings": reading.strings,
            "length": reading.length,
        },
        "certificate": certificate,
    }


def _theorem(theorem: CounterTheorem) -> JsonObject:
    return {
        "proved": theorem.boxes is not None,
        "height": theorem.height,
        "length": theorem.length,
        "boxes": None if theorem.boxes is None else len(theorem.boxes.explored.classes),
        "why": theorem.why or None,
        "word": None if theorem.word is None else list(theorem.word),
    }
