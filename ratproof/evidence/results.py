"""What the tests showed: one result for each claim, variant and kind of evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.kinds import KINDS, TORCH, Verdict
from ratproof.evidence.ledger import joined


@dataclass(frozen=True)
class Observation:
    """What one run of one test showed.

    Attributes:
        ran: ``"torch"`` or ``"exact"``, what ran on strings; ``None`` for kinds that run on none.
        device: where torch ran; ``None`` where none did.
        informative: how many cases are of a network whose automata do not score all strings alike; ``None``
            for kinds that run on no strings, and for kernels, which have no automata.
        raised: what it raised, where it ran in this process.
    """

    claim: str
    variant: str
    kind: str
    expected: str
    verdict: Verdict
    test: str
    cases: int
    seconds: float
    ran: str | None = None
    device: str | None = None
    share: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    counterexample: Counterexample | None = None
    certificate: dict[str, Any] | None = None
    why: str = ""
    raised: BaseException | None = field(default=None, compare=False)
    informative: int | None = None

    def to_text(self) -> str:
        """On one line: how it comes from one process to another."""
        counterexample = None if self.counterexample is None else self.counterexample.to_json()
        return json.dumps(self.__dict__ | {"counterexample": counterexample, "raised": None})

    @classmethod
    def from_text(cls, text: str) -> Observation:
        """What :meth:`to_text` wrote."""
        data = json.loads(text)
        counterexample = data["counterexample"]
        data |= {
            "verdict": Verdict(data["verdict"]),
            "counterexample": None if counterexample is None else Counterexample(**counterexample),
        }
        return cls(**data)


@dataclass
class Result:
    """All that was observed for one claim, variant and kind, by what ran and where (or on one corpus).

    Attributes are those of an :class:`Observation`.
    """

    claim: str
    variant: str
    kind: str
    expected: str
    verdict: Verdict
    ran: str | None
    device: str | None
    seed: int | None
    cases: int = 0
    seconds: float = 0.0
    share: float | None = None
    counterexample: Counterexample | None = None
    certificate: dict[str, Any] | None = None
    tests: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    kept: str | None = None
    certificate_file: str | None = None
    informative: int | None = None

    @property
    def as_expected(self) -> bool:
        """Did the evidence say what it should?"""
        return self.verdict == self.expected

    @property
    def counted(self) -> int:
        """How many cases the report counts: the informative ones, for kinds that have some that are not."""
        return self.cases if self.informative is None else self.informative

    def to_json(self) -> dict[str, Any]:
        """As the contract of ``verify --json`` has it, and a few fields more."""
        shown = dict(self.__dict__)
        shown["verdict"] = str(self.verdict)
        shown["counterexample"] = None if self.counterexample is None else self.counterexample.to_json()
        return shown

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """The result that :meth:`to_json` wrote; ``KeyError``, ``TypeError`` or ``ValueError`` for what is
        none.
        """
        fields = {name: value for name, value in data.items() if name in cls.__dataclass_fields__}
        fields["verdict"] = Verdict(fields["verdict"])
        if fields.get("counterexample") is not None:
            fields["counterexample"] = Counterexample(**fields["counterexample"])
        return cls(**fields)


def require_expected(observations: Iterable[Observation]) -> None:
    """Raise what a run raised, or an ``AssertionError``, if a verdict is not the one that is expected."""
    for seen in observations:
        if seen.verdict != seen.expected:
            if seen.raised is not None:
                raise seen.raised
            raise AssertionError(
                f"{seen.claim}, variant {seen.variant}: expected {seen.expected}, found {seen.verdict};"
                f" {seen.why}"
            )


def gather(observations: Iterable[Observation], seed: int | None) -> list[Result]:
    """One result a claim, variant, kind, what ran on strings and where, corpus and rule file, in the order in
    which they came.

    Of several tests, one counterexample refutes; one that showed nothing makes the whole unknown, unless
    another refutes.
    """
    results: dict[tuple[Any, ...], Result] = {}
    for seen in observations:
        key = (
            seen.claim,
            seen.variant,
            seen.kind,
            seen.ran,
            seen.device if seen.ran == TORCH else None,
            seen.facts.get("text"),
            seen.facts.get("rules"),
        )
        new = Result(
            seen.claim, seen.variant, seen.kind, seen.expected, seen.verdict, seen.ran, seen.device, seed
        )
        result = results.setdefault(key, new)
        result.device = result.device or seen.device  # of other kinds, that of the tests in which torch ran
        before, result.verdict = result.verdict, _joined(result.verdict, seen.verdict)
        if result.verdict != before:
            result.certificate = None
        result.cases += seen.cases
        if seen.informative is not None:
            result.informative = (result.informative or 0) + seen.informative
        result.seconds = round(result.seconds + seen.seconds, 3)
        result.tests.append(seen.test)
        left_out = joined(result.facts.get("left_out", {}), seen.facts.get("left_out", {}))
        longest = [facts["longest"] for facts in (result.facts, seen.facts) if "longest" in facts]
        result.facts.update(seen.facts, **({"left_out": left_out} if left_out else {}))
        result.facts.update({"longest": max(longest)} if longest else {})
        result.why = result.why or seen.why
        if seen.share is not None:
            result.share = max(seen.share, result.share or 0.0)
        if seen.counterexample is not None and _simpler(seen.counterexample, result.counterexample):
            result.counterexample = seen.counterexample
        if (
            seen.verdict == result.verdict != Verdict.UNKNOWN
        ):  # what a certificate shows is of no use beside another verdict
            result.certificate = result.certificate or seen.certificate
    return list(results.values())


def in_order(results: Iterable[Result], variants: Mapping[str, Iterable[str]]) -> list[Result]:
    """Sorted as the claims are, then as each claim's variants are, then up the ladder; of one rung what ran
    in exact arithmetic comes first.

    Tests run in any order where several processes run them; the order of the results says nothing of that.
    """
    place = {pair: i for i, pair in enumerate((c, v) for c, names in variants.items() for v in names)}
    rungs = {kind: i for i, kind in enumerate(KINDS)}
    return sorted(
        results, key=lambda r: (place.get((r.claim, r.variant), len(place)), rungs[r.kind], r.ran == TORCH)
    )


def _joined(a: Verdict, b: Verdict) -> Verdict:
    if Verdict.REFUTED in (a, b):
        return Verdict.REFUTED
    return Verdict.UNKNOWN if Verdict.UNKNOWN in (a, b) else Verdict.HOLDS


def _simpler(new: Counterexample, old: Counterexample | None) -> bool:
    return old is None or new.simplicity < old.simplicity
