"""Functions that run the evidence for claims, for the commands ``verify``, ``check`` and ``hunt``."""
