"""Fixtures of the tests of ratproof."""

import pytest

from ratproof.api import modules
from ratproof.ladder import programs
from ratproof.ladder.rungs import on_numbers
from ratproof.ladder.rungs.exhausted import length_within


@pytest.fixture
def few_trial_runs(monkeypatch):
    """Run the step of a user's decided claim on fewer numbers than by default, to save time."""
    monkeypatch.setattr(on_numbers, "MOST_STEPS", 1200)
    monkeypatch.setattr(on_numbers, "STRINGS", 100)


@pytest.fixture
def short_strings(monkeypatch):
    """Run a user's module on shorter strings than by default, to save time."""
    monkeypatch.setattr(modules, "LENGTHS", (0, 1, 17))
    monkeypatch.setattr(programs, "length_within", lambda symbols: min(8, length_within(symbols)))
