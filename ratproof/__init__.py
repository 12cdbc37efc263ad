"""The checker and its face: evidence, verdicts and certificates, the command line, and claims of your own.

>>> from ratproof import believe, believe_module
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ratproof.user_claims.modules import believe_module
    from ratproof.user_claims.steps import believe

__version__ = "0.1.0"
__all__ = ["believe", "believe_module"]

_HOMES = {"believe": "ratproof.user_claims.steps", "believe_module": "ratproof.user_claims.modules"}


def __getattr__(name: str) -> Any:
    """A function of the Python face, imported when it is first asked for: torch takes seconds to import."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ratproof' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The names of the Python face too, for completion."""
    return sorted({*globals(), *__all__})
