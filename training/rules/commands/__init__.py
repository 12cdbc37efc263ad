"""The commands ``rules read-back`` and ``rules zero-shot``, which need labelled sentences."""

from ratproof.commands.rules.app import rules as app
from training.rules.commands import read_back, zero_shot  # noqa: F401 (each adds its command to rules)

__all__ = ["app"]
