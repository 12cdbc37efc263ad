"""The settings in ``[tool.ratproof]`` of a project's pyproject.toml."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from automata.cache_folder import VARIABLE as CACHE
from automata.errors import InputError

DEVICE = "RATPROOF_DEVICE"
"""The environment variable with the default device of claims."""
_REQUIRED: dict[str, tuple[Callable[[object], bool], str]] = {
    "claims": (
        lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
        "a list of file names or patterns",
    ),
    "examples": (lambda value: type(value) is int and value >= 1, "a positive integer"),
    "seed": (lambda value: type(value) is int and value >= 0, "an integer of at least 0"),
    "device": (
        lambda value: isinstance(value, str) and re.fullmatch(r"cpu|cuda(:\d+)?", value) is not None,
        '"cpu" or "cuda"',
    ),
    "cache-folder": (lambda value: isinstance(value, str) and value != "", "the path of a folder"),
}


@dataclass(frozen=True)
class ProjectSettings:
    """The settings of a project; ``None`` or an empty value means that a setting is absent.

    Attributes:
        file: The path of pyproject.toml. Paths in it are relative to its folder.
        claims: Files with claims, or patterns such as ``"claims/*.py"``.
        examples: Number of random cases per kind of evidence.
        seed: Seed of the random cases.
        device: Default device of kernels and models.
        cache_folder: Folder for cached data.
    """

    file: Path = Path("pyproject.toml")
    claims: tuple[str, ...] = ()
    examples: int | None = None
    seed: int | None = None
    device: str | None = None
    cache_folder: str | None = None

    def claims_files(self) -> list[Path]:
        """Return the files with claims, without duplicates.

        Raises:
            InputError: If no file matches one of the names.
        """
        files: dict[Path, None] = {}
        for pattern in self.claims:
            matches = _matching_files(self.file.parent, pattern)
            if not matches:
                raise InputError(f"{self.file}: tool.ratproof.claims: the file {pattern!r} does not exist")
            files |= dict.fromkeys(matches)
        return list(files)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Use the device and the cache folder within the block, unless the environment overrides them."""
        folder = None if self.cache_folder is None else str(self.file.parent / self.cache_folder)
        wanted = {DEVICE: self.device, CACHE: folder}
        new = {name: value for name, value in wanted.items() if value and name not in os.environ}
        os.environ.update(new)
        try:
            yield
        finally:
            for name in new:
                os.environ.pop(name, None)


def _matching_files(folder: Path, pattern: str) -> list[Path]:
    """Return the files that match a pattern, which is absolute or relative to the folder."""
    path = Path(pattern)
    if path.is_absolute():  # Path.glob only supports relative patterns
        folder, pattern = Path(path.anchor), str(path.relative_to(path.anchor))
    try:
        return sorted(match for match in folder.glob(pattern) if match.is_file())
    except (ValueError, IndexError):  # the pattern names no file, such as ".", or Python does not support it
        return []


def project_settings(folder: Path) -> ProjectSettings:
    """Read the settings in the nearest pyproject.toml, in this folder or above it.

    Raises:
        InputError: If a setting is unknown or has an invalid value.
    """
    here = folder.absolute()
    file = next((path for top in (here, *here.parents) if (path := top / "pyproject.toml").is_file()), None)
    if file is None:
        return ProjectSettings()
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("ratproof", {})
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"{file}: cannot be read as TOML: {error}") from None
    if not isinstance(table, dict):
        raise InputError(f"{file}: tool.ratproof must be a table, got {table!r:.60}")
    for name, value in table.items():
        if name not in _REQUIRED:
            raise InputError(
                f"{file}: settings in tool.ratproof must be among {', '.join(_REQUIRED)}, got {name!r}"
            )
        is_right, required = _REQUIRED[name]
        if not is_right(value):
            raise InputError(f"{file}: tool.ratproof.{name} must be {required}, got {value!r:.60}")
    fields = {name.replace("-", "_"): value for name, value in table.items()}
    return ProjectSettings(file, **fields | {"claims": tuple(fields.get("claims", ()))})


def default_device() -> str:
    """Return the default device of claims."""
    return os.environ.get(DEVICE) or "cpu"
