"""Detection of other packages that have the names of ratproof's packages.

automata-lib on PyPI also installs a package ``automata``, with an empty ``__init__.py`` and modules with
other names. Both packages work, whichever is installed first. If automata-lib is removed, ratproof's package
works without an ``__init__.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

INSTALL_AGAIN = "pip install --force-reinstall --no-deps . in a clone of ratproof"

PACKAGES = ("automata", "theory", "neural")
"""The other packages that ratproof requires."""


def hidden(packages: Sequence[str] = PACKAGES) -> str:
    """Return a message about the first of the packages that is shadowed or missing, or an empty string."""
    ours = Path(__file__).resolve().parent.parent
    for name in packages:
        spec = find_spec(name)
        paths = (
            [] if spec is None else [*(spec.submodule_search_locations or ()), *filter(None, [spec.origin])]
        )
        if not paths:
            return f"the package {name} of ratproof is missing; reinstall ratproof ({INSTALL_AGAIN})"
        theirs = Path(str(paths[0])).resolve()
        if theirs.parent != ours:
            return (
                f"{theirs} shadows ratproof's package {name}; run ratproof in another folder, or install it"
                f" in an environment without the other {name}"
            )
        try:
            import_module(name)
        except Exception as error:
            return (
                f"{theirs} cannot be imported ({error}), because another package changed it; remove that"
                f" package, and reinstall ratproof ({INSTALL_AGAIN})"
            )
    return ""
