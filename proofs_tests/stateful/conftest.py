"""Fixtures of the tests of models with a state."""

import pytest

from ratproof.laws.models import rungs


@pytest.fixture
def unshrunk(unshrunk, monkeypatch):
    """Stop a search at its first counterexample, without a search for a shorter one."""
    monkeypatch.setattr(rungs, "SHRINKING", 1)
