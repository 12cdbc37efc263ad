"""Other people's packages with the names of ours.

PyPI's automata-lib installs a package ``automata`` too: an empty ``__init__.py`` in place of ours, and
modules with other names. Both work, whichever is installed last. When automata-lib is removed, ours works
without an ``__init__.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

INSTALL_AGAIN = "pip install --force-reinstall --no-deps ratproof"

PACKAGES = ("automata", "theory", "neural")
"""The packages beside this one that it cannot do without."""


def hidden(packages: Sequence[str] = PACKAGES) -> str:
    """Return a sentence about the first of our packages that is hidden or missing, or an empty string."""
    ours = Path(__file__).resolve().parent.parent
    for name in packages:
        spec = find_spec(name)
        paths = (
            [] if spec is None else [*(spec.submodule_search_locations or ()), *filter(None, [spec.origin])]
        )
        if not paths:
            return (
                f"the package {name} is not there, which is installed with ratproof: install ratproof again"
                f" ({INSTALL_AGAIN})"
            )
        theirs = Path(str(paths[0])).resolve()
        if theirs.parent != ours:
            return (
                f"{theirs} hides ratproof's own package {name}: run ratproof in another folder, or install it"
                f" in an environment without that other {name}"
            )
        try:
            import_module(name)
        except Exception as error:
            return (
                f"{theirs} cannot be imported ({error}), because another package changed it: remove that"
                f" package, and install ratproof again ({INSTALL_AGAIN})"
            )
    return ""
