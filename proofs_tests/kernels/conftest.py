"""Lengths of the calls in this folder: short ones, since the kernels here are loops."""

from __future__ import annotations

import pytest

from ratproof.kernels import drawing
from ratproof.sides.lengths import LENGTHS

SHORT = (0, 1, 15, 16, 17, 33, 129)
"""The edges of the chunks that most kernels here have."""


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "LENGTHS", SHORT)


@pytest.fixture
def all_lengths(_short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What users have."""
    monkeypatch.setattr(drawing, "LENGTHS", LENGTHS)
