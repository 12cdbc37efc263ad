"""Commands on trained state-regularized networks: ``certify``, ``extract`` and ``figures``."""

from ratproof.commands.state_regularized import commands

__all__ = ["commands"]
