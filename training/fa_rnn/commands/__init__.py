"""The commands on rules and FA-RNNs: ``ratproof rules``, and ``ratproof train fa-rnn``."""

from training.fa_rnn.commands import decide, editing, read_back, zero_shot  # noqa: F401 (each puts its commands into the app)
from training.fa_rnn.commands.app import app

__all__ = ["app"]
