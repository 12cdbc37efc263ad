"""The pytest plugin, which collects claims in test modules and in the files of ``[tool.ratproof] claims``.

Each claim has one test per kind of evidence: ``test_kernels.py::my-kernel[gradient]``. pytest loads this
module by its entry point in every project, so it imports the rest of ratproof only when a module has a claim.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ratproof.evidence.subjects import Subject, SubjectStep
    from ratproof.ladder.steps import Step
    from ratproof.project_settings import ProjectSettings
    from theory.claim import Claim

_SETTINGS: pytest.StashKey[ProjectSettings] = pytest.StashKey()
_FILES: pytest.StashKey[list[Path]] = pytest.StashKey()
_SEEN: pytest.StashKey[dict[str, object]] = pytest.StashKey()
_HOMES = {"ratproof.evidence.subjects": "Subject", "theory.claim": "Claim"}
"""The modules that define the classes of claims. If none of them is imported, a test module has no claims."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("ratproof", "claims of ratproof")
    group.addoption(
        "--ratproof-examples", type=int, metavar="N", help="number of random cases per test of a claim"
    )
    group.addoption("--ratproof-seed", type=int, metavar="S", help="seed of the random cases of claims")


def pytest_configure(config: pytest.Config) -> None:
    """Read the project's settings, if it has any."""
    for name, least in (("examples", 1), ("seed", 0)):
        value = config.getoption(f"--ratproof-{name}")
        if value is not None and value < least:
            raise pytest.UsageError(f"--ratproof-{name} must be at least {least}, got {value}")
    file = config.rootpath / "pyproject.toml"
    config.stash[_FILES] = []
    if not file.is_file() or "tool.ratproof" not in file.read_text(encoding="utf-8"):
        return
    from automata.errors import InputError
    from ratproof.project_settings import project_settings

    try:
        settings = config.stash[_SETTINGS] = project_settings(config.rootpath)
        files = config.stash[_FILES] = settings.claims_files()
    except InputError as error:
        raise pytest.UsageError(str(error)) from None
    stack = ExitStack()
    stack.enter_context(settings.applied())
    config.add_cleanup(stack.close)
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        folders = [Path(config.rootpath, argument) for argument in config.args]
        config.args += [str(path) for path in files if not any(map(path.is_relative_to, folders))]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Collect the project's files with claims, unless pytest itself collects them by their names."""
    named = any(file_path.match(pattern) for pattern in parent.config.getini("python_files"))
    if named or parent.session.isinitpath(file_path) or file_path not in parent.config.stash[_FILES]:
        return None
    return pytest.Module.from_parent(parent, path=file_path)


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Item] | None:
    """Collect a claim, or a list or tuple of claims, under a name that does not begin with "_"."""
    if name.startswith("_") or not isinstance(collector, pytest.Module):
        return None
    classes = tuple(getattr(sys.modules[home], of) for home, of in _HOMES.items() if home in sys.modules)
    values = obj if type(obj) in (list, tuple) else [obj]
    claims = [value for value in values if isinstance(value, classes)]  # type: ignore[attr-defined]
    return [item for claim in claims for item in _items(collector, claim)] or None


def _items(module: pytest.Module, claim: Claim | Subject) -> Iterator[pytest.Item]:
    """Yield a test for each claim and kind of evidence."""
    from automata.errors import InputError
    from automata.extras import needs

    try:
        from ratproof.evidence.subjects import STATED
        from ratproof.ladder.steps import own_steps
        from ratproof.ladder.user_files import require_names
    except ModuleNotFoundError as error:
        raise module.CollectError(needs(error, "a claim") or str(error)) from None

    seen = module.stash.setdefault(_SEEN, {})
    if seen.get(claim.name) is claim:
        return
    try:
        require_names(str(module.path), claim, seen)
    except InputError as error:
        raise module.CollectError(str(error)) from None
    seen[claim.name] = claim
    for step in own_steps([claim]):
        what = step.label.removeprefix(f"{claim.name}-").removeprefix(f"{STATED}-")
        yield ClaimItem.from_parent(module, name=f"{claim.name}[{what}]", step=step)


class ClaimFailure(Exception):
    """Raised if a verdict is unexpected, with the report as its message."""


class ClaimItem(pytest.Item):
    """A test item for one kind of evidence of a claim."""

    def __init__(self, *, step: Step | SubjectStep, **options: Any) -> None:
        super().__init__(**options)
        self.step = step

    def runtest(self) -> None:
        """Run the evidence.

        Raises:
            ClaimFailure: If the verdict is not the expected one.
        """
        from ratproof.api.running import failure_of
        from ratproof.evidence.not_run import NotRun

        file = os.path.relpath(self.path)
        try:
            text = failure_of(self.step, file, self._setting("examples"), self._setting("seed"), self.nodeid)
        except NotRun as reason:
            pytest.skip(str(reason))
        if text:
            raise ClaimFailure(text)

    def _setting(self, name: str) -> int | None:
        """Return the option, or the project's setting by default."""
        option: int | None = self.config.getoption(f"--ratproof-{name}")
        return option if option is not None else getattr(self.config.stash.get(_SETTINGS, None), name, None)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report unchanged, because pytest only shortens tracebacks that it formats itself."""
        if isinstance(excinfo.value, ClaimFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the path and the name of the test."""
        return self.path, None, self.name
