# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""What one can do here, each in an environment of its own making: ``nox -l`` lists it."""

from __future__ import annotations

import os
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["verify", "tests", "lint", "types", "docs"]
nox.options.default_venv_backend = "virtualenv"  # pip, which sees what the machine has at hand

# The torch that all is checked with; set RATPROOF_TORCH to another ("torch>=2.11", or a CUDA build) to check with that.
TORCH = os.environ.get("RATPROOF_TORCH", "torch==2.13.0")
VERDICTS = Path("docs/_build/verdicts.json")
# One environment for all sessions that need torch: it is large.
shared = {"venv_location": str(Path(".nox/ratproof").absolute()), "reuse_venv": True}


def install(session: nox.Session) -> None:
    """The project with everything that works on it, as ``pyproject.toml`` says, and the one torch."""
    groups = [f"--group={name}" for name in ("tests", "types", "docs")]
    session.install("--quiet", TORCH, *groups, "-e", ".")


@nox.session(**shared)
def verify(session: nox.Session) -> None:
    """The claims and the evidence for them; arguments go to ``ratproof verify``."""
    install(session)
    session.run("ratproof", "verify", *session.posargs)


@nox.session(**shared)
def tests(session: nox.Session) -> None:
    """All tests; arguments go to pytest."""
    install(session)
    session.run("pytest", *session.posargs)


@nox.session(**shared)
def search(session: nox.Session) -> None:
    """All property tests with fresh random cases; the seed is printed, and can be given as the argument."""
    install(session)
    seed = session.posargs[0] if session.posargs else str(int.from_bytes(os.urandom(4)))
    session.log(f"seed {seed}: nox -s search -- {seed} runs the same cases again")
    session.run("pytest", f"--hypothesis-seed={seed}")


@nox.session(venv_location=str(Path(".nox/lint").absolute()), reuse_venv=True)
def lint(session: nox.Session) -> None:
    """ruff, and that imports run downwards only."""
    session.install("--quiet", "--group=lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports", "--no-cache", env={"PYTHONPATH": "."})


@nox.session(**shared)
def types(session: nox.Session) -> None:
    """mypy, strict."""
    install(session)
    session.run("mypy")


@nox.session(**shared)
def docs(session: nox.Session) -> None:
    """The pages, from the claims and from verdicts that this run finds; warnings are errors."""
    install(session)
    VERDICTS.parent.mkdir(parents=True, exist_ok=True)
    with VERDICTS.open("w") as file:
        session.run("ratproof", "verify", "--json", stdout=file)
    session.run("sphinx-build", "-W", "--keep-going", "-q", "-b", "html", "docs", "docs/_build/html")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "-b", "doctest", "docs", "docs/_build/doctest")
    session.log("open docs/_build/html/index.html")


@nox.session(**shared)
def bench(session: nox.Session) -> None:
    """Speed, as ratios within one run; arguments go to ``bench/forward.py``."""
    install(session)
    session.run("python", "bench/forward.py", *session.posargs)
    session.run("python", "bench/planted_error.py")
