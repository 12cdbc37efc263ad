"""What a run depends on besides its settings and data: a worker of another installation is refused."""

from __future__ import annotations

import platform
from importlib.metadata import version

from automata.errors import InputError
from ratproof.hunting.installation import difference, sources

PACKAGES = ("automata", "theory", "neural", "ratproof", "training")
DEPENDS_ON = ("ratproof", "numpy", "torch", "lightning-fabric", "optuna")


def installation() -> dict[str, str]:
    """Versions, and a hash of our own sources."""
    versions = {name: version(name) for name in DEPENDS_ON}
    return {"python": platform.python_version(), **versions, "sources": sources(PACKAGES)}


def require_same(other: dict[str, str]) -> None:
    """Raise :class:`~automata.errors.InputError` where this installation is another one than that of the
    campaign's command.
    """
    why = difference(other, installation())
    if why is not None:
        raise InputError(
            "a worker is of another installation than this command, and its runs may come out otherwise:"
            f" {why}; nothing was run there"
        )
