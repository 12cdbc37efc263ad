"""Fixtures with the compiled Coq development, for all tests in this folder."""

from pathlib import Path

import pytest

from ratproof.coq import programs as coq
from ratproof.coq import reals
from ratproof.coq.development import build


@pytest.fixture(scope="session")
def compiled():
    """Return the folder with the compiled theory/coq."""
    try:
        return build()
    except coq.NoCoq as error:
        pytest.skip(f"not run: {error}")


def compiled_theory(real_theory: reals.RealTheory, folder: Path) -> Path:
    """Compile the definitions of a theory over the reals as ``inlined.v``, and return the folder.

    The proofs are not run again: ``test_real_theorems.py`` runs them, and ``nox -s prove`` runs those of the
    checkers.
    """
    try:
        real_theory.require_library()
    except (coq.NoCoq, reals.NoLibrary) as error:
        pytest.skip(f"not run: {error}")
    (folder / "inlined.v").write_text(real_theory.inlined())
    coq.compile_file(folder / "inlined.v", folder, ["-vos"])
    return folder


def run_definitions(file: Path, theory: Path) -> str:
    """Return Coq's output for a file that uses the definitions of a :func:`compiled_theory`."""
    return coq.compile_file(file, theory, ["-vok"])
