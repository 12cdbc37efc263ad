"""Numbered rounds of random cases, and their results.

A target is a test of a claim's variant that draws random cases. A round consists of fifty examples of a
target. The seed, the target and the number of the round determine its examples, on any machine and at any
time.

>>> first = Round("proposition-7-corrected-sampled", 0)
>>> seed_of(7, first) == seed_of(7, first) != seed_of(8, first)
True
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from typing import Any, NoReturn

from automata.aliases import JsonObject
from automata.errors import FormatError
from automata.testing.edge_cases import EDGE_CASES
from automata.text.number_text import shorten
from automata.text.printable_text import has_half_a_character, printable

EXAMPLES = 50
"""Number of examples per round. It exceeds 1, because Hypothesis always draws its simplest example first."""
VERDICTS = ("holds", "refuted", "unknown", "error")
DIGEST = re.compile(r"[0-9a-f]{32}")
WAY = re.compile(r"[a-z][a-z0-9 -]{0,39}")
SEED_BYTES = 6
MOST_CASES = 10**9
"""Upper limit on the number of cases of a round, and on its duration in seconds."""
MOST_SENT = 64 << 20
"""Maximum size of a worker's message in bytes. The results with many counterexamples need a few megabytes."""
MOST_SAID = 2000
"""Maximum number of characters of a string in the result of a round."""
NONE = type(None)


@dataclass(frozen=True, order=True, slots=True)
class Round:
    """The target and the number of a round.

    The class has slots, because a hunt can have millions of instances.
    """

    target: str
    number: int


@dataclass(frozen=True)
class RoundRow:
    """The result of a round.

    Attributes:
        target, number: Target and number of the round.
        digest: Hash of the round's examples in order, up to the first failure.
        verdict: One of :data:`VERDICTS`; ``error`` for an exception other than a refutation.
        cases: Number of compared cases, including shrinking.
        seconds: Duration of the round in seconds.
        way: Way of comparing: exact, network, gradient or other.
        corners: The edge cases of automata and strings that occurred.
        counterexample: The counterexample as JSON, or ``None``.
        test: The test that ran.
        why: The reason for a verdict other than ``holds``.
    """

    target: str
    number: int
    digest: str
    verdict: str
    cases: int
    seconds: float
    way: str = "other"
    corners: tuple[str, ...] = ()
    counterexample: JsonObject | None = None
    test: str = ""
    why: str = ""

    @property
    def round(self) -> Round:
        """Return the round of this result."""
        return Round(self.target, self.number)

    def to_json(self) -> JsonObject:
        """Return the row as a JSON object."""
        return asdict(self)


def seed_of(seed: int, one: Round) -> int:
    """Return the seed of a round's random examples.

    It is a hash of the round's target and number, with the seed of the hunt as the key.
    """
    key = blake2b(str(seed).encode(), digest_size=32).digest()
    name = f"{one.target}\n{one.number}".encode()
    return int.from_bytes(blake2b(name, key=key, digest_size=SEED_BYTES).digest())


def require_row(row: JsonObject, where: str) -> None:
    """Raise :class:`~automata.errors.FormatError` if a field of the result of a round is invalid.

    The result comes from a worker or from a ledger. The error message begins with ``where``, such as
    "a worker sent", and names the field.
    """
    right = {
        "target": is_text(row["target"]) and row["target"] != "",
        "number": type(row["number"]) is int and 0 <= row["number"] < 1 << 63,
        "digest": isinstance(row["digest"], str) and DIGEST.fullmatch(row["digest"]) is not None,
        "verdict": isinstance(row["verdict"], str) and row["verdict"] in VERDICTS,
        "cases": type(row["cases"]) is int and 0 <= row["cases"] < MOST_CASES,
        "seconds": type(row["seconds"]) in (int, float) and 0 <= row["seconds"] < MOST_CASES,
        "way": isinstance(row["way"], str) and WAY.fullmatch(row["way"]) is not None,
        "corners": _are_corners(row["corners"]),
        "why": is_text(row["why"]),
    }
    wrong = next((name for name, fits in right.items() if not fits), None)
    if wrong is not None:
        raise FormatError(
            f"{where} a row of {shown(row['target'])}, {shown(row['number'])}, whose '{wrong}' is invalid:"
            f" {shown(row[wrong], quoted=True)}"
        )


def shown(value: object, quoted: bool = False) -> str:
    """Return a value in printable and short form for a message."""
    as_is = is_text(value) and not quoted
    return printable(value if as_is else shorten(value))


def is_text(value: object) -> bool:
    """Return whether the value is a string that can be stored in a ledger and printed.

    Such a string has at most ``MOST_SAID`` characters and no lone surrogates.
    """
    return isinstance(value, str) and len(value) <= MOST_SAID and not has_half_a_character(value)


def _are_corners(value: Any) -> bool:
    names = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return names and len(set(value)) == len(value) and set(value) <= set(EDGE_CASES)


def first_message_from(text: bytes) -> JsonObject:
    """Parse the first message of a worker, which contains its installation and targets, or an error.

    Raises:
        FormatError: If the message is invalid.
    """
    message = _json(text)
    targets = message.get("targets") if isinstance(message, dict) else None
    if isinstance(message, dict) and isinstance(message.get("error"), str):
        return {"error": message["error"]}
    if not isinstance(targets, list) or not targets or not all(isinstance(t, str) for t in targets):
        raise FormatError("the first message of a worker must list its targets")
    if len(set(targets)) < len(targets):
        raise FormatError("the targets of a worker must be distinct")
    return dict(message)


def _json(text: bytes) -> Any:
    if len(text) > MOST_SENT:
        raise FormatError(f"a worker's message must have at most {MOST_SENT:,} bytes, got {len(text):,}")
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise FormatError("a worker's message must be JSON") from None


def _refuse(constant: str) -> NoReturn:
    """Raise an error for ``NaN`` and ``Infinity``, which are not JSON."""
    raise ValueError(constant)


def rows_from(text: bytes, chunk: list[Round]) -> list[RoundRow]:
    """Parse the message of a worker with the results of a chunk of rounds, and return one row per round.

    Raises:
        FormatError: If the message is not JSON, or does not contain one valid row per round.
    """
    message = _json(text)
    rows = message.get("rows") if isinstance(message, dict) else None
    if not isinstance(rows, list) or len(rows) != len(chunk):
        raise FormatError(f"a worker's message must be a list of {len(chunk)} rows")
    return [_row(row, one) for row, one in zip(rows, chunk, strict=True)]


def _row(row: object, one: Round) -> RoundRow:
    names = {field.name for field in fields(RoundRow)}
    if not isinstance(row, dict) or set(row) != names:
        raise FormatError("a worker sent a row with missing or unknown fields")
    require_row(row, "a worker sent")
    right = {
        "target": row["target"] == one.target,
        "number": row["number"] == one.number,
        # a row has a counterexample if and only if its verdict is "refuted"
        "counterexample": isinstance(row["counterexample"], dict if row["verdict"] == "refuted" else NONE),
        "test": is_text(row["test"]),
    }
    wrong = next((name for name, fits in right.items() if not fits), None)
    if wrong is not None:
        raise FormatError(
            f"a worker sent a row of {one.target}, {one.number}, whose '{wrong}' is invalid:"
            f" {shown(row[wrong], quoted=True)}"
        )
    return RoundRow(**{**row, "seconds": float(row["seconds"]), "corners": tuple(row["corners"])})
