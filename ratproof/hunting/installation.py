"""What a round's examples depend on besides its seed: equal installations draw equal cases. Campaigns ask for
equal ones too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ratproof.evidence.versions import versions

PACKAGES = ("automata", "theory", "neural", "ratproof")
SOURCES = (".py", ".cpp")
DEPENDS_ON = ("python", "ratproof", "hypothesis", "numpy", "torch")


@cache
def fingerprint() -> dict[str, str]:
    """Versions, and a hash of our own sources, wherever they are installed."""
    here = versions()
    said = {name: here[name] for name in DEPENDS_ON}
    return said | {"sources": sources(PACKAGES)}


def difference(one: dict[str, str], other: dict[str, str]) -> str | None:
    """The first thing in which two installations differ, in words; ``None`` where they are equal.

    >>> difference({"numpy": "2.1"}, {"numpy": "2.2"})
    'numpy is 2.2 there and 2.1 here'
    """
    for name in dict.fromkeys([*one, *other]):
        if one.get(name) != other.get(name):
            return f"{name} is {other.get(name, 'absent')} there and {one.get(name, 'absent')} here"
    return None


def sources(packages: Sequence[str]) -> str:
    """A hash of all that these packages run, file by file, by its path inside the package."""
    whole = hashlib.blake2b(digest_size=16)
    for package in packages:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            continue
        folder = Path(spec.origin).parent
        files = {
            path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in SOURCES
        }
        for name, path in sorted(files.items()):
            whole.update(f"{package}/{name}\0".encode() + path.read_bytes() + b"\0")
    return whole.hexdigest()
