"""A program that saves the smallest counterexamples of the claims that should be refuted, for ``verify``.

``python -m proofs_tests.smallest``, or ``nox -s smallest``, searches for counterexamples and shrinks them.
This takes some minutes.
"""

import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from automata.io.files import write_whole
from proofs_tests.test_ladder import LADDER
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.not_run import NotRun
from ratproof.evidence.smallest import FILE, keep_in
from ratproof.ladder.environment import load_profile
from ratproof.process.interpreter import on_one_stack

REFUTED = [step for step in LADDER if step.variant.expected == str(Verdict.REFUTED)]
"""The steps of the ladder that should refute a variant of a claim."""


def entries_of(index: int) -> dict[str, str]:
    """Return a step's smallest counterexample, or an empty result if the step draws no random cases."""
    step, entries = REFUTED[index], dict[str, str]()
    try:
        with keep_in(entries):
            (seen,) = on_one_stack(step.run)()
    except NotRun as reason:
        raise SystemExit(f"{step.label} cannot run here: {reason}") from None
    if seen.verdict != Verdict.REFUTED:
        raise SystemExit(f"{step.label} is not refuted, but {seen.verdict}: {seen.why}")
    return entries


def main() -> None:
    """Run all steps in parallel, and write the file."""
    all_entries: dict[str, str] = {}
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), load_profile) as processes:
        for done, entries in enumerate(processes.map(entries_of, range(len(REFUTED))), start=1):
            all_entries |= entries
            print(f"\r{done} of {len(REFUTED)} steps, {len(all_entries)} counterexamples", end="", flush=True)
    write_whole(FILE, json.dumps(dict(sorted(all_entries.items())), indent=0) + "\n")
    print()


if __name__ == "__main__":
    main()
