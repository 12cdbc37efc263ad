"""Commands on rules over words, and on the networks that are made from them: ``compile``, and ``rules``."""

from ratproof.commands.rules import compiling, deciding, editing
from ratproof.commands.rules.app import rules

__all__ = ["compiling", "deciding", "editing", "rules"]
