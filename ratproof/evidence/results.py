"""Results of runs of evidence, combined per claim, variant and kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from automata.aliases import JsonObject
from ratproof.evidence.counterexample import AnyCounterexample, Counterexample
from ratproof.evidence.kinds import KINDS, TORCH, Verdict
from ratproof.evidence.ledger import joined


@dataclass(frozen=True)
class Observation:
    """The result of one run of a check.

    Attributes:
        ran: ``"torch"`` or ``"exact"`` for kinds that run on strings; ``None`` for others.
        device: The device of torch; ``None`` if torch did not run.
        informative: Number of cases with a network whose automata do not give all compared strings the same
            score. ``None`` for kinds that do not run on strings, and for kernels, which have no automata.
        raised: The exception, if the check ran in this process.
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
    facts: JsonObject = field(default_factory=dict)
    counterexample: AnyCounterexample | None = None
    certificate: JsonObject | None = None
    why: str = ""
    raised: BaseException | None = field(default=None, compare=False)
    informative: int | None = None

    def to_text(self) -> str:
        """Return the observation as one line, to pass it between processes."""
        counterexample = None if self.counterexample is None else self.counterexample.to_json()
        return json.dumps(self.__dict__ | {"counterexample": counterexample, "raised": None})

    @classmethod
    def from_text(cls, text: str) -> Observation:
        """Return the observation from a line of :meth:`to_text`."""
        data = json.loads(text)
        counterexample = data["counterexample"]
        data |= {
            "verdict": Verdict(data["verdict"]),
            "counterexample": None if counterexample is None else Counterexample(**counterexample),
        }
        return cls(**data)


@dataclass
class Result:
    """The combined observations of one claim, variant and kind, for each implementation, device or corpus.

    The attributes are the same as for an :class:`Observation`.
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
    counterexample: AnyCounterexample | None = None
    certificate: JsonObject | None = None
    tests: list[str] = field(default_factory=list)
    facts: JsonObject = field(default_factory=dict)
    why: str = ""
    kept: str | None = None
    certificate_file: str | None = None
    informative: int | None = None

    @property
    def as_expected(self) -> bool:
        """Return whether the verdict is the expected one."""
        return self.verdict == self.expected

    @property
    def counted(self) -> int:
        """Return the number of informative cases, or of all cases if informative ones are not counted."""
        return self.cases if self.informative is None else self.informative

    def to_json(self) -> JsonObject:
        """Return the JSON object that ``verify --json`` prints for the result."""
        shown = dict(self.__dict__)
        shown["verdict"] = str(self.verdict)
        shown["counterexample"] = None if self.counterexample is None else self.counterexample.to_json()
        return shown

    @classmethod
    def from_json(cls, data: JsonObject) -> Result:
        """Return the result from a JSON object of :meth:`to_json`.

        Invalid data raise ``KeyError``, ``TypeError`` or ``ValueError``.
        """
        fields = {name: value for name, value in data.items() if name in cls.__dataclass_fields__}
        fields["verdict"] = Verdict(fields["verdict"])
        if fields.get("counterexample") is not None:
            fields["counterexample"] = Counterexample(**fields["counterexample"])
        return cls(**fields)


def require_expected(observations: Iterable[Observation]) -> None:
    """Raise an error if the verdict of an observation is not the expected one.

    The error is the exception of the run or, if there is none, an ``AssertionError``.
    """
    for seen in observations:
        if seen.verdict != seen.expected:
            if seen.raised is not None:
                raise seen.raised
            raise AssertionError(
                f"{seen.claim}, variant {seen.variant}: expected {seen.expected}, found {seen.verdict};"
                f" {seen.why}"
            )


def gather(observations: Iterable[Observation], seed: int | None) -> list[Result]:
    """Combine observations into results, in the order of their arrival.

    There is one result per claim, variant, kind, implementation and device, corpus and rule file. If any
    check refutes, the result is ``refuted``. Otherwise it is unknown if the verdict of any check is unknown.
    """
    results: dict[tuple[str | None, ...], Result] = {}
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
        # for other kinds, the device of the checks that ran torch
        result.device = result.device or seen.device
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
        if seen.verdict == result.verdict:  # a reason belongs to its own verdict
            result.why = seen.why if result.verdict != before else result.why or seen.why
        if seen.share is not None:
            result.share = max(seen.share, result.share or 0.0)
        if seen.counterexample is not None and _simpler(seen.counterexample, result.counterexample):
            result.counterexample = seen.counterexample
        # a certificate only belongs to its own verdict
        if seen.verdict == result.verdict != Verdict.UNKNOWN:
            result.certificate = result.certificate or seen.certificate
    return list(results.values())


def in_order(results: Iterable[Result], variants: Mapping[str, Iterable[str]]) -> list[Result]:
    """Sort results by claims, then variants, then kinds of evidence, with exact arithmetic first.

    The order does not depend on the number of processes.
    """
    position = {pair: i for i, pair in enumerate((c, v) for c, names in variants.items() for v in names)}
    rungs = {kind: i for i, kind in enumerate(KINDS)}
    return sorted(
        results,
        key=lambda r: (position.get((r.claim, r.variant), len(position)), rungs[r.kind], r.ran == TORCH),
    )


def _joined(a: Verdict, b: Verdict) -> Verdict:
    if Verdict.REFUTED in (a, b):
        return Verdict.REFUTED
    return Verdict.UNKNOWN if Verdict.UNKNOWN in (a, b) else Verdict.HOLDS


def _simpler(new: AnyCounterexample, old: AnyCounterexample | None) -> bool:
    return old is None or new.simplicity < old.simplicity
