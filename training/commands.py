"""The command line's ``train``: every experiment that can be trained."""

from training.state_regularized.commands import app

__all__ = ["app"]
