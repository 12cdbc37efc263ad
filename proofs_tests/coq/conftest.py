"""The compiled development, for every test of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratproof.coq.development import build
from ratproof.coq.programs import NoCoq


@pytest.fixture(scope="session")
def compiled() -> Path:
    """The folder with theory/coq, compiled."""
    try:
        return build()
    except NoCoq as error:
        pytest.skip(f"not run: {error}")
