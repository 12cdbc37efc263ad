"""The verdict of each kind of evidence on a claim with a planted fault: refuted, unknown or holds."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mutants.coq_faults import verdicts_of_faults
from mutants.faults import PARTS, Fault, faults_of
from ratproof.coq import bond
from ratproof.coq.evaluation import Question, evaluate
from ratproof.evidence import random_cases
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.not_run import NotRun
from ratproof.evidence.run import run
from ratproof.ladder.environment import forget_constants, unchanged_afterwards
from ratproof.ladder.rungs.kernel_checked import accept
from ratproof.ladder.steps import Step, steps
from theory.claim import KERNEL, Claim, Variant
from theory.registry import claim_named

LATE = "out of time"
SECONDS = 20
"""The maximum processor time of a kind of evidence on a planted fault."""
THEOREM, ALL = "theorem", "all"
"""The value of ``part`` for faults in Coq files. These faults are found during the run, so one key represents
all of them.
"""
COLUMNS = {
    "sampled": "exa",
    "gradient": "grd",
    "cross-checked": "xck",
    "exhausted": "exh",
    "decided": "dec",
    "proved": "prv",
    KERNEL: "coq",
}
"""The short names of the kinds of evidence; ``cpu`` means ``sampled`` evidence from torch.

Theorems over the real numbers are not included, because no fault is in their files. Tests plant faults in
these theorems instead (``proofs_tests/coq/test_real_theorems.py``).
"""
RUNGS = ("exa", "cpu", "grd", "xck", "exh", "dec", "prv", "coq")
NOTHING = "nothing is broken"


@dataclass(frozen=True)
class AuditRow:
    """A fault, and the verdict of each kind of evidence that runs the faulty part.

    Attributes:
        rungs: the verdict of each kind of evidence (``refuted``, ``unknown``, ``holds`` or :data:`LATE`),
            keyed by the kind's short name.
    """

    claim: str
    variant: str
    part: str
    says: str
    rungs: Mapping[str, str]

    @property
    def key(self) -> str:
        """A text that identifies the row."""
        return " | ".join((self.claim, self.variant, self.part, self.says))

    @property
    def seen_by(self) -> list[str]:
        """The kinds of evidence that detect the fault."""
        return [rung for rung, verdict in self.rungs.items() if verdict in ("refuted", "unknown")]

    def to_json(self) -> dict[str, Any]:
        """Return the row as an object for the JSON file."""
        return asdict(self)


@contextmanager
def up_to_the_first_refutation() -> Iterator[None]:
    """Draw the same random cases in every run, and stop at the first refutation.

    The refutation is neither shrunk nor run again.
    """
    right = random_cases._Search._every_case

    def every_case(search: Any) -> Callable[[st.DataObject], None]:
        body = right(search)

        def one_case(data: st.DataObject) -> None:
            try:
                body(data)
            except Disagreement:
                raise Refuted from None

        one_case.__name__ = one_case.__qualname__ = body.__name__
        return one_case

    settings.register_profile(
        "faults",
        max_examples=100,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.target),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    with unchanged_afterwards(), patch.object(random_cases._Search, "_every_case", every_case):
        settings.load_profile("faults")
        forget_constants()
        yield


def make_ready() -> None:
    """Compile the project's Coq files and query all theorems, if Coq is installed.

    The first call takes minutes.
    """
    with suppress(NotRun):
        accept("proposition-7", claim_named("proposition-7").variant("corrected"))


def holding(claim: Claim) -> list[Variant]:
    """Return the claim's variants that are expected to hold."""
    return [variant for variant in claim.variants if variant.expected == "holds"]


def planned(name: str) -> dict[str, Fault | None]:
    """Return the faults that are derived from a claim, by the keys of their rows (:attr:`AuditRow.key`).

    The first fault of each variant is ``None``, which stands for a run without a fault. ``None`` also stands
    for the faults in a theorem's Coq files, which are found during the run.
    """
    claim = claim_named(name)
    plan: dict[str, Fault | None] = {}
    for variant in holding(claim):
        plan[AuditRow(name, variant.name, "", NOTHING, {}).key] = None
        for fault in faults_of(claim, variant):
            plan[AuditRow(name, variant.name, fault.part, fault.says, {}).key] = fault
        if variant.theorem is not None:
            plan[AuditRow(name, variant.name, THEOREM, ALL, {}).key] = None
    return plan


def rows(name: str, keys: list[str]) -> Iterator[AuditRow]:
    """Run the evidence on the faults with these keys, and yield a row for each fault.

    The keys are among those that :func:`planned` returns.
    """
    plan = planned(name)
    for key in keys:
        _, variant, part, says = key.split(" | ", 3)
        fault = plan[key]
        if part == THEOREM:
            claim = claim_named(name)
            answers = list(verdicts_of_faults(claim, claim.variant(variant)))
            yield from (
                AuditRow(name, variant, part, theorem, {"coq": verdict}) for theorem, verdict in answers
            )
            yield AuditRow(name, variant, part, ALL, {})
            continue
        if fault is None:
            yield AuditRow(
                name, variant, "", NOTHING, verdicts(name, claim_named(name).variant(variant), RUNGS)
            )
            continue
        with fault.plant() as broken:
            yield AuditRow(name, variant, part, says, verdicts(name, broken, PARTS[part], part))


def verdicts(name: str, variant: Variant, rungs: tuple[str, ...], part: str = "") -> dict[str, str]:
    """Return the verdict of each of these kinds of evidence on the variant, with any planted fault.

    Args:
        name: The name of the claim.
        variant: The variant of the claim.
        rungs: The short names of the kinds of evidence.
        part: The broken part. Exact numbers are not run again if a torch layer is broken, and torch is not
            run if the exact part is broken.
    """
    claim = claim_named(name)
    answers: dict[str, list[str]] = {}
    of_torch = part in ("layer", "gates", "gradient", "reading", "program")
    if "cpu" in rungs and part in ("", "gates", "formula"):
        answers["cpu"] = [_equations(name, variant, layer) for layer in claim.layers_of(variant)]
    for step in steps([replace(claim, variants=(variant,))]):
        torch = step.side.device is not None
        rung = "cpu" if torch and step.kind == "sampled" else COLUMNS.get(step.kind)
        if rung not in rungs or "refuted" in answers.get(rung, []):
            continue
        if part in ("", "formula") or torch == of_torch:
            verdict = _bond(name, variant) if part and rung == "coq" else _verdict(step)
            answers.setdefault(rung, []).append(verdict)
    answers = {rung: [v for v in values if v] for rung, values in answers.items()}
    return {rung: _joined(answers[rung]) for rung in RUNGS if answers.get(rung)}


def _joined(verdicts: list[str]) -> str:
    return next((v for v in ("refuted", "unknown", LATE) if v in verdicts), "holds")


def _verdict(step: Step) -> str:
    return _timed(lambda: str(step.run()[0].verdict))


def _timed(verdict: Callable[[], str]) -> str:
    try:
        with _alarm(SECONDS):
            return verdict()
    except NotRun:
        return ""
    except OutOfTime:
        return LATE
    except Refuted:
        return "refuted"


class OutOfTime(KeyboardInterrupt):
    """An exception that ends a run at the time limit; neither Hypothesis nor the runner catches it."""


class Refuted(KeyboardInterrupt):
    """An exception that ends a run at the first refutation; neither Hypothesis nor the runner catches it."""


@contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, ring)
    # repeat the signal, in case the code catches the exception
    signal.setitimer(signal.ITIMER_PROF, seconds, 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _equations(name: str, variant: Variant, layer: str) -> str:
    """Compare a layer's automata with a direct implementation of the equations, and return the verdict.

    Return ``""`` if there is no direct implementation for the layer.
    """
    from ratproof.ladder.written.equations import EVERY_REFERENCE, agree_with_equations

    if layer not in EVERY_REFERENCE:
        return ""

    @settings(max_examples=40)
    @given(st.data())
    def agree(data: Any) -> None:
        agree_with_equations(name, layer, "float64", data, variant.name)

    return _timed(lambda: str(run(agree, claim_named(name), variant, "cpu", kind="sampled").verdict))


def _bond(name: str, variant: Variant) -> str:
    """Compare the values of Coq's and of Python's definitions for a variant, and return the verdict."""
    coq_values = _coq_values(name, variant.name)
    if coq_values is None:
        return "holds"
    for case, coq in coq_values:
        try:
            ours = bond._python_values(variant, case)
        except Exception:  # any error means that the evidence does not hold
            return "unknown"
        for side in ("network", "automaton"):
            if getattr(coq, side) is not None and getattr(coq, side) != getattr(ours, side):
                return "unknown"
    return "holds"


@cache
def _coq_values(name: str, variant_name: str) -> list[tuple[Any, Any]] | None:
    """Return test cases and the values that Coq computes for them, for the variant without a fault.

    Return ``None`` if Coq cannot run the variant.
    """
    from theory.registry import claims

    variant = claims()[name].variant(variant_name)
    if (claims()[name], variant) not in bond.runnable_variants() or variant.theorem is None:
        return None
    cases = bond.some_cases(variant)
    ours = [bond._python_values(variant, case) for case in cases]
    questions = [
        Question(variant.theorem, case, bond.WORDS, len(values.network[0]))
        for case, values in zip(cases, ours, strict=True)
        if values.network is not None
    ]
    return list(zip(cases, evaluate(questions), strict=True))
