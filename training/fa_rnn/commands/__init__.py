"""The commands on FA-RNNs that need labelled sentences: ``train fa-rnn``, and ``rules``' ``read-back`` and
``zero-shot``.
"""

from ratproof.commands.rules.app import rules as app
from training.fa_rnn.commands import read_back, zero_shot  # noqa: F401 (each adds its command to rules)

__all__ = ["app"]
