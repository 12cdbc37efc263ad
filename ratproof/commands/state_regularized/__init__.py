"""The commands ``certify``, ``extract`` and ``figures``, for trained state-regularized networks."""

from ratproof.commands.state_regularized import commands

__all__ = ["commands"]
