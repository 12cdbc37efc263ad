"""``ratproof check``: the ladder for the claims in a user's own file, and the same report."""

from __future__ import annotations

import importlib.util
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from automata.errors import InputError
from ratproof.judge import judge
from ratproof.kinds import KINDS
from ratproof.ladder import DRAWN, WHOLE, decided
from ratproof.ledger import ledger, left_out_in_words, recording
from ratproof.on_numbers import OnNumbers, ran_on_cases
from ratproof.results import Observation, gather
from ratproof.verify import Outcome, keep_evidence
from theory.claim import KERNEL, Claim, Variant
from theory.registry import register

EXAMPLES = 100
NAME = re.compile(r"(?=.{1,80}$)[a-z0-9]+([.-][a-z0-9]+)*")
"""Names of claims and variants: they name the files that are kept, where two hyphens stand between them."""


def check(
    path: str,
    names: Sequence[str] = (),
    kind: str | None = None,
    examples: int | None = None,
    seed: int | None = None,
    started: Callable[[str, int, int], None] = lambda test, done, total: None,
) -> Outcome:
    """Run every rung that the file's claims promise.

    Args:
        path: a Python file; it is run.
        names: of its claims; all without.
        kind: only this kind of evidence.
        examples: random cases a rung.
        seed: of fresh random cases; without, the same in every run of the same installation.
        started: is told of each rung: its name, how many are done, how many there are.

    Raises:
        InputError: the file, a name or a kind is not right; with the line of the file where it broke.
    """
    claims = load(path)
    _known(path, claims, names, kind)
    rungs = [
        (c, v, k)
        for c in claims.values()
        if not names or c.name in names
        for v in c.variants
        for k in v.kinds
    ]
    rungs = [rung for rung in rungs if kind in (None, rung[2])]
    seen: list[Observation] = []
    interrupted = False
    for done, (claim, variant, rung) in enumerate(rungs):
        started(f"{claim.name}, {variant.name}, {rung}", done, len(rungs))
        try:
            seen.append(_observed(path, claim, variant, rung, examples or EXAMPLES, seed))
        except KeyboardInterrupt:
            interrupted = True
            break
    results = gather(seen, seed)
    return Outcome(results, interrupted=interrupted, notes=keep_evidence(results, seed))


def load(path: str) -> dict[str, Claim]:
    """The claims that a file assigns to names; the file is run, and its claims are known from then on."""
    if not Path(path).is_file():
        raise InputError(f"{path}: is no file, where a Python file with claims is right")
    spec = importlib.util.spec_from_file_location("brought_claims", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: is no Python file, whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses in the file look for it there
    try:
        with redirect_stdout(sys.stderr):  # what the file prints is no part of the report
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit among them: the file left, and nothing was checked
        raise InputError(
            f"{path}: {_line_of(path, error)}{type(error).__name__}: {_first_line(error)}"
        ) from error
    found: dict[str, Claim] = {}
    for claim in _claims(vars(module).values()):
        if claim.name in found and found[claim.name] is not claim:
            raise InputError(f"{path}: two claims have the name {claim.name}, where each has its own")
        for name in (claim.name, *(variant.name for variant in claim.variants)):
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise InputError(
                    f"{path}: the name {name!r:.60} is no name of small letters, digits and single hyphens,"
                    " at most 80 in all"
                )
        twice = [
            name for name, count in Counter(variant.name for variant in claim.variants).items() if count > 1
        ]
        if twice:
            raise InputError(
                f"{path}: {claim.name} has two variants of the name {twice[0]}, where each has its own"
            )
        found[claim.name] = claim
        register(claim)
    if not found:
        raise InputError(f"{path}: has no claim; assign what believe(...) returns, or a Claim, to a name")
    return found


def _claims(values: Any) -> Iterator[Claim]:
    for value in values:
        if isinstance(value, Claim):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (part for part in value if isinstance(part, Claim))


def _known(path: str, claims: dict[str, Claim], names: Sequence[str], kind: str | None) -> None:
    for name in names:
        if name not in claims:
            raise InputError(f"{path}: has no claim {name!r}; it has {', '.join(claims)}")
    if kind is not None and kind not in KINDS:
        raise InputError(f"there is no kind of evidence {kind!r}; there are {', '.join(KINDS)}")
    if kind is not None and not any(kind in v.kinds for c in claims.values() for v in c.variants):
        raise InputError(f"{path}: no claim in it promises evidence of the kind {kind}")
    for name in names:
        if kind is not None and not any(kind in v.kinds for v in claims[name].variants):
            raise InputError(f"{path}: {name} promises no evidence of the kind {kind}")


def _observed(
    path: str, claim: Claim, variant: Variant, kind: str, examples: int, seed: int | None
) -> Observation:
    raised: BaseException | None = None
    started = time.perf_counter()
    with recording() as book:
        try:
            with redirect_stdout(sys.stderr):
                _run(claim.name, variant, kind, examples, seed)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the user's code raises, its verdict has to be told
            raised = error
    verdict, why = judge(raised, book)
    return Observation(
        claim=claim.name,
        variant=variant.name,
        kind=kind,
        expected=variant.expected,
        verdict=verdict,
        test=f"{path}::{claim.name}",
        cases=book.cases,
        seconds=time.perf_counter() - started,
        device="cpu",
        share=book.share,
        facts=dict(book.facts),
        counterexample=getattr(raised, "counterexample", None),
        certificate=book.certificate,
        why=why,
    )


def _run(claim: str, variant: Variant, kind: str, examples: int, seed: int | None) -> None:
    if kind == KERNEL:
        raise InputError(
            "nothing binds a theorem of ratproof's to a claim of your own: ratproof check has no way to show"
            " that it is kernel-checked"
        )
    if kind in WHOLE:
        WHOLE[kind](claim, variant)
        if kind == "proved":
            _run_on_numbers(claim, variant, examples, seed)
        return
    if kind not in DRAWN:
        raise InputError(f"ratproof check has no way to show that a claim is {kind}")
    on_numbers = OnNumbers()
    rungs = DRAWN | {"decided": partial(decided, on_numbers=on_numbers)}

    @settings(
        max_examples=examples,
        derandomize=seed is None,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def rung(data: Any) -> None:
        rungs[kind](claim, variant, data)

    (seeded(seed)(rung) if seed is not None else rung)()


def _run_on_numbers(claim: str, variant: Variant, examples: int, seed: int | None) -> None:
    """What was proved for variables, sampled on numbers: nothing else says that the claim's file does to them
    what it does to variables.
    """
    whole = ledger()
    try:
        with recording() as book:
            _run(claim, variant, "sampled", examples, seed)
        if not book.cases:
            raise RuntimeError(f"on numbers nothing was compared: {left_out_in_words(book.facts)}")
    except BaseException:
        whole.certificate = None  # a proof of something else
        raise
    whole.facts["on_numbers"] = ran_on_cases(book.cases)


def _line_of(path: str, error: BaseException) -> str:
    """Where in the file it broke, if there."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"line {error.lineno}: "
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == Path(path).resolve()
    ]
    return f"line {lines[-1]}: " if lines else ""


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]
