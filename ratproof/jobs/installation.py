"""The installation: versions of packages and hashes of sources, on which random cases and runs depend.

Equal installations draw equal cases for equal seeds, settings and data.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from automata.errors import InputError
from ratproof.evidence.versions import versions

PACKAGES = ("automata", "theory", "neural", "ratproof")
SOURCES = (".py", ".cpp")
DEPENDS_ON = ("python", "ratproof", "hypothesis", "numpy", "torch")


OF_RUNS = ("ratproof", "numpy", "torch", "lightning-fabric", "optuna")
"""Packages on which runs of campaigns depend."""


@cache
def fingerprint() -> dict[str, str]:
    """Return the versions of packages, and a hash of ratproof's sources."""
    here = versions()
    packages = {name: here[name] for name in DEPENDS_ON}
    return packages | {"sources": sources(PACKAGES)}


def installation_of_runs() -> dict[str, str]:
    """Return the versions of packages, and a hash of the sources of ratproof and of the experiments."""
    here = {name: version(name) for name in OF_RUNS}
    packages = [*PACKAGES, "training"]
    return {"python": platform.python_version(), **here, "sources": sources(packages)}


def require_same(other: dict[str, str]) -> None:
    """Raise :class:`~automata.errors.InputError` if this installation differs from that of the command."""
    why = difference(other, installation_of_runs())
    if why is not None:
        raise InputError(
            f"a worker must have the same installation as this command, but they differ: {why}; the worker"
            " ran nothing"
        )


def difference(one: dict[str, str], other: dict[str, str]) -> str | None:
    """Return a description of the first difference of two installations, or ``None`` if they are equal.

    >>> difference({"numpy": "2.1"}, {"numpy": "2.2"})
    'numpy is 2.2 there and 2.1 here'
    """
    for name in dict.fromkeys([*one, *other]):
        if one.get(name) != other.get(name):
            return f"{name} is {other.get(name, 'absent')} there and {one.get(name, 'absent')} here"
    return None


def sources(packages: Sequence[str]) -> str:
    """Return a hash of all source files of these packages, by their paths inside the package."""
    digest = hashlib.blake2b(digest_size=16)
    for package in packages:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            continue
        folder = Path(spec.origin).parent
        files = {
            path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in SOURCES
        }
        for name, path in sorted(files.items()):
            digest.update(f"{package}/{name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
