"""Helpers for tests of hunts in this process. Their workers draw no cases, except for one seed."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from proofs_tests.hunting.light_worker import INSTALLATION, LIGHT, REAL, put
from ratproof.hunting.rounds import RoundRow
from ratproof.hunting.store import HuntLedger
from ratproof.jobs.installation import fingerprint
from ratproof.main import run

HUNT = ["hunt", "definition-4", "--json"]
"""A hunt of two targets."""
ROUNDS = {REAL: 1, LIGHT: 12}

OfOne = Callable[[int], HuntLedger]


def hunted(folder: Path, *how: str, seed: int = LIGHT) -> list[str]:
    """Return the command line of a hunt with a ledger."""
    rounds = ROUNDS.get(seed, ROUNDS[LIGHT])
    return [*HUNT, "--seed", str(seed), "--rounds", str(rounds), "--ledger", str(folder), *how]


def make_light(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Make this process start the workers of ``light_worker.py``, which draw no cases."""
    patch.setenv("PYTHONPATH", put(folder))
    patch.setenv(INSTALLATION, json.dumps(fingerprint()))


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    """Return the folder for the ``sitecustomize.py`` that makes hunts start workers that draw no cases."""
    return tmp_path_factory.mktemp("path")


@pytest.fixture
def light(monkeypatch, path):
    """Make this process start workers that draw no cases."""
    make_light(monkeypatch, path)


@pytest.fixture(scope="session")
def of_one(path, tmp_path_factory):
    """Return a function that maps a hunt's seed to the ledger that a single worker writes."""

    @cache
    def hunt(seed: int) -> HuntLedger:
        folder = tmp_path_factory.mktemp("of-one")
        with pytest.MonkeyPatch.context() as patch:
            make_light(patch, path)
            assert run(hunted(folder, "--jobs", "1", seed=seed)) == 0
        return HuntLedger(folder)

    return hunt


@pytest.fixture
def at_the_first_row(monkeypatch):
    """Return a function that makes hunts call a given function after they add their first row.

    It returns the list of the rows, which grows while a hunt runs.
    """

    def have_done(what: Callable[[], None]) -> list[RoundRow]:
        add, taken = HuntLedger.add, list[RoundRow]()

        def added(self: HuntLedger, seed: int, row: RoundRow, counterexample: Path | None) -> None:
            add(self, seed, row, counterexample)
            taken.append(row)
            if len(taken) == 1:
                what()

        monkeypatch.setattr(HuntLedger, "add", added)
        return taken

    return have_done


def status(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """Return the status that the command prints as JSON."""
    capsys.readouterr()
    assert run(["campaign", "status", str(folder), "--json"]) == 0
    output: dict[str, object] = json.loads(capsys.readouterr().out)
    assert output.pop("schema_version") == 2
    return output
