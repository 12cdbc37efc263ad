"""A worker process of a hunt, which runs the rounds of random cases that it receives.

All messages are JSON as bytes. The first message of a worker contains its installation and targets. Then the
worker receives chunks of rounds, and sends the results of each chunk.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from hashlib import blake2b
from multiprocessing.connection import Connection
from typing import Any

from hypothesis import core

from automata.aliases import JsonObject, String
from automata.testing.edge_cases import edge_cases
from automata.text.printable_text import printable
from ratproof.evidence.ledger import ledger
from ratproof.evidence.not_run import NotRun
from ratproof.hunting.rounds import EXAMPLES, MOST_SAID, Round, RoundRow, seed_of
from ratproof.hunting.targets import targets
from ratproof.jobs.installation import fingerprint
from ratproof.ladder.environment import forget_constants, interpret_triton, load_profile, unchanged_afterwards
from ratproof.ladder.steps import Step, WrittenStep

LOOK_EVERY = 16  # edge cases are checked in one of this many comparisons


def work(pipe: Connection, names: Sequence[str], variant: str | None, device: str, seed: int) -> None:
    """Run rounds until the driver reports that no rounds are left.

    Args:
        pipe: A connection, with ``send_bytes`` and ``recv_bytes``.
        names: Names of claims. Empty for all claims.
        variant: The hunted variant. Defaults to all variants that are expected to hold.
        device: Device of the networks.
        seed: Seed of the hunt.
    """
    try:
        import torch

        torch.set_num_threads(1)
        with unchanged_afterwards():
            prepare()
            _work(pipe, targets(names, variant, device), seed)
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass
    except BaseException as problem:  # a worker must report why it ends
        line = f"a worker ended: {type(problem).__name__}: {problem}".splitlines()[0]
        _send(pipe, {"error": line})


def prepare() -> None:
    """Set up the worker process before its first round."""
    interpret_triton()
    load_profile(EXAMPLES, seeded=True)
    core.global_force_seed = 0  # type: ignore[assignment]
    # Hypothesis draws constants of imported modules, which differ between a wheel and a clone
    forget_constants()


def _work(pipe: Connection, items: dict[str, Step | WrittenStep], seed: int) -> None:
    """Send the targets to the driver, and run the rounds that it requests."""
    if not items:
        _send(pipe, {"error": "no sampled test matches the request"})
        return
    _send(pipe, {"installation": fingerprint(), "targets": list(items)})
    while (chunk := json.loads(pipe.recv_bytes())) is not None:
        rounds = [Round(target, number) for target, number in chunk]
        rows = [run(items[one.target], one, seed).to_json() for one in rounds]
        _send(pipe, {"installation": fingerprint(), "rows": rows})


def run(step: Step | WrittenStep, one: Round, seed: int) -> RoundRow:
    """Run one round of a target with the hunt's seed, and return its result."""
    seen = Examples(seed_of(seed, one))
    test = step.test.partition("::")[2]
    try:
        result, *_ = step.run(seen.seed, seen.look)
    except NotRun as reason:
        return RoundRow(
            one.target, one.number, seen.digest, "error", 0, 0.0, why=_brief(str(reason)), test=test
        )
    verdict, why = str(result.verdict), ""
    counterexample = None if result.counterexample is None else result.counterexample.to_json()
    if counterexample is None and result.raised is not None:  # a crash is not a counterexample
        verdict, why = "error", result.why
    return RoundRow(
        one.target,
        one.number,
        seen.digest,
        verdict,
        result.cases,
        result.seconds,
        seen.way,
        tuple(sorted(seen.corners)),
        counterexample,
        test,
        _brief(why),
    )


class Examples:
    """A record of a round's examples: their digest, their way of comparing, and some of their edge cases.

    Examples after the first failure are not recorded. They come from shrinking, which depends on time.

    Args:
        seed: Seed of the round.
    """

    def __init__(self, seed: int) -> None:
        self.seed, self.count, self.way = seed, 0, "other"
        self.corners: set[str] = set()
        self._hash = blake2b(digest_size=16)
        self._random = random.Random(seed)

    @property
    def digest(self) -> str:
        """Return the digest in hexadecimal."""
        return self._hash.hexdigest()

    def look(self, comparison: Any, strings: Sequence[String]) -> None:
        """Add a comparison and its strings to the record."""
        if ledger().has_failed:
            return
        record = [comparison.to_json(), [list(string) for string in strings]]
        self._hash.update(json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        self.way = comparison.way
        if self.count % LOOK_EVERY == 0:
            automaton = self._random.choice(list(comparison.automata()))
            self.corners.update(edge_cases(automaton, self._random.choice(list(strings))))
        self.count += 1


def _brief(why: str) -> str:
    return printable(why)[:MOST_SAID]


def _send(pipe: Connection, message: JsonObject) -> None:
    pipe.send_bytes(json.dumps(message).encode())
