# /// script
# dependencies = ["nox>=2024.10.9"]
# ///
"""Development tasks; ``nox -l`` lists them.

The sessions share one environment, ``.nox/ratproof``, because torch is large.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nox

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["verify", "tests", "lint", "types", "docs"]
nox.options.default_venv_backend = "none"  # they share one environment, which ready() creates

# The version of torch; set RATPROOF_TORCH to use another one ("torch>=2.11", or a CUDA build).
TORCH = os.environ.get("RATPROOF_TORCH", "torch==2.13.0")
ENVIRONMENT = Path(".nox/ratproof").absolute()
VERDICTS = Path("docs/_build/verdicts.json")
# sessions start hundreds of processes: without bytecode files, each one compiles its imports
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# for programs that have a process for each core
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def run(session: nox.Session, program: str, *arguments: str, **options: Any) -> None:
    """Run a program of the environment."""
    session.run(str(ENVIRONMENT / "bin" / program), *arguments, external=True, **options)


def ready(session: nox.Session) -> None:
    """Create the environment, or install again if ``pyproject.toml`` or the version of torch has changed."""
    project = nox.project.load_toml("pyproject.toml")
    groups = nox.project.dependency_groups(project, "tests", "types", "docs", "lint")
    wanted = hashlib.sha256(repr((TORCH, project)).encode()).hexdigest()
    stamp = ENVIRONMENT / "installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    session.log(f"installing ratproof and {TORCH} in {ENVIRONMENT}; this takes a few minutes, once")
    session.run(sys.executable, "-m", "venv", str(ENVIRONMENT), external=True)
    # torch is installed first and by itself, so that no other package selects its version
    run(session, "pip", "install", "--quiet", TORCH)
    run(session, "pip", "install", "--quiet", *groups, "-e", ".[all]")
    stamp.write_text(wanted)


@nox.session
def verify(session: nox.Session) -> None:
    """Check the claims and show the evidence for them; arguments go to ``ratproof verify``."""
    ready(session)
    run(session, "ratproof", "verify", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run all tests; arguments go to pytest.

    Without arguments, evidence that the last ``verify`` found as expected is not run again, if its sources
    and libraries are unchanged.
    """
    ready(session)
    arguments = session.posargs or _without_known_evidence(session)
    run(session, "pytest", "--numprocesses=logical", "--dist=worksteal", *arguments, env=ONE_THREAD)


def _without_known_evidence(session: nox.Session) -> tuple[str, ...]:
    VERDICTS.parent.mkdir(parents=True, exist_ok=True)
    if _verdicts_are_outdated():
        return ()
    session.log(f"evidence of the last verify is not run again ({VERDICTS}); nox -s tests -- -v runs all")
    # one argument, because pytest would collect tests from a separate path
    return (f"--verdicts={VERDICTS}",)


@nox.session
def prove(session: nox.Session) -> None:
    """Check the theorems by Coq's kernel with no assumptions; arguments go to ``ratproof prove``.

    This session needs Coq and mathcomp.
    """
    ready(session)
    status = subprocess.run(
        [ENVIRONMENT / "bin" / "ratproof", "prove", *session.posargs], check=False
    ).returncode
    if status == 2:
        sys.exit(2)  # a program is missing, and a message was printed; nox itself fails only with status 1
    if status:
        session.error("not proved")


@nox.session
def search(session: nox.Session) -> None:
    """Run all property tests with fresh random cases; the argument is a seed that was printed before."""
    ready(session)
    seed = session.posargs[0] if session.posargs else str(int.from_bytes(os.urandom(4), "big"))
    session.log(f"seed {seed}: nox -s search -- {seed} runs the same cases again")
    run(session, "pytest", "--numprocesses=logical", f"--hypothesis-seed={seed}")


@nox.session
def hunt(session: nox.Session) -> None:
    """Search for counterexamples to all claims; arguments go to ``ratproof hunt``.

    The search uses a fresh seed, which it prints, and takes half an hour without arguments. Counterexamples
    are saved in ``.ratproof/counterexamples``.
    """
    ready(session)
    run(session, "ratproof", "hunt", *(session.posargs or ["--minutes", "30"]))


@nox.session
def smallest(session: nox.Session) -> None:
    """Shrink the counterexamples to the papers' errata again, and save them for ``verify``.

    Run this after you change how cases are drawn.
    """
    ready(session)
    run(session, "python", "-m", "proofs_tests.smallest", env=ONE_THREAD)


@nox.session
def mutants(session: nox.Session) -> None:
    """Change the code in one place at a time, and list the changes that no test notices.

    ``-- claims`` changes each claim instead, and lists the kinds of evidence that notice the change.
    ``-- --help`` and ``-- claims --help`` show the options.
    """
    ready(session)
    if session.posargs[:1] == ["claims"]:
        run(session, "python", "-m", "mutants.claims", *session.posargs[1:], env=ONE_THREAD)
        return
    folder = ENVIRONMENT.with_name("mutants")
    tools = nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "mutants")
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != repr(tools):
        session.run(sys.executable, "-m", "venv", str(folder), external=True)
        session.run(str(folder / "bin" / "pip"), "install", "--quiet", *tools, external=True)
        stamp.write_text(repr(tools))
    tests = ["--python", str(ENVIRONMENT / "bin" / "python")]
    session.run(str(folder / "bin" / "python"), "-m", "mutants", *tests, *session.posargs, external=True)


@nox.session
def outside(session: nox.Session) -> None:
    """Check recurrent layers of published libraries against the laws, in a separate environment.

    Verdicts are files of the repository, so ``git diff`` shows changes. Arguments are names,
    ``--device cuda``, ``--seconds``, ``--missing`` or ``--help``.
    """
    folder = ENVIRONMENT.with_name("outside")
    project = nox.project.load_toml("pyproject.toml")
    theirs = nox.project.dependency_groups(project, "outside")
    wanted = hashlib.sha256(repr((TORCH, project)).encode()).hexdigest()
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        session.run(sys.executable, "-m", "venv", str(folder), external=True)
        session.run(str(folder / "bin" / "pip"), "install", "--quiet", TORCH, external=True)
        session.run(
            str(folder / "bin" / "pip"), "install", "--quiet", TORCH, *theirs, "-e", ".", external=True
        )
        sources = nox.project.dependency_groups(project, "outside-sources")
        without_cuda = {"MAMBA_SKIP_CUDA_BUILD": "TRUE", "MAMBA_FORCE_BUILD": "TRUE"}
        arguments = ("install", "--quiet", "--no-deps", "--no-build-isolation", *sources)
        session.run(str(folder / "bin" / "pip"), *arguments, env=without_cuda, external=True)
        stamp.write_text(wanted)
    command = [folder / "bin" / "python", "-m", "outside", *session.posargs]
    status = subprocess.run(command, check=False).returncode
    if status == 2:
        sys.exit(2)  # an argument is invalid, or there is no GPU; nox itself fails only with status 1
    if status:
        session.error("not all programs ran")


@nox.session
def lint(session: nox.Session) -> None:
    """Run ruff, and check that each package imports only from packages of lower layers."""
    ready(session)
    run(session, "ruff", "check")
    run(session, "ruff", "format", "--check")
    run(session, "lint-imports", "--no-cache")


@nox.session
def types(session: nox.Session) -> None:
    """Run mypy in strict mode."""
    ready(session)
    run(session, "mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the pages from the claims and their verdicts; warnings are errors.

    The verdicts are those of the last ``verify`` if its sources are unchanged; otherwise ``verify`` runs now.
    With ``-- --without-verdicts`` it does not run, and the claims show "not run".
    """
    ready(session)
    VERDICTS.parent.mkdir(parents=True, exist_ok=True)
    if "--without-verdicts" in session.posargs:
        VERDICTS.unlink(missing_ok=True)
    elif _verdicts_are_outdated():
        with VERDICTS.open("w") as file:
            # nox would otherwise write the progress, which is on standard error, into the file
            run(session, "ratproof", "verify", "--json", stdout=file, stderr=None)
    jobs = str(min(os.cpu_count() or 1, 4))  # each with its own memory
    sphinx = ("sphinx-build", "-W", "--keep-going", "-q", "-j", jobs, "-d", "docs/_build/doctrees")
    run(session, *sphinx, "-b", "html", "docs", "docs/_build/html", env=ONE_THREAD)
    session.log("open docs/_build/html/index.html")


def _verdicts_are_outdated() -> bool:
    last = [ENVIRONMENT / "bin" / "python", "-m", "ratproof.ladder.last_run", VERDICTS]
    return subprocess.run(last, check=False).returncode != 0


@nox.session
def build(session: nox.Session) -> None:
    """Build the wheel and the source archive in ``dist/``; ``-- --tag v1.2.3`` requires that version."""
    project = nox.project.load_toml("pyproject.toml")
    version = project["project"]["version"]
    if session.posargs and session.posargs != ["--tag", f"v{version}"]:
        session.error(f"the arguments must be --tag v{version}, got {' '.join(session.posargs)}")
    folder = ENVIRONMENT.with_name("build")
    session.run(sys.executable, "-m", "venv", str(folder), external=True)
    tools = nox.project.dependency_groups(project, "build")
    session.run(str(folder / "bin" / "pip"), "install", "--quiet", *tools, external=True)
    for old in Path("dist").glob(f"ratproof-{version}*"):
        old.unlink()
    session.run(str(folder / "bin" / "python"), "-m", "build", external=True)
    files = sorted(map(str, Path("dist").glob(f"ratproof-{version}*")))
    session.run(str(folder / "bin" / "twine"), "check", "--strict", *files, external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure ratios of running times within one run. Arguments go only to ``bench/forward.py``."""
    ready(session)
    run(session, "python", "bench/forward.py", *session.posargs)
    run(session, "python", "bench/planted_error.py")
    run(session, "python", "bench/equivalence.py")
    run(session, "python", "bench/large_equivalence.py")
    run(session, "python", "bench/scan.py")
    run(session, "python", "bench/matrix_scan.py")
    run(session, "python", "bench/factored.py")
    run(session, "python", "bench/sr_steps.py")
    run(session, "python", "bench/not_rational.py")
    run(session, "python", "bench/certified.py")
