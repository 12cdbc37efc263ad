"""Settings of Hypothesis for all tests: every run has the same cases, unless a seed is given."""

import gc
import os
from collections.abc import Generator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import Phase, settings

from ratproof.evidence.not_run import NotRun
from ratproof.evidence.results import require_expected
from ratproof.ladder import user_files
from ratproof.ladder.environment import interpret_triton, load_profile, unchanged_afterwards
from ratproof.ladder.written import written_checks
from ratproof.ladder.written.check import Inputs
from theory import registry

pytest_plugins = ["pytester", "proofs_tests.shown"]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Skip the files that need pynini if it is missing; it only has wheels for Linux on x86-64."""
    if collection_path.suffix != ".py" or find_spec("pynini") is not None:
        return None
    text = collection_path.read_text(encoding="utf-8")
    return True if "import pynini" in text or "from automata.io.openfst" in text else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the device that the networks run on."""
    parser.addoption("--ratproof-device", default="cpu", help="where the networks run: cpu or cuda")


def pytest_configure(config: pytest.Config) -> None:
    """Derandomise Hypothesis unless ``--hypothesis-seed`` is given; a failure prints the blob that reproduces
    it.
    """
    seeded = config.getoption("--hypothesis-seed", default=None) is not None
    examples = os.environ.get("RATPROOF_EXAMPLES")
    load_profile(None if examples is None else int(examples), seeded)
    interpret_triton()
    keep_objects()


def keep_objects() -> None:
    """Exclude all objects that exist now, such as imported modules, from garbage collections."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2000, 20, 50)  # with 100,000, tests are slower, because of cache misses


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collections as well; see :func:`keep_objects`."""
    keep_objects()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of pages first, because one of them takes minutes and would delay the end of the run."""
    items.sort(key=lambda item: not item.nodeid.startswith("proofs_tests/test_pages.py"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Skip a test that needs a missing program or package, such as pynini or Coq."""
    try:
        return (yield)
    except NotRun as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def where_triton_runs():
    """Create new tensors on the GPU if there is one; otherwise use Triton's interpreter on the CPU."""
    import torch

    if os.environ.get("TRITON_INTERPRET") == "1":
        if _release("triton") < (3, 7) and _release("numpy") >= (2, 4):
            pytest.skip("the interpreter of Triton 3.6 does not run with NumPy 2.4")
        yield
        return
    torch.set_default_device("cuda")
    yield
    torch.set_default_device(None)


def _release(package: str) -> tuple[int, ...]:
    return tuple(map(int, version(package).split(".")[:2]))


@pytest.fixture(scope="session")
def device(request):
    """Return the device that the networks run on."""
    return str(request.config.getoption("--ratproof-device"))


@pytest.fixture
def in_tmp_path(tmp_path, monkeypatch):
    """Run the test in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def no_own_claims(monkeypatch):
    """Run the test without claims that other tests registered."""
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture
def unshrunk():
    """Stop a search at its first counterexample, without shrinking it."""
    with unchanged_afterwards(), patch.object(user_files, "PHASES", (Phase.generate,)):
        phases = tuple(phase for phase in settings().phases if phase is not Phase.shrink)
        settings.register_profile("unshrunk", settings(), phases=phases)
        settings.load_profile("unshrunk")
        yield


@pytest.fixture
def shows_what_is_expected(request, device):
    """Run the check that is registered under this test's id, and compare its verdict with the
    expected one.
    """
    check = written_checks()[request.node.nodeid]

    def show() -> None:
        inputs = Inputs(device)
        if not check.can_run(inputs):
            option = {"corpus": "--text FILE", "rules": "--rules DIR"}[check.needs]
            pytest.skip(f"ratproof verify {option} runs it")
        require_expected(check.run(inputs))

    return show
