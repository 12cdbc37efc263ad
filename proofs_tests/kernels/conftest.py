"""Fixtures for the lengths and sizes of the calls in this folder.

By default, the calls are small, because the kernels are loops.
"""

import pytest

from ratproof.evidence.lengths import LENGTHS
from ratproof.laws.kernels import drawing, rungs

BUDGETS, LARGEST, VERY_LONG = drawing.BUDGETS, drawing.LARGEST, drawing.VERY_LONG
SHORT = (0, 1, 15, 16, 17, 33, 129)
"""Lengths near the edges of the chunks of most kernels in this folder."""


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(drawing, "LENGTHS", SHORT)
    monkeypatch.setattr(drawing, "VERY_LONG", 0)
    monkeypatch.setattr(drawing, "BUDGETS", (2**11, 2**14))
    monkeypatch.setattr(drawing, "LARGEST", 2**16)


@pytest.fixture
def unshrunk(unshrunk, monkeypatch):
    """Stop a search at its first counterexample, without a search for a shorter one."""
    monkeypatch.setattr(rungs, "SHRINKING", 1)


@pytest.fixture
def all_lengths(_short, monkeypatch):
    """Draw the lengths of calls from the default lengths."""
    monkeypatch.setattr(drawing, "LENGTHS", LENGTHS)


@pytest.fixture
def all_sizes(_short, monkeypatch):
    """Draw the sizes of calls from the default sizes; only the large calls are smaller."""
    monkeypatch.setattr(drawing, "BUDGETS", BUDGETS)
    monkeypatch.setattr(drawing, "LARGEST", 2**20)


@pytest.fixture
def very_long(_short, monkeypatch):
    """Also draw one call of 8,193 tokens."""
    monkeypatch.setattr(drawing, "VERY_LONG", VERY_LONG)
    monkeypatch.setattr(drawing, "LARGEST", LARGEST)
