"""Hypothesis as all tests use it, and what ``ratproof verify`` hands to the evidence."""

from __future__ import annotations

import os
from collections.abc import Generator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from proofs_tests.hypothesis_settings import load_profile
from ratproof.evidence.not_run import NotRun
from ratproof.ladder.hypothesis_profile import unchanged_afterwards
from ratproof.ladder.plugin import CORPUS

pytest_plugins = ["pytester", "proofs_tests.shown"]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without pynini, leave out the files that need it: it has wheels for Linux on x86-64 alone."""
    if collection_path.suffix != ".py" or find_spec("pynini") is not None:
        return None
    text = collection_path.read_text(encoding="utf-8")
    return True if "import pynini" in text or "from automata.io.openfst" in text else None


def pytest_configure(config: pytest.Config) -> None:
    """Derandomised, unless ``--hypothesis-seed`` is given; a failure prints the blob that brings it back."""
    seeded = config.getoption("--hypothesis-seed", default=None) is not None
    load_profile(seeded)
    if find_spec("triton") is not None:
        _interpret_triton()


def _interpret_triton() -> None:
    """Without a GPU, let Triton's interpreter run its kernels; before Triton is imported."""
    import torch

    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The pages begin: one of them takes minutes, for which no worker should wait at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith("proofs_tests/test_pages.py"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A test that needs what is not installed here, pynini or Coq, is skipped."""
    try:
        return (yield)
    except NotRun as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def where_triton_runs() -> Generator[None, None, None]:
    """New tensors are on the GPU, where there is one; else Triton's interpreter takes them on the CPU."""
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
def device(request: pytest.FixtureRequest) -> str:
    """The device that the networks run on."""
    return str(request.config.getoption("--ratproof-device"))


@pytest.fixture
def unshrunk() -> Generator[None, None, None]:
    """Search as ever, and end with the first counterexample, without shrinking it."""
    with unchanged_afterwards():
        phases = tuple(phase for phase in settings().phases if phase is not Phase.shrink)
        settings.register_profile("unshrunk", settings(), phases=phases)
        settings.load_profile("unshrunk")
        yield


@pytest.fixture(scope="session")
def corpus(request: pytest.FixtureRequest) -> Any:
    """The user's corpus (:class:`~ratproof.implementations.corpus.Corpus`); skip without one."""
    from ratproof.implementations.corpus import load_corpus

    if CORPUS in request.config.stash:
        return request.config.stash[CORPUS]
    path = request.config.getoption("--ratproof-text")
    if path is None:
        pytest.skip("no corpus is named (ratproof verify --text FILE)")
    return load_corpus(
        path, request.config.getoption("--ratproof-embeddings"), request.config.getoption("--ratproof-units")
    )


@pytest.fixture(scope="session")
def rule_folder(request: pytest.FixtureRequest) -> Path:
    """The folder that the user named; without one the test is skipped."""
    path = request.config.getoption("--ratproof-rules")
    if path is None:
        pytest.skip("no folder with rules is named (ratproof verify --rules DIR)")
    return Path(path)
