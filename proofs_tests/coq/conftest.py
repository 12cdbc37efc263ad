"""The compiled development, for every test of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratproof.coq.development import build
from ratproof.coq.programs import NoCoq


@pytest.fixture(scope="session")
def compiled() -> Path:
    """Return the folder with the compiled theory/coq."""
    try:
        return build()
    except NoCoq as error:
        pytest.skip(f"not run: {error}")
