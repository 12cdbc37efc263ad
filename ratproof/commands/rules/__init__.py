"""The commands ``compile`` and ``rules``, for rules over words and the networks that are built from them."""

from ratproof.commands.rules import compiling, deciding, editing
from ratproof.commands.rules.app import rules

__all__ = ["compiling", "deciding", "editing", "rules"]
