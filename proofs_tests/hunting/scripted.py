"""Simulated workers for tests of the driver and of ledgers, with their targets."""

import json
import random
from dataclasses import replace

from ratproof.hunting.rounds import Round, RoundRow, seed_of
from ratproof.hunting.search import Hunt
from ratproof.hunting.store import HuntLedger
from ratproof.implementations.comparison import counterexample
from ratproof.implementations.exact import ExactComparison
from ratproof.jobs.installation import fingerprint
from theory.registry import claims

TARGETS = ["one", "two", "three"]
WHAT = Hunt(("proposition-7",), 5, rounds=4)
PRINTED = replace(WHAT, variant="printed")


def row_of(one: Round) -> RoundRow:
    """Return the row of a round of these targets without running it."""
    digest = f"{seed_of(WHAT.seed, one):032x}"
    return RoundRow(one.target, one.number, digest, "holds", 50, 0.01, "exact", ("epsilon",))


class ScriptedWorker:
    """Simulated workers that respond in a random order, and die at random and in certain rounds."""

    seconds_a_chunk, jobs = 0.05, 2

    def __init__(self, seed=0, deaths=0.0, deadly=(), rows=row_of, installation=None, stop_after=None):
        self.random, self.deaths, self.deadly, self.rows = random.Random(seed), deaths, set(deadly), rows
        self.installation = installation or fingerprint()
        self.messages = [(None, self._json(targets=TARGETS))]
        self.handed, self.notes, self.closed = [], [], False
        self.left = stop_after

    def _json(self, **message):
        return json.dumps({"installation": self.installation, **message}).encode()

    def free_slots(self):
        return 4 - len(self.handed)

    def submit(self, chunk):
        self.handed.append(chunk)

    def ready(self, seconds):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
        yield from self.messages
        self.messages = []
        if not self.handed:
            return
        chunk = self.handed.pop(self.random.randrange(len(self.handed)))
        if self.deadly & set(chunk) or self.random.random() < self.deaths:
            yield chunk, None
        else:
            yield chunk, self._json(rows=[self.rows(one).to_json() for one in chunk])

    def close(self):
        self.closed = True


def ledger(folder, what=WHAT):
    return HuntLedger(folder, what.about())


def example(variant):
    """Return a counterexample to a variant of Proposition 7."""
    claim = claims()["proposition-7"].variant(variant)
    comparison = ExactComparison("proposition-7", variant, next(claim.small_cases(1)))
    return counterexample(comparison, next(iter(comparison.compare([""]))))


def refuted(one: Round) -> RoundRow:
    """Return a row with a valid counterexample, except that its description of the weights is wrong."""
    sent = {**example("printed").to_json(), "weights": "none"}
    return replace(row_of(one), verdict="refuted", counterexample=sent)


EVERY = {Round(target, number) for target in TARGETS for number in range(4)}
