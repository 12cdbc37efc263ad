"""Checks for packages that only some commands need, the extras of ``pip install 'ratproof[...]'``."""

from __future__ import annotations

from importlib.util import find_spec

from automata.errors import InputError

EXTRAS = {
    "training": ("lightning_fabric", "optuna", "tensorboard", "scipy", "tensorly", "matplotlib"),
    "draw": ("pygraphviz",),
    "cluster": ("distributed",),
    "pytest": ("pytest",),
}
"""The import names of each extra's packages, as pyproject.toml lists them."""
NEEDED = {
    **{name: name for name in ("numpy", "numba", "typer", "rich", "sympy", "hypothesis", "torch", "pynini")},
    **{name: name for name in ("lark", "jinja2", "safetensors", "platformdirs", "filelock")},
    "flint": "python-flint",
}
"""The packages that every installation without ``--no-deps`` has, by import name."""
OURS = ("automata", "theory", "neural", "ratproof", "training")


def require_extra(extra: str, what: str) -> None:
    """Raise InputError if a package of an extra is not installed.

    Args:
        extra: a key of :data:`EXTRAS`.
        what: the command or option that requires the package, for the message.
    """
    missing = [name.replace("_", "-") for name in EXTRAS[extra] if find_spec(name) is None]
    if missing:
        raise InputError(_sentence(what, missing, extra))


def needs(error: ModuleNotFoundError, what: str) -> str:
    """Return how to install the module of a failed import, or ``""`` if ratproof does not use that module."""
    name = (error.name or "").partition(".")[0]
    if name in OURS:
        again = "pip install --force-reinstall --no-deps . in a clone of ratproof"
        return f"{error.name} is missing from the installation of ratproof: {again}"
    if name in NEEDED:
        return _sentence(what, [NEEDED[name]])
    extra = next((extra for extra, names in EXTRAS.items() if name in names), None)
    return "" if extra is None else _sentence(what, [name.replace("_", "-")], extra)


def _sentence(what: str, missing: list[str], extra: str = "") -> str:
    are = "is" if len(missing) == 1 else "are"
    install = f"pip install 'ratproof[{extra}]'" if extra else f"pip install {' '.join(missing)}"
    return f"{what} needs {', '.join(missing)}, which {are} not installed: {install}"
