"""A worker: a process in which pytest has collected the targets, and which runs the rounds that it is sent.

Both ways go JSON objects as bytes. What it says first is its installation and its targets; then, for each
chunk of rounds, their rows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from automata.io.printable_text import printable
from automata.testing.edge_cases import corners
from ratproof.evidence.ledger import ledger
from ratproof.evidence.results import Observation
from ratproof.hunting.rounds import MOST_SAID, Round, Row, seed_of
from ratproof.hunting.targets import by_name, collect
from ratproof.jobs.installation import fingerprint
from ratproof.ladder.hypothesis_profile import forget_constants
from ratproof.ladder.plugin import SEARCH, Search
from ratproof.ladder.watch import last_line

LOOK_EVERY = 16  # comparisons: how often the corners are looked at


def work(pipe: Any, names: Sequence[str], variant: str | None, device: str, seed: int) -> None:
    """Run rounds until the other end of the pipe says that there are no more.

    Args:
        pipe: a connection, with ``send_bytes`` and ``recv_bytes``.
        names: of claims; all without.
        variant: the one that is hunted; without, all that are expected to hold.
        device: of the networks.
        seed: of the hunt.
    """
    try:
        import torch

        torch.set_num_threads(1)
        collect(Worker(pipe, variant, seed), names, device)
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass
    except BaseException as problem:  # a worker that ends has to say why
        line = f"a worker ended: {type(problem).__name__}: {problem}".splitlines()[0]
        _send(pipe, {"error": line})


class Worker:
    """A pytest plugin whose loop over the collected evidence runs what it is sent."""

    def __init__(self, pipe: Any, variant: str | None, seed: int) -> None:
        self.pipe, self.variant, self.seed = pipe, variant, seed
        self.observation: Observation | None = None

    def pytest_ratproof_observed(self, observation: Observation) -> None:
        """What the round showed."""
        self.observation = observation

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Say what there is, and run rounds of it."""
        # Hypothesis draws numbers from modules that happen to be imported: others in a wheel than in a clone
        forget_constants()
        items = by_name(session.items, self.variant)
        if not items:
            _send(self.pipe, {"error": "no sampled test hunts what was asked for"})
            return True
        _send(self.pipe, {"installation": fingerprint(), "targets": list(items)})
        while True:
            chunk = json.loads(self.pipe.recv_bytes())
            if chunk is None:
                return True
            rounds = [Round(target, number) for target, number in chunk]
            rows = [self.run(items[one.target], one).to_json() for one in rounds]
            _send(self.pipe, {"installation": fingerprint(), "rows": rows})

    def run(self, item: pytest.Item, one: Round) -> Row:
        """Run a round."""
        seen = Examples(seed_of(self.seed, one))
        item.config.stash[SEARCH] = Search(seen.seed, seen.look)
        self.observation = None
        item.user_properties.clear()
        # with a next item, pytest would leave this one set up, and not give it its arguments again
        reports = runtestprotocol(item, log=False, nextitem=None)
        result = self.observation
        if result is None:
            why = next((last_line(r.longreprtext) for r in reports if not r.passed), "it showed nothing")
            return Row(one.target, one.number, seen.digest, "error", 0, 0.0, why=_brief(why), test=item.name)
        verdict, why = str(result.verdict), ""
        counterexample = None if result.counterexample is None else result.counterexample.to_json()
        if counterexample is None and result.raised is not None:  # a crash is no counterexample
            verdict, why = "error", result.why
        return Row(
            one.target,
            one.number,
            seen.digest,
            verdict,
            result.cases,
            result.seconds,
            seen.way,
            tuple(sorted(seen.corners)),
            counterexample,
            item.name,
            _brief(why),
        )


class Examples:
    """What a round compares: a digest of its examples, as far as the first that failed, since what shrinking
    tries after it depends on the time that it takes; the way of comparing; and some of the corners.

    Args:
        seed: of the round.
    """

    def __init__(self, seed: int) -> None:
        self.seed, self.count, self.way = seed, 0, "other"
        self.corners: set[str] = set()
        self._hash = blake2b(digest_size=16)
        self._random = random.Random(seed)

    @property
    def digest(self) -> str:
        """In hexadecimal."""
        return self._hash.hexdigest()

    def look(self, comparison: Any, strings: Any) -> None:
        """Take in a comparison and its strings."""
        if ledger().has_failed:
            return
        said = [comparison.to_json(), [list(string) for string in strings]]
        self._hash.update(json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        self.way = comparison.way
        if self.count % LOOK_EVERY == 0:
            automaton = self._random.choice(list(comparison.automata()))
            self.corners.update(corners(automaton, self._random.choice(list(strings))))
        self.count += 1


def _brief(why: str) -> str:
    return printable(why)[:MOST_SAID]


def _send(pipe: Any, said: dict[str, Any]) -> None:
    pipe.send_bytes(json.dumps(said).encode())
