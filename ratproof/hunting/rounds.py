"""Work that is numbered, and what came of it.

A target is a test of a claim's variant that draws its cases; a round is fifty examples of it. Seed, target
and number say which: the same three give the same examples wherever, whenever and beside whatever they run.

>>> first = Round("proposition-7-corrected-sampled", 0)
>>> seed_of(7, first) == seed_of(7, first) != seed_of(8, first)
True
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from typing import Any

from automata.errors import FormatError
from automata.testing.edge_cases import CORNERS
from automata.text.number_text import shorten
from automata.text.printable_text import has_half_a_character, printable

EXAMPLES = 50
"""Examples a round: one alone would always be Hypothesis's simplest."""
VERDICTS = ("holds", "refuted", "unknown", "error")
DIGEST = re.compile(r"[0-9a-f]{32}")
WAY = re.compile(r"[a-z][a-z0-9 -]{0,39}")
SEED_BYTES = 6
MOST_CASES = 10**9
"""Cases of a round, and seconds that it takes, are fewer."""
MOST_SENT = 64 << 20
"""Bytes of what a worker sends, at most: a chunk of counterexamples has a few megabytes."""
MOST_SAID = 2000
"""Characters of what a row says in words, at most."""
NONE = type(None)


@dataclass(frozen=True, order=True, slots=True)
class Round:
    """A round of a target; the driver has millions."""

    target: str
    number: int


@dataclass(frozen=True)
class RoundRow:
    """What came of a round.

    Attributes:
        target, number: of the round.
        digest: of its examples, in their order, as far as the first that failed.
        verdict: of :data:`VERDICTS`; ``error``: something else than a counterexample was raised.
        cases: compared, shrinking and all.
        seconds: that it took.
        way: of comparing: exact, network, gradient, other.
        corners: of automata and strings that were seen.
        counterexample: as JSON; ``None`` without.
        test: that ran.
        why: it is no ``holds``.
    """

    target: str
    number: int
    digest: str
    verdict: str
    cases: int
    seconds: float
    way: str = "other"
    corners: tuple[str, ...] = ()
    counterexample: dict[str, Any] | None = None
    test: str = ""
    why: str = ""

    @property
    def round(self) -> Round:
        """Which."""
        return Round(self.target, self.number)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)


def seed_of(seed: int, one: Round) -> int:
    """The seed of a round's examples: a keyed hash of target and number."""
    key = blake2b(str(seed).encode(), digest_size=32).digest()
    name = f"{one.target}\n{one.number}".encode()
    return int.from_bytes(blake2b(name, key=key, digest_size=SEED_BYTES).digest())


def require_row(said: dict[str, Any], where: str) -> None:
    """Raise :class:`~automata.errors.FormatError`, which names the field, where the values of a row are none
    that a round can have: sent by a worker, or read from a ledger.
    """
    right = {
        "target": is_text(said["target"]) and said["target"] != "",
        "number": type(said["number"]) is int and 0 <= said["number"] < 1 << 63,
        "digest": isinstance(said["digest"], str) and DIGEST.fullmatch(said["digest"]) is not None,
        "verdict": isinstance(said["verdict"], str) and said["verdict"] in VERDICTS,
        "cases": type(said["cases"]) is int and 0 <= said["cases"] < MOST_CASES,
        "seconds": type(said["seconds"]) in (int, float) and 0 <= said["seconds"] < MOST_CASES,
        "way": isinstance(said["way"], str) and WAY.fullmatch(said["way"]) is not None,
        "corners": _are_corners(said["corners"]),
        "why": is_text(said["why"]),
    }
    wrong = next((name for name, fits in right.items() if not fits), None)
    if wrong is not None:
        raise FormatError(
            f"{where} a row of {shown(said['target'])}, {shown(said['number'])}, whose {wrong} is"
            f" {shown(said[wrong], quoted=True)}"
        )


def shown(value: Any, quoted: bool = False) -> str:
    """So that a message can hold it."""
    whole = is_text(value) and not quoted
    return printable(value if whole else shorten(value))


def is_text(value: Any) -> bool:
    """Can a file, a ledger and a terminal take it?"""
    return isinstance(value, str) and len(value) <= MOST_SAID and not has_half_a_character(value)


def _are_corners(value: Any) -> bool:
    names = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return names and len(set(value)) == len(value) and set(value) <= set(CORNERS)


def greeting_from(text: bytes) -> dict[str, Any]:
    """What a worker says first: its installation and its targets, or what is wrong.

    Raises :class:`~automata.errors.FormatError`: it is nothing of the kind.
    """
    said = _json(text)
    targets = said.get("targets") if isinstance(said, dict) else None
    if isinstance(said, dict) and isinstance(said.get("error"), str):
        return {"error": said["error"]}
    if not isinstance(targets, list) or not targets or not all(isinstance(t, str) for t in targets):
        raise FormatError("a worker did not say which targets it has")
    if len(set(targets)) < len(targets):
        raise FormatError("a worker named a target twice")
    return dict(said)


def _json(text: bytes) -> Any:
    if len(text) > MOST_SENT:
        raise FormatError(f"a worker sent {len(text):,} bytes, where at most {MOST_SENT:,} are right")
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise FormatError("a worker sent what is no JSON") from None


def _refuse(constant: str) -> Any:
    """``NaN`` and ``Infinity`` are Python's, not JSON's."""
    raise ValueError(constant)


def rows_from(text: bytes, chunk: list[Round]) -> list[RoundRow]:
    """The rows that a worker sent for a chunk.

    Raises :class:`~automata.errors.FormatError`: it is not JSON, or not one right row for each round.
    """
    said = _json(text)
    rows = said.get("rows") if isinstance(said, dict) else None
    if not isinstance(rows, list) or len(rows) != len(chunk):
        raise FormatError(f"a worker sent no list of {len(chunk)} rows")
    return [_row(row, one) for row, one in zip(rows, chunk, strict=True)]


def _row(said: Any, one: Round) -> RoundRow:
    names = {field.name for field in fields(RoundRow)}
    if not isinstance(said, dict) or set(said) != names:
        raise FormatError("a worker sent a row whose fields are not those of a row")
    require_row(said, "a worker sent")
    right = {
        "target": said["target"] == one.target,
        "number": said["number"] == one.number,
        # a refutation without a counterexample would be believed, and one beside another verdict overlooked
        "counterexample": isinstance(said["counterexample"], dict if said["verdict"] == "refuted" else NONE),
        "test": is_text(said["test"]),
    }
    wrong = next((name for name, fits in right.items() if not fits), None)
    if wrong is not None:
        raise FormatError(
            f"a worker sent a row of {one.target}, {one.number}, whose {wrong} is"
            f" {shown(said[wrong], quoted=True)}"
        )
    return RoundRow(**{**said, "corners": tuple(said["corners"])})
